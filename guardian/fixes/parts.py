"""Headers, bodies, media types and responses: restored beside what head has, or kept in base's form; and all else that is
a part of a message rather than a schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.fixes.announce import announce
from guardian.fixes.draft import Draft
from guardian.fixes.edits import Edits
from guardian.fixes.json_patch import get, has, pointer
from guardian.fixes.slots import last, parent, part_slot
from guardian.fixes.work import DEPRECATED_VALUES, SUCCESSOR, SUNSET, Work, draft, marked
from guardian.model import Change, Direction, Strategy
from guardian.spec.api import Node

_PARTS = ("encoding", "headers", "parameters", "content", "responses", "requestBodies")
_MAPS = ("content", "responses", "headers", "callbacks", "links", "encoding")


# --- members of a map that are gone ---------------------------------------------------------------------------------


def member_window(work: Work) -> Iterator[Draft]:
    """A media type, response, header or callback restored, deprecated, until a sunset date."""
    yield from _members(work, Strategy.DEPRECATION_WINDOW)


def member_both(work: Work) -> Iterator[Draft]:
    """Base's media type or response beside head's own."""
    yield from _members(work, Strategy.DUAL_WRITE)


def _members(work: Work, strategy: Strategy) -> Iterator[Draft]:
    edits = Edits()
    window = strategy is Strategy.DEPRECATION_WINDOW
    for change, base, head in work.places():
        if base is None or head is None:
            return
        if not work.dialect.request_body and work.rule.id == "media-type-removed":
            _restore_media_type(work, edits, change, window)
            continue
        kind = next((each for each in _MAPS if last(parent(base.pointer)) == each), None)
        if kind is None:
            return
        transplant = work.transplant()
        value = transplant.carry(base, head.document)
        node = base.document.documents.follow(base)
        if node is not base and window:  # the component may well be used elsewhere: say it here
            value = transplant.carry(node, head.document)
        edits.take(transplant)
        # Where one of several is gone, the finding names what they are members of, or the one that is left of it.
        around = next((at for at in (head.pointer, parent(head.pointer)) if last(at) == kind), None)
        home = around or f"{head.pointer}/{kind}"
        if window:
            value = _deprecated(work, value, kind)
        edits.put(head.document, f"{home}{pointer(last(base.pointer))}", value)
    what = _named(work)
    if window:
        announce(work, edits)
        yield draft(work, strategy, edits, f"keeps {what}, deprecated, until {work.sunset}", f"remove {what}",
                    until=work.sunset)  # fmt: skip
    else:
        yield draft(work, strategy, edits, f"offers {what} beside the new form", f"remove {what}")


def _deprecated(work: Work, value: Any, kind: str) -> Any:
    """The marks as this kind of object may carry them."""
    marks = work.marks()
    if kind == "callbacks":
        return _deprecated_operations(value, marks)
    if kind != "headers" or not work.dialect.request_body:
        marks = {"x-deprecated": True, SUNSET: work.sunset}
    return marked(value, marks)


def _deprecated_operations(value: Any, marks: dict[str, Any]) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        expression: {
            method: marked(operation, marks) if isinstance(operation, dict) and "responses" in operation else operation
            for method, operation in item.items()
        }
        if isinstance(item, dict)
        else item
        for expression, item in value.items()
    }


def _restore_media_type(work: Work, edits: Edits, change: Change, window: bool) -> None:
    """OpenAPI 2.0 lists media types by operation; what an operation inherits has to be said by itself then."""
    operation = work.routes.head(work.service, change.operation)
    if operation is None:
        return
    key = "produces" if change.place.startswith("response") else "consumes"
    home = operation.node
    inherited = get(work.head.document.root, f"/{key}", [])
    name = change.place.rpartition(" ")[2]
    if not edits.has(home.document, f"{home.pointer}/{key}"):
        edits.put(home.document, f"{home.pointer}/{key}", [*inherited, name])
    edits.append(home.document, f"{home.pointer}/{key}", [name])
    if window:
        edits.put(home.document, f"{home.pointer}/{DEPRECATED_VALUES}{pointer(name)}", work.sunset)


def _named(work: Work) -> str:
    first = work.group.first
    if first.field:
        return f"`{first.field}`"
    part, _, media_type = first.place.rpartition(" ")
    return (
        f"{media_type} as {part} of {first.operation}" if "/" in media_type else f"{first.place} of {first.operation}"
    )


# --- parts in another form ------------------------------------------------------------------------------------------


def part_window(work: Work) -> Iterator[Draft]:
    """A parameter, header, body or response in base's form until a date, head's beside it as its successor."""
    edits = Edits()
    found = False
    for _, base, head in work.places():
        pair = _same_part(base, head)
        if pair is None:
            return
        one, other = pair
        transplant = work.transplant()
        before = transplant.carry(one, other.document)
        edits.take(transplant)
        marks = {SUCCESSOR: work.successor(other.value)}
        edits.put(other.document, other.pointer, marked(before, marks))
        found = True
    if found:
        announce(work, edits)
        yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"keeps {_named(work)} as it was until {work.sunset}",
                    f"change {_named(work)}", until=work.sunset)  # fmt: skip


def member_restored(work: Work, key: str) -> Iterator[Draft]:
    """A whole member of an operation (``requestBody``) or response (``content``) that is gone, until a date."""
    edits = Edits()
    for change, base, head in work.places():
        one = _holding(base, key)
        if one is None or head is None:
            return
        transplant = work.transplant()
        value = transplant.carry(one.document.node(f"{one.pointer}/{key}"), head.document)
        edits.take(transplant)
        operation = work.routes.head(work.service, change.operation) if key == "requestBody" else None
        if operation is not None:  # the finding names what is left of what is sent, such as a list of parameters
            head = operation.node
        holder = parent(head.pointer) if last(head.pointer) == key else head.pointer
        asked = Direction.REQUEST in work.directions  # a webhook's body is promised, not asked for
        if isinstance(value, dict) and key == "requestBody" and "$ref" not in value and asked:
            value = {**value, "required": False}
        edits.put(head.document, f"{holder}/{key}", value)
        edits.put(head.document, f"{holder}/{SUCCESSOR}", work.successor({key: None}))
    announce(work, edits)
    yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"keeps the {key} of {_named(work)} until {work.sunset}",
                "remove it", until=work.sunset)  # fmt: skip


def request_body_restored(work: Work) -> Iterator[Draft]:
    """A request body that is no longer taken is taken until a date."""
    yield from member_restored(work, "requestBody") if work.dialect.request_body else _body_parameter(work)


def _body_parameter(work: Work) -> Iterator[Draft]:
    """The body of OpenAPI 2.0, which is one of the parameters."""
    edits = Edits()
    for _, before, after in work.operations():
        body = before.parts.body if before is not None else None
        if body is None or after is None or object_of(body.node).get("in") != "body":
            return
        transplant = work.transplant()
        value = marked(transplant.carry(body.node, after.node.document), work.marks())
        edits.take(transplant)
        if isinstance(value, dict):
            value.pop("required", None)
        edits.append(after.node.document, f"{after.node.pointer}/parameters", [value])
    announce(work, edits)
    yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"takes the body of {work.group.first.operation} until {work.sunset}",
                "remove it", until=work.sunset)  # fmt: skip


def response_body_restored(work: Work) -> Iterator[Draft]:
    """A response body that is no longer sent is sent until a date."""
    yield from member_restored(work, "content" if work.dialect.request_body else "schema")


def held_back(work: Work) -> Iterator[Draft]:
    """A media type that readers do not know is not sent before a date."""
    edits = Edits()
    for _, _, head in work.places():
        if head is None or last(parent(head.pointer)) != "content":
            return
        holder = parent(head.pointer, 2)
        form = {"content": {last(head.pointer): head.value}}
        edits.remove(head.document, head.pointer)
        edits.put(head.document, f"{holder}/{SUCCESSOR}", work.successor(form))
    what = _named(work)
    yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"does not send {what} before {work.sunset}",
                f"send {what}", until=work.sunset)  # fmt: skip


# --- where a part is ------------------------------------------------------------------------------------------------


def _part(node: Node | None, kind: str) -> Node | None:
    """The parameter, header (...) that a node is or is in."""
    at = part_slot(node.pointer, kind) if node is not None else None
    if node is None:
        return None
    if at is None:
        if kind != "parameters":
            return None
        whole = node if isinstance(node.value, dict) else node.document.node(parent(node.pointer))
        return whole if isinstance(whole.value, dict) and "in" in whole.value else None  # in a file of such
    found = node.document.node(at)
    return found.document.documents.follow(found)


def sent_part(node: Node | None) -> Node | None:
    """What a sender must send: a parameter, a header or a body."""
    return (_part(node, "parameters") or _part(node, "headers") or _body(node)) if node is not None else None


def _body(node: Node | None) -> Node | None:
    if node is None:
        return None
    at = node.pointer if last(node.pointer) == "requestBody" else parent(node.pointer)
    if last(at) == "requestBody" or last(parent(at)) == "requestBodies":
        return node.document.documents.follow(node.document.node(at))
    return None


def _same_part(base: Node | None, head: Node | None) -> tuple[Node, Node] | None:
    pairs = [(_part(base, kind), _part(head, kind)) for kind in _PARTS]
    for one, other in [*pairs, (_body(base), _body(head))]:
        if one is not None and other is not None:
            return one, other
    return None


def _holding(node: Node | None, key: str) -> Node | None:
    """The object that has a member of this name: a node itself or the one around it."""
    while node is not None:
        if has(node.document.root, f"{node.pointer}/{key}"):
            return node
        if not node.pointer:
            return None
        node = node.document.node(parent(node.pointer))
    return None


def object_of(node: Node) -> dict[str, Any]:
    """The object behind a node, references followed."""
    value = node.document.documents.follow(node).value
    return value if isinstance(value, dict) else {}
