"""The workflow environment: an office for one or two agents, whose systems change under their hands.

``reset()`` opens an office, ``step(action, agent_id)`` lets one agent act once and the clock run one step. Same
arguments, same episode: on any machine, in any process.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from guardian.errors import UsageError
from guardian.learn.plain import text_of
from guardian.learn.workflow.actions import Command, read_command
from guardian.learn.workflow.chaos import ODDS, Chaos, Odds
from guardian.learn.workflow.drift import plan_drifts
from guardian.learn.workflow.office import Approval, Office, Status, Task, open_office
from guardian.learn.workflow.oversight import Referee, Ruling
from guardian.learn.workflow.reasoning import Reasons
from guardian.learn.workflow.requests import would_break
from guardian.learn.workflow.rubric import Scores, rewards_of, score
from guardian.learn.workflow.scenarios import Difficulty, find_scenario
from guardian.learn.workflow.summary import Episode, summarise
from guardian.learn.workflow.view import observe
from guardian.learn.workflow.work import Outcome, announce, perform, target_of

STEP_LIMIT_S = 2.0  # a step that takes longer is the environment's fault

Observation = dict[str, Any]


class EnterpriseWorkflowEnv:
    """One office.

    Args:
        scenario_name: one of ``SCENARIOS``.
        difficulty: ``easy``, ``medium`` or ``hard``.
        seed: of everything that is drawn.
        odds: other chances of chaos than the difficulty's.
        clock: tells seconds; for tests.

    Raises:
        UsageError: there is no such scenario or difficulty.
    """

    def __init__(
        self,
        scenario_name: str = "sales_pipeline",
        difficulty: str = "easy",
        seed: int = 0,
        *,
        odds: Odds | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.scenario = find_scenario(text_of(scenario_name, "task_name"))
        if text_of(difficulty, "difficulty") not in set(Difficulty):
            raise UsageError(f"there is no difficulty {difficulty!r}", hint=f"One of: {', '.join(Difficulty)}.")
        self.difficulty = Difficulty(difficulty)
        self.seed = seed
        self._odds = odds or ODDS[self.difficulty]
        self._clock = clock
        self.__office: Office | None = None

    # --- the classic form ---------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> Observation:
        """Open the office anew and see the desk.

        Args:
            seed: of this and the following episodes, where it is to be another one.
        """
        if seed is not None:
            self.seed = seed
        drifts = plan_drifts(self.scenario, self.difficulty, self.seed)
        office = self.__office = open_office(self.scenario, self.difficulty, self.seed, drifts)
        self.__chaos = Chaos(f"{self.scenario.name}:{self.difficulty.value}:{self.seed}", self._odds)
        self.__referee = Referee()
        self.__reasons = Reasons.none()
        self.__counts: Counter[str] = Counter()
        self.__return = 0.0
        self.__done = False
        self.__fault: str | None = None
        self.__events: tuple[str, ...] = ()
        self.__observation = observe(office, feedback="", answer=None, ruling=None, rewards={}, done=False)
        return self.__observation

    def step(self, action: object, agent_id: str | None = None) -> tuple[Observation, float, bool, dict[str, Any]]:
        """Let an agent act once.

        Args:
            action: 0 to 7, a label, a mapping with ``action`` and any of ``task``, ``field``, ``message``, ``reason``,
                or JSON text of one. What cannot be read is graded, never raised.
            agent_id: ``L1`` or ``L2``; by default what the action says, else L1.

        Returns:
            Observation, reward, done, and info: ``rewards`` by signal, ``ruling``, ``agent``, ``action``, ``target``, and
            at the end ``episode``. ``fault`` is set where the environment failed the agent.

        Raises:
            UsageError: the episode has not begun or is over.
        """
        if self.__office is None or self.__done:
            raise UsageError(
                "the episode is over" if self.__office else "the episode has not begun", hint="Call reset()."
            )
        started, office = self._clock(), self.__office
        command = read_command(action)
        agent = agent_id or command.agent_id or "L1"
        task = target_of(office, command) if command.action is not None else None
        could_act = office.something_to_do()
        near = task is not None and office.is_near(task)

        ruling = self.__referee.authorise(office, command, agent, task)
        if ruling.allowed:
            outcome = perform(office, command, agent, task)
        else:
            outcome = Outcome(ruling.reason, [ruling.signal] if ruling.signal else [])
        signals = ["step", *outcome.signals]
        signals += self.__reasons.judge(office, command.reason, outcome, task, near)
        conduct = self.__referee.watch(office, command, agent, effect=outcome.effect, could_act=could_act)
        signals += [each.signal for each in conduct if each.signal]

        passed, events = self._tick(office)
        signals += passed
        self.__done = not office.open_tasks or office.step >= office.pace.steps
        if self.__done and all(each.in_time for each in office.tasks.values()):
            signals.append("all_in_time")
        shown = next((each for each in (*conduct, ruling) if not each.allowed or each.signal), None)
        return self._finish(started, command, agent, task, outcome, signals, ruling, shown, events)

    def _tick(self, office: Office) -> tuple[list[str], list[str]]:
        """One step of the clock: work goes on, approvals come, chaos strikes, producers ship, deadlines pass."""
        office.step += 1
        for task in office.tasks.values():
            if task.status is Status.IN_PROGRESS and task.work_left > 0:
                task.work_left -= 1
            if task.approval is Approval.ASKED and office.step >= task.approved_at:
                task.approval = Approval.GIVEN
                announce(office, "Approvals", f"{task.id} is approved.", task.id)
        events = self.__chaos.strike(office)
        for drift in office.drifts:
            if not drift.shipped and drift.step <= office.step:
                system = office.systems[drift.service]
                before = system.version
                system.ship(drift.version)
                drift.shipped = True
                drift.relevant = any(
                    task.open and task.plan.service == drift.service and would_break(office, task, before)
                    for task in office.tasks.values()
                )
                events.append(f"drift {drift.service}: {drift.version.operator}")
        breached = [
            task for task in office.tasks.values() if task.open and not task.breached and office.step > task.due
        ]
        for task in breached:
            task.breached = True
        return ["sla_breach"] * len(breached), events

    def _finish(
        self,
        started: float,
        command: Command,
        agent: str,
        task: Task | None,
        outcome: Outcome,
        signals: list[str],
        ruling: Ruling,
        shown: Ruling | None,
        events: list[str],
    ) -> tuple[Observation, float, bool, dict[str, Any]]:
        office = self.__office
        assert office is not None
        rewards, answer = rewards_of(signals), outcome.answer
        feedback = outcome.feedback
        took = self._clock() - started
        if took > STEP_LIMIT_S:
            # Not the agent's fault: nothing of this step counts for or against it, and the episode ends here.
            self.__fault = f"the step took longer than {STEP_LIMIT_S:g} s"
            rewards, signals, answer, feedback, self.__done = {}, [], None, self.__fault, True
        self.__counts.update(signals)
        reward = round(sum(rewards.values()), 6)
        self.__return += reward
        self.__observation = observe(
            office, feedback=feedback, answer=answer, ruling=shown, rewards=rewards, done=self.__done
        )
        self.__events = tuple(events)
        info: dict[str, Any] = {
            "rewards": rewards,
            "agent": agent,
            "action": command.as_dict(),
            "target": task.id if task else None,
            "ruling": ruling.as_dict(),
            "fault": self.__fault,
        }
        if self.__done:
            info["episode"] = self.summary()
        return self.__observation, reward, self.__done, info

    # --- what there is to ask ------------------------------------------------------------------------------------

    @property
    def observation(self) -> Observation:
        """What the agent saw last.

        Raises:
            UsageError: the episode has not begun.
        """
        if self.__office is None:
            raise UsageError("the episode has not begun", hint="Call reset().")
        return self.__observation

    @property
    def done(self) -> bool:
        return self.__office is not None and self.__done

    @property
    def state(self) -> dict[str, Any]:
        """What may be asked at any time; nothing of it is hidden from the agent."""
        office = self.__office
        return {
            "scenario": self.scenario.name,
            "difficulty": self.difficulty.value,
            "step_count": office.step if office else 0,
            "total_reward": round(self.__return, 6) if office else 0.0,
            "done": self.done,
            "score": round(self.scores.total, 6) if self.done else None,
            "fault": self.__fault if office else None,
        }

    @property
    def referee_log(self) -> tuple[dict[str, object], ...]:
        """Every decision of the referee so far."""
        return tuple(ruling.as_dict() for ruling in self.__referee.log) if self.__office else ()

    @property
    def events(self) -> tuple[str, ...]:
        """What chaos and producers did in the last step: for transcripts and teachers, not for those who act."""
        return self.__events if self.__office else ()

    @property
    def scores(self) -> Scores:
        """The five dimensions as far as the episode has come; for those who grade, not for those who act."""
        if self.__office is None:
            raise UsageError("the episode has not begun", hint="Call reset().")
        return score(self.__office, self.__counts, self.__reasons.share)

    def summary(self) -> Episode:
        """The episode in numbers, the truth about its drifts included; for those who grade."""
        if self.__office is None:
            raise UsageError("the episode has not begun", hint="Call reset().")
        return summarise(self.__office, self.__counts, self.__return, self.scores, self.__fault)

    def render(self, mode: str = "human") -> str | None:
        """Draw the desk: in the terminal with rich (``human``), or as text (``ansi``)."""
        from guardian.learn.workflow.render import draw, write

        if mode == "ansi":
            return write(self.observation)
        draw(self.observation)
        return None

    def close(self) -> None:
        """Shut the office; there is nothing to give back."""
        self.__office = None
