"""How the fields of a form travel: as text that has no types, or as JSON, and which values write nothing at all.

OpenAPI 3.1, Encoding Object: a style, where one is written, replaces the content type; without either an object is
JSON, a scalar is plain text, and an array is its items, each of them alone. So an empty array sends no field, and an
empty object none where it has a style; as JSON both are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, NamedTuple, TypeAlias

from guardian.model import Direction
from guardian.rules.url_text import MAX_READINGS, as_one_text, readings, write, write_json
from guardian.spec.api import MediaType, Node
from guardian.spec.media import JSON, parse_media_type

URLENCODED = "application/x-www-form-urlencoded"
_STYLE_KEYS = frozenset(("style", "explode", "allowReserved"))
# The media types whose fields have styles, by dialect: 3.0 says to ignore them in multipart bodies.
_STYLED = {"3.0": (URLENCODED,)}
_STYLED_SINCE = (URLENCODED, "multipart/form-data")
_NOTHING: Mapping[str, object] = {}


class FormField(NamedTuple):
    """How one field is written; without ``styled`` its content type counts, which is empty where none is written."""

    style: str = "form"
    explode: bool = True
    styled: bool = False
    content_type: str = ""

    @property
    def is_deep(self) -> bool:
        """Whether each value inside is a field of its own, so that what is empty inside is not there."""
        return self.styled and self.style == "deepObject"

    @property
    def says_json(self) -> bool:
        """Whether its content type says that all of it is JSON."""
        names = [parse_media_type(each)[0] for each in self.content_type.split(",") if each.strip()]
        return not self.styled and bool(names) and all(name == JSON or name.endswith("+json") for name in names)

    def is_json(self, value: Any) -> bool:
        """Whether a value, or each item of it, travels as JSON, and so with its types."""
        if self.styled or self.content_type:
            return self.says_json
        return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value))

    def is_sent(self, value: Any) -> bool:
        """Whether a value writes anything: only then the field is there."""
        if value or not isinstance(value, list | dict) or self.says_json:
            return True
        return isinstance(value, dict) and not self.styled

    def below(self, steps: Sequence[str]) -> FormField:
        """How a value that is so many steps below the field is written."""
        if self.styled:
            return TEXT if steps and not self.is_deep else self  # styles say how the outermost value is written
        inside = any(step != "[]" for step in steps)
        return _AS_JSON if inside and not self.content_type else self

    def readings(self, value: Any) -> Iterator[Any]:
        """What a value may be read as; the value itself first."""
        if not self.is_json(value):
            yield from readings(value, as_one_text(value, self.style, self.explode) if self.styled else None)
            return
        yield value
        if not self.content_type:  # one item alone looks like no array
            if isinstance(value, dict):
                yield [value]
            elif len(value) == 1:
                yield value[0]

    def write(self, name: str, value: Any) -> str:
        """The text of the field in an urlencoded form."""
        if self.says_json or (isinstance(value, dict) and not self.styled):
            return write_json(value, name)
        return write(value, name, "form", self.style, self.explode) if self.is_sent(value) else ""


class Form(NamedTuple):
    """How a form is written whose fields are these; all others are written as is the default."""

    fields: tuple[tuple[str, FormField], ...] = ()
    multipart: bool = False

    def field(self, name: str) -> FormField:
        return dict(self.fields).get(name, _PLAIN)

    def readings(self, message: Any) -> Iterator[Any]:
        """What a whole form may be read as; the message itself first."""
        yield message
        if isinstance(message, dict):
            each_read = [tuple(self.field(name).readings(value)) for name, value in message.items()]
            for choice in islice(product(*each_read), MAX_READINGS):
                yield dict(zip(message, choice, strict=True))

    def write(self, message: Mapping[str, Any]) -> str:
        """The text of an urlencoded form."""
        return "&".join(filter(None, (self.field(name).write(name, value) for name, value in message.items())))


#: How a value is written: as part of a form, as the text of a parameter (a styled field), or as JSON if None.
Writing: TypeAlias = Form | FormField | None

TEXT = FormField(styled=True)
_PLAIN = FormField()
_AS_JSON = FormField(content_type=JSON)


def form_of(base: MediaType, head: MediaType, direction: Direction) -> Form | None:
    """How the sending side writes a form; None if the two media types are no forms of one kind."""
    sender = base if direction is Direction.REQUEST else head
    fields = tuple((name, field_of(node, sender.name)) for name, node in sorted(sender.encoding.items()))
    if base.name == head.name == URLENCODED:
        return Form(fields)
    if all(each.name.startswith("multipart/") for each in (base, head)):
        return Form(fields, multipart=True)
    return None


def said_by(encoding: Node | None, media: str) -> Mapping[str, Any]:
    """An Encoding Object without what means nothing in a form of this media type."""
    if encoding is None or not isinstance(encoding.value, dict):
        return _NOTHING
    if media in _STYLED.get(encoding.document.dialect, _STYLED_SINCE):
        return encoding.value
    return {key: value for key, value in encoding.value.items() if key not in _STYLE_KEYS}


def field_of(encoding: Node | None, media: str) -> FormField:
    """What an Encoding Object says in a form of this media type, defaults filled in."""
    value = said_by(encoding, media)
    style, content_type = value.get("style", "form"), value.get("contentType", "")
    style = style if isinstance(style, str) else "form"
    return FormField(
        style=style,
        explode=value.get("explode", style == "form") is True,
        styled=any(key in value for key in _STYLE_KEYS),
        content_type=content_type if isinstance(content_type, str) else "",
    )


def is_text(writing: Writing) -> bool:
    """Whether a scalar that is written so is a text to who reads it, whatever its type."""
    return writing is not None and not (isinstance(writing, FormField) and writing.says_json)


def is_octets(writing: Writing) -> bool:
    """Whether a value without a type is octets there (OpenAPI 3.1, Encoding Object): a field that no style writes."""
    return isinstance(writing, FormField) and not writing.styled and not writing.says_json


def written_at(whole: Writing, steps: Iterable[str]) -> Writing:
    """How a value is written that is so many steps below one."""
    steps = list(steps)
    if whole is None or not steps:
        return whole
    return whole.field(steps[0]).below(steps[1:]) if isinstance(whole, Form) else whole.below(steps)


def read_as(value: Any, writing: Writing) -> Iterator[Any]:
    """What a value may be read as that is written so; the value itself first."""
    return iter((value,)) if writing is None else writing.readings(value)
