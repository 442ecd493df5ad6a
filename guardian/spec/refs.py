"""References: one side's documents, loaded once each, and the places that ``$ref``s in them lead to.

A reference is resolved one step at a time and on its own side: RFC 3986 for files and URLs, RFC 6901 for pointers,
JSON Schema 2020-12 for ``$id``, ``$anchor`` and ``$dynamicAnchor``. What leads out of the tree is refused; what leads
to the network is refused unless its host was allowed. Where real documents part from the letter of the standard and
mean something clear (a pointer that runs through another ``$ref``, a relative file beside an unfetchable ``$id``),
the meaning is followed.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from guardian.errors import RefError
from guardian.lazy import cached_property
from guardian.spec import dialects, text
from guardian.spec.api import Node
from guardian.spec.document import Document, near
from guardian.spec.pointers import escape, step_into, unescape
from guardian.spec.references import COMPONENT_NAME
from guardian.spec.scopes import has_scheme, join

if TYPE_CHECKING:
    from guardian.spec.pieces import Text
    from guardian.spec.subtypes import Family
    from guardian.spec.trees import Tree


class Documents:
    """One side's documents: opens each file once and resolves references between them.

    Args:
        tree: where the files are.
        allow_hosts: hosts (``example.com`` or ``example.com:8080``) that references may be fetched from.
        load: bytes and shown name to plain data, in place of the usual reader.
        beside: the other side's documents: what a file shares with its counterpart there is not read again.

    Attributes:
        api: the document of the API that is being looked at; ``None`` for each document by itself.
    """

    def __init__(
        self,
        tree: Tree,
        *,
        allow_hosts: Collection[str] = (),
        load: Callable[[bytes, str], Any] | None = None,
        beside: Documents | None = None,
    ) -> None:
        self.tree = tree
        self.allow_hosts = frozenset(host.lower() for host in allow_hosts)
        self._load = load
        self._beside = beside
        self._texts: dict[str, Text] = {}  # address -> its pieces, if it was read so
        self._sources: dict[str, tuple[bytes, str, Any]] = {}  # address -> data, shown name, root
        self._opened: dict[tuple[str, str | None], Document] = {}  # (address, asked or own dialect)
        self._uris: set[str] = set()
        self._embedded: dict[str, tuple[Document, str]] = {}  # absolute $id -> its document and pointer
        self._families: dict[str, dict[str, dict[str, Family]]] = {}  # by the API's document
        self.api: Document | None = None

    @contextmanager
    def about(self, api: Document) -> Iterator[None]:
        """For a while look at one API: only its own files can extend what it refers to, whoever else uses the same ones."""
        before, self.api = self.api, api
        try:
            yield
        finally:
            self.api = before

    def families(self, api: Document) -> dict[str, dict[str, Family]]:
        """What extends the schemas of an API's files, by file and pointer."""
        found = self._families.get(api.uri)
        if found is None:
            from guardian.spec.subtypes import find_families

            found = self._families[api.uri] = find_families(api)
        return found

    def open(self, path: str, dialect: str | None = None) -> Document:
        """The document at a POSIX path in the tree (or an allowed URL).

        Args:
            path: where it is.
            dialect: what a fragment without a version of its own is written in; None: it must be OpenAPI.

        Raises:
            ReadError: it does not exist, cannot be parsed, or is not an OpenAPI document that guardian reads.
        """
        known = self._opened.get((path, dialect))
        if known is not None:
            return known
        data, file, root = self._source(path)
        if dialect is None or dialects.is_openapi(root):
            version = dialects.dialect_of(root, file).version
        else:
            version = dialect
        document = self._opened.get((path, version))
        if document is None:
            # One fragment may serve documents of two dialects; each reading of it is a document of its own.
            uri = f"{path} as {version}" if path in self._uris else path
            document = Document(
                self,
                uri=uri,
                address=path,
                file=file,
                root=root,
                dialect=version,
                data=data,
                written=self._texts.get(path),
            )
            self._uris.add(uri)
            self._opened[path, version] = document
            if document.scoped:
                for address, pointer in document.scopes.resources.items():
                    self._embedded.setdefault(address, (document, pointer))
        self._opened[path, dialect] = document
        return document

    def source(self, file: str) -> bytes | None:
        """The bytes of a document that was opened, by the name that reports give it."""
        return next((data for data, shown, _ in self._sources.values() if shown == file), None)

    def text(self, file: str) -> Text | None:
        """Where things are in a document that was opened, by the name that reports give it; ``None`` where that is not
        known.
        """
        return next((self._texts.get(address) for address, each in self._sources.items() if each[1] == file), None)

    def resolve(self, ref: str, at: Node) -> Node:
        """The node that ``ref``, standing in the object ``at``, leads to; one step, chains are not followed.

        Raises:
            RefError: it leads nowhere, out of the tree, or to the network; ``file`` and ``pointer`` are those of ``at``.
            ReadError: the file it leads to cannot be parsed.
        """
        document = at.document
        base = document.base(at.pointer)
        node = document.targets.get((base, ref))
        if node is None:
            node = document.targets[base, ref] = self._resolve(ref, at, base, set())
        return node

    def follow(self, node: Node) -> Node:
        """The object behind a chain of ``$ref``s (parameters, responses, headers, ...); schemas have ``shape``.

        OpenAPI 3.1 lets ``summary`` and ``description`` beside a ``$ref`` override the target's; other siblings
        are ignored, as are all in 2.0 and 3.0. Path items keep their siblings: see ``layers``.

        Raises:
            RefError: the chain leads nowhere or in a circle.
        """
        value = node.value
        if not isinstance(value, dict) or "$ref" not in value:
            return node
        if len(value) == 1 and isinstance(value["$ref"], str):
            target = self.resolve(value["$ref"], node)
            if not isinstance(target.value, dict) or "$ref" not in target.value:
                return target  # as most do: there is no chain, and nothing beside the reference
        chain = self.layers(node)
        last = chain[-1]
        if len(chain) == 1 or not isinstance(last.value, dict):
            return last
        overrides: dict[str, Any] = {}
        for layer in reversed(chain[:-1]):
            for sibling in dialects.DIALECTS[layer.document.dialect].reference_siblings & layer.value.keys():
                overrides[sibling] = layer.value[sibling]
        return Node(last.document, last.pointer, {**last.value, **overrides}) if overrides else last

    def layers(self, node: Node) -> tuple[Node, ...]:
        """``node`` and what its chain of ``$ref``s passes: each key of a Path Item counts where it stands first.

        Raises:
            RefError: the chain leads nowhere or in a circle.
        """
        chain = [node]
        while isinstance(value := chain[-1].value, dict) and isinstance(ref := value.get("$ref"), str):
            target = self.resolve(ref, chain[-1])
            if target in chain:
                names = " -> ".join(f"#{link.pointer}" for link in (*chain[chain.index(target) :], target))
                raise _ref_error(f"the `$ref`s {names} only lead to each other", node)
            chain.append(target)
        return tuple(chain)

    def file_of(self, node: Node) -> Node:
        """What stands in another file where a place is nothing but the reference to it, as components often are; else the place.

        Raises:
            RefError: the reference leads nowhere or in a circle.
        """
        while isinstance(node.value, dict) and len(node.value) == 1 and isinstance(node.value.get("$ref"), str):
            target = self.layers(node)[1]
            if target.document is node.document:
                break
            node = target
        return node

    def mapping_target(self, value: str, at: Node) -> Node:
        """The schema that a value of ``discriminator.mapping`` names: a component's name, else a reference.

        Raises:
            RefError: neither exists.
        """
        if COMPONENT_NAME.fullmatch(value):
            try:
                return self.resolve(f"#/components/schemas/{value}", at)
            except RefError:
                pass
        return self.resolve(value, at)

    # --- private ------------------------------------------------------------------------------------------------

    def _source(self, address: str) -> tuple[bytes, str, Any]:
        source = self._sources.get(address)
        if source is None:
            if self._is_remote(address):
                from guardian.spec import remote

                data, file = remote.fetch(address, self.allow_hosts), address
            else:
                data, file = self.tree.read(address), self.tree.display(address)
            source = self._sources[address] = (data, file, self._root(address, data, file))
        return source

    def _is_remote(self, address: str) -> bool:
        """Whether an address is no path of the tree, where a folder may be called ``v1:beta``."""
        return has_scheme(address) and ("://" in address or not self.tree.exists(address))

    def _root(self, address: str, data: bytes, file: str) -> Any:
        if self._load is not None:
            return self._load(data, file)
        root, written = text.read(data, file, self._beside._counterpart(address) if self._beside else None)
        if written is not None:
            self._texts[address] = written
        return root

    def _counterpart(self, address: str) -> Text | None:
        """The file of the same address, else the one that was read last: of two services, or of two sides of one."""
        return self._texts.get(address) or next(reversed(self._texts.values()), None)

    def _resolve(self, ref: str, at: Node, base: str, passed: set[tuple[str, str]]) -> Node:
        uri, _, fragment = ref.partition("#")
        document, start = self._resource(uri, at, base)
        if not fragment or fragment.startswith("/"):
            return self._walk(document, start, fragment, ref, at, passed)
        name = unquote(fragment)
        pointer = document.scopes.anchor(document.scopes.base(start), name)
        if pointer is None:
            raise _ref_error(
                f"`$ref: {ref}` leads nowhere: {document.file} has no anchor {name!r}",
                at,
                hint=f"a pointer starts with a slash: `{uri}#/{fragment}`" if "/" in fragment else None,
            )
        return document.node(pointer)

    def _resource(self, uri: str, at: Node, base: str) -> tuple[Document, str]:
        """The document, and the pointer in it, that the part of a reference before ``#`` names."""
        document = at.document
        if not uri:
            return document, document.scopes.resources.get(base, "") if document.scoped else ""
        target = join(base, uri)
        if target in self._embedded:
            return self._embedded[target]
        if base != document.address and not has_scheme(uri):
            # By the letter the base is an $id, which usually cannot be fetched; the file beside is what is meant.
            beside = join(document.address, uri)
            if is_inside(beside) and self.tree.exists(beside):
                target = beside
        if target == document.address:
            return document, ""
        self._check(target, uri, at)
        return self.open(target, document.dialect), ""

    def _check(self, target: str, uri: str, at: Node) -> None:
        """Refuse what leads out of the tree, to a host that is not allowed, or to no file."""
        if self._is_remote(target):
            from guardian.spec import remote  # the network, and its imports, only where a document asks for it

            host = remote.host_of(target)
            if host is None:
                raise _ref_error(f"`$ref: {uri}` is neither a file of {self.tree.label} nor an http(s) address", at)
            if not remote.is_allowed(target, self.allow_hosts):
                raise _ref_error(
                    f"`$ref: {uri}` leads to the network, which is not allowed",
                    at,
                    hint=f"allow it with --allow-remote-refs {host}, or keep a copy of the file in the tree",
                )
        elif not has_scheme(target) and not is_inside(target):
            raise _ref_error(
                f"`$ref: {uri}` leads out of {self.tree.label}",
                at,
                hint="compare a directory or revision that holds every file that is referred to",
            )
        elif not self.tree.exists(target):
            raise _ref_error(
                f"`$ref: {uri}` leads nowhere: there is no {self.tree.display(target)}", at, hint=self._close(target)
            )

    @cached_property
    def _files(self) -> list[str]:
        return self.tree.files()

    def _close(self, path: str) -> str | None:
        """Files that may have been meant: of the same name elsewhere, or of a close name in the same directory."""
        directory, _, name = path.rpartition("/")
        files = [tuple(file.rpartition("/")[::2]) for file in self._files]
        elsewhere = [f"{folder}/{file}".lstrip("/") for folder, file in files if file == name]
        beside = difflib.get_close_matches(
            name, [file for folder, file in files if folder == directory], n=3, cutoff=0.75
        )
        near = [f"{directory}/{file}".lstrip("/") for file in beside] or sorted(elsewhere)[:3]
        return f"close names: {', '.join(near)}" if near else None

    def _walk(
        self, document: Document, start: str, fragment: str, ref: str, at: Node, passed: set[tuple[str, str]]
    ) -> Node:
        """The node that a fragment's pointer leads to from ``start``, through other ``$ref``s where it must."""
        if not start and "%" not in fragment and "~" not in fragment:  # nearly all, and most of these lead straight
            value = document.root
            try:
                for step in fragment.split("/")[1:]:
                    value = step_into(value, step)
                return Node(document, fragment, value)
            except LookupError:
                pass  # through another reference, or nowhere
        node = Node(document, start, document.node(start).value if start else document.root)
        for raw in fragment.split("/")[1:]:
            step = unescape(unquote(raw))
            while True:
                try:
                    node = Node(node.document, f"{node.pointer}/{escape(step)}", step_into(node.value, step))
                    break
                except LookupError:
                    inner = node.value.get("$ref") if isinstance(node.value, dict) else None
                    if isinstance(inner, str):
                        if node.key in passed:
                            raise _ref_error(f"`$ref: {ref}` runs in a circle at #{node.pointer}", at) from None
                        passed.add(node.key)
                        node = self._resolve(inner, node, node.document.base(node.pointer), passed)
                    elif step != unescape(raw):  # a key with a percent sign that was not encoded
                        step = unescape(raw)
                    elif start:  # meant from the document's root, though an $id above makes a root of its own
                        return self._walk(document, "", fragment, ref, at, passed)
                    else:
                        place = f"#{node.pointer}" if node.pointer else "the document"
                        where = "" if node.document is at.document else f" in {node.document.file}"
                        raise _ref_error(
                            f"`$ref: {ref}` leads nowhere: {place}{where} has no {step!r}",
                            at,
                            hint=near(node.value, step),
                        ) from None
        return node


def is_inside(path: str) -> bool:
    """Whether a normalised path stays in its tree."""
    return not has_scheme(path) and not path.startswith(("/", "../")) and path not in {"..", "."}


def _ref_error(message: str, at: Node, hint: str | None = None) -> RefError:
    pointer = f"{at.pointer}/$ref" if isinstance(at.value, dict) and "$ref" in at.value else at.pointer
    error = RefError(f"{message} (at #{pointer})", file=at.document.file, hint=hint)
    error.pointer = pointer
    return error
