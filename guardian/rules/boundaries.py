"""Values at the limits of two schemas: one of them is likely to tell the sides apart.

``Boundaries.values`` goes through the facets of both shapes (limits at and just beyond, listed values, each type, each
property there and not there, counts of items and keys, what negations and conditions speak of) and yields values that
the sending side should accept, each with the keyword that it puts to the test. The judge decides which of them do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from guardian.rules import formats, patterns
from guardian.rules.sample import FEW, MAX_ITEMS, Sampler, is_map, names_like, property_of
from guardian.rules.sample_numbers import exact, limits_of, plain, range_of, step_of
from guardian.rules.sample_texts import lengths_of, text_of_length, texts
from guardian.rules.validator import NUMBER_RANGES
from guardian.spec.api import Node, Schema
from guardian.spec.ecma import Undecidable
from guardian.spec.shape import Atom, Bound, meant

Tried = tuple[str, Any]  # the keyword put to the test, and the value

# How deep values below are varied, and how many of them at each place.
DEPTH = 3
FEW_BELOW = 12
# Items that are tried where a list is one text.
MAX_ALONE = 40


class Boundaries:
    """Makes values that ``sender`` may send and ``receiver`` may refuse.

    Args:
        sender, receiver: samplers of the two sides.
    """

    def __init__(self, sender: Sampler, receiver: Sampler) -> None:
        self._sender = sender
        self._receiver = receiver

    def values(self, sent: Schema, received: Schema, depth: int = DEPTH) -> Iterator[Tried]:
        """Values of ``sent``, each with the keyword that ``received`` may refuse it for."""
        others = self._receiver.atoms(received)
        atoms = self._sender.atoms(sent)
        kinds = {atom.kind for atom in others}
        for atom in sorted(atoms, key=lambda each: each.kind in kinds):
            keyword = "nullable" if atom.kind == "null" else "type" if atom.kind not in kinds else "oneOf"
            for value in islice(self._sender.of(atom, sent), FEW_BELOW):
                yield keyword, value
        yield from self._told_apart(sent, received)
        for atom in atoms:
            yield from self._listed(atom)
            for other in [each for each in others if each.kind == atom.kind] or [Atom(atom.kind, ())]:
                if atom.kind == "number":
                    yield from _numbers(atom, other)
                elif atom.kind == "string":
                    yield from _texts(atom, other)
                elif atom.kind == "array":
                    yield from self._arrays(atom, other, depth)
                elif atom.kind == "object":
                    yield from self._objects(sent, received, atom, other, depth)
                yield from self._excluded(sent, atom, other)
            if atom.kind == "array" and "array" not in kinds:
                yield from self._as_text(atom, received, [each for each in others if each.kind == "string"], depth)

    def _listed(self, atom: Atom) -> Iterator[Tried]:
        for text in (*(atom.enum or ()), *atom.excluded):
            yield "enum", json.loads(text)

    def _excluded(self, sent: Schema, atom: Atom, other: Atom) -> Iterator[Tried]:
        """What the receiver's ``not`` and ``if`` speak of, laid over what the sender sends."""
        for text in other.excluded:
            yield "not", json.loads(text)
        spoken = [("not", node) for node in other.nots]
        spoken += [("if", node.child("if")) for node in other.conditions]
        mapped = bool(atom.additional and atom.additional.nodes)
        meant = other.properties.keys() if is_map(atom) and not mapped else ()  # keys that a free-form object never has
        for keyword, node in spoken:
            for value in self._meant(node, atom.kind):
                if isinstance(value, dict) and not value.keys().isdisjoint(meant):
                    continue
                yield keyword, value
                if isinstance(value, dict):
                    for made in islice(self._sender.objects(atom, {**self._sender.selection(sent, atom), **value}), 3):
                        yield keyword, made

    def _meant(self, node: Node, kind: str) -> Iterator[Any]:
        below = Schema((node,))
        for atom in self._receiver.atoms(below):
            if atom.kind == kind:
                yield from islice(self._receiver.of(atom, below), FEW_BELOW)

    # -- arrays ------------------------------------------------------------------------------------------------------

    def _arrays(self, atom: Atom, other: Atom, depth: int) -> Iterator[Tried]:
        for keyword, counts in (("minItems", _counts(atom.min_items, other.min_items)),
                                ("maxItems", _counts(atom.max_items, other.max_items))):  # fmt: skip
            for length in counts:
                made = self._sender.array(atom, length)
                if made is not None:
                    yield keyword, made
        least = int(atom.min_items.value) if atom.min_items else 0
        if least > MAX_ITEMS:
            return
        most = int(atom.max_items.value) if atom.max_items else MAX_ITEMS
        items = self._sender.values(atom.items)
        fixed = len(atom.prefix)
        for item in items:
            made = self._sender.array(
                atom, max(fixed + 2, least), dict.fromkeys(range(fixed, max(fixed + 2, least)), item)
            )
            if made is not None:
                yield "uniqueItems", made
        yield from self._contained(atom, other, least, most)
        for index in range(min(max(len(atom.prefix), len(other.prefix)) + 1, most)):
            sent = atom.prefix[index] if index < len(atom.prefix) else atom.items
            received = other.prefix[index] if index < len(other.prefix) else other.items
            keyword = "prefixItems" if index < max(len(atom.prefix), len(other.prefix)) else "items"
            for value in self._below(sent, received, depth):
                made = self._sender.array(atom, max(least, index + 1), {index: value})
                if made is not None:
                    yield keyword, made

    def _as_text(self, atom: Atom, received: Schema, others: list[Atom], depth: int) -> Iterator[Tried]:
        """Lists for a receiver of the one text that they are in a URL: of one item, which is written alone, and long ones."""
        if not others or depth <= 0:
            return
        least = max(int(atom.min_items.value) if atom.min_items else 0, len(atom.prefix) + 1)
        most = int(atom.max_items.value) if atom.max_items else MAX_ITEMS
        alone = [value for _, value in islice(self.values(atom.items, received, depth - 1), MAX_ALONE)]
        yield from (("items", [item]) for item in alone if least == 1)
        lengths = [int(each.max_length.value) for each in others if each.max_length]
        for item in sorted(alone, key=lambda each: len(str(each)), reverse=True) if lengths else ():
            number = min((max(lengths) + 1) // (len(str(item)) + 1) + 1, most)
            filled = {} if atom.unique else dict.fromkeys(range(len(atom.prefix), number), item)
            made = self._sender.array(atom, number, filled) if number >= least else None
            if made is not None:
                yield "maxItems", made

    def _contained(self, atom: Atom, other: Atom, least: int, most: int) -> Iterator[Tried]:
        """Arrays with this many of what ``contains`` asks for, and with none of it."""
        fillers = self._sender.values(atom.items)
        for each in (*other.contains, *atom.contains):
            sampler = self._receiver if each in other.contains else self._sender
            wanted = sampler.values(each.schema)
            edges = {each.minimum - 1, each.minimum, each.minimum + 1}
            edges |= {each.maximum, each.maximum + 1} if each.maximum is not None else set()
            for number in sorted(edge for edge in edges if 0 <= edge <= MAX_ITEMS):
                for item in wanted[:3]:
                    for filler in (*fillers, None)[:3]:
                        made = [item] * number + [filler] * max(0, least - number)
                        if len(made) <= most:
                            yield "contains", made
                    yield "contains", [item] * number + list(fillers)
        if other.contains:
            for filler in fillers:
                yield "contains", [filler] * max(1, least)

    # -- objects -----------------------------------------------------------------------------------------------------

    def _objects(self, sent: Schema, received: Schema, atom: Atom, other: Atom, depth: int) -> Iterator[Tried]:
        known = {tag for each in self._receiver.atoms(received) for tag in each.tags}
        for selected in self._sender.selections(sent, atom):
            if any(tag in known and tag not in other.tags for tag in selected.values()):
                continue  # by this value the receiver takes it for another alternative
            smallest = self._sender.object(atom, selected)
            if smallest is not None:
                yield "required", smallest
                for completed in self._sender.completed(atom, smallest):
                    yield "if", completed
                yield from self._in_branches(atom, smallest)
                yield from self._varied(atom, other, selected, depth)

    def _varied(self, atom: Atom, other: Atom, selected: dict[str, Any], depth: int) -> Iterator[Tried]:
        """Objects by which keys are there, and what they hold."""
        yield from self._keys(atom, other, selected)
        if depth > 0:
            for name, schema in atom.properties.items():
                theirs = property_of(other, name)
                known = name in other.properties or bool(theirs.nodes)
                values = self._below(schema, theirs, depth) if known else iter(self._sender.values(schema)[:2])
                for value in values:
                    made = self._sender.object(atom, {**selected, name: value})
                    if made is not None:
                        yield "properties", made
        yield from self._undeclared(atom, other, selected)

    def _in_branches(self, atom: Atom, smallest: dict[str, Any]) -> Iterator[Tried]:
        """An object with what a condition's branches and dependent schemas declare: all of it, and each key alone."""
        ways: list[tuple[tuple[Any, ...], Schema]] = []
        for node in atom.conditions:
            condition = Schema((node.child("if"),))
            spoken = sorted(name for each in self._sender.atoms(condition) for name in each.properties)
            known = [name for name in spoken if name in atom.properties]
            others = ({name: value} for name in known for value in self._sender.values(atom.properties[name]))
            ways.append((({},), condition))
            for name, before in (("then", self._sender.values(condition)), ("else", ({}, *others))):
                if name in node.value:
                    ways.append((before, Schema((node.child(name),))))
        for key, schema in atom.dependent_schemas.items():
            ways.append((tuple({key: value} for value in self._sender.values(property_of(atom, key), 1)), schema))
        for before, schema in ways:
            for start in [each for each in before if isinstance(each, dict)][:FEW]:
                for branch in (each for each in self._sender.atoms(schema) if each.kind == "object"):
                    full = self._sender.fuller(branch, {})
                    for keys in (full, *({name: value} for name, value in full.items())):
                        yield "properties", {**smallest, **keys, **start}

    def _told_apart(self, sent: Schema, received: Schema) -> Iterator[Tried]:
        """The smallest objects by each value that selects an alternative, or what extends the schema, on either side."""
        atoms = [atom for atom in self._sender.atoms(sent) if atom.kind == "object"]
        for sampler, schema in ((self._sender, sent), (self._receiver, received)):
            shape = sampler.shape(schema)
            own = [node.name for node in meant(schema).nodes] if shape.subtypes else []
            for each in filter(None, (shape.discriminator, shape.subtypes)):
                for wire in (*each.mapping, *own):
                    meant_by_it = [atom for atom in atoms if wire in atom.tags] or atoms[:FEW]
                    made = (self._sender.object(atom, {each.property: wire}) for atom in meant_by_it)
                    yield from (("discriminator", value) for value in made if value is not None)

    def _keys(self, atom: Atom, other: Atom, selected: dict[str, Any]) -> Iterator[Tried]:
        """Objects by which of the declared keys are there."""
        full = self._sender.fuller(atom, selected)
        for name, value in full.items():
            made = self._sender.object(atom, {**selected, name: value})
            if made is not None:
                yield (
                    "dependentRequired" if name in {one for one, _ in other.dependent_required} else "properties",
                    made,
                )
        for name in full:
            if name not in atom.required:
                yield "required", {key: value for key, value in full.items() if key != name}
        yield "maxProperties", full
        for keyword, counts in (
            ("minProperties", _counts(atom.min_properties, other.min_properties)),
            ("maxProperties", _counts(atom.max_properties, other.max_properties)),
        ):
            for number in counts:
                if number <= MAX_ITEMS:
                    yield keyword, self._of_size(atom, full, selected, number)

    def _of_size(self, atom: Atom, full: dict[str, Any], selected: dict[str, Any], number: int) -> dict[str, Any]:
        made = dict(self._sender.object(atom, selected) or {})
        extra = self._sender.keys(atom, number)
        spare = [
            *full.items(),
            *((name, value) for name in extra for value in self._sender.values(property_of(atom, name))[:1]),
        ]
        for name, value in spare:
            if len(made) >= number:
                break
            made.setdefault(name, value)
        return made

    def _undeclared(self, atom: Atom, other: Atom, selected: dict[str, Any]) -> Iterator[Tried]:
        """Keys of a map, keys of a certain form, and names at the edge of what names may be."""
        names: list[Tried] = []
        names.extend(("patternProperties", name) for name in _of_lost_forms(atom, other))
        for pattern in (*atom.pattern_properties, *other.pattern_properties):
            names.extend(("patternProperties", name) for name in names_like(pattern, 4))
            names.extend(("propertyNames", name) for name in names_like(pattern, 40))
        if atom.property_names.nodes or other.property_names.nodes:
            tried = islice(self.values(atom.property_names, other.property_names, 0), 40)
            names.extend(("propertyNames", name) for _, name in tried if isinstance(name, str))
        if is_map(atom):  # a free-form object sends none of the keys that the other side gives a meaning to
            shared = other.properties if atom.additional and atom.additional.nodes else ()
            names.extend(("additionalProperties", name) for name in ("key", *shared))
        for keyword, name in names:
            theirs = property_of(other, name)
            for value in self._below(property_of(atom, name), theirs, 0):
                made = self._sender.object(atom, {**selected, name: value})
                if made is not None:
                    yield keyword, made

    def _below(self, sent: Schema, received: Schema, depth: int) -> Iterator[Any]:
        """Values of a place below: some plain ones, then some at its own limits."""
        yield from self._sender.values(sent)[:4]
        if depth > 0 and received.nodes:
            yield from (value for _, value in islice(self.values(sent, received, depth - 1), FEW_BELOW))


def _of_lost_forms(atom: Atom, other: Atom) -> Iterator[str]:
    """Keys of the forms that one side takes, of none that the other one takes."""
    for pattern in atom.pattern_properties:
        name = None if pattern in other.pattern_properties else patterns.shortest([pattern], other.pattern_properties)
        if name is not None:
            yield name


# -- scalars ---------------------------------------------------------------------------------------------------------


def _counts(*bounds: Bound | None) -> list[int]:
    """The whole numbers at and just beyond some limits."""
    edges = {0, 1, 2}
    for bound in bounds:
        if bound is not None:
            edges |= {int(bound.value) - 1, int(bound.value), int(bound.value) + 1}
    return sorted(edge for edge in edges if edge >= 0)


def _numbers(atom: Atom, other: Atom) -> Iterator[Tried]:
    """Numbers around the limits of both sides that keep to those of ``atom``."""
    step, theirs = step_of(atom), step_of(other)
    tried: list[Tried] = []
    for keyword, bounds in (("minimum", (other.minimum, atom.minimum)), ("maximum", (other.maximum, atom.maximum))):
        for bound in bounds:
            if bound is not None:
                edge = exact(bound.value)
                near = (edge // step * step, edge // step * step + step) if step else ()
                apart = exact(0.5), exact(0.001), step or exact(1)
                for point in (edge, *near, *(edge - each for each in apart), *(edge + each for each in apart)):
                    tried.append((keyword, plain(point)))
    for name in (*other.formats, *atom.formats):
        for limit in NUMBER_RANGES.get(name, ()):
            beyond = abs(int(limit)) // 1000 if "int" not in name else 1
            tried.extend(("format", number) for number in (limit, int(limit) + beyond, int(limit) - beyond))
    low, _ = range_of(atom)
    start = (low // step * step if step else low) if low is not None else exact(0)
    for index in range(13):
        for each in (step, theirs, theirs / 2 if theirs else None, exact(0.5)):
            if each is not None:
                tried.append(("multipleOf", plain(start + index * each)))
                tried.append(("type", plain(start + index * each)))
    limits = limits_of(atom)
    yield from (each for each in tried if limits.admits(each[1]))


def _texts(atom: Atom, other: Atom) -> Iterator[Tried]:
    """Texts at the lengths of both sides, and that match only one side's patterns and formats."""
    low, high = lengths_of(atom)
    for keyword, bounds in (("minLength", (atom.min_length, other.min_length)), ("maxLength", (atom.max_length, other.max_length))):  # fmt: skip
        for length in _counts(*bounds):
            if length >= low and (high is None or length <= high):
                text = text_of_length(atom, length)
                if text is not None:
                    yield keyword, text
    if other.patterns:
        try:
            found = patterns.distinguishing(atom.patterns, other.patterns, shortest=low, longest=high)
            if found is not None:
                yield "pattern", found
        except Undecidable:
            pass
        for text in texts(Atom("string", (), formats=atom.formats)):
            yield "pattern", text
    if other.formats or atom.formats:
        for text in texts(atom):
            yield "format", text
        names = [name for name in atom.formats if name in formats.EXAMPLES] or list(formats.EXAMPLES)
        for text in ("a", "1", "", " ", *(text for name in names for text in formats.EXAMPLES[name])):
            yield "format", text
