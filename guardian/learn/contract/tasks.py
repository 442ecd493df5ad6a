"""The nine tasks: their sizes, and how a company and a seed become a scenario of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
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
from guardian.learn.contract.releases import Release, draw
from guardian.learn.contract.scenarios import Message, NoMaterial, Scenario, graph_of, messages, payload_scenario
from guardian.model import Change, Direction, Impact, Severity, Strategy

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
    return _with_consumers(brief, text, evolution, lambda: [tracing()], told=_told(evolution))


def _spreading(brief: Brief, service: str) -> Evolution | None:
    """A version that breaks several consumers and spares callers, reaches some through others, where that can be had."""
    rng, company = brief.rng, brief.company
    several, far, sparing = rng.random() < 0.8, rng.random() < 0.5, rng.random() < 0.9

    def wide(evolution: Evolution) -> bool:
        hops = [
            each.hops
            for change in evolution.comparison.traced
            for each in change.consumers
            if each.impact is Impact.BROKEN
        ]
        if (len(hops) < 2 and several) or (max(hops) < 2 and far):
            return False
        # Where all who call an operation break, it is enough to name whoever stands there.
        return not sparing or not _callers(company, evolution) <= set(evolution.comparison.hit(Impact.BROKEN))

    return with_victims(company, service, rng, lookalikes=1, liked=wide, hops=2 if far else 1, tries=12)


def _callers(company: Company, evolution: Evolution) -> set[str]:
    """Who calls an operation of which a change breaks somebody, by their manifests."""
    changed = {change.operation for change in evolution.comparison.traced if _broken(change)}
    return {
        name
        for name, manifest in company.manifests.items()
        for use in manifest["uses"]
        if use.get("service") == evolution.service and use.get("operation") in changed
    }


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
    brief: Brief, text: str, evolution: Evolution, phases: Callable[[], list[Phase]], *, told: Json | None
) -> Scenario:
    return Scenario(
        text,
        _versions(brief.company, evolution),
        phases,
        service_graph=graph_of(brief.company),
        consumer_specs=dict(brief.company.manifests),
        detected_violation=told,
    )


def _told(evolution: Evolution, *, whom: bool = False) -> Json:
    """The breaking changes, for the tasks that begin after their detection.

    Args:
        whom: also whom each breaks, and with it what breaks somebody though the contract does not call it breaking.
    """
    found = evolution.comparison
    broken = {id(change): _broken(change) for change in found.traced}
    changes = [each for each in found.traced if each.severity is Severity.BREAKING or (whom and broken[id(each)])]
    return {
        "service": evolution.service,
        "changes": [
            {
                "field_path": place_of(change),
                "direction": change.direction.value,
                "violation_type": "breaking_change",
                "rule": change.rule,
                "message": change.message,
                **({"breaks": broken[id(change)]} if whom else {}),
            }
            for change in changes
        ],
    }


def _broken(change: Change) -> list[str]:
    return sorted({each.consumer for each in change.consumers if each.impact is Impact.BROKEN})


_PATCHES = (
    "A patch is {json_patch: [RFC 6902 on head], consumers: {NAME: [RFC 6902 on its manifest]}}, or short: "
    "field_alias {aliases: {base name: head name}}, dual_write {emit: [names]}, deprecation_window {restore: [names], "
    "sunset: date}, version_bump {keep_version: base's major version, v1}, consumer_patch {migrate: [consumers]}; it names "
    "exactly what is to be mended: fields, or an operation that is gone. Today is 2026-01-01."
)


_MOVING = ("rename", "nest", "move", "cursor")


def _mendable(
    brief: Brief, service: str, *, lookalikes: int, changes: int, decoys: int = 0, wanted: Strategy | None = None
) -> Evolution | None:
    """A version that one fix mends; every other one renames or moves something, where more strategies can work."""
    from guardian.learn.contract.fixing import fixable

    moving = [each for each in operators(harmless=False) if any(name in each.name for name in _MOVING)]
    return with_victims(
        brief.company, service, brief.rng, lookalikes=lookalikes, decoys=decoys, changes=changes,
        further=fixable(brief.company, wanted),
        choose=moving if wanted is Strategy.FIELD_ALIAS or brief.rng.random() < 0.5 else None,
    )  # fmt: skip


#: How often a release says nothing, so that whatever mends the change is right; and how often something breaks nobody.
_SILENT, _DECOY = 0.1, 0.45


def propose_backward_compat_fix(brief: Brief) -> Scenario:
    from guardian.learn.contract.fixing import fix_phase, workshop

    text = (
        "This change breaks consumers; what breaks nobody is left as it is. Propose a fix that makes every one of them "
        "pass, keeps what the change is for, and that the release takes (until when the former form may stay, whether a "
        "second version may come, when each consumer moves; field_alias and version_bump keep the former form for good, "
        "dual_write until all have moved, deprecation_window until its day, consumer_patch not at all): "
        f"propose_fix (or validate_fix, to try) with fix_strategy and spec_patch. {_PATCHES}"
    )
    rng, company = brief.rng, brief.company
    silent, decoy = rng.random() < _SILENT, rng.random() < _DECOY
    # A decoy takes the place of the look-alike: a change more to read, and no longer prompt.
    decoys = brief.violations if silent or decoy else 0
    evolution, wanted = _for_strategy(brief, decoys)
    shop = workshop(company, evolution)
    broken = evolution.comparison.hit(Impact.BROKEN)
    release = draw(wanted, shop.able, broken, sorted(company.manifests), rng)
    release = Release() if silent else release
    told = {**_told(evolution, whom=True), "release": release.to_json()}
    fixing = fix_phase(company, evolution, release)
    return _with_consumers(brief, text, evolution, lambda: [fixing()], told=told)


def _for_strategy(brief: Brief, decoys: int) -> tuple[Evolution, Strategy]:
    """A version that a strategy mends, which is drawn first so that each is right about as often; and that strategy."""
    for wanted in brief.rng.sample(tuple(Strategy), len(Strategy)):
        make = partial(_mendable, brief, lookalikes=not decoys, decoys=decoys, changes=1, wanted=wanted)
        with suppress(NoMaterial):
            return _some(brief, make), wanted
    raise NoMaterial


def multi_service_cascade_fix(brief: Brief) -> Scenario:
    from guardian.learn.contract.fixing import fix_phase

    text = (
        "First report every breaking change between the two versions (DONE ends), then name the consumers that break, then "
        f"propose a fix that makes all of them pass and keeps what the change is for. {_PATCHES}"
    )
    evolution = _some(brief, lambda service: _mendable(brief, service, lookalikes=3, changes=2))
    phases = _detection(evolution), _tracing(brief.company, evolution), fix_phase(brief.company, evolution)
    return _with_consumers(brief, text, evolution, lambda: [phase() for phase in phases], told=None)


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
