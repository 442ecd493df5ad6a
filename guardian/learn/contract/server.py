"""The contract environment over HTTP and WebSocket: OpenEnv's own server, stateful HTTP beside it, and the page.

``POST /reset``, ``/step`` and ``GET /state`` keep an episode under its id (OpenEnv's are stateless and are replaced);
WebSocket sessions, ``/health``, ``/schema`` and ``/metadata`` are OpenEnv's. What a client sends is graded, or refused
with a sentence, never a 500.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse

from guardian.errors import UsageError
from guardian.learn.contract.environment import Scenarios
from guardian.learn.contract.sessions import MAX_SESSIONS, Ended, Sessions, Unknown
from guardian.learn.contract.tasks import DIFFICULTIES, TASKS

Json = dict[str, Any]

MAX_BODY = 512 * 1024  # bytes of one request: a patch may be large
MAX_SEED = 2**53  # what JSON carries exactly
STEP_LIMIT_S = 60
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


def contract_router(sessions: Sessions) -> APIRouter:
    """The stateful routes and the page."""
    router = APIRouter()

    async def answered(work: Callable[[], Any]) -> JSONResponse:
        """The work's answer, in time: it runs in a thread, and a client does not wait for one that hangs."""
        try:
            return JSONResponse(await asyncio.wait_for(asyncio.to_thread(work), timeout=STEP_LIMIT_S))
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
        """Open an episode: ``task_name``, ``seed``, ``difficulty``; all optional."""
        body = await _body(request)
        return await answered(lambda: sessions.open(*_which(_mapping(body))))

    @router.post("/step")
    async def step(request: Request) -> JSONResponse:
        """Take one action: ``action`` and ``episode_id``."""
        body = await _body(request)

        def work() -> Json:
            said = _mapping(body)
            return sessions.step(said.get("episode_id"), said.get("action"))

        return await answered(work)

    @router.get("/state")
    async def state(episode_id: str | None = None) -> JSONResponse:
        """Where an episode is."""
        return await answered(lambda: sessions.state(episode_id))

    @router.get("/tasks")
    async def tasks() -> JSONResponse:
        """What there is to play."""
        listed = [{"name": each.name, "max_steps": each.max_steps} for each in TASKS.values()]
        return JSONResponse({"tasks": listed, "difficulties": list(DIFFICULTIES)})

    @router.get("/", response_class=HTMLResponse, include_in_schema=False)
    async def page() -> HTMLResponse:
        headers = {"Content-Security-Policy": _PAGE_POLICY, "X-Content-Type-Options": "nosniff"}
        return HTMLResponse(_page(), headers=headers)

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
    router = contract_router(Sessions(shared, max_sessions))
    own = {getattr(route, "path", None) for route in router.routes}
    app.router.routes[:] = [route for route in app.router.routes if getattr(route, "path", None) not in own]
    app.include_router(router)
    return app


# -- requests --------------------------------------------------------------------------------------------------------------


async def _body(request: Request) -> Any:
    """The JSON of a request, or the refusal that its reader will raise."""
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


def _which(body: Mapping[str, Any]) -> tuple[str | None, int | None, str | None]:
    task, seed, difficulty = body.get("task_name"), body.get("seed"), body.get("difficulty")
    if not isinstance(task, str | None) or not isinstance(difficulty, str | None):
        raise Refused(422, "task_name and difficulty must be texts")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or abs(seed) >= MAX_SEED):
        raise Refused(422, "seed must be a whole number")
    return task, seed, difficulty


def _sentence(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"detail": sentence}, status_code=status)


@cache
def _page() -> str:
    return (Path(__file__).parent / "page.html").read_text(encoding="utf-8")
