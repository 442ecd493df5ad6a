"""One API, normalised: what an operation accepts and answers, whatever dialect it was written in.

Everything is lazy. An ``Api`` knows its operations by name at once and reads their parts when they are asked for;
a ``Schema`` is no more than the list of nodes that a value must satisfy together. Nothing is ever inlined.

Values that there are many of, or that are never copied with a change, are named tuples: a frozen dataclass takes ten
times as long to define, at every start, and twice as long to make.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from guardian.lazy import cached_property
from guardian.model import Location
from guardian.spec.pointers import steps_of, unescape

if TYPE_CHECKING:
    from guardian.spec.document import Document

_ENDING = re.compile(r"\.(?:ya?ml|json)\Z", re.IGNORECASE)


class Node:
    """A place in a document together with the plain value that stands there."""

    __slots__ = ("document", "key", "pointer", "value")

    def __init__(self, document: Document, pointer: str, value: Any) -> None:
        self.document = document
        self.pointer = pointer
        self.value = value
        #: Identity within one side: (document's path in its tree, JSON pointer).
        self.key: tuple[str, str] = (document.uri, pointer)

    @property
    def location(self) -> Location:
        return Location(self.document.file, self.pointer)

    @property
    def name(self) -> str:
        """What goes by the key here or, where it is all of a file, by the name of that file.

        The value of a discriminator names what it selects like this, and so does a bundler that makes components of files.
        """
        if self.pointer:
            return unescape(self.pointer.rpartition("/")[2])
        return _ENDING.sub("", self.document.address.rpartition("/")[2])

    def child(self, *steps: str | int) -> Node:
        """The node below, by keys and indices that exist.

        Raises:
            KeyError, IndexError: there is no such child.
        """
        value, pointer = self.value, self.pointer
        for step in steps:
            value = value[step]
            text = str(step)
            if "~" in text or "/" in text:
                text = text.replace("~", "~0").replace("/", "~1")
            pointer = f"{pointer}/{text}"
        return Node(self.document, pointer, value)

    def find(self, pointer: str) -> Node | None:
        """The node below at a JSON pointer through objects (RFC 6901); None where there is none."""
        node = self
        for step in steps_of(pointer):
            if not isinstance(node.value, dict) or step not in node.value:
                return None
            node = node.child(step)
        return node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"Node({self.document.uri}#{self.pointer})"


class Schema:
    """A conjunction: a value is valid if it satisfies every node. No node at all accepts everything.

    A node's value is a schema object or a boolean. References, ``allOf`` and dialects are resolved by
    ``guardian.spec.shaper``; two schemas with the same nodes are the same schema.
    """

    __slots__ = ("key", "nodes")

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        self.nodes = nodes
        self.key = tuple([node.key for node in nodes])

    @property
    def node(self) -> Node | None:
        """The node to name in a report: the first one."""
        return self.nodes[0] if self.nodes else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"Schema{self.nodes!r}"


class MediaType(NamedTuple):
    """``type/subtype`` (lower case, maybe with ``*``) and its parameters, RFC 9110 section 8.3.1."""

    name: str  # "application/json", without parameters
    parameters: Mapping[str, str]  # {"charset": "utf-8"}
    schema: Schema | None
    node: Node
    encoding: Mapping[str, Node] = MappingProxyType({})  # property -> Encoding Object
    item_schema: Schema | None = None  # OpenAPI 3.2, sequential media types


class Parameter(NamedTuple):
    """A request parameter or a header, with every default of its dialect filled in.

    ``location`` is ``query``, ``path``, ``header``, ``cookie`` or ``querystring`` (3.2); form fields of OpenAPI 2.0
    are part of the body. Header names are compared without case. Swagger's ``collectionFormat`` is given as style
    and explode; ``ssv``/``tsv``/``pipes`` as ``spaceDelimited``/``tabDelimited``/``pipeDelimited``.
    """

    name: str
    location: str
    required: bool
    style: str
    explode: bool
    allow_reserved: bool
    allow_empty: bool
    schema: Schema | None
    content: tuple[MediaType, ...]  # at most one, instead of schema
    deprecated: bool
    node: Node

    @property
    def field(self) -> str:
        """As manifests write it: ``query:page``."""
        return f"{self.location}:{self.name}"


class Body(NamedTuple):
    """A request body; OpenAPI 2.0 body and formData parameters are given in this form too."""

    required: bool
    content: tuple[MediaType, ...]
    node: Node


class Response(NamedTuple):
    """``status`` is ``200``, a range in upper case (``2XX``) or ``default``. Headers are keyed in lower case."""

    status: str
    headers: Mapping[str, Parameter]
    content: tuple[MediaType, ...]
    links: Mapping[str, Node]
    node: Node


class SecurityScheme(NamedTuple):
    """A scheme by what it is on the wire. ``identity`` equal means: a client need not change anything.

    ``kind`` is ``apiKey``, ``http``, ``oauth2``, ``openIdConnect``, ``mutualTLS``; an http scheme's name is lower case.
    """

    component: str  # its name in the document: not on the wire
    kind: str
    identity: tuple[str, ...]  # ("apiKey", "header", "x-key"), ("http", "bearer"), ("oauth2",), ...
    detail: Mapping[str, Any]  # flows, urls, bearerFormat: compared for notes
    node: Node
    alike: frozenset[str] = frozenset()  # the names of all schemes of its document with this identity

    @property
    def field(self) -> str | None:
        """The request field that carries it, as manifests write it: ``header:X-Key`` (original case), or None."""
        value = self.node.value
        if self.kind == "apiKey" and isinstance(value, dict):
            return f"{value.get('in')}:{value.get('name')}"
        if self.kind in {"http", "oauth2", "openIdConnect"}:
            return "header:Authorization"
        return None


class Requirement(NamedTuple):
    """Schemes that must all be satisfied together (AND), each with its scopes; no scheme at all: anonymous."""

    schemes: tuple[tuple[SecurityScheme, frozenset[str]], ...]
    node: Node


class Server(NamedTuple):
    """``url`` as written with variables kept; ``path`` is its path part, without a trailing slash.

    ``schemes`` is empty where the document does not say (OpenAPI 2.0 without ``schemes``, relative URLs).
    """

    host: str
    path: str
    schemes: frozenset[str]
    url: str
    variables: Mapping[str, Any]
    node: Node | None


class OperationParts(NamedTuple):
    """The lazily read inside of an operation."""

    parameters: tuple[Parameter, ...]  # path-level ones merged in, in document order
    body: Body | None
    responses: Mapping[str, Response]  # in document order
    security: tuple[Requirement, ...] | None  # alternatives (OR); None: nothing is said anywhere
    servers: tuple[Server, ...]  # the most specific list
    callbacks: tuple[Operation, ...]


Kind = Literal["path", "webhook", "callback"]


class Operation:
    """One operation. ``name`` is how manifests and reports write it: ``GET /users/{id}``,
    ``webhook POST order-paid``, ``callback POST done of POST /jobs``.

    ``inverted`` is true for webhooks and callbacks: there the producer of the API sends the request.
    """

    def __init__(
        self,
        *,
        name: str,
        method: str,
        path: str,
        kind: Kind,
        node: Node,
        path_node: Node,
        load: Callable[[Operation], OperationParts],
    ) -> None:
        self.name = name
        self.method = method  # upper case
        self.path = path  # as written: "/users/{id}", a webhook's name, a callback's expression
        self.kind = kind
        self.node = node
        self.path_node = path_node
        self._load = load

    @property
    def inverted(self) -> bool:
        return self.kind != "path"

    @cached_property
    def parts(self) -> OperationParts:
        return self._load(self)

    @property
    def _object(self) -> Mapping[str, Any]:
        return self.node.value if isinstance(self.node.value, dict) else {}

    @property
    def operation_id(self) -> str | None:
        value = self._object.get("operationId")
        return value if isinstance(value, str) else None

    @property
    def deprecated(self) -> bool:
        return self._object.get("deprecated") is True

    def __repr__(self) -> str:
        return f"Operation({self.name})"


class Api(NamedTuple):
    """One normalised API. ``operations`` holds paths and webhooks by name; callbacks hang on their operation."""

    service: str
    file: str
    title: str
    version: str
    dialect: str  # "2.0", "3.0", "3.1", "3.2"
    operations: Mapping[str, Operation]
    servers: tuple[Server, ...]
    document: Document


@contextmanager
def looking_at(*apis: Api | None) -> Iterator[None]:
    """For a while look at these APIs, each on its side; see ``Documents.about``."""
    with ExitStack() as stack:
        for api in apis:
            if api is not None:
                stack.enter_context(api.document.documents.about(api.document))
        yield
