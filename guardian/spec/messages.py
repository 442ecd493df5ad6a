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


class Responses:
    """Reads responses; those that several operations of a document refer to once."""

    def __init__(self) -> None:
        self._shared: dict[tuple[str, tuple[str, str], tuple[str, ...]], Response] = {}

    def read(self, operation: Node, produces: tuple[str, ...]) -> dict[str, Response]:
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
            node = object_at(entry, f"response {key}")
            if node is entry:
                responses[status] = _response(status, node, produces)
            else:
                responses[status] = self._referred_to(status, node, produces)
        return responses

    def _referred_to(self, status: str, node: Node, produces: tuple[str, ...]) -> Response:
        key = (status, node.key, produces)
        known = self._shared.get(key)
        # A reference may say more than what it leads to: then it is another node at the same place.
        if known is None or known.node is not node:
            known = _response(status, node, produces)
            self._shared.setdefault(key, known)
        return known


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
