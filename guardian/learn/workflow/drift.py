"""Schema drift: what a producer ships in the middle of an episode, made by mutations and judged by the engine.

The edits are the contract environment's named mutations of the real specification; whether a drift breaks the desk,
and for which resources, is the dependency graph's answer to the desk's own manifest. Nothing about it is written by
hand, except that sales loses ``deal_value`` on the third step. What seeds of evaluation ship, no seed of training does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, lru_cache
from random import Random
from typing import Any, NamedTuple

from guardian.errors import GuardianError
from guardian.learn.workflow.curriculum import HELD_OUT
from guardian.learn.workflow.office import Drift
from guardian.learn.workflow.scenarios import Difficulty, Scenario, find_scenario
from guardian.learn.workflow.systems import Version, first_version, load_document
from guardian.model import Impact

# What each kind of drift is made by.
KINDS: Mapping[str, tuple[str, ...]] = {
    "rename": ("rename-response-field", "rename-request-field"),
    "retype": ("retype-response-field", "retype-request-field"),
    "remove": ("remove-required-response-field", "remove-request-field"),
    "require": ("add-required-request-field",),
    "harmless": ("add-optional-response-field", "add-optional-request-field", "deprecate-field", "reword-description"),
}
VARIANTS = 16  # of each plan: enough that nobody learns them by heart, few enough that they are made once
_ATTEMPTS = 240
_SHARE = 4  # one change in so many is evaluation's

Json = dict[str, Any]


class Shipment(NamedTuple):
    """One change to ship, as a value: of which kinds, which of its variants, or a fixed rename; whether evaluation's."""

    kinds: tuple[str, ...]
    variant: int
    rename: tuple[str, str] | None = None
    held_out: bool = False


def plan_drifts(scenario: Scenario, difficulty: Difficulty, seed: int) -> list[Drift]:
    """What will be shipped in an episode, in order of time; the agent learns of it only by meeting it."""
    rng = Random(f"{scenario.name}:{difficulty.value}:{seed}:drift")
    drawn: list[tuple[int, str, Shipment]] = []
    for plan in scenario.drift.get(difficulty, ()):
        step, variant, happens = rng.randint(plan.first, plan.last), rng.randrange(VARIANTS), rng.random() < plan.chance
        service = rng.choice(plan.services)
        if happens:
            drawn.append((step, service, Shipment(plan.kinds, variant, plan.rename, seed >= HELD_OUT)))
    chains: dict[str, tuple[Shipment, ...]] = {}
    drifts: list[Drift] = []
    for step, service, shipment in sorted(drawn, key=lambda each: each[:2]):
        chain = chains[service] = (*chains.get(service, ()), shipment)
        version, paths = ship(scenario.name, service, chain)
        drifts.append(Drift(service, step, version, paths))
    return drifts


@lru_cache(maxsize=2048)
def ship(scenario: str, service: str, chain: tuple[Shipment, ...]) -> tuple[Version, frozenset[str]]:
    """The version after these shipments, and the resources that the last of them breaks for the scenario's desk.

    Raises:
        GuardianError: no mutation of these kinds finds a place where it does what it is meant to.
    """
    *earlier, last = chain
    base = ship(scenario, service, tuple(earlier))[0] if earlier else first_version(service)
    if last.rename is not None:
        found = _judged(scenario, base, renamed(base.document, *last.rename), f"rename {' to '.join(last.rename)}")
        if not found[1]:
            raise GuardianError(f"renaming {last.rename[0]} breaks nobody")
        return found
    breaking = "harmless" not in last.kinds
    for attempt in range(_ATTEMPTS):
        rng = Random(f"{scenario}:{service}:{len(chain)}:{','.join(last.kinds)}:{last.variant}:{attempt}")
        edited = _edited(base.document, KINDS[rng.choice(last.kinds)], rng)
        if edited is None or is_held_out(base.service, edited[1]) is not last.held_out:
            continue
        found = _judged(scenario, base, *edited)
        if bool(found[1]) is breaking:
            return found
    raise GuardianError(f"{service} has no place for a drift of the kinds {', '.join(last.kinds)}")


def is_held_out(service: str, what: str) -> bool:
    """Whether a change is evaluation's: training never ships it, and evaluation ships no other.

    Seeds alone keep nothing apart: there are few different changes, and some hundred episodes show them all. It is the
    edit that counts and not the message that it was made in, so that a new name is new wherever it turns up.
    """
    edit = what.partition(": ")[2]
    return hashlib.sha256(f"{service}: {edit}".encode()).digest()[0] % _SHARE == 0


def _edited(document: Mapping[str, Any], names: tuple[str, ...], rng: Random) -> tuple[Json, str] | None:
    from guardian.learn.contract.mutations import operators
    from guardian.learn.contract.mutations.sites import clone

    known = {each.name: each for each in operators()}
    head: Json = clone(dict(document))
    name = rng.choice(names)
    done = known[name].edit(head, rng)
    return None if done is None else (head, f"{name}: {done}")


def renamed(document: Mapping[str, Any], base: str, head: str) -> Json:
    """A copy in which a property is called otherwise, in requests and answers alike.

    Raises:
        GuardianError: no message has such a property.
    """
    from guardian.learn.contract.mutations.sites import clone, properties, put

    copy: Json = clone(dict(document))
    sites = [
        site for direction in ("request", "response") for site in properties(copy, direction) if site.name == base
    ]  # fmt: skip
    if not sites:
        raise GuardianError(f"no message has a property {base}")
    for site in sites:
        put(site.owner["properties"], head, site.schema, base)
        site.owner["required"] = [head if each == base else each for each in site.owner.get("required", ())]
    return copy


def _judged(scenario: str, base: Version, head: Json, what: str) -> tuple[Version, frozenset[str]]:
    """The version that ``head`` is, and which of the desk's resources it breaks, by the engine and the graph."""
    from guardian.learn.contract.engine import Comparison

    manifest = desk_manifest(scenario)
    uses = [use for use in manifest["uses"] if use["service"] == base.service]
    comparison = Comparison(
        {base.service: dict(base.document)}, {base.service: head}, {manifest["consumer"]: {**manifest, "uses": uses}}
    )
    changes = comparison.blast.changes
    paths = frozenset(
        change.operation.partition(" ")[2]
        for change in changes
        if any(hit.impact is Impact.BROKEN for hit in change.consumers)
    )
    used = {use["operation"].partition(" ")[2] for use in uses}
    version = Version(base.service, base.number + 1, head, changes=changes, operator=what)
    sent, served = {}, {}
    for path in sorted(used):
        before, after = base.contract(path), version.contract(path)
        served.update(_followed(path, base.served_names, before.served, after.served))
        sent.update(_followed(path, base.sent_names, before.sent, after.sent))
    version = Version(base.service, version.number, head, sent, served, changes, what)
    return version, paths & used


def _followed(
    path: str, names: Mapping[tuple[str, str], str | None], before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[tuple[str, str], str | None]:
    """What became of every field of the first version: the name it has now, or None."""
    gone = [name for name in before if name not in after]
    new = [name for name in after if name not in before]
    moved = {gone[0]: new[0]} if len(gone) == len(new) == 1 else {}
    followed = {key: name for key, name in names.items() if key[0] == path}
    first = {now: key[1] for key, now in followed.items() if now is not None}
    for name in gone:
        followed[path, first.get(name, name)] = moved.get(name)
    return followed


@cache
def desk_manifest(scenario: str) -> Mapping[str, Any]:
    """The scenario's desk as a consumer declares itself: what its tasks read and send (fixtures/workflow/consumers)."""
    plan = find_scenario(scenario)
    uses: list[Json] = []
    for path, service in sorted({(task.path, task.service) for task in plan.tasks}):
        keys = sorted({task.field for task in plan.tasks if task.path == path})
        sent = first_version(service).contract(path).sent
        uses.append({"service": service, "operation": f"GET {path}", "reads": ["id", *keys], "sends": ["path:id"]})
        uses.append(
            {
                "service": service,
                "operation": f"PUT {path}",
                "reads": [],
                "sends": ["path:id", *(f"body.{name}" for name in sent)],
            }
        )
    return {"consumer": f"{scenario.replace('_', '-')}-desk", "owner": "office", "uses": uses}


def base_documents() -> Mapping[str, Mapping[str, Any]]:
    """Every service of the office before anything is shipped, by name."""
    from guardian.learn.workflow.scenarios import SCENARIOS

    names = sorted({service for scenario in SCENARIOS.values() for service in scenario.services})
    return {name: load_document(name) for name in names}
