"""Records made from a schema: what a system has on file, and what it makes of it after its schema has changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from random import Random
from typing import Any

from guardian.errors import GuardianError

_FIRST_DAY = date(2026, 1, 5)
_WORDS = ("Aster", "Birch", "Cedar", "Dahlia", "Elm", "Fern", "Hazel", "Iris", "Juniper", "Linden", "Maple", "Rowan")
_NAMES = ("Ada Quist", "Bo Larsen", "Cem Arslan", "Dana Levi", "Efe Obi", "Finn Berg", "Gia Moretti", "Hana Sato")
_CLASS = re.compile(r"\[([A-Z]-[A-Z]|[a-z]-[a-z]|0-9)\](?:\{(\d+)\}|(\+))?")


def sample(schema: Mapping[str, Any], rng: Random) -> Any:
    """A value that the schema accepts. Schemas are those of records: flat objects, arrays and plain values.

    Raises:
        GuardianError: the schema says something that this sampler does not know how to satisfy.
    """
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice([value for value in schema["enum"] if value is not None])
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next(each for each in kind if each != "null")
    if kind == "object":
        return {name: sample(each, rng) for name, each in schema.get("properties", {}).items()}
    if kind == "array":
        return [sample(schema.get("items", {}), rng) for _ in range(max(1, schema.get("minItems", 1)))]
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in {"integer", "number"}:
        return _number(schema, rng, whole=kind == "integer")
    if kind == "string" or kind is None:
        return _string(schema, rng)
    raise GuardianError(f"no sample can be made of type {kind!r}")


def _number(schema: Mapping[str, Any], rng: Random, *, whole: bool) -> int | float:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    high = schema.get("maximum", schema.get("exclusiveMaximum", 1000))
    if isinstance(low, bool) or isinstance(high, bool):  # OpenAPI 3.0: exclusiveMinimum is a flag
        low, high = schema.get("minimum", 0), schema.get("maximum", 1000)
    # Strictly inside where there is room, so that exclusive bounds hold as well.
    step = schema.get("multipleOf", 1 if whole or high - low > 10 else 0.01)
    steps = int((high - low) / step)
    value = low + step * (rng.randint(1, steps - 1) if steps > 2 else rng.randint(0, max(steps, 0)))
    return int(value) if whole else round(float(value), 4)


def _string(schema: Mapping[str, Any], rng: Random) -> str:
    day = _FIRST_DAY + timedelta(days=rng.randrange(360))
    if "pattern" in schema:
        return _match(schema["pattern"], rng)
    match schema.get("format"):
        case "date":
            return day.isoformat()
        case "date-time":
            return f"{day.isoformat()}T{rng.randrange(24):02d}:{rng.randrange(60):02d}:00Z"
        case "email":
            return f"{rng.choice(_WORDS).lower()}{rng.randrange(90) + 10}@example.com"
        case "uuid":
            text = f"{rng.getrandbits(128):032x}"
            return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
        case "uri":
            return f"https://example.com/{rng.choice(_WORDS).lower()}"
    text = rng.choice(_NAMES)
    return text[: schema.get("maxLength", len(text))].ljust(schema.get("minLength", 0), "x")


def _match(pattern: str, rng: Random) -> str:
    """A text for a pattern of literals, ``[A-Z]``, ``[a-z]`` and ``[0-9]`` with ``{n}`` or ``+``."""

    def drawn(match: re.Match[str]) -> str:
        count = int(match[2]) if match[2] else rng.randint(1, 2) if match[3] else 1
        first, last = match[1][0], match[1][-1]
        return "".join(chr(rng.randint(ord(first), ord(last))) for _ in range(count))

    return _CLASS.sub(drawn, pattern.removeprefix("^").removesuffix("$")).replace("\\", "")


def converted(value: Any, schema: Mapping[str, Any], rng: Random) -> Any:
    """What a system makes of a value that it has on file when its schema now asks for another type."""
    kind = schema.get("type")
    if "enum" in schema:
        return value if value in schema["enum"] else sample(schema, rng)
    if kind == "string" and not isinstance(value, str):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return text if not schema.keys() & {"pattern", "format"} else sample(schema, rng)
    if kind in {"integer", "number"} and isinstance(value, (int, float)) and not isinstance(value, bool):
        return int(value) if kind == "integer" else value
    wanted: Mapping[Any, type | tuple[type, ...]] = {
        "string": str, "boolean": bool, "array": list, "object": dict, "integer": int, "number": (int, float),
    }  # fmt: skip
    if kind == "array" and not isinstance(value, list):
        return [value]
    if kind in wanted and (not isinstance(value, wanted[kind]) or isinstance(value, bool) != (kind == "boolean")):
        return sample(schema, rng)
    return value
