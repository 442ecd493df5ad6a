"""The contract environment over HTTP and WebSocket: OpenEnv's own server, stateful HTTP beside it, and the page.

``POST /reset``, ``/step`` and ``GET /state`` keep an episode under its id (OpenEnv's are stateless and are replaced);
WebSocket sessions, ``/health``, ``/schema`` and ``/metadata`` are OpenEnv's. What a client sends is graded, or refused
with a sentence, never a 500.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse

from guardian.learn.contract.environment import Scenarios
from guardian.learn.contract.sessions import Sessions
from guardian.learn.contract.tasks import DIFFICULTIES, TASKS
from guardian.learn.plain import seed_of
from guardian.learn.serving import answered, body_of, mapping, page_in, put_before
from guardian.learn.sessions import MAX_SESSIONS

Json = dict[str, Any]

MAX_BODY = 512 * 1024  # bytes of one request: a patch may be large
STEP_LIMIT_S = 60


def contract_router(sessions: Sessions) -> APIRouter:
    """The stateful routes and the page."""
    router = APIRouter()

    @router.post("/reset")
    async def reset(request: Request) -> JSONResponse:
        """Open an episode: ``task_name``, ``seed``, ``difficulty``; all optional."""
        body = await body_of(request, MAX_BODY)
        return await answered(lambda: sessions.open(*_which(mapping(body))), STEP_LIMIT_S)

    @router.post("/step")
    async def step(request: Request) -> JSONResponse:
        """Take one action: ``action`` and ``episode_id``."""
        body = await body_of(request, MAX_BODY)

        def work() -> Json:
            said = mapping(body)
            return sessions.step(said.get("episode_id"), said.get("action"))

        return await answered(work, STEP_LIMIT_S)

    @router.get("/state")
    async def state(episode_id: str | None = None) -> JSONResponse:
        """Where an episode is."""
        return await answered(lambda: sessions.state(episode_id), STEP_LIMIT_S)

    @router.get("/tasks")
    async def tasks() -> JSONResponse:
        """What there is to play."""
        listed = [{"name": each.name, "max_steps": each.max_steps} for each in TASKS.values()]
        return JSONResponse({"tasks": listed, "difficulties": list(DIFFICULTIES)})

    @router.get("/", response_class=HTMLResponse, include_in_schema=False)
    async def page() -> HTMLResponse:
        return page_in(Path(__file__).parent)

    return router


def create_contract_app(scenarios: Scenarios | None = None, *, max_sessions: int = MAX_SESSIONS) -> FastAPI:
    """The whole server.

    Args:
        scenarios: where scenarios come from; generated training companies where not given.
        max_sessions: HTTP episodes, and WebSocket sessions, at a time.
    """
    from openenv.core.env_server.http_server import create_app

    from guardian.learn.contract.openenv import ContractAction, ContractEnvironment, ContractObservation, ContractState

    shared = scenarios or Scenarios()
    app: FastAPI = create_app(
        lambda: ContractEnvironment(shared), ContractAction, ContractObservation, env_name="guardian_contract",
        max_concurrent_envs=max_sessions, state_cls=ContractState,
    )  # fmt: skip
    put_before(app, contract_router(Sessions(shared, max_sessions)))
    return app


def _which(body: Mapping[str, Any]) -> tuple[Any, int | None, Any]:
    """Task, seed and difficulty; the environment says what they may be."""
    return body.get("task_name"), seed_of(body.get("seed")), body.get("difficulty")
