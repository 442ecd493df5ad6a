"""What a repository holds that a first guardian.yaml can say: specifications, consumers, owners, client code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from guardian.config.codeowners import PLACES, Codeowners, parse_codeowners
from guardian.errors import ReadError
from guardian.spec.discover import discover
from guardian.spec.service_names import distinct, service_name
from guardian.spec.sources import Side
from guardian.spec.text import load, load_all
from guardian.spec.trees import Tree

#: Folder and file names that say nothing about the service they belong to.
_GENERIC = re.compile(
    r"(?:open-?api|swagger|api|apis|spec|specs|schema|schemas|docs?|src|main|resources|static|public|contracts?|rest|"
    r"services?|packages|apps|index|v?\d[\w.-]*)(?:[._-]?(?:v?\d[\w.]*|open-?api|spec))?",
    re.IGNORECASE,
)
_TESTS = re.compile(r"(?:tests?|testdata|fixtures?|examples?|samples?|mocks?|__tests__|e2e)", re.IGNORECASE)
_CLIENT = re.compile(r"(?:.*[-_.])?(?:clients?|sdk)", re.IGNORECASE)
_GENERATED = frozenset({".openapi-generator", ".swagger-codegen"})
_CATALOG = re.compile(r"(?:.*[-_.])?catalog-info\.ya?ml", re.IGNORECASE)
_MANIFEST = re.compile(rb"^consumer[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FoundService:
    """One specification: what to call its service, and who owns it, with where that is said."""

    name: str
    spec: str
    owner: str | None = None
    owner_from: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """All that was found, sorted.

    Attributes:
        services: the specifications outside of test folders.
        left_out: the specifications in test folders.
        consumers: globs or files of pacts and manifests.
        catalog_uses: (component, API) of every use that a Backstage catalog declares.
        clients: folders that look like client code.
    """

    services: tuple[FoundService, ...]
    left_out: tuple[str, ...]
    consumers: tuple[str, ...]
    catalog_uses: tuple[tuple[str, str], ...]
    clients: tuple[str, ...]


def scan(tree: Tree) -> Found:
    """Look through a tree, by content where a name proves nothing. What cannot be read is passed over."""
    files = tree.files()
    specs = discover(Side(tree))
    entities = [
        entity for path in files if _CATALOG.fullmatch(PurePosixPath(path).name) for entity in _load(tree, path)
    ]
    tested = tuple(path for path in specs if _in_tests(path))
    declared = [path for path in files if path not in specs and _is_consumer(tree, path) and not _in_tests(path)]
    return Found(
        services=tuple(_services([path for path in specs if path not in tested], _codeowners(tree), entities)),
        left_out=tested,
        consumers=tuple(_globs(declared, files)),
        catalog_uses=tuple(sorted(set(_catalog_uses(entities)))),
        clients=tuple(_clients(files)),
    )


def name_services(specs: Sequence[str]) -> dict[str, str]:
    """A short name for the service of each specification: the nearest telling part of its path, if no other has it."""
    names = distinct([(_telling(path), service_name(path), path) for path in specs])
    return dict(zip(specs, names, strict=True))


def _telling(path: str) -> str:
    parts = PurePosixPath(service_name(path)).parts
    return next((part for part in reversed(parts) if not _GENERIC.fullmatch(part)), service_name(path))


def _services(specs: Sequence[str], owners: Codeowners, entities: Iterable[Any]) -> Iterable[FoundService]:
    catalog = dict(_catalog_owners(entities))
    names = name_services(specs)
    for path in sorted(specs, key=lambda each: (names[each], each)):
        owning = owners.of(path)
        if owning:
            yield FoundService(names[path], path, owning[0], "CODEOWNERS")
        elif names[path] in catalog:
            yield FoundService(names[path], path, catalog[names[path]], "the Backstage catalog")
        else:
            yield FoundService(names[path], path)


def _codeowners(tree: Tree) -> Codeowners:
    place = next((place for place in PLACES if tree.exists(place)), None)
    return parse_codeowners(tree.read(place).decode("utf-8", "replace")) if place else Codeowners()


def _load(tree: Tree, path: str) -> list[Any]:
    try:
        return [each for each in load_all(tree.read(path), path) if isinstance(each, dict)]
    except ReadError:
        return []


def _catalog_owners(entities: Iterable[Any]) -> Iterable[tuple[str, str]]:
    for entity in entities:
        name, owner = _at(entity, "metadata", "name"), _at(entity, "spec", "owner")
        if entity.get("kind") in ("API", "Component") and isinstance(name, str) and isinstance(owner, str):
            yield name, owner.rpartition("/")[2].rpartition(":")[2]


def _catalog_uses(entities: Iterable[Any]) -> Iterable[tuple[str, str]]:
    for entity in entities:
        name, used = _at(entity, "metadata", "name"), _at(entity, "spec", "consumesApis")
        if entity.get("kind") == "Component" and isinstance(name, str) and isinstance(used, list):
            yield from ((name, api.rpartition("/")[2].rpartition(":")[2]) for api in used if isinstance(api, str))


def _at(entity: Any, *keys: str) -> Any:
    for key in keys:
        entity = entity.get(key) if isinstance(entity, dict) else None
    return entity


def _is_consumer(tree: Tree, path: str) -> bool:
    """Whether a file is a pact, or a manifest of guardian's own."""
    try:
        if path.endswith(".json"):
            data = tree.read(path)
            # Two words that every pact holds, before a file of megabytes is parsed for nothing.
            return b'"consumer"' in data and b'"provider"' in data and _is_pact(json.loads(data))
        if path.endswith((".yaml", ".yml")):
            data = tree.read(path)
            return bool(_MANIFEST.search(data)) and "uses" in load(data, path)
    except (ReadError, ValueError, RecursionError):
        pass  # what cannot be read is not for a first configuration to name; `check` will say so if it is wanted
    return False


def _is_pact(data: object) -> bool:
    return (
        isinstance(data, dict)
        and {"consumer", "provider"} <= data.keys()
        and bool({"interactions", "messages"} & data.keys())
    )


def _globs(declared: Sequence[str], files: Sequence[str]) -> Iterable[str]:
    """A folder's glob where everything it would match belongs there, else the files one by one."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for path in declared:
        kinds.setdefault((str(PurePosixPath(path).parent), PurePosixPath(path).suffix), []).append(path)
    for (folder, suffix), paths in sorted(kinds.items()):
        siblings = [each for each in files if str(PurePosixPath(each).parent) == folder and each.endswith(suffix)]
        if folder != "." and len(siblings) == len(paths):
            yield f"{folder}/*{suffix}"
        else:
            yield from sorted(paths)


def _clients(files: Iterable[str]) -> list[str]:
    """The outermost folders that are named like clients, or that a generator has marked as its own."""
    found = set()
    for path in files:
        folders = PurePosixPath(path).parts[:-1]
        for depth, folder in enumerate(folders):
            marked = folder in _GENERATED
            if marked or _CLIENT.fullmatch(folder):
                found.add("/".join(folders[: depth if marked else depth + 1]))
                break
    return sorted(each for each in found if each and not _in_tests(each + "/"))


def _in_tests(path: str) -> bool:
    return any(_TESTS.fullmatch(part) for part in PurePosixPath(path).parts[: None if path.endswith("/") else -1])
