"""Small values of a schema, made from its shape: what a witness is built of.

Nothing here is believed: every value that is shown has been judged (``guardian.rules.judge``). So a value only has to
be plausible, small and the same on every machine. Objects get their required properties and no others, which is also
what makes recursive schemas end: a schema that needs itself has no finite value.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, product
from typing import Any

from guardian.model import Direction
from guardian.rules import patterns
from guardian.rules.keywords import plainly
from guardian.rules.sample_numbers import limits_of, numbers
from guardian.rules.sample_texts import different_texts, texts
from guardian.rules.streams import in_turn, unequal
from guardian.spec.api import Schema
from guardian.spec.ecma import Undecidable
from guardian.spec.facets import admits, takes
from guardian.spec.objects import undeclared
from guardian.spec.shape import ANYTHING, Atom, Shape, meant
from guardian.spec.shaper import Shaper

# How many plausible values of one schema are looked at.
FEW = 6
# Longer arrays, and larger objects, are not made: nobody reads them.
MAX_ITEMS = 1_100

# Schemas that need each other can be gone through in more ways than anybody has time for: what was made inside of such circles
# is made again so many times in all, then it stays as it is; and different values are sought in so many places below one.
MOST_REMADE = 5_000
MOST_SOUGHT = 500

# How many ways through the conditions of an object are tried.
MOST_BRANCHES = 6

# The kinds in the order in which an example reads well.
_ORDER = ("string", "number", "object", "array", "boolean", "null")


class Sampler:
    """Makes values of one side's schemas for messages of one direction, and remembers them."""

    def __init__(self, shaper: Shaper, direction: Direction) -> None:
        self._shaper = shaper
        self._direction = direction
        self._memo: dict[object, tuple[Any, ...]] = {}
        # By alternative, which is kept so that its id is not given twice: the first value of its properties, if any.
        self._firsts: dict[int, tuple[Atom, dict[str, tuple[Any, ...]]]] = {}
        self._busy: set[object] = set()
        self._remade = 0
        self._sought = 0
        self._cut = False
        #: Whether a circle was ever cut: then what is remembered may hang on what was asked first.
        self.has_cut = False

    def shape(self, schema: Schema) -> Shape:
        return self._shaper.shape(schema, self._direction)

    def atoms(self, schema: Schema) -> list[Atom]:
        """The alternatives, those first that were written and read well."""
        return sorted(self.shape(schema).atoms, key=lambda atom: (atom.silent, _ORDER.index(atom.kind)))

    def values(self, schema: Schema, most: int = FEW) -> tuple[Any, ...]:
        """A few plausible values, the smallest of the first alternative first; none if there seems to be none.

        Args:
            most: how many of them are wanted.

        Raises:
            RefError: a reference in the schema leads nowhere.
        """
        named = meant(schema)
        key: Hashable = named.key
        if len(named.nodes) == 1:
            node = named.nodes[0]
            key = plainly(node.value, node.document.dialect) or key
        found = self._memo.get((key, most))
        if found is not None:
            return found
        if key in self._busy:
            self._cut = self.has_cut = True
            return ()
        self._busy.add(key)
        outer, self._cut = self._cut, False
        streams: list[Iterator[Any]] = [islice(self.of(atom, schema), most) for atom in self.atoms(schema)]
        made = in_turn(streams)
        values = tuple(islice(made if most == 1 else unequal(made), most))
        self._busy.discard(key)
        if not self._cut or not self._busy or self._remade == MOST_REMADE:
            self._memo[key, most] = values
        else:  # it was made while its parent was, and may lack something
            self._remade += 1
        self._cut = outer or (self._cut and bool(self._busy))
        return values

    def of(self, atom: Atom, schema: Schema) -> Iterator[Any]:
        """Plausible values of one alternative of a schema."""
        if atom.excluded:
            yield from (each for each in self.of(replace(atom, excluded={}), schema) if admits(atom, each))
        elif atom.enum is not None:
            yield from (json.loads(text) for text in atom.enum)
        elif atom.kind == "null":
            yield None
        elif atom.kind == "boolean":
            yield from (True, False)
        elif atom.kind == "number":
            yield from numbers(atom)
        elif atom.kind == "string":
            yield from texts(atom)
        elif atom.kind == "array":
            yield from self.arrays(atom)
        else:
            yield from self.objects(atom, self.selection(schema, atom))

    def selection(self, schema: Schema, atom: Atom) -> dict[str, Any]:
        """The property that selects an alternative, as its discriminator wants it."""
        return self.selections(schema, atom)[0]

    def selections(self, schema: Schema, atom: Atom) -> list[dict[str, Any]]:
        """The same with each of the values that select it; with nothing where it takes none of them itself."""
        discriminator = self.shape(schema).discriminator
        if discriminator is None or not atom.tags or discriminator.property not in atom.properties:
            return [{}]
        texts = self.shape(atom.properties[discriminator.property]).of_kind("string")
        tags = [tag for tag in atom.tags if any(takes(text, tag) for text in texts)]
        return [{discriminator.property: tag} for tag in tags] or [{}]

    # -- arrays ------------------------------------------------------------------------------------------------------

    def arrays(self, atom: Atom) -> Iterator[list[Any]]:
        least = int(atom.min_items.value) if atom.min_items else 0
        least = max(least, *(each.minimum for each in atom.contains), 0) if atom.contains else least
        for length in (least, least + 1):
            made = self.array(atom, length)
            if made is not None:
                yield made

    def array(self, atom: Atom, length: int, forced: Mapping[int, Any] | None = None) -> list[Any] | None:
        """An array of this length; ``forced`` says what stands at some places."""
        if length > MAX_ITEMS:
            return None
        forced = forced or {}
        wanted: list[Any] = []
        for each in atom.contains:
            inner = self.values(each.schema)
            wanted.extend(inner[:1] * min(max(each.minimum, 0), MAX_ITEMS))
        items: list[Any] = []
        alike: Any = _NOTHING  # one value for all places that ask for nothing but an item
        for index in range(length):
            if index in forced:
                items.append(forced[index])
                continue
            if wanted and index >= len(atom.prefix):
                items.append(wanted.pop(0))
                continue
            if alike is not _NOTHING:
                items.append(alike)
                continue
            schema = atom.prefix[index] if index < len(atom.prefix) else atom.items
            taken = [*items, *forced.values()] if atom.unique else []
            item = next((value for value in self.many(schema, length + 1) if value not in taken), _NOTHING)
            if item is _NOTHING:
                return None
            items.append(item)
            if index >= len(atom.prefix) and not atom.unique and not self._cut:  # as in `values`
                alike = item
        return items

    def many(self, schema: Schema, wanted: int, above: frozenset[object] = frozenset()) -> Iterator[Any]:
        """Different values of a schema, as many as are wanted and as there seem to be; ``above`` are those it is in."""
        self._sought = self._sought + 1 if above else 0
        known = self.values(schema)
        yield from known
        for atom in self.atoms(schema) if wanted > len(known) else ():
            if atom.enum is not None:
                yield from (json.loads(text) for text in atom.enum)
            elif atom.kind == "number":
                start = known[0] if known and isinstance(known[0], int) else 0
                yield from filter(limits_of(atom).admits, range(start, start + wanted))
            elif atom.kind == "string":
                yield from islice(different_texts(atom), wanted)
            elif atom.kind == "object":
                smallest = self.object(atom, {}) or {}
                inside = above | {meant(schema).key}
                for name, below in atom.properties.items():
                    key = meant(below).key
                    is_open = key in self._busy or key in inside or self._sought > MOST_SOUGHT
                    values = () if is_open else islice(self.many(below, wanted, inside), wanted)
                    yield from ({**smallest, name: value} for value in values)

    # -- objects -----------------------------------------------------------------------------------------------------

    def objects(self, atom: Atom, forced: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The smallest object that has these properties, and the same with other values of what is required."""
        smallest = self.object(atom, forced)
        if smallest is None:
            return
        yield smallest
        yield from self.completed(atom, smallest)
        for name in (name for name in atom.required if name not in forced):
            for value in self.values(property_of(atom, name))[1:3]:
                yield {**smallest, name: value}

    def object(self, atom: Atom, forced: Mapping[str, Any]) -> dict[str, Any] | None:
        """The smallest object that has these properties, or None."""
        made = dict(forced)
        names = list(atom.required)
        if atom.dependent_required:
            for asking in (names, forced):
                for name in asking:
                    names.extend(other for one, other in atom.dependent_required if one == name and other not in names)
        least = int(atom.min_properties.value) if atom.min_properties else 0
        if least > MAX_ITEMS:
            return None
        if least:
            spare = [name for name in atom.properties if name not in names and name not in made]
            names.extend(spare[: max(0, least - len({*names, *made}))])
        _, firsts = self._firsts.setdefault(id(atom), (atom, {}))
        for name in names:
            if name in made:
                continue
            first = firsts.get(name)
            if first is None:
                first = self.values(property_of(atom, name), 1)
                if not self._cut:  # as in `values`
                    firsts[name] = first
            if not first:
                return None
            made[name] = first[0]
        for name in self.keys(atom, least) if len(made) < least else ():
            if len(made) >= least:
                break
            values = self.values(property_of(atom, name), 1)
            if name not in made and values:
                made[name] = values[0]
        return made

    def completed(self, atom: Atom, made: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """An object with what its conditions and dependent schemas ask for besides, one branch of each after the other."""
        asked: list[list[dict[str, Any]]] = []
        for node in atom.conditions:
            branches = [node.child(name) for name in ("then", "else") if name in node.value]
            asked.append([each for branch in branches for each in self._members(Schema((branch,)))])
        asked.extend(self._members(schema) for name, schema in atom.dependent_schemas.items() if name in made)
        for several in islice(product(*(each for each in asked if each)), MOST_BRANCHES if any(asked) else 0):
            merged = dict(made)
            for each in several:
                merged |= {name: value for name, value in each.items() if name not in merged}
            yield merged

    def _members(self, schema: Schema) -> list[dict[str, Any]]:
        """The smallest object of each alternative, and one with everything that it declares."""
        found = [(atom, self.object(atom, {})) for atom in self.atoms(schema) if atom.kind == "object"]
        return [each for atom, made in found if made is not None for each in (made, self.fuller(atom, made))]

    def fuller(self, atom: Atom, forced: Mapping[str, Any]) -> dict[str, Any]:
        """An object with every declared property that has a value, for where a smallest one does not do."""
        full = {name: values[0] for name, schema in atom.properties.items() if (values := self.values(schema, 1))}
        return {**full, **forced}

    def keys(self, atom: Atom, wanted: int = 20) -> Iterator[str]:
        """Names of undeclared properties, if the object is a map or has a form for them."""
        for pattern in atom.pattern_properties:
            yield from names_like(pattern, wanted)
        if not is_map(atom):
            return
        if atom.property_names.nodes:
            yield from (name for name in self.many(atom.property_names, wanted) if isinstance(name, str))
            return
        for number in range(wanted):
            yield f"key{number}" if number else "key"


_NOTHING = object()


def is_map(atom: Atom) -> bool:
    """Whether undeclared keys are sent: they have a schema, or nothing is declared at all."""
    if atom.additional is None:
        return False
    return bool(atom.additional.nodes) or not (atom.properties or atom.required or atom.pattern_properties)


def names_like(pattern: str, wanted: int) -> Iterator[str]:
    """Names of many lengths that a pattern is found in, if that can be decided."""
    try:
        for length in range(wanted + 1):
            yield from islice(patterns.matching([pattern], shortest=length, longest=length), 1)
    except Undecidable:
        return


def property_of(atom: Atom, name: str) -> Schema:
    """What an object says of a property: its declaration, its pattern's, else that of all other keys."""
    if name in atom.properties:
        return atom.properties[name]
    return undeclared(atom, name) or ANYTHING
