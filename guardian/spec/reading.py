"""How normalisation looks into a document: children by key, references followed, and one sentence where a part is
not what the specification says it must be.

``None`` (an empty value in YAML) counts as absent everywhere: its meaning is clear and real documents have it.
"""

from __future__ import annotations

from typing import Any

from guardian.errors import ReadError
from guardian.spec.api import Node, Schema


def malformed(node: Node, message: str) -> ReadError:
    """The error for a part that cannot be read: what is wrong, the file and the pointer."""
    error = ReadError(f"{message} (at #{node.pointer})", file=node.document.file)
    error.pointer = node.pointer
    return error


def object_at(node: Node, what: str) -> Node:
    """The object behind a node, ``$ref``s followed.

    Raises:
        ReadError: there is something else than an object.
    """
    if isinstance(node.value, dict) and "$ref" not in node.value:
        return node  # nothing to follow: most of what is asked for
    found = node.document.documents.follow(node)
    if found.value is None:
        return Node(found.document, found.pointer, {})
    if not isinstance(found.value, dict):
        raise malformed(found, f"{what} must be an object, not {shown(found.value)}")
    return found


def members(node: Node, key: str, *, extensible: bool = False) -> dict[str, Node]:
    """The entries of the map at ``key`` in document order, themselves not followed.

    Args:
        node: an object.
        key: where the map is; it may be a ``$ref`` to one.
        extensible: whether keys that start with ``x-`` are extensions rather than entries.

    Raises:
        ReadError: it is not a map.
    """
    holder = map_at(node, key)
    if holder is None:
        return {}
    return {name: holder.child(name) for name in holder.value if not (extensible and name.startswith("x-"))}


def map_at(node: Node, key: str) -> Node | None:
    """The map at ``key``, which may be a ``$ref`` to one; None where there is none.

    Raises:
        ReadError: it is not a map.
    """
    return object_at(node.child(key), f"`{key}`") if node.value.get(key) is not None else None


def elements(node: Node, key: str) -> list[Node]:
    """The items of the list at ``key``, themselves not followed.

    Raises:
        ReadError: it is not a list.
    """
    value = node.value.get(key)
    if value is None or value == {}:  # an empty map for an empty list: some generators cannot tell them apart
        return []
    holder = node.child(key)
    if not isinstance(value, list):
        raise malformed(holder, f"`{key}` must be a list, not {shown(value)}")
    return [Node(holder.document, f"{holder.pointer}/{index}", item) for index, item in enumerate(value)]


def schema_at(node: Node, key: str) -> Schema | None:
    """The schema at ``key``; None where there is none.

    Raises:
        ReadError: it is neither an object nor a boolean.
    """
    value = node.value.get(key)
    if value is None:
        return None
    if not isinstance(value, (dict, bool)):
        raise malformed(node.child(key), f"a schema must be an object, not {shown(value)}")
    return Schema((node.child(key),))


def shown(value: Any) -> str:
    """A wrong value, in a few words."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
