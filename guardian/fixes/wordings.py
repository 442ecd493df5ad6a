"""One schema in the words of another version of OpenAPI: 3.0 says some things otherwise than 3.1 and 3.2.

What base said is often to stand in a head that was lifted to the next version in the same change. The two dialects differ
in few keywords, and what the target has no words for is not said in others that nearly mean it.
"""

from __future__ import annotations

from typing import Any

from guardian.fixes.json_patch import failed

# What 3.1 took over from JSON Schema and 3.0 has no words for.
_NEW = frozenset(
    {"$defs", "$dynamicRef", "$dynamicAnchor", "$id", "$anchor", "if", "then", "else", "prefixItems", "contains",
     "minContains", "maxContains", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas",
     "unevaluatedItems", "unevaluatedProperties", "contentMediaType", "contentEncoding", "contentSchema"}
)  # fmt: skip
_BOUNDS = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))


def reworded(schema: Any, written: str, wanted: str, at: str) -> Any:
    """A schema of one version as another says it; of what stands in it, only its own keywords.

    Args:
        schema: the schema.
        written: the version that it is written in, ``3.0`` or another.
        wanted: the version to write.
        at: where it is, for messages.

    Raises:
        PatchError: the other version has no words for it.
    """
    if written == wanted:
        return schema
    if isinstance(schema, bool):
        return schema if wanted != "3.0" else {} if schema else {"not": {}}
    if not isinstance(schema, dict):
        return schema
    return _as_3_0(dict(schema), at) if wanted == "3.0" else _as_3_1(dict(schema))


def _as_3_1(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}  # what stands beside it counts in 3.1, and did not before
    if schema.pop("nullable", False) is True and isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
    for exclusive, bound in _BOUNDS:
        if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and bound in schema:
            schema[exclusive] = schema.pop(bound)
    return schema


def _as_3_0(schema: dict[str, Any], at: str) -> dict[str, Any]:
    for keyword in _NEW & schema.keys():
        raise failed(f"OpenAPI 3.0 has no `{keyword}`", at)
    if "$ref" in schema and len(schema) > 1:
        schema["allOf"] = [{"$ref": schema.pop("$ref")}, *schema.get("allOf", ())]
    types = schema.get("type")
    if isinstance(types, list):
        others = [each for each in types if each != "null"]
        if len(others) != 1:
            raise failed("OpenAPI 3.0 has no lists of types", at)
        schema["type"] = others[0]
        if "null" in types:
            schema["nullable"] = True
    elif types == "null":
        raise failed("OpenAPI 3.0 has no type `null`", at)
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    for exclusive, bound in _BOUNDS:
        value = schema.get(exclusive)
        if value is not None and not isinstance(value, bool):
            if bound in schema:
                raise failed(f"OpenAPI 3.0 has no `{exclusive}` beside `{bound}`", at)
            schema[bound], schema[exclusive] = value, True
    schema.pop("examples", None)
    return schema
