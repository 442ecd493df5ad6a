"""The nine tasks: their sizes, and how a company and a seed become a scenario of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any

from guardian.learn.contract.access import NAME, access_document, complete, drop_scope
from guardian.learn.contract.companies import Company
from guardian.learn.contract.constraints import Constraint, breaker, of_schema
from guardian.learn.contract.engine import place_of, places
from guardian.learn.contract.evolutions import Evolution, with_breaks, with_victims
from guardian.learn.contract.mutations import operators
from guardian.learn.contract.mutations.sites import operations
from guardian.learn.contract.phases import Phase, ReportPhase, TracePhase
from guardian.learn.contract.scenarios import Message, NoMaterial, Scenario, graph_of, messages, payload_scenario
from guardian.model import Direction, Impact

Json = dict[str, Any]

DIFFICULTIES: Mapping[str, float] = MappingProxyType({"easy": 0.5, "medium": 1.0, "hard": 1.5})


@dataclass(frozen=True, slots=True)
class Brief:
    """What a builder needs to know.

    ``violations`` is how many to plant, ``ledger`` a specification with constraints between fields for companies that
    have none, with the pointer of its schema.
    """

    company: Company
    violations: int
    rng: Random
    ledger: Callable[[Random], tuple[Json, str]]


@dataclass(frozen=True, slots=True)
class Task:
    """One task; ``violations`` and ``max_steps`` are those of medium difficulty."""

    name: str
    violations: int
    max_steps: int
    build: Callable[[Brief], Scenario]

    def sizes(self, difficulty: str) -> tuple[int, int]:
        """How many violations and steps this difficulty has."""
        factor = DIFFICULTIES[difficulty]
        return max(1, math.ceil(self.violations * factor)), math.ceil(self.max_steps * max(1.0, factor))


_REPORTING = (
    "Report each with its place (items[1].sku) and violation_type; DONE ends, HINT asks. A wrong report costs, so does a "
    "repeated one."
)


def _payloads(brief: Brief, direction: Direction | None = None) -> list[tuple[Json, Message, tuple[Constraint, ...]]]:
    found: list[tuple[Json, Message, tuple[Constraint, ...]]] = [
        (document, message, ())
        for document in brief.company.services.values()
        for message in messages(document, direction)
    ]
    brief.rng.shuffle(found)
    return found


def find_type_mismatches(brief: Brief) -> Scenario:
    text = f"Find the fields of the payload that have another JSON type than the schema declares (type_mismatch). {_REPORTING}"
    return payload_scenario(_payloads(brief), ["type_mismatch"], brief.violations, brief.rng, text)


def validate_nested_objects(brief: Brief) -> Scenario:
    text = (
        "Find what is wrong inside the payload's nested objects and arrays: type_mismatch, missing_required, "
        f"invalid_enum, format_error. {_REPORTING}"
    )
    kinds = ["missing_required", "type_mismatch", "format_error", "invalid_enum"]
    return payload_scenario(
        _payloads(brief),
        kinds,
        brief.violations,
        brief.rng,
        text,
        items=3,
        fits=lambda place: "." in place or "[" in place,
    )


def validate_response_schema(brief: Brief) -> Scenario:
    text = (
        "Validate this response against its schema: type_mismatch, missing_required, invalid_enum, format_error and "
        f"extra_field (a field that the schema does not declare). {_REPORTING}"
    )
    kinds = ["type_mismatch", "missing_required", "invalid_enum", "format_error", "extra_field"]
    candidates = _payloads(brief, Direction.RESPONSE)
    return payload_scenario(candidates, kinds, brief.violations, brief.rng, text, items=3)


def validate_cross_field_constraints(brief: Brief) -> Scenario:
    text = (
        "Every field is valid by itself; find those that break a rule between fields (cross_field_constraint). The rules "
        f"stand in the schema's x-constraints, each with the field that is to blame. {_REPORTING}"
    )
    document, name = brief.ledger(brief.rng)
    constraints = of_schema(document["components"]["schemas"][name])
    operation = messages(document, Direction.REQUEST)[0].operation
    message = Message(operation, f"/components/schemas/{name}", Direction.REQUEST, "request body")
    return payload_scenario(
        [(document, message, constraints)] * 4,
        ["cross_field_constraint"],
        brief.violations,
        brief.rng,
        text,
        items=max(2, brief.violations - 3),
        edits={"cross_field_constraint": breaker(constraints)},
    )


def validate_auth_request(brief: Brief) -> Scenario:
    text = (
        "Decide what is wrong with this request for access (type_mismatch, missing_required, invalid_enum, format_error): "
        "credentials, token, scopes (a missing one is missing_required at token.scopes), second factor, address, rate "
        f"limit. The rules in x-constraints hold too (cross_field_constraint). {_REPORTING}"
    )
    documents = [document for _, document in sorted(brief.company.services.items()) if operations(document)]
    if not documents:
        raise NoMaterial
    document = access_document(brief.rng.choice(documents), brief.rng)
    constraints = of_schema(document["components"]["schemas"][NAME])
    message = Message(document["x-operation"], f"/components/schemas/{NAME}", Direction.REQUEST, "access request")
    kinds = ["missing_required", "cross_field_constraint", "invalid_enum", "format_error", "type_mismatch"]
    edits = {"cross_field_constraint": breaker(constraints), "missing_required": drop_scope}
    return payload_scenario(
        [(document, message, constraints)] * 4, kinds, brief.violations, brief.rng, text, complete=complete, edits=edits
    )


def detect_breaking_changes(brief: Brief) -> Scenario:
    text = (
        "Two versions of one specification. Report every place whose change breaks clients as breaking_change: the operation, "
        "a dot and the field (GET /users/{id}.address.city, GET /users.query:page), or the operation alone. What is harmless, "
        "or no more than a warning, is not to be reported. DONE ends, HINT asks."
    )
    evolution = _some(
        brief,
        lambda service: with_breaks(brief.company, service, brief.violations, brief.violations // 2 + 1, brief.rng),
    )
    detection = _detection(evolution)
    return Scenario(text, _versions(brief.company, evolution), lambda: [detection()])


def trace_downstream_blast_radius(brief: Brief) -> Scenario:
    text = (
        "A change of one service breaks some consumers, directly or through what others pass on (exposes). Name exactly those "
        "that break with trace_impact; who reads everything but the changed field is not affected."
    )
    evolution = _some(brief, lambda service: _spreading(brief, service))
    tracing = _tracing(brief.company, evolution)
    return _with_consumers(brief, text, evolution, lambda: [tracing()], told=True)


def _spreading(brief: Brief, service: str) -> Evolution | None:
    """A version that breaks several consumers, some of them through others, where that can be had."""
    rng, company = brief.rng, brief.company
    several, far = rng.random() < 0.8, rng.random() < 0.5

    def wide(evolution: Evolution) -> bool:
        hops = [
            each.hops
            for change in evolution.comparison.traced
            for each in change.consumers
            if each.impact is Impact.BROKEN
        ]
        return (len(hops) > 1 or not several) and (max(hops) > 1 or not far)

    return with_victims(company, service, rng, lookalikes=1, liked=wide, hops=2 if far else 1, tries=12)


def _some(brief: Brief, make: Callable[[str], Evolution | None]) -> Evolution:
    """An evolution of whichever service has one; services with more users come first now and then."""
    services = sorted(brief.company.services)
    brief.rng.shuffle(services)
    for service in services * 2:
        evolution = make(service)
        if evolution is not None:
            return evolution
    raise NoMaterial


# What a scenario keeps is the truth and not the comparison that it was taken from, which is some megabytes.


def _detection(evolution: Evolution) -> Callable[[], Phase]:
    truth = dict.fromkeys(evolution.truth, "breaking_change")
    warned = frozenset(places(evolution.comparison.warnings))
    return lambda: ReportPhase(truth, warned)


def _tracing(company: Company, evolution: Evolution) -> Callable[[], Phase]:
    broken, possible = evolution.comparison.hit(Impact.BROKEN), evolution.comparison.hit(Impact.POSSIBLE)
    known = frozenset(company.manifests) | frozenset(company.services)
    return lambda: TracePhase(broken, possible, known)


def _versions(company: Company, evolution: Evolution) -> Json:
    return {"service": evolution.service, "base": company.services[evolution.service], "head": evolution.head}


def _with_consumers(
    brief: Brief, text: str, evolution: Evolution, phases: Callable[[], list[Phase]], *, told: bool
) -> Scenario:
    return Scenario(
        text,
        _versions(brief.company, evolution),
        phases,
        service_graph=graph_of(brief.company),
        consumer_specs=dict(brief.company.manifests),
        detected_violation=_told(evolution) if told else None,
    )


def _told(evolution: Evolution) -> Json:
    """The breaking changes, for the tasks that begin after their detection; whom they hit is not among it."""
    return {
        "service": evolution.service,
        "changes": [
            {
                "field_path": place_of(change),
                "direction": change.direction.value,
                "violation_type": "breaking_change",
                "rule": change.rule,
                "message": change.message,
            }
            for change in evolution.comparison.breaking
        ],
    }


_PATCHES = (
    "A patch is {json_patch: [RFC 6902 on head], consumers: {NAME: [RFC 6902 on its manifest]}}, or short: "
    "field_alias {aliases: {base name: head name}}, dual_write {emit: [names]}, deprecation_window {restore: [names], "
    "sunset: date}, version_bump {keep_version: base's major version, v1}, consumer_patch {migrate: [consumers]}; it names "
    "exactly what is to be mended: fields, or an operation that is gone. Today is 2026-01-01."
)


def _mendable(brief: Brief, service: str, *, lookalikes: int, changes: int) -> Evolution | None:
    """A version that one fix mends; every other one renames or moves something, where more strategies can work."""
    from guardian.learn.contract.fixing import fixable

    names = ("rename", "nest", "move", "cursor")
    moving = [each for each in operators(harmless=False) if any(name in each.name for name in names)]
    return with_victims(
        brief.company, service, brief.rng, lookalikes=lookalikes, changes=changes, further=fixable(brief.company),
        choose=moving if brief.rng.random() < 0.5 else None,
    )  # fmt: skip


def propose_backward_compat_fix(brief: Brief) -> Scenario:
    from guardian.learn.contract.fixing import fix_phase

    text = (
        "This change breaks consumers. Propose a fix that makes every one of them pass and keeps what the change is for: "
        f"propose_fix (or validate_fix, to try) with fix_strategy and spec_patch. {_PATCHES}"
    )
    evolution = _some(brief, lambda service: _mendable(brief, service, lookalikes=1, changes=1))
    fixing = fix_phase(brief.company, evolution)
    return _with_consumers(brief, text, evolution, lambda: [fixing()], told=True)


def multi_service_cascade_fix(brief: Brief) -> Scenario:
    from guardian.learn.contract.fixing import fix_phase

    text = (
        "First report every breaking change between the two versions (DONE ends), then name the consumers that break, then "
        f"propose a fix that makes all of them pass and keeps what the change is for. {_PATCHES}"
    )
    evolution = _some(brief, lambda service: _mendable(brief, service, lookalikes=3, changes=2))
    phases = _detection(evolution), _tracing(brief.company, evolution), fix_phase(brief.company, evolution)
    return _with_consumers(brief, text, evolution, lambda: [phase() for phase in phases], told=False)


TASKS: Mapping[str, Task] = MappingProxyType(
    {
        build.__name__: Task(build.__name__, violations, max_steps, build)
        for build, violations, max_steps in (
            (find_type_mismatches, 4, 10),
            (validate_nested_objects, 7, 15),
            (detect_breaking_changes, 9, 20),
            (validate_response_schema, 10, 25),
            (validate_cross_field_constraints, 7, 18),
            (validate_auth_request, 6, 14),
            (trace_downstream_blast_radius, 1, 20),
            (propose_backward_compat_fix, 1, 25),
            (multi_service_cascade_fix, 1, 40),
        )
    }
)
