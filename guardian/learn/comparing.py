"""Several evaluations side by side: in what they differ, the table, and what one scores more than another on the same episodes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from guardian.errors import UsageError
from guardian.learn.evaluate import draw, episode_seed, interval, table
from guardian.learn.folders import check_folder, make_folder, records

Json = dict[str, Any]
Key = tuple[str, str, int]
"""Task, difficulty and seed of an episode."""

#: Settings of the episodes rather than of who plays them, by environment: where these differ, one seed is not one
#: episode. A company is what its specifications say, wherever it lies.
_EPISODES = {"contract": ("difficulty", "split", "company", "services", "weights"), "workflow": ("difficulty",)}
_AGAIN = "run guardian eval --output there first"
_NOT_TOLD = "not told"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One evaluation: the name of its folder, scores.json, and its episodes; none where they are not there."""

    name: str
    scores: Json
    episodes: Mapping[Key, Json]

    @property
    def settings(self) -> Json:
        """What it was played in, as far as it is told: an evaluation of an older guardian does not tell all of it."""
        told = {**self.scores, **(self.scores.get("run") or {})}
        if told.get("graph", _NOT_TOLD) is None:
            told["company"] = None  # a generated one
        return {name: told.get(name, _NOT_TOLD) for name in (*self.deciding, "seed", "guardian")}

    @property
    def deciding(self) -> Sequence[str]:
        """The settings that make a seed an episode."""
        return _EPISODES.get(self.scores["env"], ())


def compare(folders: Iterable[Path], output: Path) -> str:
    """``comparison.md``, ``comparison.json`` and one picture (``before_after.png``) of several evaluations.

    Returns:
        What comparison.md says.

    Raises:
        UsageError: a folder holds no scores, they are of both environments, or matplotlib is not there.
    """
    results = _read(list(folders))
    check_folder(output)
    if not find_spec("matplotlib"):
        raise UsageError("the picture needs matplotlib", hint="pip install 'contract-guardian[train]'")
    told = differences(results)
    gains = paired(results)
    text = markdown(results, told, gains)
    make_folder(output)
    (output / "comparison.md").write_text(text, encoding="utf-8")
    written = {
        "env": results[0].scores["env"],
        "evaluations": [
            {key: each.scores[key] for key in ("policy", "mean")} | {"name": each.name} for each in results
        ],
        "differences": told,
        "paired": gains,
    }
    (output / "comparison.json").write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    draw([each.scores for each in results], [each.name for each in results], output / "before_after.png")
    return text


def differences(results: Sequence[Evaluated]) -> list[str]:
    """One line for each thing in which the evaluations are unlike, apart from who played."""
    found: list[str] = []
    for name in results[0].settings:
        values = [each.settings[name] for each in results]
        if any(value != values[0] for value in values):
            told = (f"{_word(value)} in {each.name}" for value, each in zip(values, results, strict=True))
            found.append(f"{'version of guardian' if name == 'guardian' else name}: {', '.join(told)}")
    for task in _tasks(results):
        counts = [each.scores["tasks"].get(task, {}).get("episodes", 0) for each in results]
        if len(set(counts)) > 1:
            told = (f"{count} in {each.name}" for count, each in zip(counts, results, strict=True))
            found.append(f"episodes of {task}: {', '.join(told)}")
    if len({frozenset(each.scores["tasks"]) for each in results}) > 1:
        found.append("the means are of different tasks")
    return found


def paired(results: Sequence[Evaluated]) -> list[Json]:
    """What each evaluation has more than the first, episode by episode, with its bootstrap interval.

    An episode that only one of both played is not counted; nothing is where their settings make other episodes of a seed,
    or do not tell whether they do.
    """
    first, *others = results
    return [
        {"name": other.name, "against": first.name, **_gain(first, other)}
        for other in others
        if _same_episodes(first, other)
    ]


def _same_episodes(first: Evaluated, other: Evaluated) -> bool | None:
    """Whether one seed is one episode to both; None where they do not tell."""
    pairs = [(first.settings[name], other.settings[name]) for name in first.deciding]
    told = [pair for pair in pairs if _NOT_TOLD not in pair]
    if any(one != two for one, two in told):
        return False
    return True if len(told) == len(pairs) else None


def _gain(first: Evaluated, other: Evaluated) -> Json:
    both = [key for key in first.episodes if key in other.episodes]
    tasks = {task: [key for key in both if key[0] == task] for task in dict.fromkeys(key[0] for key in both)}
    found = {task: _row(first, other, keys) for task, keys in tasks.items()}
    return {"tasks": found, "all": _row(first, other, both) if both else None}


def _row(first: Evaluated, other: Evaluated, keys: Sequence[Key]) -> Json:
    row: Json = {"episodes": len(keys)}
    for name in ("score", "reward"):
        gains = [other.episodes[key][name] - first.episodes[key][name] for key in keys]
        low, high = interval(gains)
        row[name] = {"mean": round(sum(gains) / len(gains), 4), "low": round(low, 4), "high": round(high, 4)}
    return row


def markdown(results: Sequence[Evaluated], told: Sequence[str], gains: Sequence[Json]) -> str:
    """What comparison.md says."""
    parts = [table([each.scores for each in results], [each.name for each in results])]
    if told:
        parts += ["The evaluations are unlike:\n", *(f"- {line}" for line in told), ""]
    for gain in gains:
        parts += _gains(gain)
    first = results[0]
    for other in results[1:]:
        same = _same_episodes(first, other)
        if same is False:
            parts.append(f"{other.name} and {first.name} played other episodes, so they are not compared one by one.\n")
        elif same is None:
            what = f"{other.name} and {first.name} do not tell whether they played the same episodes"
            parts.append(f"{what}, so they are not compared one by one.\n")
    return "\n".join(parts)


def _gains(gain: Json) -> list[str]:
    if not gain["all"]:
        return [f"{gain['name']} and {gain['against']} have no episode in common.\n"]
    return [
        f"{gain['name']} less {gain['against']}, on the same episodes (paired bootstrap, 95 %):\n",
        "| task | episodes | score | reward |",
        "| --- | ---: | ---: | ---: |",
        *(_line(task, row) for task, row in gain["tasks"].items()),
        _line("**all**", gain["all"]),
        "",
    ]


def _line(name: str, row: Json) -> str:
    cells = [f"{each['mean']:+.3f} [{each['low']:+.3f}, {each['high']:+.3f}]" for each in (row["score"], row["reward"])]
    return f"| {name} | {row['episodes']} | {' | '.join(cells)} |"


def _tasks(results: Sequence[Evaluated]) -> list[str]:
    return list(dict.fromkeys(task for each in results for task in each.scores["tasks"]))


def _word(value: Any) -> str:
    if value is None or value == {}:
        return "none"
    return json.dumps(value) if isinstance(value, dict) else str(value)


def _read(folders: Sequence[Path]) -> list[Evaluated]:
    """The evaluations of these folders.

    Raises:
        UsageError: one holds none, or they are not of one environment.
    """
    short = [folder.resolve().name for folder in folders]
    names = short if len(set(short)) == len(short) else [str(folder) for folder in folders]
    tables = [_scores(folder) for folder in folders]
    found = [
        Evaluated(name, scores, _episodes(folder, scores))
        for name, scores, folder in zip(names, tables, folders, strict=True)
    ]
    for each in found[1:]:
        if each.scores["env"] != found[0].scores["env"]:
            raise UsageError(
                f"{found[0].name} is an evaluation of the {found[0].scores['env']} environment, {each.name} one of the "
                f"{each.scores['env']} environment",
                hint="compare evaluations of one environment",
            )
    return found


def _scores(folder: Path) -> Json:
    try:
        scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageError(f"{folder} holds no scores.json", hint=_AGAIN) from None
    if not _is_table(scores):
        raise UsageError("is no score table of guardian eval", file=str(folder / "scores.json"), hint=_AGAIN)
    return dict(scores)


def _is_table(scores: Any) -> bool:
    """Whether this is what ``scores.json`` says, as far as tables and pictures are made of it."""
    if not isinstance(scores, dict) or not {"env", "policy", "mean", "tasks"} <= scores.keys():
        return False
    tasks = scores["tasks"]
    words = isinstance(scores["env"], str) and isinstance(scores["policy"], str) and _is_number(scores["mean"])
    rows = isinstance(tasks, dict) and all(map(_is_row, tasks.values()))
    return words and rows and isinstance(scores.get("run", {}), dict)


def _is_row(row: Any) -> bool:
    score = row.get("score") if isinstance(row, dict) and isinstance(row.get("episodes", 0), int) else None
    return isinstance(score, dict) and all(_is_number(score.get(name)) for name in ("mean", "low", "high"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _episodes(folder: Path, scores: Json) -> dict[Key, Json]:
    """The episodes that the scores count: not those of a longer evaluation there, nor those that the environment spoilt."""
    seeds = _seeds(scores)
    found: dict[Key, Json] = {}
    for each in records(folder / "episodes.jsonl"):
        task, seed = str(each.get("task") or each.get("scenario")), each.get("seed")
        if isinstance(seed, int) and task in scores["tasks"] and (seeds is None or seed in seeds):
            if each.get("fault") is None and _is_number(each.get("score")) and _is_number(each.get("reward")):
                found[task, str(each.get("difficulty", "")), seed] = each
    return found


def _seeds(scores: Json) -> set[int] | None:
    """The seeds that an evaluation played; None where an older guardian does not tell how many there were."""
    run = scores.get("run") or {}
    seed, count = run.get("seed"), run.get("episodes")
    if not isinstance(seed, int) or not isinstance(count, int):
        return None
    if scores["env"] == "workflow":
        from guardian.learn.workflow.curriculum import held_out_seeds

        return set(held_out_seeds(count, seed))
    return {episode_seed(seed, index) for index in range(count)}
