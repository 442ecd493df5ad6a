"""Whose a folder is: which evaluation or training run lies in it, so that no two are ever mixed.

What binds a folder is what was played or learned there, not the mark: a run that came to nothing leaves it free.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from guardian.errors import UsageError

Json = dict[str, Any]

_RUN = "run.json"
_PLAN = "plan.json"
_PLAYED = ("episodes.jsonl", "transcripts.jsonl", "scores.json")
_LEARNED = ("metrics.jsonl", "warmstart", "checkpoints", "best", "final", "adapter")
_OTHER = "name another --output"
#: What run.json tells of the results, beside what decides them.
_TOLD = frozenset({"in_training"})


def asked(model: str | None, model_name: str, temperature: float) -> Json:
    """What decides a model's answers, for the identity of an evaluation; an adapter's folder by what is in it."""
    found: Json = {"model": model, "model_name": model_name, "temperature": temperature}
    if model is not None and "://" not in model and Path(model).is_dir():
        digest = hashlib.sha256()
        for file in sorted(Path(model).glob("adapter_*")):
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        found["adapter"] = digest.hexdigest()[:16]
    return found


def check_evaluation(output: Path, identity: Mapping[str, Any]) -> None:
    """See that an evaluation may write here; nothing is written yet.

    Args:
        identity: all that decides the results, but for how many there are.

    Raises:
        UsageError: a file, a training run or another evaluation lies there.
    """
    check_folder(output)
    if _holds(output, _LEARNED) and (output / _PLAN).is_file():
        raise UsageError("the folder holds a training run", file=str(output), hint=_OTHER)
    if not _holds(output, _PLAYED):
        return
    lies = _object(output / _RUN)
    if lies is None:
        raise UsageError(
            f"the folder holds {_results(output)}, and no {_RUN} that says how it was made",
            file=str(output),
            hint=_OTHER,
        )
    apart = differences({key: value for key, value in lies.items() if key not in _TOLD}, identity)
    if apart:
        raise UsageError(f"the folder holds the evaluation of another run: {apart}", file=str(output), hint=_OTHER)


def mark_evaluation(output: Path, identity: Mapping[str, Any], told: Mapping[str, Any] | None = None) -> None:
    """Write whose evaluation it is, with what there is to tell of it."""
    _write(output / _RUN, {**identity, **(told or {})})


def resumed(output: Path, there: int, wanted: int) -> str:
    """What is said of results that are not played again."""
    return f"{there} of {wanted} episodes lay in {output} already and are not played again"


def check_training(output: Path, identity: Mapping[str, Any], *, resume: bool) -> None:
    """See that a training run may write here; nothing is written yet.

    Raises:
        UsageError: a file, an evaluation or another training run lies there, or none where one is to be continued.
    """
    check_folder(output)
    mark = output / _PLAN
    if resume and not mark.is_file():
        raise UsageError("there is no run to resume", file=str(output))
    if _holds(output, _PLAYED) and (output / _RUN).is_file():
        raise UsageError("the folder holds an evaluation", file=str(output), hint=_OTHER)
    if not mark.is_file() or not (resume or _holds(output, _LEARNED)):
        return
    lies = (_object(mark) or {}).get("identity")
    apart = differences(lies, identity) if isinstance(lies, dict) else f"{_PLAN} does not say which"
    if apart:
        raise UsageError(f"the folder holds another run: {apart}", file=str(output), hint=_OTHER)


def mark_training(output: Path, identity: Mapping[str, Any]) -> None:
    """Write whose training run it is."""
    _write(output / _PLAN, {"identity": identity})


def differences(lies: Mapping[str, Any], mine: Mapping[str, Any]) -> str:
    """In what a run that lies somewhere differs from this one, in words; empty where they are the same."""
    there, here = _flat(lies), _flat(json.loads(json.dumps(mine)))
    names = [name for name in dict.fromkeys((*here, *there)) if there.get(name) != here.get(name)]
    if "env" in names:  # then nothing else of them can be compared
        return f"it is of the {there.get('env')} environment, this one of the {here.get('env')} environment"
    return ", ".join(f"its {name} is {_word(there.get(name))}, this one's {_word(here.get(name))}" for name in names)


def _flat(values: Mapping[str, Any], before: str = "") -> Json:
    found: Json = {}
    for key, value in values.items():
        name = f"{before}{key}".replace("_", " ")
        found |= _flat(value, f"{name} ") if isinstance(value, dict) else {name: value}
    return found


def _word(value: Any) -> str:
    if isinstance(value, list):
        return "+".join(map(str, value))
    return "none" if value is None else str(value)


def _results(output: Path) -> str:
    scores = _object(output / "scores.json") or {}
    env, policy = scores.get("env"), scores.get("policy")
    return f"an evaluation of the {env} environment by the policy {policy}" if env and policy else "an evaluation"


def _holds(folder: Path, names: tuple[str, ...]) -> bool:
    """Whether anything is in one of these files or folders."""
    for each in (folder / name for name in names):
        if any(each.iterdir()) if each.is_dir() else each.is_file() and each.stat().st_size:
            return True
    return False


def check_folder(output: Path) -> None:
    """See that results can be written here; nothing is written yet.

    Raises:
        UsageError: it is a file or in one, or nothing may be written there.
    """
    try:
        there = next(each for each in (output, *output.absolute().parents) if each.exists())
    except OSError as error:
        raise UsageError(f"cannot be made a folder: {error.strerror}", file=str(output), hint=_OTHER) from error
    if not there.is_dir():
        raise UsageError("is no folder", file=str(there), hint=_OTHER)
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError("is a folder that nothing may be written to", file=str(there), hint=_OTHER)


def make_folder(output: Path) -> None:
    """Make the folder of results.

    Raises:
        UsageError: it cannot be made.
    """
    check_folder(output)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot be made a folder: {error.strerror}", file=str(output), hint=_OTHER) from error


# -- records, one a line -----------------------------------------------------------------------------------------------


def records(file: Path) -> list[Json]:
    """The objects of a file that has one a line; none where it is not there. A line that was cut short is not one."""
    found: list[Json] = []
    for line in file.read_bytes().splitlines() if file.is_file() else ():
        with suppress(ValueError, RecursionError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found


def appending(file: Path) -> TextIO:
    """The file opened for more lines, the first of which does not go on where another was cut short."""
    cut = file.is_file() and file.read_bytes()[-1:] not in (b"", b"\n")
    stream = file.open("a", encoding="utf-8", newline="\n")
    if cut:
        stream.write("\n")
    return stream


def write_records(file: Path, values: Iterable[Mapping[str, Any]]) -> None:
    """Write a file of records anew: whole or not at all, since they may be hours of a model's answers."""
    part = file.with_name(f"{file.name}.part")
    with part.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(line(value) for value in values)
    part.replace(file)


def line(value: Mapping[str, Any]) -> str:
    """A record as it stands in its file."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _object(file: Path) -> Json | None:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _write(file: Path, value: Mapping[str, Any]) -> None:
    make_folder(file.parent)
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
