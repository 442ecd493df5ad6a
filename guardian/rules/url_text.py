"""A parameter's value as the text that stands in a URL, a header or a form, and what such text may be read as.

Styles are those of OpenAPI 3.1 (Style Values, after RFC 6570). On the wire there are no types: ``5`` is a number to
one reader and a string to another, so a receiver accepts a text if it accepts any reading of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, islice, product
from typing import Any
from urllib.parse import quote, unquote

# Readings of one text that are tried: each scalar in it may be read in several ways.
MAX_READINGS = 64

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# What need not be escaped in a form to be read as it is.
_JSON_MARKS = '{}[]":,'
_SEPARATORS = {"spaceDelimited": "%20", "pipeDelimited": "|", "tabDelimited": "%09"}


def write(value: Any, name: str, location: str, style: str = "", explode: bool | None = None) -> str:
    """The text of one parameter; form fields are those of location ``form``.

    Args:
        value: a plain value.
        name: the parameter's name.
        location: ``query``, ``path``, ``header``, ``cookie`` or ``form``.
        style: how it is written; the location's default if empty.
        explode: whether each item or property stands alone; the style's default if None.
    """
    style = style or ("simple" if location in {"path", "header"} else "form")
    explode = style in {"form", "cookie"} if explode is None else explode
    plain = location == "header" or style == "cookie"  # as it is, without escapes
    between = "; " if style == "cookie" else "&"
    if style == "deepObject" and isinstance(value, dict):
        return "&".join(_deep(_escape(name), value, plain))
    if style in {"simple", "label", "matrix"}:
        return _templated(value, name, style, explode, plain)
    key = _escape(name)
    if isinstance(value, list):
        if explode:
            return between.join(f"{key}={_scalar(each, plain)}" for each in value)
        return f"{key}={_SEPARATORS.get(style, ',').join(_scalar(each, plain) for each in value)}"
    if isinstance(value, dict):
        if explode:
            return between.join(f"{_escape(one)}={_scalar(each, plain)}" for one, each in value.items())
        flat = [part for one, each in value.items() for part in (_escape(one), _scalar(each, plain))]
        return f"{key}={_SEPARATORS.get(style, ',').join(flat)}"
    return f"{key}={_scalar(value, plain)}"


def write_json(value: Any, name: str) -> str:
    """The text of a form field that is JSON; what JSON is made of is legible in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return f"{_escape(name)}={quote(text, safe=_JSON_MARKS)}"


def _deep(key: str, value: Any, plain: bool) -> Iterator[str]:
    """Each value inside under its own name; OpenAPI leaves open how deeper ones are named, most servers read this."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _deep(f"{key}[{_escape(name)}]", each, plain)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _deep(f"{key}[{index}]", each, plain)
    else:
        yield f"{key}={_scalar(value, plain)}"


def _templated(value: Any, name: str, style: str, explode: bool, plain: bool) -> str:
    lead = {"simple": "", "label": ".", "matrix": ";"}[style]
    between = {"simple": ",", "label": ".", "matrix": ";"}[style] if explode else ","
    key = f"{_escape(name)}=" if style == "matrix" else ""
    if isinstance(value, list):
        parts = [_scalar(each, plain) for each in value]
        return lead + (between + key if explode else between).join([f"{key}{parts[0]}", *parts[1:]] if parts else [key])
    if isinstance(value, dict):
        if explode:
            return lead + between.join(f"{_escape(one)}={_scalar(each, plain)}" for one, each in value.items())
        return (
            lead + key + ",".join(part for one, each in value.items() for part in (_escape(one), _scalar(each, plain)))
        )
    return f"{lead}{key}{_scalar(value, plain)}"


def _escape(text: str) -> str:
    return quote(text, safe="")


def _scalar(value: Any, plain: bool) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return text if plain else _escape(text)


def is_one_text(style: str, explode: bool) -> bool:
    """Whether all of a list or object is one value in the text, that of a string as much as of a list."""
    return style in {"simple", "label"} or not (explode or style == "deepObject")


def as_one_text(value: Any, style: str, explode: bool) -> str | None:
    """The text of a list or object where that is one value, unescaped and without what the style puts in front."""
    if not isinstance(value, list | dict) or not is_one_text(style, explode):
        return None
    between = "." if style == "label" and explode else unquote(_SEPARATORS.get(style, ","))
    if isinstance(value, list):
        return between.join(_scalar(each, True) for each in value)
    pairs = [(name, _scalar(each, True)) for name, each in value.items()]
    return between.join("=".join(pair) for pair in pairs) if explode else between.join(chain.from_iterable(pairs))


def readings(value: Any, one_text: str | None = None) -> Iterator[Any]:
    """What the text of a value may be read as; the value itself first.

    Args:
        value: a plain value.
        one_text: the text of a list or object, if that is one value in a URL.
    """
    yield value
    if one_text is not None:
        yield one_text
    leaves: list[Any] = []
    _collect(value, leaves)
    for choice in islice(product(*(_scalar_readings(leaf) for leaf in leaves)), MAX_READINGS):
        read = _replaced(value, iter(choice))
        yield read
        if not isinstance(read, list | dict):
            yield [read]  # one item alone looks like a scalar
        elif isinstance(read, list) and len(read) == 1:
            yield read[0]


def _scalar_readings(leaf: Any) -> list[Any]:
    text = leaf if isinstance(leaf, str) else "" if leaf is None else json.dumps(leaf)
    found: list[Any] = [text]
    if _NUMBER.fullmatch(text):
        found.append(json.loads(text))
    if text in {"true", "false"}:
        found.append(text == "true")
    return found


def _collect(value: Any, leaves: list[Any]) -> None:
    if isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            _collect(each, leaves)
    else:
        leaves.append(value)


def _replaced(value: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(value, list):
        return [_replaced(each, leaves) for each in value]
    if isinstance(value, dict):
        return {key: _replaced(each, leaves) for key, each in value.items()}
    return next(leaves)
