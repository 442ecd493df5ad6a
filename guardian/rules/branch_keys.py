"""Keys that only a branch of a closed object declares: a condition, what follows from it, or what depends on a key.

``unevaluatedProperties: false`` lets a key pass that anything which holds at the same place has declared (JSON Schema
2020-12, core section 11.3), and refuses it once nothing does. The branch itself is an open schema, and where it says less
of a key than before it asks for less; so what the whole object lost is told here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from guardian.fieldpath import escape
from guardian.model import Direction, Effect
from guardian.rules.keywords import is_schema, mapping, parts_of
from guardian.rules.pairs import Delta, ObjectPair
from guardian.rules.registry import also
from guardian.spec.api import Node, Schema
from guardian.spec.dynamic import targets_of
from guardian.spec.limits import matches
from guardian.spec.objects import undeclared
from guardian.spec.shape import Atom

_BRANCHES = ("if", "then", "else")


class Declared(NamedTuple):
    """The keys that a branch declares: by name, by the patterns of their names, or all."""

    names: dict[str, Node]
    patterns: set[str]
    anything: bool = False

    def has(self, name: str) -> bool:
        return self.anything or name in self.names or any(matches(each, name) for each in self.patterns)


#: What a branch hangs on: a condition's ``then`` or ``else``, by the condition's number, or a key.
_Slot: TypeAlias = tuple[str, str | int]


@also("property-removed", pair=ObjectPair)
def branch_key_removed(pair: ObjectPair) -> Iterator[Delta]:
    """A key that a branch declared is declared no more, and a closed object refuses it."""
    base, head = pair.base, pair.head
    if pair.direction is Direction.RESPONSE or head.additional is not None:
        return  # readers ignore keys that they do not know, and so do open objects
    if not (base.conditions or base.dependent_schemas) or (base.additional is None and not _unevaluated(base)):
        return
    theirs = _branches(pair, head) if _unevaluated(head) else {}
    told: set[str] = set()
    for slot, declared in _branches(pair, base).items():
        others = [theirs[slot]] if slot in theirs else list(theirs.values())
        for name in sorted(declared.names.keys() - told):
            known = name in base.properties or name in head.properties or name in head.hidden
            if known or undeclared(head, name) is not None or any(other.has(name) for other in others):
                continue
            told.add(name)
            yield Delta(
                Effect.NARROWED,
                "was removed, and the object takes no other keys",
                field=escape(name),
                base=declared.names[name],
                head=head.additional_node or head.node,
            )
            if pair.probing:
                return  # all have one effect


def _unevaluated(atom: Atom) -> bool:
    """Whether an object is closed in the way that takes notice of its branches."""
    node = atom.additional_node
    return node is not None and node.pointer.endswith("/unevaluatedProperties")


def _branches(pair: ObjectPair, atom: Atom) -> dict[_Slot, Declared]:
    """What the branches of an object declare; those of conditions by the first one of base that asks the same."""
    found: dict[_Slot, Declared] = {}
    for number, node in enumerate(atom.conditions):
        asked = Schema((node.child("if"),))
        alike = (
            index
            for index, other in enumerate(pair.base.conditions)
            if atom is not pair.base and pair.relate(Schema((other.child("if"),)), asked) is None
        )
        place = number if atom is pair.base else next(alike, -1 - number)
        found["then", place] = _declared(
            [node.child(name) for name in ("if", "then") if is_schema(node.value.get(name))]
        )
        found["else", place] = _declared([node.child("else")] if is_schema(node.value.get("else")) else [])
    for key, schema in atom.dependent_schemas.items():
        found["dependent", key] = _declared(list(schema.nodes))
    return found


def _declared(nodes: list[Node]) -> Declared:
    """What schemas declare that hold at one place, or may hold there."""
    names: dict[str, Node] = {}
    patterns: set[str] = set()
    anything = False
    seen: set[Node] = set()
    while nodes:
        node = nodes.pop()
        if node in seen or not isinstance(node.value, dict):
            continue
        seen.add(node)
        value = node.value
        for name in mapping(value.get("properties")):
            names.setdefault(name, node.child("properties", name))
        patterns.update(mapping(value.get("patternProperties")))
        others = (value.get("additionalProperties", False), value.get("unevaluatedProperties", False))
        anything = anything or any(other is not False for other in others)
        nodes.extend(targets_of(node))
        for keyword in ("allOf", "anyOf", "oneOf"):
            nodes.extend(parts_of(node, keyword))
        nodes.extend(node.child(name) for name in _BRANCHES if is_schema(value.get(name)))
        nodes.extend(node.child("dependentSchemas", name) for name in mapping(value.get("dependentSchemas")))
    return Declared(names, patterns, anything)
