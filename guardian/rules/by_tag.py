"""What a discriminator's value selects on both sides: findings in it are shown by messages that have this value.

A message is of the variant that its value selects, whatever else the other variants take; a judge that goes by
discriminators says so. It cannot where the documents contradict themselves: a variant that takes none of the values that
select it, as an ``enum`` with other spellings than the mapping's, is judged as JSON Schema alone reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from guardian.rules.below import Child
from guardian.rules.pairs import BY_TAG, Delta
from guardian.spec.api import Schema
from guardian.spec.facets import takes
from guardian.spec.shape import Atom, Shape

if TYPE_CHECKING:
    from guardian.rules.walk import Found

#: The discriminator's property, and a value of it.
Selected: TypeAlias = tuple[str, str]


def selecting(base: Shape, head: Shape, one: Atom, other: Atom, sent: Callable[[Schema], Shape]) -> Selected | None:
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
