"""What a strategy works with: changes with one cause, the places they are at on both sides, and the words for them."""

from __future__ import annotations

import json
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from guardian import fieldpath
from guardian.fixes.bench import Bench, Situation, document_named
from guardian.fixes.draft import Draft
from guardian.fixes.edits import Edits
from guardian.fixes.json_patch import equal, get, has, pointer
from guardian.fixes.slots import keyword_of, last, parent, part_slot, property_name, schema_around, schema_slot
from guardian.fixes.transplant import Transplant
from guardian.graph.consumers.routes import Routes
from guardian.lazy import cached_property
from guardian.model import Change, Direction, Location, Strategy
from guardian.rules.registry import Rule, find_rule
from guardian.spec.api import Api, Node, Operation
from guardian.spec.dialects import DIALECTS, Dialect
from guardian.spec.document import Document

Places = tuple[Node, Node]

#: Extensions that mark what a fix keeps or adds, and what will become of it.
SUNSET, SUCCESSOR, ALIAS_OF = "x-sunset", "x-successor", "x-alias-of"
REQUIRED_FROM, OPTIONAL_FROM, VERSIONS = "x-required-from", "x-optional-from", "x-versions"
DEPRECATED_VALUES, X_DEPRECATED = "x-deprecated-values", "x-deprecated"


@dataclass(frozen=True, slots=True)
class Group:
    """Changes of one service that have one cause, so that one edit mends them all."""

    changes: tuple[Change, ...]

    @property
    def first(self) -> Change:
        return self.changes[0]


def grouped(situation: Situation, changes: Sequence[Change], wanted: Iterable[Change]) -> list[Group]:
    """The wanted changes by cause: one rule, at one place of base (or of head, where base has none).

    Whatever else has the same cause is mended with it, also where it breaks nobody by itself.
    """
    removed = [each for each in changes if each.rule in {"operation-removed", "webhook-removed"}]
    gone = {(each.service, each.operation): each for each in removed}
    causes = {}
    for change in changes:
        # A callback goes, and comes back, with the operation that it is a callback of.
        parent = gone.get((change.service, change.operation.rpartition(" of ")[2]), change)
        causes[id(change)] = _cause(situation, parent if change.rule == "callback-removed" else change)
    found: dict[tuple[str, ...], list[Change]] = {causes[id(change)]: [] for change in wanted}
    for change in changes:
        if causes[id(change)] in found:
            found[causes[id(change)]].append(change)
    # What a group is called by comes first: the operation, and not a callback that went with it.
    return [Group(tuple(sorted(each, key=lambda change: change.rule == "callback-removed"))) for each in found.values()]


def _cause(situation: Situation, change: Change) -> tuple[str, ...]:
    api = (situation.base if change.base is not None else situation.head).get(change.service)
    node = _node(api, change.base or change.head) if api is not None else None
    schema = _schema(node)
    if schema is not None and schema_slot(schema.pointer) == schema.pointer:
        # Several values of one list, several variants of one choice and several keys of one object are mended together.
        whole = schema if change.rule == "property-removed" else schema.document.documents.follow(schema)
        return (change.service, change.rule, *whole.key)
    place = node.key if node is not None else ("", "")
    return (change.service, change.rule, *place, change.operation, change.place, change.field)


class Work:
    """One group on the bench.

    Args:
        bench: what fixes are tried on.
        group: the changes.
        freeze: what is carried brings along all that it refers to and that means something else in head.
        variants: what was changed alike in several variants of a choice, of which a finding names one, is taken from all.
    """

    def __init__(self, bench: Bench, group: Group, *, freeze: bool = False, variants: bool = False) -> None:
        self.bench = bench
        self.group = group
        self.freeze = freeze
        self.variants = variants
        self.situation = bench.situation
        self.service = group.first.service
        self._transplants: list[Transplant] = []

    # --- the two sides ------------------------------------------------------------------------------------------------

    @property
    def base(self) -> Api:
        return self.situation.base[self.service]

    @property
    def head(self) -> Api:
        return self.situation.head[self.service]

    @property
    def dialect(self) -> Dialect:
        """Head's version of OpenAPI."""
        return DIALECTS[self.head.dialect]

    @property
    def routes(self) -> Routes:
        """Finds the operations of both sides."""
        return self.bench.routes

    @cached_property
    def rule(self) -> Rule:
        return find_rule(self.group.first.rule)

    def transplant(self, *, freeze: bool = False) -> Transplant:
        """Carries parts of base into head."""
        self._transplants.append(Transplant(self.base, self.head, freeze=freeze or self.freeze))
        return self._transplants[-1]

    @property
    def takes_heads_form(self) -> bool:
        """Whether anything carried so far refers to what means something else in head."""
        return any(each.takes_heads_form for each in self._transplants)

    def base_node(self, location: Location | None) -> Node | None:
        """What base has at a location."""
        return _node(self.base, location)

    def head_node(self, location: Location | None) -> Node | None:
        """What head has at a location."""
        return _node(self.head, location)

    def places(self) -> list[tuple[Change, Node | None, Node | None]]:
        """Each different pair of places in the group, with the first change that is at it."""
        seen: dict[tuple[Location | None, Location | None], Change] = {}
        for change in self.group.changes:
            seen.setdefault((change.base, change.head), change)
        places = [(change, self.base_node(change.base), self.head_node(change.head)) for change in seen.values()]
        if self.variants:
            places += [(change, *pair) for change in seen.values() for pair in self._in_variants(change, seen)]
        return places

    def _counterpart(self, location: Location) -> Location:
        """The same place in head's documents."""
        node = self.base_node(location)
        return location._replace(file=Transplant(self.base, self.head).home(node.document).file) if node else location

    @property
    def has_variants(self) -> bool:
        """Whether any of the changes may have been made alike in other variants."""
        return any(True for change in self.group.changes for _ in self._in_variants(change, ()))

    def _in_variants(
        self, change: Change, known: Container[tuple[Location | None, Location | None]]
    ) -> Iterator[Places]:
        """The places in other variants that are to them what the places of a change are to its variant."""
        if not change.field or change.base is None or change.head is None:
            return
        sides = self.bench.aliases.around(change)
        one, other = _holder(change.base, sides[0]), _holder(change.head, sides[1])
        if one is None or other is None:
            return
        inside = change.base.pointer[len(one.pointer) :], change.head.pointer[len(other.pointer) :]
        for each in sorted(sides[0] - {one}):
            there = self._counterpart(each)
            if there not in sides[1] or there == other:
                continue
            pair = each._replace(pointer=each.pointer + inside[0]), there._replace(pointer=there.pointer + inside[1])
            base, head = self.base_node(pair[0]), self.head_node(pair[1])
            if pair in known or base is None or head is None:
                continue
            at = schema_slot(base.pointer)
            if not equal(get(base.document.root, at), get(head.document.root, at)):
                yield base, head

    def schema_places(self) -> list[Places]:
        """The schemas that the group is about: base's and head's, each pair once."""
        found: dict[tuple[object, object], Places] = {}
        for _, base, head in self.places():
            one, other = (self._told_of(_schema(each)) for each in (base, head))
            if one is not None and other is not None:
                one, other = _property_like(one, other), _property_like(other, one)
                found.setdefault((one.key, other.key), (one, other))
        return list(found.values())

    def _told_of(self, schema: Node | None) -> Node | None:
        """The schema itself, or the one that it is a keyword of, where such keywords are what the rule looks at."""
        keyword = keyword_of(schema.pointer) if schema is not None else ""
        if schema is None or keyword not in self.rule.claims:
            return schema
        return _schema(schema.document.node(parent(schema.pointer, 1 if last(schema.pointer) == keyword else 2)))

    def schemas_at_same_pointer(self) -> list[Places]:
        """Base's schemas, and what head has at the very same pointer, behind references on either side.

        A finding of a new variant of a choice points at the variant in head, not at the choice.
        """
        found: dict[object, Places] = {}
        for _, base, head in self.places():
            one, other = _schema(base), _schema(head)
            if one is None:
                continue
            one = _property_like(one, other) if other is not None else one
            home = self.transplant().home(one.document)
            if isinstance(get(home.root, one.pointer), dict):
                follow = one.document.documents.follow, home.documents.follow
                found.setdefault(one.key, (follow[0](one), follow[1](home.node(one.pointer))))
        return list(found.values())

    def operations(self) -> Iterator[tuple[str, Operation | None, Operation | None]]:
        """The operations that the group's changes are in: name, base's and head's; each once."""
        for name in dict.fromkeys(change.operation for change in self.group.changes if change.operation):
            yield name, self.routes.base(self.service, name), self.routes.head(self.service, name)

    # --- words --------------------------------------------------------------------------------------------------------

    @property
    def sunset(self) -> str:
        """The last day of a window that opens now (ISO 8601)."""
        return self.situation.sunset.isoformat()

    @property
    def directions(self) -> frozenset[Direction]:
        return frozenset(change.direction for change in self.group.changes)

    @property
    def subject(self) -> str:
        """What the group is about, in a few words: the field, else the place, with the operation where it says more."""
        first = self.group.first
        names = list(dict.fromkeys(change.field for change in self.group.changes if change.field))
        if names:
            shortest = min(names, key=lambda name: (len(name), name))
            return f"`{shortest}`"
        return f"{first.operation} {first.place}".strip() if first.place != "operation" else first.operation

    @property
    def deprecated(self) -> dict[str, Any]:
        """What says that something is not for newcomers."""
        return {"deprecated" if self.dialect.request_body else X_DEPRECATED: True}

    def marks(self) -> dict[str, Any]:
        """What says that something is on its way out: that it is deprecated, and its sunset."""
        return {**self.deprecated, SUNSET: self.sunset}

    def successor(self, form: Any) -> dict[str, Any]:
        """What says that something stays and will have another form: that form, and from when."""
        return {"from": self.sunset, "form": form}


def described(value: dict[str, Any], sentence: str) -> str:
    """A description with a sentence behind what it says already: a paragraph of its own where there are several lines."""
    before = str(value.get("description") or "")
    if "\n" not in before:
        return f"{before} {sentence}".strip()
    return f"{before.rstrip()}\n\n{sentence}" + ("\n" if before.endswith("\n") else "")


def marked(value: Any, marks: dict[str, Any], sentence: str = "", *, siblings: bool = True) -> Any:
    """An object with marks and a sentence in its description.

    Args:
        value: an object, perhaps a reference.
        marks: the members to set.
        sentence: put behind the description; nothing if empty.
        siblings: whether members beside a ``$ref`` count; where not, the reference is wrapped.
    """
    if not isinstance(value, dict):
        return value
    if "$ref" in value and not siblings:
        value = {"allOf": [value]}
    changed = {**value, **marks}
    if sentence:
        changed["description"] = described(value, sentence)
    return changed


def _node(api: Api, location: Location | None) -> Node | None:
    if location is None:
        return None
    document = document_named(api.document.documents, location.file)
    if document is None or not has(document.root, location.pointer):
        return None
    return document.node(location.pointer)


def _holder(place: Location, nodes: Iterable[Location]) -> Location | None:
    """The innermost of some nodes that a place is in."""
    found = [each for each in nodes if each.file == place.file and place.pointer.startswith(f"{each.pointer}/")]
    return max(found, key=lambda each: len(each.pointer), default=None)


def _schema(node: Node | None) -> Node | None:
    """The schema that a node is or is in; a parameter's own."""
    if node is None:
        return None
    root = node.document.root
    at = schema_around(root, node.pointer)
    part = part_slot(node.pointer, "parameters") or part_slot(node.pointer, "headers")
    if part is not None and len(part) > len(at):
        at = part
    value = get(root, at)
    if isinstance(value, dict) and isinstance(value.get("schema"), dict) and ("in" in value or part == at):
        at = f"{at}/schema"
        value = value["schema"]
    return node.document.node(at) if isinstance(value, dict) else None


def _property_like(one: Node, other: Node) -> Node:
    """A property's schema where the other side has the property's: one that says nothing has no place in a finding."""
    name = property_name(other.pointer)
    if name is None or property_name(one.pointer) == name:
        return one
    said = get(one.value, pointer("properties", name))
    if said not in ({}, True, False):
        return one
    # What is true says nothing, and nothing is what is false.
    return Node(one.document, one.pointer + pointer("properties", name), {"not": {}} if said is False else {})


def names_of(changes: Sequence[Change]) -> str:
    """The consumers that changes break, for a sentence."""
    found = sorted({each.consumer for change in changes for each in change.consumers})
    return ", ".join(found[:-1]) + f" and {found[-1]}" if len(found) > 1 else "".join(found)


def draft(
    work: Work,
    strategy: Strategy,
    edits: Edits,
    does: str,
    later: str = "",
    until: str | None = None,
    sure: float | None = None,
) -> Draft:
    """The draft that edits make; see `Draft`."""
    return Draft(
        strategy=strategy,
        service=work.service,
        specs=edits.specs,
        place_after=edits.place_after,
        does=does,
        later=later,
        until=until,
        sure=sure,
    )


def last_name(field: str) -> str:
    """The last name in a field path: ``city`` of ``address.city``."""
    steps = [step for step in fieldpath.parse(field).steps if isinstance(step, str)]
    return steps[-1] if steps else ""


def value_name(value: Any) -> str:
    """A value as a key: text as it is, all else as JSON writes it (``true``)."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def listed(names: list[str]) -> str:
    """Names for a sentence."""
    quoted = [f"`{name}`" for name in dict.fromkeys(names)]
    return ", ".join(quoted[:-1]) + f" and {quoted[-1]}" if len(quoted) > 1 else "".join(quoted)


def new_name(name: str, document: Document, taken: Collection[str]) -> str:
    """A name for the next form of something, in the case style of it or of its document: ``price_v2``, ``priceV2``."""
    style = "{}-v{}" if "-" in name else "{}_v{}" if "_" in name else "{}V{}"
    if name.islower() and name.isalnum() and _writes_snake_case(document):
        style = "{}_v{}"
    number = 2
    while style.format(name, number) in taken:
        number += 1
    return style.format(name, number)


_SNAKE_CASE: WeakKeyDictionary[Document, bool] = WeakKeyDictionary()


def _writes_snake_case(document: Document) -> bool:
    """Whether properties of several words are mostly written with underscores."""
    found = _SNAKE_CASE.get(document)
    if found is None:
        found = _SNAKE_CASE[document] = _prefers_underscores(document.root)
    return found


def _prefers_underscores(root: Any) -> bool:
    snake = camel = 0
    pending = [root]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            names = value.get("properties")
            for name in names if isinstance(names, dict) else ():
                snake += "_" in name
                camel += name[:1].islower() and not name.islower()
            value = value.values()
        pending += [each for each in value if isinstance(each, (dict, list))]
    return snake > camel
