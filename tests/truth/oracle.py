"""The oracle: is there a message that one side may send and the other cannot take? Found by trying.

No code of guardian is used. Both schemas are rewritten into plain JSON Schema that says the conventions of messages
(INTERFACE, section 5) and are asked about a universe of small values. What a value holds below a place matters only
through which of the schemas mentioned for that place accept it, so one value of each such class is enough, and small
universes are complete for small schemas.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import jsonschema_rs

Schema = Any

SCALARS: tuple[Any, ...] = (
    *("a", "", "b", "ab", "aa", "aaa", "aab", "aaaa", "bb", "ba", "c", "cccc"),
    *("ac", "aaab", "bbbb", "abab", -3, -4, -5, -6),
    *("2020-01-31", "2020-01-31T00:00:00Z", "123e4567-e89b-12d3-a456-426614174000"),
    *(0, 1, 2, 3, 4, 5, 6, 7, -1, -2, 0.5, 1.5, 2.5, -0.5, 4.5, 5.5, 0.25, -1.5, -2.5, 2**31, 2**63),
    *(None, True, False, [], {}),
)
NAMES = ("p", "q", "r")  # the keys that generated schemas declare
FRESH = ("zz", "x", "aaa", "d", "yyyy", "ww", "vv")  # keys that no schema declares; one meets the patterns of keys
MOST_VALUES = 4_000


def breaks(
    base: Schema,
    head: Schema,
    base_components: Any,
    head_components: Any,
    direction: str,
    claimed: Iterable[Any] = (),
) -> tuple[bool, Any]:
    """Whether a message that worked before fails now, and the first such message.

    ``claimed`` are messages that somebody says to be such; they are judged like all others.
    """
    before, after = _resolved(base, base_components), _resolved(head, head_components)
    request = direction == "request"
    sender = _validator(_sender(before if request else after))
    receiver = _validator(_receiver(after if request else before, request))
    for value in itertools.chain(claimed, universe([before, after])):
        if sender.is_valid(value) and not receiver.is_valid(value):
            return True, value
    return False, None


def validator_of(schema: Schema, direction: str, *, sends: bool) -> Any:
    """The validator of one side's messages."""
    return _validator(_sender(schema) if sends else _receiver(schema, direction == "request"))


def _validator(schema: Schema) -> Any:
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def _resolved(schema: Schema, components: dict[str, Schema]) -> Schema:
    """References replaced by what they lead to; generated components never lead in a circle."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            target = _resolved(components[schema["$ref"].rpartition("/")[2]], components)
            rest = {key: _resolved(value, components) for key, value in schema.items() if key != "$ref"}
            return {"allOf": [target, rest]} if rest else target
        made = {key: _resolved(value, components) for key, value in schema.items()}
        if schema.get("format") in {"int32", "int64"}:  # limits that the validator does not know by name
            limit = 2 ** (int(schema["format"][3:]) - 1)
            made["allOf"] = [*made.get("allOf", []), {"minimum": -limit, "maximum": limit - 1}]
        return made
    return [_resolved(each, components) for each in schema] if isinstance(schema, list) else schema


# -- the conventions, as JSON Schema -----------------------------------------------------------------------------------

_BELOW = ("items", "additionalProperties", "contains", "propertyNames", "unevaluatedProperties")
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_IN_PLACE = ("then", "else")


def in_place(schema: Schema) -> Iterator[dict[str, Any]]:
    """Every schema object that speaks of the same value, negations and conditions included."""
    if isinstance(schema, dict):
        yield schema
        for keyword in _IN_PLACE_LISTS:
            for part in schema.get(keyword, []):
                yield from in_place(part)
        for keyword in (*_IN_PLACE, "not", "if"):
            if keyword in schema:
                yield from in_place(schema[keyword])


def _sender(schema: Schema, place: bool = True) -> Schema:
    """A side sends no key that it does not declare, unless it declares none; and only the types it speaks of."""
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in {"properties", "patternProperties"}:
            made[key] = {name: _sender(each) for name, each in value.items()}
        elif key in _IN_PLACE_LISTS:
            parts = [_sender(each, place=False) for each in value]
            if key == "oneOf":
                made.setdefault("allOf", []).append({"anyOf": parts})
            elif key == "allOf":
                made.setdefault("allOf", []).extend(parts)
            else:
                made[key] = parts
        elif key in _IN_PLACE:
            made[key] = value
        elif key == "prefixItems":
            made[key] = [_sender(each) for each in value]
        elif key in _BELOW:
            if value is not True and value != {}:
                made[key] = _sender(value)
        else:
            made[key] = value
    asked = [*schema.get("required", []), *itertools.chain(*schema.get("dependentRequired", {}).values())]
    for name in asked if schema.get("additionalProperties", True) in (True, {}) else ():
        made.setdefault("properties", {}).setdefault(name, True)
    if place:
        closed = {"unevaluatedProperties": False, **made}
        if not is_free_form(schema):
            return closed
        # Free-form: not the keys that the other side gives a meaning to.
        names = {"allOf": [made.get("propertyNames", {}), {"not": {"enum": list(NAMES)}}]}
        return {"anyOf": [closed, {**made, "propertyNames": names}]}
    return made


def is_free_form(schema: Schema) -> bool:
    """Whether some alternative is an object that declares no key."""
    if not isinstance(schema, dict):
        return schema is True
    if "object" not in schema.get("type", "object") or "enum" in schema or "const" in schema:
        return False
    if schema.get("properties") or schema.get("patternProperties") or schema.get("required"):
        return False
    if schema.get("additionalProperties", True) not in (True, {}):
        return False  # a map: it declares all its keys
    return all(map(is_free_form, schema.get("allOf", []))) and all(
        any(map(is_free_form, schema[key])) for key in ("anyOf", "oneOf") if key in schema
    )


def _positive(schema: Schema) -> Schema:
    """Without negations and conditions, which declare nothing."""
    if isinstance(schema, dict):
        return {key: _positive(value) for key, value in schema.items() if key not in {"not", "if", "then", "else"}}
    return [_positive(each) for each in schema] if isinstance(schema, list) else schema


def _receiver(schema: Schema, request: bool) -> Schema:
    """A server takes what its schema says; a reader ignores keys it does not know. oneOf means one of these."""
    if isinstance(schema, list):
        return [_receiver(each, request) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "additionalProperties" and value is False and not request:
            continue
        if key in {"properties", "patternProperties"}:
            made[key] = {name: _receiver(each, request) for name, each in value.items()}
        elif key == "oneOf":
            made.setdefault("allOf", []).append({"anyOf": _receiver(value, request)})
        elif key == "allOf":
            made.setdefault("allOf", []).extend(_receiver(value, request))
        elif key in {"not", "if", "enum", "const", "required", "dependentRequired", "type"}:
            made[key] = value
        else:
            made[key] = _receiver(value, request)
    return made


def hollow(schema: Schema, components: Any) -> bool:
    """Whether some place in a schema can hold nothing at all: then what changes below it changes no message."""
    return _hollow(_resolved(schema, components))


def _hollow(schema: Schema) -> bool:
    if not isinstance(schema, dict):
        return False
    kinds = schema["type"] if isinstance(schema.get("type"), list) else [None]
    for kind in kinds:
        judge = _validator(_sender({**schema, "type": kind} if kind else schema))
        if not any(judge.is_valid(value) for value in universe([schema])):
            return True
    together = list(in_place(_positive(schema)))
    for each in together:
        for name in each.get("properties", {}):
            said = [other["properties"][name] for other in together if name in other.get("properties", {})]
            if _hollow({"allOf": said} if len(said) > 1 else said[0]):
                return True
    forms = {form for each in together for form in each.get("patternProperties", {})}
    below = [
        {"allOf": [each["patternProperties"][form] for each in together if form in each.get("patternProperties", {})]}
        for form in sorted(forms)
    ]
    below += [each[keyword] for each in together for keyword in _BELOW if keyword in each]
    below += [
        part for each in together for keyword in (*_IN_PLACE_LISTS, "prefixItems") for part in each.get(keyword, [])
    ]
    return any(map(_hollow, below))


# -- the universe ------------------------------------------------------------------------------------------------------


def universe(schemas: list[Schema]) -> list[Any]:
    """Values for a place of which these schemas speak: scalars, what they list, arrays and objects."""
    spoken = [each for schema in schemas for each in in_place(schema)]
    values = list(SCALARS)
    for each in spoken:
        values.extend(each.get("enum", []))
        if "const" in each:
            values.append(each["const"])
    values.extend(itertools.islice(_arrays(spoken), MOST_VALUES))
    values.extend(itertools.islice(_objects(spoken, schemas), 3 * MOST_VALUES))
    return _distinct(values)


def _distinct(values: Iterable[Any]) -> list[Any]:
    return list({json.dumps(value, sort_keys=True): value for value in values}.values())


def _classes(schemas: list[Schema], each_class: int) -> list[Any]:
    """One value (or a few) of each class: values that the same of these schemas accept are alike."""
    schemas = [schema for schema in schemas if schema is not True and schema != {}]
    if not schemas:
        return ["a", 1][:each_class]
    judges = [
        _validator(variant)
        for schema in _distinct(schemas)
        for variant in _distinct([_sender(schema), _receiver(schema, True), _receiver(schema, False), *_parts(schema)])
    ]
    found: dict[tuple[bool, ...], list[Any]] = {}
    for value in universe(schemas):
        members = found.setdefault(tuple(judge.is_valid(value) for judge in judges), [])
        if len(members) < each_class:
            members.append(value)
    ranked = sorted(found.items(), key=lambda each: -sum(each[0]))  # what most accept first
    return [value for _, members in ranked for value in members]


def _parts(schema: Schema) -> list[Schema]:
    return [each for keyword in _IN_PLACE_LISTS for each in schema.get(keyword, [])] if isinstance(schema, dict) else []


def _arrays(spoken: list[dict[str, Any]]) -> Iterator[list[Any]]:
    mentioned: list[Schema] = []
    longest = 1
    for each in spoken:
        for keyword in ("items", "contains"):
            if keyword in each:
                mentioned.append(each[keyword])
        mentioned.extend(each.get("prefixItems", []))
        for keyword in ("minItems", "maxItems", "minContains", "maxContains"):
            longest = max(longest, each.get(keyword, 0) + 1)
        fixed = max(len(other.get("prefixItems", [])) for other in spoken)
        longest = max(longest, fixed + 1, (fixed + 2) * ("uniqueItems" in each))
    if not mentioned and longest == 1:
        yield ["a"]
        return
    items = _classes(mentioned, min(longest, 4) if any("uniqueItems" in each for each in spoken) else 2)
    random = Random(0)
    for length in range(1, min(longest, 4) + 1):
        yield from ([item] * length for item in items)
        if len(items) ** length <= 400:
            yield from map(list, itertools.product(items, repeat=length))
        else:
            yield from ([random.choice(items) for _ in range(length)] for _ in range(400))


def _objects(spoken: list[dict[str, Any]], schemas: list[Schema]) -> Iterator[dict[str, Any]]:
    names: dict[str, list[Schema]] = {}
    others: list[Schema] = []
    for each in spoken:
        for name, below in each.get("properties", {}).items():
            names.setdefault(name, []).append(below)
        for name in each.get("required", []):
            names.setdefault(name, [])
        for one, wanted in each.get("dependentRequired", {}).items():
            for name in (one, *wanted):
                names.setdefault(name, [])
        if "additionalProperties" in each:
            others.append(each["additionalProperties"])
        others.extend(each.get("patternProperties", {}).values())
    if not names and not any(
        {"minProperties", "maxProperties", "additionalProperties", "propertyNames", "patternProperties"} & each.keys()
        for each in spoken
    ):
        yield {"zz": "a"}
        return
    choices: list[list[tuple[str, Any] | None]] = []
    others = _distinct(others)
    for name, said in sorted(names.items()):
        choices.append([None, *((name, value) for value in _classes([*said, *others], 1))])
    free = _classes(others, 1)
    most = max((each.get("maxProperties", 0) for each in spoken), default=0)
    matched = ("x2", "x3", "xx4", "xx5") if any("patternProperties" in each for each in spoken) else ()
    for name in (*FRESH[: max(3, most + 1)], *matched) if free else ():
        choices.append([None, *((name, value) for value in free)])
    yield from _chosen(choices, [_validator(_sender(schema)) for schema in schemas])


def _chosen(choices: list[list[tuple[str, Any] | None]], senders: list[Any]) -> Iterator[dict[str, Any]]:
    """All objects that take one of each, or where these are too many: some, and the neighbours of those accepted."""

    def made(chosen: Iterable[tuple[str, Any] | None]) -> dict[str, Any]:
        return dict(each for each in chosen if each)

    if math.prod(map(len, choices)) <= MOST_VALUES:
        yield from map(made, itertools.product(*choices))
        return
    random = Random(0)
    mentioned = [each for each in choices if len(each) > 1 and each[1] is not None and each[1][0] not in FRESH]
    yield from map(made, itertools.islice(itertools.product(*(each[:6] for each in mentioned)), MOST_VALUES // 2))
    for kind in range(1, 4):  # as many alike as there may be
        alike = [each[kind] for each in choices if len(each) > kind and each[kind][0].startswith("x")]
        yield from (made(alike[:number]) for number in range(1, len(alike) + 1))
    some = [tuple(random.choice(each) for each in choices) for _ in range(MOST_VALUES // 2)]
    some += [
        tuple(each[0] if random.random() < 0.5 else random.choice(each) for each in choices)
        for _ in range(MOST_VALUES // 2)
    ]
    yield from map(made, some)
    accepted = [chosen for chosen in some if any(sender.is_valid(made(chosen)) for sender in senders)][:60]
    for chosen in accepted:
        for index, options in enumerate(choices):
            for option in options:
                yield made((*chosen[:index], option, *chosen[index + 1 :]))
