"""Renames that likeness of names does not show: the model says what became what, and the engine tries it.

A rename is confirmed by taking it back in memory and comparing again: where the property has its former name, nothing
of what was found there may be left and nothing new may break. Then the finding says what it became, and the strategies
that need to know it are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from guardian import fieldpath
from guardian.adapter.advice import Advice, Case, Question
from guardian.adapter.claims import advisory, confirmed, quoted
from guardian.adapter.forms import schema_lines
from guardian.adapter.hygiene import inert
from guardian.adapter.prompts import Prompt, cut
from guardian.errors import ReadError
from guardian.fixes import json_patch
from guardian.fixes.bench import Bench
from guardian.fixes.draft import Draft
from guardian.fixes.findings import key
from guardian.fixes.json_patch import PatchError, get, pointer
from guardian.fixes.propose import attempt, fix
from guardian.fixes.slots import last, parent, property_name, schema_slot
from guardian.fixes.work import Group, Work, grouped
from guardian.model import Change, Fix, Severity, Strategy
from guardian.spec.api import Node, Schema

Json = dict[str, Any]

#: Renames of one question, and names of one object that are shown.
AT_ONCE = 8
_MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Lost:
    """A property that is gone, and that nothing looks like the new name of.

    Attributes:
        owner: pointer of the object's schema in head.
        new: the properties that head has there and base has not.
    """

    group: Group
    name: str
    base: Node
    owner: Node
    new: Mapping[str, Node]

    @property
    def change(self) -> Change:
        return self.group.first

    def described(self, name: str) -> str:
        """A property of either side in a line: its name, form and documentation."""
        node = self.base if name == self.name else self.new[name]
        (_, form), *_ = schema_lines(Schema((node,)), self.change.direction)
        said = node.value.get("description") if isinstance(node.value, dict) else None
        text = f" {inert(said, 100)}" if isinstance(said, str) and said else ""
        return f"{_shown(name)}: {inert(form, 120)}{text}"


def lost_properties(bench: Bench) -> list[Lost]:
    """Removed properties without a likely new name, in objects that gained others."""
    wanted = [
        change
        for change in bench.changes
        if change.rule == "property-removed"
        and change.renamed_to is None
        and change.exception is None
        and change.severity.rank >= Severity.WARNING.rank
        and change.service in bench.situation.base
        and change.service in bench.situation.head
    ]
    groups = grouped(bench.situation, bench.changes, wanted)
    return [found for group in groups if (found := _lost(bench, group)) is not None]


def _lost(bench: Bench, group: Group) -> Lost | None:
    for _, base, head in Work(bench, group).places():
        if base is None or head is None or property_name(base.pointer) is None:
            continue
        at = parent(head.pointer) if last(head.pointer) == "properties" else schema_slot(head.pointer)
        before = get(base.document.root, parent(base.pointer), {})
        after = get(head.document.root, f"{at}/properties", {})
        name = last(base.pointer)
        if isinstance(before, dict) and isinstance(after, dict) and name not in after:
            names = sorted(after.keys() - before.keys())
            new = {each: head.document.node(f"{at}/properties{pointer(each)}") for each in names}
            return Lost(group, name, base, head.document.node(at), new) if new else None
    return None


def rename_questions(case: Case, advice: Advice) -> Iterator[Question]:
    """Asks what lost properties became."""
    lost = lost_properties(case.bench)
    for start in range(0, len(lost), AT_ONCE):
        part = lost[start : start + AT_ONCE]

        def heard(answer: Json, part: Sequence[Lost] = part) -> None:
            became = {each["number"]: each["became"] for each in reversed(answer["renames"])}
            taken: set[tuple[str, str, str]] = set()
            for number, told in sorted(became.items()):
                each = part[number - 1]
                new = next((name for name in each.new if _shown(name) == told), told)
                place = (each.owner.document.address, each.owner.pointer, new)
                if new in each.new and place not in taken:  # one property is the new name of one other
                    taken.add(place)
                    take(case, advice, each, new)

        yield rename_prompt(part), heard


def rename_prompt(lost: Sequence[Lost]) -> Prompt:
    """What became of these; an answer names them by number."""
    lines: list[str] = []
    for number, each in enumerate(lost, 1):
        change = each.change
        lines += [f"{number} {inert(f'{change.operation} {change.place}', 120)}", f"  - {each.described(each.name)}"]
        lines += [f"  + {each.described(name)}" for name in list(each.new)[:_MOST_SHOWN]]
    text = (
        "Fields are gone from messages (-), others are new there (+). Which new field is the former one under another "
        f"name? Only where it means the same.\n{cut(lines)}\n"
        'Answer {"renames":[{"number":1,"became":"NAME"}]}; [] if none.'
    )
    item = {
        "type": "object",
        "properties": {
            "number": {"type": "integer", "minimum": 1, "maximum": len(lost)},
            "became": {"enum": sorted({_shown(name) for each in lost for name in each.new})},
        },
        "required": ["number", "became"],
        "additionalProperties": False,
    }
    schema: Json = {
        "type": "object",
        "properties": {"renames": {"type": "array", "items": item, "maxItems": len(lost)}},
        "required": ["renames"],
        "additionalProperties": False,
    }
    return Prompt(text, schema)


def take(case: Case, advice: Advice, lost: Lost, new: str) -> list[Fix]:
    """A claimed rename tried; the fixes that it made possible."""
    change = lost.change
    place = inert(f"{change.service} {change.operation}.{change.field}", 160)
    claim = f"{place} probably became {inert(new, 60)}"
    if not fits(case.bench, lost, new):
        rests_on = f"was {quoted(lost.described(lost.name))}, is {quoted(lost.described(new))}"
        advice.remarks.append(advisory(case.model, claim, rests_on, change.head))
        return []
    evidence = "with the former name put back, nothing of it differs from base"
    advice.remarks.append(confirmed(case.model, claim, evidence, change.head))
    group = Group(tuple(each._replace(renamed_to=_renamed(each, new)) for each in lost.group.changes))
    for each in group.changes:
        known = advice.changes[each.fingerprint]
        advice.changes[each.fingerprint] = known._replace(renamed_to=each.renamed_to)
    return mends(case, advice, group) if case.mends else []


def mends(case: Case, advice: Advice, group: Group) -> list[Fix]:
    """The fixes that carry both names, tried now that both are known."""
    found: list[Fix] = []
    for strategy in (Strategy.DUAL_WRITE, Strategy.FIELD_ALIAS):
        passed = attempt(Work(case.bench, group), strategy)
        if passed is not None and passed.outcome.verification.verified:
            made = fix(passed, f"F{len(advice.fixes) + 1}", case.situation)._replace(
                proposed_by=case.model,
            )
            if advice.offer(made) is None:
                found.append(made)
    return found


def fits(bench: Bench, lost: Lost, new: str) -> bool:
    """Whether head with the new property under its former name has nothing left of the change, and breaks nothing else."""
    document, owner = lost.owner.document, lost.owner.pointer
    operations = [
        {
            "op": "move",
            "from": f"{owner}/properties{pointer(new)}",
            "path": f"{owner}/properties{pointer(lost.name)}",
        }
    ]
    required = get(document.root, f"{owner}/required", [])
    if isinstance(required, list) and new in required:
        back = [lost.name if each == new else each for each in required]
        operations.append(json_patch.replace(f"{owner}/required", back))
    draft = Draft(
        strategy=Strategy.FIELD_ALIAS, service=lost.change.service, specs={document.address: tuple(operations)}
    )
    try:
        trial = bench.compare(draft)
    except (PatchError, ReadError):
        return False
    mended = {key(each) for each in lost.group.changes}
    known = {key(each) for each in bench.changes}
    return all(
        key(each) not in mended and (key(each) in known or each.severity is not Severity.BREAKING)
        for each in trial.fresh
    )


def _shown(name: str) -> str:
    """A property's name as questions and answers have it."""
    return inert(name, 60)


def _renamed(change: Change, new: str) -> str:
    """The field with its new last name, as reports write it."""
    path = fieldpath.parse(change.field)
    return fieldpath.write(replace(path, steps=(*path.steps[:-1], new)))
