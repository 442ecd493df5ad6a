"""Evaluation: every scenario, held-out seeds, one policy; the score table, the curve, transcripts, a trace to read."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, TextIO

from guardian import __version__
from guardian.errors import UsageError
from guardian.learn import folders
from guardian.learn.evaluate import played
from guardian.learn.workflow.curriculum import held_out_seeds
from guardian.learn.workflow.curve import RewardCurve
from guardian.learn.workflow.policies import Policy
from guardian.learn.workflow.rubric import FAILURES
from guardian.learn.workflow.scenarios import SCENARIOS, Difficulty, find_scenario
from guardian.learn.workflow.summary import Episode
from guardian.learn.workflow.transcripts import Transcript, play, readable

EPISODES = 50  # of each scenario
RESAMPLES = 1000  # of a bootstrap interval
MIXED = "mixed"  # every third episode of each difficulty

_TRANSCRIPTS = "transcripts.jsonl"

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation gave: ``scores`` is scores.json, ``curve`` the episodes in the order they were played."""

    scores: Mapping[str, Any]
    curve: RewardCurve
    transcripts: tuple[Transcript, ...]


def evaluate_workflow(
    policy: Policy,
    *,
    scenarios: Sequence[str] = tuple(SCENARIOS),
    episodes: int = EPISODES,
    seed: int = 0,
    difficulty: str = MIXED,
    output: Path | None = None,
    jobs: int = 1,
    asked: Mapping[str, Any] | None = None,
    progress: Progress = lambda text: None,
    tell: Progress = lambda text: None,
) -> Evaluation:
    """Play and count.

    Args:
        policy: who plays; each episode is played by a copy of its own.
        scenarios: where.
        episodes: of each scenario.
        seed: which held-out seeds.
        difficulty: one for all, or ``mixed``: easy, medium and hard in turn.
        output: a folder for scores.json, scores.md, episodes.jsonl, transcripts.jsonl, reward_curve.csv,
            reward_curve.png (where matplotlib is installed) and trace.md. An evaluation of the same run that was
            interrupted there goes on where it was.
        jobs: episodes at a time, in threads: for models, whose answers one waits for.
        asked: what decides the answers of a policy that asks a model (``folders.asked``).
        progress: is told in words how far it is.
        tell: is told what there is to know of the results: that they lay there already.

    Raises:
        UsageError: there is no such scenario or difficulty, nothing to play, or another run's results in the folder.
    """
    for name in scenarios:
        find_scenario(name)
    if difficulty != MIXED and difficulty not in set(Difficulty):
        raise UsageError(f"there is no difficulty {difficulty!r}", hint=f"One of: {', '.join(Difficulty)}, {MIXED}.")
    if episodes < 1 or not scenarios:
        raise UsageError("there is nothing to evaluate", hint="Give at least one episode and one scenario.")
    plan = list(_plan(scenarios, episodes, seed, difficulty))
    identity = {"env": "workflow", "policy": policy.name, "seed": seed, "difficulty": difficulty, **(asked or {})}
    identity["guardian"] = __version__
    known: dict[tuple[str, str, int], Transcript] = {}
    if output is not None:
        folders.check_evaluation(output, identity)
        known = _resumed(output)
    missing = [key for key in plan if key not in known]
    if output is not None:
        if len(missing) < len(plan):
            tell(folders.resumed(output, len(plan) - len(missing), len(plan)))
        folders.mark_evaluation(output, identity)
    done = len(plan) - len(missing)

    def episode(*key: Any) -> Transcript:
        return play(copy.copy(policy), *key)

    with _log(output) as log:
        for transcript in played(episode, missing, jobs, threads=True):
            known[transcript.key] = transcript
            log.write(folders.line(transcript.as_dict()))
            log.flush()
            done += 1
            progress(f"{transcript.episode.scenario}: {done} of {len(plan)} episodes")
    transcripts = tuple(known[key] for key in plan)
    curve = RewardCurve()
    for transcript in transcripts:
        curve.add(transcript.episode)
    scores = score_table(policy.name, seed, difficulty, [each.episode for each in transcripts])
    scores["run"] = {**identity, "tasks": list(scenarios), "episodes": episodes}
    evaluation = Evaluation(scores, curve, transcripts)
    if output is not None:
        # What a longer evaluation has played here stays, behind what this one counts.
        counted = set(plan)
        write_evaluation(evaluation, output, [each for key, each in known.items() if key not in counted])
    return evaluation


def _resumed(output: Path) -> dict[tuple[str, str, int], Transcript]:
    """The transcripts that lie in the folder already; a line that was cut short is not one."""
    found: dict[tuple[str, str, int], Transcript] = {}
    for record in folders.records(output / _TRANSCRIPTS):
        with suppress(KeyError, TypeError, AttributeError):  # a transcript of nobody's
            transcript = Transcript.from_dict(record)
            found[transcript.key] = transcript
    return found


def _log(output: Path | None) -> TextIO:
    """Where transcripts go as they come."""
    if output is None:
        return io.StringIO()
    return folders.appending(output / _TRANSCRIPTS)


def _plan(scenarios: Sequence[str], episodes: int, seed: int, difficulty: str) -> Iterator[tuple[str, str, int]]:
    """Scenarios in turn, so that a curve shows time and not scenarios."""
    levels = tuple(each.value for each in Difficulty)
    for number, world in enumerate(held_out_seeds(episodes, seed)):
        for scenario in scenarios:
            yield scenario, levels[number % 3] if difficulty == MIXED else difficulty, world


def score_table(policy: str, seed: int, difficulty: str, episodes: Sequence[Episode]) -> dict[str, Any]:
    """scores.json: the same keys as the contract environment's, with what only this one has beside them."""
    counted = [episode for episode in episodes if episode.fault is None]
    curve = RewardCurve(list(counted))
    tasks = {name: [each for each in counted if each.scenario == name] for name in SCENARIOS}
    levels = {each.value: [one for one in counted if one.difficulty == each] for each in Difficulty}
    return {
        "env": "workflow",
        "policy": policy,
        "seed": seed,
        "difficulty": difficulty,
        "mean": round(fmean([each.score for each in counted]), 6) if counted else 0.0,
        "all": _row(counted) if counted else None,
        "tasks": {name: _row(group) for name, group in tasks.items() if group},
        "difficulties": {name: _row(group) for name, group in levels.items() if group},
        "first_100_reward": round(curve.first, 6),
        "last_100_reward": round(curve.last, 6),
        "faults": len(episodes) - len(counted),
    }


def _row(episodes: Sequence[Episode]) -> dict[str, Any]:
    signals = sorted({name for each in episodes for name in each.signals})
    dimensions = episodes[0].dimensions
    recovered, drifts = sum(each.recovered for each in episodes), sum(each.drifts for each in episodes)
    return {
        "episodes": len(episodes),
        "score": interval([each.score for each in episodes]),
        "reward": round(fmean([each.reward for each in episodes]), 6),
        "reward_interval": interval([each.reward for each in episodes]),
        "reward_per_step": round(fmean([each.reward / each.steps for each in episodes]), 6),
        "success": round(fmean([float(each.success) for each in episodes]), 6),
        "steps": round(fmean([each.steps for each in episodes]), 6),
        "invalid": round(fmean([each.failures["invalid_action"] for each in episodes]), 6),
        "sla_compliance": interval([each.sla_compliance for each in episodes]),
        "drift_recovery": interval([each.recovered / each.drifts for each in episodes if each.drifts]),
        "drifts": drifts,
        "steps_to_recover": round(sum(each.steps_to_recover for each in episodes) / recovered, 6)
        if recovered
        else None,
        "failures": {name: sum(each.failures[name] for each in episodes) for name in FAILURES},
        "signals": {name: round(fmean([each.signals.get(name, 0.0) for each in episodes]), 6) for name in signals},
        "dimensions": {name: _mean(each.dimensions[name] for each in episodes) for name in dimensions},
    }


def _mean(values: Iterable[float | None]) -> float | None:
    had = [value for value in values if value is not None]
    return round(fmean(had), 6) if had else None


def interval(values: Sequence[float]) -> dict[str, float] | None:
    """Mean and 95 % percentile bootstrap interval; None without values. The same values give the same interval."""
    if not values:
        return None
    rng = Random("bootstrap")
    means = sorted(fmean(rng.choices(values, k=len(values))) for _ in range(RESAMPLES))
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
    return {"mean": round(fmean(values), 6), "low": round(low, 6), "high": round(high, 6)}


# --- files --------------------------------------------------------------------------------------------------------


def write_evaluation(evaluation: Evaluation, output: Path, others: Sequence[Transcript] = ()) -> None:
    """Write all files of an evaluation into a folder, which is made if it is not there.

    Args:
        others: transcripts of the same run that lie in the folder and are not counted; they are kept.
    """
    folders.make_folder(output)
    scores = evaluation.scores
    (output / "scores.json").write_text(json.dumps(scores, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (output / "scores.md").write_text(table([scores]), encoding="utf-8")
    kept = (*evaluation.transcripts, *others)
    folders.write_records(output / "episodes.jsonl", (each.episode.as_dict() for each in kept))
    folders.write_records(output / _TRANSCRIPTS, (each.as_dict() for each in kept))
    (output / "reward_curve.csv").write_text(evaluation.curve.csv(), encoding="utf-8")
    evaluation.curve.draw(output / "reward_curve.png", f"{scores['policy']}, {scores['difficulty']}")
    first = evaluation.transcripts[0]
    (output / "trace.md").write_text(f"## A trace\n\n{readable(first)}", encoding="utf-8")


def table(results: Sequence[Mapping[str, Any]]) -> str:
    """Score tables of one or several policies side by side, as Markdown: by difficulty, then by scenario."""
    lines: list[str] = []
    for title, key in (("Difficulty", "difficulties"), ("Scenario", "tasks")):
        names = list(dict.fromkeys(name for result in results for name in result[key]))
        lines += [
            f"| {title} | Policy | Episodes | Score | Reward | SLA compliance | Drift recovery | Steps to recover | Failures |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        for name in names:
            lines += [_line(name, result["policy"], result[key][name]) for result in results if name in result[key]]
        lines.append("")
    return "\n".join(lines)


def _line(name: str, policy: str, row: Mapping[str, Any]) -> str:
    steps = row["steps_to_recover"]
    cells = (
        name, policy, str(row["episodes"]), _spread(row["score"]), _spread(row["reward_interval"]),
        _spread(row["sla_compliance"], percent=True), _spread(row["drift_recovery"], percent=True),
        "-" if steps is None else f"{steps:.1f}", str(sum(row["failures"].values())),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _spread(value: Mapping[str, float] | None, *, percent: bool = False) -> str:
    if value is None:
        return "-"
    if percent:
        return f"{value['mean']:.0%} ({value['low']:.0%} to {value['high']:.0%})"
    return f"{value['mean']:.2f} ({value['low']:.2f} to {value['high']:.2f})"


def before_after(base: Transcript, head: Transcript) -> str:
    """Two traces of the same episode, one after the other, with what became of it in a sentence first.

    Raises:
        UsageError: they are not of the same episode.
    """
    one, two = base.episode, head.episode
    if (one.scenario, one.difficulty, one.seed) != (two.scenario, two.difficulty, two.seed):
        raise UsageError("before and after must be the same episode")
    lines = [
        f"## {one.scenario}, {one.difficulty}, seed {one.seed}: {base.policy} before, {head.policy} after",
        "",
        "| | before | after |",
        "| --- | ---: | ---: |",
        f"| score | {one.score:.2f} | {two.score:.2f} |",
        f"| reward | {one.reward:.2f} | {two.reward:.2f} |",
        f"| tasks within SLA | {one.in_time} of {one.tasks} | {two.in_time} of {two.tasks} |",
        f"| drifts recovered | {one.recovered} of {one.drifts} | {two.recovered} of {two.drifts} |",
        *(f"| {name.replace('_', ' ')} | {one.failures[name]} | {two.failures[name]} |" for name in FAILURES),
        "",
        readable(base),
        readable(head),
    ]
    return "\n".join(lines)
