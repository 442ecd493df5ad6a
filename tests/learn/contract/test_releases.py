"""The terms that a release sets a fix, and what is made of them in episodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from random import Random
from typing import Any

import pytest

from guardian.fixes.draft import Draft
from guardian.learn.contract import Action, ContractEnv, Observation, Scenarios
from guardian.learn.contract.actions import DONE, PROPOSE, REPORT
from guardian.learn.contract.fixing import propose
from guardian.learn.contract.releases import NOT, OPEN, Release, draw, read_release
from guardian.model import Strategy

TASK = "propose_backward_compat_fix"
SCENARIOS = Scenarios()

_ALIAS, _BOTH, _WINDOW, _VERSION, _CONSUMER = (
    Strategy.FIELD_ALIAS, Strategy.DUAL_WRITE, Strategy.DEPRECATION_WINDOW, Strategy.VERSION_BUMP, Strategy.CONSUMER_PATCH,
)  # fmt: skip
_DAY = "2026-05-01"


def _taken(release: Release, *, window: str = _DAY) -> set[Strategy]:
    """The strategies that a release takes for a change that breaks one consumer, if they mend it."""
    found = set()
    for strategy in Strategy:
        moves = {"crm": ("read the other field",)} if strategy is _CONSUMER else {}
        draft = Draft(strategy=strategy, service="users", moves=moves)
        if release.refuses(draft, ["crm"], date.fromisoformat(window) if strategy is _WINDOW else None) is None:
            found.add(strategy)
    return found


@pytest.mark.parametrize(
    ("former", "versions", "moves", "taken"),
    [
        (OPEN, True, "now", {_ALIAS, _BOTH, _WINDOW, _VERSION, _CONSUMER}),
        (OPEN, False, "now", {_ALIAS, _BOTH, _WINDOW, _CONSUMER}),
        (OPEN, True, _DAY, {_ALIAS, _BOTH, _WINDOW, _VERSION}),
        (OPEN, True, "2026-05-02", {_ALIAS, _BOTH, _VERSION}),
        (OPEN, True, "someday", {_ALIAS, _BOTH, _VERSION}),
        (OPEN, True, "never", {_ALIAS, _VERSION}),
        (OPEN, False, "never", {_ALIAS}),
        (_DAY, True, "now", {_WINDOW, _CONSUMER}),
        (_DAY, True, "2026-02-01", {_WINDOW}),
        ("2026-04-30", True, "2026-02-01", set()),
        (NOT, True, "now", {_CONSUMER}),
        (NOT, True, "someday", set()),
    ],
)
def test_a_release_takes_what_everybody_can_live_with(
    former: str, versions: bool, moves: str, taken: set[Strategy]
) -> None:
    """By how long a fix carries the former form, whether it needs a second version, and who has to move when."""
    assert _taken(Release(former, versions, {"crm": moves, "somebody-else": "never"})) == taken


def test_a_release_of_which_nothing_is_said_takes_everything() -> None:
    """As in a check, which knows nothing of it."""
    assert _taken(read_release(None)) == set(Strategy)


@pytest.mark.parametrize("wanted", Strategy)
def test_drawn_terms_take_what_they_are_drawn_for(wanted: Strategy) -> None:
    """And a window, a migration and whatever lasts are never right together."""
    for seed in range(40):
        release = draw(wanted, set(Strategy), ["crm"], ["crm", "board"], Random(seed))
        taken = _taken(release, window=release.last_day.isoformat() if release.last_day else "2030-01-01")
        assert wanted in taken
        assert len(taken & {_WINDOW, _VERSION, _CONSUMER}) <= 1
        assert read_release(release.to_json()) == release


def _told(observation: Observation) -> dict[str, Any]:
    assert observation.detected_violation is not None
    return observation.detected_violation


def _names(observation: Observation) -> list[str]:
    told = _told(observation)["changes"]
    return sorted(
        {each["field_path"].rpartition(".")[2] for each in told if " " not in each["field_path"].rpartition(".")[2]}
    )


def _version(observation: Observation) -> str:
    return f"v{observation.api_spec['base']['info']['version'].partition('.')[0]}"


def _victims(observation: Observation) -> list[str]:
    return sorted({name for each in _told(observation)["changes"] for name in each["breaks"]})


_ALWAYS: Mapping[str, Callable[[Observation], tuple[str, Any]]] = {
    "window": lambda seen: ("deprecation_window", {"restore": _names(seen), "sunset": "2030-01-01"}),
    "version": lambda seen: ("version_bump", {"keep_version": _version(seen)}),
    "migrate": lambda seen: ("consumer_patch", {"migrate": _victims(seen)}),
    "emit": lambda seen: ("dual_write", {"emit": _names(seen)}),
    "migrate-all": lambda seen: ("consumer_patch", {"migrate": sorted(seen.consumer_specs)}),
}


@pytest.mark.parametrize("always", _ALWAYS)
@pytest.mark.parametrize("difficulty", ["easy", "hard"])
def test_no_strategy_is_right_everywhere(always: str, difficulty: str) -> None:
    """Whoever proposes the same everywhere is wrong more often than not, at any difficulty."""
    env = ContractEnv(SCENARIOS, difficulty=difficulty)
    total = 0.0
    for seed in range(20):
        observation = env.reset(TASK, seed)
        strategy, patch = _ALWAYS[always](observation)
        if not env.step(Action(PROPOSE, fix_strategy=strategy, spec_patch=patch)).done:
            env.step(Action(REPORT, field_path=DONE))
        total += env.score()
    assert total / 20 <= 0.5


def test_each_strategy_is_right_somewhere() -> None:
    """And the terms decide: the same change on the terms of another release has another answer."""
    env = ContractEnv(SCENARIOS)
    right, other = set(), 0
    for seed in range(24):
        observation = env.reset(TASK, seed)
        (answer,) = env.answers()
        right.add(answer.fix_strategy)
        spec = observation.api_spec
        found = propose(spec["base"], spec["head"], observation.consumer_specs, spec["service"])
        other += bool(found) and found[0].fix_strategy != answer.fix_strategy
    assert right == {strategy.value for strategy in Strategy}
    assert other > 6


def test_what_mends_but_does_not_suit_is_worth_a_little() -> None:
    """Nobody breaks by it today: it costs what an unacceptable strategy costs, scores a fifth, and says why."""
    env = ContractEnv(SCENARIOS)
    for seed in range(24):
        observation = env.reset(TASK, seed)
        if _told(observation)["release"]["former"] != NOT:
            continue
        step = env.step(
            Action(PROPOSE, fix_strategy="version_bump", spec_patch={"keep_version": _version(observation)})
        )
        if step.rewards == {"unacceptable_strategy": -0.3}:
            break
    else:
        raise AssertionError("no release without the former form")
    assert "the former form may not stay" in step.feedback or "no second version" in step.feedback
    assert step.fix_validation_results["verified"] is False
    env.step(Action(REPORT, field_path=DONE))
    assert env.score() == pytest.approx(0.2)


def test_a_patch_is_what_it_does_whatever_it_is_called() -> None:
    """A window that is called an alias ends all the same, and does not suit who never moves."""
    env = ContractEnv(SCENARIOS)
    played = 0
    for seed in range(40):
        observation = env.reset(TASK, seed)
        told = _told(observation)["release"]
        if told["former"] != OPEN or not any(told["moves"].get(name) == "never" for name in _victims(observation)):
            continue
        patch = _engine_s_window(env)
        if patch is None:
            continue
        played += 1
        step = env.step(Action(PROPOSE, fix_strategy="field_alias", spec_patch=patch))
        assert not step.fix_validation_results["verified"]
        assert not step.done
    assert played


def _engine_s_window(env: ContractEnv) -> dict[str, Any] | None:
    """The engine's window as RFC 6902 operations, where it has one."""
    shop = env._phases[0]._attempt.__self__  # type: ignore[attr-defined]
    found = shop.verified(_WINDOW)
    return shop._patch(found[0]) if found else None
