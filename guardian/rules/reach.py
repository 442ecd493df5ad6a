"""Which components no operation leads to: what changes in them changes nothing on the wire.

The way goes from everything outside the components (paths, webhooks) through references of every kind, and to what
extends a component that is told apart by a discriminator. Security schemes are required by name and examples bind
nobody, so neither is asked about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from guardian.errors import ReadError
from guardian.spec.api import Api, Node
from guardian.spec.dialects import DIALECTS
from guardian.spec.pointers import steps_of
from guardian.spec.references import sites_in

Same = Callable[[Node, Node], bool]

_KINDS = (
    *("schemas", "responses", "parameters", "requestBodies", "headers", "links", "callbacks"),
    *("pathItems", "mediaTypes"),
)


def changed_unreached(base: Api, head: Api, same: Same) -> list[str]:
    """The components that differ, or are on one side only, and that no operation of either side leads to; sorted.

    Args:
        same: says that two nodes mean the same.
    """
    sides = [_components(side) for side in (base, head)]
    open_ones = {
        name
        for name in sides[0].keys() | sides[1].keys()
        if not (name in sides[0] and name in sides[1] and same(sides[0][name], sides[1][name]))
    }
    for api, components in ((head, sides[1]), (base, sides[0])):
        if wanted := open_ones & components.keys():
            open_ones -= _reached(api, {name: components[name] for name in wanted})
    return sorted(open_ones)


def _components(api: Api) -> dict[str, Node]:
    """The components of a document: schemas by their names, others with their kind before it."""
    found: dict[str, Node] = {}
    for kind in _KINDS:
        pointer = DIALECTS[api.dialect].components.get(kind)
        node = api.document.node().find(pointer) if pointer is not None else None
        if node is not None and isinstance(node.value, dict):
            found.update((name if kind == "schemas" else f"{kind}/{name}", node.child(name)) for name in node.value)
    return found


def _reached(api: Api, wanted: Mapping[str, Node]) -> set[str]:
    """Those of some components that what is said outside the components leads to, be it to the file that one stands in."""
    places: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for name, node in wanted.items():
        places[node.key].add(name)
        with suppress(ReadError):  # told where a message needs it
            places[api.document.documents.file_of(node).key].add(name)
    uris = {uri for uri, _ in places}
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    asked: dict[str, set[str]] = defaultdict(set)
    stack = list(_outside(api))
    while stack and len(found) < len(wanted):
        node = stack.pop()
        if node.key in seen:
            continue
        seen.add(node.key)
        if node.document.uri in uris:
            found |= _at(node, places)
        stack += _targets(node, asked[node.document.uri])
    return found


def _outside(api: Api) -> Iterator[Node]:
    """What a document says outside its components."""
    root = api.document.node()
    sections = {steps_of(pointer)[0] for pointer in DIALECTS[api.dialect].components.values()}
    for key in root.value:
        if isinstance(key, str) and key not in sections:
            yield root.child(key)


def _at(node: Node, places: Mapping[tuple[str, str], set[str]]) -> set[str]:
    """The components that a place is, or is in."""
    uri, pointer = node.key
    while (uri, pointer) not in places:
        if not pointer:
            return set()
        pointer = pointer.rpartition("/")[0]
    return places[uri, pointer]


def _targets(node: Node, asked: set[str]) -> list[Node]:
    """The places that anything at or below a place refers to.

    Args:
        asked: the references of the place's document that were followed already, if it is not scoped: each leads to one
            place, wherever it stands. Those of this place are added.
    """
    document = node.document
    family = document.families.get(node.pointer)
    targets = list(family.members.values()) if family is not None else []
    if document.scoped:  # then it matters where below the place a reference stands
        places = [(ref, Node(document, node.pointer + at, None)) for _, ref, at in sites_in(node.value)]
    else:
        places = [(ref, node) for ref in document.refs_in(node.value) if ref not in asked]
        asked.update([ref for ref, _ in places])
    for ref, place in places:
        with suppress(ReadError):  # told where a message needs it
            targets.append(document.documents.resolve(ref, place))
    return targets
