"""Comparing the services of a check, one after another or on several cores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from guardian.check.service import Service, by_name
from guardian.check.sides import Sides, path_of
from guardian.check.unreadable import explaining
from guardian.check.untouched import Untouched, names_scheme_files
from guardian.config import CheckRequest
from guardian.errors import RefError
from guardian.model import Change, Location, Note
from guardian.rules.compare import Comparison, Options, compare_fully
from guardian.spec.api import Api, looking_at
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.trees import GitTree

if TYPE_CHECKING:
    from guardian.graph.consumers.routes import Routes

# Comparing takes some two seconds for as many bytes of specifications; for less, starting other processes costs more
# than they bring. And what every service costs besides its size, in bytes.
WORTH_A_PROCESS = 4_000_000
_EACH = 20_000

# In which the parts of a document are looked up that say nothing of their dialect.
_ANY_DIALECT = "3.1"

Progress = Callable[[str], None]


class Apis:
    """Both sides' APIs, read when they are asked for and only then."""

    def __init__(self, services: Sequence[Service], sides: Sides, request: CheckRequest) -> None:
        self.sides = sides
        self._cwd = request.cwd
        self.base_documents = Documents(sides.base.tree, allow_hosts=request.allow_remote_refs)
        self.head_documents = Documents(
            sides.head.tree, allow_hosts=request.allow_remote_refs, beside=self.base_documents
        )
        self._services = by_name(services)
        self._routes: Routes | None = None
        self._read: dict[tuple[str, str], Api | None] = {}
        self._paths: dict[tuple[Documents, str], str | None] = {}

    def base(self, name: str) -> Api | None:
        """The service's API at base; ``None`` where base does not have it.

        Raises:
            ReadError: it cannot be read.
        """
        return self._get("base", name)

    def head(self, name: str) -> Api | None:
        """The service's API at head; ``None`` where head does not have it.

        Raises:
            ReadError: it cannot be read.
        """
        return self._get("head", name)

    def bases(self) -> Mapping[str, Api]:
        """All APIs of base by service, each read on first use."""
        return _Lazy([each.name for each in self._services.values() if each.base_path is not None], self.base)

    def heads(self) -> Mapping[str, Api]:
        """All APIs of head by service, each read on first use."""
        return _Lazy([each.name for each in self._services.values() if each.head_path is not None], self.head)

    def routes(self) -> Routes:
        """Finds the operations of both sides."""
        if self._routes is None:
            from guardian.graph.consumers.routes import Routes

            self._routes = Routes(self.bases(), self.heads())
        return self._routes

    def base_source(self, name: str) -> bytes | None:
        """The bytes of a file of base by the name that reports give it."""
        return self._source(self.base_documents, name)

    def head_source(self, name: str) -> bytes | None:
        """The bytes of a file of head by the name that reports give it."""
        return self._source(self.head_documents, name)

    def said(self, place: Location, pointer: str, *, head: bool) -> dict[str, Any]:
        """What the object at a pointer into a place's file says, and what it says by way of ``$ref``; maybe nothing."""
        documents = self.head_documents if head else self.base_documents
        path = self._path(documents, place.file)
        if path is None:  # fetched, not in the tree
            return {}
        try:
            layers = documents.layers(documents.open(path, _ANY_DIALECT).node(pointer))
        except RefError:  # put together from several places, or a reference that no message needs
            return {}
        found: dict[str, Any] = {}
        for layer in layers:
            found = {**layer.value, **found} if isinstance(layer.value, dict) else found
        return found

    def explaining(self) -> AbstractContextManager[None]:
        """Errors of what is read inside are told with their line and side."""
        return explaining(self.base_documents, self.head_documents, self._cwd)

    def _source(self, documents: Documents, name: str) -> bytes | None:
        known = documents.source(name)
        if known is not None:
            return known
        path = self._path(documents, name)  # not opened in this process
        return documents.tree.read(path) if path is not None else None

    def _path(self, documents: Documents, name: str) -> str | None:
        """The path of a file by the name that reports give it; most are asked about for many changes."""
        key = (documents, name)
        if key not in self._paths:
            self._paths[key] = path_of(documents.tree, name, self._cwd)
        return self._paths[key]

    def _get(self, side: str, name: str) -> Api | None:
        key = (side, name)
        if key not in self._read:
            service = self._services.get(name)
            path = (service.base_path if side == "base" else service.head_path) if service else None
            documents = self.base_documents if side == "base" else self.head_documents
            self._read[key] = read_api(documents, path, name) if path is not None else None
        return self._read[key]


class _Lazy(Mapping[str, Api]):
    """APIs by service that are read when somebody looks."""

    def __init__(self, names: list[str], read: Callable[[str], Api | None]) -> None:
        self._names = dict.fromkeys(sorted(names))
        self._read = read

    def __getitem__(self, name: str) -> Api:
        api = self._read(name) if name in self._names else None
        if api is None:
            raise KeyError(name)
        return api

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Compared(NamedTuple):
    """What comparing gave: the changes of all services, and the names of those that are not written the same."""

    changes: tuple[Change, ...]
    notes: tuple[Note, ...]
    services: frozenset[str]


def compare_all(
    services: Sequence[Service], apis: Apis, request: CheckRequest, progress: Progress, options: Options
) -> Compared:
    """Compare every service that may differ.

    Raises:
        ReadError: a specification of either side cannot be read.
    """
    untouched = Untouched(apis.sides)
    # One specification that was named is always read: there is nothing to save, and it may not be one.
    pending = list(services) if apis.sides.single else [each for each in services if not untouched(each)]
    if request.jobs > 1 and len(pending) > 1 and _weight(pending, apis.sides) >= WORTH_A_PROCESS:
        return _in_processes(pending, apis.sides, request, progress, options)
    found: dict[str, Comparison | None] = {}
    for number, service in enumerate(pending, 1):
        progress(f"comparing {service.name} ({number} of {len(pending)})")
        with apis.explaining():
            found[service.name] = compare_one(service, apis, options, request.jobs)
    return _together(found)


def _together(found: Mapping[str, Comparison | None]) -> Compared:
    """What comparing gave for each service, put together."""
    differing = {name: each for name, each in found.items() if each is not None}
    return Compared(
        tuple(change for each in differing.values() for change in each.changes),
        tuple(note for each in differing.values() for note in each.notes),
        frozenset(differing),
    )


def _weight(services: Sequence[Service], sides: Sides) -> int:
    """How much there is to compare, in bytes."""
    sizes = (len(sides.base.tree.read(service.base_path)) for service in services if service.base_path is not None)
    return sum(sizes) + _EACH * len(services)


def options_of(request: CheckRequest) -> Options:
    """What services are compared with."""
    return Options(severity=request.config.severity, stability=request.config.lifecycle.stability_extension)


def compare_one(service: Service, apis: Apis, options: Options, jobs: int = 1) -> Comparison | None:
    """One service on both sides; ``None`` if both are written the same, in every file.

    Raises:
        ReadError: its specification cannot be read, on either side.
    """
    base, head = apis.base(service.name), apis.head(service.name)
    same = Sameness(apis.base_documents, apis.head_documents).same
    with looking_at(base, head):
        try:
            if base is not None and head is not None and same(base.document.node(), head.document.node()):
                if not names_scheme_files(base.document.data):
                    return None
        except RefError:
            pass  # a reference that no message reaches may lead nowhere; one that is needed is met again below
        return compare_fully(base, head, same=same, options=options, jobs=jobs)


def _in_processes(
    pending: Sequence[Service], sides: Sides, request: CheckRequest, progress: Progress, options: Options
) -> Compared:
    import copyreg
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_all_start_methods, get_context

    # Not by fork: that is safe on few systems, and this is worth it on all of them.
    context = get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
    # Every process reads git's objects through a pipe of its own.
    copyreg.pickle(GitTree, lambda tree: (GitTree, (tree.repo, tree.commit, tree.prefix, tree.label)))
    size = max(1, len(pending) // (request.jobs * 4))
    portions = [tuple(pending[start : start + size]) for start in range(0, len(pending), size)]
    found: dict[str, Comparison | None] = {}
    with ProcessPoolExecutor(
        min(request.jobs, len(portions)), context, sys.setrecursionlimit, (sys.getrecursionlimit(),)
    ) as pool:
        running = [pool.submit(_portion, portion, sides, request, options) for portion in portions]
        try:
            # In their order, so that what is reported, an error too, does not depend on who is quickest.
            for portion, each in zip(portions, running, strict=True):
                found.update(zip((service.name for service in portion), each.result(), strict=True))
                progress(f"comparing services ({len(found)} of {len(pending)})")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return _together(found)


def _portion(
    services: tuple[Service, ...], sides: Sides, request: CheckRequest, options: Options
) -> list[Comparison | None]:
    """One process's part."""
    apis = Apis(services, sides, request)
    with apis.explaining():
        return [compare_one(service, apis, options) for service in services]
