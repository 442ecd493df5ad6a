"""How two sides are put in pairs: by what is on the wire, in one order, and never more than may differ."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from guardian.model import Direction, Severity
from guardian.rules.align import align
from guardian.rules.examples import documents
from guardian.rules.pairs import OperationPair, ParameterPair, ResponsePair, SchemaRoot
from guardian.rules.registry import Declared, all_rules
from guardian.spec.sameness import Sameness
from guardian.spec.text import load
from tests.rules.sides import api, changes, pairs, side, told


def operations(base: Any, head: Any) -> list[tuple[str | None, str | None]]:
    """The pairs of operations, by name."""
    return [
        (each.pair.base.name if each.pair.base else None, each.pair.head.name if each.pair.head else None)
        for each in pairs(base, head)
        if isinstance(each.pair, OperationPair)
    ]


# -- operations --------------------------------------------------------------------------------------------------------


def test_names_of_path_parameters_do_not_matter() -> None:
    """A renamed template variable is the same operation, and its parameter the same parameter."""
    base = api("{'/a/{id}/b/{n}': {get: {parameters: [{in: path, name: n, required: true, schema: {type: string}}]}}}")
    head = api("{'/a/{x}/b/{y}': {get: {parameters: [{in: path, name: y, required: true, schema: {type: string}}]}}}")
    assert operations(base, head) == [("GET /a/{id}/b/{n}", "GET /a/{x}/b/{y}")]
    pair = next(each.pair for each in pairs(base, head) if isinstance(each.pair, OperationPair))
    assert pair.renamed_variables == (("id", "x"), ("n", "y"))
    assert changes(base, head) == []


def test_a_narrowed_path_parameter_is_found_by_position() -> None:
    """What is renamed and narrowed at once is narrowed."""
    base = api("{'/a/{id}': {get: {parameters: [{in: path, name: id, required: true, schema: {type: string}}]}}}")
    head = api("{'/a/{x}': {get: {parameters: [{in: path, name: x, required: true, schema: {type: integer}}]}}}")
    assert [(change.rule, change.field) for change in changes(base, head)] == [("type-changed", "path:id")]


def test_parameters_written_the_same_are_others_in_another_template() -> None:
    """Variables that changed places are compared by place, though every parameter is written as before."""
    parameters = (
        "parameters: [{in: path, name: x, required: true, schema: {type: string}},"
        " {in: path, name: y, required: true, schema: {type: integer}}]"
    )
    operation = "{get: {responses: {'200': {description: %s}}}"
    base = api(f"{{'/a/{{x}}/{{y}}': {operation % 'one'}, {parameters}}}}}")
    head = api(f"{{'/a/{{y}}/{{x}}': {operation % 'two'}, {parameters}}}}}")
    assert {(change.rule, change.field) for change in changes(base, head)} == {
        ("type-changed", "path:x"),
        ("type-changed", "path:y"),
    }


def test_parameters_written_the_same_are_passed_over() -> None:
    """What changed elsewhere in an operation is no reason to look at its parameters."""
    text = "{/a: {parameters: [{in: query, name: q, schema: {type: string}}], get: {responses: {'%s': {}}}}}"
    found = pairs(api(text % 200), api(text % 201))
    assert not any(isinstance(each.pair, ParameterPair) for each in found)
    assert any(isinstance(each.pair, ResponsePair) for each in found)


def test_templates_of_one_shape_pair_by_name_then_by_type() -> None:
    """Two templates that look alike are never an error: names decide, then the types of the variables."""
    number = "{parameters: [{in: path, name: %s, required: true, schema: {type: integer}}]}"
    text = "{parameters: [{in: path, name: %s, required: true, schema: {type: string}}]}"
    base = api(f"{{'/a/{{id}}': {{get: {number % 'id'}}}, '/a/{{name}}': {{get: {text % 'name'}}}}}")
    same_names = api(f"{{'/a/{{name}}': {{get: {text % 'name'}}}, '/a/{{id}}': {{get: {number % 'id'}}}}}")
    other_names = api(f"{{'/a/{{y}}': {{get: {text % 'y'}}}, '/a/{{x}}': {{get: {number % 'x'}}}}}")
    assert operations(base, same_names) == []  # written the same: nothing to look at
    assert operations(base, other_names) == [("GET /a/{id}", "GET /a/{x}"), ("GET /a/{name}", "GET /a/{y}")]
    assert changes(base, other_names) == []


def test_a_base_path_that_moved_into_the_paths_is_nothing() -> None:
    """Effective URLs count, whatever the dialect."""
    base = api("{/a: {get: {}}}", version="2.0", host="x.example", basePath="/v2", schemes=["https"])
    head = api("{/v2/a: {get: {}}}", servers=[{"url": "https://x.example"}])
    assert told(base, head) == []


def test_a_moved_base_path_is_one_warning() -> None:
    """Operations are matched relative to the server, and the move is told once."""
    base = api("{/a: {get: {}, put: {}}, /b: {get: {}}}", servers=[{"url": "https://x.example/v1"}])
    head = api("{/a: {get: {}, put: {}}, /b: {get: {}}}", servers=[{"url": "https://x.example/v2"}])
    [change] = changes(base, head)
    assert (change.rule, change.severity, change.operation) == ("server-changed", Severity.WARNING, "")
    assert "https://x.example/v1" in change.message
    assert "https://x.example/v2" in change.message


def test_a_base_path_that_moved_for_some_operations_only_is_told() -> None:
    """One operation that stays behind is enough for a warning."""
    base = api("{/a: {get: {}}, /b: {get: {}}}", servers=[{"url": "/v1"}])
    head = api("{/v1/a: {get: {}}, /b: {get: {}}}")
    assert ("server-changed", "", "warning") in told(base, head)


@pytest.mark.parametrize(
    ("base", "head", "severity"),
    [
        # what is left open agrees with anything
        ([], [{"url": "https://x.example"}], None),
        ([{"url": "/"}], [], None),
        # another order, one more
        ([{"url": "https://a"}, {"url": "https://b"}], [{"url": "https://b"}, {"url": "https://a"}], None),
        ([{"url": "https://a"}], [{"url": "https://a"}, {"url": "https://b"}], "info"),
        ([{"url": "https://a"}, {"url": "https://b"}], [{"url": "https://a"}], "warning"),
        ([{"url": "http://a"}], [{"url": "https://a"}], "warning"),
        # variables stand for all their values
        ([{"url": "https://{r}.x", "variables": {"r": {"default": "eu", "enum": ["eu", "us"]}}}],
         [{"url": "https://eu.x"}, {"url": "https://us.x"}], None),
        ([{"url": "https://{r}.x", "variables": {"r": {"default": "eu", "enum": ["eu", "us"]}}}],
         [{"url": "https://eu.x"}], "warning"),
        ([{"url": "https://eu.x"}], [{"url": "https://{r}.x", "variables": {"r": {"default": "us"}}}], "info"),
        ([{"url": "https://{region}.x", "variables": {"region": {"default": "eu"}}}],
         [{"url": "https://{r}.x", "variables": {"r": {"default": "eu"}}}], None),
    ],
)  # fmt: skip
def test_servers_are_compared_by_the_urls_they_answer(
    base: list[dict[str, Any]], head: list[dict[str, Any]], severity: str | None
) -> None:
    """A server is the set of URLs it stands for; only one that is lost is worth a warning."""
    found = told(api("{/a: {get: {}}}", servers=base), api("{/a: {get: {}}}", servers=head))
    assert found == ([("server-changed", "", severity)] if severity else [])


BOTH = {"swagger": "2.0", "host": "x.example", "basePath": "/v1", "schemes": ["http", "https"]}


@pytest.mark.parametrize(
    ("base", "head", "severity"),
    [
        # several schemes are several URLs, on one side or on both
        (BOTH, ["http://x.example/v1", "https://x.example/v1"], None),
        (["http://x.example/v1", "https://x.example/v1"], BOTH, None),
        (BOTH, ["https://x.example/v1"], "warning"),
        (["https://x.example/v1"], BOTH, "info"),
        (BOTH, [{"url": "{s}://x.example/v1", "variables": {"s": {"default": "http", "enum": ["http", "https"]}}}], None),
        (BOTH, [{"url": "{s}://x.example/v1", "variables": {"s": {"default": "https", "enum": ["https"]}}}], "warning"),
        # a port that goes without saying
        (["https://x.example:443/v1"], ["https://x.example/v1"], None),
        (["http://x.example/v1"], ["http://x.example:80/v1"], None),
        (["http://x.example:443"], ["http://x.example"], "warning"),
        ({**BOTH, "host": "x.example:443", "schemes": ["https"]}, ["https://x.example/v1"], None),
    ],
)  # fmt: skip
def test_servers_are_compared_scheme_by_scheme(base: Any, head: Any, severity: str | None) -> None:
    """A host with two schemes is two servers, as a converter from 2.0 writes them."""

    def document(said: Any) -> dict[str, Any]:
        if isinstance(said, list):
            return api("{/a: {get: {}}}", servers=[each if isinstance(each, dict) else {"url": each} for each in said])
        return api("{/a: {get: {}}}", "2.0", **said)

    assert told(document(base), document(head)) == ([("server-changed", "", severity)] if severity else [])


def test_all_values_of_a_variable_are_compared() -> None:
    """However many there are, and in whatever order."""
    regions = [f"r{number}" for number in range(400)]

    def document(regions: list[str], *more: str, zones: list[str] | None = None) -> dict[str, Any]:
        variables = {"r": {"default": regions[0], "enum": regions}, "z": {"default": "a", "enum": zones or ["a", "b"]}}
        servers = [{"url": "https://{r}.{z}.example", "variables": variables}, *({"url": each} for each in more)]
        return api("{/a: {get: {}}}", servers=servers)

    whole = document(regions)
    assert told(whole, document(regions[:1] + regions[:0:-1])) == []
    assert told(whole, document(regions[:1] + regions[1:][::-1], zones=["b", "a"])) == []
    assert told(whole, document(regions[:-1])) == [("server-changed", "", "warning")]
    assert told(document(regions[:-1]), whole) == [("server-changed", "", "info")]
    assert told(whole, document(regions, zones=["a"])) == [("server-changed", "", "warning")]
    one = api("{/a: {get: {}}}", servers=[{"url": "https://r399.b.example"}])
    assert told(one, whole) == [("server-changed", "", "info")]
    lost = document(regions[:-1], "https://r399.a.example", "https://r399.b.example")
    assert told(whole, lost) == []


def test_servers_of_an_operation_are_its_own() -> None:
    """A list at the operation is compared there and takes the operation out of the document's."""
    base = api("{/a: {get: {servers: [{url: 'https://a'}]}}, /b: {get: {}}}", servers=[{"url": "https://x"}])
    head = api("{/a: {get: {servers: [{url: 'https://b'}]}}, /b: {get: {}}}", servers=[{"url": "https://x"}])
    [change] = changes(base, head)
    assert (change.rule, change.operation) == ("server-changed", "GET /a")


def test_a_trailing_slash_is_a_warning() -> None:
    """It is another URL, and yet no removed operation."""
    assert told(api("{/a: {get: {}}}"), api("{/a/: {get: {}}}")) == [("path-slash-changed", "", "warning")]


def test_a_service_that_is_gone_or_new_is_its_operations() -> None:
    """Without one side every operation of the other is gone or new, callbacks and webhooks included."""
    document = api(
        "{/a: {post: {callbacks: {done: {'{$request.body#/u}': {post: {}}}}}}}", webhooks={"paid": {"post": {}}}
    )
    assert sorted(told(document, None)) == [
        ("callback-removed", "", "breaking"),
        ("operation-removed", "", "breaking"),
        ("webhook-removed", "", "breaking"),
    ]
    assert {severity for _, _, severity in told(None, document)} == {"info"}
    assert list(align(None, None)) == []


def test_methods_of_3_2_count() -> None:
    """``query`` and additional operations are operations."""
    base = api("{/a: {query: {}, additionalOperations: {COPY: {}}}}", version="3.2.0")
    assert sorted(change.operation for change in changes(base, api("{/a: {}}", version="3.2.0"))) == [
        "COPY /a",
        "QUERY /a",
    ]


def test_callbacks_are_matched_below_a_renamed_parent() -> None:
    """A callback is found again though its parent's template variable has another name."""
    callback = "{done: {'{$request.body#/u}': {post: {requestBody: {content: {application/json: %s}}}}}}"
    base = api("{'/a/{id}': {post: {callbacks: " + callback % "{schema: {type: string}}" + "}}}")
    head = api("{'/a/{x}': {post: {callbacks: " + callback % "{schema: {type: integer}}" + "}}}")
    [change] = changes(base, head)
    assert (change.rule, change.direction) == ("type-changed", Direction.RESPONSE)
    assert change.operation == "callback POST done of POST /a/{id}"


# -- cost and order ----------------------------------------------------------------------------------------------------


def many(count: int) -> dict[str, Any]:
    """A document of many operations, all of them different."""
    paths = {
        f"/p{number}/{{id}}": {
            "parameters": [{"in": "path", "name": "id", "required": True, "schema": {"type": "string"}}],
            "get": {
                "operationId": f"get{number}",
                "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {}}}}},
            },
        }
        for number in range(count)
    }
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    return api("{}", security=[{"key": []}], components={"securitySchemes": schemes}, servers=[{"url": "/v1"}]) | {
        "paths": paths
    }


def loaded(base: dict[str, Any], head: dict[str, Any]) -> int:
    """How many operations of base had to be read."""
    one, other = side(base), side(head)
    list(align(one[1], other[1], Sameness(one[0], other[0]).same))
    return sum("parts" in vars(operation) for operation in one[1].operations.values())


def test_operations_that_are_written_the_same_are_not_read() -> None:
    """The cost follows the change: nothing for none, one operation for one."""
    base = many(40)
    assert loaded(base, many(40)) == 0
    head = many(40)
    head["paths"]["/p7/{id}"]["parameters"][0]["schema"] = {"type": "integer"}
    assert loaded(base, head) == 1


def test_what_is_inherited_is_not_forgotten() -> None:
    """An operation whose text is the same is read if what it inherits is not."""
    base, head = many(3), many(3)
    head["components"]["securitySchemes"]["other"] = {"type": "http", "scheme": "basic"}
    head["servers"] = [{"url": "/v2"}]
    assert loaded(base, head) == 0  # nobody needs the new scheme, and servers are compared once
    head["components"]["securitySchemes"]["key"]["name"] = "X-Api-Key"
    assert loaded(base, head) == 3
    assert Counter(rule for rule, _, _ in told(base, head))["security-scheme-changed"] == 3


def test_the_dialect_is_part_of_what_is_written() -> None:
    """``nullable`` means null in 3.0 and nothing in 3.1: the same text is not the same contract."""
    paths = "{/a: {get: {responses: {'200': {content: {application/json: {schema: {type: string, nullable: true}}}}}}}}"
    assert told(api(paths, version="3.1.0"), api(paths, version="3.0.3")) == [("nullability-changed", "", "breaking")]


def test_without_sameness_the_answer_is_the_same() -> None:
    """Passing over is an economy and nothing else."""
    base, head = side(many(3)), side(many(3))
    roots = [placed for placed in align(base[1], head[1]) if isinstance(placed.pair, SchemaRoot)]
    assert len(roots) == 6


# -- laws over every example -------------------------------------------------------------------------------------------

_EXAMPLES = [
    pytest.param(*documents(example, rule), id=f"{rule.id}-{index}")
    for rule in all_rules()
    if rule.area != "schema" and rule.pair is not Declared
    for index, example in enumerate(rule.examples)
]


@pytest.mark.parametrize(("base", "head"), _EXAMPLES)
def test_backwards_is_the_mirror_image(base: dict[str, Any], head: dict[str, Any]) -> None:
    """The same edit made backwards has the mirrored effects."""
    forth = Counter(change.effect.mirrored for change in changes(base, head))
    back = Counter(change.effect for change in changes(head, base))
    assert forth == back


@pytest.mark.parametrize(("base", "head"), _EXAMPLES)
def test_the_order_of_keys_changes_nothing(base: dict[str, Any], head: dict[str, Any]) -> None:
    """A document with its keys the other way round is the same document."""

    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return [turned(each) for each in value] if isinstance(value, list) else value

    assert changes(base, turned(base)) == []
    assert sorted(told(base, head)) == sorted(told(turned(base), turned(head)))


def test_the_key_of_a_callback_is_not_on_the_wire() -> None:
    """One that is called otherwise in the document, at the same URL and by the same method, is the same callback."""

    def document(key: str, kind: str, method: str = "post") -> dict[str, Any]:
        body = f"requestBody: {{content: {{application/json: {{schema: {{type: {kind}}}}}}}}}"
        call = f"{{{key}: {{'{{$request.body#/url}}': {{{method}: {{{body}}}}}}}}}"
        return api(f"{{/jobs: {{post: {{callbacks: {call}}}}}}}")

    base = document("done", "object")
    assert told(base, document("onDone", "object")) == []
    assert told(base, document("onDone", "string")) == [("type-changed", "", "breaking")]
    assert ("callback-removed", "", "breaking") in told(base, document("onDone", "object", "put"))


@pytest.mark.parametrize(
    ("base", "head", "words"),
    [
        ("{default: eu, enum: [eu, us]}", "{default: eu, enum: [eu]}", "fewer"),
        ("{default: eu}", "{default: eu, enum: [eu]}", "fewer"),
        ("{default: eu, enum: [eu]}", "{default: eu, enum: [eu, us]}", "more"),
        ("{default: eu, enum: [eu, us]}", "{default: eu, enum: [eu, asia]}", "other"),
    ],
)
def test_a_server_is_not_gone_that_takes_other_values(base: str, head: str, words: str) -> None:
    sides = (
        api(
            "{/a: {get: {}}}",
            servers=[{"url": "https://{region}.a.example", "variables": {"region": load(each.encode(), "v")}}],
        )
        for each in (base, head)
    )
    (found,) = changes(*sides)
    assert found.message == f"the server `https://{{region}}.a.example` takes {words} values for `region`"
