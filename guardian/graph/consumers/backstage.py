"""Backstage catalogs: which component consumes which API, and who owns it.

A catalog knows no operations and no fields, so all it gives is that a service is used: enough to ask the right people,
never more than ``possible``. Real catalogs hold references of the wrong kind and URLs for files; those are told and left.

The format: Backstage, Descriptor Format of Catalog Entities (kinds Component and API).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guardian.graph.consumers.names import Names
from guardian.graph.uses import Consumer, Found, Use
from guardian.model import Location, Note

_DEFAULT = "default"

_Name = tuple[str, str]
"""Namespace and name, without case: what tells entities of one kind apart."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity, and the line it begins at in a file of several."""

    data: Mapping[str, Any]
    file: str
    line: int | None = None

    @property
    def kind(self) -> str:
        return str(self.data.get("kind", ""))

    @property
    def name(self) -> str:
        return _text(self.data.get("metadata"), "name") or ""

    @property
    def namespace(self) -> str:
        return _text(self.data.get("metadata"), "namespace") or _DEFAULT

    @property
    def spec(self) -> Mapping[str, Any]:
        spec = self.data.get("spec")
        return spec if isinstance(spec, Mapping) else {}

    def at(self, pointer: str) -> Location:
        """A place in the entity; the line it begins at stands for all of them where the file has several."""
        return Location(self.file, pointer, self.line) if self.line is None else Location(self.file, "", self.line)


def is_entity(data: Any) -> bool:
    """Whether plain data is a catalog entity, by its content."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("apiVersion"), str)
        and data["apiVersion"].startswith("backstage.io/")
        and isinstance(data.get("kind"), str)
    )


def read_catalog(entities: Sequence[Entity], names: Names) -> Found:
    """The uses and owners of a catalog.

    Args:
        entities: of all files.
        names: the services that APIs and their providers may be.
    """
    catalog = _Catalog(entities, names)
    consumers: list[Consumer] = []
    notes: list[Note] = []
    for entity in entities:
        notes.extend(_oddities(entity))
        if entity.kind != "Component" or not entity.name:
            continue
        uses: list[Use] = []
        called = catalog.called(entity)
        for index, reference in _references(entity, "consumesApis"):
            place = entity.at(f"/spec/consumesApis/{index}")
            kind, api = _parsed(reference, "api", entity)
            if kind != "api":
                text = f"{entity.name} consumes {reference}, which is no API but a {kind}: left out"
                notes.append(Note("warning", text, entity.file, place.line))
                continue
            uses.append(Use(called, catalog.service(api), None, place, tool="backstage"))
        consumers.append(Consumer(called, tuple(uses), owner=_owner(entity)))
    return Found(tuple(consumers), tuple(notes))


class _Catalog:
    """What the entities together say of names: a name is one thing in each namespace."""

    def __init__(self, entities: Sequence[Entity], names: Names) -> None:
        self._names = names
        self._providers: dict[_Name, Entity] = {}
        self._spaces: dict[tuple[str, str], set[str]] = {}
        for entity in entities:
            self._note(entity.kind.lower(), (entity.namespace, entity.name))
            if entity.kind != "Component":
                continue
            for key in ("providesApis", "consumesApis"):
                for _, reference in _references(entity, key):
                    kind, api = _parsed(reference, "api", entity)
                    self._note(kind, api)
                    if key == "providesApis":
                        self._providers.setdefault(_folded(api), entity)

    def _note(self, kind: str, name: _Name) -> None:
        namespace, plain = _folded(name)
        self._spaces.setdefault((kind, plain), set()).add(namespace)

    def called(self, entity: Entity) -> str:
        """What a component is called: with its namespace, where several have one of this name."""
        return self._shown("component", (entity.namespace, entity.name))

    def service(self, api: _Name) -> str:
        """The service that an API is: by its own name, or by whose it is where that name says not enough."""
        provider = self._providers.get(_folded(api))
        owner = self._names.find(provider.name) if provider else None
        whole = self._names.find("/".join(api)) if api[0] != _DEFAULT else None
        plain = None if self._several("api", api) and provider else self._names.find(api[1])
        return whole or plain or owner or (self.called(provider) if provider else self._shown("api", api))

    def _shown(self, kind: str, name: _Name) -> str:
        return "/".join(name) if self._several(kind, name) and name[0] != _DEFAULT else name[1]

    def _several(self, kind: str, name: _Name) -> bool:
        return len(self._spaces.get((kind, _folded(name)[1]), ())) > 1


def _folded(name: _Name) -> _Name:
    return name[0].casefold(), name[1].casefold()


def _references(entity: Entity, key: str) -> Iterator[tuple[int, str]]:
    for index, each in enumerate(_listed(entity.spec.get(key))):
        if isinstance(each, str) and each:
            yield index, each


def _parsed(reference: str, kind: str, entity: Entity) -> tuple[str, _Name]:
    """Kind and full name of ``[kind:][namespace/]name``, as an entity says it: it means its own namespace."""
    before, mark, rest = reference.rpartition(":")
    namespace, _, name = rest.rpartition("/")
    return (before.lower() if mark else kind), (namespace or entity.namespace, name)


def _owner(entity: Entity) -> str | None:
    owner = entity.spec.get("owner")
    return _parsed(owner, "group", entity)[1][1] if isinstance(owner, str) and owner else None


def _oddities(entity: Entity) -> Iterator[Note]:
    if entity.kind == "Location":
        targets = [entity.spec.get("target"), *_listed(entity.spec.get("targets"))]
        shown = ", ".join(str(each) for each in targets if each)
        text = f"the catalog goes on in {shown}, which is not followed: name those files as consumers, too"
        yield Note("warning", text, entity.file, entity.line)
    definition = entity.spec.get("definition")
    if entity.kind == "API" and isinstance(definition, Mapping):
        for key, target in definition.items():
            if isinstance(target, str) and "://" in target:
                text = f"the definition of {entity.name} is at a URL (${key.lstrip('$')}), which is not fetched"
                yield Note("info", text, entity.file, entity.line)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any, key: str) -> str | None:
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else None
