"""Rules on what is said of a value beside what it may be: its default, what document a text is, its days."""

from __future__ import annotations

from collections.abc import Iterator

from guardian.model import Confidence, Effect, Hit, Impact, Severity
from guardian.rules.facts import STABILITY, in_words, stability, turn
from guardian.rules.pairs import Delta, StringPair, UnionPair
from guardian.rules.registry import also, rule
from guardian.spec.api import Node, Schema
from guardian.spec.facets import media_type_of
from guardian.spec.shape import Shape, canonical


@rule("default-changed", area="schema", pair=UnionPair, hit=Hit.NOBODY, impact=Impact.SAFE, claims=("default",))
def default_changed(pair: UnionPair) -> Iterator[Delta]:
    """The default of a value is another one, or is there on one side only.

    Why it matters: the same messages are accepted and sent as before, so it breaks no contract; a default is not used
    in validation either. But whoever leaves the value out may now get something else, which only the server's code can
    tell: a note to read, and one to raise with ``severity`` where defaults are promises.

    Holds (request):
        base: {type: object, properties: {limit: {type: integer, default: 20}}}
        head: {type: object, properties: {limit: {type: integer, default: 50}}}

    Holds (parameter):
        base: {type: integer, default: 20}
        head: {type: integer}
    """
    base, head = pair.base.said.get("default"), pair.head.said.get("default")
    if base is None and head is None:
        return
    before, after = (canonical(node.value) if node else None for node in (base, head))
    if before == after:
        return
    if before is None:
        words = f"has a new default of {after}"
    elif after is None:
        words = f"has no default of {before} any more"
    else:
        words = f"changed its default from {before} to {after}"
    yield Delta(
        Effect.ANNOTATION, words, base=base or pair.base_node, head=head or pair.head_node, facts=(turn(base, head),)
    )


@rule(
    "content-changed",
    area="schema",
    pair=StringPair,
    impact=Impact.POSSIBLE,
    claims=("contentMediaType", "contentSchema"),
)
def content_changed(pair: StringPair) -> Iterator[Delta]:
    """A text holds another document: ``contentMediaType`` or ``contentSchema`` differ.

    Why it matters: who parses the text as JSON cannot read XML, and a field that is gone from the document in the text
    is as gone as any. Where one side says nothing of the text's content, it may have been that document all along: a
    warning. Plain text and octets are what any text is.

    Breaks (response):
        base: {type: string, contentMediaType: application/json}
        head: {type: string, contentMediaType: application/xml}

    Breaks (response):
        base:
          type: string
          contentMediaType: application/json
          contentSchema: {type: object, required: [id], properties: {id: {type: string}}}
        head:
          type: string
          contentMediaType: application/json
          contentSchema: {type: object}

    Warns (request):
        base: {type: string}
        head: {type: string, contentMediaType: application/json}

    Holds (response):
        base: {type: string, format: binary}
        head: {type: string, contentMediaType: application/octet-stream}
    """
    before, after = (_types(atom.documents) for atom in (pair.base, pair.head))
    if before.keys() != after.keys():
        effect = {"set": Effect.NARROWED, "unset": Effect.WIDENED}.get(turn(before, after), Effect.CHANGED)
        doubtful = effect is not Effect.CHANGED
        yield Delta(
            effect,
            in_words("contentMediaType", " and ".join(before) or None, " and ".join(after) or None),
            confidence=Confidence.POSSIBLE if doubtful else None,
            unproved=_SILENT if doubtful else "a validator does not look into the documents that texts hold",
            facts=("media-type",),
            **pair.nodes(next(iter(before.values()), None), next(iter(after.values()), None)),
        )
        return
    ours, theirs = (_schema(atom.documents) for atom in (pair.base, pair.head))
    below = pair.relate(ours, theirs)
    if below is not None:
        doubtful = not ours.nodes or not theirs.nodes
        yield Delta(
            below,
            "holds a document of another form",
            confidence=Confidence.POSSIBLE if doubtful else None,
            unproved=_SILENT if doubtful else "a validator does not look into the documents that texts hold",
            facts=("schema", turn(ours.nodes, theirs.nodes)),
            **pair.nodes(ours.node, theirs.node),
        )


_SILENT = "one side says nothing of the document that the text holds"


def _types(nodes: tuple[Node, ...]) -> dict[str, Node]:
    return {name: node.child("contentMediaType") for node in nodes if (name := media_type_of(node))}


def _schema(nodes: tuple[Node, ...]) -> Schema:
    return Schema(tuple(node.child("contentSchema") for node in nodes if "contentSchema" in node.value))


# -- lifecycle -----------------------------------------------------------------------------------------------------


@rule("property-deprecated", area="lifecycle", pair=UnionPair, impact=Impact.SAFE, claims=("deprecated",))
def property_deprecated(pair: UnionPair) -> Iterator[Delta]:
    """A field is announced to go away (``deprecated`` in a schema).

    Why it matters: it works as before, and whoever reads or sends it should now plan to do without it.

    Holds (response):
        base: {type: object, properties: {nick: {type: string}}}
        head: {type: object, properties: {nick: {type: string, deprecated: true}}}
    """
    base, head = pair.base.said, pair.head.said
    if _true(head.get("deprecated")) and not _true(base.get("deprecated")):
        yield Delta(
            Effect.ANNOTATION,
            "is deprecated",
            base=pair.base_node,
            head=head["deprecated"],
            facts=("sunset",) if "x-sunset" in head else (),
        )


@rule("property-undeprecated", area="lifecycle", pair=UnionPair, impact=Impact.SAFE, claims=("deprecated",))
def property_undeprecated(pair: UnionPair) -> Iterator[Delta]:
    """A field is no longer announced to go away.

    Why it matters: whoever was to do without it may keep it.

    Holds (response):
        base: {type: object, properties: {nick: {type: string, deprecated: true}}}
        head: {type: object, properties: {nick: {type: string}}}
    """
    base, head = pair.base.said, pair.head.said
    if _true(base.get("deprecated")) and not _true(head.get("deprecated")):
        yield Delta(Effect.ANNOTATION, "is no longer deprecated", base=base["deprecated"], head=pair.head_node)


def _true(node: Node | None) -> bool:
    return node is not None and node.value is True


@also("sunset-changed", pair=UnionPair, claims=("x-sunset",))
def field_sunset_changed(pair: UnionPair) -> Iterator[Delta]:
    """The day on which a field goes away is another one."""
    base, head = pair.base.said.get("x-sunset"), pair.head.said.get("x-sunset")
    before, after = (node.value if node else None for node in (base, head))
    if before != after:
        yield Delta(
            Effect.ANNOTATION,
            f"says: {in_words('x-sunset', before, after)}",
            base=base or pair.base_node,
            head=head or pair.head_node,
            facts=(turn(base, head),),
        )


@also("stability-changed", pair=UnionPair, claims=("x-stability-level",))
def field_stability_changed(pair: UnionPair) -> Iterator[Delta]:
    """A field promises more or less stability."""
    key = STABILITY.get()
    base, head = _level(pair.base, pair.base_node, key), _level(pair.head, pair.head_node, key)
    if base is None and head is None:
        return  # by far the most
    before, after = (node.value if node else None for node in (base, head))
    fact = stability(before, after)
    if fact is not None:
        fallen = fact == "decreased"
        yield Delta(
            Effect.ANNOTATION,
            f"says: {in_words(key, before, after)}",
            base=base or pair.base_node,
            head=head or pair.head_node,
            severity=Severity.WARNING if fallen else None,
            impact=Impact.POSSIBLE if fallen else Impact.SAFE,
            facts=(fact,),
        )


def _level(shape: Shape, node: Node | None, key: str) -> Node | None:
    """Where a schema says how stable it is: under the usual name anywhere, under another on itself or by reference."""
    if key in shape.said or node is None:
        return shape.said.get(key)
    if not isinstance(node.value, dict) or ("$ref" not in node.value and key not in node.value):
        return None
    layers = node.document.documents.layers(node)
    return next((each.child(key) for each in layers if isinstance(each.value, dict) and key in each.value), None)
