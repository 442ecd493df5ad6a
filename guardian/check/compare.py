"""Comparing the services of a check, one after another or on several cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guardian.check.services import Service, Sides, untouched
from guardian.config import CheckRequest
from guardian.errors import RefError
from guardian.model import Change, Note
from guardian.rules.compare import Comparison, Options, compare_fully
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness

if TYPE_CHECKING:
    from guardian.graph.consumers.routes import Routes

# Below this many services another process costs more than it brings.
WORTH_A_PROCESS = 24

Progress = Callable[[str], None]


class Apis:
    """Both sides' APIs, read when they are asked for and only then."""

    def __init__(self, services: Sequence[Service], sides: Sides, request: CheckRequest) -> None:
        self.sides = sides
        self.base_documents = Documents(sides.base.tree, allow_hosts=request.allow_remote_refs)
        self.head_documents = Documents(sides.head.tree, allow_hosts=request.allow_remote_refs)
        self.same = Sameness(self.base_documents, self.head_documents).same
        self._services = {service.name: service for service in services}
        self._routes: Routes | None = None
        self._read: dict[tuple[str, str], Api | None] = {}

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
        return _source(self.base_documents, name)

    def head_source(self, name: str) -> bytes | None:
        """The bytes of a file of head by the name that reports give it."""
        return _source(self.head_documents, name)

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


def _source(documents: Documents, name: str) -> bytes | None:
    known = documents.source(name)
    if known is not None:
        return known
    tree = documents.tree  # not opened in this process: find the path that is shown by this name
    return next((tree.read(path) for path in tree.files() if tree.display(path) == name), None)


@dataclass(frozen=True, slots=True)
class Compared:
    """What comparing gave: the changes of all services, and which services were looked at."""

    changes: tuple[Change, ...]
    notes: tuple[Note, ...]


def compare_all(
    services: Sequence[Service], apis: Apis, request: CheckRequest, progress: Progress, options: Options
) -> Compared:
    """Compare every service that may differ.

    Raises:
        ReadError: a specification of either side cannot be read.
    """
    pending = [service for service in services if not untouched(service, apis.sides)]
    if request.jobs > 1 and len(pending) >= WORTH_A_PROCESS:
        return _in_processes(pending, request, progress, options)
    changes: list[Change] = []
    notes: list[Note] = []
    for number, service in enumerate(pending, 1):
        progress(f"comparing {service.name} ({number} of {len(pending)})")
        found = compare_one(service, apis, options)
        changes.extend(found.changes)
        notes.extend(found.notes)
    return Compared(tuple(changes), tuple(notes))


def compare_one(service: Service, apis: Apis, options: Options) -> Comparison:
    """One service on both sides.

    Raises:
        ReadError: its specification cannot be read, on either side.
    """
    base, head = apis.base(service.name), apis.head(service.name)
    try:
        if base is not None and head is not None and apis.same(base.document.node(), head.document.node()):
            return Comparison((), ())
    except RefError:
        pass  # a reference that no message reaches may lead nowhere; one that is needed is met again below
    return compare_fully(base, head, same=apis.same, options=options)


def _in_processes(pending: Sequence[Service], request: CheckRequest, progress: Progress, options: Options) -> Compared:
    from concurrent.futures import ProcessPoolExecutor

    changes: list[Change] = []
    notes: list[Note] = []
    size = max(1, len(pending) // (request.jobs * 4))
    portions = [tuple(pending[start : start + size]) for start in range(0, len(pending), size)]
    done = 0
    with ProcessPoolExecutor(max_workers=request.jobs) as pool:
        for portion, found in zip(
            portions, pool.map(_portion, portions, [request] * len(portions), [options] * len(portions)), strict=True
        ):
            done += len(portion)
            progress(f"comparing services ({done} of {len(pending)})")
            changes.extend(change for each in found for change in each.changes)
            notes.extend(note for each in found for note in each.notes)
    return Compared(tuple(changes), tuple(notes))


def _portion(services: tuple[Service, ...], request: CheckRequest, options: Options) -> list[Comparison]:
    """One process's part; opens the sides for itself, since trees do not travel."""
    from guardian.check.services import open_sides

    apis = Apis(services, open_sides(request), request)
    return [compare_one(service, apis, options) for service in services]
