"""The fixture company: its specifications are valid, its manifests and pacts true of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

import apply
import jsonschema_rs
import pytest
from contract_reader import At, Company, child, children, follow, load
from openapi_spec_validator import validate
from openapi_spec_validator.readers import read_from_filename

COMPANY = Company(apply.COMPANY)


@pytest.mark.parametrize("service", COMPANY.specs)
def test_specifications_are_valid(service: str) -> None:
    """Every base specification is valid OpenAPI, its references over files included."""
    document, uri = read_from_filename(str(COMPANY.specs[service]))
    validate(document, base_uri=uri)


@pytest.mark.parametrize("service", COMPANY.specs)
def test_no_key_is_a_slip_of_the_pen(service: str) -> None:
    """A comma in an unquoted YAML text makes a key without a value, which validators let pass."""
    for file in COMPANY.specs[service].parent.rglob("*.*"):
        assert not list(_empty(load(file), file.name))


def _empty(node: Any, where: str) -> Iterator[str]:
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in members:
        if value is None:
            yield f"{where}/{key}"
        yield from _empty(value, f"{where}/{key}")


def test_the_company_has_what_the_tests_need() -> None:
    """Both versions of OpenAPI, JSON beside YAML, many files, a public service, a webhook and a callback, two pact versions."""
    documents = {name: load(path) for name, path in COMPANY.specs.items()}
    assert {document["openapi"] for document in documents.values()} == {"3.0.3", "3.1.0"}
    assert len(documents) >= 6
    assert {path.suffix for path in COMPANY.specs.values()} == {".yaml", ".json"}
    assert len(list(COMPANY.specs["orders"].parent.rglob("*.yaml"))) > 3
    assert [name for name, visibility in COMPANY.visibility.items() if visibility == "public"] == ["catalog"]
    names = [name for service in documents for name in COMPANY.operations(service)]
    assert any(name.startswith("webhook") for name in names)
    assert any(name.startswith("callback") for name in names)
    assert len(COMPANY.consumers) >= 8
    assert sorted(pact["metadata"]["pactSpecification"]["version"] for pact in COMPANY.pacts) == ["3.0.0", "4.0"]


@pytest.mark.parametrize("consumer", COMPANY.manifests)
def test_manifests_are_true(consumer: str) -> None:
    """Whatever a manifest uses, reads, sends, handles or passes on exists in the base specifications."""
    manifest = COMPANY.manifests[consumer]
    assert manifest["consumer"] == consumer
    assert manifest["owner"]
    assert manifest["contact"]
    assert COMPANY.missing(consumer, manifest) == []


@pytest.mark.parametrize("consumer", COMPANY.manifests)
def test_manifests_send_what_is_required(consumer: str) -> None:
    """Whoever calls an operation sends its required query and header parameters and the scopes of one alternative."""
    for use in COMPANY.manifests[consumer]["uses"]:
        service, name = use["service"], use["operation"]
        if name.startswith(("webhook", "callback")):
            continue
        parameters = COMPANY.parameters(service, name)
        required = {key for key, each in parameters.items() if each.node.get("required") and each.node["in"] != "path"}
        assert required <= set(use["sends"]), (service, name)
        security = child(_operation(service, name), "security") or At(
            load(COMPANY.specs[service])["security"], apply.HERE
        )
        alternatives = [{f"scope:{scope}" for scopes in each.values() for scope in scopes} for each in security.node]
        assert any(alternative <= set(use["sends"]) for alternative in alternatives), (service, name)


def _operation(service: str, name: str) -> At:
    operation = COMPANY.operation(service, name)
    assert operation is not None
    return operation


def _interactions() -> list[Any]:
    return [
        pytest.param(
            pact["provider"]["name"], interaction, id=f"{pact['consumer']['name']}: {interaction['description']}"
        )
        for pact in COMPANY.pacts
        for interaction in pact["interactions"]
        if "request" in interaction
    ]


@pytest.mark.parametrize(("service", "interaction"), _interactions())
def test_pacts_are_true(service: str, interaction: dict[str, Any]) -> None:
    """A recorded request is one the specification accepts, and its answer one it may give.

    A pact holds only what its consumer reads, so answers are judged without ``required``.
    """
    request, response = interaction["request"], interaction["response"]
    name = _route(service, request["method"], request["path"])
    operation = _operation(service, name)
    for parameter, values in request.get("query", {}).items():
        assert f"query:{parameter}" in COMPANY.parameters(service, name), parameter
        assert all(isinstance(value, str) for value in values)
    if "body" in request:
        media = request["headers"]["Content-Type"]
        schema = child(operation, "requestBody", "content", media, "schema")
        _assert_valid(request["body"], schema, partial=False)
    status = str(response["status"])
    media = "".join(response["headers"]["Content-Type"])
    body = response["body"]
    schema = child(operation, "responses", status, "content", media, "schema")
    _assert_valid(body.get("content", body), schema, partial=True)


def _route(service: str, method: str, path: str) -> str:
    for name in sorted(COMPANY.operations(service), key=lambda name: name.count("{")):
        pattern = re.escape(name).replace(re.escape("{}"), "[^/]+")
        if re.fullmatch(pattern, f"{method} {unquote(path)}"):
            return name
    raise AssertionError(f"{service} has no {method} {path}")


def _assert_valid(value: object, schema: At | None, *, partial: bool) -> None:
    assert schema is not None
    jsonschema_rs.Draft202012Validator(_inlined(schema, partial)).validate(value)


def _inlined(at: At, partial: bool) -> Any:
    """A schema with its references put in; no schema that a pact meets is recursive."""
    at = follow(at)
    if isinstance(at.node, Mapping):
        keep = {key: _inlined(each, partial) for key, each in children(at) if not (partial and key == "required")}
        return {"anyOf": [{"type": "null"}, keep]} if at.node.get("nullable") is True else keep
    if isinstance(at.node, list):
        return [_inlined(each, partial) for _, each in children(at)]
    return at.node


def test_inventory_keeps_the_layout_of_its_generator() -> None:
    """The one JSON specification is written as its generator writes it: two spaces, a newline at the end."""
    text = COMPANY.specs["inventory"].read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
