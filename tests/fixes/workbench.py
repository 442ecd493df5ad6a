"""Small situations to try fixes in: two texts, a few manifests, and what a check would have found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from guardian.fixes.bench import Bench, Situation
from guardian.fixes.draft import Draft
from guardian.fixes.propose import Passed, attempt, propose, wants_fix
from guardian.fixes.strategies import drafts
from guardian.fixes.verify import Outcome, verify
from guardian.fixes.work import Group, Work, grouped
from guardian.graph.blast import blast
from guardian.graph.consumers.load import load_consumers
from guardian.graph.consumers.routes import Routes
from guardian.graph.settle import settle
from guardian.model import Change, Fix, Mode, Strategy
from guardian.rules.compare import compare
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.trees import MemoryTree, Tree

AS_OF = date(2026, 12, 31)
SUNSET = "2027-03-31"


def situation(
    base: Tree,
    head: Tree,
    paths: Mapping[str, str] | Mapping[str, tuple[str, str]],
    consumers: Mapping[str, str] | None = None,
    *,
    mode: Mode = Mode.BOTH,
) -> tuple[Situation, list[Change]]:
    """Both sides read, compared and traced.

    Args:
        base, head: the trees.
        paths: where a service's entry document is, on both sides or on each.
        consumers: manifests and pacts by file name.
    """
    documents = Documents(base), Documents(head)
    entries = {name: path if isinstance(path, tuple) else (path, path) for name, path in paths.items()}
    bases, heads = (
        {name: read_api(documents[side], path[side], name) for name, path in entries.items()} for side in (0, 1)
    )
    tree = MemoryTree({name: text.encode() for name, text in (consumers or {}).items()})
    declared = load_consumers([(tree, name) for name in consumers or ()], sorted(paths), heads)
    same = Sameness(*documents).same
    changes = [each for name in sorted(paths) for each in compare(bases[name], heads[name], same=same)]
    if declared.consumers:
        changes = list(blast(changes, Routes(bases, heads), declared.consumers).changes)
    changes = settle(changes, mode, declared.consumers)
    made = Situation(
        base=bases,
        head=heads,
        as_of=AS_OF,
        base_consumers=declared.consumers,
        declarations=declared.files,
        mode=mode,
    )
    return made, changes


def bench(
    base: str, head: str, consumers: Mapping[str, str] | None = None, *, file: str = "api.yaml", mode: Mode = Mode.BOTH
) -> Bench:
    """A bench for one service, ``users``, that is a single file."""
    trees = (MemoryTree({file: text.encode()}) for text in (base, head))
    return Bench(*situation(*trees, {"users": file}, consumers, mode=mode))


def groups(on: Bench) -> list[Group]:
    """The causes that want a fix."""
    return grouped(on.situation, on.changes, [each for each in on.changes if wants_fix(each)])


def tried(on: Bench, strategy: Strategy, number: int = 0) -> Passed:
    """The first draft of a strategy for a cause that passes, or the last that did not."""
    passed = attempt(Work(on, groups(on)[number]), strategy)
    assert passed is not None, f"{strategy} has no draft"
    return passed


def passes(on: Bench) -> dict[str, set[str]]:
    """For every cause, by its rule, the strategies that pass."""
    found: dict[str, set[str]] = {}
    for group in groups(on):
        for strategy in Strategy:
            passed = attempt(Work(on, group), strategy)
            if passed is not None and passed.outcome.verification.verified:
                found.setdefault(group.first.rule, set()).add(strategy.value)
    return found


def text_of(passed: Passed, number: int = 0) -> str:
    """A file of head's as the fix leaves it."""
    assert passed.outcome.verification.verified, passed.outcome.reason
    assert passed.outcome.trial is not None
    return passed.outcome.trial.files[number].data.decode()


def judged(
    on: Bench, operations: Sequence[Mapping[str, Any]], strategy: Strategy = Strategy.DUAL_WRITE, **more: Any
) -> Outcome:
    """What the verifier says of JSON Patch operations that somebody wrote."""
    specs = {on.situation.head["users"].document.address: tuple(operations)} if operations else {}
    wanted = [each for group in groups(on) for each in group.changes]
    return verify(on, Draft(strategy=strategy, service="users", specs=specs, **more), wanted)


def fixes(on: Bench) -> tuple[Fix, ...]:
    """What a check would offer."""
    return propose(on.situation, on.changes).fixes


def first_draft(on: Bench, strategy: Strategy) -> Iterator[Draft]:
    """The drafts of a strategy for the first cause, untried."""
    return drafts(Work(on, groups(on)[0]), strategy)


def api(**parts: Any) -> str:
    """An OpenAPI 3.0 document as JSON text, indented by two."""
    return json.dumps(
        {"openapi": "3.0.3", "info": {"title": "Users", "version": "1.0.0"}, "paths": {}, **parts}, indent=2
    )
