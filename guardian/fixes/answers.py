"""Whether a mark that a patch sets answers a change: a mark of the right kind, on the very thing, that says what became of it.

A revert with a mark beside it that speaks of something else, or says nothing of head's form, is a revert.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from guardian import fieldpath
from guardian.errors import ReadError
from guardian.fixes.bench import Bench, Trial, document_named
from guardian.fixes.json_patch import equal, get, has, pointer
from guardian.fixes.marks import Told, told
from guardian.fixes.slots import (
    COMBINED,
    holds_schemas,
    last,
    parent,
    part_slot,
    property_name,
    schema_around,
    schema_slot,
    whole,
)
from guardian.fixes.transplant import Transplant
from guardian.fixes.work import (
    ALIAS_OF,
    DEPRECATED_VALUES,
    OPTIONAL_FROM,
    REQUIRED_FROM,
    SUCCESSOR,
    SUNSET,
    VERSIONS,
    X_DEPRECATED,
    value_name,
)
from guardian.graph.consumers.routes import Routes
from guardian.lazy import cached_property
from guardian.model import Change
from guardian.rules.registry import find_rule
from guardian.spec.api import Api, Node, Operation
from guardian.spec.document import Document
from guardian.spec.pointers import steps_of

Place = tuple[str, str]  # a file as reports call it, and a JSON pointer

# The marks of what goes.
_GOING = frozenset({"deprecated", X_DEPRECATED, SUNSET})
# That a patch sets these changes no form.
_BESIDE = _GOING | {
    "title", "summary", "description", "default", "example", "examples", "externalDocs", "tags", "$comment",
    SUCCESSOR, ALIAS_OF, REQUIRED_FROM, OPTIONAL_FROM, DEPRECATED_VALUES, VERSIONS,
}  # fmt: skip

# What else than a removal takes something away, and what is called a removal and takes no thing away.
_GONE = frozenset({"path-slash-changed", "response-status-changed", "media-type-range-changed"})
_NO_THING = frozenset({"enum-value-removed", "security-alternative-removed"})
_NEWLY_ASKED = frozenset({"required-property-added", "parameter-added", "request-body-added", "header-added"})

_VARIABLE = re.compile(r"\{[^}]*\}")


class Answers:
    """The marks that a trial's patches set, asked about one change after another."""

    def __init__(self, bench: Bench, trial: Trial) -> None:
        self._bench = bench
        self._trial = trial

    @cached_property
    def _told(self) -> list[Told]:
        return [each for each in told(self._bench, self._trial) if each.marks]

    def to(self, change: Change) -> bool:
        """Whether one of the marks says what became, or is to become, of what was changed."""
        if not self._told or change.service not in self._bench.situation.head:
            return False
        place = _Changed(self._bench, change)
        return any(place.answered_by(each, mark) for each in self._told for mark in each.marks)


class _Changed:
    """What was changed, and where that is in head's documents."""

    def __init__(self, bench: Bench, change: Change) -> None:
        self._bench = bench
        self._change = change
        self._head = bench.situation.head[change.service]
        self._base = bench.situation.base.get(change.service)

    def answered_by(self, each: Told, mark: str) -> bool:
        """Whether a mark of an object is about this change, and says of it what such a mark has to say."""
        rule = self._change.rule
        if mark in _GOING:
            return self._is_gone and self._is_it(each)
        if mark == ALIAS_OF:
            old_or_new = self._is_it(each) or self._is_beside(each, str(each.after[ALIAS_OF]))
            return (self._is_gone or _asks(rule)) and old_or_new
        if mark == REQUIRED_FROM:
            return _asks(rule) and self._says_when(each, mark)
        if mark == OPTIONAL_FROM:
            return rule.endswith("-became-optional") and self._says_when(each, mark)
        if mark == DEPRECATED_VALUES:
            return not self._values.isdisjoint(each.marks[mark]) and self._is_around(each)
        return mark == SUCCESSOR and self._is_around(each) and self._tells_head(each)

    # --- where it is --------------------------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> tuple[Place, ...]:
        """What the finding names on both sides, as places of head's documents, and what references there lead to."""
        found: dict[Place, None] = {}
        change = self._change
        for api, location in ((self._head, change.head), (self._base, change.base)):
            document = (
                document_named(api.document.documents, location.file)
                if api is not None and location is not None
                else None
            )
            if api is None or location is None or document is None:
                continue
            for node in _referred(document, location.pointer):
                found[self._home(api, node.document).file, node.pointer] = None
        for file, at in list(found):
            home = document_named(self._head.document.documents, file)
            if home is not None:
                found.update({(node.document.file, node.pointer): None for node in _referred(home, at)})
        return tuple(found)

    def _home(self, api: Api, document: Document) -> Document:
        return document if api is self._head else Transplant(api, self._head).home(document)

    @cached_property
    def _slots(self) -> frozenset[Place]:
        """The innermost schemas around these places, and the objects that these are properties of."""
        found = {(file, schema_slot(at)) for file, at in self._places}
        for file, at in list(found):
            document = document_named(self._head.document.documents, file)
            if document is not None and at and not isinstance(get(document.root, at), dict):
                found.add((file, schema_around(document.root, at)))
        return frozenset(found | {(file, parent(at, 2)) for file, at in found if property_name(at) is not None})

    @cached_property
    def _scopes(self) -> frozenset[Place]:
        """What a thing that is gone may have come back in."""
        found = {(file, at) for file, at in self._places if at} | {each for each in self._slots if each[1]}
        if " parameter " in self._change.place:
            operation = operation_named(self._bench, self._head, self._change.operation)
            if operation is not None:
                file = operation.node.document.file
                found |= {(file, operation.node.pointer), (file, parent(operation.node.pointer))}
        return frozenset(found)

    @cached_property
    def _name(self) -> str:
        """The name that the thing has, or had."""
        steps = fieldpath.parse(self._change.field).steps[-1:]
        if steps and isinstance(steps[0], str):
            return steps[0]
        return last(self._change.base.pointer) if self._change.base is not None else ""

    @cached_property
    def _values(self) -> frozenset[str]:
        """What base lists and head does not: values of an ``enum``, and media types where these are listed."""
        change = self._change
        if change.rule == "media-type-removed":
            return frozenset({change.place.rpartition(" ")[2]})
        if change.rule != "enum-value-removed" or self._base is None or change.base is None:
            return frozenset()
        document = document_named(self._base.document.documents, change.base.file)
        value = get(document.root, change.base.pointer) if document is not None else None
        if last(parent(change.base.pointer)) == "enum":
            return frozenset({value_name(value)})
        listed = value.get("enum") if isinstance(value, dict) else value
        return frozenset(map(value_name, listed if isinstance(listed, list) else ()))

    @property
    def _is_gone(self) -> bool:
        """Whether head has the thing no more, rather than in another form: then it may be what goes later."""
        rule = self._change.rule
        return (rule.endswith(("-removed", "-moved")) or rule in _GONE) and rule not in _NO_THING

    # --- what a mark is on --------------------------------------------------------------------------------------------

    def _is_it(self, each: Told) -> bool:
        """Whether an object is the very thing that was changed."""
        if any(file == each.file and _same_template(at, each.at) for file, at in self._places):
            return True
        inside = self._change.base.pointer.partition("/callbacks/")[2] if self._change.base is not None else ""
        if self._change.rule == "callback-removed" and inside and each.at.endswith(f"/callbacks/{inside}"):
            return True
        if self._change.rule == "request-body-removed" and each.after.get("in") == "body":  # OpenAPI 2.0
            return (each.file, parent(each.at)) in self._places
        if self._change.rule == "alternative-removed" and last(parent(each.at)) in COMBINED:
            return (each.file, parent(each.at, 2)) in self._scopes
        return self._name in (each.name, last(each.at)) and self._came_back(each)

    def _is_beside(self, each: Told, name: str) -> bool:
        """Whether an object stands where the thing of this name does, which is the one that was changed."""
        return name == self._name and self._came_back(each)

    def _came_back(self, each: Told) -> bool:
        return any(file == each.file and _is_member(at, each.at) for file, at in self._scopes)

    def _is_around(self, each: Told) -> bool:
        """Whether what was changed is an object or in it."""
        around = f"{each.at}/"
        if any(file == each.file and f"{at}/".startswith(around) for file, at in self._places):
            return True
        # Of what is asked for everywhere, the finding names the root's list; what an operation asks for stands with it.
        operation = operation_named(self._bench, self._head, self._change.operation)
        here = (operation.node.document.file, operation.node.pointer) if operation is not None else None
        return self._change.place == "security" and here == (each.file, each.at)

    def _says_when(self, each: Told, mark: str) -> bool:
        """Whether a day is that of the thing: on it, or by its name on the object that it is a property of."""
        if isinstance(each.after.get(mark), dict):
            owners = {(each.file, each.at), (each.file, whole(each.at))}
            return self._name in each.marks[mark] and not self._slots.isdisjoint(owners)
        is_field = each.after.get("in") == "formData"  # in OpenAPI 2.0 the property of a form is a parameter
        if "property" in self._change.rule and not is_field:
            return self._name == property_name(each.at) and self._came_back(each)
        if is_field and each.name != self._name:
            return False
        inside = (at for file, at in self._places if file == each.file)
        if "in" in each.after:  # a parameter, also in a file of parameters, where no key around it says so
            return any(each.at in {at, parent(at), *_parts(at)} for at in inside)
        return any(each.at in _parts(at) for at in inside)

    # --- what a mark says ---------------------------------------------------------------------------------------------

    def _tells_head(self, each: Told) -> bool:
        """Whether the form that is to come is head's, or what head says of that in which the patch differs from it."""
        form = each.after[SUCCESSOR]["form"]
        if not isinstance(form, dict):
            return False
        if self._change.place == "security":
            inherited = self._head.document.root.get("security")
            return equal(form, {"security": each.before.get("security", inherited)})
        before, after = each.before, each.after
        differing = {
            key for key in before.keys() | after.keys() if not equal(before.get(key), after.get(key))
        } - _BESIDE
        told_of, own = self._words(each, differing)
        # What else the patch changes here may have marks of its own; what is said has to be true all the same.
        return any(key in own or before.get(key) is not None for key in told_of) and all(
            _tells(form.get(key), before.get(key), after.get(key) if key in told_of else before.get(key))
            for key in {*told_of, *form}
        )

    def _words(self, each: Told, differing: set[str]) -> tuple[set[str], set[str]]:
        """Which members of an object, among those that a patch changes, have to be told of, and which the change is in."""
        inside = [at for file, at in self._places if file == each.file and at.startswith(f"{each.at}/")]
        own = {steps_of(at[len(each.at) :])[0] for at in inside}
        if self._change.rule == "response-body-removed":
            own.add("schema")  # of OpenAPI 2.0, whose responses have a schema and no map around it
        if own & differing or ((each.file, each.at) not in self._places and own):
            return own & differing, own
        own |= {claim.rpartition(".")[2] for claim in find_rule(self._change.rule).claims}
        if self._change.rule == "nullability-changed":
            own.add("type")  # a schema without one takes null
        if own.isdisjoint(differing):
            return differing, own  # there is more than one way to say a thing
        return {key for key in differing if key in own or not holds_schemas(key)}, own


def operation_named(bench: Bench, api: Api, name: str) -> Operation | None:
    """The operation of this name on one side, whatever the other one has."""
    return Routes({api.service: api}, like=bench.routes).base(api.service, name)


def _asks(rule: str) -> bool:
    """Whether a rule is about what must newly be sent."""
    return rule.endswith("-became-required") or rule in _NEWLY_ASKED


def _referred(document: Document, at: str) -> Iterator[Node]:
    """A place, the schema that it is in, and what either refers to."""
    yield Node(document, at, get(document.root, at))
    for here in dict.fromkeys((at, schema_slot(at))):
        if has(document.root, here):
            try:
                yield from document.documents.layers(document.node(here))
            except ReadError:
                continue  # it leads nowhere, which is not what is asked here


def _same_template(one: str, other: str) -> bool:
    """Whether two pointers are the same, however paths call their variables."""
    return one == other or (
        one.startswith("/paths/")
        and _VARIABLE.sub("{}", one) == _VARIABLE.sub("{}", other)
        and "/callbacks/" not in one
    )


def _is_member(scope: str, at: str) -> bool:
    """Whether a pointer leads to a member of an object, or of a part that describes it, by at most a map's key and a name."""
    if not at.startswith(f"{scope}/"):
        return False
    steps = steps_of(at[len(scope) :])
    while len(steps) > 1 and steps[0] in COMBINED and steps[1].isdigit():
        steps = steps[2:]
    return 0 < len(steps) <= 2


def _parts(at: str) -> set[str]:
    """The parameter, header or body that a pointer leads to or into."""
    found = {part_slot(at, kind) or "" for kind in ("parameters", "headers", "requestBodies")}
    if "requestBody" in (steps := steps_of(at)):
        found.add(pointer(*steps[: steps.index("requestBody") + 1]))
    return found - {""}


def _tells(form: Any, before: Any, after: Any) -> bool:
    """Whether a form says of head's value, wherever the patched one lacks something of it, what head says.

    What is not said, or said to be ``null``, is not there: of what the patch adds, nothing need be said.
    """
    if equal(form, before):
        return True
    if form is None:
        return equal(before, after)
    if not (isinstance(form, Mapping) and isinstance(before, Mapping)):
        return False
    patched = after if isinstance(after, Mapping) else {}
    return all(_tells(form.get(key), before.get(key), patched.get(key)) for key in form.keys() | before.keys())
