"""Where in a document a mutation can strike: operations, object schemas and properties by the direction they travel."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

Json = dict[str, Any]
_T = TypeVar("_T")

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
JSON = "application/json"


@dataclass(slots=True)
class Site:
    """One property and the object schema that declares it."""

    owner: Json
    name: str
    schema: Json  # as written, maybe a reference
    document: Json

    @property
    def required(self) -> bool:
        return self.name in self.owner.get("required", ())

    @property
    def target(self) -> Json:
        """The schema behind the reference."""
        return follow(self.document, self.schema)

    def own(self) -> Json:
        """The property's schema for writing: a shared component behind a reference stays as it is."""
        if "$ref" in self.schema:
            copy = clone(self.target)
            self.owner["properties"][self.name] = self.schema = copy
        return self.schema


def clone(value: _T) -> _T:
    """A deep copy of plain data; fast. What stood in two places is two things afterwards."""
    data: Any = value
    copy: _T = marshal.loads(marshal.dumps(data, 2))  # version 2 keeps no sharing
    return copy


def follow(document: Json, node: Any) -> Json:
    """What a local reference leads to; an empty schema where it leads elsewhere or nowhere."""
    seen = 0
    while isinstance(node, dict) and isinstance(node.get("$ref"), str) and seen < 20:
        seen += 1
        value: Any = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            value = value.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(value, dict) else None
        node = value
    return node if isinstance(node, dict) else {}


def operations(document: Json) -> list[tuple[str, str, Json]]:
    """Path, method and operation object of each."""
    return [
        (path, method, item[method])
        for path, item in (document.get("paths") or {}).items()
        if isinstance(item, dict)
        for method in METHODS
        if isinstance(item.get(method), dict)
    ]


def bodies(document: Json, direction: str) -> Iterator[tuple[Json, Json]]:
    """Every JSON media type object of requests or of success responses, with its operation."""
    for _, _, operation in operations(document):
        holders = [operation.get("requestBody")] if direction == "request" else [
            response for status, response in (operation.get("responses") or {}).items() if str(status)[:1] == "2"
        ]  # fmt: skip
        for holder in holders:
            content = follow(document, holder).get("content") or {}
            for name, media in content.items():
                if "json" in name and isinstance(media, dict) and isinstance(media.get("schema"), dict):
                    yield operation, media


def objects(document: Json, direction: str) -> list[Json]:
    """Every object schema with properties that messages of this direction reach, each once."""
    found: dict[int, Json] = {}
    visited: set[int] = set()
    stack: list[Any] = [media["schema"] for _, media in bodies(document, direction)]
    while stack:
        schema = follow(document, stack.pop())
        if id(schema) in visited:
            continue
        visited.add(id(schema))
        if isinstance(schema.get("properties"), dict) and schema["properties"]:
            found[id(schema)] = schema
        stack.extend((schema.get("properties") or {}).values())
        for keyword in ("allOf", "anyOf", "oneOf"):
            stack.extend(schema.get(keyword) or ())
        for keyword in ("items", "additionalProperties"):
            if isinstance(schema.get(keyword), dict):
                stack.append(schema[keyword])
    return sorted(found.values(), key=lambda schema: ",".join(schema["properties"]))


def properties(document: Json, direction: str) -> list[Site]:
    """Every property that messages of this direction reach; those of objects that both directions share are left out.

    A change of a shared object does two things at once, which is right but makes every count jump.
    """
    other = {id(schema) for schema in objects(document, "response" if direction == "request" else "request")}
    return [
        Site(schema, name, value, document)
        for schema in objects(document, direction)
        if id(schema) not in other
        for name, value in schema["properties"].items()
        if isinstance(value, dict)
    ]


def pick(document: Json, rng: Random, direction: str, *kinds: str, required: bool | None = None) -> Site | None:
    """One property of these JSON types (any if none is named), or None where there is none."""
    found = [
        site
        for site in properties(document, direction)
        if (not kinds or kind(site.target) in kinds) and (required is None or site.required is required)
    ]
    return rng.choice(found) if found else None


def kind(schema: Json) -> str:
    """The JSON type of a schema, null aside; empty where it does not say."""
    written = schema.get("type")
    if isinstance(written, list):
        written = next((each for each in written if each != "null"), "")
    return written if isinstance(written, str) else ""


def parameters(document: Json, *locations: str) -> list[tuple[list[Any], Json]]:
    """Every inline parameter in these locations with the list it stands in; one without a name is none."""
    lists = [operation.get("parameters") for _, _, operation in operations(document)]
    return [
        (listed, each)
        for listed in lists
        if isinstance(listed, list)
        for each in listed
        if isinstance(each, dict)
        and each.get("in") in locations
        and isinstance(each.get("schema"), dict)
        and isinstance(each.get("name"), str)
    ]


def fresh(taken: Any, name: str) -> str:
    """A name that is not taken yet."""
    while name in taken:
        name += "_2"
    return name


def put(mapping: Json, key: str, value: Any, instead_of: str) -> None:
    """Put an entry where another stands, in the order of the map."""
    entries = [(key, value) if name == instead_of else (name, each) for name, each in mapping.items()]
    mapping.clear()
    mapping.update(entries)
