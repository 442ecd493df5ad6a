"""Observations as the adapter's prompts, and a model's answers as actions: the bridge that training and evaluation share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardian.adapter import prompts
from guardian.adapter.forms import difference, schema_lines
from guardian.adapter.prompts import Prompt
from guardian.learn.contract.actions import DONE, PROPOSE, REPORT, TRACE, Action, Observation
from guardian.learn.contract.constraints import KEY
from guardian.learn.contract.engine import Side, read_consumers
from guardian.learn.contract.fixing import SUNSET
from guardian.learn.contract.mutations.sites import follow
from guardian.learn.contract.releases import NOT, Release, read_release
from guardian.learn.plain import NotPlain, read_json
from guardian.model import Direction
from guardian.spec.api import Schema

Json = dict[str, Any]

#: What an answer is that means nothing: one malformed action.
UNREADABLE: Json = {"action_type": "unreadable answer"}


def prompt_of(observation: Observation) -> Prompt:
    """What a model is asked in the current phase."""
    if observation.phase == "detection" and observation.payload is not None:
        return _validate(observation)
    if observation.phase == "detection":
        return prompts.detect_prompt(_difference(observation))
    changed = _changed(observation)
    if observation.phase == "tracing":
        service = observation.api_spec["service"]
        near = [(service, *_split(place)) for place in changed]
        readers = prompts.readers_by_field(read_consumers(observation.consumer_specs), near)
        lines = [f"{service} {place}{direction and f' ({direction})'}" for place, direction in changed.items()]
        return prompts.trace_prompt(lines, readers, sorted(observation.consumer_specs))
    return _fix(observation, changed)


def _fix(observation: Observation, changed: Mapping[str, str]) -> Prompt:
    told = observation.detected_violation or {}
    release = read_release(told.get("release"))
    breaks: dict[str, list[str] | None] = dict.fromkeys(changed)
    for each in told.get("changes", ()):
        if "breaks" in each:
            breaks[each["field_path"]] = sorted({*(breaks[each["field_path"]] or ()), *each["breaks"]})
    places = {place: None if who is None else [_pace(name, release) for name in who] for place, who in breaks.items()}
    terms = [] if release.versions else ["No second version."]
    if release.former == NOT:
        terms.append("Nothing former stays.")
    elif release.last_day is not None:
        terms.append("Nothing stays longer.")
    return prompts.fix_prompt(
        places,
        _difference(observation),
        version=prompts.deployed(str(observation.api_spec["base"]["info"]["version"])),
        sunset=(release.last_day or SUNSET).isoformat(),
        broken=observation.consumers_traced,
        terms=terms,
    )


def _pace(name: str, release: Release) -> str:
    """A consumer, and when it moves where that is known."""
    when = release.moves.get(name)
    return prompts.shown(name) + (f" ({when})" if when else "")


def _validate(observation: Observation) -> Prompt:
    spec = observation.api_spec
    document = spec["document"]
    node = Side({"spec": document}).documents.open("spec.json").node(spec["schema"].removeprefix("#"))
    lines = [f"{field or '$'}: {form}" for field, form in schema_lines(Schema((node,)), Direction(spec["direction"]))]
    rules = [each["description"] for each in follow(document, {"$ref": spec["schema"]}).get(KEY, ())]
    kinds = [kind for kind in prompts.VIOLATIONS if kind in observation.task_description]
    return prompts.validate_prompt(lines, rules, observation.payload, kinds)


def _difference(observation: Observation) -> list[str]:
    spec = observation.api_spec
    service = spec["service"]
    base, head = Side({service: spec["base"]}).api(service), Side({service: spec["head"]}).api(service)
    return difference(base, head) if base and head else []


def _changed(observation: Observation) -> dict[str, str]:
    """The changed places, each with the direction of the message that it is in, where that was told."""
    told = observation.detected_violation or {}
    return {each["field_path"]: each.get("direction", "") for each in told.get("changes", ())}


def _split(place: str) -> tuple[str, str]:
    """Operation and field of a place."""
    method, _, rest = place.partition(" ")
    path, _, field = rest.partition(".")
    return f"{method} {path}", field


def actions_of(observation: Observation, text: str) -> list[Action | Json]:
    """The actions that an answer means; one malformed action where it means none."""
    try:
        answer = read_json(text)
    except NotPlain:
        return [UNREADABLE]
    if not isinstance(answer, dict):
        return [UNREADABLE]
    if observation.phase == "detection":
        return [*_reports(observation, answer), Action(REPORT, field_path=DONE)]
    if observation.phase == "tracing":
        return [{"action_type": TRACE, "affected_services": answer.get("affected")}, Action(REPORT, field_path=DONE)]
    return [
        {"action_type": PROPOSE, "fix_strategy": answer.get("strategy"), "spec_patch": answer.get("patch")},
        Action(REPORT, field_path=DONE),
    ]


def _reports(observation: Observation, answer: Json) -> list[Action | Json]:
    between_versions = observation.payload is None
    listed = answer.get("breaking" if between_versions else "violations")
    if not isinstance(listed, list):
        return [UNREADABLE]
    if between_versions:
        return [{"action_type": REPORT, "field_path": each, "violation_type": "breaking_change"} for each in listed]
    return [{"action_type": REPORT, **each} for each in listed if isinstance(each, dict)]


def answer_of(observation: Observation, actions: list[Action]) -> str:
    """The answer that means these actions, as it is trained on."""
    reports = [each for each in actions if each.action_type == REPORT and each.field_path != DONE]
    if observation.phase == "detection" and observation.payload is None:
        return prompts.answer({"breaking": [each.field_path for each in reports]})
    if observation.phase == "detection":
        listed = [{"field_path": each.field_path, "violation_type": each.violation_type} for each in reports]
        return prompts.answer({"violations": listed})
    first = actions[0]
    if observation.phase == "tracing":
        return prompts.answer({"affected": list(first.affected_services)})
    return prompts.answer({"strategy": first.fix_strategy, "patch": dict(first.spec_patch)})
