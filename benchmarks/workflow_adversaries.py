"""What cheating is worth: every adversary beside the written policies, ``python benchmarks/workflow_adversaries.py [episodes]``.

Prints a Markdown table: mean score and mean reward of an episode by difficulty, over all five scenarios and held-out
seeds, and what the reasons alone earned.
"""

from __future__ import annotations

import sys
from statistics import fmean

from guardian.learn.workflow import WORKFLOW
from guardian.learn.workflow.adversaries import ADVERSARIES
from guardian.learn.workflow.curriculum import held_out_seeds
from guardian.learn.workflow.policies import POLICIES
from guardian.learn.workflow.scenarios import Difficulty
from guardian.learn.workflow.transcripts import play


def main(episodes: int) -> None:
    """Print the table."""
    print("| Policy | easy: score, reward | medium | hard | reasons earned |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, make in {**POLICIES, **ADVERSARIES}.items():
        cells, reasons = [], []
        for level in Difficulty:
            played = [
                play(make(), scenario, level.value, seed).episode
                for scenario in WORKFLOW
                for seed in held_out_seeds(episodes, 1)
            ]
            cells.append(f"{fmean(each.score for each in played):.2f}, {fmean(each.reward for each in played):+.2f}")
            reasons += [
                sum(value for signal, value in each.signals.items() if signal.startswith("reason")) for each in played
            ]
        print(f"| {name} | {' | '.join(cells)} | {fmean(reasons):+.2f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
