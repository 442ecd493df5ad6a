"""One OpenAPI document of any dialect to one ``Api``: operations by name at once, their parts when asked for.

Dialects differ in data (``dialects.py``) and, for 2.0, in where things are written (``swagger.py``). What an operation
inherits from its path and its document is merged here, so that readers of an ``Operation`` look nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from guardian.lazy import cached_property
from guardian.spec import messages, swagger
from guardian.spec.api import Api, Kind, Node, Operation, OperationParts, Parameter, Server
from guardian.spec.dialects import DIALECTS
from guardian.spec.parameters import declared, read_parameter
from guardian.spec.reading import elements, malformed, map_at, members, object_at, shown
from guardian.spec.refs import Documents
from guardian.spec.security import Security
from guardian.spec.servers import UNSAID, read_servers


def read_api(documents: Documents, path: str, service: str) -> Api:
    """Read the API whose entry document is at ``path`` in the tree.

    Args:
        documents: the side it is on.
        path: POSIX path of the entry document.
        service: what the API is called in reports.

    Raises:
        ReadError: the document cannot be read, or is malformed where operations are listed. What is malformed inside
            an operation is raised when its ``parts`` are read.
    """
    return _Reader(documents, path).api(service)


#: What path items say, and the names of their operations.
_Known: TypeAlias = dict[tuple[Kind, str], tuple[Any, tuple[str, ...]]]


class Rereader:
    """Reads an API again from documents that were patched.

    A path item that is the same object as before has the same operations: they are read when somebody asks for them.

    Args:
        before: the API before any patch.
    """

    def __init__(self, before: Api) -> None:
        self._before = before
        self._known: _Known = {}
        root = before.document.root
        if sum(key in root for key in DIALECTS[before.dialect].webhooks) > 1:
            return  # one name may stand for two webhooks, and the one that counts may go
        for (kind, path), operations in groupby(before.operations.values(), lambda each: (each.kind, each.path)):
            each_once = tuple(operations)
            value = each_once[0].path_node.value
            if "$ref" not in value and all(map(_stands_there, each_once)):
                self._known[kind, path] = value, tuple(each.name for each in each_once)

    def read(self, documents: Documents) -> Api:
        """The API on the patched side.

        Raises:
            ReadError: as `read_api`.
        """
        reader = _Reader(documents, self._before.document.address)
        return reader.api(self._before.service, self._known if reader.dialect == self._before.dialect else {})


def read_anew(api: Api) -> Collection[str]:
    """The names of the operations that were read at once: all of them unless the API was read by a `Rereader`."""
    return api.operations.read if isinstance(api.operations, _Operations) else api.operations


def _stands_there(operation: Operation) -> bool:
    """Whether an operation stands in its path item, rather than where a reference leads."""
    item, node = operation.path_node, operation.node
    return node.document is item.document and node.pointer.startswith(f"{item.pointer}/")


class _PathItem(NamedTuple):
    """A path item or a reference to one: what it stands for, its key, and what holds it there."""

    kind: Kind
    path: str
    holder: Node


class _Operations(Mapping[str, Operation]):
    """Operations by name, some of which are read when they are asked for.

    Attributes:
        read: the names of the others.
    """

    def __init__(
        self, found: dict[str, Operation | _PathItem], read: Callable[[_PathItem], Iterator[Operation]]
    ) -> None:
        self._found = found
        self._read = read
        self.read = frozenset(name for name, each in found.items() if isinstance(each, Operation))

    def __getitem__(self, name: str) -> Operation:
        found = self._found[name]
        if isinstance(found, Operation):
            return found
        operations = {each.name: each for each in self._read(found)}
        self._found.update(operations)
        return operations[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class _Reader:
    def __init__(self, documents: Documents, path: str) -> None:
        self._documents = documents
        self._root = documents.open(path).node()
        self._dialect = DIALECTS[self._root.document.dialect]
        self._security = Security(self._root, self._dialect)
        self._parameters: dict[tuple[str, str], Parameter | None] = {}
        self._responses = messages.Responses()

    @property
    def dialect(self) -> str:
        return self._dialect.version

    def api(self, service: str, known: _Known | None = None) -> Api:
        operations: Mapping[str, Operation]
        if known is None:
            operations = {each.name: each for item in self._path_items() for each in self._operations_of(item)}
        else:
            operations = self._left_unread(known)
        return Api(
            service=service,
            file=self._root.document.file,
            title=self._info("title"),
            version=self._info("version"),
            dialect=self._dialect.version,
            operations=operations,
            servers=self._servers(),
            document=self._root.document,
        )

    def _info(self, key: str) -> str:
        info = self._root.value.get("info")
        value = info.get(key) if isinstance(info, dict) else None
        return "" if value is None else str(value)

    def _servers(self, *levels: Node) -> tuple[Server, ...]:
        """The most specific list of servers; the document's is the last level, and always there."""
        if not self._dialect.request_body:
            return (swagger.server(self._root, levels[0] if levels else None),)
        return read_servers(*levels) or self._common_servers

    @cached_property
    def _common_servers(self) -> tuple[Server, ...]:
        return read_servers(self._root) or (UNSAID,)

    # --- path items ---------------------------------------------------------------------------------------------

    def _path_items(self) -> Iterator[_PathItem]:
        kinds: list[tuple[Kind, str]] = [("path", "paths"), *(("webhook", key) for key in self._dialect.webhooks)]
        for kind, key in kinds:
            holder = map_at(self._root, key)
            if holder is None:
                continue
            for path, value in holder.value.items():
                if not path.startswith("x-") or (kind == "webhook" and isinstance(value, dict)):
                    yield _PathItem(kind, path, holder)

    def _operations_of(self, item: _PathItem) -> Iterator[Operation]:
        name = "webhook {method} {path}" if item.kind == "webhook" else "{method} {path}"
        return self._operations(item.kind, item.path, item.holder.child(item.path), name)

    def _left_unread(self, known: _Known) -> _Operations:
        """Operations that are not read yet where they are known."""
        found: dict[str, Operation | _PathItem] = {}
        for item in self._path_items():
            value, names = known.get((item.kind, item.path), (None, ()))
            if names and item.holder.value[item.path] is value:
                found.update(dict.fromkeys(names, item))
            else:
                found.update((each.name, each) for each in self._operations_of(item))
        return _Operations(found, self._operations_of)

    # --- operations ---------------------------------------------------------------------------------------------

    def _operations(
        self, kind: Kind, path: str, entry: Node, name: str, above: frozenset[tuple[str, str]] = frozenset()
    ) -> Iterator[Operation]:
        """The operations of a path item, and of the path items that it refers to as far as its own do not count.

        Args:
            kind: what the path item stands for.
            path: its key.
            entry: the path item or a reference to one.
            name: how to name an operation, with places for ``method`` and ``path``.
            above: the operations that this one is a callback of, directly or not.
        """
        if entry.value is None:
            return
        layers = self._documents.layers(entry)
        found: dict[str, Node] = {}
        for layer in layers:
            if not isinstance(layer.value, dict):
                raise malformed(layer, f"a path item must be an object, not {shown(layer.value)}")
            dialect = DIALECTS[layer.document.dialect]
            for key in layer.value:
                if (method := key.lower()) in dialect.methods:
                    found.setdefault(method.upper(), layer.child(key))
            if dialect.additional_operations:
                for method, node in members(layer, dialect.additional_operations).items():
                    found.setdefault(method, node)
        for method, node in found.items():
            operation = object_at(node, f"operation {method}")
            if operation.key not in above:  # a callback that leads back to what it is a callback of says no more
                yield Operation(
                    name=name.format(method=method, path=path),
                    method=method,
                    path=path,
                    kind=kind,
                    node=operation,
                    path_node=entry,
                    load=partial(self._parts, layers, above),
                )

    def _parts(
        self, layers: tuple[Node, ...], above: frozenset[tuple[str, str]], operation: Operation
    ) -> OperationParts:
        node = operation.node
        shared = _first_with("parameters", layers)
        parameters = declared(elements(shared, "parameters"), elements(node, "parameters"))
        if DIALECTS[node.document.dialect].request_body:
            produces: tuple[str, ...] = ()
            body = messages.read_body(node)
        else:
            produces = swagger.media_types("produces", node, self._root)
            consumes = swagger.media_types("consumes", node, self._root)
            holder = node if node.value.get("parameters") else shared
            place = holder.child("parameters") if parameters else holder
            body = swagger.read_body(parameters, consumes, place)
        # The document's servers and security speak of the requests that it receives, not of those that it sends.
        if operation.inverted:
            servers = read_servers(node, *layers) if self._dialect.request_body else ()
            security = self._security.read(node)
        else:
            servers = self._servers(node, *layers)
            security = self._security.read(node, self._root)
        return OperationParts(
            parameters=tuple(filter(None, map(self._parameter, parameters))),
            body=body,
            responses=self._responses.read(node, produces),
            security=security,
            servers=servers,
            callbacks=tuple(self._callbacks(operation, above | {node.key})),
        )

    def _parameter(self, node: Node) -> Parameter | None:
        """As ``read_parameter``, once for all operations that refer to the same one."""
        known = self._parameters.get(node.key)
        # A reference may say more than what it leads to: then it is another node at the same place.
        if known is None or known.node is not node:
            known = read_parameter(node)
            self._parameters.setdefault(node.key, known)
        return known

    def _callbacks(self, operation: Operation, above: frozenset[tuple[str, str]]) -> Iterator[Operation]:
        for name, entry in members(operation.node, "callbacks").items():
            callback = object_at(entry, f"callback {name!r}")
            for expression in callback.value:
                if not expression.startswith("x-"):
                    title = f"callback {{method}} {_literal(name)} of {_literal(operation.name)}"
                    yield from self._operations("callback", expression, callback.child(expression), title, above)


def _first_with(key: str, layers: tuple[Node, ...]) -> Node:
    return next((layer for layer in layers if key in layer.value), layers[0])


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
