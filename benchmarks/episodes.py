"""Steps a second of the contract environment in process, on one core, with three-service companies.

    python benchmarks/episodes.py [--episodes 40] [--group 8]

Two figures a task. *fresh*: every episode has a seed of its own, so each reset draws a company, edits it and lets the
engine judge it. *group*: a group of episodes shares a seed, as the generations of one prompt do in GRPO, so that its
scenario is built once. Time is processor time of this process; actions are the oracle's, right answers being the dearest.
"""

from __future__ import annotations

import argparse
import gc
import resource
import time

from guardian.learn.contract import TASKS, ContractEnv, Scenarios


def play(env: ContractEnv, task: str, seed: int) -> int:
    """One episode of right answers; how many steps it took."""
    observation = env.reset(task, seed)
    while not observation.done:
        for action in env.answers():
            observation = env.step(action)
            if observation.done:
                break
    return env.state.step_count


def measure(task: str, episodes: int, group: int) -> tuple[float, float]:
    """Steps a second, and milliseconds an episode."""
    env = ContractEnv(Scenarios(services=3))
    play(env, task, 10_000_000)  # what is imported and compiled once
    gc.collect()
    start = time.process_time()
    steps = sum(play(env, task, index // group) for index in range(episodes))
    spent = time.process_time() - start
    return steps / spent, 1000 * spent / episodes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=40)
    parser.add_argument("--group", type=int, default=8)
    arguments = parser.parse_args()
    print("| task | fresh: steps/s | ms/episode | group: steps/s | ms/episode |")
    print("| --- | --- | --- | --- | --- |")
    for task in TASKS:
        fresh = measure(task, arguments.episodes, 1)
        group = measure(task, arguments.episodes, arguments.group)
        print(f"| {task} | {fresh[0]:,.0f} | {fresh[1]:.1f} | {group[0]:,.0f} | {group[1]:.1f} |")
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
