"""Random edits of real documents: what people do to an API, and what nobody would, each at a random place.

An edit copies what lies on the way to its place and shares the rest with the original, so that twenty edits of a large
document cost no twenty documents. The same seed gives the same edit.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str | int, ...]
Change = Callable[[Any, random.Random], Any]

_METHODS = frozenset(("get", "put", "post", "delete", "options", "head", "patch"))
_DATA = frozenset(("example", "examples", "x-examples"))  # nothing of a contract is in there
_SCHEMA_KEYWORDS = frozenset(("type", "properties", "$ref", "enum", "allOf", "oneOf", "anyOf", "items"))


@dataclass(slots=True)
class Sites:
    """Where something can be edited, by what stands there."""

    root: list[Path] = field(default_factory=lambda: [()])
    schemas: list[Path] = field(default_factory=list)
    parameters: list[Path] = field(default_factory=list)
    operations: list[Path] = field(default_factory=list)
    path_items: list[Path] = field(default_factory=list)
    responses: list[Path] = field(default_factory=list)
    contents: list[Path] = field(default_factory=list)
    anything: list[Path] = field(default_factory=list)


def sites_of(document: dict[str, Any]) -> Sites:
    """Every place of a document that an edit may be made at."""
    sites = Sites()
    for path, value in _walk(document):
        if not isinstance(value, dict):
            continue
        sites.anything.append(path)
        if len(path) == 2 and path[0] == "paths":
            sites.path_items.append(path)
        elif len(path) == 3 and path[0] == "paths" and path[2] in _METHODS:
            sites.operations.append(path)
        elif len(path) > 1 and path[-2] == "responses":
            sites.responses.append(path)
        elif path and path[-1] == "content":
            sites.contents.append(path)
        elif "in" in value and "name" in value and isinstance(value["in"], str):
            sites.parameters.append(path)
        elif _SCHEMA_KEYWORDS & value.keys() and "properties" not in path[-1:]:
            sites.schemas.append(path)
    return sites


def _walk(document: Any) -> Iterator[tuple[Path, Any]]:
    stack: list[tuple[Path, Any]] = [((), document)]
    while stack:
        path, value = stack.pop()
        yield path, value
        children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        stack.extend(((*path, key), child) for key, child in children if key not in _DATA)


def edited(document: dict[str, Any], sites: Sites, rng: random.Random) -> tuple[dict[str, Any], str]:
    """The document with one random edit, and what it was, for people."""
    for _ in range(50):
        name, places, change = rng.choice(_EDITS)
        paths = getattr(sites, places)
        if not paths:
            continue
        path = rng.choice(paths)
        before = _at(document, path)
        after = change(copy.deepcopy(before), rng)
        if after != before:
            return _replaced(document, path, after), f"{name} at /{'/'.join(map(str, path))}"
    return document, "nothing"


def reordered(value: Any, rng: random.Random) -> Any:
    """The same value with the keys of every object in another order."""
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: reordered(value[key], rng) for key in keys}
    if isinstance(value, list):
        return [reordered(each, rng) for each in value]
    return value


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def _replaced(document: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    result = document.copy()
    result[path[0]] = _replaced(document[path[0]], path[1:], value)
    return result


# -- what is done to a schema --------------------------------------------------------------------------------------

_SCALARS: tuple[dict[str, Any], ...] = (
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "array", "items": {"type": "string"}},
    {"type": "object"},
    {"type": "string", "enum": ["a", "b"]},
    {"type": "string", "format": "date-time"},
)


def _names(value: dict[str, Any]) -> list[str]:
    properties = value.get("properties")
    return list(properties) if isinstance(properties, dict) else []


def _drop_property(value: Any, rng: random.Random) -> Any:
    if names := _names(value):
        del value["properties"][rng.choice(names)]
    return value


def _rename_property(value: Any, rng: random.Random) -> Any:
    if names := _names(value):
        name = rng.choice(names)
        value["properties"][f"{name}_renamed"] = value["properties"].pop(name)
    return value


def _add_property(value: Any, rng: random.Random) -> Any:
    if "properties" in value:
        value["properties"]["added by chance"] = rng.choice(_SCALARS)
        if rng.random() < 0.5:
            value["required"] = [*_list(value.get("required")), "added by chance"]
    return value


def _retype_property(value: Any, rng: random.Random) -> Any:
    if names := _names(value):
        value["properties"][rng.choice(names)] = rng.choice(_SCALARS)
    return value


def _toggle_required(value: Any, rng: random.Random) -> Any:
    if names := _names(value):
        name, required = rng.choice(names), _list(value.get("required"))
        value["required"] = [each for each in required if each != name] if name in required else [*required, name]
    return value


def _retype(value: Any, rng: random.Random) -> Any:
    value["type"] = rng.choice(["string", "integer", "number", "boolean", "array", "object"])
    return value


def _limit(value: Any, rng: random.Random) -> Any:
    keyword = rng.choice(
        ["maximum", "minimum", "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "multipleOf"]
    )
    if keyword in value and rng.random() < 0.5:
        del value[keyword]
    else:
        value[keyword] = rng.randint(1, 50)
    return value


def _list_values(value: Any, rng: random.Random) -> Any:
    listed = _list(value.get("enum"))
    if listed and rng.random() < 0.5:
        listed.pop(rng.randrange(len(listed)))
        value["enum"] = listed
    else:
        value["enum"] = [*listed, rng.choice(["chance", 7, None, True])]
    return value


def _say(value: Any, rng: random.Random) -> Any:
    keyword, word = rng.choice(
        [
            *(("format", each) for each in ("uuid", "date", "int32", "chance", "byte")),
            *(("pattern", each) for each in ("^[a-z]+$", "^\\d{3}$", "(?=a)b", "[")),
            *(
                (each, True)
                for each in ("nullable", "x-nullable", "readOnly", "writeOnly", "uniqueItems", "deprecated")
            ),
            ("default", "chance"),
            ("additionalProperties", False),
            ("additionalProperties", {"type": "string"}),
            ("exclusiveMinimum", True),
            ("exclusiveMaximum", 7),
            ("description", "chance"),
            ("not", {"enum": ["chance"]}),
            ("discriminator", {"propertyName": "kind"}),
            ("x-extensible-enum", ["a", "b"]),
        ]
    )
    if value.get(keyword) == word:
        del value[keyword]
    else:
        value[keyword] = word
    return value


def _wrap(value: Any, rng: random.Random) -> Any:
    keyword = rng.choice(["allOf", "anyOf", "oneOf"])
    more = [] if rng.random() < 0.5 else [rng.choice(_SCALARS)]
    return {keyword: [value, *more]}


def _instead(value: Any, rng: random.Random) -> Any:
    return rng.choice(_SCALARS)


# -- what is done to operations ------------------------------------------------------------------------------------


def _drop_member(value: Any, rng: random.Random) -> Any:
    if value:
        del value[rng.choice(list(value))]
    return value


def _rename_member(value: Any, rng: random.Random) -> Any:
    if value:
        name = rng.choice(list(value))
        value[rng.choice(["4XX", "default", "203", "application/vnd.chance+json", "text/csv", f"{name}x"])] = value.pop(
            name
        )
    return value


def _edit_parameter(value: Any, rng: random.Random) -> Any:
    keyword, word = rng.choice(
        [
            ("required", True),
            ("required", False),
            ("in", "header"),
            ("in", "query"),
            ("name", "chance"),
            ("style", "pipeDelimited"),
            ("explode", False),
            ("explode", True),
            ("collectionFormat", "multi"),
            ("allowEmptyValue", True),
            ("deprecated", True),
            ("type", "integer"),
            ("x-stability-level", "alpha"),
        ]
    )
    value[keyword] = word
    return value


def _edit_operation(value: Any, rng: random.Random) -> Any:
    match rng.randrange(8):
        case 0:
            value["deprecated"] = not value.get("deprecated", False)
        case 1:
            value["operationId"] = "chance"
        case 2:
            value["tags"] = ["chance"]
        case 3:
            value["security"] = rng.choice([[], [{}], [{"chance": []}]])
        case 4:
            value["parameters"] = [
                *_list(value.get("parameters")),
                {"in": "query", "name": "chance", "required": rng.random() < 0.5, "type": "string"},
            ]
        case 5 if _list(value.get("parameters")):
            value["parameters"] = value["parameters"][1:]
        case 6:
            value.pop("requestBody", None)
        case _:
            value["x-stability-level"] = rng.choice(["alpha", "beta", "stable"])
    return value


def _edit_root(value: Any, rng: random.Random) -> Any:
    match rng.randrange(7):
        case 0:
            value["basePath"] = "/chance"
        case 1:
            value["servers"] = [{"url": "https://chance.example/{x}", "variables": {"x": {"default": "a"}}}]
        case 2:
            value["security"] = [{}]
        case 3:
            value["consumes"] = ["application/xml"]
        case 4:
            value["produces"] = ["application/xml", "application/json"]
        case 5 if value.get("paths"):
            path = rng.choice(list(value["paths"]))
            value["paths"][f"/chance{path}"] = value["paths"].pop(path)
        case _:
            value["info"] = {"title": "Chance", "version": "2"}
    return value


# -- what nobody would do --------------------------------------------------------------------------------------------


def _scramble(value: Any, rng: random.Random) -> Any:
    if value:
        value[rng.choice(list(value))] = rng.choice(
            [None, True, 0, -1.5, "", "chance", [], {}, [None], {"$ref": "#/none"}]
        )
    return value


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else []


_EDITS: tuple[tuple[str, str, Change], ...] = (
    *((f"{change.__name__.strip('_')}", "schemas", change)
      for change in (_drop_property, _rename_property, _add_property, _retype_property, _toggle_required, _retype, _limit,
                     _list_values, _say, _say, _wrap, _instead)),
    ("drop operation", "path_items", _drop_member),
    ("edit operation", "operations", _edit_operation),
    ("edit operation", "operations", _edit_operation),
    ("drop of operation", "operations", _drop_member),
    ("edit parameter", "parameters", _edit_parameter),
    ("edit parameter", "parameters", _edit_parameter),
    ("drop of response", "responses", _drop_member),
    ("drop content", "contents", _drop_member),
    ("rename content", "contents", _rename_member),
    ("scramble", "anything", _scramble),
    ("drop anything", "anything", _drop_member),
    ("edit root", "root", _edit_root),
    ("edit root", "root", _edit_root),
)  # fmt: skip
