"""The workflow environment over HTTP and WebSocket: OpenEnv's own server, stateful HTTP beside it, and the page.

``POST /reset``, ``/step`` and ``GET /state`` keep an episode under its id (OpenEnv's are stateless and are replaced);
WebSocket sessions, ``/health``, ``/schema`` and ``/metadata`` are OpenEnv's. ``POST /simulate`` plays a whole episode by a
named policy. What a client sends is graded or refused with a sentence, never a 500.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse

from guardian.errors import UsageError
from guardian.learn.workflow.actions import Action
from guardian.learn.workflow.environment import STEP_LIMIT_S, EnterpriseWorkflowEnv
from guardian.learn.workflow.policies import POLICIES, Policy
from guardian.learn.workflow.scenarios import SCENARIOS, Difficulty
from guardian.learn.workflow.sessions import MAX_SESSIONS, Ended, Sessions, Unknown
from guardian.learn.workflow.transcripts import take_step

MAX_BODY = 64 * 1024  # bytes of one request
MAX_SEED = 2**53
_PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Refused(Exception):
    """A request that cannot be answered: status and sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


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

    async def answered(work: Callable[[], Any]) -> JSONResponse:
        """The work's answer, in time: it runs in a thread, and a client does not wait for one that hangs."""
        try:
            return JSONResponse(await asyncio.wait_for(asyncio.to_thread(work), timeout=2 * STEP_LIMIT_S))
        except TimeoutError:
            return _sentence(503, "the environment did not answer in time; this is not the agent's fault")
        except Refused as refused:
            return _sentence(refused.status, refused.sentence)
        except Unknown:
            return _sentence(404, "there is no such episode; POST /reset opens one and says its episode_id")
        except Ended:
            return _sentence(409, "the episode is over; POST /reset opens another")
        except UsageError as error:
            return _sentence(422, str(error))

    @router.post("/reset")
    async def reset(request: Request) -> JSONResponse:
        """Open an episode: ``task_name``, ``difficulty``, ``seed``; all optional."""
        body = await _body(request)
        return await answered(lambda: kept.open(*_which(body)))

    @router.post("/step")
    async def step(request: Request) -> JSONResponse:
        """Act once: ``action`` and ``episode_id``."""
        body = await _body(request)

        def work() -> Any:
            found = _mapping(body)
            return kept.step(found.get("episode_id"), found.get("action"))

        return await answered(work)

    @router.get("/state")
    async def state(episode_id: str | None = None) -> JSONResponse:
        """Where an episode stands, and what the referee decided."""
        return await answered(lambda: kept.state(episode_id))

    @router.post("/simulate")
    async def simulate(request: Request) -> JSONResponse:
        """A whole episode by a named policy: ``policy``, ``task_name``, ``difficulty``, ``seed``, ``trace``."""
        body = await _body(request)
        return await answered(lambda: _simulate(_mapping(body), policies))

    @router.get("/", response_class=HTMLResponse, include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(
            _page(), headers={"Content-Security-Policy": _PAGE_POLICY, "X-Content-Type-Options": "nosniff"}
        )

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
    router = workflow_router(Sessions(max_sessions), policies)
    own = {getattr(route, "path", None) for route in router.routes}
    app.router.routes[:] = [route for route in app.router.routes if getattr(route, "path", None) not in own]
    app.include_router(router)
    return app


# --- requests -----------------------------------------------------------------------------------------------------


async def _body(request: Request) -> Any:
    """The JSON of a request, or the refusal that its reader will raise."""
    import json

    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > MAX_BODY:
            return Refused(413, f"a request has at most {MAX_BODY} bytes")
    if not data.strip():
        return {}
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return Refused(422, "the body is not JSON")


def _mapping(body: Any) -> Mapping[str, Any]:
    if isinstance(body, Refused):
        raise body
    if not isinstance(body, Mapping):
        raise Refused(422, "the body must be a JSON object")
    return body


def _which(raw: Any) -> tuple[str, str, int | None]:
    body = _mapping(raw)
    scenario = body.get("task_name") or body.get("scenario_name") or "sales_pipeline"
    difficulty, seed = body.get("difficulty") or "easy", body.get("seed")
    if not isinstance(scenario, str) or not isinstance(difficulty, str):
        raise Refused(422, "task_name and difficulty must be texts")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or abs(seed) >= MAX_SEED):
        raise Refused(422, "seed must be a whole number")
    return scenario, difficulty, seed


def _simulate(body: Mapping[str, Any], policies: Mapping[str, Callable[[], Policy]]) -> Mapping[str, Any]:
    name = body.get("policy") or "adaptive"
    if name not in policies:
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


def _sentence(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"detail": sentence}, status_code=status)


@cache
def _page() -> str:
    return (Path(__file__).parent / "page.html").read_text(encoding="utf-8")
