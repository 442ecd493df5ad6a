"""YAML from libyaml's event stream to plain data, with the line of everything that is wrong.

The careful half of `guardian.spec.text`: no recursion, no tag runs code, limits on depth and on what aliases
stand for. Aliased nodes are shared, not copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from guardian.errors import ReadError
from guardian.spec.json_text import MAX_DEPTH
from guardian.spec.text import MAX_ALIASED_NODES, MERGE_KEY, key_text, scalar_value

_CORE = "tag:yaml.org,2002:"
_TYPED = {f"{_CORE}int": (int,), f"{_CORE}float": (int, float), f"{_CORE}bool": (bool,), f"{_CORE}null": (type(None),)}


class _Node(NamedTuple):
    """A finished value with the size and height it has when its aliases are written out."""

    value: Any
    size: int
    height: int


class _Open:
    """A mapping or sequence whose end has not come yet."""

    __slots__ = ("anchor", "height", "key", "lines", "merged", "size", "value")

    def __init__(self, value: dict[str, Any] | list[Any], anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.key: str | None = None
        self.lines: dict[str, int] = {}
        self.merged: list[Any] = []
        self.size = 1
        self.height = 0

    def add(self, node: _Node) -> None:
        self.size += node.size
        self.height = max(self.height, node.height + 1)
        if type(self.value) is list:
            self.value.append(node.value)
            return
        key, self.key = self.key, None
        assert type(self.value) is dict and key is not None
        if key == MERGE_KEY:
            self.merged.extend(node.value if type(node.value) is list else [node.value])
        else:
            self.value[key] = node.value


def events(text: str, file: str) -> Iterator[Any]:
    """libyaml's events of a text.

    Raises:
        ReadError: the text is not YAML; with libyaml's message, line and column.
    """
    try:
        yield from yaml.parse(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ", ".join(part for part in (error.context, error.problem) if part)
        raise ReadError(
            f"not valid YAML: {what}",
            file=file,
            line=mark.line + 1 if mark else None,
            column=mark.column + 1 if mark else None,
            hint=_remedy(text, error) if mark else None,
        ) from None
    except yaml.reader.ReaderError as error:
        before = text.encode()[: error.position].decode(errors="ignore")
        raise ReadError(
            f"not valid YAML: {error.reason}",
            file=file,
            line=before.count("\n") + 1,
            column=len(before) - before.rfind("\n"),
        ) from None


def _remedy(text: str, error: yaml.MarkedYAMLError) -> str | None:
    """What to do about a character that YAML has no use for in its place, which libyaml does not name."""
    mark = error.problem_mark
    if mark is None or "cannot start any token" not in (error.problem or ""):
        return None
    character = text[mark.index : mark.index + 1]
    if character == "\t":
        return "indent this line with spaces: it has a tab, which YAML does not indent with"
    return (
        f"put the text in quotes: without them none begins with {character}" if character in ("@", "`", "%") else None
    )


def read_documents(text: str, file: str, *, single: bool = False) -> Iterator[Any]:
    """Each document of a YAML stream as plain data.

    Raises:
        ReadError: malformed text, a key twice, a key that is no scalar, a wrong merge or alias, nesting past
            `MAX_DEPTH`, aliases past `MAX_ALIASED_NODES`, or a second document where a single one is wanted.
    """
    stream = events(text, file)
    started = False
    for event in stream:
        if type(event) is DocumentStartEvent:
            if single and started:
                raise _error(event, file, "a second document starts here", hint="keep one document in each file")
            started = True
            yield _document(stream, file)


def _document(stream: Iterator[Any], file: str) -> Any:
    open_nodes: list[_Open] = []
    anchors: dict[str, _Node] = {}
    aliased = 0
    for event in stream:
        kind = type(event)
        parent = open_nodes[-1] if open_nodes else None
        wants_key = parent is not None and parent.key is None and type(parent.value) is dict
        if kind is ScalarEvent:
            if wants_key:
                assert parent is not None
                _take_key(parent, event, file)
                if event.anchor:
                    anchors[event.anchor] = _Node(event.value, 1, 0)
                continue
            node = _Node(_scalar(event, file), 1, 0)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            if wants_key:
                raise _error(event, file, "a mapping or list is used as a key", hint="JSON knows text keys alone")
            if len(open_nodes) >= MAX_DEPTH:
                raise _too_deep(event, file)
            open_nodes.append(_Open({} if kind is MappingStartEvent else [], event.anchor))
            continue
        elif kind is AliasEvent:
            if event.anchor not in anchors:
                raise _error(event, file, f"the alias *{event.anchor} names no finished anchor before it")
            node = anchors[event.anchor]
            if wants_key:
                assert parent is not None
                if not isinstance(node.value, str):
                    raise _error(event, file, "an alias that is no text is used as a key")
                _set_key(parent, node.value, event, file)
                continue
            aliased += node.size
            if aliased > MAX_ALIASED_NODES:
                raise _error(event, file, f"the aliases stand for more than {MAX_ALIASED_NODES:,} nodes")
            if len(open_nodes) + node.height > MAX_DEPTH:
                raise _too_deep(event, file)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            done = open_nodes.pop()
            _apply_merges(done, event, file)
            node = _Node(done.value, done.size, done.height)
            if done.anchor:
                anchors[done.anchor] = node
            parent = open_nodes[-1] if open_nodes else None
        else:  # the document's end
            return None
        if kind is ScalarEvent and event.anchor:
            anchors[event.anchor] = node
        if parent is None:
            return node.value
        parent.add(node)
    return None


def _take_key(parent: _Open, event: ScalarEvent, file: str) -> None:
    plain = event.style is None or event.style == ""
    _set_key(parent, key_text(event.value, plain and event.tag is None), event, file)


def _set_key(parent: _Open, key: str, event: Any, file: str) -> None:
    line = event.start_mark.line + 1
    if key in parent.lines and key != MERGE_KEY:
        first = parent.lines[key]
        raise _error(event, file, f"the key {key!r} stands twice in one mapping, on lines {first} and {line}")
    parent.lines[key] = line
    parent.key = key


def _apply_merges(node: _Open, event: Any, file: str) -> None:
    for source in node.merged:
        if type(source) is not dict or type(node.value) is not dict:
            at = node.lines[MERGE_KEY]
            raise ReadError("a merge key << takes a mapping or a list of mappings", file=file, line=at)
        for key, value in source.items():
            node.value.setdefault(key, value)


def _scalar(event: ScalarEvent, file: str) -> Any:
    plain = event.style is None or event.style == ""
    if event.tag is None:
        return scalar_value(event.value) if plain else event.value
    if event.tag not in _TYPED:
        return event.value  # text under a tag of its own is text
    value = scalar_value(event.value)
    if event.tag == f"{_CORE}float" and type(value) is int:
        return float(value)
    if type(value) not in _TYPED[event.tag]:
        raise _error(event, file, f"{event.value!r} is no {event.tag.removeprefix(_CORE)}")
    return value


def _too_deep(event: Any, file: str) -> ReadError:
    return _error(event, file, f"nested more than {MAX_DEPTH} levels deep")


def _error(event: Any, file: str, message: str, hint: str | None = None) -> ReadError:
    mark = event.start_mark
    return ReadError(message, file=file, line=mark.line + 1, column=mark.column + 1, hint=hint)
