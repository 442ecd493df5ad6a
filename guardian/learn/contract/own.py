"""A user's own company: guardian.yaml, its specifications bundled into one document each, and what its consumers declare."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from guardian import fieldpath
from guardian.check.configfile import read_config
from guardian.check.state import open_state
from guardian.config import CheckRequest
from guardian.errors import UsageError
from guardian.graph.consumers.elsewhere import is_elsewhere
from guardian.graph.uses import Consumer, Use
from guardian.learn.contract.companies import Company
from guardian.learn.contract.wellformed import put_in_form
from guardian.spec.api import Api, Node

Json = dict[str, Any]

_BUNDLED = "x-bundled"


def read(config_file: Path) -> Company:
    """Read the company that a guardian.yaml describes.

    Raises:
        GuardianError: guardian.yaml, a specification or a declaration cannot be read.
        UsageError: there is no consumer.
    """
    if not config_file.is_file():
        raise UsageError(f"there is no {config_file}", hint="--graph names a guardian.yaml")
    config = read_config(config_file.read_bytes(), str(config_file))
    folder = config_file.resolve().parent
    request = CheckRequest(
        cwd=folder,
        as_of=date.today(),
        config=config,
        config_file=folder / config_file.name,
        head=str(folder),
        consumers=tuple(pattern for pattern in config.consumers if not is_elsewhere(pattern)),
        allow_remote_refs=config.allow_remote_refs,
    )
    # As a check knows them: services by their names, and consumers by whatever name they call them.
    state = open_state(request)
    apis = state.apis.heads()
    found = state.declared.everybody
    if not found:
        raise UsageError(
            "guardian.yaml names no consumers to play with", file=str(config_file), hint="add `consumers:`"
        )
    with state.apis.explaining():
        documents = {name: _document(api) for name, api in apis.items() if api.dialect.startswith("3")}
    return Company(folder.name, documents, {each.name: manifest(each) for each in found})


def _document(api: Api) -> Json:
    bundled = _Bundle(api).document()
    put_in_form(bundled, api)
    return bundled


def manifest(consumer: Consumer) -> Json:
    """What is known of a consumer, in the form of a manifest, whatever it was read from."""
    written: Json = {"consumer": consumer.name, "uses": [_use(use) for use in consumer.uses if use.operation]}
    if consumer.owner:
        written["owner"] = consumer.owner
    if consumer.strict:
        written["strict"] = True
    return written


def _use(use: Use) -> Json:
    written: Json = {"service": use.service, "operation": use.operation}
    if use.reads is not None:
        written["reads"] = list(dict.fromkeys(str(field.path) for field in use.reads))
    if use.sends is not None:
        written["sends"] = list(dict.fromkeys(fieldpath.write_sent(field.path) for field in use.sends))
    if use.responses is not None:
        written["responses"] = list(use.responses)
    if use.exposes:
        exposed: dict[str, list[str]] = {}
        for each in use.exposes:
            exposed.setdefault(str(each.path), []).append(f"{each.operation}#{each.field}")
        written["exposes"] = exposed
    return written


class _Bundle:
    """One document with everything that it refers to elsewhere carried in, and no object standing in two places."""

    def __init__(self, api: Api) -> None:
        self._root = api.document.node()
        self._names: dict[tuple[str, str], str] = {}
        self._pending: list[tuple[str, Node]] = []
        self._components: Json = {}

    def document(self) -> Json:
        """The bundled document."""
        bundled: Json = self._copy(self._root)
        paths = bundled.get("paths") or {}
        for path, item in paths.items():
            if isinstance(item, dict) and "$ref" in item:
                node = self._root.document.documents.follow(self._root.child("paths", path))
                paths[path] = self._copy(node)
        while self._pending:
            name, node = self._pending.pop()
            self._components[name] = self._copy(node)
        if self._components:
            bundled.setdefault("components", {})[_BUNDLED] = dict(sorted(self._components.items()))
        return bundled

    def _copy(self, node: Node) -> Any:
        value = node.value
        if isinstance(value, dict):
            return {key: self._entry(node, key) for key in value}
        if isinstance(value, list):
            return [self._copy(node.child(index)) for index in range(len(value))]
        return value

    def _entry(self, node: Node, key: str) -> Any:
        value = node.value[key]
        if key != "$ref" or not isinstance(value, str):
            return self._copy(node.child(key))
        target = node.document.documents.resolve(value, node)
        if target.document is self._root.document:
            return f"#{target.pointer}" if not value.startswith("#") else value
        if target.key not in self._names:
            self._names[target.key] = name = next(self._fresh(target))
            self._pending.append((name, target))
        return f"#/components/{_BUNDLED}/{self._names[target.key]}"

    def _fresh(self, target: Node) -> Iterator[str]:
        stem = target.name
        taken = set(self._names.values())
        yield from (name for name in (stem, *(f"{stem}{number}" for number in range(2, 10_000))) if name not in taken)
