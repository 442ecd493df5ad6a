"""Request bodies and responses of OpenAPI 3.x, and what all dialects share of them."""

from __future__ import annotations

import re

from guardian.spec.api import Body, MediaType, Node, Parameter, Response
from guardian.spec.dialects import DIALECTS
from guardian.spec.media import read_content
from guardian.spec.parameters import read_header
from guardian.spec.reading import malformed, members, object_at, shown
from guardian.spec.swagger import response_content

_STATUS = re.compile(r"[1-5](?:\d\d|XX)|default")


def read_body(operation: Node) -> Body | None:
    """The ``requestBody`` of an operation.

    Raises:
        ReadError: something in it is malformed.
    """
    if operation.value.get("requestBody") is None:
        return None
    node = object_at(operation.child("requestBody"), "a request body")
    return Body(required=node.value.get("required") is True, content=read_content(node), node=node)


def read_responses(operation: Node, produces: tuple[str, ...]) -> dict[str, Response]:
    """The responses of an operation by status, in document order.

    Args:
        operation: the Operation Object.
        produces: the media types of 2.0; of no meaning in 3.x.

    Raises:
        ReadError: something in them is malformed.
    """
    responses = {}
    for key, entry in members(operation, "responses", extensible=True).items():
        status = key.strip()
        status = status if status == "default" else status.upper()
        if not _STATUS.fullmatch(status):
            raise malformed(entry, f"{shown(key)} is not a status code, a range such as 4XX, or `default`")
        responses[status] = _response(status, object_at(entry, f"response {key}"), produces)
    return responses


def _response(status: str, node: Node, produces: tuple[str, ...]) -> Response:
    headers: dict[str, Parameter] = {}
    for name, entry in members(node, "headers").items():
        header = read_header(name, object_at(entry, f"header {name!r}"))
        if header is not None:
            headers[name.lower()] = header
    content: tuple[MediaType, ...]
    content = read_content(node) if DIALECTS[node.document.dialect].request_body else response_content(node, produces)
    links = {name: object_at(entry, f"link {name!r}") for name, entry in members(node, "links").items()}
    return Response(status=status, headers=headers, content=content, links=links, node=node)
