"""A value laid into the values around it, one step at a time: how a whole message gets what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.rules import patterns
from guardian.rules.below import Child
from guardian.rules.sample import Sampler, property_of
from guardian.spec.api import Schema
from guardian.spec.shape import Atom


def around(sender: Sampler, parent: Schema, child: Child, below: Schema, value: Any) -> Iterator[Any]:
    """Values of ``parent`` with ``value`` one step below: in the alternatives that really lead there, small ones first."""
    leading: list[Atom] = []
    others: list[Atom] = []
    for atom in sender.atoms(parent):
        (leading if _leads(atom, child, below) else others).append(atom)
    objects: list[tuple[Atom, Any]] = []
    for atom in leading:
        for made in _laid(sender, parent, atom, child, below, value):
            yield made
            if atom.kind == "object":
                objects.append((atom, made))
    yield from (full for atom, made in objects for full in sender.completed(atom, made))
    yield from (sender.fuller(atom, made) for atom, made in objects)
    for atom in others:
        yield from _laid(sender, parent, atom, child, below, value)


def _leads(atom: Atom, child: Child, below: Schema) -> bool:
    """Whether an alternative has this very schema one step below."""
    if child.literal:
        return atom.properties.get(child.step) == below
    if child.step == "[]":
        return below in {atom.items, *atom.prefix}
    return child.step == "*" or child.selected is not None or below in atom.dependent_schemas.values()


def _laid(sender: Sampler, parent: Schema, atom: Atom, child: Child, below: Schema, value: Any) -> Iterator[Any]:
    """The smallest value of an alternative with ``value`` one step below, if there is one."""
    made: Any = None
    if child.step == "[]" and atom.kind == "array":
        index = next((i for i, each in enumerate(atom.prefix) if each == below), len(atom.prefix))
        least = int(atom.min_items.value) if atom.min_items else 0
        wanted = sum(max(each.minimum, 0) for each in atom.contains)
        made = sender.array(atom, max(least, index + 1, len(atom.prefix) + wanted), {index: value})
    elif (child.literal or child.step == "*") and atom.kind == "object":
        name = child.step if child.literal else child.key or _key_of(sender, atom, below)
        if name is not None:
            selected = dict([child.selected]) if child.selected else sender.selection(parent, atom)
            made = sender.object(atom, {**selected, name: value})
    elif child.step == "" and atom.kind == "object" and isinstance(value, dict):  # the same value, seen as another one
        if child.selected is not None:
            key, tag = child.selected
            made = sender.object(atom, {**value, key: tag})
        else:
            triggers = [key for key, each in atom.dependent_schemas.items() if each == below]
            forced = {key: each for key in triggers for each in sender.values(property_of(atom, key))[:1]}
            made = sender.object(atom, {**forced, **value})
    if made is not None:
        yield made


def _key_of(sender: Sampler, atom: Atom, below: Schema) -> str | None:
    """A name for a map's key whose values are of this schema."""
    for pattern, schema in atom.pattern_properties.items():
        if schema == below:
            return next(iter(patterns.examples(pattern, 1)), None)
    return next(iter(sender.keys(atom)), "key")
