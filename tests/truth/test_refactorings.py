"""A rewriting that means the same yields nothing: not one finding, in either direction, in any version."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from guardian.model import Change
from guardian.rules.compare import compare
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.trees import MemoryTree
from tests.truth.schemas import Generator, Refactoring, downgrade
from tests.truth.verdict import said

SEEDS = 1_500
SOAK_SEEDS = 30_000


def check(seeds: range) -> None:
    wrong: list[str] = []
    for seed in seeds:
        random = Random(seed)
        base = Generator(random).schema(3)
        refactoring = Refactoring(random)
        head = refactoring.schema(base)
        for direction in ("request", "response"):
            for turned in (False, True):
                sides = ((base, {}), (head, refactoring.components))
                (one, ones), (other, others) = sides[::-1] if turned else sides
                found = said(one, other, direction, base_components=ones, head_components=others, prove=False)
                if found:
                    wrong.append(
                        f"seed {seed} {direction} {base} {head} {refactoring.components} {[str(x) for x in found]}"
                    )
    assert not wrong, "\n".join(wrong[:5])


def test_rewritten_schemas() -> None:
    """allOf split, parts hoisted or inlined, keys and alternatives shuffled, null and limits spelled otherwise."""
    check(range(SEEDS))


@pytest.mark.soak
def test_many_rewritten_schemas() -> None:
    """The same over twenty times as many."""
    check(range(SEEDS, SOAK_SEEDS))


def test_upgraded_schemas() -> None:
    """OpenAPI 3.0 and what it becomes in 3.1 are one: nullable, excluded limits, constants."""
    compared = 0
    for seed in range(SEEDS):
        schema = Generator(Random(seed)).schema(3)
        older = downgrade(schema)
        if older is None:
            continue
        compared += 1
        for direction in ("request", "response"):
            for sides, versions in (((older, schema), ("3.0.3", "3.1.0")), ((schema, older), ("3.1.0", "3.0.3"))):
                found = said(*sides, direction, versions=versions, prove=False)
                assert not found, f"seed {seed} {sides} {[str(each) for each in found]}"
    assert compared > SEEDS / 4


# -- whole documents ---------------------------------------------------------------------------------------------------


def document(schema: Any, path: str = "/things/{id}") -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
    name = path.partition("{")[2].partition("}")[0]
    identity = {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
    page = {"name": "page", "in": "query", "schema": {"type": "integer"}}
    operation = {
        "parameters": [identity, page],
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "done", "content": content}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {path: {"put": operation}},
        "components": {"schemas": {"Thing": schema}},
    }


def read(text: bytes, name: str = "api.json") -> Api:
    return read_api(Documents(MemoryTree({name: text})), name, "api")


def changes(base: Api, head: Api) -> list[Change]:
    return [*compare(base, head), *compare(head, base)]


def as_json(root: dict[str, Any]) -> bytes:
    return json.dumps(root).encode()


def shuffled(value: Any, random: Random) -> Any:
    if isinstance(value, dict):
        items = [(key, shuffled(each, random)) for key, each in value.items()]
        return dict(random.sample(items, len(items)))
    return [shuffled(each, random) for each in value] if isinstance(value, list) else value


def renamed_component(root: dict[str, Any], _: Random) -> bytes:
    return (
        as_json(root)
        .replace(b"#/components/schemas/Thing", b"#/components/schemas/Stuff")
        .replace(b'"Thing"', b'"Stuff"')
    )


def renamed_variable(root: dict[str, Any], _: Random) -> bytes:
    return as_json(document(root["components"]["schemas"]["Thing"], "/things/{thing}"))


def moved_parameters(root: dict[str, Any], _: Random) -> bytes:
    item = root["paths"]["/things/{id}"]
    parameters = item["put"]["parameters"]
    put = {**item["put"], "parameters": [{"$ref": "#/components/parameters/Page"}]}
    components = {**root["components"], "parameters": {"Page": parameters[1]}}
    return as_json(
        {**root, "paths": {"/things/{id}": {"parameters": parameters[:1], "put": put}}, "components": components}
    )


def inlined(root: dict[str, Any], _: Random) -> bytes:
    thing = json.dumps(root["components"]["schemas"]["Thing"]).encode()
    return as_json(root).replace(b'{"$ref": "#/components/schemas/Thing"}', thing)


def reordered(root: dict[str, Any], random: Random) -> bytes:
    return as_json(shuffled(root, random))


@pytest.mark.parametrize("rewrite", [renamed_component, renamed_variable, moved_parameters, inlined, reordered])
def test_rewritten_documents(rewrite: Any) -> None:
    """Names, places and order inside a document are not on the wire."""
    for seed in range(40):
        random = Random(seed)
        root = document(Generator(random).schema(2))
        assert changes(read(as_json(root)), read(rewrite(root, random))) == []


def test_yaml_and_json() -> None:
    """One document in both notations is one API."""
    yaml = pytest.importorskip("yaml")
    for seed in range(40):
        root = document(Generator(Random(seed)).schema(2))
        other = yaml.safe_dump(root, sort_keys=False).encode()
        assert changes(read(as_json(root)), read(other, "api.yaml")) == []
