"""The environment in gymnasium's form."""

from __future__ import annotations

import subprocess
import sys

import pytest

gymnasium = pytest.importorskip("gymnasium")


def test_gymnasium_finds_nothing_wrong() -> None:
    """Its own checker passes, for every difficulty."""
    from gymnasium.utils.env_checker import check_env

    from guardian.learn.workflow import gym

    gym.register()
    gym.register()
    for level in ("easy", "medium", "hard"):
        check_env(gymnasium.make("guardian/Workflow-v0", difficulty=level).unwrapped, skip_render_check=True)


def test_sixteen_actions_are_eight_for_each_agent() -> None:
    """Action 3 is L1's close_task (refused), 11 is L2's."""
    from guardian.learn.workflow.gym import GymWorkflowEnv

    env = GymWorkflowEnv()
    for action, agent, allowed in ((3, "L1", False), (11, "L2", True)):
        env.reset(seed=0)
        *_, info = env.step(action)
        assert (info["ruling"]["agent"], info["ruling"]["action"], info["ruling"]["allowed"]) == (
            agent, "close_task", allowed,
        )  # fmt: skip


def test_running_out_of_steps_is_a_truncation() -> None:
    """Done by work is terminated, done by the clock is truncated."""
    from guardian.learn.workflow.gym import GymWorkflowEnv

    env = GymWorkflowEnv("supply_chain")
    env.reset(seed=1)
    ends = [False, False]
    while not any(ends):
        _, _, *ends, _ = env.step(2)
    assert ends == [False, True]


def test_the_plain_class_needs_no_gymnasium() -> None:
    """Nor numpy, matplotlib, openenv, fastapi or pydantic."""
    code = (
        "import sys; from guardian.learn.workflow import make_env; from guardian.learn.workflow.policies import *\n"
        "env = make_env('sales_pipeline', 'easy', 0); env.reset(); [env.step(0) for _ in range(4)]\n"
        "print([m for m in ('gymnasium', 'numpy', 'matplotlib', 'openenv', 'fastapi', 'torch') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
