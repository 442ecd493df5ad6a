"""What both servers share: bodies are read, work is answered in time, and what cannot be met is refused in words.

Imported only where openenv is installed.
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
from guardian.learn.plain import NotPlain, read_json
from guardian.learn.sessions import Ended, Unknown

_PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
}


class Refused(Exception):
    """A request that cannot be answered: status and sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


async def body_of(request: Request, most: int) -> Any:
    """The JSON of a request, or the refusal that ``mapping`` will raise.

    Args:
        most: bytes that it may have.
    """
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > most:
            return Refused(413, f"a request has at most {most} bytes")
    if not data.strip():
        return {}
    try:
        return read_json(data)
    except NotPlain as error:
        return Refused(422, f"the body {error}")


def mapping(body: Any) -> Mapping[str, Any]:
    """A body that is an object.

    Raises:
        Refused: it is none, or could not be read.
    """
    if isinstance(body, Refused):
        raise body
    if not isinstance(body, Mapping):
        raise Refused(422, "the body must be a JSON object")
    return body


async def answered(work: Callable[[], Any], within_s: float) -> JSONResponse:
    """The work's answer, in time: it runs in a thread, and a client does not wait for one that hangs."""
    try:
        return JSONResponse(await asyncio.wait_for(asyncio.to_thread(work), timeout=within_s))
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


def page_in(folder: Path) -> HTMLResponse:
    """The page of an environment, which loads nothing from elsewhere."""
    return HTMLResponse(_page(folder / "page.html"), headers=_PAGE_HEADERS)


def put_before(app: FastAPI, router: APIRouter) -> None:
    """Replace the application's routes by those of the router that have the same path."""
    own = {getattr(route, "path", None) for route in router.routes}
    app.router.routes[:] = [route for route in app.router.routes if getattr(route, "path", None) not in own]
    app.include_router(router)


def _sentence(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"detail": sentence}, status_code=status)


@cache
def _page(file: Path) -> str:
    return file.read_text(encoding="utf-8")
