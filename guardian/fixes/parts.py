"""Parameters, headers, bodies, media types and responses: restored beside what head has, or kept in base's form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.fixes.announce import announce
from guardian.fixes.draft import Draft
from guardian.fixes.edits import Edits
from guardian.fixes.json_patch import get, has, pointer
from guardian.fixes.slots import last, parent, part_slot
from guardian.fixes.work import ALIAS_OF, DEPRECATED_VALUES, REQUIRED_FROM, SUCCESSOR, SUNSET, Work, draft, marked
from guardian.model import Change, Strategy
from guardian.spec.api import Node, Operation, Parameter

_MAPS = ("content", "responses", "headers", "callbacks", "links", "encoding")


# --- parameters that are gone ---------------------------------------------------------------------------------------


def parameter_alias(work: Work) -> Iterator[Draft]:
    """The old parameter beside the new one, marked as its alias; neither is required any more."""
    edits = Edits()
    names: list[tuple[str, str]] = []
    for change, base, _ in work.places():
        operation = work.routes.head(work.service, change.operation)
        new = _renamed(work, change, operation)
        if base is None or operation is None or new is None:
            return
        old = _value(base).get("name")
        _restore_parameter(work, edits, base, operation, {ALIAS_OF: new.name}, f"Alias of `{new.name}`.")
        _make_optional(edits, new)
        names.append((str(old), new.name))
    if names:
        pairs = " and ".join(f"`{old}` as an alias of `{new}`" for old, new in names)
        yield draft(work, Strategy.FIELD_ALIAS, edits, f"keeps {pairs}", f"remove {_names(old for old, _ in names)}")


def parameter_both(work: Work) -> Iterator[Draft]:
    """Both parameters are accepted."""
    edits = Edits()
    names: list[str] = []
    for change, base, _ in work.places():
        operation = work.routes.head(work.service, change.operation)
        new = _renamed(work, change, operation) or _elsewhere(change, operation)
        if base is None or operation is None or new is None:
            return
        _restore_parameter(work, edits, base, operation, {}, f"Says the same as {new.location} `{new.name}`.")
        _make_optional(edits, new)
        names.append(str(_value(base).get("name")))
    if names:
        yield draft(
            work, Strategy.DUAL_WRITE, edits, f"accepts {work.subject} by both names", f"remove {_names(names)}"
        )


def parameter_window(work: Work) -> Iterator[Draft]:
    """The parameter restored, deprecated, until a sunset date."""
    edits = Edits()
    for change, base, _ in work.places():
        operation = work.routes.head(work.service, change.operation)
        if base is None or operation is None:
            return
        sentence = f"Deprecated: goes after {work.sunset}."
        _restore_parameter(work, edits, base, operation, work.marks(), sentence)
        elsewhere = _elsewhere(change, operation)
        if elsewhere is not None:
            _make_optional(edits, elsewhere)
    announce(work, edits)
    yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"keeps {work.subject}, deprecated, until {work.sunset}",
                f"remove {work.subject}", until=work.sunset)  # fmt: skip


def _restore_parameter(
    work: Work, edits: Edits, base: Node, operation: Operation, marks: dict[str, Any], sentence: str
) -> None:
    transplant = work.transplant()
    node = base.document.documents.follow(base)
    home = operation.node
    value = marked(transplant.carry(node, home.document), marks, sentence)
    if isinstance(value, dict) and value.get("in") != "path":
        value.pop("required", None)  # whoever knows head's form alone need not send it
    edits.take(transplant)
    edits.append(home.document, f"{home.pointer}/parameters", [value])


def _renamed(work: Work, change: Change, operation: Operation | None) -> Parameter | None:
    """The parameter of head that the removed one most likely became, as the finding says."""
    if operation is None or change.renamed_to is None:
        return None
    wanted = change.renamed_to.rpartition(":")[2]
    return next((each for each in operation.parts.parameters if each.name == wanted), None)


def _elsewhere(change: Change, operation: Operation | None) -> Parameter | None:
    """The parameter of the same name in another place of the request."""
    place, _, name = change.field.partition(":")
    if operation is None:
        return None
    return next((each for each in operation.parts.parameters if each.name == name and each.location != place), None)


def _make_optional(edits: Edits, parameter: Parameter) -> None:
    if parameter.location != "path":
        edits.remove(parameter.node.document, f"{parameter.node.pointer}/required")


# --- inputs that are newly required ---------------------------------------------------------------------------------


def optional_until(work: Work) -> Iterator[Draft]:
    """A parameter or body that must newly be sent may be left out until a date."""
    edits = Edits()
    for _, _, head in work.places():
        node = _part(head, "parameters") or _body(head) if head is not None else None
        if node is None or _value(node).get("in") == "path":
            return
        at = node.pointer
        if edits.has(node.document, f"{at}/required"):
            edits.put(node.document, f"{at}/required", False)
        edits.put(node.document, f"{at}/{REQUIRED_FROM}", work.sunset)
    what = work.subject if work.group.first.field else "a body"
    yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"accepts requests without {what} until {work.sunset}",
                f"require {what}", until=work.sunset)  # fmt: skip


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
        home = head.pointer if last(head.pointer) == kind else f"{head.pointer}/{kind}"
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
    for _, base, head in work.places():
        one = _holding(base, key)
        if one is None or head is None:
            return
        transplant = work.transplant()
        value = transplant.carry(one.document.node(f"{one.pointer}/{key}"), head.document)
        edits.take(transplant)
        holder = parent(head.pointer) if last(head.pointer) == key else head.pointer
        if isinstance(value, dict) and key == "requestBody" and "$ref" not in value:
            value = {**value, "required": False}
        edits.put(head.document, f"{holder}/{key}", value)
        edits.put(head.document, f"{holder}/{SUCCESSOR}", work.successor({key: None}))
    announce(work, edits)
    yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"keeps the {key} of {_named(work)} until {work.sunset}",
                "remove it", until=work.sunset)  # fmt: skip


def request_body_restored(work: Work) -> Iterator[Draft]:
    """A request body that is no longer taken is taken until a date."""
    yield from member_restored(work, "requestBody")


def response_body_restored(work: Work) -> Iterator[Draft]:
    """A response body that is no longer sent is sent until a date."""
    yield from member_restored(work, "content" if work.dialect.request_body else "schema")


# --- where a part is ------------------------------------------------------------------------------------------------


def _part(node: Node | None, kind: str) -> Node | None:
    """The parameter, header (...) that a node is or is in."""
    at = part_slot(node.pointer, kind) if node is not None else None
    if node is None:
        return None
    if at is None:
        value = node.value
        return node if isinstance(value, dict) and "in" in value and kind == "parameters" else None
    found = node.document.node(at)
    return found.document.documents.follow(found)


def _body(node: Node) -> Node | None:
    at = node.pointer if last(node.pointer) == "requestBody" else parent(node.pointer)
    if last(at) == "requestBody" or last(parent(at)) == "requestBodies":
        return node.document.documents.follow(node.document.node(at))
    return None


def _same_part(base: Node | None, head: Node | None) -> tuple[Node, Node] | None:
    for kind in ("encoding", "headers", "parameters", "content", "responses", "requestBodies"):
        one, other = _part(base, kind), _part(head, kind)
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


def _value(node: Node) -> dict[str, Any]:
    value = node.document.documents.follow(node).value
    return value if isinstance(value, dict) else {}


def _names(names: Any) -> str:
    return " and ".join(f"`{name}`" for name in names)
