"""What an episode is about, before anybody has acted: the material that is shown, and how its phases are made.

A scenario is a function of task, seed, difficulty and company; it is built once and played as often as one likes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from guardian.learn.contract.companies import Company
from guardian.learn.contract.constraints import Constraint, broken, repair, without_secrets
from guardian.learn.contract.engine import Side
from guardian.learn.contract.mutations.sites import JSON, follow, operations
from guardian.learn.contract.payloads import PayloadJudge, Truth, leaves, write_place
from guardian.learn.contract.phases import Phase, ReportPhase
from guardian.learn.contract.planting import Edit, plant
from guardian.learn.contract.sampling import sample
from guardian.model import Direction
from guardian.spec.api import Schema
from guardian.spec.pointers import escape

Json = dict[str, Any]


class NoMaterial(Exception):
    """The company has nothing that the task could be made of."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """The shown part of an episode and the recipe of its phases."""

    description: str
    api_spec: Json
    phases: Callable[[], list[Phase]]
    payload: Any = None
    service_graph: Json = field(default_factory=dict)
    consumer_specs: Json = field(default_factory=dict)
    detected_violation: Json | None = None

    @property
    def total_consumers(self) -> int:
        return len(self.consumer_specs)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a specification: where its schema is, and which way it travels."""

    operation: str
    pointer: str
    direction: Direction
    part: str


def messages(document: Json, direction: Direction | None = None) -> list[Message]:
    """Every JSON body of requests and success responses, or of one of both."""
    found: list[Message] = []
    for path, method, operation in operations(document):
        at = f"/paths/{escape(path)}/{method}"
        name = f"{method.upper()} {path}"
        if _json_schema(document, operation.get("requestBody")):
            pointer = f"{at}/requestBody/content/{escape(JSON)}/schema"
            found.append(Message(name, pointer, Direction.REQUEST, "request body"))
        for status, response in (operation.get("responses") or {}).items():
            if str(status)[:1] == "2" and _json_schema(document, response):
                pointer = f"{at}/responses/{status}/content/{escape(JSON)}/schema"
                found.append(Message(name, pointer, Direction.RESPONSE, f"response {status}"))
    return [each for each in found if direction is None or each.direction is direction]


def _json_schema(document: Json, holder: Any) -> bool:
    """Whether a body that stands here itself (not behind a reference) has a JSON schema."""
    if not isinstance(holder, dict) or "$ref" in holder:
        return False
    schema = ((holder.get("content") or {}).get(JSON) or {}).get("schema")
    return isinstance(schema, dict) and follow(document, schema) != {}


def judge_of(
    document: Json, pointer: str, direction: Direction, constraints: Sequence[Constraint] = ()
) -> PayloadJudge:
    """The judge of a message, given the specification that declares it."""
    side = Side({"spec": document})
    node = side.documents.open("spec.json").node(pointer)
    return PayloadJudge(Schema((node,)), direction, broken(constraints))


def payload_scenario(
    candidates: Sequence[tuple[Json, Message, Sequence[Constraint]]],
    kinds: Sequence[str],
    wanted: int,
    rng: Random,
    description: str,
    *,
    items: int = 2,
    complete: Callable[[Any, Json], None] = lambda payload, document: None,
    edits: Mapping[str, Edit] | None = None,
    fits: Callable[[str], bool] = lambda place: True,
    tries: int = 12,
) -> Scenario:
    """A payload with planted violations of one of these messages: the first that has room for all of them.

    Raises:
        NoMaterial: none of them has room for a single one.
    """
    best: tuple[Json, Message, Any, Truth] | None = None
    for document, message, constraints in list(candidates)[:tries]:
        judge = judge_of(document, message.pointer, message.direction, constraints)
        schema = _at(document, message.pointer)
        payload = sample(document, schema, rng, items=items)
        complete(payload, document)
        repair(constraints, payload, rng)
        room = sum(fits(write_place(at)) for at, _ in leaves(payload))
        if room < 2 * wanted or not isinstance(payload, dict | list) or judge.truth(payload) != {}:
            continue
        value, truth = plant(payload, judge, kinds, wanted, rng, edits=edits, fits=fits)
        if truth and (best is None or len(truth) > len(best[3])):
            best = (document, message, value, truth)
        if best is not None and len(best[3]) == wanted:
            break
    if best is None:
        raise NoMaterial
    document, message, value, truth = best
    shown = {
        "operation": message.operation,
        "message": message.part,
        "direction": message.direction.value,
        "schema": f"#{message.pointer}",
        "document": without_secrets(pruned(document, message.pointer)),
    }
    return Scenario(description, shown, lambda: [ReportPhase(truth)], payload=value)


def _at(document: Any, pointer: str) -> Any:
    from guardian.spec.pointers import step_into, steps_of

    for step in steps_of(pointer):
        document = step_into(document, step)
    return document


def pruned(document: Json, pointer: str) -> Json:
    """A document with nothing in it but one schema and what that refers to; whole where it refers out of components."""
    from guardian.spec.references import refs_in

    needed: dict[str, Any] = {}
    open_refs = list(refs_in(_at(document, pointer)))
    while open_refs:
        ref = open_refs.pop()
        if not ref.startswith("#/components/schemas/"):
            return document
        name = ref.removeprefix("#/components/schemas/")
        if name not in needed and name in document["components"]["schemas"]:
            needed[name] = document["components"]["schemas"][name]
            open_refs += refs_in(needed[name])
    kept: Json = {key: document[key] for key in ("openapi", "info") if key in document}
    if pointer.startswith("/components/schemas/"):
        name = pointer.rpartition("/")[2]
        return {**kept, "components": {"schemas": {**dict(sorted(needed.items())), name: _at(document, pointer)}}}
    kept["components"] = {"schemas": dict(sorted(needed.items()))}
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    place = kept
    for step in steps[:-1]:
        place = place.setdefault(step, {})
    place[steps[-1]] = _at(document, pointer)
    return kept


def graph_of(company: Company) -> Json:
    """Who uses whom, without the fields."""
    edges = sorted({(name, use["service"]) for name, each in company.manifests.items() for use in each.get("uses", ())})
    return {
        "services": sorted(company.services),
        "consumers": sorted(company.manifests),
        "edges": [{"consumer": consumer, "service": service} for consumer, service in edges],
    }
