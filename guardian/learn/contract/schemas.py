"""From the short field notation of ``vocabulary`` to OpenAPI schemas, in the spelling of a dialect."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from guardian.learn.contract.vocabulary import Resource

Json = dict[str, Any]

_FORMATS = {"uuid": "uuid", "email": "email", "uri": "uri", "date": "date", "datetime": "date-time"}

SHARED: dict[str, tuple[str, ...]] = {
    "Money": ("amount number!", "currency EUR|USD|NOK|JPY!"),
    "Address": ("street text!", "city text!", "postcode text!", "country CODE/NO!", "line2 text"),
    "Problem": ("title text!", "status int!", "detail text", "trace_id uuid"),
}


def component(fields: tuple[str, ...], dialect: str, rng: Random, *, closed: bool = False) -> Json:
    """An object schema from field notations."""
    properties: Json = {}
    required: list[str] = []
    for notation in fields:
        name, kind = notation.split(" ", 1)
        flags = kind[len(kind.rstrip("!?")) :]
        kind = kind.rstrip("!?")
        properties[name] = field_schema(kind, dialect, rng, nullable="?" in flags)
        if "!" in flags:
            required.append(name)
    schema: Json = {"type": "object", "required": required, "properties": properties}
    if not required:
        del schema["required"]
    if closed:
        schema["additionalProperties"] = False
    return schema


def field_schema(kind: str, dialect: str, rng: Random, *, nullable: bool = False) -> Json:
    """The schema of one field; ``nullable`` in the dialect's spelling."""
    schema = _plain(kind, rng)
    if nullable and dialect.startswith("3.0"):
        schema["nullable"] = True
    elif nullable:
        schema["type"] = [schema["type"], "null"]
    return schema


def _plain(kind: str, rng: Random) -> Json:
    if kind in _FORMATS:
        return {"type": "string", "format": _FORMATS[kind]}
    if kind == "text":
        return {"type": "string", "minLength": 1, "maxLength": rng.choice((80, 120, 200))}
    if kind == "int":
        return {"type": "integer", "minimum": 0, "maximum": rng.choice((500, 1000, 10000))}
    if kind == "number":
        return {"type": "number", "minimum": 0}
    if kind == "bool":
        return {"type": "boolean"}
    if kind == "tags":
        return {"type": "array", "items": {"type": "string"}, "maxItems": rng.choice((10, 20))}
    if kind == "labels":
        return {"type": "object", "additionalProperties": {"type": "string"}}
    if kind in {"money", "address"}:
        return _reference(kind.capitalize())
    if kind.startswith("{"):
        return _reference(kind[1:-1])
    if kind.startswith("["):
        return {"type": "array", "items": _reference(kind[1:-1]), "minItems": 1, "maxItems": 50}
    if kind.startswith("CODE/"):
        example = kind.removeprefix("CODE/")
        return {"type": "string", "pattern": pattern_of(example), "example": example}
    return {"type": "string", "enum": kind.split("|")}


def _reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def pattern_of(example: str) -> str:
    """The pattern of a code like this one: as many letters, then as many digits."""
    runs = re.findall(r"[A-Z]+|[0-9]+|[^A-Z0-9]+", example)
    parts = []
    for run in runs:
        charset = "[A-Z]" if run[0].isupper() else "[0-9]" if run[0].isdigit() else re.escape(run)
        parts.append(f"{charset}{{{len(run)}}}" if charset.startswith("[") else charset)
    return f"^{''.join(parts)}$"


def components_of(resource: Resource, dialect: str, rng: Random, *, closed: bool) -> Json:
    """The components of a resource: itself, what creates it, what updates it, and its parts."""
    name = camel(resource.name)
    whole = component(resource.fields, dialect, rng)
    create = component(
        tuple(field for field in resource.fields if not field.startswith("id ") and "_at datetime" not in field),
        dialect,
        rng,
        closed=closed,
    )
    update = {key: value for key, value in create.items() if key != "required"}
    keep = [key for key in create["properties"] if rng.random() < 0.7] or list(create["properties"])
    update = {**update, "properties": {key: create["properties"][key] for key in keep}, "minProperties": 1}
    found: Json = {name: whole, f"{name}Create": create, f"{name}Update": update}
    for part, fields in resource.parts.items():
        found[part] = component(fields, dialect, rng)
    return found


def camel(name: str) -> str:
    """``lab_report`` as ``LabReport``."""
    return "".join(word.capitalize() for word in re.split(r"[_-]", name))
