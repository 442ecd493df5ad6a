"""What a discriminator's value selects on both sides: findings in it are shown by messages that have this value.

A message is of the variant that its value selects, whatever else the other variants take; a judge that goes by
discriminators says so. It cannot where the documents contradict themselves: a variant that takes none of the values that
select it, as an ``enum`` with other spellings than the mapping's, is judged as JSON Schema alone reads it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from guardian.rules.below import Child
from guardian.rules.pairs import BY_TAG, Delta
from guardian.rules.patterns import surely_found
from guardian.spec.api import Schema
from guardian.spec.facets import takes
from guardian.spec.shape import Atom, Discriminator, Shape, default_variant

if TYPE_CHECKING:
    from guardian.rules.walk import Found

#: The discriminator's property, and a value of it.
Selected: TypeAlias = tuple[str, str]
#: What makes the shape of a schema.
ShapeOf: TypeAlias = Callable[[Schema], Shape]


def selecting(base: Shape, head: Shape, one: Atom, other: Atom, sent: ShapeOf) -> Selected | None:
    """What selects an alternative of base and one of head alike, as a message of the sending side may say it.

    Args:
        one, other: the alternatives, the sending side's first.
        sent: the shape of a schema of the sending side.
    """
    if base.discriminator is None or head.discriminator is None:
        return None
    name = base.discriminator.property
    known = base.discriminator.mapping.keys() & head.discriminator.mapping.keys()
    shared = [tag for tag in one.tags if tag in other.tags and tag in known]
    if not shared or name != head.discriminator.property or name not in one.properties:
        return None
    texts = sent(one.properties[name]).of_kind("string")
    return next(((name, tag) for tag in shared if any(takes(text, tag) for text in texts)), None)


def settled(base: Shape, head: Shape, one: Atom, other: Atom, of_base: ShapeOf, of_head: ShapeOf) -> str | None:
    """The property that selects an alternative of base and one of head, where the same values may stand in it on both sides.

    Of a variant only the values that select it are sent, whatever its schema takes besides: one that lists them says no
    more than one that takes any text. What lists a value that selects nothing contradicts itself, and is judged as written.

    Args:
        one, other: the alternatives.
        of_base, of_head: the shape of a schema of either side.
    """
    ours, theirs = base.discriminator, head.discriminator
    if ours is None or theirs is None or ours.property != theirs.property:
        return None
    if default_variant(ours) or default_variant(theirs):
        return None  # values that no mapping lists select a variant, too
    name = ours.property
    if name not in one.properties or name not in other.properties:
        return None
    before = _taken(one.tags, of_base(one.properties[name]), ours)
    return name if before and before == _taken(other.tags, of_head(other.properties[name]), theirs) else None


def _taken(tags: tuple[str, ...], shape: Shape, discriminator: Discriminator) -> set[str]:
    """Those of the selecting values that a property takes; none where that cannot be told, or others are listed as well."""
    if shape.opaque or shape.kinds != {"string"} or any(not _is_plain(text, discriminator) for text in shape.atoms):
        return set()
    return {tag for tag in tags if any(_takes_surely(text, tag) for text in shape.atoms)}


def _is_plain(text: Atom, discriminator: Discriminator) -> bool:
    listed = {json.loads(each) for each in text.enum or ()}
    said = text.formats or text.nots or text.conditions or text.documents
    return not said and listed <= discriminator.mapping.keys()


def _takes_surely(text: Atom, tag: str) -> bool:
    return takes(text, tag) and all(surely_found(pattern, tag) for pattern in text.patterns)


def marked_delta(delta: Delta, selected: Selected | None) -> Delta:
    """A finding on two alternatives that the same value selects."""
    return delta if selected is None else delta._replace(facts=(*delta.facts, BY_TAG))


def marked_child(child: Child, selected: Selected | None) -> Child:
    """A place below two alternatives that the same value selects; not where the same value is seen as another one."""
    return child if selected is None or not child.step else child._replace(selected=selected)


def untagged(found: Found) -> Found:
    """The same finding without what is marked here; itself if nothing is."""
    path = tuple(child._replace(selected=None) if child.step and child.selected else child for child in found.path)
    facts = tuple(fact for fact in found.delta.facts if fact != BY_TAG)
    if path == found.path and facts == found.delta.facts:
        return found
    return found._replace(path=path, delta=found.delta._replace(facts=facts))
