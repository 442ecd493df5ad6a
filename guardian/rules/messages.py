"""Which schemas of two media types say the same of a message, and so are compared; and which messages have no body.

What is neither JSON nor XML nor a form is octets to a schema: none at all, an empty one and a text say the same. And a
stream (OpenAPI 3.2) may be described as a list or item by item.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from guardian.model import Direction
from guardian.rules.plain import FOR_PEOPLE
from guardian.rules.xml import is_xml
from guardian.spec.api import MediaType, Node, Operation, Response, Schema
from guardian.spec.media import is_json, parse_media_type
from guardian.spec.shape import Atom, canonical
from guardian.spec.shaper import Shaper

# What schemas of OpenAPI describe, beside JSON and XML.
_STRUCTURED = frozenset((
    "application/x-www-form-urlencoded", "application/jsonl", "application/x-ndjson", "application/x-jsonlines",
    "application/json-seq", "text/event-stream", "text/yaml", "text/x-yaml",
))  # fmt: skip
_STRUCTURED_ENDINGS = ("+jsonl", "+json-seq")
# Of these any message is some text or some octets. Of others, such as YAML, CBOR and ranges, a schema can say more.
_OCTET_KINDS = ("text/", "image/", "audio/", "video/", "font/")
_OCTET_TYPES = frozenset(("octet-stream", "pdf", "zip", "gzip", "x-tar", "x-gzip", "x-7z-compressed"))
_MARKS = frozenset(("contentMediaType", "contentEncoding"))
_NO_BODY = frozenset(("204", "205", "304"))


class Compared(NamedTuple):
    """One pair of schemas of a message: of all of it, or of each of its items."""

    base: Schema | None
    head: Schema | None
    field: str = ""


def has_body(operation: Operation, response: Response) -> bool:
    """Whether a response can have a body at all (RFC 9110, sections 6.4.1 and 15).

    None has an answer to HEAD, an interim one, and one with a status that says so.
    """
    status = response.status
    return operation.method != "HEAD" and status not in _NO_BODY and not status.startswith("1")


def compared(base: MediaType, head: MediaType, direction: Direction) -> Iterator[Compared]:
    """The schemas of two media types that are compared, in pairs; see ``is_undecided`` for what is not."""
    if not base.item_schema and not head.item_schema:
        yield Compared(_of_octets(base, head, direction), _of_octets(head, base, direction))
        return
    if is_undecided(base, head, direction):
        return
    # What says no more than that it is a list of items says it item by item, too.
    if bool(_whole(base)) is bool(_whole(head)):
        yield Compared(base.schema, head.schema)
    yield Compared(_items(base, direction), _items(head, direction), "[]")


def is_undecided(base: MediaType, head: MediaType, direction: Direction) -> bool:
    """Whether one side describes a stream as a whole that is no list, and the other its items alone."""
    if not base.item_schema and not head.item_schema:
        return False
    for one, other in ((base, head), (head, base)):
        if _whole(one) and not _whole(other):
            return _listed(_whole(one), direction) is None
    return False


def _whole(media: MediaType) -> Schema | None:
    return media.schema if media.schema and not _is_empty(media.schema) else None


def _items(media: MediaType, direction: Direction) -> Schema | None:
    return media.item_schema or _listed(media.schema, direction)


def _listed(schema: Schema | None, direction: Direction) -> Schema | None:
    """The items of a schema that says nothing but that there is a list of them."""
    atoms = Shaper().shape(schema, direction).atoms if schema else ()
    if len(atoms) != 1 or atoms[0].kind != "array":
        return None
    items = atoms[0].items
    return items if _says_no_more(atoms[0]) else None


def _says_no_more(atom: Atom) -> bool:
    """Whether an alternative says nothing but its type and the schema of its items."""
    return all(
        isinstance(node.value, dict) and node.value.keys() <= FOR_PEOPLE | {"type", "items"} for node in atom.nodes
    )


# -- octets ------------------------------------------------------------------------------------------------------------


def _of_octets(media: MediaType, other: MediaType, direction: Direction) -> Schema | None:
    """The schema of a media type; if it says nothing, and the other that octets are some text, any text."""
    schema = media.schema
    if not other.schema or (schema and not _is_empty(schema)):
        return schema
    if not all(_is_plain(each.name) for each in (media, other)):
        return schema
    atoms = Shaper().shape(other.schema, direction).atoms
    if {atom.kind for atom in atoms} != {"string"}:
        return schema
    if not all(_are_octets(each.name) for each in (media, other)) and not all(map(_is_marked, atoms)):
        return schema
    # A media type says by its name what the other may say again.
    again = {"contentMediaType": other.name} if _repeats(atoms, other.name) else {}
    return Schema((_TextNode(media.node, {"type": "string", **again}),))


class _TextNode(Node):
    """What stands for a schema that is not written, in the place of the media type that lacks it."""

    __slots__ = ()

    def __init__(self, media: Node, value: dict[str, str]) -> None:
        super().__init__(media.document, media.pointer, value)
        # It is no other node of this place.
        self.key = (f"{media.document.uri}#{canonical(value)}", media.pointer)


def _is_empty(schema: Schema) -> bool:
    """Whether a schema says nothing, as it is written."""
    return all(
        node.value is True
        or (isinstance(node.value, dict) and all(key in FOR_PEOPLE or key.startswith("x-") for key in node.value))
        for node in schema.nodes
    )


def _is_plain(name: str) -> bool:
    """Whether a media type has no structure that schemas of OpenAPI are known to describe."""
    known = is_json(name) or is_xml(name) or name in _STRUCTURED or name.startswith("multipart/")
    return not known and not name.endswith(_STRUCTURED_ENDINGS)


def _are_octets(name: str) -> bool:
    kind, _, rest = name.partition("/")
    return rest != "*" and (name.startswith(_OCTET_KINDS) or (kind == "application" and rest in _OCTET_TYPES))


def _repeats(atoms: tuple[Atom, ...], name: str) -> bool:
    """Whether texts are said to be what a media type says."""
    return any(
        isinstance(said := node.value.get("contentMediaType"), str) and parse_media_type(said)[0] == name
        for atom in atoms
        for node in atom.nodes
    )


def _is_marked(atom: Atom) -> bool:
    """Whether a text says that it is octets."""
    return "binary" in atom.formats or any(not _MARKS.isdisjoint(node.value) for node in atom.nodes)
