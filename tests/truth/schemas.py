"""Schemas by chance: random ones, edits of them, and rewritings that mean the same.

Everything is JSON Schema 2020-12 with ``$ref``s to ``#/components/schemas``; ``downgrade`` writes the same for OpenAPI
3.0 where that dialect can. Names, texts, numbers and limits come from small sets, so that the oracle can try them all.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

Schema = Any  # a dict or a bool

NAMES = ("p", "q", "r")
TEXTS = ("", "a", "b", "ab", "aab")
PATTERNS = ("^a", "b$", "^a*$", "^[ab]{1,2}$", "a")
FORMATS = ("date", "date-time", "uuid")


@dataclass
class Case:
    """Two versions of a schema, each with its components."""

    base: Schema
    head: Schema
    base_components: dict[str, Schema] = field(default_factory=dict)
    head_components: dict[str, Schema] = field(default_factory=dict)
    edit: str = ""


class Generator:
    """Makes schemas of a bounded depth."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def schema(self, depth: int = 2) -> Schema:
        makers: list[Callable[[int], Schema]] = [self.text, self.number, self.boolean, self.listed]
        if depth > 0:
            makers += [self.object, self.object, self.object, self.array, self.composed, self.composed]
        made = self.random.choice(makers)(depth)
        if isinstance(made.get("type"), str) and "enum" not in made and self.chance(0.15):
            made["type"] = [made["type"], "null"]
        return made

    def text(self, depth: int = 0) -> Schema:
        made: dict[str, Any] = {"type": "string"}
        if self.chance(0.3):
            made["minLength"] = self.random.randint(0, 2)
        if self.chance(0.3):
            made["maxLength"] = self.random.randint(1, 3)
        if self.chance(0.25):
            made["pattern"] = self.random.choice(PATTERNS)
        if len(made) == 1 and self.chance(0.15):
            made["format"] = self.random.choice(FORMATS)
        return made

    def number(self, depth: int = 0) -> Schema:
        made: dict[str, Any] = {"type": self.random.choice(("integer", "number"))}
        if self.chance(0.3):
            made[self.random.choice(("minimum", "exclusiveMinimum"))] = self.random.randint(-1, 2)
        if self.chance(0.3):
            made[self.random.choice(("maximum", "exclusiveMaximum"))] = self.random.randint(2, 5)
        elif self.chance(0.25):
            made["multipleOf"] = self.random.choice((1, 2, 3, 0.5))
        return made

    def boolean(self, depth: int = 0) -> Schema:
        return {"type": "boolean"}

    def listed(self, depth: int = 0) -> Schema:
        kind = self.random.choice(("string", "integer", "mixed"))
        pool: tuple[Any, ...] = {"string": TEXTS, "integer": (0, 1, 2, 3), "mixed": ("a", 1, None, True)}[kind]
        values = self.random.sample(pool, self.random.randint(1, 3))
        made: dict[str, Any] = {"const": values[0]} if len(values) == 1 and self.chance(0.5) else {"enum": values}
        if kind != "mixed" and self.chance(0.7):
            made["type"] = kind
        return made

    def object(self, depth: int) -> Schema:
        made: dict[str, Any] = {"type": "object"}
        names = self.random.sample(NAMES, self.random.randint(0, 3))
        if names:
            made["properties"] = {name: self.schema(depth - 1) for name in sorted(names)}
        required = [name for name in names if self.chance(0.35)]
        if required:
            made["required"] = sorted(required)
        if self.chance(0.3):
            made["additionalProperties"] = self.random.choice((True, False, False, self.schema(0)))
        if len(names) > 1 and self.chance(0.2):
            made["minProperties"] = 1
        if self.chance(0.1):
            made["maxProperties"] = max(self.random.randint(1, 3), len(required) + 2)
        if len(names) > 1 and self.chance(0.2):
            one, other = self.random.sample(names, 2)
            made["dependentRequired"] = {one: [other]}
        if self.chance(0.07):
            made["propertyNames"] = {"maxLength": self.random.randint(1, 2)}
        if self.chance(0.07):
            made["patternProperties"] = {"^x": self.schema(0)}
        return made

    def array(self, depth: int) -> Schema:
        made: dict[str, Any] = {"type": "array", "items": self.schema(depth - 1)}
        if self.chance(0.3):
            made["minItems"] = self.random.randint(0, 2)
        if self.chance(0.3):
            made["maxItems"] = self.random.randint(2, 3)
        if self.chance(0.2) and made["items"].get("type") in ("string", "number", "object"):
            made["uniqueItems"] = True
        if self.chance(0.2) and made["items"].get("type") in ("string", "integer"):
            made["contains"] = {
                "enum": self.random.sample(TEXTS if made["items"]["type"] == "string" else (0, 1, 2), 2)
            }
            if self.chance(0.3):
                made["minContains"] = self.random.randint(0, 2)
        if self.chance(0.12):
            made["prefixItems"] = [self.schema(0)]
        return made

    def composed(self, depth: int) -> Schema:
        keyword = self.random.choice(("anyOf", "oneOf", "allOf", "allOf", "not", "if"))
        if keyword in {"anyOf", "oneOf"}:
            options = [self.schema(depth - 1) for _ in range(self.random.randint(2, 3))]
            for option in options:
                option.pop("propertyNames", None)
                if option.get("type") == "object" and "properties" not in option:
                    option.pop("patternProperties", None)  # else it covers nearly all of the others
                    option["additionalProperties"] = self.text()
                if option.get("additionalProperties") is False:  # to a tolerant reader a closed one is like an open one
                    del option["additionalProperties"]
            return {keyword: options}
        if keyword == "allOf":
            parts = [self.object(depth - 1) for _ in range(2)]
            for part in parts:
                part.pop("maxProperties", None)
                if part.get("additionalProperties") is False:  # parts that refuse each other's keys accept nothing
                    del part["additionalProperties"]
            return {"allOf": parts}
        if keyword == "not":
            made = self.random.choice((self.text, self.number))()
            return {"type": made["type"], "not": {"enum": self.random.sample(("a", "b", "ab", 1, 2), 2)}}
        made = self.object(depth)
        names = list(made.get("properties", {}))
        if len(names) > 1:
            one, other = self.random.sample(names, 2)
            made["if"] = {"required": [one]}
            made["then"] = {"required": [other]}
        return made


# -- edits -------------------------------------------------------------------------------------------------------------


def places(schema: Schema, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to every schema in a schema."""
    if not isinstance(schema, dict):
        return
    yield path
    for keyword in ("properties", "patternProperties"):
        for name in schema.get(keyword, {}):
            yield from places(schema[keyword][name], (*path, keyword, name))
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict) and not (keyword == "items" and "contains" in schema):
            yield from places(schema[keyword], (*path, keyword))
    for keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
        for index, part in enumerate(schema.get(keyword, [])):
            yield from places(part, (*path, keyword, index))


def at(schema: Schema, path: tuple[Any, ...]) -> Schema:
    for step in path:
        schema = schema[step]
    return schema


def edited(schema: Schema, generator: Generator) -> tuple[Schema, str]:
    """A copy with one random edit, and its name."""
    random = generator.random
    result = {"root": copy.deepcopy(schema)}
    path = random.choice(list(places(schema)))
    target = at(result["root"], path)
    edits: list[Callable[[], str]] = []

    def replace(made: Schema, name: str) -> str:
        if path:
            at(result["root"], path[:-1])[path[-1]] = made
        else:
            result["root"] = made
        return name

    def set_key(keyword: str, value: Any) -> str:
        target[keyword] = value
        return f"{keyword} set to {value}"

    def drop(keyword: str) -> str:
        del target[keyword]
        return f"{keyword} dropped"

    kind = target.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    fresh = {"string": generator.text, "integer": generator.number, "number": generator.number}.get(kind)
    for keyword in list(target):
        if keyword not in {"type", "properties", "items", "then", "if", "prefixItems", "allOf", "anyOf", "oneOf"}:
            edits.append(lambda keyword=keyword: drop(keyword))
    if fresh:
        donor = fresh()
        donor.pop("type")
        if not target.keys().isdisjoint(("not", "enum", "const")):
            donor.pop("format", None)
        edits += [lambda k=k, v=v: set_key(k, v) for k, v in donor.items()]
    if kind in {"integer", "number"}:
        edits.append(lambda: set_key("type", "number" if kind == "integer" else "integer"))
    if isinstance(kind, str) and "enum" not in target:
        edits.append(lambda: set_key("type", kind if isinstance(target["type"], list) else [kind, "null"]) + " (null)")
    if kind == "object":
        donor = generator.object(1)
        if "minProperties" in donor:
            donor["minProperties"] = min(donor["minProperties"], len(target.get("properties", {})) // 2)
        if "maxProperties" in donor:
            donor["maxProperties"] = max(donor["maxProperties"], len(target.get("required", ())) + 2)
        for keyword in ("additionalProperties", "minProperties", "dependentRequired", "required", "maxProperties"):
            if keyword in donor:
                edits.append(lambda keyword=keyword, donor=donor: set_key(keyword, donor[keyword]))
        name = random.choice(NAMES)
        properties = target.setdefault("properties", {})
        if name in properties:
            edits += [lambda: str(properties.pop(name)) and f"property {name} removed"] * 2
        else:
            edits += [lambda: properties.__setitem__(name, generator.schema(0)) or f"property {name} added"] * 2
    if kind == "array":
        donor = generator.array(1)
        donor.pop("type")
        if not {"contains", "uniqueItems"}.isdisjoint({*target, *donor}):
            donor.pop("items")
        edits += [lambda k=k, v=v: set_key(k, v) for k, v in donor.items()]
    for keyword in ("anyOf", "oneOf"):
        if keyword in target:
            edits.append(lambda keyword=keyword: target[keyword].append(generator.schema(1)) or f"{keyword} gained one")
            if len(target[keyword]) > 1:
                edits.append(lambda keyword=keyword: str(target[keyword].pop()) and f"{keyword} lost one")
    if "enum" in target:
        edits.append(lambda: target["enum"].append("ab") or "enum gained ab")
        if len(target["enum"]) > 1:
            edits.append(lambda: str(target["enum"].pop()) and "enum lost one")
    if "allOf" in target:
        edits.append(
            lambda: target["allOf"].append({"type": "object", "required": [random.choice(NAMES)]}) or "allOf grew"
        )
    edits.append(lambda: replace(generator.schema(1), "replaced"))
    if not path or path[-2:-1] != ("prefixItems",):
        edits.append(lambda: replace({"anyOf": [target, generator.schema(0)]}, "became one of two"))
    name = random.choice(edits)()
    if target.get("properties") == {}:
        del target["properties"]
    return result["root"], f"{name} at /{'/'.join(map(str, path))}"


# -- rewritings that mean the same -------------------------------------------------------------------------------------


class Refactoring:
    """Rewrites a schema without changing what it accepts. Hoisted parts become components."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.components: dict[str, Schema] = {}

    def schema(self, schema: Schema) -> Schema:
        if not isinstance(schema, dict):
            return schema
        made = {key: self._below(key, value) for key, value in schema.items()}
        return self.random.choice((self._same, self._shuffled, self._hoisted, self._split, self._spelled))(made)

    def _below(self, keyword: str, value: Any) -> Any:
        if keyword in {"properties", "patternProperties"}:
            return {name: self.schema(each) for name, each in value.items()}
        if keyword in {"allOf", "anyOf", "oneOf", "prefixItems"}:
            parts = [self.schema(each) for each in value]
            if keyword in {"anyOf", "oneOf"}:
                self.random.shuffle(parts)
            return parts
        if keyword in {"items", "additionalProperties", "contains", "not", "then"}:
            return self.schema(value)
        if keyword in {"enum", "required"}:
            return self.random.sample(value, len(value))
        return value

    def _same(self, schema: Schema) -> Schema:
        return schema

    def _shuffled(self, schema: Schema) -> Schema:
        return dict(self.random.sample(list(schema.items()), len(schema)))

    def _hoisted(self, schema: Schema) -> Schema:
        name = f"Part{len(self.components)}{self.random.choice('xyz')}"
        self.components[name] = schema
        return {"$ref": f"#/components/schemas/{name}"}

    def _split(self, schema: Schema) -> Schema:
        """The same in two parts of an allOf; ``additionalProperties`` and its kin only work beside each other."""
        if schema.get("type") != "object" or not schema.keys().isdisjoint(
            ("additionalProperties", "patternProperties", "if", "$ref")
        ):
            return {"allOf": [schema]}
        names = list(schema.get("properties", {}))
        moved = names[: len(names) // 2]
        first = (
            {"type": "object", "properties": {name: schema["properties"][name] for name in moved}}
            if moved
            else {"type": "object"}
        )
        rest = {key: value for key, value in schema.items() if key != "properties"}
        left = {name: schema["properties"][name] for name in names if name not in moved}
        if left:
            rest["properties"] = left
        return {"allOf": [first, rest]}

    def _spelled(self, schema: Schema) -> Schema:
        """Another spelling: null, limits of integers, lists of one."""
        made = dict(schema)
        if made.get("type") == "integer":
            if "minimum" in made and "exclusiveMinimum" not in made:
                made["exclusiveMinimum"] = made.pop("minimum") - 1
            if "maximum" in made and "exclusiveMaximum" not in made:
                made["exclusiveMaximum"] = made.pop("maximum") + 1
        if "const" in made and "enum" not in made:
            made["enum"] = [made.pop("const")]
        if isinstance(made.get("type"), list) and "null" in made["type"]:
            others = [each for each in made["type"] if each != "null"]
            if len(others) == 1 and made.keys().isdisjoint(("enum", "const", "not", "anyOf", "oneOf", "allOf")):
                made["type"] = others[0]
                return {self.random.choice(("anyOf", "oneOf")): [made, {"type": "null"}]}
        return made


# -- OpenAPI 3.0 -------------------------------------------------------------------------------------------------------

_ONLY_31 = frozenset(
    ("if", "contains", "prefixItems", "dependentRequired", "patternProperties", "propertyNames", "const")
)


def downgrade(schema: Schema) -> Schema | None:
    """The same schema as OpenAPI 3.0 writes it, or None if it cannot."""
    if isinstance(schema, bool):
        return schema
    if not _ONLY_31.isdisjoint(schema):
        return None
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, list):
            others = [each for each in value if each != "null"]
            if len(others) != 1 or "enum" in schema:
                return None
            made.update({"type": others[0], "nullable": True})
        elif key == "type" and value == "null":
            return None
        elif key in {"exclusiveMinimum", "exclusiveMaximum"}:
            plain = key.replace("exclusiveM", "m")
            if plain in schema:
                return None
            made.update({plain: value, key: True})
        elif key == "properties":
            below = {name: downgrade(each) for name, each in value.items()}
            if None in below.values():
                return None
            made[key] = below
        elif key in {"allOf", "anyOf", "oneOf"}:
            parts = [downgrade(each) for each in value]
            if None in parts:
                return None
            made[key] = parts
        elif key in {"items", "not", "additionalProperties"}:
            made[key] = downgrade(value)
            if made[key] is None:
                return None
        else:
            made[key] = value
    return made
