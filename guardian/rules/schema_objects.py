"""Rules on objects: properties, what is guaranteed of them, and what else may be there.

INTERFACE: a key that a side does not declare is not sent by that side, also where ``additionalProperties`` would
allow it. So these rules speak of declared keys, and for responses of guarantees.
"""

from __future__ import annotations

from collections.abc import Iterator

from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules import patterns
from guardian.rules.facts import turn
from guardian.rules.pairs import Delta, ObjectPair
from guardian.rules.registry import rule
from guardian.rules.renames import likely_rename
from guardian.rules.schema_values import limit_changed
from guardian.rules.walk_paths import escape
from guardian.spec.api import Node, Schema
from guardian.spec.ecma import Undecidable
from guardian.spec.facets import undeclared
from guardian.spec.shape import Atom

_GONE_REQUIRED = "every reader was promised this property, and now finds nothing"
_GONE_OPTIONAL = (
    "whoever reads this property finds nothing; base never promised it, so only its readers can say if it hurts"
)


def declared(atom: Atom, name: str) -> bool:
    """True if the side says anything of this property: declares it, requires it, or hides it."""
    return name in atom.properties or name in atom.required or name in atom.hidden


def may_hold(atom: Atom, name: str) -> bool:
    """Whether a side that sends this object may send this key: it declares it, or all keys of its kind."""
    said = undeclared(atom, name)
    return name in atom.properties or name in atom.required or (said is not None and bool(said.nodes))


def is_free_form(atom: Atom) -> bool:
    """Whether an object is open and declares no key at all, so that any key is sent."""
    declares = atom.properties or atom.required or atom.pattern_properties
    return atom.additional is not None and not atom.additional.nodes and not declares


def _name_fits(atom: Atom, name: str) -> bool | None:
    """Whether ``propertyNames`` lets a name through; None where that cannot be told from plain limits."""
    for node in atom.property_names.nodes:
        value = node.value
        if not isinstance(value, dict) or not value.keys() <= {"type", "minLength", "maxLength", "pattern", "enum"}:
            return None
        try:
            if "pattern" in value and not patterns.found(str(value["pattern"]), name):
                return False
        except Undecidable:
            return None
        if not value.get("minLength", 0) <= len(name) <= value.get("maxLength", len(name)):
            return False
        if name not in value.get("enum", [name]) or "string" not in value.get("type", "string"):
            return False
    return True


def sent_keys(pair: ObjectPair) -> list[str] | None:
    """The keys that the sending side may send; None for maps and for objects of which no key is declared."""
    sender = pair.base if pair.direction is Direction.REQUEST else pair.head
    names = sender.properties.keys() | sender.required.keys()
    mapped = sender.additional is not None and (bool(sender.additional.nodes) or not names)
    return None if mapped or sender.pattern_properties else sorted(names)


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
    for name in _names(pair.head):
        if declared(pair.base, name) or (pair.direction is Direction.REQUEST and name in pair.head.required):
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
            yield Delta(
                Effect.CHANGED if name in pair.base.hidden else Effect.NARROWED,
                "is a new required property",
                field=escape(name),
                base=_parent(pair.base),
                head=_where(pair.head, name) or pair.head.required[name],
                facts=(*_with_default(_where(pair.head, name)), *(("hidden",) if name in pair.base.hidden else ())),
            )


@rule(
    "property-became-required",
    area="schema",
    pair=ObjectPair,
    hit=Hit.NON_SENDER,
    claims=("required",),
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
    for name in pair.head.required:
        if name in pair.base.properties and name not in pair.base.required:
            yield Delta(
                Effect.NARROWED,
                "became required",
                field=escape(name),
                base=_where(pair.base, name),
                head=pair.head.required[name],
                facts=_with_default(_where(pair.head, name)),
            )


@rule(
    "property-became-optional",
    area="schema",
    pair=ObjectPair,
    claims=("required",),
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
    for name in pair.base.required:
        if name in pair.head.properties and name not in pair.head.required:
            yield Delta(
                Effect.WIDENED,
                "became optional",
                field=escape(name),
                base=pair.base.required[name],
                head=_where(pair.head, name),
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


@rule(
    "additional-properties-changed",
    area="schema",
    pair=ObjectPair,
    impact=Impact.POSSIBLE,
    claims=("additionalProperties", "unevaluatedProperties"),
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
    facts = ("unevaluated",) if _unevaluated(pair.base.additional_node, pair.head.additional_node) else ()
    mapped = base is not None and bool(base.nodes)
    if base is not None and head is None:
        if mapped and not request:
            yield Delta(
                Effect.NARROWED, "holds no other keys any more", field="*", severity=Severity.WARNING,
                impact=Impact.BROKEN, facts=facts, **nodes,
            )  # fmt: skip
        elif mapped:
            yield Delta(
                Effect.NARROWED, "takes no other keys any more", field="*", impact=Impact.BROKEN, facts=facts, **nodes
            )
        elif request:
            yield Delta(
                Effect.NARROWED,
                "takes no undeclared keys any more",
                confidence=Confidence.POSSIBLE,
                unproved="base left the object open without saying which other keys are sent",
                hit=Hit.NOBODY,
                facts=facts,
                **nodes,
            )
        else:
            yield Delta(Effect.NARROWED, "holds no undeclared keys any more", hit=Hit.NOBODY, facts=facts, **nodes)
    elif base is None and head is not None:
        if head.nodes and not request:
            yield Delta(
                Effect.WIDENED, "may hold keys that were never declared", severity=Severity.INFO,
                hit=Hit.DECODER, impact=Impact.SAFE, strict_impact=Impact.BROKEN, facts=facts, **nodes,
            )  # fmt: skip
        else:
            yield Delta(
                Effect.WIDENED,
                "is open for other keys now",
                severity=Severity.INFO,
                hit=Hit.NOBODY,
                facts=facts,
                **nodes,
            )
    elif base is not None and head is not None and bool(base.nodes) != bool(head.nodes):
        if head.nodes:  # open became a map with a schema
            yield Delta(
                Effect.NARROWED,
                "takes only certain values under undeclared keys",
                confidence=Confidence.POSSIBLE,
                unproved="base left the object open without saying which other keys are sent",
                hit=Hit.NOBODY,
                facts=facts,
                **nodes,
            )
        elif request:
            yield Delta(Effect.WIDENED, "takes any value under other keys", hit=Hit.NOBODY, facts=facts, **nodes)
        else:
            # An object with declared keys sends no others; a free-form one sends anything.
            free = is_free_form(pair.head)
            yield Delta(
                Effect.WIDENED,
                "may hold any value under other keys" if free else "declares no other keys any more",
                field="*",
                severity=None if free else Severity.WARNING,
                impact=None if free else Impact.BROKEN,
                facts=facts,
                **nodes,
            )


def _unevaluated(*nodes: Node | None) -> bool:
    return any(node is not None and node.pointer.endswith("/unevaluatedProperties") for node in nodes)


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
    response = pair.direction is Direction.RESPONSE
    for pattern in sorted(base.keys() - head.keys()):
        if pair.head.additional is not None and pair.head.additional.nodes:
            continue  # now keys like all others, and compared with what is said of those
        closed = pair.head.additional is None
        yield Delta(
            Effect.NARROWED if closed else Effect.WIDENED,
            f"says nothing of keys that match {pattern} any more",
            field="*",
            base=base[pattern].node,
            head=pair.head.node,
            severity=Severity.WARNING if response and (closed or not is_free_form(pair.head)) else None,
            facts=("unset",),
        )
    for pattern in sorted(head.keys() - base.keys()):
        if pair.base.additional is not None and pair.base.additional.nodes:
            continue
        yield Delta(
            Effect.WIDENED if pair.base.additional is None else Effect.NARROWED,
            f"limits what keys that match {pattern} may hold",
            base=pair.base.node,
            head=head[pattern].node,
            # Only an object of which no key is declared sends keys that are not declared.
            severity=None if not response and is_free_form(pair.base) else Severity.INFO,
            impact=Impact.POSSIBLE,
            hit=Hit.NOBODY,
            facts=("set",),
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
        keys = sent_keys(pair)
        fits = [(_name_fits(pair.base, key), _name_fits(pair.head, key)) for key in keys or ()]
        if keys is not None and all(one is not None and one == other for one, other in fits):
            return  # other keys are not sent
        fixed = keys is not None
        yield Delta(
            effect,
            "has other rules for its keys",
            confidence=Confidence.POSSIBLE if fixed else None,
            unproved="only the declared keys are sent, and they may all be written so" if fixed else None,
            facts=(turn(pair.base.property_names.nodes, pair.head.property_names.nodes),),
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
    base, head = (atom.min_properties.value if atom.min_properties else 0 for atom in (pair.base, pair.head))
    narrowed = head > max(base, len(pair.base.required))
    widened = base > max(head, len(pair.head.required))
    if narrowed or widened:  # else what is required says more
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
    keys = sent_keys(pair)
    if keys is None or any(
        limit and limit.value < len(keys) for limit in (pair.base.max_properties, pair.head.max_properties)
    ):
        yield from limit_changed(
            pair, pair.base.max_properties, pair.head.max_properties, upper=True, what="maxProperties"
        )


@rule(
    "dependent-required-changed",
    area="schema",
    pair=ObjectPair,
    impact=Impact.POSSIBLE,
    claims=("dependentRequired", "dependencies"),
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
        if (name, other) not in base and other not in pair.base.required and may_hold(pair.base, name):
            yield Delta(
                Effect.NARROWED,
                f"now asks for {other} beside it",
                field=escape(name),
                base=pair.base.node,
                head=node,
                facts=("moved" if any(name == each for each, _ in base) else "set",),
            )
    for (name, other), node in sorted(base.items()):
        if (name, other) not in head and other not in pair.head.required and may_hold(pair.head, name):
            yield Delta(
                Effect.WIDENED,
                f"no longer asks for {other} beside it",
                field=escape(name),
                base=node,
                head=pair.head.node,
                facts=("moved" if any(name == each for each, _ in head) else "unset",),
            )


@rule(
    "dependent-schemas-changed",
    area="schema",
    pair=ObjectPair,
    impact=Impact.POSSIBLE,
    claims=("dependentSchemas", "dependencies"),
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
        if may_hold(pair.base, name):
            yield Delta(
                Effect.NARROWED,
                "puts the object under a further schema",
                field=escape(name),
                base=pair.base.node,
                head=head[name].node,
                facts=("set",),
            )
    for name in sorted(base.keys() - head.keys()):
        yield Delta(
            Effect.WIDENED,
            "no longer puts the object under a further schema",
            field=escape(name),
            base=base[name].node,
            head=pair.head.node,
            facts=("unset",),
        )
