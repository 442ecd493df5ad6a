from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from guardian.errors import ReadError, RefError
from guardian.spec.api import Api, MediaType, Operation, Parameter, Requirement, Server
from guardian.spec.media import parse_media_type
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.trees import DirectoryTree, MemoryTree

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def read(text: str, version: str = "3.0.3", **files: str) -> Api:
    """The API of a document without its first lines."""
    if version == "2.0":
        text = f"swagger: '2.0'\n{text}"
    else:
        text = f"openapi: {version}\n{text}"
    named = {name.replace("_yaml", ".yaml"): content.encode() for name, content in files.items()}
    return read_api(Documents(MemoryTree({"api.yaml": text.encode(), **named})), "api.yaml", "svc")


def only(api: Api) -> Operation:
    (operation,) = api.operations.values()
    return operation


def operation(text: str, version: str = "3.0.3", rest: str = "", **files: str) -> Operation:
    """``POST /x`` from the flow-style text of its object."""
    return only(read(f"paths: {{/x: {{post: {text}}}}}\n{rest}", version, **files))


def parameters(text: str, version: str = "3.0.3") -> list[Parameter]:
    return list(operation(f"{{parameters: {text}}}", version).parts.parameters)


def refused(text: str, version: str = "3.0.3", rest: str = "") -> ReadError:
    with pytest.raises(ReadError) as caught:
        _ = operation(text, version, rest).parts
    assert caught.value.file == "api.yaml"
    assert caught.value.pointer is not None
    assert f"#{caught.value.pointer}" in caught.value.message
    return caught.value


# --- operations ---------------------------------------------------------------------------------------------------


def test_an_api_lists_its_operations_by_name() -> None:
    """Names are method and path as written, in document order; extensions and other fields are no operations."""
    api = read(
        """
info: {title: Orders, version: 1.0}
paths:
  x-internal: {get: {}}
  /b/{id}: {summary: s, put: {operationId: putB, deprecated: true}, get: , x-get: {}}
  /a: {trace: {}}
"""
    )
    assert list(api.operations) == ["PUT /b/{id}", "GET /b/{id}", "TRACE /a"]
    assert (api.title, api.version, api.dialect, api.service, api.file) == ("Orders", "1.0", "3.0", "svc", "api.yaml")
    put, get = api.operations["PUT /b/{id}"], api.operations["GET /b/{id}"]
    assert (put.method, put.path, put.kind, put.inverted) == ("PUT", "/b/{id}", "path", False)
    assert (put.operation_id, put.deprecated) == ("putB", True)
    assert (put.node.pointer, put.path_node.pointer) == ("/paths/~1b~1{id}/put", "/paths/~1b~1{id}")
    assert (get.operation_id, get.deprecated, get.parts.body) == (None, False, None)


def test_methods_are_those_of_the_dialect() -> None:
    """``trace`` came with 3.0, ``query`` and ``additionalOperations`` with 3.2, whose methods are named as written."""
    item = "paths: {/x: {trace: {}, query: {}, additionalOperations: {COPY: {}, link: {}}}}"
    assert list(read(item, "2.0").operations) == []
    assert list(read(item, "3.1.0").operations) == ["TRACE /x"]
    assert list(read(item, "3.2.0").operations) == ["TRACE /x", "QUERY /x", "COPY /x", "link /x"]


def test_webhooks_are_inverted_operations() -> None:
    """Webhooks of 3.1 and the extension of 3.0 are named alike; a path named so in 3.0 is an unknown field."""
    hooks = "{order-paid: {post: {security: [], requestBody: {content: {}}}}}"
    for version, key in (("3.1.0", "webhooks"), ("3.0.0", "x-webhooks"), ("3.1.0", "x-webhooks")):
        hook = only(read(f"security: [{{a: []}}]\nservers: [{{url: /v1}}]\n{key}: {hooks}", version))
        assert (hook.name, hook.kind, hook.path, hook.inverted) == (
            "webhook POST order-paid",
            "webhook",
            "order-paid",
            True,
        )
        assert (hook.parts.security, hook.parts.servers) == ((), ())
    assert not read(f"webhooks: {hooks}").operations
    assert not read("x-webhooks: {x-hidden: true}").operations


def test_callbacks_hang_on_their_operation() -> None:
    """They are named by callback and operation, keep their expression as path, and are sent by the producer."""
    owner = operation(
        """{callbacks: {
            onEvent: {'{$request.body#/url}': {post: {parameters: [{name: h, in: header, schema: {}}]}, x-a: 1}},
            shared: {$ref: '#/components/callbacks/C'}}}""",
        rest="components: {callbacks: {C: {x-b: {}, 'http://x/{y}': {$ref: '#/x-item'}}}}\nx-item: {put: {}}",
    )
    first, second = owner.parts.callbacks
    assert first.name == "callback POST onEvent of POST /x"
    assert (first.kind, first.inverted, first.path) == ("callback", True, "{$request.body#/url}")
    assert [parameter.field for parameter in first.parts.parameters] == ["header:h"]
    assert second.name == "callback PUT shared of POST /x"
    assert (first.parts.security, first.parts.servers) == (None, ())


def test_callbacks_that_lead_back_end() -> None:
    """An operation that is a callback of itself is not listed below itself."""
    owner = operation("{callbacks: {again: {'{$url}': {$ref: '#/paths/~1x'}, b: {get: {}}}}}")
    assert [callback.name for callback in owner.parts.callbacks] == ["callback GET again of POST /x"]


def test_a_path_item_may_be_a_reference_with_fields_beside_it() -> None:
    """What stands beside the reference wins; the rest comes from the target, with the target's place."""
    api = read(
        """
paths:
  /x: {$ref: 'items.yaml#/X', get: {operationId: mine}}
  /y: {$ref: '#/components/pathItems/Y'}
components: {pathItems: {Y: {delete: {}}}}
""",
        "3.1.0",
        items_yaml="X: {parameters: [{name: p, in: query, schema: {}}], get: {operationId: theirs}, post: {}}",
    )
    assert list(api.operations) == ["GET /x", "POST /x", "DELETE /y"]
    get, post = api.operations["GET /x"], api.operations["POST /x"]
    assert (get.operation_id, get.node.document.file) == ("mine", "api.yaml")
    assert (post.node.document.file, post.node.pointer) == ("items.yaml", "/X/post")
    assert post.path_node.pointer == "/paths/~1x"
    assert [parameter.field for parameter in (*get.parts.parameters, *post.parts.parameters)] == ["query:p"] * 2


def test_path_items_that_refer_to_each_other_are_refused() -> None:
    """A circle of path items has no operations to read."""
    with pytest.raises(RefError, match="only lead to each other"):
        read("paths: {/x: {$ref: '#/paths/~1y'}, /y: {$ref: '#/paths/~1x'}}")


def test_nothing_is_read_before_it_is_asked_for() -> None:
    """A mistake inside an operation is an error of that operation's parts, not of the API."""
    api = read("paths: {/x: {get: {parameters: [{}]}, put: {requestBody: {$ref: gone.yaml}}}, /y: {get: {}}}")
    assert api.operations["GET /y"].parts.parameters == ()
    for name in ("GET /x", "PUT /x"):
        with pytest.raises(ReadError):
            _ = api.operations[name].parts


# --- parameters ---------------------------------------------------------------------------------------------------


def test_path_level_parameters_are_merged_in() -> None:
    """The operation's parameter replaces the path's of the same place and name; header names have no case."""
    api = read(
        """
paths:
  /x:
    parameters:
      - {name: a, in: query, schema: {type: string}}
      - {name: a, in: cookie, schema: {}}
      - {name: X-Id, in: header, schema: {}}
    get:
      parameters:
        - {name: a, in: query, required: true, schema: {type: integer}}
        - {name: x-id, in: header, required: true, schema: {}}
        - {name: b, in: query, schema: {}}
        - {name: b, in: query, required: true, schema: {}}
"""
    )
    found = [(parameter.field, parameter.required) for parameter in only(api).parts.parameters]
    assert found == [("query:a", True), ("cookie:a", False), ("header:x-id", True), ("query:b", True)]


def test_a_shared_parameter_is_read_once() -> None:
    """Operations that refer to one parameter have the very same one; a reference that describes it anew has its own."""
    api = read(
        """
paths:
  /a: {get: {parameters: [{$ref: '#/components/parameters/page'}]}}
  /b: {get: {parameters: [{$ref: '#/components/parameters/page', description: Of b.}]}}
  /c: {get: {parameters: [{$ref: '#/components/parameters/page'}]}}
components: {parameters: {page: {name: page, in: query, description: Of all., schema: {type: integer}}}}
""",
        "3.1.0",
    )
    a, b, c = (each.parts.parameters[0] for each in api.operations.values())
    assert a is c
    assert [each.node.value["description"] for each in (a, b, c)] == ["Of all.", "Of b.", "Of all."]


@pytest.mark.parametrize(
    ("place", "style", "explode"),
    [("query", "form", True), ("cookie", "form", True), ("path", "simple", False), ("header", "simple", False)],
)
def test_styles_have_the_defaults_of_their_place(place: str, style: str, explode: bool) -> None:
    """OpenAPI 3.x, Parameter Object: form explodes, the others do not; path parameters are always required."""
    (parameter,) = parameters(f"[{{name: n, in: {place}, schema: {{type: array}}}}]")
    assert (parameter.style, parameter.explode, parameter.required) == (style, explode, place == "path")


def test_written_styles_are_kept() -> None:
    """The default of explode follows the style that is written; 3.2 has a cookie style that explodes."""
    (pipes, deep, exploded, cookie) = parameters(
        """[{name: a, in: query, style: pipeDelimited, schema: {}}, {name: b, in: query, style: deepObject, schema: {}},
            {name: c, in: path, explode: true, allowReserved: true, schema: {}},
            {name: d, in: cookie, style: cookie, allowEmptyValue: true, deprecated: true, schema: {}}]""",
        "3.2.0",
    )
    assert (pipes.style, pipes.explode) == ("pipeDelimited", False)
    assert (deep.style, deep.explode) == ("deepObject", False)
    assert (exploded.style, exploded.explode, exploded.allow_reserved) == ("simple", True, True)
    assert (cookie.style, cookie.explode, cookie.deprecated) == ("cookie", True, True)
    assert not cookie.allow_empty, "which is of query parameters alone"


def test_parameters_have_a_schema_or_content() -> None:
    """A schema is the node where it stands; content is one media type; 3.2 has the whole query string as one."""
    one, two, three = parameters(
        """[{name: a, in: query, schema: {$ref: '#/x'}}, {name: b, in: query, content: {application/json: {schema: {}}}},
            {name: c, in: querystring, content: {application/x-www-form-urlencoded: {schema: {}}}}]""",
        "3.2.0",
    )
    assert one.schema is not None
    assert one.schema.node is not None
    assert (one.schema.node.pointer, one.content) == ("/paths/~1x/post/parameters/0/schema", ())
    assert (two.schema, [media.name for media in two.content]) == (None, ["application/json"])
    assert three.field == "querystring:c"


def test_headers_that_are_not_parameters_are_ignored_in_3() -> None:
    """Accept, Content-Type and Authorization are described elsewhere in 3.x; in 2.0 they are parameters."""
    headers = ", ".join(f"{{name: {name}, in: header, type: string}}" for name in ("Accept", "content-type", "X-A"))
    assert [parameter.name for parameter in parameters(f"[{headers}]")] == ["X-A"]
    assert [parameter.name for parameter in parameters(f"[{headers}]", "2.0")] == ["Accept", "content-type", "X-A"]


@pytest.mark.parametrize(
    ("written", "style", "explode"),
    [
        ("in: query, type: array", "form", False),
        ("in: query, type: array, collectionFormat: csv", "form", False),
        ("in: query, type: array, collectionFormat: multi", "form", True),
        ("in: query, type: array, collectionFormat: ssv", "spaceDelimited", False),
        ("in: query, type: array, collectionFormat: tsv", "tabDelimited", False),
        ("in: query, type: array, collectionFormat: pipes", "pipeDelimited", False),
        ("in: path, type: array, collectionFormat: csv", "simple", False),
        ("in: query, type: string", "form", True),
        ("in: header, type: string", "simple", False),
    ],
)
def test_collection_formats_are_styles(written: str, style: str, explode: bool) -> None:
    """2.0 writes arrays comma-separated by default; what is no array gets the defaults of 3.x."""
    (parameter,) = parameters(f"[{{name: n, {written}}}]", "2.0")
    assert (parameter.style, parameter.explode) == (style, explode)


def test_the_schema_of_a_2_0_parameter_is_the_parameter_itself() -> None:
    """Its keywords stand in the parameter object, also behind a reference."""
    found = operation(
        "{parameters: [{$ref: '#/parameters/Page'}]}", "2.0", "parameters: {Page: {name: p, in: query, type: integer}}"
    ).parts.parameters
    assert found[0].schema is not None
    assert found[0].schema.node == found[0].node
    assert found[0].node.pointer == "/parameters/Page"


# --- bodies -------------------------------------------------------------------------------------------------------


def test_a_request_body_is_optional_unless_it_says_otherwise() -> None:
    """Media types are parsed, in document order; references to bodies are followed."""
    body = operation(
        "{requestBody: {$ref: '#/components/requestBodies/B'}}",
        rest="""
components:
  requestBodies:
    B:
      content:
        Application/JSON; Charset=UTF-8: {schema: {type: object}}
        multipart/form-data: {schema: {}, encoding: {file: {contentType: image/png}}}
        text/*:
""",
    ).parts.body
    assert body is not None
    assert not body.required
    assert body.node.pointer == "/components/requestBodies/B"
    json, multipart, text = body.content
    assert (json.name, json.parameters) == ("application/json", {"charset": "utf-8"})
    assert multipart.encoding["file"].value == {"contentType": "image/png"}
    assert (text.name, text.schema) == ("text/*", None)


def test_media_types_of_3_2_may_be_references_and_sequences() -> None:
    """``components.mediaTypes`` and ``itemSchema`` came with 3.2."""
    body = operation(
        "{requestBody: {required: true, content: {application/jsonl: {$ref: '#/components/mediaTypes/L'}}}}",
        "3.2.0",
        "components: {mediaTypes: {L: {itemSchema: {type: object}}}}",
    ).parts.body
    assert body is not None
    assert body.required
    (lines,) = body.content
    assert lines.schema is None
    assert lines.item_schema is not None
    assert [node.pointer for node in lines.item_schema.nodes] == ["/components/mediaTypes/L/itemSchema"]


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("application/json", "application/json", {}),
        (" Text/HTML ; Charset = UTF-8 ; q=A", "text/html", {"charset": "utf-8", "q": "A"}),
        ('multipart/related; type="a;b\\"c"', "multipart/related", {"type": 'a;b"c'}),
        ("application/vnd.x+json;", "application/vnd.x+json", {}),
        ("*/*", "*/*", {}),
        ("json", "json", {}),
        ("application/json, text/xml", "application/json, text/xml", {}),
        ("Not/A Type", "Not/A Type", {}),
        ("", "", {}),
    ],
)
def test_media_types_are_parsed(text: str, name: str, values: dict[str, str]) -> None:
    """RFC 9110: names without case, parameters apart; what is no media type stays text."""
    assert parse_media_type(text) == (name, values)


def test_a_2_0_body_is_sent_as_what_the_operation_consumes() -> None:
    """The operation's list replaces the document's; where nothing is said it is JSON."""
    body = "{consumes: %s, parameters: [{name: b, in: body, required: true, schema: {type: object}}]}"
    for consumes, names in (("[text/xml]", ["text/xml"]), ("", ["a/b", "c/d"]), ("[]", ["application/json"])):
        found = operation(body % consumes, "2.0", "consumes: [a/b, c/d]").parts
        assert found.body is not None
        assert [media.name for media in found.body.content] == names
        assert found.parameters == ()
        assert (found.body.required, found.body.node.pointer) == (True, "/paths/~1x/post/parameters/0")


def test_2_0_form_fields_are_one_object() -> None:
    """Each property leads to its parameter; required ones are required; arrays say how they are written."""
    found = operation(
        """{parameters: [{name: n, in: formData, type: string, required: true}, {$ref: '#/parameters/T'},
                         {name: m, in: formData, type: array, collectionFormat: multi}]}""",
        "2.0",
        "parameters: {T: {name: t, in: formData, type: array, items: {type: string}}}",
    )
    body = found.parts.body
    assert body is not None
    (media,) = body.content
    assert (body.required, media.name) == (True, "application/x-www-form-urlencoded")
    assert media.schema is not None
    (schema,) = media.schema.nodes
    assert (schema.pointer, schema.value["type"], schema.value["required"]) == (
        "/paths/~1x/post/parameters",
        "object",
        ["n"],
    )
    places = {name: schema.child("properties", name).pointer for name in schema.value["properties"]}
    assert places == {
        "n": "/paths/~1x/post/parameters/0",
        "t": "/parameters/T",
        "m": "/paths/~1x/post/parameters/2",
    }
    assert schema.child("required", 0).pointer == "/paths/~1x/post/parameters/0/required"
    encoding = {name: node.value for name, node in media.encoding.items()}
    assert encoding == {"t": {"style": "form", "explode": False}, "m": {"style": "form", "explode": True}}


def test_form_fields_of_another_file_are_reached() -> None:
    """A field stands where it is written, in whatever file."""
    found = operation(
        "{parameters: [{$ref: 'parts.yaml#/a b{c}'}]}",
        "2.0",
        parts_yaml="'a b{c}': {name: n, in: formData, type: string}",
    )
    body = found.parts.body
    assert body is not None
    schema = body.content[0].schema
    assert schema is not None
    (node,) = schema.nodes
    field = node.child("properties").child("n")
    assert (field.document.file, field.value["name"]) == ("parts.yaml", "n")


def test_2_0_files_are_binary_and_make_a_form_multipart() -> None:
    """``type: file`` is a binary string; what the operation consumes decides between the two kinds of form."""
    form = "{consumes: %s, parameters: [{name: f, in: formData, type: file}]}"
    both = ["multipart/form-data", "application/x-www-form-urlencoded"]
    for consumes, names in (("[]", both[:1]), ("[application/json]", both[:1]), (str(both), both)):
        body = operation(form % consumes, "2.0").parts.body
        assert body is not None
        assert [media.name for media in body.content] == names
        schema = body.content[0].schema
        assert schema is not None
        field = schema.nodes[0].value["properties"]["f"]
        assert (field["type"], field["format"]) == ("string", "binary")


# --- responses ----------------------------------------------------------------------------------------------------


def test_responses_are_keyed_by_status() -> None:
    """Numbers are text, ranges are upper case, ``default`` is kept; headers are keyed in lower case."""
    found = operation(
        """{responses: {200: {$ref: '#/components/responses/R'}, 4xx: {content: {a/b: {}}}, default: {}, x-a: 1}}""",
        rest="""
components:
  responses:
    R:
      headers:
        X-Rate: {required: true, schema: {type: integer}}
        Content-Type: {schema: {type: string}}
        x-list: {$ref: '#/components/headers/L'}
      links: {next: {operationId: o}}
  headers: {L: {explode: true, content: {text/plain: {}}}}
""",
    ).parts.responses
    assert list(found) == ["200", "4XX", "default"]
    ok = found["200"]
    assert (ok.node.pointer, list(ok.headers), list(ok.links)) == (
        "/components/responses/R",
        ["x-rate", "x-list"],
        ["next"],
    )
    rate = ok.headers["x-rate"]
    assert (rate.name, rate.field, rate.required, rate.style) == ("X-Rate", "header:X-Rate", True, "simple")
    assert (ok.headers["x-list"].explode, ok.headers["x-list"].content[0].name) == (True, "text/plain")


def test_2_0_responses_are_sent_as_what_the_operation_produces() -> None:
    """Only a response with a schema has a body; headers have inline types; a file is binary."""
    found = operation(
        """{produces: [text/csv, text/xml], responses: {
             200: {schema: {type: object}, headers: {X-N: {type: array, items: {type: string}, collectionFormat: pipes}}},
             201: {schema: {type: file}}, 204: {}}}""",
        "2.0",
        "produces: [a/b]",
    ).parts.responses
    assert [media.name for media in found["200"].content] == ["text/csv", "text/xml"]
    header = found["200"].headers["x-n"]
    assert (header.style, header.explode, header.schema is not None) == ("pipeDelimited", False, True)
    file = found["201"].content[0].schema
    assert file is not None
    assert file.nodes[0].value == {"type": "string", "format": "binary"}
    assert found["204"].content == ()
    said_nothing = operation("{responses: {200: {schema: {}}, 201: {schema: {type: file}}}}", "2.0").parts.responses
    assert said_nothing["200"].content[0].name == "application/json"
    assert said_nothing["201"].content[0].name == "application/octet-stream"


def test_a_shared_response_is_read_once() -> None:
    """Operations that refer to one response have the very same one; a reference that describes it anew has its own, and so
    has another status.
    """
    api = read(
        """
paths:
  /a: {get: {responses: {200: {$ref: '#/components/responses/ok'}, 201: {$ref: '#/components/responses/ok'}}}}
  /b: {get: {responses: {200: {$ref: '#/components/responses/ok', description: Of b.}}}}
  /c: {get: {responses: {200: {$ref: '#/components/responses/ok'}}}}
components: {responses: {ok: {description: Of all., content: {text/plain: {}}}}}
""",
        "3.1.0",
    )
    a, b, c = (each.parts.responses["200"] for each in api.operations.values())
    assert a is c
    assert [each.node.value["description"] for each in (a, b, c)] == ["Of all.", "Of b.", "Of all."]
    assert [each.status for each in api.operations["GET /a"].parts.responses.values()] == ["200", "201"]


def test_a_shared_2_0_response_is_sent_as_each_operation_produces() -> None:
    """The media types are of the operation, not of the response."""
    api = read(
        """
paths:
  /a: {get: {produces: [text/plain], responses: {200: {$ref: '#/responses/ok'}}}}
  /b: {get: {produces: [text/csv], responses: {200: {$ref: '#/responses/ok'}}}}
responses: {ok: {description: Of all., schema: {type: string}}}
""",
        "2.0",
    )
    responses = [each.parts.responses["200"] for each in api.operations.values()]
    assert [[each.name for each in response.content] for response in responses] == [["text/plain"], ["text/csv"]]


# --- security -----------------------------------------------------------------------------------------------------

SCHEMES = """
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    cookie: {type: apiKey, in: cookie, name: SID}
    basic: {type: http, scheme: Basic}
    bearer: {type: http, scheme: bearer, bearerFormat: JWT, description: d}
    oauth: {type: oauth2, flows: {implicit: {scopes: {}}}}
    oidc: {type: openIdConnect, openIdConnectUrl: 'https://x'}
    tls: {type: mutualTLS}
"""


def schemes(requirements: tuple[Requirement, ...] | None) -> list[dict[str, set[str]]]:
    assert requirements is not None
    return [{scheme.component: set(scopes) for scheme, scopes in item.schemes} for item in requirements]


def test_security_is_inherited_unless_the_operation_says_otherwise() -> None:
    """An empty list asks for nothing; an empty requirement is an alternative that needs nothing."""
    rest = "security: [{key: []}]" + SCHEMES
    assert schemes(operation("{}", rest=rest).parts.security) == [{"key": set()}]
    assert operation("{security: []}", rest=rest).parts.security == ()
    assert operation("{}").parts.security is None
    found = operation("{security: [{}, {oauth: [a, b], key: []}]}", rest=rest).parts.security
    assert schemes(found) == [{}, {"oauth": {"a", "b"}, "key": set()}]


def test_schemes_are_what_a_client_sends() -> None:
    """Header names and HTTP schemes have no case, cookies do; where tokens come from is detail."""
    names = ["key", "cookie", "basic", "bearer", "oauth", "oidc", "tls"]
    found = operation(f"{{security: [{', '.join(f'{{{name}: []}}' for name in names)}]}}", rest=SCHEMES).parts.security
    assert found is not None
    known = [item.schemes[0][0] for item in found]
    assert [scheme.identity for scheme in known] == [
        ("apiKey", "header", "x-key"),
        ("apiKey", "cookie", "SID"),
        ("http", "basic"),
        ("http", "bearer"),
        ("oauth2",),
        ("openIdConnect",),
        ("mutualTLS",),
    ]
    assert known[0].field == "header:X-Key"
    assert known[3].detail == {"bearerFormat": "JWT"}
    assert known[5].detail == {"openIdConnectUrl": "https://x"}


def test_2_0_schemes_are_given_in_the_form_of_3() -> None:
    """``basic`` is an HTTP scheme, and the flow of an OAuth scheme is one of 3.x's flows."""
    found = operation(
        "{security: [{b: []}, {o: [s]}, {k: []}]}",
        "2.0",
        """
securityDefinitions:
  b: {type: basic}
  o: {type: oauth2, flow: accessCode, authorizationUrl: u, tokenUrl: t, scopes: {s: d}}
  k: {type: apiKey, in: query, name: key}
""",
    ).parts.security
    assert found is not None
    basic, oauth, key = (item.schemes[0][0] for item in found)
    assert (basic.kind, basic.identity, basic.field) == ("http", ("http", "basic"), "header:Authorization")
    flow = {"authorizationUrl": "u", "tokenUrl": "t", "scopes": {"s": "d"}}
    assert oauth.detail == {"flows": {"authorizationCode": flow}}
    assert key.identity == ("apiKey", "query", "key")


# --- servers ------------------------------------------------------------------------------------------------------


def server(text: str) -> Server:
    (found,) = read(f"servers: [{text}]\npaths: {{}}").servers
    return found


@pytest.mark.parametrize(
    ("text", "host", "path", "known"),
    [
        ("{url: 'https://API.example.com/v1/'}", "api.example.com", "/v1", {"https"}),
        ("{url: 'https://example.com:8443'}", "example.com:8443", "", {"https"}),
        ("{url: /}", "", "", set()),
        ("{url: /v1/}", "", "/v1", set()),
        ("{url: v1}", "", "/v1", set()),
        ("{url: ./v1}", "", "/v1", set()),
        ("{url: ''}", "", "", set()),
        ("{url: //example.com/a?b#c}", "example.com", "/a", set()),
        (
            "{url: 'https://{r}.x.com/{v}', variables: {r: {default: eu}, v: {default: v2}}}",
            "eu.x.com",
            "/v2",
            {"https"},
        ),
        ("{url: 'https://x.com/{v}'}", "x.com", "/{v}", {"https"}),
        ("{url: '{s}://x.com', variables: {s: {default: https, enum: [http, HTTPS]}}}", "x.com", "", {"http", "https"}),
        ("{url: '{s}://x.com', variables: {s: {default: https}}}", "x.com", "", {"https"}),
    ],
)
def test_server_urls_are_taken_apart(text: str, host: str, path: str, known: set[str]) -> None:
    """Variables stand for their defaults; a scheme that varies is all that it may be; paths end without a slash."""
    found = server(text)
    assert (found.host, found.path, found.schemes) == (host, path, frozenset(known))
    assert found.node is not None
    assert found.url == found.node.value["url"]


def test_the_most_specific_servers_count() -> None:
    """Operation before path before document; an empty list says nothing; without any there is one empty server."""
    api = read(
        """
servers: [{url: /root}, {url: /other}]
paths:
  /a: {get: {servers: [{url: /op}]}, put: {}, servers: [{url: /path}]}
  /b: {get: {servers: []}}
"""
    )
    found = {name: [server.path for server in item.parts.servers] for name, item in api.operations.items()}
    assert found == {"GET /a": ["/op"], "PUT /a": ["/path"], "GET /b": ["/root", "/other"]}
    assert [server.path for server in api.servers] == ["/root", "/other"]
    (unsaid,) = read("paths: {}").servers
    assert (unsaid.url, unsaid.path, unsaid.host, unsaid.node) == ("", "", "", None)


def test_host_base_path_and_schemes_are_a_server() -> None:
    """2.0 has one server; an operation may have schemes of its own."""
    rest = "host: API.example.com\nbasePath: /v1/\nschemes: [https, http]"
    found = read(f"paths: {{/x: {{get: {{schemes: [wss]}}}}}}\n{rest}", "2.0")
    (whole,), (one,) = found.servers, only(found).parts.servers
    assert (whole.host, whole.path, whole.schemes, whole.url) == (
        "api.example.com",
        "/v1",
        frozenset(("http", "https")),
        "//API.example.com/v1",
    )
    assert (one.schemes, one.url) == (frozenset(("wss",)), "wss://API.example.com/v1")
    (bare,) = read("basePath: /", "2.0").servers
    assert (bare.path, bare.host, bare.url) == ("", "", "")


# --- one API, three dialects --------------------------------------------------------------------------------------

TWO = """
host: example.com
basePath: /v1
schemes: [https]
consumes: [application/json]
produces: [application/json]
security: [{k: []}]
securityDefinitions: {k: {type: apiKey, in: header, name: K}, o: {type: oauth2, flow: implicit, authorizationUrl: u, scopes: {}}}
paths:
  /x/{id}:
    parameters: [{name: id, in: path, required: true, type: string}]
    post:
      parameters:
        - {name: tags, in: query, type: array, items: {type: string}, collectionFormat: multi}
        - {name: ids, in: query, type: array, items: {type: string}}
        - {name: n, in: query, type: integer}
        - {name: body, in: body, required: true, schema: {$ref: '#/definitions/B'}}
      responses: {200: {schema: {$ref: '#/definitions/B'}, headers: {X-R: {type: integer}}}}
    put:
      security: [{o: [w]}, {}]
      consumes: [multipart/form-data]
      parameters: [{name: f, in: formData, type: file, required: true}]
      responses: {204: {}}
definitions: {B: {type: object}}
"""
THREE = """
servers: [{url: https://example.com/v1}]
security: [{k: []}]
components:
  securitySchemes: {k: {type: apiKey, in: header, name: k}, o: {type: oauth2, flows: {implicit: {authorizationUrl: u, scopes: {}}}}}
  schemas: {B: {type: object}}
paths:
  /x/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    post:
      parameters:
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
        - {name: ids, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: n, in: query, schema: {type: integer}}
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/B'}}}}
      responses:
        200:
          content: {application/json: {schema: {$ref: '#/components/schemas/B'}}}
          headers: {x-r: {schema: {type: integer}}}
    put:
      security: [{o: [w]}, {}]
      requestBody:
        required: true
        content: {multipart/form-data: {schema: {type: object, properties: {f: {type: string, format: binary}}}}}
      responses: {204: {}}
"""


def bare(api: Api) -> Any:
    """What an API says, without its schemas and places."""

    def parameter(item: Parameter) -> Any:
        return (item.field.lower(), item.required, item.style, item.explode, item.schema is not None)

    def content(items: tuple[MediaType, ...]) -> Any:
        return [(item.name, dict(item.parameters), item.schema is not None) for item in items]

    return {
        name: {
            "parameters": [parameter(item) for item in operation.parts.parameters],
            "body": operation.parts.body and (operation.parts.body.required, content(operation.parts.body.content)),
            "responses": {
                status: (content(item.content), {key: parameter(header) for key, header in item.headers.items()})
                for status, item in operation.parts.responses.items()
            },
            "security": [
                [(scheme.identity, scheme.detail, scopes) for scheme, scopes in requirement.schemes]
                for requirement in operation.parts.security or ()
            ],
            "servers": [(server.host, server.path, server.schemes, server.url) for server in operation.parts.servers],
        }
        for name, operation in api.operations.items()
    }


def test_three_dialects_of_one_api_are_one_api() -> None:
    """2.0, 3.0, 3.1 and 3.2 forms of the same API are normalised to the same parts."""
    first, *others = (
        bare(read(text, version))
        for text, version in [(TWO, "2.0"), *((THREE, v) for v in ("3.0.0", "3.1.0", "3.2.0"))]
    )
    assert list(first) == ["POST /x/{id}", "PUT /x/{id}"]
    for other in others:
        assert other == first


# --- what is malformed --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("{parameters: [{in: query}]}", "/parameters/0"),
        ("{parameters: [{name: a}]}", "/parameters/0"),
        ("{parameters: [{name: a, in: body}]}", "/parameters/0"),
        ("{parameters: [text]}", "/parameters/0"),
        ("{parameters: {a: 1}}", "/parameters"),
        ("{parameters: [{name: a, in: query, schema: text}]}", "/parameters/0/schema"),
        ("{requestBody: text}", "/requestBody"),
        ("{requestBody: {content: []}}", "/requestBody/content"),
        ("{requestBody: {content: {a/b: text}}}", "/requestBody/content/a~1b"),
        ("{responses: {200: text}}", "/responses/200"),
        ("{responses: {OK: {}}}", "/responses/OK"),
        ("{responses: {200: {headers: {a: 1}}}}", "/responses/200/headers/a"),
        ("{security: {a: []}}", "/security"),
        ("{security: [a]}", "/security/0"),
        ("{security: [{gone: []}]}", "/security/0"),
        ("{servers: [{}]}", "/servers/0"),
        ("{callbacks: {a: {b: text}}}", "/callbacks/a/b"),
    ],
)
def test_what_is_malformed_is_named(text: str, pointer: str) -> None:
    """The error has the file and the place, and never becomes an API that says less."""
    assert refused(text).pointer == f"/paths/~1x/post{pointer}"


@pytest.mark.parametrize("scheme", ["{}", "{type: apiKey}", "{type: apiKey, in: header}", "{type: http}", "text"])
def test_a_security_scheme_must_say_what_to_send(scheme: str) -> None:
    """A scheme without type, or without what its type needs, cannot be judged."""
    error = refused("{security: [{s: []}]}", rest=f"components: {{securitySchemes: {{s: {scheme}}}}}")
    assert error.pointer == "/components/securitySchemes/s"


@pytest.mark.parametrize("text", ["paths: []", "paths: {/x: text}", "paths: {/x: {get: text}}", "webhooks: text"])
def test_operations_that_cannot_be_listed_are_refused_at_once(text: str) -> None:
    """Without the list of operations there is no API."""
    with pytest.raises(ReadError):
        read(text, "3.1.0")


def test_empty_values_count_as_absent() -> None:
    """What a YAML author leaves empty is read as if it were not there."""
    empty = "{parameters: , requestBody: , responses: {200: }, security: , servers: , callbacks: , tags: }"
    parts = operation(empty, rest="components:\nservers:\nsecurity:").parts
    assert (parts.parameters, parts.body, list(parts.responses), parts.security) == ((), None, ["200"], None)
    assert read("paths:").operations == {}


# --- real documents -----------------------------------------------------------------------------------------------


def _touch(operation: Operation) -> int:
    return 1 + sum(_touch(callback) for callback in operation.parts.callbacks)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared cases are not beside this checkout")
def test_all_shared_documents_are_read() -> None:
    """Every specification among the cases and pairs is read to the last operation."""
    operations = 0
    for folder in ("cases", "pairs"):
        documents = Documents(DirectoryTree(SHARED / folder))
        for path in documents.tree.files():
            name = Path(path).name
            if path.endswith((".yaml", ".json")) and (name.startswith(("base.", "head.")) or "/specs/" in path):
                operations += sum(map(_touch, read_api(documents, path, "svc").operations.values()))
    assert operations > 1_000
