"""Which schemas of one side say the same in the same words: what is found out of one of them holds for all.

Descriptions repeat themselves: a hundred operations answer with a list of one component, each with its own words for
"a list of". Such places differ in nothing but where they stand.
"""

from __future__ import annotations

import marshal
from collections.abc import Hashable

from guardian.spec.api import Node, Schema
from guardian.spec.shape import meant


class Alike:
    """Tells schemas of one side apart by what they say rather than by where they stand; remembers what it was asked."""

    def __init__(self) -> None:
        self._asked: dict[tuple[tuple[str, str], ...], tuple[Hashable, ...]] = {}
        self._read: dict[tuple[str, str], int] = {}  # by place, for many schemas refer to the same one
        self._numbers: dict[Hashable, int] = {}  # so that nobody has long texts in hand

    def __call__(self, schema: Schema) -> tuple[Hashable, ...]:
        """An identity that a schema shares with those alone that mean the same, wherever they stand.

        Raises:
            RefError: the schema is a reference that leads nowhere.
        """
        found = self._asked.get(schema.key)
        if found is None:
            found = self._asked[schema.key] = tuple(map(self._identity, meant(schema).nodes))
        return found

    def _identity(self, node: Node) -> int:
        found = self._read.get(node.key)
        if found is None:
            said: Hashable = node.key
            # Where what extends a component is found by the component's name, or references are read by the place they
            # stand in, the same words can mean something else.
            if not node.document.scoped and node.pointer not in node.document.families:
                said = (node.document.uri, marshal.dumps(node.value, 2))
            found = self._read[node.key] = self._numbers.setdefault(said, len(self._numbers))
        return found
