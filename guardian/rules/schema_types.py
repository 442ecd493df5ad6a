"""Rules on the JSON types that a value may have."""

from __future__ import annotations

from collections.abc import Iterator

from guardian.model import Confidence, Direction, Effect
from guardian.rules.facts import turn
from guardian.rules.messages import is_undecided
from guardian.rules.pairs import Delta, MediaTypePair, NumberPair, UnionPair
from guardian.rules.registry import also, rule
from guardian.spec.api import Schema
from guardian.spec.shape import Atom, Shape

# On the wire of a parameter everything is text: a free string takes whatever these are written as.
_TEXT_KINDS = frozenset({"boolean", "number", "null"})


@rule(
    "type-changed",
    area="schema",
    pair=UnionPair,
    claims=(
        "type",
        "items",
        "MediaType.schema",
        "MediaType.itemSchema",
        "Parameter.schema",
        "Header.schema",
        "Swagger.Parameter.type",
        "Swagger.Parameter.items",
        "Swagger.Header.type",
        "Swagger.Header.items",
    ),
)
def type_changed(pair: UnionPair) -> Iterator[Delta]:
    """The JSON type is another one, or there are more or fewer of them.

    Why it matters: a decoder written for one JSON type fails on another (one for integers fails on 1.5), and a server
    that no longer takes a type refuses what callers send. A free string in a parameter takes numbers and booleans,
    since all parameters are text, and lists and objects that are written as one text (``?ids=a,b``); so are the fields of
    a form that do not travel as JSON, and there no type at all means octets. So are the octets of a body that is neither
    JSON nor XML: there a text says no more than no schema does. What is described as a list says of a stream what its
    items alone say (3.2's ``itemSchema``); what is described as something else cannot be compared with them: a warning.

    Breaks (request):
        base: {type: string}
        head: {type: integer}

    Breaks (response):
        base: {type: string}
        head: {type: [string, array]}

    Breaks (parameter):
        base: {type: string}
        head: {type: boolean}

    Breaks (response):
        base: {type: integer}
        head: {type: number}

    Holds (response):
        base: {type: number}
        head: {type: integer}

    Holds (parameter):
        base: {type: integer}
        head: {type: string}

    Holds (request):
        base: {type: integer}
        head: {anyOf: [{type: string}, {type: integer}]}

    Warns (request):
        base: {properties: {id: {type: string}}}
        head: {type: object, properties: {id: {type: string}}}
    """
    if not pair.lost and not pair.gained:
        return
    shared = pair.base.kinds & pair.head.kinds
    lost = [atom for atom in pair.lost if atom.kind not in shared and atom.kind != "null"]
    gained = [atom for atom in pair.gained if atom.kind not in shared and atom.kind != "null"]
    said = _retyped(pair)
    if pair.octets:
        unsaid = any(map(_is_unsaid, (*lost, *gained)))
        lost, gained = ([atom for atom in atoms if not _is_unsaid(atom)] for atoms in (lost, gained))
        if unsaid and not lost and not gained:
            yield Delta(Effect.ANNOTATION, said, base=pair.base_node, head=pair.head_node, facts=tuple(_facts(pair)))
            return
    if pair.text:
        lost = [atom for atom in lost if not _taken_as_text(atom, pair.head) and not _taken_as_item(atom, pair)]
        gained = [atom for atom in gained if not _taken_as_text(atom, pair.base) and not _came_as_item(atom, pair)]
    same_text = pair.one_text and any(atom.kind in {"array", "object"} for atom in (*lost, *gained))
    if same_text:
        lost = [atom for atom in lost if not _is_one_text(atom, pair.head)]
        gained = [atom for atom in gained if not _is_one_text(atom, pair.base)]
    if not lost and not gained and not same_text:
        return
    effect = Effect.CHANGED if lost and gained else Effect.NARROWED if lost else Effect.WIDENED
    if not lost and not gained:  # the messages are what they were, and taken for something else
        effect = Effect.WIDENED if pair.direction is Direction.REQUEST else Effect.NARROWED
    decisive = [*lost] if pair.direction is Direction.REQUEST else [*gained]
    silent = bool(decisive) and all(atom.silent for atom in decisive)
    yield Delta(
        effect,
        said,
        base=pair.base_node,
        head=pair.head_node,
        confidence=Confidence.POSSIBLE if silent else None,
        unproved="one side never wrote its type, so what it meant can only be guessed" if silent else None,
        facts=tuple(_facts(pair)),
    )


@also("type-changed", pair=MediaTypePair)
def items_described(pair: MediaTypePair) -> Iterator[Delta]:
    """A stream described as a whole by one side, as something else than a list, and item by item by the other."""
    if not pair.base or not pair.head or not is_undecided(pair.base, pair.head, pair.direction):
        return
    now = "item by item, no longer as a whole" if pair.head.item_schema else "as a whole, no longer item by item"
    yield Delta(
        Effect.CHANGED,
        f"the stream {pair.head.name} is described {now}",
        base=pair.base.node,
        head=pair.head.node,
        confidence=Confidence.POSSIBLE,
        unproved="one side describes the whole stream and the other each of its items, which cannot be compared",
    )


def _retyped(pair: UnionPair) -> str:
    """What happened to the type in words; the same words on both sides where one of them never wrote it."""
    before, after = describe(pair.base), describe(pair.head)
    if before != after:
        return f"changed type from {before} to {after}"
    return f"now says its type, {after}" if pair.lost else f"no longer says its type, {before}"


def _facts(pair: UnionPair) -> Iterator[str]:
    if pair.base_node is None or pair.head_node is None:
        yield "schema"
        yield turn(pair.base_node, pair.head_node)
    if pair.base.kinds & pair.head.kinds - {"null"}:
        yield "list"


def _taken_as_item(atom: Atom, pair: UnionPair) -> bool:
    """A scalar in a parameter looks like an array of that one item."""
    return atom.kind not in {"array", "object"} and any(
        pair.relate(Schema(atom.nodes), each.items) in {None, Effect.WIDENED}
        for each in pair.head.of_kind("array")
        if _may_be_one(each)
    )


def _came_as_item(atom: Atom, pair: UnionPair) -> bool:
    """The same seen from the other side: base had arrays of that one item."""
    return atom.kind not in {"array", "object"} and any(
        pair.relate(each.items, Schema(atom.nodes)) in {None, Effect.NARROWED}
        for each in pair.base.of_kind("array")
        if _may_be_one(each)
    )


def _may_be_one(array: Atom) -> bool:
    return array.min_items is None or array.min_items.value <= 1


def _is_unsaid(atom: Atom) -> bool:
    """What is no text and only possible since no type is written: octets are never that."""
    return atom.kind != "string" and atom.free and not any("type" in node.value for node in atom.nodes)


def _taken_as_text(atom: Atom, shape: Shape) -> bool:
    return atom.kind in _TEXT_KINDS and any(each.free for each in shape.of_kind("string"))


def _is_one_text(atom: Atom, shape: Shape) -> bool:
    """A list or object that travels as one text is any string there."""
    return atom.kind in {"array", "object"} and any(each.free for each in shape.of_kind("string"))


def describe(shape: Shape) -> str:
    """The types of a shape in words: ``integer or string``; ``any type``, ``nothing``."""
    words: list[str] = []
    for atom in shape.atoms:
        word = "integer" if atom.kind == "number" and atom.integer else atom.kind
        if not atom.silent and word not in words:
            words.append(word)
    if len(shape.kinds) == 6 and len(words) == 6:
        return "any type"
    return " or ".join(words) or "nothing"


@also("type-changed", pair=NumberPair)
def integer_changed(pair: NumberPair) -> Iterator[Delta]:
    """Only whole numbers on one side, any number on the other."""
    if pair.base.enum is not None or pair.head.enum is not None or pair.base.integer == pair.head.integer:
        return
    words = "number to integer" if pair.head.integer else "integer to number"
    yield Delta(
        Effect.NARROWED if pair.head.integer else Effect.WIDENED,
        f"changed type from {words}",
        **pair.nodes(None, None),
    )


@rule(
    "nullability-changed",
    area="schema",
    pair=UnionPair,
    claims=("nullable", "x-nullable"),
)
def nullability_changed(pair: UnionPair) -> Iterator[Delta]:
    """null is accepted on one side only.

    Why it matters: a reader that was always given a value now meets null; a caller that sends null is refused.
    ``nullable: true``, ``type: [x, "null"]`` and a ``oneOf`` with null mean the same and are no change.

    Breaks (response):
        base: {type: string}
        head: {type: [string, "null"]}

    Breaks (request):
        base: {oneOf: [{type: string}, {type: "null"}]}
        head: {type: string}

    Holds (response):
        base: {type: [object, "null"], properties: {a: {type: string}}}
        head: {oneOf: [{type: "null"}, {type: object, properties: {a: {type: string}}}]}
    """
    if pair.text:
        return
    for atoms, effect, words in (
        (pair.lost, Effect.NARROWED, "is no longer nullable"),
        (pair.gained, Effect.WIDENED, "became nullable"),
    ):
        for atom in atoms:
            if atom.kind != "null" or (atom.silent and pair.base.kinds != {"null"} and len(atoms) > 1):
                continue
            yield Delta(
                effect,
                words,
                base=pair.base_node,
                head=pair.head_node,
                confidence=Confidence.POSSIBLE if atom.silent else None,
                unproved="one side never wrote its type, so what it meant can only be guessed" if atom.silent else None,
            )
