"""Whether a patched document is still valid OpenAPI, by the published schema of its version.

Only what a patch made worse counts: real documents are often not quite valid, and a fix is not there to mend that.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Set
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardian.spec.pointers import escape

if TYPE_CHECKING:
    from jsonschema_rs import Draft4Validator, Draft202012Validator

# Where documents have maps of many things; in `components`, each member is one.
_MAPS = frozenset({"paths", "webhooks", "components", "definitions", "parameters", "responses", "securityDefinitions"})


def made_invalid(base: Any, before: Any, after: Any, dialect: str) -> str | None:
    """What is wrong in a document now that was not before, in one sentence; None if nothing is.

    Args:
        base: base's document: what is restored from it is as it was.
        before: head's document.
        after: the same with the patch.
        dialect: its version, as ``guardian.spec.dialects`` names it.
    """
    was, now = _unshared(before, after)
    more = _ids(now) - _ids(was)
    ids = _ids(after) if more else more
    for name, count in sorted(more.items()):
        if ids[name] > 1:
            return f"the operationId {name!r} is given to {count + 1} operations"
    validator = _validator(dialect)
    if validator.is_valid(now):
        return None
    known = {*_places(validator, was), *_places(validator, base)}
    found = [place for place in _places(validator, now) if place not in known]
    return f"what stands at #{found[0]} is not valid OpenAPI {dialect}" if found else None


def _unshared(before: Any, after: Any, maps: Set[str] = _MAPS) -> tuple[Any, Any]:
    """Two documents without what they share in maps whose members are valid or not whatever else there is."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return before, after
    was, now = dict(before), dict(after)
    for name in maps & before.keys() & after.keys():
        one, other = before[name], after[name]
        if name == "components":
            was[name], now[name] = _unshared(one, other, one.keys() if isinstance(one, dict) else set())
        elif isinstance(one, dict) and isinstance(other, dict):
            was[name] = {key: value for key, value in one.items() if key not in other or other[key] is not value}
            now[name] = {key: value for key, value in other.items() if key not in one or one[key] is not value}
    return was, now


def _places(validator: Draft4Validator | Draft202012Validator, document: Any) -> list[str]:
    return [
        "".join(f"/{escape(str(step))}" for step in error.instance_path) for error in validator.iter_errors(document)
    ]


def _ids(document: Any) -> Counter[str]:
    paths = document.get("paths") if isinstance(document, dict) else None
    items = [item for item in paths.values() if isinstance(item, dict)] if isinstance(paths, dict) else []
    operations = [each for item in items for each in item.values() if isinstance(each, dict)]
    return Counter(each["operationId"] for each in operations if isinstance(each.get("operationId"), str))


@cache
def _validator(dialect: str) -> Draft4Validator | Draft202012Validator:
    import jsonschema_rs

    # The package carries the published schemas; importing it for them would take longer than the check.
    package = find_spec("openapi_spec_validator")
    assert package is not None and package.origin is not None, "openapi-core depends on it"
    file = Path(package.origin).parent / "resources" / "schemas" / f"v{dialect}" / "schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    kind = jsonschema_rs.Draft4Validator if dialect in {"2.0", "3.0"} else jsonschema_rs.Draft202012Validator
    return kind(schema)
