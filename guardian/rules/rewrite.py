"""Schemas of any dialect rewritten, keyword by keyword, into JSON Schema 2020-12 for the validator.

Only what a value with certain keys can reach is rewritten; see ``guardian.rules.judge`` for what is asked and why.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from enum import Enum, auto
from typing import Any

from guardian.errors import ReadError
from guardian.model import Direction
from guardian.rules.closed import closed, outline
from guardian.rules.keywords import (
    assertions,
    conjuncts,
    is_count,
    is_free_form,
    is_schema,
    mapping,
    parts_of,
    plainly,
    said_of,
    texts,
)
from guardian.rules.validator import Json, Unjudgeable, readable
from guardian.spec.api import Node
from guardian.spec.dialects import DIALECTS
from guardian.spec.dynamic import ELSEWHERE, REFERENCES, is_guessed, targets_of

# Definitions of one rewritten schema; nothing that anybody validates has more.
MAX_DEFINITIONS = 3_000
_DEFINITIONS = "#/$defs/"


class Role(Enum):
    """Whose acceptance is asked for."""

    SENDER = auto()
    RECEIVER = auto()


# Most schemas have none of a group, and then nobody looks for each of its keywords.
_COMPOSING = frozenset(("allOf", "anyOf", "oneOf", "not", "if", "discriminator", "x-extensible-enum"))
_OF_OTHER_KEYS = frozenset(
    (
        *("additionalProperties", "patternProperties", "unevaluatedProperties", "propertyNames"),
        *("dependentRequired", "dependentSchemas", "dependencies"),
    )
)
_OF_OBJECTS = _OF_OTHER_KEYS | {"properties", "required"}
_OF_ARRAYS = frozenset(("items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"))
# What only the keywords of other schemas below or beside it could add to: without any of these a schema is a leaf.
_COMPOUND = frozenset(REFERENCES) | _COMPOSING | _OF_OBJECTS | _OF_ARRAYS


class Memo:
    """What all rewriters of one side may share: most of a schema is leaves, and they are the same for everybody.

    Leaves go by what they say, where that is plain; everything else by its place or by the identity of its value, and
    the values are kept, so that no identity is given twice.
    """

    def __init__(self) -> None:
        self.leaves: dict[Hashable, tuple[Any, Json]] = {}
        self.assertions: dict[tuple[int, str], tuple[Any, dict[str, Any]]] = {}
        self.said: dict[tuple[str, str], tuple[bool, list[str]]] = {}
        self.free: dict[tuple[str, str], bool] = {}
        self.flags: dict[tuple[tuple[str, str], str], bool] = {}


class Rewriter:
    """One schema and all that a value with these keys can reach from it, as JSON Schema 2020-12.

    ``names`` are those keys, or None for everything; ``items`` says whether there are any items. ``hidden`` are the
    properties that the message does not carry; ``trail`` holds the nodes that apply to the same value above: where such
    nodes lead in a circle (a parent lists its variants, each of which extends the parent), the circle says nothing more
    and is cut, for a validator would never come back from it.

    ``exact`` says how it starts: inside ``not`` and conditions nothing is read kindly, and nothing declared. ``elsewhere``
    makes the schema of a place below, given whether it is read exactly, if that is not to be rewritten here; leaves are.
    """

    def __init__(
        self,
        direction: Direction,
        role: Role,
        tags: bool,
        names: frozenset[str] | None,
        items: bool,
        memo: Memo | None = None,
        *,
        exact: bool = False,
        elsewhere: Callable[[Node, bool], Json] | None = None,
    ) -> None:
        self.direction = direction
        self.role = role
        self.tags = tags
        self.names = names
        self.items = items
        self.memo = memo if memo is not None else Memo()
        self.exact = exact
        self.elsewhere = elsewhere
        self.definitions: dict[str, Json] = {}
        self._numbers: dict[tuple[object, ...], str] = {}
        self._outlines: dict[str, str] = {}  # the number of what is outlined, by the outline's name
        self._promised: list[tuple[str, Node, frozenset[str], bool]] = []
        self._cuts: set[Node] = set()
        self._busy: set[tuple[object, ...]] = set()  # what is being rewritten, by the keys of its numbers

    def schema(self, nodes: tuple[Node, ...]) -> Json:
        """The nodes together, with what they refer to as ``$defs``."""
        schema = self.place(nodes)
        while self._promised:
            number, node, hidden, self.exact = self._promised.pop()
            if number not in self.definitions:
                self.definitions[number] = self.rewrite(node, (), hidden)
            if len(self.definitions) > MAX_DEFINITIONS:
                raise Unjudgeable(f"more than {MAX_DEFINITIONS} schemas are within reach")
        if isinstance(schema, bool) or not self.definitions:
            return schema
        while self._outlines.keys() - self.definitions.keys():
            for name, number in list(self._outlines.items()):
                if name not in self.definitions:
                    self.definitions[name] = outline(self.definitions[number], self._outlined)
        return {**schema, "$defs": self.definitions}

    def _reached(self, name: str) -> bool:
        return self.names is None or name in self.names

    def place(self, nodes: tuple[Node, ...]) -> Json:
        """What stands at one place of a value: the nodes together, and for a sender no key beyond them."""
        hidden = self._hidden(nodes)
        parts = [part for node in nodes if (part := self.rewrite(node, (), hidden)) is not True]
        if False in parts:
            return False
        schema: dict[str, Any] = {"allOf": parts} if len(parts) > 1 else dict(*parts)
        if self.role is Role.SENDER and not self.exact:
            named, kinds = self._said(nodes)
            if kinds:
                schema.setdefault("type", kinds)
            if named and not all(self._free(node) for node in nodes):
                return self._closed(schema)
        return schema or True

    def _closed(self, schema: dict[str, Any]) -> Json:
        """The same without any key that it does not evaluate; a definition where the validator would copy much for that."""
        made = closed(schema, self._outlined)
        if made is schema or "allOf" not in made:
            return made
        referred = schema["$ref"].removeprefix(_DEFINITIONS) if schema.keys() == {"$ref"} else ""
        name = f"closed-{referred or f'here-{len(self.definitions)}'}"
        self.definitions.setdefault(name, made)
        return {"$ref": _DEFINITIONS + name}

    def _outlined(self, reference: str) -> str:
        """The reference to the outline of what a reference leads to, which is made once all definitions are."""
        number = reference.removeprefix(_DEFINITIONS)
        name = f"outline-{number}"
        self._outlines[name] = number
        return _DEFINITIONS + name

    def rewrite(self, node: Node, trail: tuple[Node, ...], hidden: frozenset[str]) -> Json:
        """One node as a schema of its own."""
        value = node.value
        if isinstance(value, bool):
            return value
        if not isinstance(value, dict):
            return True
        if node in trail:
            self._cuts.add(node)
            return True
        trail = (*trail, node)
        dialect = DIALECTS[node.document.dialect]
        parts: list[Json] = []
        for target in targets_of(node):
            if is_guessed(target):
                raise Unjudgeable("a dynamic reference leads where the documents do not decide")
            parts.append(self._reference(target, trail, hidden))
            if not dialect.schema_siblings:
                return parts[0]
        schema = self._keywords(node, trail, hidden)
        if parts:
            # In one schema with what stands beside the reference: `unevaluatedProperties` counts what it evaluated.
            schema["allOf"] = [*parts, *schema.get("allOf", ())]
        return _or_null(node, schema) or True

    def _child(self, node: Node, *steps: str | int) -> Json:
        """What stands at a place below, by steps that exist."""
        value = node.value
        for step in steps:
            value = value[step]
        if not isinstance(value, dict):
            return self.place((node.child(*steps),))
        dialect = node.document.dialect
        key = plainly(value, dialect) or (id(value), dialect, self.exact or self.role is not Role.SENDER)
        known = self.memo.leaves.get(key)
        if known is not None:
            return known[1]
        if not _COMPOUND.isdisjoint(value):
            child = node.child(*steps)
            return self.place((child,)) if self.elsewhere is None else self.elsewhere(child, self.exact)
        schema = self._leaf(node.child(*steps))
        self.memo.leaves[key] = value, schema
        return schema

    def _leaf(self, node: Node) -> Json:
        """As ``place``, for a schema without any other below or beside it: only its own limits are left of that."""
        schema = _or_null(node, assertions(node))
        if self.role is Role.SENDER and not self.exact and "type" not in node.value:
            kinds = said_of((node,))[1]
            if kinds:
                schema.setdefault("type", kinds)
        return schema or True

    def _said(self, nodes: tuple[Node, ...]) -> tuple[bool, list[str]]:
        if len(nodes) != 1:
            return said_of(nodes)
        found = self.memo.said.get(nodes[0].key)
        if found is None:
            found = self.memo.said[nodes[0].key] = said_of(nodes)
        return found

    def _free(self, node: Node) -> bool:
        found = self.memo.free.get(node.key)
        if found is None:
            found = self.memo.free[node.key] = is_free_form(node, ())
        return found

    def _reference(self, target: Node, trail: tuple[Node, ...], hidden: frozenset[str]) -> Json:
        if target in trail:
            self._cuts.add(target)
            return True
        key = (target.key, hidden, self.exact)
        number = self._numbers.get(key)
        if number is None and (len(trail) == 1 or key in self._busy):
            # Nothing above it, or asked for at a place inside itself: it means the same wherever it is referred to.
            number = self._numbers[key] = str(len(self._numbers))
            self._promised.append((number, target, hidden, self.exact))
        if number is None:
            outer, self._cuts = self._cuts, set()
            self._busy.add(key)
            schema = self.rewrite(target, trail, hidden)
            self._busy.discard(key)
            open_cuts = self._cuts - {target}
            self._cuts = outer | open_cuts
            if open_cuts:  # it means this only here, within the circle
                return schema
            number = self._numbers.setdefault(key, str(len(self._numbers)))
            self.definitions[number] = schema
        return {"$ref": f"{_DEFINITIONS}{number}"}

    def _keywords(self, node: Node, trail: tuple[Node, ...], hidden: frozenset[str]) -> dict[str, Any]:
        value = node.value
        key = (id(value), node.document.dialect)
        known = self.memo.assertions.get(key)
        if known is None:
            known = self.memo.assertions[key] = value, assertions(node)
        schema = dict(known[1])
        if not _OF_OBJECTS.isdisjoint(value):
            schema.update(self._object(node, trail, hidden))
        if not _OF_ARRAYS.isdisjoint(value):
            schema.update(self._array(node))
        if not _COMPOSING.isdisjoint(value):
            conjuncts = [*schema.pop("allOf", ()), *self._composed(node, trail, hidden)]
            conjuncts = [part for part in conjuncts if part is not True]
            if conjuncts:
                schema["allOf"] = conjuncts
        return schema

    def _composed(self, node: Node, trail: tuple[Node, ...], hidden: frozenset[str]) -> list[Json]:
        """What a node says of the same value by other schemas, one of which each must hold."""
        value = node.value
        conjuncts: list[Json] = []
        conjuncts.extend(self.rewrite(part, trail, hidden) for part in parts_of(node, "allOf"))
        for keyword in ("anyOf", "oneOf"):
            options = [self.rewrite(part, trail, hidden | self._hidden((part,))) for part in parts_of(node, keyword)]
            if options:
                conjuncts.append({"anyOf": options})
        if self.tags:
            conjuncts.extend(self._selection(node, trail, hidden))
        if is_schema(value.get("not")):
            conjuncts.append({"not": self._exactly(node.child("not"), trail, hidden)})
        if is_schema(value.get("if")):
            condition: dict[str, Any] = {"if": self._exactly(node.child("if"), trail, hidden)}
            for keyword in ("then", "else"):
                if is_schema(value.get(keyword)):
                    condition[keyword] = self._exactly(node.child(keyword), trail, hidden)
            conjuncts.append(condition)
        extensible = value.get("x-extensible-enum")
        if isinstance(extensible, list) and "enum" not in value and self.direction is Direction.REQUEST:
            conjuncts.append({"enum": extensible})
        return conjuncts

    def _exactly(self, node: Node, trail: tuple[Node, ...], hidden: frozenset[str]) -> Json:
        before, self.exact = self.exact, True
        schema = self.rewrite(node, trail, hidden)
        self.exact = before
        return schema

    # -- objects and arrays ------------------------------------------------------------------------------------------

    def _object(self, node: Node, trail: tuple[Node, ...], hidden: frozenset[str]) -> dict[str, Any]:
        """What a node says of the keys of objects, and of what stands at them."""
        value = node.value
        schema: dict[str, Any] = {}
        required = [name for name in texts(value.get("required")) if name not in hidden]
        if required:
            schema["required"] = list(dict.fromkeys(required))
        sends = self.role is Role.SENDER and not self.exact
        properties: dict[str, Json] = {}
        for name in mapping(value.get("properties")):
            if name in hidden:
                if not sends:
                    properties[name] = True
            elif self._reached(name):
                properties[name] = self._child(node, "properties", name)
        others = (value.get("additionalProperties"), value.get("unevaluatedProperties"))
        if sends and all(other in (None, True, {}) for other in others):  # to require is to declare
            asked = [
                *required,
                *(name for others in mapping(value.get("dependentRequired")).values() for name in others),
            ]
            for name in filter(self._reached, asked):
                properties.setdefault(name, True)
        if properties:
            schema["properties"] = properties
        if not _OF_OTHER_KEYS.isdisjoint(value):
            schema.update(self._other_keys(node, trail, hidden))
        return schema

    def _other_keys(self, node: Node, trail: tuple[Node, ...], hidden: frozenset[str]) -> dict[str, Any]:
        """What a node says of keys that it has no property for, and of keys that depend on others."""
        value = node.value
        schema: dict[str, Any] = {}
        sends = self.role is Role.SENDER and not self.exact
        patterns = {
            readable(pattern): self._child(node, "patternProperties", pattern)
            for pattern in mapping(value.get("patternProperties"))
        }
        if patterns:
            schema["patternProperties"] = patterns
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            other = value.get(keyword)
            if other is False:
                if self.exact or self.role is Role.SENDER or self.direction is Direction.REQUEST:
                    schema[keyword] = False
            elif other is True or other == {}:
                if not sends:
                    schema[keyword] = True
            elif isinstance(other, dict):
                schema[keyword] = self._child(node, keyword)
        if is_schema(value.get("propertyNames")):
            schema["propertyNames"] = self._child(node, "propertyNames")
        dependent: dict[str, list[str]] = {}
        further: dict[str, Json] = {}
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            for name, other in mapping(value.get(keyword)).items():
                if isinstance(other, list):
                    dependent.setdefault(name, []).extend(each for each in texts(other) if each not in hidden)
                elif is_schema(other) and self._reached(name):
                    further[name] = self.rewrite(node.child(keyword, name), trail, hidden)
        if dependent:
            schema["dependentRequired"] = {name: list(dict.fromkeys(others)) for name, others in dependent.items()}
        if further:
            schema["dependentSchemas"] = further
        return schema

    def _array(self, node: Node) -> dict[str, Any]:
        value = node.value
        schema: dict[str, Any] = {}
        if is_schema(value.get("contains")):
            schema["contains"] = self._child(node, "contains")
            for keyword in ("minContains", "maxContains"):
                if is_count(value.get(keyword)):
                    schema[keyword] = value[keyword]
        if not self.items:
            return schema
        tuple_keyword = "prefixItems" if isinstance(value.get("prefixItems"), list) else "items"
        rest_keyword = "items"
        if isinstance(value.get(tuple_keyword), list):
            if value[tuple_keyword]:
                schema["prefixItems"] = [self._child(part) for part in parts_of(node, tuple_keyword)]
            if tuple_keyword == "items":  # how drafts before 2020-12 wrote a tuple
                rest_keyword = "additionalItems"
        if is_schema(value.get(rest_keyword)):
            schema["items"] = self._child(node, rest_keyword)
        if is_schema(value.get("unevaluatedItems")):
            schema["unevaluatedItems"] = self._child(node, "unevaluatedItems")
        return schema

    # -- what is not part of the message -----------------------------------------------------------------------------

    def _hidden(self, nodes: tuple[Node, ...]) -> frozenset[str]:
        """The properties that a message of this direction does not carry, said anywhere in a conjunction."""
        flag = "readOnly" if self.direction is Direction.REQUEST else "writeOnly"
        saying = ELSEWHERE | {flag}
        together = list(conjuncts(nodes))
        required = [name for node in together for name in texts(node.value.get("required"))]
        reached = None if self.names is None else self.names.union(required)
        return frozenset(
            name
            for node in together
            for name, declared in mapping(node.value.get("properties")).items()
            if (reached is None or name in reached)
            and isinstance(declared, dict)
            and not saying.isdisjoint(declared)
            and self._flagged(node, name, flag)
        )

    def _flagged(self, node: Node, name: str, flag: str) -> bool:
        """Whether a property, or anything that holds together with it, has a flag."""
        child = node.child("properties", name)
        found = self.memo.flags.get((child.key, flag))
        if found is None:
            found = any(each.value.get(flag) is True for each in conjuncts((child,)))
            self.memo.flags[child.key, flag] = found
        return found

    # -- discriminators ----------------------------------------------------------------------------------------------

    def _selection(self, node: Node, trail: tuple[Node, ...], hidden: frozenset[str]) -> Iterator[Json]:
        """The selecting value is a known one, and the variant that it selects fits."""
        discriminator = node.value.get("discriminator")
        if isinstance(discriminator, str):  # OpenAPI 2.0 names the property alone
            discriminator = {"propertyName": discriminator}
        name = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
        if not isinstance(name, str):
            return
        documents = node.document.documents
        variants: dict[str, Node | None] = {}
        mapped: set[Node] = set()
        for wire, reference in mapping(discriminator.get("mapping")).items():
            variants[str(wire)] = None  # it may name what the documents do not describe
            with suppress(ReadError):
                variants[str(wire)] = target = documents.mapping_target(str(reference), node)
                mapped.add(documents.file_of(target))
        for keyword in ("oneOf", "anyOf"):
            for part in parts_of(node, keyword):
                if isinstance(part.value, dict) and isinstance(part.value.get("$ref"), str):
                    target = documents.resolve(part.value["$ref"], part)
                    if documents.file_of(target) not in mapped:
                        variants.setdefault(target.name, target)
        family = node.document.families.get(node.pointer)
        subtypes = family.members if family is not None else {}
        if variants:
            known = sorted(variants.keys() | subtypes)
            yield {"if": {"type": "object"}, "then": {"properties": {name: {"enum": known}}, "required": [name]}}
        for wire, selected in {**subtypes, **variants}.items():
            if selected is not None:
                yield {
                    "if": {"properties": {name: {"const": wire}}, "required": [name]},
                    # A subtype extends this very schema: said in place, where the circle is cut.
                    "then": (self.rewrite if wire in subtypes else self._reference)(
                        selected, trail, hidden | self._hidden((selected,))
                    ),
                }


def _or_null(node: Node, schema: dict[str, Any]) -> dict[str, Any]:
    """What a node says, or null where its dialect has a keyword for that and the node has it."""
    nullable = DIALECTS[node.document.dialect].nullable
    if schema and nullable and node.value.get(nullable) is True:
        return {"anyOf": [{"type": "null"}, schema]}
    return schema
