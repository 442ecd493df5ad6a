"""Operations, webhooks and callbacks that are gone: restored whole, with what they inherited; and security kept open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.fixes.announce import put_headers
from guardian.fixes.draft import Draft
from guardian.fixes.edits import Edits
from guardian.fixes.json_patch import equal, get, has, pointer
from guardian.fixes.slots import last, parent
from guardian.fixes.transplant import Transplant
from guardian.fixes.work import ALIAS_OF, SUCCESSOR, Work, draft, marked
from guardian.model import Strategy
from guardian.spec.api import Node, Operation
from guardian.spec.document import Document

_INHERITED = ("consumes", "produces", "schemes")


# --- operations that are gone ---------------------------------------------------------------------------------------


def operation_alias(work: Work) -> Iterator[Draft]:
    """The old path kept as an alias of the one that the operation moved to."""
    yield from _moved(work, Strategy.FIELD_ALIAS)


def operation_both(work: Work) -> Iterator[Draft]:
    """Both paths served."""
    yield from _moved(work, Strategy.DUAL_WRITE)


def _moved(work: Work, strategy: Strategy) -> Iterator[Draft]:
    edits = Edits()
    pairs: list[tuple[str, str]] = []
    sure = 1.0
    for name, base, head in _gone(work):
        moved = work.bench.moves.of(work.service, base) if base is not None and head is None else None
        if base is None or moved is None:
            return
        target = moved[0].name
        alias = strategy is Strategy.FIELD_ALIAS
        marks = {ALIAS_OF: target} if alias else {}
        _restore(work, edits, base, marks, f"Alias of {target}." if alias else f"Served beside {target}.")
        pairs.append((name, target))
        sure = min(sure, moved[1])
    if not pairs:
        return
    old, new = (" and ".join(each[side] for each in pairs) for side in (0, 1))
    does = f"keeps {old} as an alias of {new}" if strategy is Strategy.FIELD_ALIAS else f"serves both {old} and {new}"
    yield draft(work, strategy, edits, does, f"remove {old}", sure=sure)


def _gone(work: Work) -> Iterator[tuple[str, Operation | None, Operation | None]]:
    """The operations to bring back; callbacks come back with what they are callbacks of."""
    return (each for each in work.operations() if each[1] is None or each[1].kind != "callback")


def operation_window(work: Work) -> Iterator[Draft]:
    """The operation restored, deprecated, until a sunset date; its responses announce it."""
    edits = Edits()
    names: list[str] = []
    for name, base, head in _gone(work):
        if base is None or head is not None:
            return
        moved = work.bench.moves.of(work.service, base)
        instead = f" Use {moved[0].name}." if moved is not None else ""
        marks = {**work.marks(), "deprecated": True}
        marks.pop("x-deprecated", None)  # OpenAPI 2.0 deprecates operations too
        document, at = _restore(work, edits, base, marks, f"Deprecated: goes after {work.sunset}.{instead}")
        if base.kind == "path":
            _announce(work, edits, document, at)
        names.append(name)
    if names:
        old = " and ".join(names)
        yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"keeps {old}, deprecated, until {work.sunset}",
                    f"remove {old}", until=work.sunset)  # fmt: skip


def callback_window(work: Work) -> Iterator[Draft]:
    """The callback made, deprecated, until a sunset date."""
    edits = Edits()
    names: list[str] = []
    for change, base, _ in work.places():
        parent_name = change.operation.partition(" of ")[2] or change.operation
        head = work.routes.head(work.service, parent_name)
        if base is None or head is None or "/callbacks/" not in base.pointer:
            return
        inside = base.pointer.rpartition("/callbacks/")[2]
        transplant = work.transplant()
        value = marked(transplant.carry(base, head.node.document), work.marks())
        edits.take(transplant)
        edits.put(head.node.document, f"{head.node.pointer}/callbacks/{inside}", value)
        names.append(change.operation)
    if names:
        old = " and ".join(dict.fromkeys(names))
        yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"keeps {old}, deprecated, until {work.sunset}",
                    f"remove {old}", until=work.sunset)  # fmt: skip


def _announce(work: Work, edits: Edits, document: Document, at: str) -> None:
    for status in list(edits.get(document, f"{at}/responses", {}) or {}):
        response = edits.get(document, f"{at}/responses{pointer(status)}")
        if str(status).startswith("2") and isinstance(response, dict) and "$ref" not in response:
            put_headers(work, edits, document, f"{at}/responses{pointer(status)}")


def _restore(work: Work, edits: Edits, base: Operation, marks: dict[str, Any], sentence: str) -> tuple[Document, str]:
    """Put an operation of base back where it was; the document and pointer that it is at then."""
    document, item = path_item(work, base)
    transplant = work.transplant()
    value = whole_operation(work, edits, base, document, transplant, item)
    if value.get("operationId") in work.bench.operation_ids(work.service):
        del value["operationId"]  # the operation that it became has taken it along
    edits.take(transplant)
    at = f"{item}/{last(base.node.pointer)}"
    if not edits.has(document, item):
        edits.put(document, item, {}, after=neighbour(work.base.document.root, item, document))
    edits.put(document, at, marked(value, marks, sentence))
    return document, at


def neighbour(before: Any, at: str, document: Document) -> str | None:
    """The nearest member in front of a new one, in base's order, that head has too."""
    siblings = list(get(before, parent(at), {}) or {})
    name = last(at)
    front = siblings[: siblings.index(name)] if name in siblings else []
    return next((each for each in reversed(front) if has(document.root, f"{parent(at)}{pointer(each)}")), None)


def path_item(work: Work, base: Operation) -> tuple[Document, str]:
    """Where head has, or would have, the path item of an operation of base."""
    root = work.head.document
    if base.kind == "webhook":
        key = next((each for each in work.dialect.webhooks if each in root.root), work.dialect.webhooks[0])
    else:
        key = "paths"
    at = pointer(key, base.path)
    if not has(root.root, at):
        return root, at
    end = root.documents.layers(root.node(at))[-1]
    return end.document, end.pointer


def whole_operation(
    work: Work, edits: Edits, base: Operation, into: Document, transplant: Transplant, item: str | None = None
) -> dict[str, Any]:
    """An operation of base with everything it inherits from its path and document said by itself.

    Args:
        work: the group.
        edits: takes the security schemes that have to be brought along.
        base: the operation.
        into: the document of head's that it will stand in.
        transplant: carries it.
        item: the pointer of the path item that it will stand in; what that says already is not said again.
    """
    value: dict[str, Any] = dict(transplant.carry(base.node, into))
    layers = base.node.document.documents.layers(base.path_node)
    declared = {_identity(node) for node in _items(base.node, "parameters")}
    shared = next((layer for layer in layers if "parameters" in layer.value), None)
    inherited = get(into.root, f"{item}/parameters", []) if item is not None else []
    added = []
    for node in _items(shared, "parameters") if shared is not None else ():
        carried = transplant.carry(node, into)
        if _identity(node) not in declared and carried not in inherited:
            added.append(carried)
    if added:
        value["parameters"] = [*added, *value.get("parameters", [])]
    for layer in layers:
        if "servers" in layer.value:
            value.setdefault("servers", layer.value["servers"])
    _say_inherited(work, edits, base, value)
    return value


def _say_inherited(work: Work, edits: Edits, base: Operation, value: dict[str, Any]) -> None:
    """What base's document says for all its operations, where head's says otherwise."""
    before, after = work.base.document.root, work.head.document.root
    if not work.dialect.request_body:
        for key in _INHERITED:
            if key in before and not equal(before[key], after.get(key)):
                value.setdefault(key, before[key])
    if base.kind != "path":
        return
    requirements = value.get("security", before.get("security"))
    if isinstance(requirements, list):
        carried = carry_security(work, edits, requirements)
        if "security" in value or not equal(carried, after.get("security")):
            value["security"] = carried
    elif after.get("security"):
        value["security"] = []


def _items(node: Node, key: str) -> list[Node]:
    found = node.value.get(key)
    return [node.child(key, index) for index in range(len(found))] if isinstance(found, list) else []


def _identity(node: Node) -> tuple[Any, Any]:
    value = node.document.documents.follow(node).value
    return (value.get("in"), value.get("name")) if isinstance(value, dict) else (None, None)


# --- security -------------------------------------------------------------------------------------------------------


def security_both(work: Work) -> Iterator[Draft]:
    """Base's way to authenticate is accepted beside head's."""
    yield from _security(work, Strategy.DUAL_WRITE)


def security_window(work: Work) -> Iterator[Draft]:
    """Base's way to authenticate is accepted until a date; what is asked for then is written beside it."""
    yield from _security(work, Strategy.DEPRECATION_WINDOW)


def _security(work: Work, strategy: Strategy) -> Iterator[Draft]:
    window = strategy is Strategy.DEPRECATION_WINDOW
    edits = Edits()
    root = work.head.document
    names: list[str] = []
    for name, base, head in work.operations():
        if base is None or head is None:
            return
        before = base.node.value.get("security", work.base.document.root.get("security"))
        former = carry_security(work, edits, before or [{}])
        if window:
            asked = head.node.value.get("security", root.root.get("security"))
            edits.put(head.node.document, f"{head.node.pointer}/{SUCCESSOR}", work.successor({"security": asked}))
        own = isinstance(head.node.value.get("security"), list)
        if own:
            edits.append(head.node.document, f"{head.node.pointer}/security", former)
        elif "security" in base.node.value or not isinstance(root.root.get("security"), list):
            now = root.root.get("security") or []
            edits.put(head.node.document, f"{head.node.pointer}/security", [*now, *former])
        else:
            edits.append(root, "/security", former)
        names.append(name)
    if names:
        what = names[0] if len(names) == 1 else f"{len(names)} operations"
        when = f"until {work.sunset}" if window else "beside the new ones"
        yield draft(work, strategy, edits, f"accepts the former credentials for {what} {when}",
                    f"accept the new credentials for {what} alone", until=work.sunset if window else None)  # fmt: skip


def carry_security(work: Work, edits: Edits, requirements: list[Any]) -> list[Any]:
    """Base's security requirements by the names that their schemes have, or are given, in head.

    A scheme that head has with other scopes is the same one, and lists those again that are asked for.
    """
    kind = work.dialect.components["securitySchemes"]
    transplant = work.transplant(freeze=True)
    before, after = work.base.document.root, work.head.document
    carried: list[Any] = []
    for requirement in requirements:
        if not isinstance(requirement, dict):
            continue
        renamed: dict[str, Any] = {}
        for name, scopes in requirement.items():
            at = f"{kind}{pointer(name)}"
            known = has(before, at)
            one, other = get(before, at), get(after.root, at)
            if known and equal(_without_scopes(one), _without_scopes(other)):
                for place, sentence in _missing(one, other, scopes):
                    edits.put(after, at + place, sentence)
                renamed[name] = scopes
                continue
            renamed[transplant.name(work.base.document.node(at)) if known else name] = scopes
        carried.append(renamed)
    edits.take(transplant)
    return carried


def _without_scopes(scheme: Any) -> Any:
    """What a security scheme is, whatever it lists and says for people."""
    if not isinstance(scheme, dict):
        return scheme
    told = {key: value for key, value in scheme.items() if key not in ("description", "scopes")}
    flows = scheme.get("flows")
    return (
        told if not isinstance(flows, dict) else {**told, "flows": {key: _without_scopes(flows[key]) for key in flows}}
    )


def _missing(one: Any, other: Any, scopes: Any) -> Iterator[tuple[str, str]]:
    """Where one scheme explains scopes that another of the same kind does not list, and how."""
    for at in ("", *(pointer("flows", key) for key in get(one, "/flows", {}) or {})):
        listed = get(one, f"{at}/scopes", {})
        for scope in scopes if isinstance(scopes, list) and isinstance(listed, dict) else ():
            if scope in listed and not has(other, f"{at}/scopes{pointer(scope)}"):
                yield f"{at}/scopes{pointer(scope)}", listed[scope]
