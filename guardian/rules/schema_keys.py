"""Rules on the keys of objects that are not declared one by one, on their number, and on what depends on them."""

from __future__ import annotations

from collections.abc import Iterator

from guardian.fieldpath import escape
from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules import patterns
from guardian.rules.facts import turn
from guardian.rules.keywords import texts
from guardian.rules.pairs import Delta, ObjectPair
from guardian.rules.registry import rule
from guardian.rules.schema_limits import limit_changed
from guardian.spec.api import Node, Schema
from guardian.spec.ecma import Undecidable
from guardian.spec.objects import undeclared
from guardian.spec.shape import Atom


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

    Why it matters: callers that send such keys may be refused; readers of such keys may find anything. A form is what it
    matches: keys that are of another form now are held against what is said of that one.

    Breaks (request):
        base: {type: object}
        head: {type: object, patternProperties: {"^x-": {type: string}}}

    Breaks (request):
        base: {type: object, patternProperties: {"^[a-z]+$": {type: string}}, additionalProperties: false}
        head: {type: object, patternProperties: {"^[a-f]+$": {type: string}}, additionalProperties: false}

    Holds (request):
        base: {type: object, patternProperties: {"^x-": {type: string}}}
        head: {type: object}

    Holds (request):
        base: {type: object, patternProperties: {"^x-": {type: string}}, additionalProperties: false}
        head: {type: object, patternProperties: {"^[xy]-": {type: string}}, additionalProperties: false}
    """
    base, head = pair.base.pattern_properties, pair.head.pattern_properties
    response = pair.direction is Direction.RESPONSE
    for pattern in sorted(base.keys() - head.keys()):
        if pair.head.additional is not None and pair.head.additional.nodes:
            continue  # now keys like all others, and compared with what is said of those
        if patterns.covered(pattern, head):
            continue  # now keys of another form, and compared with what is said of that
        closed = pair.head.additional is None
        takes = "holds" if response else "takes"
        yield Delta(
            Effect.NARROWED if closed else Effect.WIDENED,
            f"no longer {takes} every key that matches {pattern}"
            if closed
            else f"says nothing of keys that match {pattern} any more",
            field="*",
            base=base[pattern].node,
            head=pair.head.node,
            severity=Severity.WARNING if response and (closed or not is_free_form(pair.head)) else None,
            facts=("unset",),
        )
    for pattern in sorted(head.keys() - base.keys()):
        if (pair.base.additional is not None and pair.base.additional.nodes) or patterns.covered(pattern, base):
            continue
        closed = pair.base.additional is None
        yield Delta(
            Effect.WIDENED if closed else Effect.NARROWED,
            f"takes keys that match {pattern} now" if closed else f"limits what keys that match {pattern} may hold",
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
    base, head = pair.base.max_properties, pair.head.max_properties
    if base is None and head is None:
        return
    keys = sent_keys(pair)
    if keys is None or any(limit and limit.value < len(keys) for limit in (base, head)):
        yield from limit_changed(pair, base, head, upper=True, what="maxProperties")


def _asked(atom: Atom) -> set[tuple[str, str]]:
    """Which keys ask for which others beside them, in either way to say it."""
    found = set(atom.dependent_required)
    for name, schema in atom.dependent_schemas.items():
        found.update((name, other) for other in _requires(schema) or ())
    return found


def _requires(schema: Schema) -> list[str] | None:
    """The keys that a schema requires, if that is all that it says of an object."""
    required: list[str] = []
    for node in schema.nodes:
        if not isinstance(node.value, dict) or not node.value.keys() <= {"required", "type"}:
            return None
        if node.value.get("type", "object") != "object":
            return None
        required.extend(texts(node.value.get("required")))
    return required


def _is_asked(schema: Schema, name: str, other: Atom) -> bool:
    """Whether a schema that depends on a key asks for nothing but what the other side asks for beside that key anyway."""
    required = _requires(schema)
    asked = _asked(other) if required else ()
    return required is not None and all(each in other.required or (name, each) in asked for each in required)


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
    if not base and not head:
        return
    ours, theirs = _asked(pair.base), _asked(pair.head)
    for (name, other), node in sorted(head.items()):
        if (name, other) not in ours and other not in pair.base.required and may_hold(pair.base, name):
            yield Delta(
                Effect.NARROWED,
                f"now asks for {other} beside it",
                field=escape(name),
                base=pair.base.node,
                head=node,
                facts=("moved" if any(name == each for each, _ in base) else "set",),
            )
    for (name, other), node in sorted(base.items()):
        if (name, other) not in theirs and other not in pair.head.required and may_hold(pair.head, name):
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
        if may_hold(pair.base, name) and not _is_asked(head[name], name, pair.base):
            yield Delta(
                Effect.NARROWED,
                "puts the object under a further schema",
                field=escape(name),
                base=pair.base.node,
                head=head[name].node,
                facts=("set",),
            )
    for name in sorted(base.keys() - head.keys()):
        if _is_asked(base[name], name, pair.head):
            continue
        yield Delta(
            Effect.WIDENED,
            "no longer puts the object under a further schema",
            field=escape(name),
            base=base[name].node,
            head=pair.head.node,
            facts=("unset",),
        )
