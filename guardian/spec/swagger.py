"""What OpenAPI 2.0 says elsewhere than 3.x does, given in the form of 3.x: bodies, form fields, media types,
the base URL and OAuth flows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from guardian.spec.api import Body, MediaType, Node, Schema, Server
from guardian.spec.dialects import DIALECTS
from guardian.spec.media import JSON, parse_media_type
from guardian.spec.parameters import style_of
from guardian.spec.reading import elements, schema_at

_URLENCODED = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"
_FLOWS = {"accessCode": "authorizationCode", "application": "clientCredentials"}


def media_types(key: str, operation: Node, root: Node) -> tuple[str, ...]:
    """``consumes`` or ``produces``: the operation's list replaces the document's."""
    holder = operation if operation.value.get(key) is not None else root
    value = holder.value.get(key)
    if isinstance(value, str):  # one type without the list around it
        return (value,)
    return tuple(node.value for node in elements(holder, key) if isinstance(node.value, str))


def read_body(parameters: Iterable[Node], consumes: tuple[str, ...], place: Node) -> Body | None:
    """The request body that ``in: body`` or ``in: formData`` parameters make.

    Args:
        parameters: the operation's parameter objects, merged and followed.
        consumes: the media types that apply.
        place: the list of parameters: what a form as a whole is named by.
    """
    fields = []
    for node in parameters:
        if node.value["in"] == "body":
            content = _content(consumes or (JSON,), schema_at(node, "schema"), node)
            return Body(required=node.value.get("required") is True, content=content, node=node)
        if node.value["in"] == "formData":
            fields.append(node)
    return _form(fields, consumes, place) if fields else None


def response_content(node: Node, produces: tuple[str, ...]) -> tuple[MediaType, ...]:
    """The media types of a 2.0 response: what the operation produces, where the response has a schema at all."""
    schema = schema_at(node, "schema")
    if schema is None:
        return ()
    holder = node.child("schema")
    if isinstance(holder.value, dict) and holder.value.get("type") == "file":
        return _content(produces or ("application/octet-stream",), Schema((_binary(holder),)), node)
    return _content(produces or (JSON,), schema, node)


def server(root: Node, operation: Node | None = None) -> Server:
    """``host``, ``basePath`` and ``schemes`` as a server; an operation may have ``schemes`` of its own."""
    value = root.value
    host = value["host"] if isinstance(value.get("host"), str) else ""
    path = value["basePath"] if isinstance(value.get("basePath"), str) else ""
    path = f"/{path.strip('/')}" if path.strip("/") else ""
    holder = operation if operation is not None and operation.value.get("schemes") is not None else root
    written = holder.value.get("schemes")
    schemes = frozenset(item.lower() for item in written if isinstance(item, str)) if isinstance(written, list) else ()
    prefix = f"{next(iter(schemes))}:" if len(schemes) == 1 and host else ""
    said = [key for key in ("basePath", "host", "schemes") if key in value]
    return Server(
        host=host.lower(),
        path=path,
        schemes=frozenset(schemes),
        url=f"{prefix}//{host}{path}" if host else path,
        variables={},
        node=root.child(said[0]) if said else None,
    )


def oauth_flows(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The one flow of a 2.0 OAuth scheme as the ``flows`` of 3.x."""
    flow = value.get("flow")
    name = _FLOWS.get(flow, flow) if isinstance(flow, str) else "implicit"
    return {name: {key: value[key] for key in ("authorizationUrl", "tokenUrl", "scopes") if key in value}}


# --- private ------------------------------------------------------------------------------------------------------


def _content(names: Iterable[str], schema: Schema | None, node: Node) -> tuple[MediaType, ...]:
    content = {}
    for text in names:
        name, parameters = parse_media_type(text)
        content[name, tuple(sorted(parameters.items()))] = MediaType(name, parameters, schema, node)
    return tuple(content.values())


def _form(fields: list[Node], consumes: tuple[str, ...], place: Node) -> Body:
    """Form fields as one object schema, whose properties are the parameters where they stand."""
    properties: dict[str, Node] = {}
    encoding: dict[str, Node] = {}
    for node in fields:
        name = str(node.value["name"])
        is_file = node.value.get("type") == "file"
        properties[name] = _binary(node) if is_file else node
        written: dict[str, Any] = {}
        if node.value.get("type") == "array":
            style, explode = style_of(node, "query", DIALECTS[node.document.dialect])
            written |= {"style": style, "explode": explode}
        if node.value.get("allowEmptyValue") is True:
            written["allowEmptyValue"] = True
        if written:
            encoding[name] = Node(node.document, node.pointer, written)
    required = {name: node.child("required") for name, node in properties.items() if node.value.get("required") is True}
    schema = Schema((_form_schema(place, properties, required),))
    default = _MULTIPART if any(node.value.get("type") == "file" for node in fields) else _URLENCODED
    names = [name for name in consumes if parse_media_type(name)[0] in {_URLENCODED, _MULTIPART}] or [default]
    content = tuple(
        MediaType(item.name, item.parameters, schema, place, encoding) for item in _content(names, schema, place)
    )
    return Body(required=bool(required), content=content, node=place)


class _Gathered(Node):
    """A node that is written nowhere: it is put together of others, which stand where they are written."""

    __slots__ = ("_members",)

    def __init__(self, place: Node, value: Any, members: Mapping[Any, Node]) -> None:
        super().__init__(place.document, place.pointer, value)
        self._members = members

    def child(self, *steps: str | int) -> Node:
        member = self._members.get(steps[0]) if steps else None
        if member is None:
            return super().child(*steps)
        return member.child(*steps[1:]) if len(steps) > 1 else member


def _form_schema(place: Node, properties: Mapping[str, Node], required: Mapping[str, Node]) -> Node:
    """The object whose properties are form fields; ``required`` is where each of these that must be sent says so."""
    members = {
        "properties": _Gathered(place, {name: node.value for name, node in properties.items()}, properties),
        "required": _Gathered(place, list(required), dict(enumerate(required.values()))),
    }
    return _Gathered(place, {"type": "object"} | {key: node.value for key, node in members.items()}, members)


def _binary(node: Node) -> Node:
    """A node of ``type: file`` as 3.x writes it."""
    return Node(node.document, node.pointer, {**node.value, "type": "string", "format": "binary"})
