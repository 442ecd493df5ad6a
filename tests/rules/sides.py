"""Two plain documents compared as guardian compares them: through files, references and normalisation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from guardian.model import Change, Severity
from guardian.rules.align import align
from guardian.rules.compare import compare
from guardian.rules.pairs import Placed
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.text import load
from guardian.spec.trees import MemoryTree

FILE = "api.yaml"


def side(document: Mapping[str, Any] | str) -> tuple[Documents, Api]:
    """One document, as data or as YAML."""
    text = document if isinstance(document, str) else json.dumps(document)
    documents = Documents(MemoryTree({FILE: text.encode()}))
    return documents, read_api(documents, FILE, "api")


def api(paths: str, version: str = "3.1.0", **rest: Any) -> dict[str, Any]:
    """A whole document from the YAML of its paths."""
    head = {"swagger": version} if version == "2.0" else {"openapi": version}
    return {**head, "info": {"title": "T", "version": "1"}, "paths": load(paths.encode(), "paths"), **rest}


def form(
    fields: Mapping[str, Any], required: Sequence[str] = (), encoding: Any = None, media: str = "multipart/form-data"
) -> dict[str, Any]:
    """A document with one operation that is sent a form."""
    schema = {"type": "object", "required": [*required], "properties": fields}
    content = {media: {"schema": schema, "encoding": encoding or {}}}
    body = {"required": True, "content": content}
    return api(json.dumps({"/forms": {"post": {"requestBody": body, "responses": {}}}}))


def changes(base: Mapping[str, Any] | str | None, head: Mapping[str, Any] | str | None) -> list[Change]:
    """What the comparison says."""
    one, other = side(base) if base is not None else None, side(head) if head is not None else None
    same = Sameness(one[0], other[0]).same if one and other else None
    return compare(one[1] if one else None, other[1] if other else None, same=same)


def pairs(base: Mapping[str, Any] | str, head: Mapping[str, Any] | str) -> list[Placed]:
    """What the alignment yields."""
    one, other = side(base), side(head)
    return list(align(one[1], other[1], Sameness(one[0], other[0]).same))


def told(base: Mapping[str, Any] | str | None, head: Mapping[str, Any] | str | None) -> list[tuple[str, str, str]]:
    """Rule, field and severity of every change."""
    return [(change.rule, change.field, change.severity.value) for change in changes(base, head)]


def severities(found: list[Change], rule: str) -> set[Severity]:
    """The severities at which a rule reported."""
    return {change.severity for change in found if change.rule == rule}
