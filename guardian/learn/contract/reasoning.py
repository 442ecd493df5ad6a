"""What the engine would answer to an observation, from nothing but the observation."""

from __future__ import annotations

from typing import Any

from guardian.learn.contract.actions import DONE, REPORT, TRACE, Action, Observation
from guardian.learn.contract.constraints import KEY, Constraint, understand
from guardian.learn.contract.engine import Comparison, places
from guardian.learn.contract.mutations.sites import follow
from guardian.learn.contract.scenarios import judge_of
from guardian.model import Direction, Impact

Json = dict[str, Any]


def reason(observation: Observation) -> list[Action]:
    """The actions of the current phase."""
    if observation.phase == "detection":
        found = violations(observation)
        reports = [Action(REPORT, field_path=place, violation_type=kind) for place, kind in found.items()]
        return [*reports, Action(REPORT, field_path=DONE)]
    if observation.phase == "tracing":
        return [Action(TRACE, affected_services=tuple(sorted(comparison(observation).hit(Impact.BROKEN))))]
    from guardian.learn.contract.fixing import propose
    from guardian.learn.contract.releases import read_release

    spec, told = observation.api_spec, observation.detected_violation or {}
    release = read_release(told.get("release"))
    return propose(spec["base"], spec["head"], observation.consumer_specs, spec["service"], release)


def violations(observation: Observation) -> dict[str, str]:
    """Place -> violation type: of the payload by its schema, or of two versions by the rules."""
    if observation.payload is None:
        return dict.fromkeys(places(comparison(observation).breaking), "breaking_change")
    spec = observation.api_spec
    document, pointer = spec["document"], spec["schema"].removeprefix("#")
    judge = judge_of(document, pointer, Direction(spec["direction"]), _understood(document, spec["schema"]))
    return judge.truth(observation.payload) or {}


def _understood(document: Json, reference: str) -> list[Constraint]:
    """The constraints that the specification words, read back by the book of phrases."""
    worded = follow(document, {"$ref": reference}).get(KEY, ())
    read = [understand(each["field"], each["description"]) for each in worded]
    return [each for each in read if each is not None]


def comparison(observation: Observation) -> Comparison:
    """Both versions with the consumers that the observation names."""
    spec = observation.api_spec
    return Comparison({spec["service"]: spec["base"]}, {spec["service"]: spec["head"]}, observation.consumer_specs)
