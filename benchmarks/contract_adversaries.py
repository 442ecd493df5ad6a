"""What answers without judgement are worth: ``python benchmarks/contract_adversaries.py [episodes] [easy|medium|hard]``.

Prints two Markdown tables of mean scores on held-out seeds: every task by policies that weigh nothing, and fixes by policies
that propose one strategy everywhere, each with the best that can be copied into it. None reads more than its name says.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Any

from guardian.learn.contract import TASKS, Action, ContractEnv, Observation, Scenarios, candidates
from guardian.learn.contract.actions import DONE, PROPOSE, REPORT, TRACE
from guardian.learn.contract.payloads import leaves, write_place
from guardian.learn.contract.prompting import prompt_of
from guardian.learn.contract.releases import OPEN
from guardian.learn.evaluate import episode_seed

Answers = Callable[[Observation], Iterator[Action]]
FIX = "propose_backward_compat_fix"


def nothing(seen: Observation) -> Iterator[Action]:
    """Finds nothing, names nobody, mends nothing."""
    if seen.phase == "tracing":
        yield Action(TRACE)


def same(seen: Observation) -> Iterator[Action]:
    """One answer for everything."""
    if seen.phase == "detection":
        yield _report(seen, "id" if seen.payload is not None else "GET /")
    elif seen.phase == "tracing":
        yield Action(TRACE, affected_services=("mobile-app",))
    else:
        yield _fix("deprecation_window", restore=["id"], sunset="2026-04-01")


def first(seen: Observation) -> Iterator[Action]:
    """The first name that is shown."""
    if seen.phase == "detection":
        yield from (_report(seen, place) for place in _places(seen)[:1])
    elif seen.phase == "tracing":
        yield Action(TRACE, affected_services=tuple(_readers(seen)[:1]))
    else:
        yield _fix("deprecation_window", restore=_names(seen)[:1], sunset=_day(seen))


def copied(seen: Observation) -> Iterator[Action]:
    """Everything that is shown: each place of the payload or the diff, each reader of the first line, each changed name."""
    if seen.phase == "detection":
        yield from (_report(seen, place) for place in _places(seen))
    elif seen.phase == "tracing":
        yield Action(TRACE, affected_services=tuple(_readers(seen)))
    else:
        yield _fix("deprecation_window", restore=_names(seen), sunset=_day(seen))


def window(seen: Observation) -> Iterator[Action]:
    yield _fix("deprecation_window", restore=_names(seen, hit=True), sunset=_day(seen))


def both(seen: Observation) -> Iterator[Action]:
    yield _fix("dual_write", emit=_names(seen, hit=True))


def version(seen: Observation) -> Iterator[Action]:
    yield _fix("version_bump", keep_version=f"v{seen.api_spec['base']['info']['version'].partition('.')[0]}")


def migrate(seen: Observation) -> Iterator[Action]:
    told = seen.detected_violation or {}
    yield _fix("consumer_patch", migrate=sorted({name for each in told["changes"] for name in each.get("breaks", ())}))


def version_then_migrate(seen: Observation) -> Iterator[Action]:
    yield from (*version(seen), *migrate(seen))


def window_then_version(seen: Observation) -> Iterator[Action]:
    yield from (*window(seen), *version(seen))


def _report(seen: Observation, place: str) -> Action:
    kind = "type_mismatch" if seen.payload is not None else "breaking_change"
    return Action(REPORT, field_path=place, violation_type=kind)


def _fix(strategy: str, **patch: Any) -> Action:
    return Action(PROPOSE, fix_strategy=strategy, spec_patch=patch)


def _places(seen: Observation) -> list[str]:
    """Every place of the payload, or every line of the diff as a place."""
    if seen.payload is not None:
        return [write_place(at) for at, _ in leaves(seen.payload)]
    found, operation = [], ""
    for line in prompt_of(seen).user.splitlines():
        if re.match(r"([-+] )?[A-Z]+ /", line):
            operation = line.lstrip("-+ ")
            if line[0] in "-+":
                found.append(operation)
        elif re.match(r"  [-+] .*: ", line):
            field = line[4:].partition(": ")[0]
            found.append(f"{operation}.{field}")
    return list(dict.fromkeys(found))


def _readers(seen: Observation) -> list[str]:
    """The names in the first line of who uses what."""
    lines = prompt_of(seen).user.partition("Who uses what:\n")[2].splitlines()
    known = set(candidates.names(seen))
    return [name for name in lines[0].rpartition(": ")[2].split(", ") if name in known] if lines else []


def _names(seen: Observation, *, hit: bool = False) -> list[str]:
    """The last names of the changed places; with ``hit``, of those that break somebody."""
    told = (seen.detected_violation or {}).get("changes", ())
    places = [each["field_path"] for each in told if not hit or each.get("breaks", True)]
    return sorted({place if "." not in place else _last(place.partition(".")[2]) for place in places})


def _last(field: str) -> str:
    return field if ":" in field else field.rpartition(".")[2].removesuffix("[]")


def _day(seen: Observation) -> str:
    former: str = ((seen.detected_violation or {}).get("release") or {"former": OPEN})["former"]
    return former if former[:1].isdigit() else "2026-04-01"


def score(env: ContractEnv, task: str, episodes: int, answers: Answers) -> float:
    """The mean score of a policy that says its answers of each phase, and is done."""
    scores = []
    for index in range(episodes):
        seen = env.reset(task, episode_seed(0, index))
        while not seen.done:
            phase = seen.phase
            for action in (*answers(seen), Action(REPORT, field_path=DONE)):
                seen = env.step(action)
                if seen.done or seen.phase != phase:
                    break
        scores.append(env.score())
    return fmean(scores)


def main(episodes: int, difficulty: str) -> None:
    """Print the tables."""
    env = ContractEnv(Scenarios(split="heldout"), difficulty=difficulty)
    plain: list[Answers] = [nothing, same, first, copied]
    print(f"| task ({difficulty}) | {' | '.join(each.__name__ for each in plain)} |\n| --- | --- | --- | --- | --- |")
    for task in TASKS:
        print(f"| {task} | {' | '.join(f'{score(env, task, episodes, each):.3f}' for each in plain)} |", flush=True)
    print(f"\n| {FIX} ({difficulty}) | score |\n| --- | --- |")
    for each in (window, both, version, migrate, version_then_migrate, window_then_version):
        print(f"| {each.__name__} | {score(env, FIX, episodes, each):.3f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, sys.argv[2] if len(sys.argv) > 2 else "medium")
