"""What is below a pair of schemas: the pairs of their properties, map values, items and subtypes, each with the step to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from guardian.rules import patterns
from guardian.rules.form_fields import Writing, written_at
from guardian.spec.api import Schema
from guardian.spec.objects import undeclared
from guardian.spec.shape import Atom
from guardian.spec.subtypes import family_of

#: A step of a path: a property's name, ``[]`` for an item, ``*`` for any key's value, nothing for the same value seen anew.
Step: TypeAlias = str


class Child(NamedTuple):
    step: Step
    literal: bool  # a property name, to be escaped; not "[]" or "*"
    base: Schema
    head: Schema
    # A subtype, or the variant that the place is in, by its discriminator's property and value.
    selected: tuple[str, str] | None = None
    # Whether the values that select the variant are all that is sent here, and the same ones on both sides.
    settled: bool = False
    # A key that is of both forms, where the keys of one form are held against those of another one.
    key: str | None = None


#: What is still to be looked at: two schemas, the way to them, and how their values are written.
Ahead: TypeAlias = tuple[Schema, Schema, tuple[Child, ...], Writing]


def ahead(children: Iterable[Child], path: tuple[Child, ...], writing: Writing) -> Iterator[Ahead]:
    """What is below the pair that a path leads to, whose values are written so."""
    for child in children:
        yield child.base, child.head, (*path, child), writing_below(child, writing)


def writing_below(child: Child, writing: Writing) -> Writing:
    """How what is below is written, where this is how the value around it is."""
    return written_at(writing, (child.step,)) if writing is not None and (child.step or child.literal) else writing


def properties_of(base: Atom, head: Atom, alike: Callable[[str], bool]) -> Iterator[Child]:
    """Of two objects the pairs of properties that may differ (``alike`` says which surely do not), and of what keys hold."""
    for name in base.properties:
        if alike(name):
            continue
        if name in head.properties:
            yield Child(name, True, base.properties[name], head.properties[name])
        elif name not in head.hidden and (other := _undeclared(head, name)) is not None:
            yield Child(name, True, base.properties[name], other)
    for name in head.properties:
        if (
            name not in base.properties
            and name not in base.hidden
            and not alike(name)
            and (one := _undeclared(base, name)) is not None
        ):
            yield Child(name, True, one, head.properties[name])
    if base.additional is not None and head.additional is not None and base.additional.nodes and head.additional.nodes:
        yield Child("*", False, base.additional, head.additional)
    if base.pattern_properties or head.pattern_properties:
        yield from _by_form(base, head)
    for name, schema in base.dependent_schemas.items():
        if name in head.dependent_schemas:
            yield Child("", False, schema, head.dependent_schemas[name])


def _by_form(base: Atom, head: Atom) -> Iterator[Child]:
    """What both sides say of keys of a certain form: of the same form, and of keys that are of one form before and another now."""
    ours, theirs = base.pattern_properties, head.pattern_properties
    all_forms = dict.fromkeys((*ours, *theirs))
    for pattern in all_forms:
        if pattern in ours and pattern in theirs:
            yield Child("*", False, ours[pattern], theirs[pattern])
            continue
        others, rest = (theirs, head) if pattern in ours else (ours, base)
        keys: list[str | None] = []
        for form in others:
            keys.append(patterns.shortest([pattern, form]))
            # A third form may say of that key what it says of no other one: so a key of these two alone as well.
            if further := [each for each in all_forms if each not in (pattern, form)]:
                keys.append(patterns.shortest([pattern, form], further))
        if rest.additional is not None and rest.additional.nodes and not patterns.covered(pattern, others):
            keys.append(patterns.shortest([pattern], others))
            if keys[-1] is None:  # not to be found: then it is held against what is said of all other keys
                yield Child("*", False, ours.get(pattern, rest.additional), theirs.get(pattern, rest.additional))
        for key in filter(None, dict.fromkeys(keys)):
            one, other = undeclared(base, key), undeclared(head, key)
            if one is not None and other is not None:
                yield Child("*", False, one, other, key=key)


def _undeclared(atom: Atom, name: str) -> Schema | None:
    """What a side says of a key that it does not declare: the key is required, or of a kind of keys with a schema."""
    said = undeclared(atom, name)
    asked = name in atom.required or any(name == other for _, other in atom.dependent_required)
    return said if said is not None and (said.nodes or asked) else None


def items_of(base: Atom, head: Atom) -> Iterator[Child]:
    """Of two arrays the pairs of items, place by place as far as either tells places apart."""
    length = max(len(base.prefix), len(head.prefix))
    # What one side refuses for its place in the array is told by its limit, not by what it would be there.
    shared = min(float("inf") if each.max_items is None else each.max_items.value for each in (base, head))
    for index in range(length):
        if index < shared:
            yield Child("[]", False, item_at(base, index), item_at(head, index))
    if length < shared:
        yield Child("[]", False, base.items, head.items)


def item_at(atom: Atom, index: int) -> Schema:
    """The schema of an array's item at an index."""
    return atom.prefix[index] if index < len(atom.prefix) else atom.items


def subtypes_of(base: Schema, head: Schema) -> Iterator[Child]:
    """What extends both sides and is selected by the same value: a message of the one may be one of these."""
    one, other = family_of(base), family_of(head)
    if one is None or other is None or one.property != other.property:
        return
    for value in sorted(one.members.keys() & other.members.keys()):
        left, right = Schema((one.members[value],)), Schema((other.members[value],))
        yield Child("", False, left, right, (one.property, value))
