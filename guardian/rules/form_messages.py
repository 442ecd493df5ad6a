"""A form as it is sent: what would write nothing has a fuller value, or is not there.

A smallest message holds empty arrays and objects where they are required. In a form most of these write nothing, so
that the receiver misses them: the form that shows a change must have something there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from guardian.rules.form_fields import Form, FormField
from guardian.rules.sample import Sampler, property_of
from guardian.spec.api import Schema

# So many values of a field are looked at, and so many levels of objects that are empty but for one another.
_MOST_TRIED = 50
_DEPTH = 3

Place: TypeAlias = tuple[str, ...]
_NOTHING: Any = object()


class Sent(NamedTuple):
    """A form as it is sent, and the places whose values are not those of the message, or are not there."""

    message: Any
    replaced: tuple[Place, ...] = ()


def as_sent(sender: Sampler, schema: Schema, form: Form, message: Any) -> Sent:
    """A message of a schema as the form that ``sender`` makes of it."""
    if not isinstance(message, dict):
        return Sent(message)
    replaced: list[Place] = []
    made: dict[str, Any] = {}
    for name, value in message.items():
        field = form.field(name)
        if field.is_sent(value) and not field.is_deep:  # as most fields
            made[name] = value
            continue
        kept = _Filler(sender, field, replaced).written(_property(sender, schema, name), value, (name,), _DEPTH)
        if kept is not _NOTHING:
            made[name] = kept
    return Sent(made, tuple(replaced)) if replaced else Sent(message)


class _Filler:
    """Fills what is empty in one field, and notes where it did."""

    def __init__(self, sender: Sampler, field: FormField, replaced: list[Place]) -> None:
        self._sender = sender
        self._field = field
        self._replaced = replaced

    def written(self, schema: Schema, value: Any, place: Place, depth: int) -> Any:
        """A value with all that is empty in it filled or left out; ``_NOTHING`` if nothing is left."""
        if not self._field.is_sent(value):
            self._replaced.append(place)
            return self._filled(schema, depth)
        if not self._field.is_deep or not isinstance(value, list | dict):
            return value
        if isinstance(value, list):
            items = _items(self._sender, schema)
            listed = [self.written(items, each, (*place, "[]"), depth) for each in value]
            return [each for each in listed if each is not _NOTHING] or _NOTHING
        below = {
            name: self.written(_property(self._sender, schema, name), each, (*place, name), depth)
            for name, each in value.items()
        }
        return {name: each for name, each in below.items() if each is not _NOTHING} or _NOTHING

    def _filled(self, schema: Schema, depth: int) -> Any:
        """A value that writes something, if one was found: one that is sent as it is, rather than cut."""
        cut = _NOTHING
        for each in islice(_fuller(self._sender, schema), _MOST_TRIED) if depth else ():
            if self._field.is_sent(each):
                replaced: list[Place] = []
                made = _Filler(self._sender, self._field, replaced).written(schema, each, (), depth - 1)
                if not replaced:
                    return made
                cut = made if cut is _NOTHING else cut
        return cut


def _fuller(sender: Sampler, schema: Schema) -> Iterator[Any]:
    """Values of a schema, small ones first, then such as have one more property, key or item, then full ones."""
    yield from sender.values(schema)
    atoms = sender.atoms(schema)
    for atom in (each for each in atoms if each.kind == "object"):
        for name in (*atom.properties, *islice(sender.keys(atom), 1)):
            for value in sender.values(property_of(atom, name), 1):
                made = sender.object(atom, {**sender.selection(schema, atom), name: value})
                if made is not None:
                    yield made
    for atom in (each for each in atoms if each.kind == "object"):
        yield sender.fuller(atom, sender.object(atom, sender.selection(schema, atom)) or {})


def _property(sender: Sampler, schema: Schema, name: str) -> Schema:
    objects = [atom for atom in sender.atoms(schema) if atom.kind == "object"]
    declaring = [atom for atom in objects if name in atom.properties] or objects
    return property_of(declaring[0], name) if declaring else Schema(())


def _items(sender: Sampler, schema: Schema) -> Schema:
    return next((atom.items for atom in sender.atoms(schema) if atom.kind == "array"), Schema(()))
