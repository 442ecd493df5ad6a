"""Verdicts on unions that a discriminator tells apart, held against every small message there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest

from guardian.model import Severity
from guardian.rules.compare import compare
from tests.rules.schemas import request, response

SEEDS = 300
SOAK_SEEDS = 6_000
_PLACES = "#/components/schemas/"
_TYPES = {"string": str, "integer": int}
_VALUES = ("k1", "k2", "k3", "k9", "A", "B", "C", "Z")


class Union(NamedTuple):
    """The variants by their names, and which of them a value selects."""

    variants: Mapping[str, dict[str, Any]]
    mapping: Mapping[str, str]

    @property
    def schema(self) -> dict[str, Any]:
        mapping = {value: _PLACES + name for value, name in self.mapping.items()}
        options = [{"$ref": _PLACES + name} for name in self.variants]
        return {"oneOf": options, "discriminator": {"propertyName": "kind", "mapping": mapping}}

    def takes(self, message: dict[str, Any], *, sends: bool) -> bool:
        """Whether the variant that the message names takes it; one who sends adds nothing of its own."""
        name = self.mapping.get(message["kind"], message["kind"])
        if name not in self.variants or (name == message["kind"] and name in self.mapping.values()):
            return False
        variant = self.variants[name]
        if not message.keys() >= set(variant["required"]) or (
            sends and not message.keys() <= variant["properties"].keys()
        ):
            return False
        known = {key: each["type"] for key, each in variant["properties"].items() if key in message}
        return all(isinstance(message[key], _TYPES[kind]) for key, kind in known.items())


def messages() -> Iterator[dict[str, Any]]:
    for value, *others in product(_VALUES, *[(None, "s", 1)] * 3):
        yield {"kind": value, **{key: each for key, each in zip("abc", others, strict=True) if each is not None}}


def variant(random: Random) -> dict[str, Any]:
    properties = {name: {"type": random.choice([*_TYPES])} for name in "abc" if random.random() < 0.5}
    required = ["kind", *(name for name in properties if random.random() < 0.4)]
    return {"type": "object", "required": required, "properties": {"kind": {"type": "string"}, **properties}}


def edited(base: Union, random: Random) -> Union:
    """A union with one thing changed: what a value selects, which values there are, a variant, or a name."""
    variants, mapping, names = dict(base.variants), dict(base.mapping), list(base.variants)
    value, name = random.choice([*mapping]), random.choice(names)
    match random.choice(["move", "swap", "variant", "rename", "add", "drop"]):
        case "move":
            mapping[value] = name
        case "swap":
            mapping = dict(zip(mapping, reversed(mapping.values()), strict=True))
        case "variant":
            variants[name] = variant(random)
        case "add":
            mapping["k9"] = name
        case "drop" if len(mapping) > 1:
            del mapping[value]
        case _:
            variants = {"Z" if each == name else each: said for each, said in variants.items()}
            mapping = {each: "Z" if selected == name else selected for each, selected in mapping.items()}
    return Union(variants, mapping)


def check(seeds: range) -> None:
    wrong: list[str] = []
    for seed in seeds:
        random = Random(seed)
        names = "ABC"[: random.choice([2, 3])]
        values = _VALUES[: random.choice([1, 2, 3])]
        base = Union({name: variant(random) for name in names}, {value: random.choice(names) for value in values})
        head = edited(base, random)
        for sent in (request, response):
            found = compare(sent(base.schema, dict(base.variants)), sent(head.schema, dict(head.variants)))
            sender, receiver = (base, head) if sent is request else (head, base)
            truth = next(
                (each for each in messages() if sender.takes(each, sends=True) and not receiver.takes(each, sends=False)),
                None,
            )  # fmt: skip
            if (truth is not None) != any(each.severity is Severity.BREAKING for each in found):
                wrong.append(f"seed {seed} {sent.__name__} {truth} {base} {head} {[str(each) for each in found]}")
    assert not wrong, "\n".join(wrong[:5])


def test_what_a_value_selects_is_judged() -> None:
    """No break is missed or made up, whatever became of the values and of what they select."""
    check(range(SEEDS))


@pytest.mark.soak
def test_many_unions() -> None:
    """The same over twenty times as many."""
    check(range(SEEDS, SOAK_SEEDS))
