from __future__ import annotations

import gc
import tracemalloc

import pytest

from guardian.learn.contract import TASKS, ContractEnv, Scenarios
from guardian.learn.policies import make_policy


@pytest.mark.soak
def test_ten_thousand_episodes() -> None:
    """No exception over ten thousand episodes of all tasks, companies and policies, and memory that stays flat."""
    policies = [make_policy(name) for name in ("random", "everything", "rules")]
    envs = [ContractEnv(Scenarios(split=split)) for split in ("train", "heldout")]
    tasks = list(TASKS)
    sizes: list[int] = []
    tracemalloc.start()
    for number in range(10_000):
        env, policy = envs[number % 2], policies[number % 3]
        observation = env.reset(tasks[number % len(tasks)], number)
        policy.begin(env, observation, number)
        while not observation.done:
            observation = env.step(policy.act(observation))
        assert 0.0 <= env.score() <= 1.0
        if number % 1000 == 999:
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[-1] < sizes[1] * 1.2 + 5_000_000, sizes
