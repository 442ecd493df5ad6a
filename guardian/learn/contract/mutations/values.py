"""Mutations of what values a field may have: enums, bounds, formats, patterns, sizes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from guardian.learn.contract.mutations.registry import operator
from guardian.learn.contract.mutations.sites import Site, kind, properties

Json = dict[str, Any]


def _pick(document: Json, rng: Random, direction: str, fits: Callable[[Json], bool]) -> Site | None:
    found = [site for site in properties(document, direction) if fits(site.target)]
    return rng.choice(found) if found else None


def _enum(document: Json, rng: Random, direction: str) -> Site | None:
    return _pick(document, rng, direction, lambda schema: len(schema.get("enum") or ()) > 1)


def _drop(site: Site | None, rng: Random) -> str | None:
    if site is None:
        return None
    schema = site.own()
    value = rng.choice(schema["enum"])
    schema["enum"] = [each for each in schema["enum"] if each != value]
    return f"{site.name} is never {value}"


def _more(site: Site | None, rng: Random) -> str | None:
    if site is None:
        return None
    schema = site.own()
    value = rng.choice([each for each in ("legacy", "unknown", "custom", "blocked") if each not in schema["enum"]])
    schema["enum"] = [*schema["enum"], value]
    return f"{site.name} may be {value}"


@operator("narrow-request-enum")
def narrow_request_enum(document: Json, rng: Random) -> str | None:
    return _drop(_enum(document, rng, "request"), rng)


@operator("narrow-response-enum", harmless=True)
def narrow_response_enum(document: Json, rng: Random) -> str | None:
    return _drop(_enum(document, rng, "response"), rng)


@operator("widen-request-enum", harmless=True)
def widen_request_enum(document: Json, rng: Random) -> str | None:
    return _more(_enum(document, rng, "request"), rng)


@operator("widen-response-enum")
def widen_response_enum(document: Json, rng: Random) -> str | None:
    return _more(_enum(document, rng, "response"), rng)


@operator("rename-request-enum-value")
def rename_request_enum_value(document: Json, rng: Random) -> str | None:
    site = _enum(document, rng, "request")
    if site is None:
        return None
    schema = site.own()
    value = str(rng.choice(schema["enum"]))
    schema["enum"] = [value.upper() + "_" if each == value else each for each in schema["enum"]]
    return f"{value} of {site.name} is spelt in capitals"


@operator("free-response-enum")
def free_response_enum(document: Json, rng: Random) -> str | None:
    site = _enum(document, rng, "response")
    if site is None:
        return None
    del site.own()["enum"]
    return f"{site.name} may be anything"


def _set(document: Json, rng: Random, direction: str, keyword: str, change: Callable[[int], int]) -> str | None:
    site = _pick(document, rng, direction, lambda schema: isinstance(schema.get(keyword), int))
    if site is None:
        return None
    schema = site.own()
    schema[keyword] = max(0, change(schema[keyword]))
    return f"{keyword} of {site.name} is {schema[keyword]}"


def _unset(document: Json, rng: Random, direction: str, *keywords: str) -> str | None:
    site = _pick(document, rng, direction, lambda schema: any(each in schema for each in keywords))
    if site is None:
        return None
    schema = site.own()
    keyword = rng.choice([each for each in keywords if each in schema])
    del schema[keyword]
    return f"{site.name} has no {keyword}"


@operator("shorten-request-text")
def shorten_request_text(document: Json, rng: Random) -> str | None:
    return _set(document, rng, "request", "maxLength", lambda value: value // 2)


@operator("lengthen-response-text")
def lengthen_response_text(document: Json, rng: Random) -> str | None:
    return _set(document, rng, "response", "maxLength", lambda value: value * 2)


@operator("lengthen-request-text", harmless=True)
def lengthen_request_text(document: Json, rng: Random) -> str | None:
    return _set(document, rng, "request", "maxLength", lambda value: value * 2)


@operator("shorten-response-text", harmless=True)
def shorten_response_text(document: Json, rng: Random) -> str | None:
    return _set(document, rng, "response", "maxLength", lambda value: value // 2)


@operator("raise-request-minimum")
def raise_request_minimum(document: Json, rng: Random) -> str | None:
    return _set(document, rng, "request", "minimum", lambda value: value + 5)


@operator("lower-request-maximum")
def lower_request_maximum(document: Json, rng: Random) -> str | None:
    return _set(document, rng, "request", "maximum", lambda value: value // 2)


@operator("raise-request-maximum", harmless=True)
def raise_request_maximum(document: Json, rng: Random) -> str | None:
    return _set(document, rng, "request", "maximum", lambda value: value * 2)


@operator("lift-response-bound")
def lift_response_bound(document: Json, rng: Random) -> str | None:
    return _unset(document, rng, "response", "minimum", "maximum")


@operator("lift-request-bound", harmless=True)
def lift_request_bound(document: Json, rng: Random) -> str | None:
    return _unset(document, rng, "request", "minimum", "maximum", "maxLength")


@operator("limit-request-items")
def limit_request_items(document: Json, rng: Random) -> str | None:
    return _set(document, rng, "request", "maxItems", lambda value: value // 2)


@operator("allow-empty-response-array")
def allow_empty_response_array(document: Json, rng: Random) -> str | None:
    return _unset(document, rng, "response", "minItems")


@operator("add-request-pattern")
def add_request_pattern(document: Json, rng: Random) -> str | None:
    site = _pick(
        document, rng, "request",
        lambda schema: kind(schema) == "string" and not {"pattern", "enum", "format"} & schema.keys(),
    )  # fmt: skip
    if site is None:
        return None
    site.own()["pattern"] = "^[a-z ]+$"
    return f"{site.name} is of small letters"


@operator("drop-response-pattern")
def drop_response_pattern(document: Json, rng: Random) -> str | None:
    return _unset(document, rng, "response", "pattern")


@operator("change-request-format")
def change_request_format(document: Json, rng: Random) -> str | None:
    return _format(document, rng, "request")


@operator("change-response-format")
def change_response_format(document: Json, rng: Random) -> str | None:
    return _format(document, rng, "response")


def _format(document: Json, rng: Random, direction: str) -> str | None:
    site = _pick(document, rng, direction, lambda schema: kind(schema) == "string" and "format" in schema)
    if site is None:
        return None
    schema = site.own()
    schema["format"] = rng.choice([each for each in ("date", "date-time", "uuid", "email") if each != schema["format"]])
    return f"{site.name} is written as {schema['format']}"
