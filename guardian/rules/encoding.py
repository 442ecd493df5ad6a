"""How the parts of a form are written: content types, styles and headers of Encoding Objects, defaults filled in.

OpenAPI 3.1, Encoding Object: an object part is JSON, a text part plain, a binary part octets, an array as its items;
a style, where one is written, replaces the content type. Other media types than forms ignore encodings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from guardian.model import Confidence, Direction, Effect
from guardian.rules.pairs import Delta
from guardian.rules.part_matching import media_range_holds
from guardian.rules.walk import combine
from guardian.rules.walk_paths import escape
from guardian.rules.wire import written_as
from guardian.spec.api import MediaType, Node, Schema
from guardian.spec.media import parse_media_type
from guardian.spec.shape import ANYTHING, Atom, Shaper

_URLENCODED = "application/x-www-form-urlencoded"
_STYLE_KEYS = ("style", "explode", "allowReserved")
_BINARY_FORMATS = frozenset({"binary", "byte", "base64"})
_NOTHING: Mapping[str, object] = {}


def compare_encoding(base: MediaType, head: MediaType, direction: Direction) -> Iterator[Delta]:
    """One delta for each part of a form that both sides have and write differently."""
    if base.name != _URLENCODED and not base.name.startswith("multipart/"):
        return
    ours, theirs = _parts(base, direction), _parts(head, direction)
    for name in sorted(base.encoding.keys() | head.encoding.keys()):
        if name not in ours or name not in theirs:
            continue  # the part itself is gone or new, which is told of the schema
        before, after = _Part(base, name, ours[name], direction), _Part(head, name, theirs[name], direction)
        effect: Effect | None = None
        words: list[str] = []
        for change, word in (_style(before, after), _content_type(before, after), _headers(before, after)):
            if change is not None:
                effect = combine(effect, change)
                words.append(word)
        if words:
            guessed = None in {before.content_type, after.content_type} and not before.styled and not after.styled
            yield Delta(
                effect or Effect.ANNOTATION,
                f"the part `{name}` {' and '.join(words)}",
                field=escape(name),
                base=before.node,
                head=after.node,
                confidence=Confidence.POSSIBLE if guessed else None,
            )


class _Part:
    """One property of a form on one side, as it is written."""

    def __init__(self, media: MediaType, name: str, schema: Schema, direction: Direction) -> None:
        encoding = media.encoding.get(name)
        value = encoding.value if encoding else _NOTHING
        self.node: Node = encoding or media.node
        self.encoding = encoding
        self.styled = any(key in value for key in _STYLE_KEYS)
        style = value.get("style", "form")
        self.style = style if isinstance(style, str) else "form"
        self.explode = value.get("explode", self.style == "form") is True
        self.reserved = value.get("allowReserved") is True
        self.atoms = Shaper().shape(schema, direction).atoms
        self.urlencoded = media.name == _URLENCODED
        written = value.get("contentType")
        self.content_type = written if isinstance(written, str) else _default_type(self.atoms, direction)

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
    if base.reserved is not head.reserved:
        words = "no longer takes" if base.reserved else "takes"
        return (Effect.NARROWED if base.reserved else Effect.WIDENED), f"{words} reserved characters unencoded"
    return None, ""


def _content_type(base: _Part, head: _Part) -> tuple[Effect | None, str]:
    if base.styled or head.styled or base.content_type == head.content_type:
        return None, ""
    before, after = _types(base.content_type), _types(head.content_type)
    lost, gained = _uncovered(before, after), _uncovered(after, before)
    if not lost and not gained:
        return None, ""
    effect = Effect.CHANGED if lost and gained else Effect.NARROWED if lost else Effect.WIDENED
    return effect, f"is {_said(after)} instead of {_said(before)}"


def _types(text: str | None) -> list[str]:
    return [parse_media_type(each)[0] for each in (text or "").split(",") if each.strip()]


def _uncovered(types: list[str], others: list[str]) -> list[str]:
    return [each for each in types if not any(each == wide or media_range_holds(wide, each) for wide in others)]


def _said(types: list[str]) -> str:
    return " or ".join(types) or "what its schema suggests"


def _default_type(atoms: tuple[Atom, ...], direction: Direction) -> str | None:
    """The content type of a part that names none; None where its schema leaves that open."""
    found = {_default_of(atom, direction) for atom in atoms if atom.kind != "null"}
    return found.pop() if len(found) == 1 else None


def _default_of(atom: Atom, direction: Direction) -> str | None:
    if atom.kind == "object":
        return "application/json"
    if atom.kind == "array":
        items = Shaper().shape(atom.items, direction).atoms
        return None if any(each.kind == "array" for each in items) else _default_type(items, direction)
    binary = _BINARY_FORMATS & atom.formats.keys() or any("contentEncoding" in node.value for node in atom.nodes)
    return "application/octet-stream" if binary else "text/plain"


def _headers(base: _Part, head: _Part) -> tuple[Effect | None, str]:
    """Headers of a part, by name and whether they are demanded; only multipart has them."""
    if base.urlencoded:
        return None, ""
    before, after = _header_flags(base.encoding), _header_flags(head.encoding)
    if before == after:
        return None, ""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    demanded = any(after.get(name) for name in names)
    promised = any(before.get(name) for name in names)
    effect = Effect.CHANGED if demanded and promised else Effect.NARROWED if demanded else Effect.WIDENED
    if not demanded and not promised:
        effect = Effect.ANNOTATION
    return effect, f"has another header {' and '.join(f'`{name}`' for name in names)}"


def _header_flags(encoding: Node | None) -> dict[str, bool]:
    headers = encoding.value.get("headers") if encoding else None
    if not encoding or not isinstance(headers, dict):
        return {}
    documents = encoding.document.documents
    flags: dict[str, bool] = {}
    for name in headers:
        value = documents.follow(encoding.child("headers", name)).value
        if name.lower() != "content-type":  # said by contentType alone
            flags[name.lower()] = isinstance(value, dict) and value.get("required") is True
    return flags
