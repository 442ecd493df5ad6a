"""Steps a second of the workflow environment in one process: ``python benchmarks/workflow_steps.py [episodes]``.

Counts environment and policy together, for each written policy at each difficulty, over all five scenarios. Every seed
is played once before the clock starts, so that making the drifted specifications (once a process) is told apart.
"""

from __future__ import annotations

import sys
import time

from guardian.learn.workflow import WORKFLOW
from guardian.learn.workflow.drift import plan_drifts
from guardian.learn.workflow.policies import POLICIES
from guardian.learn.workflow.scenarios import SCENARIOS, Difficulty
from guardian.learn.workflow.transcripts import play


def main(episodes: int) -> None:
    """Print one line for each policy and difficulty."""
    started = time.perf_counter()
    for scenario in SCENARIOS.values():
        for level in Difficulty:
            for seed in range(episodes):
                plan_drifts(scenario, level, seed)
    print(f"drifts made in {time.perf_counter() - started:.1f} s")
    for level in Difficulty:
        for name, make in POLICIES.items():
            started, cpu, steps = time.perf_counter(), time.process_time(), 0
            for scenario in WORKFLOW:
                for seed in range(episodes):
                    steps += len(play(make(), scenario, level.value, seed).steps)
            wall, used = time.perf_counter() - started, time.process_time() - cpu
            print(
                f"{level.value:<7} {name:<9} {steps:>6} steps {steps / wall:>7,.0f}/s wall {steps / used:>7,.0f}/s of CPU time"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
