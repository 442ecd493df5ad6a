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
    providers: dict[str, str] = {}
    for entity in entities:
        if entity.kind == "Component":
            for _, reference in _references(entity, "providesApis"):
                providers.setdefault(_parsed(reference, "api")[1].casefold(), entity.name)
    consumers: list[Consumer] = []
    notes: list[Note] = []
    for entity in entities:
        notes.extend(_oddities(entity))
        if entity.kind != "Component" or not entity.name:
            continue
        uses: list[Use] = []
        for index, reference in _references(entity, "consumesApis"):
            place = entity.at(f"/spec/consumesApis/{index}")
            kind, api = _parsed(reference, "api")
            if kind != "api":
                text = f"{entity.name} consumes {reference}, which is no API but a {kind}: left out"
                notes.append(Note("warning", text, entity.file, place.line))
                continue
            provider = providers.get(api.casefold())
            service = names.find(api) or (names.find(provider) if provider else None) or provider or api
            uses.append(Use(entity.name, service, None, place, tool="backstage"))
        consumers.append(Consumer(entity.name, tuple(uses), owner=_owner(entity)))
    return Found(tuple(consumers), tuple(notes))


def _references(entity: Entity, key: str) -> Iterator[tuple[int, str]]:
    value = entity.spec.get(key)
    for index, each in enumerate(value if isinstance(value, list) else []):
        if isinstance(each, str) and each:
            yield index, each


def _parsed(reference: str, kind: str) -> tuple[str, str]:
    """Kind and name of ``[kind:][namespace/]name``."""
    before, mark, rest = reference.rpartition(":")
    return (before.lower() if mark else kind), rest.rpartition("/")[2]


def _owner(entity: Entity) -> str | None:
    owner = entity.spec.get("owner")
    return _parsed(owner, "group")[1] if isinstance(owner, str) and owner else None


def _oddities(entity: Entity) -> Iterator[Note]:
    definition = entity.spec.get("definition")
    if entity.kind == "API" and isinstance(definition, Mapping):
        for key, target in definition.items():
            if isinstance(target, str) and "://" in target:
                text = f"the definition of {entity.name} is at a URL (${key.lstrip('$')}), which is not fetched"
                yield Note("info", text, entity.file, entity.line)


def _text(value: Any, key: str) -> str | None:
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else None
