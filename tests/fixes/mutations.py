"""Random edits of real documents that break somebody: each takes plain data and gives RFC 6902 operations, or None.

They stand for what people do to specifications on a Friday afternoon; whether the edit breaks is for guardian to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from guardian.fixes.json_patch import add, pointer, remove, replace

Edit = dict[str, Any]
Mutation = Callable[[Any, Random], "list[Edit] | None"]

METHODS = ("get", "put", "post", "delete", "patch")


def walk(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a document with its pointer."""
    yield at, value
    if isinstance(value, dict):
        for key, each in value.items():
            yield from walk(each, at + pointer(key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from walk(each, f"{at}/{index}")


def schemas(document: Any, kind: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    """The schemas of a document, perhaps of one type only."""
    found = []
    for at, value in walk(document):
        if "/example" in at or "/x-" in at or not isinstance(value, dict):
            continue
        if isinstance(value.get("type"), str) and not {"in", "operationId", "flows"} & value.keys():
            if "/securitySchemes/" in at or "/securityDefinitions/" in at:
                continue
            if kind is None or value["type"] == kind:
                found.append((at, value))
    return found


def objects(document: Any) -> list[tuple[str, dict[str, Any]]]:
    """The schemas with properties."""
    return [(at, value) for at, value in schemas(document, "object") if isinstance(value.get("properties"), dict)]


def operations(document: Any) -> list[tuple[str, dict[str, Any]]]:
    """The operations of a document."""
    found = []
    for path, item in document.get("paths", {}).items():
        if isinstance(item, dict):
            found += [
                (pointer("paths", path, each), item[each]) for each in METHODS if isinstance(item.get(each), dict)
            ]
    return found


def inline_parameters(document: Any) -> list[tuple[str, dict[str, Any]]]:
    """The parameters that are written in their operation."""
    return [
        (f"{at}/parameters/{index}", each)
        for at, operation in operations(document)
        for index, each in enumerate(operation.get("parameters", []))
        if isinstance(each, dict) and "$ref" not in each and each.get("in") in ("query", "header")
    ]


def _some(random: Random, found: list[Any]) -> Any:
    return random.choice(found) if found else None


def remove_property(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, [(at, each) for at, each in objects(document) if len(each["properties"]) > 1])
    if chosen is None:
        return None
    at, schema = chosen
    name = random.choice(sorted(schema["properties"]))
    return [*_unrequire(at, schema, name), remove(f"{at}/properties{pointer(name)}")]


def _unrequire(at: str, schema: dict[str, Any], name: str) -> list[Edit]:
    required = schema.get("required")
    if not isinstance(required, list) or name not in required:
        return []
    kept = [each for each in required if each != name]
    return [replace(f"{at}/required", kept) if kept else remove(f"{at}/required")]


def rename_property(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, objects(document))
    if chosen is None or not chosen[1]["properties"]:
        return None
    at, schema = chosen
    name = random.choice(sorted(schema["properties"]))
    new = f"{name}_text" if "_" in name else f"{name}Text"
    if new in schema["properties"]:
        return None
    edits = [
        remove(f"{at}/properties{pointer(name)}"),
        add(f"{at}/properties{pointer(new)}", schema["properties"][name]),
    ]
    if name in (schema.get("required") or []):
        edits.append(replace(f"{at}/required", [new if each == name else each for each in schema["required"]]))
    return edits


def make_optional(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, [(at, each) for at, each in objects(document) if each.get("required")])
    if chosen is None:
        return None
    at, schema = chosen
    return _unrequire(at, schema, random.choice(schema["required"]))


def make_required(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(
        random, [(at, e) for at, e in objects(document) if set(e["properties"]) - set(e.get("required", []))]
    )
    if chosen is None:
        return None
    at, schema = chosen
    name = random.choice(sorted(set(schema["properties"]) - set(schema.get("required", []))))
    required = schema.get("required")
    return [replace(f"{at}/required", [*required, name]) if required else add(f"{at}/required", [name])]


def require_new_property(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, objects(document))
    if chosen is None:
        return None
    at, schema = chosen
    required = schema.get("required")
    return [
        add(f"{at}/properties/reason_code", {"type": "string", "maxLength": 20}),
        replace(f"{at}/required", [*required, "reason_code"]) if required else add(f"{at}/required", ["reason_code"]),
    ]


def retype(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, [*schemas(document, "string"), *schemas(document, "integer")])
    if chosen is None:
        return None
    at, schema = chosen
    kept = {key: each for key, each in schema.items() if key in ("description", "title", "name", "in")}
    return [replace(at, {**kept, "type": "integer" if schema["type"] == "string" else "string"})]


def change_format(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, [(at, each) for at, each in schemas(document, "string") if "enum" not in each])
    return None if chosen is None else [add(f"{chosen[0]}/format", random.choice(["uuid", "date", "ipv4"]))]


def tighten_text(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, [(at, each) for at, each in schemas(document, "string") if "enum" not in each])
    if chosen is None:
        return None
    keyword, value = random.choice([("maxLength", 3), ("minLength", 2), ("pattern", "^[a-c]+$")])
    return [add(f"{chosen[0]}/{keyword}", value)]


def tighten_number(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, schemas(document, "integer"))
    if chosen is None:
        return None
    return [add(f"{chosen[0]}/{random.choice(['maximum', 'minimum', 'multipleOf'])}", 7)]


def loosen(document: Any, random: Random) -> list[Edit] | None:
    bounds = ("maximum", "minimum", "maxLength", "pattern", "maxItems", "minItems", "enum", "format")
    chosen = _some(random, [(at, key) for at, each in schemas(document) for key in bounds if key in each])
    return None if chosen is None else [remove(f"{chosen[0]}/{chosen[1]}")]


def tighten_list(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, schemas(document, "array"))
    if chosen is None:
        return None
    keyword, value = random.choice([("minItems", 2), ("maxItems", 3), ("uniqueItems", True)])
    return [add(f"{chosen[0]}/{keyword}", value)]


def remove_enum_value(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, [(at, each["enum"]) for at, each in schemas(document) if len(each.get("enum", [])) > 1])
    if chosen is None:
        return None
    at, values = chosen
    gone = random.choice(values)
    return [replace(f"{at}/enum", [each for each in values if each != gone])]


def add_enum_value(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, [(at, each["enum"]) for at, each in schemas(document, "string") if each.get("enum")])
    return None if chosen is None else [add(f"{chosen[0]}/enum/-", "quite_new")]


def close_object(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, [(at, each) for at, each in objects(document) if "additionalProperties" not in each])
    return None if chosen is None else [add(f"{chosen[0]}/additionalProperties", False)]


def remove_operation(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, operations(document))
    return None if chosen is None or len(operations(document)) < 2 else [remove(chosen[0])]


def move_operation(document: Any, random: Random) -> list[Edit] | None:
    paths = [path for path, item in document.get("paths", {}).items() if isinstance(item, dict) and "$ref" not in item]
    if not paths:
        return None
    path = random.choice(sorted(paths))
    new = f"/moved{path}"
    return [remove(pointer("paths", path)), add(pointer("paths", new), document["paths"][path])]


def remove_parameter(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, inline_parameters(document))
    return None if chosen is None else [remove(chosen[0])]


def rename_parameter(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, inline_parameters(document))
    return None if chosen is None else [replace(f"{chosen[0]}/name", f"{chosen[1]['name']}_new")]


def require_parameter(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, [(at, each) for at, each in inline_parameters(document) if each.get("required") is not True])
    return None if chosen is None else [add(f"{chosen[0]}/required", True)]


def add_required_parameter(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, operations(document))
    if chosen is None:
        return None
    at, operation = chosen
    typed = {"type": "string"} if "swagger" in document else {"schema": {"type": "string"}}
    new = {"name": "tenant_code", "in": "query", "required": True, **typed}
    return [add(f"{at}/parameters/-", new) if "parameters" in operation else add(f"{at}/parameters", [new])]


def restyle_parameter(document: Any, random: Random) -> list[Edit] | None:
    arrays = [
        at
        for at, each in inline_parameters(document)
        if each.get("schema", {}).get("type") == "array" and "style" not in each
    ]
    chosen = _some(random, arrays)
    return None if chosen is None else [add(f"{chosen}/explode", False)]


def remove_media_type(document: Any, random: Random) -> list[Edit] | None:
    found = [
        (f"{at}/responses{pointer(status)}/content", each["content"])
        for at, operation in operations(document)
        for status, each in operation.get("responses", {}).items()
        if isinstance(each, dict) and each.get("content")
    ]
    chosen = _some(random, found)
    return None if chosen is None else [remove(chosen[0] + pointer(random.choice(sorted(chosen[1]))))]


def remove_response(document: Any, random: Random) -> list[Edit] | None:
    found = [(at, each["responses"]) for at, each in operations(document) if len(each.get("responses", {})) > 1]
    chosen = _some(random, found)
    return None if chosen is None else [remove(f"{chosen[0]}/responses{pointer(random.choice(sorted(chosen[1])))}")]


def tighten_security(document: Any, random: Random) -> list[Edit] | None:
    schemes = document.get("components", {}).get("securitySchemes") or document.get("securityDefinitions")
    chosen = _some(random, operations(document))
    if not schemes or chosen is None:
        return None
    at, operation = chosen
    new = [{name: [] for name in sorted(schemes)}]
    if operation.get("security") == new:
        return None
    return [replace(f"{at}/security", new) if "security" in operation else add(f"{at}/security", new)]


def make_nullable(document: Any, random: Random) -> list[Edit] | None:
    chosen = _some(random, schemas(document))
    if chosen is None:
        return None
    at, schema = chosen
    if "swagger" in document:
        return [add(f"{at}/x-nullable", True)]
    if str(document.get("openapi", "")).startswith("3.0"):
        return None if schema.get("nullable") else [add(f"{at}/nullable", True)]
    return [replace(f"{at}/type", [schema["type"], "null"])]


def require_body(document: Any, random: Random) -> list[Edit] | None:
    bodies = [
        (at, each["requestBody"])
        for at, each in operations(document)
        if isinstance(each.get("requestBody"), dict)
        and "$ref" not in each["requestBody"]
        and each["requestBody"].get("required") is not True
    ]
    chosen = _some(random, bodies)
    return None if chosen is None else [add(f"{chosen[0]}/requestBody/required", True)]


def remove_header(document: Any, random: Random) -> list[Edit] | None:
    found = [(at, each) for at, each in walk(document) if at.endswith("/headers") and isinstance(each, dict) and each]
    chosen = _some(random, [each for each in found if "/responses/" in each[0]])
    return None if chosen is None else [remove(chosen[0] + pointer(random.choice(sorted(chosen[1]))))]


def change_alternatives(document: Any, random: Random) -> list[Edit] | None:
    found = [
        (f"{at}/{key}", each[key])
        for at, each in walk(document)
        if isinstance(each, dict) and "/example" not in at
        for key in ("oneOf", "anyOf")
        if isinstance(each.get(key), list) and len(each[key]) > 1
    ]
    chosen = _some(random, found)
    if chosen is None:
        return None
    at, options = chosen
    if random.random() < 0.5:
        return [remove(f"{at}/{random.randrange(len(options))}")]
    return [add(f"{at}/-", {"type": "object", "required": ["novel"], "properties": {"novel": {"type": "boolean"}}})]


MUTATIONS: tuple[Mutation, ...] = (
    remove_property, rename_property, make_optional, make_required, require_new_property, retype, change_format,
    tighten_text, tighten_number, tighten_list, loosen, remove_enum_value, add_enum_value, close_object,
    remove_operation, move_operation, remove_parameter, rename_parameter, require_parameter, add_required_parameter,
    restyle_parameter, remove_media_type, remove_response, tighten_security, make_nullable, require_body, remove_header,
    change_alternatives,
)  # fmt: skip
