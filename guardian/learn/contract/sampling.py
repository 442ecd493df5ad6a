"""Rich, valid payloads of a schema, from a seed; whether one is valid is for the judge to say."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any

from guardian.learn.contract.mutations.sites import follow, kind
from guardian.learn.contract.vocabulary_values import TEXTS, WORDS

Json = dict[str, Any]

_DEPTH = 8


def sample(document: Json, schema: Any, rng: Random, *, items: int = 2) -> Any:
    """A value of a schema; ``items`` is how many an array has where its bounds allow that."""
    return _Sampler(document, rng, items).value(schema, "", 0)


class _Sampler:
    def __init__(self, document: Json, rng: Random, items: int) -> None:
        self.document = document
        self.rng = rng
        self.items = items

    def value(self, schema: Any, name: str, depth: int) -> Any:
        schema = self._flat(schema)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self.rng.choice([each for each in schema["enum"] if each is not None] or schema["enum"])
        for keyword in ("oneOf", "anyOf"):
            if schema.get(keyword):
                return self.value(schema[keyword][0], name, depth)
        makers: dict[str, Callable[[Json, str, int], Any]] = {
            "object": self._object, "array": self._array, "string": self._string, "integer": self._number,
            "number": self._number, "boolean": self._boolean,
        }  # fmt: skip
        make = makers.get(kind(schema) or ("object" if "properties" in schema else "string"))
        return make(schema, name, depth) if make else None

    def _flat(self, schema: Any) -> Json:
        """References followed and allOf merged, as far as building a value needs it."""
        found = follow(self.document, schema)
        parts = [self._flat(part) for part in found.get("allOf") or ()]
        if not parts:
            return found
        merged: Json = {}
        for part in (*parts, {key: value for key, value in found.items() if key != "allOf"}):
            for key, value in part.items():
                if key == "properties":
                    merged[key] = {**merged.get(key, {}), **value}
                elif key == "required":
                    merged[key] = [*merged.get(key, ()), *value]
                else:
                    merged[key] = value
        return merged

    def _object(self, schema: Json, name: str, depth: int) -> Json:
        required = set(schema.get("required", ()))
        value = {
            key: self.value(each, key, depth + 1)
            for key, each in (schema.get("properties") or {}).items()
            if key in required or (depth < _DEPTH and self.rng.random() < 0.8)
        }
        for key, each in (schema.get("properties") or {}).items():
            if len(value) < schema.get("minProperties", 0):
                value.setdefault(key, self.value(each, key, depth + 1))
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and not value:
            value = {word: self.value(extra, word, depth + 1) for word in self.rng.sample(WORDS, 2)}
        return value

    def _array(self, schema: Json, name: str, depth: int) -> list[Any]:
        count = min(max(self.items, schema.get("minItems", 0)), schema.get("maxItems", 99))
        return [self.value(schema.get("items", {}), name, depth + 1) for _ in range(0 if depth > _DEPTH else count)]

    def _boolean(self, schema: Json, name: str, depth: int) -> bool:
        return self.rng.random() < 0.5

    def _number(self, schema: Json, name: str, depth: int) -> float | int:
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        high = schema.get("maximum", schema.get("exclusiveMaximum", low + 100 if isinstance(low, int | float) else 100))
        low = low if isinstance(low, int | float) and not isinstance(low, bool) else 0
        high = high if isinstance(high, int | float) and not isinstance(high, bool) else low + 100
        if kind(schema) == "integer":
            step = int(schema.get("multipleOf", 1)) or 1
            return self.rng.randint(int(low), max(int(low), min(int(high) - 1, int(low) + 500))) // step * step
        return round(self.rng.uniform(low, min(high, low + 500)), 2)

    def _string(self, schema: Json, name: str, depth: int) -> str:
        form = schema.get("format")
        made = _FORMATS[form](self.rng) if form in _FORMATS else None
        if made is None and isinstance(schema.get("pattern"), str):
            found = _examples(schema["pattern"])
            made = self._varied(found[0], schema["pattern"]) if found else str(schema.get("example", ""))
        if made is None:
            made = self.rng.choice(TEXTS)
        longest = schema.get("maxLength")
        if form is None and isinstance(longest, int):
            made = made[:longest]
        return made if len(made) >= schema.get("minLength", 0) else made.ljust(schema["minLength"], "x")

    def _varied(self, example: str, pattern: str) -> str:
        """Another text of the pattern: its digits and capitals changed, where the pattern takes that."""
        import re

        other = "".join(
            str(self.rng.randint(0, 9)) if char.isdigit() else chr(self.rng.randint(65, 90)) if char.isupper() else char
            for char in example
        )
        try:
            return other if re.search(pattern, other) else example
        except re.error:
            return example


@lru_cache(maxsize=2048)
def _examples(pattern: str) -> tuple[str, ...]:
    from guardian.rules.patterns import examples

    return tuple(examples(pattern, 1))


def _date(rng: Random) -> str:
    return f"20{rng.randint(20, 29)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def _time(rng: Random) -> str:
    return f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}Z"


def _uuid(rng: Random) -> str:
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"


_FORMATS: dict[Any, Callable[[Random], str]] = {
    "date": _date,
    "date-time": lambda rng: f"{_date(rng)}T{_time(rng)}",
    "time": _time,
    "uuid": _uuid,
    "email": lambda rng: f"{rng.choice(WORDS)}.{rng.choice(WORDS)}@mail.example",
    "uri": lambda rng: f"https://www.example/{rng.choice(WORDS)}/{rng.randint(1, 999)}",
    "ipv4": lambda rng: f"10.{rng.randint(0, 9)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}",
    "hostname": lambda rng: f"{rng.choice(WORDS)}.example",
    "byte": lambda rng: "aGVsbG8=",
}
