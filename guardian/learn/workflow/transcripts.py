"""Playing an episode and keeping what happened: the trace that evaluation writes and a person can read."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from guardian.learn.workflow.actions import read_command
from guardian.learn.workflow.environment import EnterpriseWorkflowEnv
from guardian.learn.workflow.policies import Policy
from guardian.learn.workflow.summary import Episode


@dataclass(frozen=True, slots=True)
class Step:
    """One step as it went; ``events`` is what chaos and producers did, which the agent was not told."""

    number: int
    agent: str
    action: Mapping[str, Any]
    target: str | None
    reward: float
    rewards: Mapping[str, float]
    feedback: str
    allowed: bool
    rule: str
    ruling: str
    events: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "step": self.number, "agent": self.agent, "action": dict(self.action), "target": self.target,
            "reward": self.reward, "rewards": dict(self.rewards), "feedback": self.feedback,
            "allowed": self.allowed, "rule": self.rule, "ruling": self.ruling, "events": list(self.events),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Step:
        """The step that ``as_dict`` wrote."""
        kept = {key: value for key, value in data.items() if key not in {"step", "events"}}
        return cls(number=data["step"], events=tuple(data["events"]), **kept)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole episode."""

    policy: str
    episode: Episode
    steps: tuple[Step, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "policy": self.policy,
            "episode": self.episode.as_dict(),
            "steps": [step.as_dict() for step in self.steps],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Transcript:
        """The transcript that ``as_dict`` wrote."""
        steps = tuple(Step.from_dict(step) for step in data["steps"])
        return cls(data["policy"], Episode.from_dict(data["episode"]), steps)

    @property
    def key(self) -> tuple[str, str, int]:
        """Which episode it is of."""
        return (self.episode.scenario, self.episode.difficulty, self.episode.seed)


def take_step(
    env: EnterpriseWorkflowEnv, action: object, agent_id: str | None = None
) -> tuple[Step, Mapping[str, Any]]:
    """One step and what is kept of it, with the ``info`` of the environment."""
    observation, reward, _, info = env.step(action, agent_id)
    ruling = info["ruling"]
    step = Step(
        number=observation["step"],
        agent=ruling["agent"],
        action=read_command(action).as_dict(),
        target=info["target"],
        reward=reward,
        rewards=info["rewards"],
        feedback=observation["feedback"],
        allowed=ruling["allowed"],
        rule=ruling["rule"],
        ruling=ruling["reason"],
        events=env.events,
    )
    return step, info


def play(policy: Policy, scenario: str, difficulty: str, seed: int) -> Transcript:
    """One episode by a policy."""
    env = EnterpriseWorkflowEnv(scenario, difficulty, seed)
    # A policy that draws does not draw the same in every office.
    policy.reset(zlib.crc32(f"{scenario}:{difficulty}:{seed}".encode()))
    env.reset()
    steps: list[Step] = []
    while not env.done:
        steps.append(take_step(env, policy.act(env.observation))[0])
    return Transcript(policy.name, env.summary(), tuple(steps))


def readable(transcript: Transcript, limit: int | None = None) -> str:
    """A transcript as Markdown lines: who did what, what the office said, what it was worth."""
    episode = transcript.episode
    sla = f"{episode.in_time} of {episode.tasks} tasks within SLA"
    drift = f"{episode.recovered} of {episode.drifts} drifts recovered"
    lines = [
        f"### {transcript.policy}: {episode.scenario}, {episode.difficulty}, seed {episode.seed}",
        "",
        f"score {episode.score:.2f}, reward {episode.reward:.2f}, {sla}, {drift}",
        "",
    ]
    for step in transcript.steps[:limit]:
        action = step.action
        said = " ".join(
            [str(action["action"])]
            + ([str(step.target)] if step.target else [])
            + ([f"field={_code(action['field'])}"] if "field" in action else [])
        )
        lines.append(f"{step.number:>2}. **{step.agent}** {said} ({step.reward:+.2f}): {_code(step.feedback)}")
        if "reason" in action:
            lines.append(f"    - because: {_code(action['reason'])}")
        lines.extend(f"    - meanwhile: {_code(event)}" for event in step.events if event != "noise")
    if limit is not None and len(transcript.steps) > limit:
        lines.append(f"    … and {len(transcript.steps) - limit} steps more")
    return "\n".join(lines) + "\n"


def _code(text: object) -> str:
    """Text that an agent or a system wrote, as code in a line of Markdown."""
    from guardian.report.escape import markdown_code

    return markdown_code(str(text), 160)
