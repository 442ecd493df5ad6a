"""Credentials as parameters and as security schemes: the same on the wire."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rules.sides import api, told

KEYS = {
    "header": {"type": "apiKey", "in": "header", "name": "x-api-key"},
    "query": {"type": "apiKey", "in": "query", "name": "api_key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "token": {"type": "http", "scheme": "bearer"},
}


def taking(*parameters: tuple[str, str, bool], security: Any = (), version: str = "3.1.0") -> dict[str, Any]:
    """A document with one operation that takes these parameters (location, name, whether required) and credentials."""
    listed = [
        {"in": location, "name": name, "required": required, "schema": {"type": "string"}}
        for location, name, required in parameters
    ]
    operation = {"parameters": listed, "security": [*security], "responses": {}}
    return api(json.dumps({"/me": {"get": operation}}), version, components={"securitySchemes": KEYS})


KEY = taking(security=[{"header": []}])
HEADER = ("header", "X-Api-Key", True)


@pytest.mark.parametrize(
    ("parameter", "scheme"),
    [(HEADER, "header"), (("query", "api_key", True), "query"), (("cookie", "sid", True), "cookie")],
)
def test_a_required_parameter_is_the_same_as_a_scheme(parameter: tuple[str, str, bool], scheme: str) -> None:
    """Callers send what they sent."""
    one, other = taking(parameter), taking(security=[{scheme: []}])
    assert told(one, other) == []
    assert told(other, one) == []


def test_an_authorization_parameter_is_a_credential() -> None:
    """3.x leaves the header to its security schemes, and documents declare it nevertheless."""
    assert told(taking(("header", "Authorization", True)), taking(security=[{"token": []}])) == []
    base = api("{/me: {get: {parameters: [{in: header, name: Authorization, required: true, type: string}]}}}", "2.0")
    assert told(base, taking(security=[{"token": []}])) == []


def test_who_could_leave_it_out_is_refused() -> None:
    """An optional parameter became a credential that everybody must present; it is not gone."""
    found = told(taking(("header", "X-Api-Key", False)), KEY)
    assert found == [("security-added", "header:x-api-key", "breaking")]


def test_another_name_or_place_is_another_credential() -> None:
    """The like of a parameter has its name and its place."""
    for other in (("header", "X-Key", True), ("query", "x-api-key", True)):
        assert ("security-added", "header:x-api-key", "breaking") in told(taking(other), KEY)
        assert ("parameter-added", f"{other[0]}:{other[1]}", "breaking") in told(KEY, taking(other))


def test_a_caller_of_another_way_sends_no_such_parameter() -> None:
    """Of two ways in only one presents the key: whoever comes by the other must send it now."""
    base = taking(security=[{"header": []}, {"token": []}])
    assert ("parameter-added", "header:X-Api-Key", "breaking") in told(base, taking(HEADER))


def test_what_is_demanded_beside_it_is_new() -> None:
    """Another credential in the same step is told as always."""
    assert told(taking(HEADER), taking(security=[{"header": [], "token": []}])) == [
        ("security-added", "header:Authorization", "breaking")
    ]


def test_what_is_said_twice_is_still_demanded_once_less() -> None:
    """A parameter beside a scheme of the same header changes nothing, whichever of them goes."""
    both = taking(HEADER, security=[{"header": []}])
    assert told(both, KEY) == []
    assert told(KEY, both) == []
    assert told(both, taking()) != []
