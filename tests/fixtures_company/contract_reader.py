"""A small reader of specifications and manifests that shares no code with guardian: what guardian's fixtures are judged by.

It follows ``$ref`` over files, looks through allOf, oneOf and anyOf, and answers one question: does this manifest's
operation, read or sent thing exist in that company?
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

METHODS = ("get", "put", "post", "delete", "patch")


class At(NamedTuple):
    """A node, and the file it stands in: relative references start there."""

    node: Any
    file: Path


@cache
def load(file: Path) -> Any:
    return yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def follow(at: At) -> At:
    while isinstance(at.node, dict) and "$ref" in at.node:
        name, _, pointer = at.node["$ref"].partition("#")
        file = (at.file.parent / name).resolve() if name else at.file
        node = load(file)
        for part in filter(None, pointer.split("/")):
            node = node[part.replace("~1", "/").replace("~0", "~")]
        at = At(node, file)
    return at


def child(at: At, *keys: str) -> At | None:
    for key in keys:
        at = follow(at)
        if not isinstance(at.node, dict) or key not in at.node:
            return None
        at = At(at.node[key], at.file)
    return follow(at)


def children(at: At | None) -> Iterator[tuple[str, At]]:
    """The members of a mapping or a list, references followed."""
    if at is None:
        return
    members = at.node.items() if isinstance(at.node, dict) else enumerate(at.node)
    for key, node in members:
        yield str(key), follow(At(node, at.file))


class Company:
    """Specifications, manifests and pacts in a folder laid out as the fixture company is."""

    def __init__(self, folder: Path) -> None:
        config = load(folder / "guardian.yaml")
        self.folder = folder
        self.specs = {name: (folder / entry["spec"]).resolve() for name, entry in config["services"].items()}
        self.visibility = {name: entry.get("visibility", "internal") for name, entry in config["services"].items()}
        self.manifests = {path.stem: load(path) for path in sorted((folder / "consumers").glob("*.yaml"))}
        self.pacts = [
            json.loads(path.read_text(encoding="utf-8")) for path in sorted((folder / "pacts").glob("*.json"))
        ]

    @property
    def consumers(self) -> set[str]:
        return {*self.manifests, *(pact["consumer"]["name"] for pact in self.pacts)}

    def operations(self, service: str) -> dict[str, At]:
        """Operation name as manifests write it, path variables' names erased, to the operation."""
        if service not in self.specs:
            return {}
        root = At(load(self.specs[service]), self.specs[service])
        found = {}
        for path, item in children(child(root, "paths")):
            for method, operation in children(item):
                if method in METHODS:
                    name = f"{method.upper()} {path}"
                    found[erased(name)] = operation
                    for event, callback in children(child(operation, "callbacks")):
                        for _, target in children(callback):
                            for verb, called in children(target):
                                found[erased(f"callback {verb.upper()} {event} of {name}")] = called
        for event, item in children(child(root, "webhooks")):
            for method, operation in children(item):
                found[f"webhook {method.upper()} {event}"] = operation
        return found

    def operation(self, service: str, name: str) -> At | None:
        return self.operations(service).get(erased(name))

    def path_item(self, service: str, name: str) -> At | None:
        root = At(load(self.specs[service]), self.specs[service])
        wanted = erased(name.rsplit(" ", maxsplit=1)[-1])
        return next((item for path, item in children(child(root, "paths")) if erased(path) == wanted), None)

    def parameters(self, service: str, name: str) -> dict[str, At]:
        """``query:page`` and the like to the parameter."""
        holders = (self.path_item(service, name), self.operation(service, name))
        lists = [child(holder, "parameters") for holder in holders if holder]
        return {f"{each.node['in']}:{each.node['name']}": each for many in lists for _, each in children(many)}

    def scopes(self, service: str, name: str) -> set[str]:
        """The scopes that an operation asks for in any of its alternatives."""
        operation = self.operation(service, name)
        assert operation is not None
        default = load(self.specs[service]).get("security", [])
        alternatives = operation.node.get("security", default)
        return {scope for alternative in alternatives for scopes in alternative.values() for scope in scopes}

    def bodies(self, service: str, name: str, incoming: bool) -> list[At]:
        """The schemas of an operation's request (``incoming``), or else of its success responses."""
        operation = self.operation(service, name)
        if operation is None:
            return []
        if incoming:
            holders = [child(operation, "requestBody")]
        else:
            holders = [response for status, response in children(child(operation, "responses")) if status[0] == "2"]
        contents = [child(holder, "content") for holder in holders if holder]
        return [schema for content in contents for _, media in children(content) if (schema := child(media, "schema"))]

    def missing(self, consumer: str, manifest: dict[str, Any]) -> list[str]:
        """What a manifest names and the company does not have, one line each."""
        return [line for use in manifest["uses"] for line in self._missing_of_use(consumer, use)]

    def _missing_of_use(self, consumer: str, use: dict[str, Any]) -> Iterator[str]:
        service, name = use["service"], use["operation"]
        operation = self.operation(service, name)
        if operation is None:
            yield f"{service} has no {name}"
            return
        receives = name.startswith(("webhook ", "callback "))
        for path in use["reads"]:
            if not any(has(schema, path) for schema in self.bodies(service, name, incoming=receives)):
                yield f"{service} {name}: nothing to read at {path}"
        for sent in use["sends"]:
            if not self._accepts(service, name, sent):
                yield f"{service} {name}: nothing takes {sent}"
        for status in use.get("responses", ()):
            if child(operation, "responses", status) is None:
                yield f"{service} {name}: no response {status}"
        for read, target in use.get("exposes", {}).items():
            shown, _, path = target.partition("#")
            if read not in use["reads"]:
                yield f"{service} {name}: {read} is exposed but not read"
            if not any(has(schema, path) for schema in self.bodies(consumer, shown, incoming=False)):
                yield f"{consumer} {shown}: nothing shown at {path}"

    def _accepts(self, service: str, name: str, sent: str) -> bool:
        kind, _, rest = sent.partition(":")
        if kind == "scope":
            return rest in self.scopes(service, name)
        if kind == "path":
            return "{" in name
        if kind in ("query", "header"):
            schemes = load(self.specs[service])["components"]["securitySchemes"].values()
            # Accept is HTTP's own; OpenAPI has it nowhere.
            known = {f"{scheme['in']}:{scheme['name']}" for scheme in schemes if "in" in scheme} | {"header:Accept"}
            return sent in known | self.parameters(service, name).keys()
        return any(has(schema, sent.removeprefix("body.")) for schema in self.bodies(service, name, incoming=True))


def erased(text: str) -> str:
    """An operation or path without the names of its variables, which do not matter."""
    return re.sub(r"\{[^{}]*\}(?=/|$| )", "{}", text)


def has(schema: At, path: str) -> bool:
    """Is a field path (INTERFACE: names, ``[]``, ``*``, ``$``) declared in a schema?"""
    steps = [] if path == "$" else [step for step in re.split(r"\.|(?=\[\])", path) if step]
    return _has(follow(schema), steps)


def _has(schema: At, steps: list[str]) -> bool:
    if not steps:
        return True
    step, rest = steps[0], steps[1:]
    keys = {"[]": ("items",), "*": ("additionalProperties",)}.get(step, ("properties", step))
    below = child(schema, *keys)
    if below is not None and _has(below, rest):
        return True
    parts = (part for word in ("allOf", "oneOf", "anyOf") for _, part in children(child(schema, word)))
    return any(_has(part, steps) for part in parts)
