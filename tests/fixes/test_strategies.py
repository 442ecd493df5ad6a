"""The five strategies: for every kind of breaking change, what each of them does to the user's own text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.fixes.strategies import FAMILIES, UNMENDED, family_of
from guardian.fixes.text_edit import TextEditor
from guardian.model import Mode, Strategy
from guardian.rules.examples import documents
from guardian.rules.registry import all_rules
from guardian.spec.text import load
from guardian.spec.trees import MemoryTree
from tests.fixes.workbench import SUNSET, Bench, bench, groups, passes, situation, text_of, tried

BASE = """\
openapi: 3.0.3
info: {title: Users, version: 1.0.0}
paths:
  /users/{id}:
    get:
      operationId: getUser
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: expand, in: query, schema: {type: string, enum: [roles, teams]}}
      responses:
        "200":
          description: The user
          content:
            application/json:
              schema: {$ref: "#/components/schemas/User"}
  /users:
    post:
      operationId: addUser
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: "#/components/schemas/NewUser"}
      responses:
        "201": {description: Added}
components:
  schemas:
    User:
      type: object
      required: [id, email]
      properties:
        # never changes
        id: {type: string}
        email: {type: string, format: email}   # where we write to
        age: {type: integer}
    NewUser:
      type: object
      required: [email]
      properties:
        email: {type: string, format: email}
        name: {type: string}
"""

MANIFEST = """\
# what billing needs
consumer: billing
owner: team-billing
uses:
  - service: users
    operation: GET /users/{id}
    reads: [id, email]   # for invoices
    sends: [path:id]
    exposes:
      email: GET /invoices/{id}#customer.email
"""


def renamed() -> Bench:
    head = BASE.replace("[id, email]", "[id, email_address]").replace(
        "        email: {type: string, format: email}   #", "        email_address: {type: string, format: email}   #"
    )
    return bench(BASE, head, {"billing.yaml": MANIFEST})


def spec(passed: Any) -> Any:
    return load(text_of(passed).encode(), "api.yaml")


def user(passed: Any) -> Any:
    return spec(passed)["components"]["schemas"]["User"]


def test_an_alias_keeps_the_old_name() -> None:
    """The old name stands beside the new one, marked, with base's schema and base's guarantee."""
    schema = user(tried(renamed(), Strategy.FIELD_ALIAS))
    assert schema["properties"]["email"]["x-alias-of"] == "email_address"
    assert schema["properties"]["email"]["format"] == "email"
    assert schema["required"] == ["id", "email_address", "email"]


def test_both_names_are_carried() -> None:
    """dual_write: both are there, each as required as it was."""
    schema = user(tried(renamed(), Strategy.DUAL_WRITE))
    assert {"email", "email_address"} <= set(schema["required"])
    assert list(schema["properties"]) == ["id", "email_address", "email", "age"]


def test_a_window_marks_what_goes_and_when() -> None:
    """deprecation_window: deprecated, a sunset date, and the headers of RFC 9745 and RFC 8594 on the response."""
    passed = tried(renamed(), Strategy.DEPRECATION_WINDOW)
    email = user(passed)["properties"]["email"]
    assert (email["deprecated"], email["x-sunset"]) == (True, SUNSET)
    document = spec(passed)
    response = document["paths"]["/users/{id}"]["get"]["responses"]["200"]
    assert set(response["headers"]) == {"Deprecation", "Sunset"}
    assert document["components"]["headers"]["Sunset"]["example"] == "Wed, 31 Mar 2027 23:59:59 GMT"
    assert document["components"]["headers"]["Deprecation"]["example"] == "@1798675200"


def test_a_version_is_kept_beside_the_next() -> None:
    """version_bump: the former operation says what base said, the next version what head says."""
    document = spec(tried(renamed(), Strategy.VERSION_BUMP))
    former, new = (document["paths"][path]["get"] for path in ("/users/{id}", "/v2/users/{id}"))
    schema = {"application/json": {"schema": {"$ref": "#/components/schemas/UserV1"}}}
    assert former["responses"]["200"]["content"] == schema
    assert new["responses"]["200"]["content"]["application/json"]["schema"]["$ref"] == "#/components/schemas/User"
    assert (former["operationId"], new["operationId"]) == ("getUser", "getUserV2")
    assert document["components"]["schemas"]["UserV1"]["required"] == ["id", "email"]


def test_a_consumer_moves_in_its_own_manifest() -> None:
    """consumer_patch: the manifest reads, and passes on, the new name; its comments stay."""
    passed = tried(renamed(), Strategy.CONSUMER_PATCH)
    assert text_of(passed) == MANIFEST.replace("[id, email] ", "[id, email_address] ").replace(
        "      email: GET", "      email_address: GET"
    )
    assert passed.draft.moves == {"billing": ("read email_address instead of email in GET /users/{id}",)}


def test_comments_and_order_stay() -> None:
    """A fix adds lines to the user's text; what was there is there, in its place."""
    on = renamed()
    head = on.situation.head["users"].document.data.decode().splitlines()
    for strategy in (Strategy.DUAL_WRITE, Strategy.FIELD_ALIAS, Strategy.DEPRECATION_WINDOW):
        lines = text_of(tried(on, strategy)).splitlines()
        kept = [line for line in head if "required: [id, email_address]" not in line]
        rest = iter(lines)
        assert all(line in rest for line in kept), strategy


def test_a_removed_field_is_kept_for_a_while_only() -> None:
    """Without a new name there is no alias and nothing to carry twice."""
    on = bench(
        BASE,
        BASE.replace("        age: {type: integer}\n", ""),
        {"billing.yaml": MANIFEST.replace("[id, email]", "[age]")},
    )
    assert passes(on) == {"property-removed": {"deprecation_window", "version_bump", "consumer_patch"}}


def test_a_lineage_is_not_dropped() -> None:
    """A consumer that passes the removed field on cannot simply stop reading it: others read it there."""
    head = BASE.replace("[id, email]", "[id]").replace(
        "        email: {type: string, format: email}   # where we write to\n", ""
    )
    on = bench(BASE, head, {"billing.yaml": MANIFEST})
    assert "consumer_patch" not in passes(on)["property-removed"]


def test_a_retyped_field_is_carried_in_both_forms() -> None:
    """dual_write: the name keeps base's form, and head's has a name of its own; the window names the successor."""
    on = bench(BASE, BASE.replace("age: {type: integer}", "age: {type: string}"))
    properties = user(tried(on, Strategy.DUAL_WRITE))["properties"]
    assert properties["age"]["type"] == "integer"
    assert properties["ageV2"] == {"type": "string"}
    kept = user(tried(on, Strategy.DEPRECATION_WINDOW))["properties"]["age"]
    assert (kept["type"], kept["x-successor"]) == ("integer", {"from": SUNSET, "form": {"type": "string"}})


def test_a_new_required_input_is_asked_for_later() -> None:
    """What requests must newly carry they may leave out until a date; the field itself stays."""
    head = BASE.replace("required: [email]\n", "required: [email, team]\n").replace(
        "        name: {type: string}\n", "        name: {type: string}\n        team: {type: string}\n"
    )
    schema = spec(tried(bench(BASE, head), Strategy.DEPRECATION_WINDOW))["components"]["schemas"]["NewUser"]
    assert schema["required"] == ["email"]
    assert schema["x-required-from"] == {"team": SUNSET}
    assert "team" in schema["properties"]


@pytest.mark.parametrize(
    "now",
    [
        "{in: formData, name: n, type: integer, required: true}",
        "{in: formData, name: n, type: boolean}",
        "{$ref: '#/parameters/n'}",
    ],
)
def test_a_form_field_of_swagger_is_asked_for_later(now: str) -> None:
    """deprecation_window: what stands in the list of parameters is edited there, or where a reference leads."""
    text = """
swagger: "2.0"
info: {title: Users, version: 1.0.0}
parameters: {n: {in: formData, name: n, type: integer, required: true}}
paths:
  /users:
    post:
      parameters:
        - {in: formData, name: a, type: string}
        - {in: formData, name: n, type: integer}
      responses: {"200": {description: Added}}
"""
    on = bench(text, text.replace("{in: formData, name: n, type: integer}", now))
    passed = tried(on, Strategy.DEPRECATION_WINDOW)
    (found,) = groups(on)[0].changes
    assert found.head is not None
    assert found.head.pointer.startswith(("/paths/~1users/post/parameters/1", "/parameters/n"))
    assert SUNSET in text_of(passed)


def test_a_renamed_input_is_accepted_by_both_names() -> None:
    """A request's property under a new name, now required: the old name is its alias, and neither is asked for."""
    head = BASE.replace("required: [email]\n", "required: [email, full_name]\n").replace(
        "        name: {type: string}\n", "        full_name: {type: string}\n"
    )
    on = bench(BASE, head)
    schema = spec(tried(on, Strategy.FIELD_ALIAS))["components"]["schemas"]["NewUser"]
    assert schema["properties"]["name"]["x-alias-of"] == "full_name"
    assert schema["required"] == ["email"]
    assert {"field_alias", "dual_write"} <= passes(on)["required-property-added"]


def test_a_renamed_parameter_is_accepted_by_both_names() -> None:
    """A required parameter that took the place of another one: either is accepted, and the report says how sure it is."""
    head = BASE.replace("{name: expand, in: query,", "{name: expand_with, in: query, required: true,")
    on = bench(BASE, head)
    passed = tried(on, Strategy.FIELD_ALIAS)
    old, new = (spec(passed)["paths"]["/users/{id}"]["get"]["parameters"][index] for index in (2, 1))
    assert (old["name"], old["x-alias-of"]) == ("expand", "expand_with")
    assert "required" not in new
    assert passed.draft.sure == 1.0
    moved = bench(BASE, BASE.replace("{name: expand, in: query,", "{name: expand, in: header, required: true,"))
    both = spec(tried(moved, Strategy.DUAL_WRITE, 1))["paths"]["/users/{id}"]["get"]["parameters"]
    assert [each["in"] for each in both] == ["path", "header", "query"]


def test_a_consumer_can_send_what_is_newly_required() -> None:
    """consumer_patch adds what is to be sent, and says so."""
    head = BASE.replace(
        "schema: {type: string, enum: [roles, teams]}}", "required: true, schema: {type: string, enum: [roles, teams]}}"
    )
    passed = tried(bench(BASE, head, {"billing.yaml": MANIFEST}), Strategy.CONSUMER_PATCH)
    assert text_of(passed) == MANIFEST.replace("sends: [path:id]", "sends: [path:id, query:expand]")
    assert passed.draft.moves["billing"] == ("send query:expand with GET /users/{id}",)


def test_narrowed_values_are_accepted_from_both_sides() -> None:
    """An enum that lost a value keeps it, named as deprecated; one that also gained some accepts all of them."""
    narrowed = bench(BASE, BASE.replace("enum: [roles, teams]", "enum: [roles]"))
    parameter = spec(tried(narrowed, Strategy.DEPRECATION_WINDOW))["paths"]["/users/{id}"]["get"]["parameters"][1]
    assert parameter["schema"]["enum"] == ["roles", "teams"]
    assert parameter["schema"]["x-deprecated-values"] == {"teams": SUNSET}
    exchanged = bench(BASE, BASE.replace("enum: [roles, teams]", "enum: [roles, groups]"))
    parameter = spec(tried(exchanged, Strategy.DUAL_WRITE))["paths"]["/users/{id}"]["get"]["parameters"][1]
    assert parameter["schema"] == {"type": "string", "enum": ["roles", "groups", "teams"]}


def test_a_narrowed_bound_is_accepted_in_both_forms() -> None:
    """What fits head's bound or base's is accepted, and base's form is marked as deprecated."""
    on = bench(BASE, BASE.replace("name: {type: string}\n", "name: {type: string, maxLength: 5}\n"))
    name = spec(tried(on, Strategy.DUAL_WRITE))["components"]["schemas"]["NewUser"]["properties"]["name"]
    assert name == {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "string", "deprecated": True}]}


def test_a_moved_path_answers_at_both() -> None:
    """The old path stays beside the new one, as its alias or deprecated with the headers that say so."""
    on = bench(BASE, BASE.replace("/users/{id}:", "/people/{id}:"), {"billing.yaml": MANIFEST})
    assert passes(on)["operation-removed"] == {"field_alias", "dual_write", "deprecation_window", "consumer_patch"}
    document = spec(tried(on, Strategy.DEPRECATION_WINDOW))
    operation = document["paths"]["/users/{id}"]["get"]
    assert (operation["deprecated"], operation["x-sunset"]) == (True, SUNSET)
    assert "Sunset" in operation["responses"]["200"]["headers"]
    assert "Use GET /people/{id}." in operation["description"]
    assert "operationId" not in operation  # the new path has taken it along
    assert text_of(tried(on, Strategy.CONSUMER_PATCH)) == MANIFEST.replace("GET /users/{id}", "GET /people/{id}")


SECURED = BASE.replace(
    "components:\n",
    "components:\n  securitySchemes:\n    key: {type: apiKey, in: header, name: X-Key}\n"
    "    token: {type: http, scheme: bearer}\n",
).replace("      operationId: getUser\n", "      operationId: getUser\n      security: [key: []]\n")


def test_former_credentials_stay_an_alternative() -> None:
    """Tightened security: base's alternative is kept beside head's."""
    on = bench(SECURED, SECURED.replace("security: [key: []]", "security: [token: []]"))
    document = spec(tried(on, Strategy.DUAL_WRITE))
    assert document["paths"]["/users/{id}"]["get"]["security"] == [{"token": []}, {"key": []}]


def test_a_scheme_that_changed_is_kept_under_a_name_of_its_own() -> None:
    """A security scheme redefined under its name comes back beside it, and operations accept either."""
    on = bench(SECURED, SECURED.replace("name: X-Key", "name: X-Secret"))
    document = spec(tried(on, Strategy.DUAL_WRITE))
    assert document["components"]["securitySchemes"]["keyV1"]["name"] == "X-Key"
    assert document["paths"]["/users/{id}"]["get"]["security"] == [{"key": []}, {"keyV1": []}]


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        (BASE.replace("/users/{id}:", "/v3/users/{id}:"), "/v4/users/{id}"),
        (BASE.replace("paths:", "servers: [{url: https://api.example.com/v1}]\npaths:"), "/v2/users/{id}"),
        (BASE, "/v2/users/{id}"),
    ],
)
def test_a_version_is_told_as_the_api_tells_it(base: str, expected: str) -> None:
    """By the path where paths carry versions, by the base path where servers do, by a path where nothing does yet."""
    on = bench(base, base.replace("age: {type: integer}", "age: {type: string}"))
    document = spec(tried(on, Strategy.VERSION_BUMP))
    assert expected in document["paths"]
    if "servers:" in base:
        assert document["paths"][expected]["servers"] == [{"url": "https://api.example.com"}]


def test_a_version_by_media_type() -> None:
    """Where media types carry the version, one operation answers in both."""
    base = BASE.replace("            application/json:\n              schema: {$ref: \"#/components/schemas/User\"}",
                        "            application/vnd.acme.v1+json:\n              schema: {$ref: \"#/components/schemas/User\"}")  # fmt: skip
    on = bench(base, base.replace("age: {type: integer}", "age: {type: string}"))
    content = spec(tried(on, Strategy.VERSION_BUMP))["paths"]["/users/{id}"]["get"]["responses"]["200"]["content"]
    assert {name: each["schema"]["$ref"].rpartition("/")[2] for name, each in content.items()} == {
        "application/vnd.acme.v1+json": "UserV1",
        "application/vnd.acme.v2+json": "User",
    }


def test_a_version_by_header() -> None:
    """OpenAPI has one operation for a path and method, so the next version's contract is kept in an extension."""
    base = BASE.replace(
        "        - {name: expand",
        "        - {name: X-API-Version, in: header, schema: {type: string}}\n        - {name: expand",
    )
    head = base.replace("schema: {type: string, enum: [roles, teams]}", "schema: {type: string, enum: [roles]}")
    operation = spec(tried(bench(base, head), Strategy.VERSION_BUMP))["paths"]["/users/{id}"]["get"]
    assert operation["parameters"][2]["schema"]["enum"] == ["roles", "teams"]
    assert operation["x-versions"]["2"]["parameters"][2]["schema"]["enum"] == ["roles"]


def test_the_file_that_owns_the_node_is_edited() -> None:
    """A specification in several files is mended in the file that the schema stands in, references and all."""
    entry = BASE.partition("components:")[0].replace("#/components/schemas/", "schemas/all.yaml#/")
    schemas = (
        "User:\n  type: object\n  properties:\n    home: {$ref: '#/Address'}\nAddress: {type: object}\nNewUser: {}\n"
    )
    head_schemas = "User:\n  type: object\n  properties: {}\nNewUser: {}\n"
    trees = (
        MemoryTree({"api.yaml": entry.encode(), "schemas/all.yaml": text.encode()}) for text in (schemas, head_schemas)
    )
    manifest = MANIFEST.replace("[id, email]", "[home]").partition("    exposes")[0]
    on = Bench(*situation(*trees, {"users": "api.yaml"}, {"billing.yaml": manifest}))
    passed = tried(on, Strategy.DEPRECATION_WINDOW)
    assert passed.outcome.verification.verified, passed.outcome.reason
    assert passed.outcome.trial is not None
    assert {file.patch.file for file in passed.outcome.trial.files} == {"api.yaml", "schemas/all.yaml"}
    says = {file.patch.file: file.says for file in passed.outcome.trial.files}["schemas/all.yaml"]
    assert says["Address"] == {"type": "object"}
    assert says["User"]["properties"]["home"]["allOf"] == [{"$ref": "#/Address"}]


def test_a_strict_decoder_is_told_to_be_lenient() -> None:
    """An addition breaks nobody but a strict decoder: it gets a version of its own, or becomes lenient."""
    manifest = MANIFEST.replace("owner: team-billing\n", "owner: team-billing\nstrict: true\n")
    on = bench(
        BASE,
        BASE.replace("age: {type: integer}\n", "age: {type: integer}\n        pronouns: {type: string}\n"),
        {"billing.yaml": manifest},
    )
    assert passes(on) == {"property-added": {"version_bump", "consumer_patch"}}
    assert "strict: false" in text_of(tried(on, Strategy.CONSUMER_PATCH))


def test_consumers_cannot_mend_the_contract_mode() -> None:
    """Where the contract alone counts, no manifest makes a break good."""
    head = BASE.replace("        age: {type: integer}\n", "").replace("[id, email]", "[id, email]")
    manifests = {"billing.yaml": MANIFEST.replace("[id, email]", "[age]").partition("    exposes")[0]}
    required = BASE.replace("[id, email]", "[id, email, age]")
    assert "consumer_patch" in passes(bench(required, head, manifests))["property-removed"]
    assert "consumer_patch" not in passes(bench(required, head, manifests, mode=Mode.CONTRACT))["property-removed"]


def test_every_rule_is_in_the_table() -> None:
    """A rule is mended by its family, or there is a reason why it is not; and no reason is given for what is mended."""
    known = {rule.id for rule in all_rules()}
    listed = [rule for family in FAMILIES for rule in family.rules]
    assert len(listed) == len(set(listed))
    assert known == set(listed) | set(UNMENDED)
    assert not set(listed) & set(UNMENDED)
    assert all(set(family.makers) == set(Strategy) for family in FAMILIES)


@pytest.mark.parametrize(
    ("rule", "number"),
    [
        (rule.id, number)
        for rule in all_rules()
        for number, example in enumerate(rule.examples)
        if example.outcome == "breaks" and family_of(rule.id) is not None
    ],
)
def test_every_example_that_breaks_has_a_fix(rule: str, number: int) -> None:
    """What a rule's own page shows as breaking can be mended by at least one strategy."""
    found = next(each for each in all_rules() if each.id == rule)
    base, head = (json.dumps(each, indent=2) for each in documents(found.examples[number], found))
    on = bench(base, head, file="api.json")
    assert set(passes(on)) == {group.first.rule for group in groups(on)}


def test_a_fix_is_written_in_the_style_of_json() -> None:
    """A JSON document gets JSON, indented as it is."""
    base, head = (
        json.dumps(load(text.encode(), "api.yaml"), indent=3)
        for text in (BASE, BASE.replace("        age: {type: integer}\n", ""))
    )
    manifest = MANIFEST.replace("[id, email]", "[age]").partition("    exposes")[0]
    text = text_of(tried(bench(base, head, {"b.yaml": manifest}, file="api.json"), Strategy.DEPRECATION_WINDOW))
    says = json.loads(text)
    assert text == json.dumps(says, indent=3)
    assert TextEditor(text.encode(), "api.json").says["components"]["schemas"]["User"]["properties"]["age"][
        "deprecated"
    ]


@pytest.mark.parametrize("kind", ["paths", "webhooks"])
@pytest.mark.parametrize("goes", ["{other: {post: {responses: {}}}}", "{other: {get: {responses: {}}}}"])
def test_an_operation_with_a_callback_can_be_kept(kind: str, goes: str) -> None:
    """The callback goes with its operation, and is back with it: the operation's mark speaks for both."""
    name = "/jobs" if kind == "paths" else "jobs"
    other = goes if kind == "webhooks" else goes.replace("other", "/other")
    callbacks = "callbacks: {done: {'{$request.body#/url}': {post: {responses: {}}}}}"
    text = "openapi: 3.1.0\ninfo: {title: T, version: 1.0.0}\n%s: %s\n"
    on = bench(text % (kind, f"{{{name}: {{post: {{{callbacks}, responses: {{}}}}}}}}"), text % (kind, other))
    [group] = groups(on)
    assert [change.rule for change in group.changes][1:] == ["callback-removed"]
    restored = spec(tried(on, Strategy.DEPRECATION_WINDOW))[kind][name]["post"]
    assert restored["deprecated"] is True
    assert "done" in restored["callbacks"]
