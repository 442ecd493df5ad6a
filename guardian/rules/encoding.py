"""How the parts of a form are written: content types, styles and headers of Encoding Objects, defaults filled in.

OpenAPI 3.1, Encoding Object: an object part is JSON, a text part plain, a binary part or one without a type octets, an
array as its items; a style, where one is written, replaces the content type. Octets that no encoding speaks of may be
anything (RFC 2046, 4.5.1). Other media types than forms ignore encodings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from guardian.fieldpath import escape
from guardian.model import Confidence, Direction, Effect
from guardian.rules.form_fields import URLENCODED, field_of, said_by
from guardian.rules.pairs import Delta
from guardian.rules.part_matching import media_range_holds
from guardian.rules.walk import combine
from guardian.rules.wire import may_hold_reserved, written_as
from guardian.spec.api import MediaType, Node, Parameter, Schema
from guardian.spec.media import parse_media_type
from guardian.spec.parameters import read_header
from guardian.spec.reading import object_at
from guardian.spec.shape import ANYTHING, Atom
from guardian.spec.shaper import Shaper

_BINARY_FORMATS = frozenset({"binary", "byte", "base64"})
_NOTHING: Mapping[str, object] = {}
_OCTETS = "application/octet-stream"
_KINDS = 6
_NESTED = frozenset(("encoding", "prefixEncoding", "itemEncoding"))


def compare_encoding(base: MediaType, head: MediaType, direction: Direction) -> Iterator[Delta]:
    """One delta for each part of a form that both sides have and write differently."""
    if base.name != URLENCODED and not base.name.startswith("multipart/"):
        return
    ours, theirs = _parts(base, direction), _parts(head, direction)
    for name in sorted(base.encoding.keys() | head.encoding.keys()):
        if name not in ours or name not in theirs:
            continue  # the part itself is gone or new, which is told of the schema
        before = _Part(base, base.encoding.get(name), ours[name], direction)
        after = _Part(head, head.encoding.get(name), theirs[name], direction)
        yield from _compare(before, after, f"the part `{name}`", escape(name))
    for position in range(max(len(_positions(base)), len(_positions(head))) + 1):
        before, after = _at(base, position, direction), _at(head, position, direction)
        if before.encoding or after.encoding:
            yield from _compare(before, after, f"part {position + 1}", "[]")


def shared_headers(base: MediaType, head: MediaType) -> Iterator[tuple[str, Parameter, Parameter]]:
    """The headers that a part of a form has on both sides, with the part's name."""
    for name in sorted(base.encoding.keys() & head.encoding.keys()):
        ours, theirs = (_headers_of(media.encoding[name]) for media in (base, head))
        for key in sorted(ours.keys() & theirs.keys()):
            yield name, ours[key], theirs[key]


def _compare(before: _Part, after: _Part, what: str, field: str) -> Iterator[Delta]:
    effect: Effect | None = None
    words: list[str] = []
    for change, word in (
        _style(before, after), _content_type(before, after), _empty(before, after),
        _headers(before, after), _nested(before, after),
    ):  # fmt: skip
        if change is not None:
            effect = combine(effect, change)
            words.append(word)
    if words:
        guessed = (before.guessed or after.guessed) and not before.styled and not after.styled
        yield Delta(
            effect or Effect.ANNOTATION,
            f"{what} {' and '.join(words)}",
            field=field,
            base=before.node,
            head=after.node,
            confidence=Confidence.POSSIBLE if guessed else None,
        )


def _positions(media: MediaType) -> list[Node]:
    """The encodings of the first parts of a multipart body without names (OpenAPI 3.2)."""
    value = media.node.value
    listed = value.get("prefixEncoding") if isinstance(value, dict) else None
    return (
        [media.node.child("prefixEncoding", index) for index in range(len(listed))] if isinstance(listed, list) else []
    )


def _at(media: MediaType, position: int, direction: Direction) -> _Part:
    """The part at a position: its own encoding, else that of all that follow the first ones."""
    listed, value = _positions(media), media.node.value
    rest = media.node.child("itemEncoding") if isinstance(value, dict) and "itemEncoding" in value else None
    schema = media.item_schema or ANYTHING
    for atom in Shaper().shape(media.schema or ANYTHING, direction).of_kind("array"):
        schema = atom.prefix[position] if position < len(atom.prefix) else atom.items if atom.items.nodes else schema
    return _Part(media, listed[position] if position < len(listed) else rest, schema, direction)


class _Part:
    """One part of a form on one side, as it is written."""

    def __init__(self, media: MediaType, encoding: Node | None, schema: Schema, direction: Direction) -> None:
        value = said_by(encoding, media.name)
        self.node: Node = encoding or media.node
        self.encoding = encoding
        self.value = value
        self.style, self.explode, self.styled, written = field_of(encoding, media.name)
        self.atoms = Shaper().shape(schema, direction).atoms
        self.reserved = value.get("allowReserved") is True
        self.empty = value.get("allowEmptyValue") is True
        self.urlencoded = media.name == URLENCODED
        self.content_type = written or _default_type(self.atoms, direction)
        untyped = not written and len({atom.kind for atom in self.atoms}) == _KINDS
        self.guessed = untyped or self.content_type is None
        self.any_octets = not written and self.content_type == _OCTETS

    def looks(self, kind: str) -> str:
        """What a value of a JSON type looks like in the form."""
        if kind == "object" and not self.styled:
            return "json"
        return written_as(self.style, self.explode, kind)


def _parts(media: MediaType, direction: Direction) -> dict[str, Schema]:
    parts: dict[str, Schema] = {}
    for atom in Shaper().shape(media.schema or ANYTHING, direction).of_kind("object"):
        for name, schema in atom.properties.items():
            parts.setdefault(name, schema)
    return parts


def _style(base: _Part, head: _Part) -> tuple[Effect | None, str]:
    if not (base.urlencoded or base.styled or head.styled):
        return None, ""
    kinds = {atom.kind for atom in base.atoms} & {atom.kind for atom in head.atoms} & {"array", "object"}
    for kind in sorted(kinds):
        before, after = base.looks(kind), head.looks(kind)
        if before != after:
            return Effect.CHANGED, f"is written `{after}` instead of `{before}`"
    if base.reserved is not head.reserved and all(may_hold_reserved(each.atoms) for each in (base, head)):
        words = "no longer takes" if base.reserved else "takes"
        return (Effect.NARROWED if base.reserved else Effect.WIDENED), f"{words} reserved characters unencoded"
    return None, ""


def _content_type(base: _Part, head: _Part) -> tuple[Effect | None, str]:
    if base.styled or head.styled or base.content_type == head.content_type:
        return None, ""
    before, after = _types(base.content_type), _types(head.content_type)
    lost = [] if head.any_octets else _uncovered(before, after)
    gained = [] if base.any_octets else _uncovered(after, before)
    if not lost and not gained:
        return None, ""
    effect = Effect.CHANGED if lost and gained else Effect.NARROWED if lost else Effect.WIDENED
    return effect, f"is {_said(after)} instead of {_said(before)}"


def _empty(base: _Part, head: _Part) -> tuple[Effect | None, str]:
    """Whether a field may be sent without a value, which 2.0 alone says of forms."""
    if base.empty is head.empty or {each.node.document.dialect for each in (base, head)} != {"2.0"}:
        return None, ""
    return (Effect.NARROWED, "must have a value") if base.empty else (Effect.WIDENED, "need not have a value")


def _types(text: str | None) -> list[str]:
    return [parse_media_type(each)[0] for each in (text or "").split(",") if each.strip()]


def _uncovered(types: list[str], others: list[str]) -> list[str]:
    return [each for each in types if not any(each == wide or media_range_holds(wide, each) for wide in others)]


def _said(types: list[str]) -> str:
    return " or ".join(types) or "what its schema suggests"


def _default_type(atoms: tuple[Atom, ...], direction: Direction) -> str | None:
    """The content type of a part that names none; None where its schema leaves that open."""
    if len({atom.kind for atom in atoms}) == _KINDS:
        return _OCTETS
    found = {_default_of(atom, direction) for atom in atoms if atom.kind != "null"}
    return found.pop() if len(found) == 1 else None


def _default_of(atom: Atom, direction: Direction) -> str | None:
    if atom.kind == "object":
        return "application/json"
    if atom.kind == "array":
        items = Shaper().shape(atom.items, direction).atoms
        return None if any(each.kind == "array" for each in items) else _default_type(items, direction)
    binary = _BINARY_FORMATS & atom.formats.keys() or any("contentEncoding" in node.value for node in atom.nodes)
    return _OCTETS if binary else "text/plain"


def _nested(base: _Part, head: _Part) -> tuple[Effect | None, str]:
    """Parts within a part (OpenAPI 3.2): only whether they are written the same."""
    before, after = ({key: part.value[key] for key in _NESTED & part.value.keys()} for part in (base, head))
    return (None, "") if before == after else (Effect.CHANGED, "has parts of its own that are written differently")


def _headers_of(encoding: Node) -> dict[str, Parameter]:
    """The headers of an Encoding Object by name in lower case; Content-Type is said by contentType alone."""
    headers = encoding.value.get("headers") if isinstance(encoding.value, dict) else None
    found: dict[str, Parameter] = {}
    for name in headers if isinstance(headers, dict) else ():
        header = read_header(name, object_at(encoding.child("headers", name), f"header {name!r}"))
        if header is not None:
            found[name.lower()] = header
    return found


def _headers(base: _Part, head: _Part) -> tuple[Effect | None, str]:
    """Headers of a part, by name and whether they are demanded; only multipart has them."""
    if base.urlencoded:
        return None, ""
    before, after = (
        {name: header.required for name, header in (_headers_of(part.encoding) if part.encoding else {}).items()}
        for part in (base, head)
    )
    if before == after:
        return None, ""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    demanded = any(after.get(name) for name in names)
    promised = any(before.get(name) for name in names)
    effect = Effect.CHANGED if demanded and promised else Effect.NARROWED if demanded else Effect.WIDENED
    if not demanded and not promised:
        effect = Effect.ANNOTATION
    return effect, f"has another header {' and '.join(f'`{name}`' for name in names)}"
