"""The JSON Schema validator behind every judgement: jsonschema-rs, with ``format`` and ``pattern`` asserted.

The formats of JSON Schema 2020-12 are its own; those of the OpenAPI format registry are added here. The network is
never asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

Json = dict[str, Any] | bool
Check = Callable[[Any], bool]


class Unjudgeable(Exception):
    """The validator cannot read the schema; the message says what of it, as a phrase."""


# Formats that are limits of a number, both inclusive.
NUMBER_RANGES: dict[str, tuple[float, float]] = {
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    "double-int": (-(2**53), 2**53),
    "float": (-3.4028234663852886e38, 3.4028234663852886e38),
    "double": (-1.7976931348623157e308, 1.7976931348623157e308),
}


# What ``contentEncoding`` asks of a text, as a format: JSON Schema's validators take it for an annotation.
ENCODINGS = {
    "base64": "byte",
    **{name: name for name in ("base16", "base32", "base32hex", "base64url", "quoted-printable")},
}


def compiled(schema: Json, keywords: dict[str, Any] | None = None) -> Draft202012Validator:
    """A validator of this schema (JSON Schema 2020-12, self-contained).

    Args:
        keywords: what makes something with a ``validate`` of a further keyword; see the validator's own description.

    Raises:
        Unjudgeable: it is no valid schema.
    """
    import jsonschema_rs

    try:
        return jsonschema_rs.Draft202012Validator(
            schema,
            validate_formats=True,
            formats=_FORMATS,
            email_options=jsonschema_rs.EmailOptions(allow_display_text=False),
            keywords=keywords,
            offline=True,
        )
    except ValueError as error:
        raise Unjudgeable(f"the validator cannot read the schema: {str(error).partition(chr(10))[0]}") from error


def readable(pattern: str) -> str:
    """The pattern as the validator reads it: a dash beside a class like ``\\w`` and a brace that counts nothing, escaped.

    Raises:
        Unjudgeable: it cannot read the pattern.
    """
    spelling = _spelling(pattern)
    if spelling is None:
        raise Unjudgeable(f"the validator cannot read the pattern `{pattern}`")
    return spelling


@lru_cache(maxsize=4096)
def _spelling(pattern: str) -> str | None:
    """As ``readable``; None where it cannot be read, which takes long to find out of large counts in large counts."""
    escaped = re.sub(r"(\\[dwsDWS])-(?!\])", r"\1\\-", pattern).replace("{,", r"\{,")
    for spelling in dict.fromkeys((pattern, escaped)):
        with suppress(Unjudgeable):
            compiled({"pattern": spelling})
            return spelling
    return None


def _reads(parse: Callable[[str], object]) -> Check:
    def check(value: Any) -> bool:
        try:
            return not isinstance(value, str) or parse(value) is not False
        except ValueError:
            return False

    return check


def _matches(pattern: str) -> Check:
    compiled = re.compile(pattern)
    return _reads(lambda text: compiled.fullmatch(text) is not None)


def _whole(low: float, high: float) -> Check:
    return _reads(lambda text: re.fullmatch(r"-?[0-9]{1,20}", text) is not None and low <= int(text) <= high)


# Formats of the OpenAPI registry that the validator does not know.
_FORMATS: dict[str, Check] = {
    "byte": _matches(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"),
    "base16": _matches(r"(?:[0-9A-Fa-f]{2})*"),
    "base32": _matches(r"[A-Z2-7]*={0,6}"),
    "base32hex": _matches(r"[0-9A-V]*={0,6}"),
    "quoted-printable": _matches(r"(?:[ !-<>-~\t\r\n]|=[0-9A-F]{2}|=\r\n)*"),
    "base64url": _matches(r"[A-Za-z0-9_-]*={0,2}"),
    "char": _matches(r"(?s:.)"),
    "date-time-local": _reads(lambda text: "T" in text and datetime.fromisoformat(text).tzinfo is None),
    "time-local": _reads(lambda text: time.fromisoformat(text).tzinfo is None),
    "http-date": _reads(lambda text: datetime.strptime(text, "%a, %d %b %Y %H:%M:%S GMT")),
    **{name: _whole(low, high) for name, (low, high) in NUMBER_RANGES.items() if name.lstrip("u").startswith("int")},
}
