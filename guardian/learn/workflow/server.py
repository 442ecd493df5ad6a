"""The workflow environment over HTTP and WebSocket: OpenEnv's own server, stateful HTTP beside it, and the page.

``POST /reset``, ``/step`` and ``GET /state`` keep an episode under its id (OpenEnv's are stateless and are replaced);
WebSocket sessions, ``/health``, ``/schema`` and ``/metadata`` are OpenEnv's. ``POST /simulate`` plays a whole episode by a
named policy. What a client sends is graded or refused with a sentence, never a 500.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse

from guardian.learn.plain import seed_of
from guardian.learn.serving import Refused, answered, body_of, mapping, page_in, put_before
from guardian.learn.sessions import MAX_SESSIONS
from guardian.learn.workflow.actions import Action
from guardian.learn.workflow.environment import STEP_LIMIT_S, EnterpriseWorkflowEnv
from guardian.learn.workflow.policies import POLICIES, Policy
from guardian.learn.workflow.scenarios import SCENARIOS, Difficulty
from guardian.learn.workflow.sessions import Sessions
from guardian.learn.workflow.transcripts import take_step

MAX_BODY = 64 * 1024  # bytes of one request
WITHIN_S = 2 * STEP_LIMIT_S


def workflow_router(
    sessions: Sessions | None = None, policies: Mapping[str, Callable[[], Policy]] = POLICIES
) -> APIRouter:
    """The stateful routes, ``/simulate`` and the page.

    Args:
        sessions: where episodes are kept.
        policies: which may be named in ``/simulate``.
    """
    router = APIRouter()
    kept = sessions or Sessions()

    @router.post("/reset")
    async def reset(request: Request) -> JSONResponse:
        """Open an episode: ``task_name``, ``difficulty``, ``seed``; all optional."""
        body = await body_of(request, MAX_BODY)
        return await answered(lambda: kept.open(*_which(mapping(body))), WITHIN_S)

    @router.post("/step")
    async def step(request: Request) -> JSONResponse:
        """Act once: ``action`` and ``episode_id``; ``agent_id`` beside them or in the action."""
        body = await body_of(request, MAX_BODY)

        def work() -> Any:
            found = mapping(body)
            return kept.step(found.get("episode_id"), found.get("action"), found.get("agent_id"))

        return await answered(work, WITHIN_S)

    @router.get("/state")
    async def state(episode_id: str | None = None) -> JSONResponse:
        """Where an episode stands, and what the referee decided."""
        return await answered(lambda: kept.state(episode_id), WITHIN_S)

    @router.post("/simulate")
    async def simulate(request: Request) -> JSONResponse:
        """A whole episode by a named policy: ``policy``, ``task_name``, ``difficulty``, ``seed``, ``trace``."""
        body = await body_of(request, MAX_BODY)
        return await answered(lambda: _simulate(mapping(body), policies), WITHIN_S)

    @router.get("/", response_class=HTMLResponse, include_in_schema=False)
    async def page() -> HTMLResponse:
        return page_in(Path(__file__).parent)

    @router.get("/scenarios")
    async def scenarios() -> JSONResponse:
        """What there is to play."""
        return JSONResponse(
            {
                "scenarios": [
                    {"name": each.name, "title": each.title, "story": each.story} for each in SCENARIOS.values()
                ],
                "difficulties": [each.value for each in Difficulty],
                "policies": list(policies),
                "actions": [each.label for each in Action],
            }
        )

    return router


def create_workflow_app(
    *, max_sessions: int = MAX_SESSIONS, policies: Mapping[str, Callable[[], Policy]] = POLICIES
) -> FastAPI:
    """The whole server.

    Args:
        max_sessions: HTTP episodes, and WebSocket sessions, at a time.
        policies: which may be named in ``/simulate``.
    """
    from openenv.core.env_server.http_server import create_app

    from guardian.learn.workflow.openenv import WorkflowAction, WorkflowEnvironment, WorkflowObservation, WorkflowState

    app: FastAPI = create_app(
        WorkflowEnvironment, WorkflowAction, WorkflowObservation, env_name="guardian_workflow",
        max_concurrent_envs=max_sessions, state_cls=WorkflowState,
    )  # fmt: skip
    put_before(app, workflow_router(Sessions(max_sessions), policies))
    return app


# --- requests -----------------------------------------------------------------------------------------------------


def _which(body: Mapping[str, Any]) -> tuple[Any, Any, int | None]:
    """Scenario, difficulty and seed; the environment says what they may be."""
    scenario = body.get("task_name") or body.get("scenario_name") or "sales_pipeline"
    return scenario, body.get("difficulty") or "easy", seed_of(body.get("seed"))


def _simulate(body: Mapping[str, Any], policies: Mapping[str, Callable[[], Policy]]) -> Mapping[str, Any]:
    name = body.get("policy") or "adaptive"
    if not isinstance(name, str) or name not in policies:
        raise Refused(422, f"there is no such policy; one of: {', '.join(policies)}")
    scenario, difficulty, seed = _which(body)
    env, policy = EnterpriseWorkflowEnv(scenario, difficulty, seed or 0), policies[name]()
    policy.reset(seed or 0)
    first = env.reset()
    trace = body.get("trace", True) is not False
    steps: list[dict[str, Any]] = []
    while not env.done:
        step, _ = take_step(env, policy.act(env.observation))
        if trace:
            steps.append({**step.as_dict(), "observation": env.observation})
    answer: dict[str, Any] = {"policy": name, "episode": env.summary().as_dict()}
    if trace:
        answer |= {"start": first, "steps": steps, "referee": list(env.referee_log)}
    return answer
