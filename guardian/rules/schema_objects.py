"""Rules on objects: properties, what is guaranteed of them, and what else may be there.

INTERFACE: a key that a side does not declare is not sent by that side, also where ``additionalProperties`` would
allow it. So these rules speak of declared keys, and for responses of guarantees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guardian.fieldpath import escape
from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules.pairs import Delta, ObjectPair
from guardian.rules.patterns import surely_found
from guardian.rules.registry import rule
from guardian.rules.renames import likely_rename
from guardian.spec.api import Node, Schema
from guardian.spec.shape import Atom

_GONE_REQUIRED = "every reader was promised this property, and now finds nothing"
_GONE_OPTIONAL = (
    "whoever reads this property finds nothing; base never promised it, so only its readers can say if it hurts"
)


def declared(atom: Atom) -> set[str]:
    """The properties that the side says anything of: declares them, requires them, or hides them."""
    return {*atom.properties, *atom.required, *atom.hidden}


def _where(atom: Atom, name: str) -> Node | None:
    schema = atom.properties.get(name)
    if schema is not None and schema.node is not None:
        return schema.node
    for leaf in atom.nodes:
        value = leaf.value.get("properties")
        if isinstance(value, dict) and name in value:
            return leaf.child("properties", name)
    return atom.required.get(name) or atom.hidden.get(name)


def _parent(atom: Atom) -> Node | None:
    for leaf in atom.nodes:
        if isinstance(leaf.value.get("properties"), dict):
            return leaf.child("properties")
    return atom.node


def _unknown(atom: Atom, other: Atom) -> list[str]:
    """The properties that a side declares or requires and the other says nothing of."""
    shared = other.properties.keys()
    if atom.properties.keys() <= shared and atom.required.keys() <= shared:
        return []  # most often, and seen at once
    known = declared(other)
    return [name for name in dict.fromkeys([*atom.properties, *atom.required]) if name not in known]


def _refuses(atom: Atom, name: str) -> bool:
    """Whether a closed object takes no key of this name, as far as the forms of the keys that it takes can be read."""
    return atom.additional is None and not any(surely_found(pattern, name) for pattern in atom.pattern_properties)


@rule(
    "property-removed",
    area="schema",
    pair=ObjectPair,
    claims=("properties",),
)
def property_removed(pair: ObjectPair) -> Iterator[Delta]:
    """A declared property is gone.

    Why it matters: whoever reads it in a response finds nothing, although an open object could still formally hold
    it; if it was required, every reader was promised it. Of an optional one only its readers can say, so without
    them it is a warning. In a request it is harmless while the object is open, and refused when it is closed.

    Breaks (response):
        base: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}}}
        head: {type: object, required: [id], properties: {id: {type: string}}}

    Warns (response):
        base: {type: object, properties: {id: {type: string}, name: {type: string}}}
        head: {type: object, properties: {id: {type: string}}}

    Breaks (request):
        base: {type: object, additionalProperties: false, properties: {id: {type: string}, name: {type: string}}}
        head: {type: object, additionalProperties: false, properties: {id: {type: string}}}

    Holds (request):
        base: {type: object, properties: {id: {type: string}, name: {type: string}}}
        head: {type: object, properties: {id: {type: string}}}
    """
    for name in _unknown(pair.base, pair.head):
        if pair.direction is Direction.RESPONSE:
            required = name in pair.base.required
            renamed = None if pair.probing else likely_rename(name, pair)
            yield Delta(
                Effect.WIDENED,
                f"was removed; {renamed} looks like its new name" if renamed else "was removed",
                field=escape(name),
                base=_where(pair.base, name),
                head=_parent(pair.head),
                severity=None if required else Severity.WARNING,
                facts=("required" if required else "optional",),
                why=_GONE_REQUIRED if required else _GONE_OPTIONAL,
                renamed_to=escape(renamed) if renamed else None,
            )
        elif _refuses(pair.head, name):
            yield Delta(
                Effect.NARROWED,
                "was removed, and the object takes no other keys",
                field=escape(name),
                base=_where(pair.base, name),
                head=pair.head.additional_node or _parent(pair.head),
            )
        else:
            yield Delta(
                Effect.WIDENED,
                "was removed",
                field=escape(name),
                base=_where(pair.base, name),
                head=_parent(pair.head),
                hit=Hit.NOBODY,
            )
        if pair.probing:
            return  # all have one effect


@rule(
    "property-added",
    area="schema",
    pair=ObjectPair,
    hit=Hit.DECODER,
    impact=Impact.SAFE,
    strict_impact=Impact.BROKEN,
    claims=("properties",),
)
def property_added(pair: ObjectPair) -> Iterator[Delta]:
    """A property is new.

    Why it matters: readers ignore what they do not know, except strict ones, whose decoders refuse it. A new
    optional request property asks nothing of callers; a required one has a rule of its own.

    Holds (response):
        base: {type: object, properties: {id: {type: string}}}
        head: {type: object, properties: {id: {type: string}, name: {type: string}}}

    Holds (request):
        base: {type: object, properties: {id: {type: string}}}
        head: {type: object, properties: {id: {type: string}, name: {type: string}}}
    """
    for name in _unknown(pair.head, pair.base):
        if pair.direction is Direction.REQUEST and name in pair.head.required:
            continue
        schema = pair.head.properties.get(name)
        if schema is not None and not _possible(schema):
            continue
        response = pair.direction is Direction.RESPONSE
        yield Delta(
            Effect.NARROWED if response else Effect.WIDENED,
            "was added",
            field=escape(name),
            base=_parent(pair.base),
            head=_where(pair.head, name),
            severity=Severity.INFO,
            hit=None if response else Hit.NOBODY,
            facts=_demand(pair.head, name),
        )
        if pair.probing:
            return  # all have one effect


def _demand(atom: Atom, name: str) -> tuple[str]:
    """The fact whether a side promises a property."""
    return ("required" if name in atom.required else "optional",)


def _with_default(node: Node | None) -> tuple[str, ...]:
    """The fact that a property has a default, which asks for no less."""
    return ("default",) if node is not None and isinstance(node.value, dict) and "default" in node.value else ()


def _possible(schema: Schema) -> bool:
    return all(node.value is not False for node in schema.nodes)


@rule(
    "required-property-added",
    area="schema",
    pair=ObjectPair,
    hit=Hit.NON_SENDER,
    claims=("properties", "required"),
)
def required_property_added(pair: ObjectPair) -> Iterator[Delta]:
    """A request must carry a property that base does not know.

    Why it matters: every caller that does not send it yet is refused. A default does not help: defaults are not used
    in validation, and only this server's leniency would save the caller.

    Breaks (request):
        base: {type: object, properties: {ship: {type: string}}}
        head: {type: object, required: [tide], properties: {ship: {type: string}, tide: {type: string, default: high}}}

    Holds (request):
        base: {type: object, properties: {ship: {type: string}}}
        head: {type: object, properties: {ship: {type: string}, tide: {type: string}}}
    """
    if pair.direction is not Direction.REQUEST:
        return
    for name in pair.head.required:
        if name not in pair.base.properties and name not in pair.base.required:
            unless = _unless(name, pair.base, (pair.head, *pair.others[1]))
            yield Delta(
                Effect.CHANGED if name in pair.base.hidden else Effect.NARROWED,
                f"is a new required property{_without(unless)}",
                field=escape(name),
                base=_parent(pair.base),
                head=_where(pair.head, name) or pair.head.required[name],
                facts=(*_with_default(_where(pair.head, name)), *(("hidden",) if name in pair.base.hidden else ())),
                unless=unless,
            )


def _unless(name: str, other: Atom, alternatives: Sequence[Atom]) -> tuple[tuple[str, ...], ...]:
    """What those alternatives ask for that do not ask for a property, beyond what is asked for anyway, on either side."""
    if len(alternatives) == 1:
        return ()
    anyway = other.required.keys() | set[str].intersection(*(set(each.required) for each in alternatives))
    asked = [tuple(sorted(each.required.keys() - anyway)) for each in alternatives if name not in each.required]
    return tuple(sorted({names for names in asked if names}))


def _asks_less(one: Atom, asking: Atom, name: str, head: Atom) -> bool:
    """Whether an alternative that takes what another one does leaves a property out, and asks for nothing that head does not."""
    return (
        name not in one.required
        and one.required.keys() <= head.required.keys()
        and one.properties.keys() == asking.properties.keys()
        and all(one.properties[each].key == asking.properties[each].key for each in one.properties)
        and (one.additional is None) == (asking.additional is None)
    )


def _without(unless: tuple[tuple[str, ...], ...]) -> str:
    """The same in words."""
    return f" where there is no {' and no '.join(map(_together, unless))}" if unless else ""


def _together(names: tuple[str, ...]) -> str:
    return " with ".join(names)


@rule(
    "property-became-required",
    area="schema",
    pair=ObjectPair,
    hit=Hit.NON_SENDER,
    claims=("required",),
)
def property_became_required(pair: ObjectPair) -> Iterator[Delta]:
    """A known property must now be there.

    Why it matters: every caller that leaves it out is refused. In a response it is one more guarantee. Where one of several
    alternatives asks for it, callers that send what another one asks for are served as before.

    Breaks (request):
        base: {type: object, properties: {name: {type: string}}}
        head: {type: object, required: [name], properties: {name: {type: string}}}

    Holds (response):
        base: {type: object, properties: {name: {type: string}}}
        head: {type: object, required: [name], properties: {name: {type: string}}}
    """
    if pair.head.required.keys() <= pair.base.required.keys():
        return  # most often, and seen at once
    for name in pair.head.required:
        if name not in pair.base.required and name in pair.base.properties:
            unless = _unless(name, pair.base, (pair.head, *pair.others[1]))
            yield Delta(
                Effect.NARROWED,
                f"became required{_without(unless)}",
                field=escape(name),
                base=_where(pair.base, name),
                head=pair.head.required[name],
                facts=_with_default(_where(pair.head, name)),
                unless=unless,
            )


@rule(
    "property-became-optional",
    area="schema",
    pair=ObjectPair,
    claims=("required",),
)
def property_became_optional(pair: ObjectPair) -> Iterator[Delta]:
    """A property that was always there may now be missing.

    Why it matters: a reader that was promised the property meets responses without it. Where one of several alternatives
    promised it, its readers met such responses before, and may have been content with what was there instead.

    Breaks (response):
        base: {type: object, required: [name], properties: {name: {type: string}}}
        head: {type: object, properties: {name: {type: string}}}

    Holds (request):
        base: {type: object, required: [name], properties: {name: {type: string}}}
        head: {type: object, properties: {name: {type: string}}}
    """
    alternatives = (pair.base, *pair.others[0])
    if all(each.required.keys() <= pair.head.required.keys() for each in alternatives):
        return  # most often, and seen at once
    asking = {name: each for each in reversed(alternatives) for name in each.required}
    for name, atom in asking.items():
        if name not in pair.head.required and name in pair.head.properties:
            if any(_asks_less(each, atom, name, pair.head) for each in alternatives):
                continue
            unless = _unless(name, pair.head, alternatives)
            yield Delta(
                Effect.WIDENED,
                f"became optional{_without(unless)}",
                field=escape(name),
                base=atom.required[name],
                head=_where(pair.head, name),
                impact=Impact.POSSIBLE if unless else None,  # it could be missing before, where others were there
            )


@rule(
    "property-visibility-changed",
    area="schema",
    pair=ObjectPair,
    claims=("readOnly", "writeOnly"),
)
def property_visibility_changed(pair: ObjectPair) -> Iterator[Delta]:
    """A property became readOnly or writeOnly, or ceased to be.

    Why it matters: what is writeOnly no longer arrives in responses, so its readers find nothing. What is readOnly
    is no longer taken from requests: servers ignore it or refuse it, and the documents do not say which.

    Breaks (response):
        base: {type: object, required: [pin], properties: {pin: {type: string}}}
        head: {type: object, required: [pin], properties: {pin: {type: string, writeOnly: true}}}

    Warns (request):
        base: {type: object, properties: {id: {type: string}}}
        head: {type: object, properties: {id: {type: string, readOnly: true}}}

    Holds (request):
        base: {type: object, properties: {id: {type: string, readOnly: true}}}
        head: {type: object, properties: {id: {type: string}}}
    """
    response = pair.direction is Direction.RESPONSE
    flag = "writeOnly" if response else "readOnly"
    for name, node in pair.head.hidden.items():
        if name not in pair.base.properties:
            continue
        if response:
            yield Delta(
                Effect.WIDENED,
                f"became {flag}",
                field=escape(name),
                base=_where(pair.base, name),
                head=node,
                severity=None if name in pair.base.required else Severity.WARNING,
                facts=("became", *_demand(pair.base, name)),
            )
        else:
            yield Delta(
                Effect.CHANGED if name in pair.base.required else Effect.NARROWED,
                f"became {flag}",
                field=escape(name),
                base=_where(pair.base, name),
                head=node,
                confidence=Confidence.POSSIBLE,
                impact=Impact.POSSIBLE,
                unproved="a server may ignore a readOnly property or refuse it; the documents do not say",
                facts=("became", *_demand(pair.base, name)),
            )
    for name, node in pair.base.hidden.items():
        if name in pair.head.properties and not (pair.direction is Direction.REQUEST and name in pair.head.required):
            yield Delta(
                Effect.NARROWED if response else Effect.WIDENED,
                f"is no longer {flag}",
                field=escape(name),
                base=node,
                head=_where(pair.head, name),
                severity=Severity.INFO,
                hit=Hit.NOBODY,
                facts=("ceased", *_demand(pair.head, name)),
            )
