"""A long run of the contract environment. GUARDIAN_SOAK_EPISODES says how long: 10,000 takes five minutes of a core."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

import pytest

from guardian.learn.contract import TASKS, ContractEnv, Scenarios
from guardian.learn.policies import make_policy

EPISODES = int(os.environ.get("GUARDIAN_SOAK_EPISODES", "1800"))
SAMPLES = 20


def resident() -> float:
    """What this process holds of the machine's memory, in MiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
def test_many_episodes_in_flat_memory() -> None:
    """No exception over many episodes of all tasks, levels and companies, and no memory that grows with their number.

    Every tenth episode repeats a seed, so that scenarios are taken from what is kept, too.
    """
    policies = [make_policy(name) for name in ("random", "oracle", "everything")]
    envs = [ContractEnv(Scenarios(split=split)) for split in ("train", "heldout")]
    tasks = list(TASKS)
    sizes: list[float] = []
    start = time.process_time()
    for number in range(EPISODES):
        env, policy = envs[number % 2], policies[number // len(tasks) % 3]
        level = ("medium", "easy", "medium", "hard")[number // 3 % 4]
        seed = number - len(tasks) * 2 if number % 10 == 9 else number
        observation = env.reset(tasks[number % len(tasks)], seed, difficulty=level)
        policy.begin(env, observation, seed)
        while not observation.done:
            observation = env.step(policy.act(observation))
        assert 0.0 <= env.score() <= 1.0
        if isinstance(policy, type(policies[1])):
            assert env.score() == 1.0, (tasks[number % len(tasks)], seed, level)
        if (number + 1) % max(1, EPISODES // SAMPLES) == 0:
            gc.collect()
            sizes.append(resident())
            print(f"{number + 1} episodes, {time.process_time() - start:.0f} s of processor time, {sizes[-1]:.0f} MiB")
    assert sizes[-1] <= sizes[len(sizes) // 2 - 1] * 1.05, [round(size) for size in sizes]
