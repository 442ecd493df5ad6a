"""Rules on objects: properties, what is guaranteed of them, and what else may be there.

INTERFACE: a key that a side does not declare is not sent by that side, also where ``additionalProperties`` would
allow it. So these rules speak of declared keys, and for responses of guarantees.
"""

from __future__ import annotations

from collections.abc import Iterator

from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules.pairs import Delta, ObjectPair
from guardian.rules.registry import rule
from guardian.rules.renames import likely_rename
from guardian.rules.schema_values import REQUEST_PLACES, RESPONSE_PLACES, each_place, limit_changed
from guardian.rules.walk_paths import escape
from guardian.spec.api import Node, Schema
from guardian.spec.shape import Atom


def declared(atom: Atom, name: str) -> bool:
    """True if the side says anything of this property: declares it, requires it, or hides it."""
    return name in atom.properties or name in atom.required or name in atom.hidden


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


def _names(atom: Atom) -> list[str]:
    return list(dict.fromkeys([*atom.properties, *atom.required]))


@rule(
    "property-removed",
    area="schema",
    pair=ObjectPair,
    claims=("properties",),
    aliases=(
        "request-property-removed",
        "request-property-removed-without-deprecation",
        "response-required-property-removed",
        "response-optional-property-removed",
        "response-required-write-only-property-removed",
        "response-optional-write-only-property-removed",
        "request-parameter-property-removed",
    ),
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
    for name in _names(pair.base):
        if declared(pair.head, name):
            continue
        if pair.direction is Direction.RESPONSE:
            required = name in pair.base.required
            renamed = likely_rename(name, pair)
            yield Delta(
                Effect.WIDENED,
                f"was removed; {renamed} looks like its new name" if renamed else "was removed",
                field=escape(name),
                base=_where(pair.base, name),
                head=_parent(pair.head),
                severity=None if required else Severity.WARNING,
                renamed_to=escape(renamed) if renamed else None,
            )
        elif pair.head.additional is None:
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


@rule(
    "property-added",
    area="schema",
    pair=ObjectPair,
    hit=Hit.DECODER,
    impact=Impact.SAFE,
    strict_impact=Impact.BROKEN,
    claims=("properties",),
    aliases=(
        "new-optional-request-property",
        "response-optional-property-added",
        "response-required-property-added",
        "response-optional-write-only-property-added",
        "response-required-write-only-property-added",
        "request-parameter-property-added",
    ),
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
    for name, schema in pair.head.properties.items():
        if declared(pair.base, name) or not _possible(schema):
            continue
        if pair.direction is Direction.REQUEST and name in pair.head.required:
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
        )


def _possible(schema: Schema) -> bool:
    return all(node.value is not False for node in schema.nodes)


@rule(
    "required-property-added",
    area="schema",
    pair=ObjectPair,
    hit=Hit.NON_SENDER,
    claims=("properties", "required"),
    aliases=("new-required-request-property", "new-required-request-property-with-default"),
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
    for name, node in pair.head.required.items():
        if name not in pair.base.properties and name not in pair.base.required:
            yield Delta(
                Effect.NARROWED,
                "is a new required property",
                field=escape(name),
                base=_parent(pair.base),
                head=_where(pair.head, name) or node,
            )


@rule(
    "property-became-required",
    area="schema",
    pair=ObjectPair,
    hit=Hit.NON_SENDER,
    claims=("required",),
    aliases=(
        "request-property-became-required",
        "request-property-became-required-with-default",
        "response-property-became-required",
        "response-write-only-property-became-required",
        "request-parameter-property-became-required",
    ),
)
def property_became_required(pair: ObjectPair) -> Iterator[Delta]:
    """A known property must now be there.

    Why it matters: every caller that leaves it out is refused. In a response it is one more guarantee.

    Breaks (request):
        base: {type: object, properties: {name: {type: string}}}
        head: {type: object, required: [name], properties: {name: {type: string}}}

    Holds (response):
        base: {type: object, properties: {name: {type: string}}}
        head: {type: object, required: [name], properties: {name: {type: string}}}
    """
    for name, node in pair.head.required.items():
        if name in pair.base.properties and name not in pair.base.required:
            yield Delta(
                Effect.NARROWED,
                "became required",
                field=escape(name),
                base=_where(pair.base, name),
                head=node,
            )


@rule(
    "property-became-optional",
    area="schema",
    pair=ObjectPair,
    claims=("required",),
    aliases=(
        "request-property-became-optional",
        "response-property-became-optional",
        "response-write-only-property-became-optional",
        "request-parameter-property-became-optional",
    ),
)
def property_became_optional(pair: ObjectPair) -> Iterator[Delta]:
    """A property that was always there may now be missing.

    Why it matters: a reader that was promised the property meets responses without it.

    Breaks (response):
        base: {type: object, required: [name], properties: {name: {type: string}}}
        head: {type: object, properties: {name: {type: string}}}

    Holds (request):
        base: {type: object, required: [name], properties: {name: {type: string}}}
        head: {type: object, properties: {name: {type: string}}}
    """
    for name, node in pair.base.required.items():
        if name in pair.head.properties and name not in pair.head.required:
            yield Delta(
                Effect.WIDENED,
                "became optional",
                field=escape(name),
                base=node,
                head=_where(pair.head, name),
            )


@rule(
    "property-visibility-changed",
    area="schema",
    pair=ObjectPair,
    claims=("readOnly", "writeOnly"),
    aliases=(
        "request-optional-property-became-read-only",
        "request-required-property-became-read-only",
        "request-optional-property-became-not-read-only",
        "request-required-property-became-not-read-only",
        "response-optional-property-became-write-only",
        "response-required-property-became-write-only",
        "response-optional-property-became-not-write-only",
        "response-required-property-became-not-write-only",
        "request-optional-property-became-write-only",
        "request-required-property-became-write-only",
        "response-optional-property-became-read-only",
        "response-required-property-became-read-only",
    ),
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
            )
        else:
            yield Delta(
                Effect.NARROWED,
                f"became {flag}",
                field=escape(name),
                base=_where(pair.base, name),
                head=node,
                confidence=Confidence.POSSIBLE,
                impact=Impact.POSSIBLE,
                unproved="a server may ignore a readOnly property or refuse it; the documents do not say",
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
            )


@rule(
    "additional-properties-changed",
    area="schema",
    pair=ObjectPair,
    impact=Impact.POSSIBLE,
    claims=("additionalProperties", "unevaluatedProperties"),
    aliases=(),
)
def additional_properties_changed(pair: ObjectPair) -> Iterator[Delta]:
    """Undeclared keys were opened, closed, or given a schema.

    Why it matters: a map (``additionalProperties`` with a schema) is a declaration of all its keys, so closing it
    refuses what callers send and empties what readers read. An object that was merely left open told callers nothing
    of other keys; closing it is a warning, since some send them all the same.

    Breaks (request):
        base: {type: object, additionalProperties: {type: string}}
        head: {type: object, additionalProperties: false, properties: {id: {type: string}}}

    Warns (request):
        base: {type: object, properties: {id: {type: string}}}
        head: {type: object, additionalProperties: false, properties: {id: {type: string}}}

    Warns (response):
        base: {type: object, additionalProperties: {type: string}}
        head: {type: object, additionalProperties: false}

    Holds (response):
        base: {type: object, additionalProperties: false, properties: {id: {type: string}}}
        head: {type: object, properties: {id: {type: string}}}
    """
    base, head = pair.base.additional, pair.head.additional
    request = pair.direction is Direction.REQUEST
    nodes = pair.nodes(pair.base.additional_node, pair.head.additional_node)
    mapped = base is not None and bool(base.nodes)
    if base is not None and head is None:
        if mapped and not request:
            yield Delta(
                Effect.NARROWED, "holds no other keys any more", field="*", severity=Severity.WARNING,
                impact=Impact.BROKEN, **nodes,
            )  # fmt: skip
        elif mapped:
            yield Delta(Effect.NARROWED, "takes no other keys any more", field="*", impact=Impact.BROKEN, **nodes)
        elif request:
            yield Delta(
                Effect.NARROWED,
                "takes no undeclared keys any more",
                confidence=Confidence.POSSIBLE,
                unproved="base left the object open without saying which other keys are sent",
                hit=Hit.NOBODY,
                **nodes,
            )
        else:
            yield Delta(Effect.NARROWED, "holds no undeclared keys any more", hit=Hit.NOBODY, **nodes)
    elif base is None and head is not None:
        if head.nodes and not request:
            yield Delta(
                Effect.WIDENED, "may hold keys that were never declared", severity=Severity.INFO,
                hit=Hit.DECODER, impact=Impact.SAFE, strict_impact=Impact.BROKEN, **nodes,
            )  # fmt: skip
        else:
            yield Delta(Effect.WIDENED, "is open for other keys now", severity=Severity.INFO, hit=Hit.NOBODY, **nodes)
    elif base is not None and head is not None and bool(base.nodes) != bool(head.nodes):
        if head.nodes:  # open became a map with a schema
            yield Delta(
                Effect.NARROWED,
                "takes only certain values under undeclared keys",
                confidence=Confidence.POSSIBLE,
                unproved="base left the object open without saying which other keys are sent",
                hit=Hit.NOBODY,
                **nodes,
            )
        elif request:
            yield Delta(Effect.WIDENED, "takes any value under other keys", hit=Hit.NOBODY, **nodes)
        else:
            yield Delta(Effect.WIDENED, "may hold any value under other keys", field="*", **nodes)


@rule("pattern-properties-changed", area="schema", pair=ObjectPair, claims=("patternProperties",))
def pattern_properties_changed(pair: ObjectPair) -> Iterator[Delta]:
    """Keys of a certain form were given a schema, or lost it.

    Why it matters: callers that send such keys may be refused; readers of such keys may find anything.

    Breaks (request):
        base: {type: object}
        head: {type: object, patternProperties: {"^x-": {type: string}}}

    Holds (request):
        base: {type: object, patternProperties: {"^x-": {type: string}}}
        head: {type: object}
    """
    base, head = pair.base.pattern_properties, pair.head.pattern_properties
    for pattern in sorted(base.keys() - head.keys()):
        yield Delta(
            Effect.NARROWED if pair.head.additional is None else Effect.WIDENED,
            f"says nothing of keys that match {pattern} any more",
            field="*",
            base=base[pattern].node,
            head=pair.head.node,
        )
    for pattern in sorted(head.keys() - base.keys()):
        yield Delta(
            Effect.WIDENED if pair.base.additional is None else Effect.NARROWED,
            f"limits what keys that match {pattern} may hold",
            base=pair.base.node,
            head=head[pattern].node,
            impact=Impact.POSSIBLE,
            hit=Hit.NOBODY,
        )


@rule("property-names-changed", area="schema", pair=ObjectPair, impact=Impact.POSSIBLE, claims=("propertyNames",))
def property_names_changed(pair: ObjectPair) -> Iterator[Delta]:
    """Keys must be written differently.

    Why it matters: an object with a key outside the new form is refused.

    Breaks (request):
        base: {type: object, propertyNames: {maxLength: 20}}
        head: {type: object, propertyNames: {maxLength: 10}}

    Holds (request):
        base: {type: object, propertyNames: {maxLength: 10}}
        head: {type: object, propertyNames: {maxLength: 20}}
    """
    effect = pair.relate(pair.base.property_names, pair.head.property_names)
    if effect is not None:
        yield Delta(
            effect,
            "has other rules for its keys",
            **pair.nodes(pair.base.property_names.node, pair.head.property_names.node),
        )


@rule("min-properties-changed", area="schema", pair=ObjectPair, impact=Impact.POSSIBLE, claims=("minProperties",))
def min_properties_changed(pair: ObjectPair) -> Iterator[Delta]:
    """The smallest accepted number of keys is another one.

    Why it matters: a caller that sends fewer keys is refused.

    Breaks (request):
        base: {type: object}
        head: {type: object, minProperties: 1}

    Holds (response):
        base: {type: object}
        head: {type: object, minProperties: 1}
    """
    yield from limit_changed(
        pair, pair.base.min_properties, pair.head.min_properties, upper=False, what="minProperties"
    )


@rule("max-properties-changed", area="schema", pair=ObjectPair, impact=Impact.POSSIBLE, claims=("maxProperties",))
def max_properties_changed(pair: ObjectPair) -> Iterator[Delta]:
    """The largest accepted number of keys is another one.

    Why it matters: a caller that sends more keys is refused.

    Breaks (request):
        base: {type: object, maxProperties: 20}
        head: {type: object, maxProperties: 10}

    Holds (request):
        base: {type: object, maxProperties: 10}
        head: {type: object}
    """
    yield from limit_changed(pair, pair.base.max_properties, pair.head.max_properties, upper=True, what="maxProperties")


@rule(
    "dependent-required-changed",
    area="schema",
    pair=ObjectPair,
    impact=Impact.POSSIBLE,
    claims=("dependentRequired", "dependencies"),
    aliases=each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="dependent-required-added")
    + each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="dependent-required-removed"),
)
def dependent_required_changed(pair: ObjectPair) -> Iterator[Delta]:
    """One property's presence asks for another's.

    Why it matters: a caller that sends the one without the other is refused.

    Breaks (request):
        base: {type: object, properties: {card: {type: string}, zip: {type: string}}}
        head: {type: object, properties: {card: {type: string}, zip: {type: string}}, dependentRequired: {card: [zip]}}

    Holds (request):
        base: {type: object, properties: {a: {type: string}, b: {type: string}}, dependentRequired: {a: [b]}}
        head: {type: object, properties: {a: {type: string}, b: {type: string}}}
    """
    base, head = pair.base.dependent_required, pair.head.dependent_required
    for (name, other), node in sorted(head.items()):
        if (name, other) not in base and other not in pair.base.required and name in pair.base.properties:
            yield Delta(
                Effect.NARROWED, f"now asks for {other} beside it", field=escape(name), base=pair.base.node, head=node
            )
    for (name, other), node in sorted(base.items()):
        if (name, other) not in head and other not in pair.head.required and name in pair.head.properties:
            yield Delta(
                Effect.WIDENED,
                f"no longer asks for {other} beside it",
                field=escape(name),
                base=node,
                head=pair.head.node,
            )


@rule(
    "dependent-schemas-changed",
    area="schema",
    pair=ObjectPair,
    impact=Impact.POSSIBLE,
    claims=("dependentSchemas", "dependencies"),
    aliases=each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="dependent-schema-added")
    + each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="dependent-schema-removed"),
)
def dependent_schemas_changed(pair: ObjectPair) -> Iterator[Delta]:
    """One property's presence puts the whole object under a further schema.

    Why it matters: a caller that sends the property may be refused for the rest of the object.

    Breaks (request):
        base: {type: object, properties: {a: {type: string}, b: {type: string}}}
        head:
          type: object
          properties: {a: {type: string}, b: {type: string}}
          dependentSchemas: {a: {required: [b]}}

    Holds (request):
        base: {type: object, properties: {a: {type: string}}, dependentSchemas: {a: {required: [b]}}}
        head: {type: object, properties: {a: {type: string}}}
    """
    base, head = pair.base.dependent_schemas, pair.head.dependent_schemas
    for name in sorted(head.keys() - base.keys()):
        if name in pair.base.properties:
            yield Delta(
                Effect.NARROWED,
                "puts the object under a further schema",
                field=escape(name),
                base=pair.base.node,
                head=head[name].node,
            )
    for name in sorted(base.keys() - head.keys()):
        yield Delta(
            Effect.WIDENED,
            "no longer puts the object under a further schema",
            field=escape(name),
            base=base[name].node,
            head=pair.head.node,
        )
