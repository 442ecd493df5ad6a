"""What guardian.yaml and the exceptions file may say, and how they are told what they may not."""

from __future__ import annotations

import subprocess
import sys
from datetime import date

import jsonschema_rs
import pytest

from guardian.config import Config, Lifecycle, ModelSettings, Service, Visibility
from guardian.config.accepted import ExceptionEntry
from guardian.config.parse import config_schema, exceptions_schema, parse_config, parse_exceptions
from guardian.errors import ConfigError
from guardian.model import Direction, Location, Mode, Severity

INTERFACE = {
    "version": 1,
    "services": {
        "users": {"spec": "services/users/openapi.yaml", "owner": "team-identity", "visibility": "public"},
        "orders": {"spec": "services/orders/openapi.yaml", "owner": "team-orders"},
    },
    "consumers": ["consumers/*.yaml", "pacts/*.json"],
    "mode": "both",
    "fail_on": "breaking",
    "severity": {"enum-value-added": "info", "enum-value-added@request": "off"},
    "exceptions": "guardian.exceptions.yaml",
    "lifecycle": {"deprecation_days": 30, "stability_extension": "x-stability"},
    "model": {"endpoint": "http://gpu-box:8000/v1", "name": "guardian", "timeout_s": 12.5},
}
ENTRY = {"rule": "property-removed", "service": "users", "reason": "RFC 112", "owner": "ids", "expires": "2027-01-31"}


def no_lines(pointer: str) -> None:
    """A file whose lines nobody knows."""


def config(data: object, rules: list[str] | None = None) -> Config:
    return parse_config(
        data, "guardian.yaml", no_lines, (lambda: dict.fromkeys(rules, "")) if rules is not None else None
    )


def test_the_documented_file():
    """Every key of the documented file is read into its value."""
    parsed = config(INTERFACE)
    assert parsed.services["users"] == Service(
        spec="services/users/openapi.yaml", owner="team-identity", visibility=Visibility.PUBLIC
    )
    assert parsed.services["orders"].visibility is Visibility.INTERNAL
    assert parsed.consumers == ("consumers/*.yaml", "pacts/*.json")
    assert parsed.mode is Mode.BOTH
    assert parsed.lifecycle == Lifecycle(deprecation_days=30, stability_extension="x-stability")
    assert parsed.model == ModelSettings(endpoint="http://gpu-box:8000/v1", timeout_s=12.5)


@pytest.mark.parametrize("empty", [None, {}])
def test_an_empty_file_is_the_default(empty: object):
    """An empty file says what no file says."""
    assert config(empty) == Config()


def test_narrowed_severity_goes_first():
    """`rule@direction` goes before `rule`; a rule that is not named keeps its own severity."""
    parsed = config(INTERFACE)
    assert parsed.severity_of("enum-value-added", Direction.REQUEST) is Severity.OFF
    assert parsed.severity_of("enum-value-added", Direction.RESPONSE) is Severity.INFO
    assert parsed.severity_of("property-removed", Direction.RESPONSE) is None


@pytest.mark.parametrize(
    ("data", "said", "hint"),
    [
        ([], "the file should be a mapping, not a list", None),
        ({"sevrity": {}}, "unknown key `sevrity`", "did you mean `severity`?"),
        ({"fail-on": "none"}, "unknown key `fail-on`", "did you mean `fail_on`?"),
        ({"zzz": 1}, "unknown key `zzz`", None),
        ({"version": 2}, "`version` is 1, not 2", None),
        ({"mode": "bth"}, '`mode` is contract, consumers or both, not "bth"', "did you mean `both`?"),
        ({"mode": None}, "`mode` is contract, consumers or both, not nothing", None),
        (
            {"services": ["users"]},
            "`services` is a mapping, not a list",
            "it is written `services: {users: {spec: services/users/openapi.yaml}}`",
        ),
        (
            {"services": {"users": "a.yaml"}},
            '`services.users` is a mapping, not "a.yaml"',
            "write `users: {spec: a.yaml}`",
        ),
        (
            {"services": {"users": "a b.yaml"}},
            '`services.users` is a mapping, not "a b.yaml"',
            'write `users: {spec: "a b.yaml"}`',
        ),
        (
            {"services": {"users": ["a.yaml"]}},
            "`services.users` is a mapping, not a list",
            "it is written `users: {spec: services/users/openapi.yaml}`",
        ),
        (
            {"model": "http://box/v1"},
            '`model` is a mapping, not "http://box/v1"',
            "it is written `model: {endpoint: http://127.0.0.1:8000/v1}`",
        ),
        ({"services": {"users": {}}}, "`services.users` lacks the key `spec`", None),
        (
            {"services": {"users": {"spec": "a", "visiblity": "public"}}},
            "unknown key `visiblity`",
            "did you mean `visibility`?",
        ),
        ({"consumers": "a.yaml"}, '`consumers` is a list, not "a.yaml"', "write `consumers: [a.yaml]`"),
        ({"consumers": [1]}, "`consumers[0]` is text, not 1", None),
        ({"lifecycle": {"deprecation_days": "90"}}, '`lifecycle.deprecation_days` is a whole number, not "90"', None),
        ({"lifecycle": {"deprecation_days": -1}}, "`lifecycle.deprecation_days` is 0 or more", None),
        ({"fixes": "no"}, '`fixes` is true or false, not "no"', None),
        ({"model": {"endpoint": "x", "timeout_s": 0}}, "`model.timeout_s` is a number of seconds above 0", None),
        (
            {"model": {"endpoint": "x", "timeout_s": float("nan")}},
            "`model.timeout_s` is a number of seconds above 0",
            None,
        ),
        ({"model": {"endpoint": "x", "timout_s": 1}}, "unknown key `timout_s`", "did you mean `timeout_s`?"),
        ({"as_of": "2027-02-30"}, '`as_of` is a date (YYYY-MM-DD), not "2027-02-30"', None),
        ({"jobs": 0}, "`jobs` is 1 or more", None),
        (
            {"reports": {"sarf": "a"}},
            '`reports.sarf` is terminal, json, sarif, junit, markdown, html, github or gitlab, not "sarf"',
            "did you mean `sarif`?",
        ),
        (
            {"severity": {"enum-added": "off"}},
            "unknown rule `enum-added`",
            "did you mean `enum-value-added`?",
        ),
        ({"severity": {"nothing-like-it": "off"}}, "unknown rule `nothing-like-it`", "`guardian rules` lists them all"),
        (
            {"severity": {"property-removed@reqest": "off"}},
            "`property-removed@reqest`: a rule is narrowed by @request or @response, not @reqest",
            "did you mean `request`?",
        ),
        (
            {"severity": {"property-removed": "error"}},
            '`severity.property-removed` is breaking, warning, info or off, not "error"',
            None,
        ),
    ],
)
def test_one_mistake(data: object, said: str, hint: str | None):
    """A mistake is one sentence that names the key as it is written, with the likely name beside it."""
    with pytest.raises(ConfigError) as raised:
        config(data, rules=["enum-value-added", "property-removed"])
    assert (raised.value.message, raised.value.hint) == (said, hint)
    assert raised.value.exit_code == 2


def test_a_name_without_a_rule():
    """What another tool has a name for and guardian no rule is refused with the reason."""
    with pytest.raises(ConfigError) as raised:
        parse_config(
            {"severity": {"x": "off"}}, "guardian.yaml", no_lines, lambda: {"x": "Never on the wire.", "y": ""}
        )
    assert (raised.value.message, raised.value.hint) == ("no finding goes by `x`", "Never on the wire.")


def test_lines():
    """A mistake has the line of its key, or of the nearest thing around it that has one."""
    places = {"": (1, 1), "/services/users": (3, 3), "/services/users/ownr": (4, 5)}
    for service, place in (({"spec": "a", "ownr": "b"}, (4, 5)), ({"owner": "b"}, (3, 3))):
        with pytest.raises(ConfigError) as raised:
            parse_config({"services": {"users": service}}, "guardian.yaml", places.get)
        assert (raised.value.line, raised.value.column) == place


def test_all_mistakes_together():
    """Several mistakes are one error that lists them by line."""
    places = {"/mode": (9, 1), "/sevrity": (2, 1)}
    with pytest.raises(ConfigError) as raised:
        parse_config({"mode": "x", "sevrity": {}}, "guardian.yaml", places.get)
    assert raised.value.message == "2 mistakes"
    assert (raised.value.hint or "").splitlines() == [
        "guardian.yaml:2:1: unknown key `sevrity`; did you mean `severity`?",
        'guardian.yaml:9:1: `mode` is contract, consumers or both, not "x"',
    ]


def test_exceptions():
    """Entries keep their order and know their lines; a place that is left out is any."""
    full = {**ENTRY, "operation": "GET /users/{id}", "field": "nickname", "fingerprint": "3fa9c1d2e4b5"}
    places = {"/0": (1, 3), "/1": (8, 3)}
    found = parse_exceptions([{**full, "approved_by": ["team-billing"]}, ENTRY], "e.yaml", places.get)
    assert found[0].approved_by == ("team-billing",)
    assert found[1] == ExceptionEntry(
        rule="property-removed",
        service="users",
        reason="RFC 112",
        owner="ids",
        expires=date(2027, 1, 31),
        location=Location("e.yaml", "/1", 8, 3),
    )
    assert parse_exceptions(None, "e.yaml", no_lines) == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "the file should be a list, not a mapping"),
        ([3], "`[0]` is a mapping, not 3"),
        ([{key: value for key, value in ENTRY.items() if key != "expires"}], "`[0]` lacks the key `expires`"),
        ([{**ENTRY, "expires": "soon"}], '`[0].expires` is a date (YYYY-MM-DD), not "soon"'),
        ([{**ENTRY, "reason": " "}], "`[0].reason` is empty"),
        ([{**ENTRY, "fingerprint": "3FA9"}], '`[0].fingerprint` is 12 hex digits, not "3FA9"'),
        ([{**ENTRY, "location": "x"}], "unknown key `location`"),
        ([{**ENTRY, "aproved_by": []}], "unknown key `aproved_by`"),
    ],
)
def test_wrong_exceptions(data: object, said: str):
    """An exception needs a rule, a service, a reason, an owner and an expiry, and knows no other keys."""
    with pytest.raises(ConfigError) as raised:
        parse_exceptions(data, "e.yaml", no_lines)
    assert raised.value.message == said


def test_schemas_agree_with_the_parser():
    """The published schemas accept what is accepted and refuse unknown keys and values."""
    accepts = jsonschema_rs.validator_for(config_schema()).is_valid
    assert accepts(INTERFACE)
    assert accepts({})
    assert not any(accepts(wrong) for wrong in ({"sevrity": {}}, {"mode": "bth"}, {"services": {"users": {}}}))
    accepts = jsonschema_rs.validator_for(exceptions_schema()).is_valid
    assert accepts([ENTRY])
    assert not accepts([{**ENTRY, "expires": None}])


def test_every_key_is_described():
    """The schema tells what each key means, in words of its own."""
    schema = config_schema()
    described = {
        **schema["properties"],
        **{name: each for name, each in schema["$defs"].items() if "properties" in each},
    }
    for each in schema["$defs"].values():
        described.update(each.get("properties", {}))
    assert [name for name, each in described.items() if not each.get("description")] == []


def test_values_need_no_pydantic():
    """A run without guardian.yaml does not pay for pydantic on guardian's account."""
    script = "import sys, guardian.config as c; c.CheckRequest; c.Config(); sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize(
    ("key", "value", "name"),
    [
        ("base", "", "base"),
        ("head", " ", "head"),
        ("exceptions", "", "exceptions"),
        ("consumers", ["a.yaml", ""], "consumers[1]"),
        ("only_services", [""], "only_services[0]"),
        ("only_consumers", [""], "only_consumers[0]"),
        ("allow_remote_refs", [""], "allow_remote_refs[0]"),
        ("reports", {"json": ""}, "reports.json"),
        ("model", {"endpoint": ""}, "model.endpoint"),
        ("model", {"endpoint": "http://a/v1", "name": ""}, "model.name"),
        ("lifecycle", {"stability_extension": ""}, "lifecycle.stability_extension"),
    ],
)
def test_a_name_is_not_empty(key: str, value: object, name: str):
    """A path, a revision or a name that is empty would mean something that nobody wrote: this folder, say."""
    with pytest.raises(ConfigError) as raised:
        config({key: value})
    assert raised.value.message == f"`{name}` is empty"


def test_a_service_has_a_name():
    with pytest.raises(ConfigError) as raised:
        config({"services": {"": {"spec": "a.yaml"}}})
    assert raised.value.message == "a service has an empty name"
