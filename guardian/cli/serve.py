"""``guardian serve``: the learning environments over HTTP and WebSocket, with a page to play by hand."""

from __future__ import annotations

import os
import socket
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.output import remark
from guardian.errors import UsageError

app = new_app()

#: Bytes of one WebSocket message: a patch may be large.
MAX_MESSAGE = 1024 * 1024


class EnvName(StrEnum):
    """The environments."""

    CONTRACT = "contract"
    WORKFLOW = "workflow"


@app.command()
def serve(
    env: Annotated[EnvName, typer.Option(help="Which environment.")] = EnvName.CONTRACT,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any free one.")] = 8000,
    sessions: Annotated[int, typer.Option(min=1, max=4096, help="Episodes at a time.")] = 256,
    graph: Annotated[
        Path | None, typer.Option(help="contract: play in the company of this guardian.yaml.", dir_okay=False)
    ] = None,
    split: Annotated[
        str, typer.Option(help="contract: vocabularies of generated companies, train or heldout.")
    ] = "train",
) -> None:
    """Serve a learning environment: /health, /reset, /step, /state, /ws, and a page at /."""
    try:
        import uvicorn

        from guardian.learn.server import make_app
    except ImportError as error:
        raise UsageError(f"guardian serve needs {error.name}", hint="pip install 'contract-guardian[train]'") from None
    served = make_app(env.value, graph=graph, split=split, max_sessions=sessions)
    config = uvicorn.Config(served, log_level="warning", ws_max_size=MAX_MESSAGE)
    with _listening(host, port) as heard:
        remark("info", f"the {env.value} environment is at {_url(heard)}; Ctrl-C ends it")
        try:
            uvicorn.Server(config).run(sockets=[heard])
        except KeyboardInterrupt:
            return


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens there already, so that what is told of it is true.

    Raises:
        UsageError: there is no such address here, or the port is taken or not ours.
    """
    heard: socket.socket | None = None
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        heard = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would share a port that is taken
            heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        heard.bind(address)
        heard.listen(2048)
    except (OSError, UnicodeError) as error:
        if heard is not None:
            heard.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot listen at port {port} of {host}: {reason}",
            hint="name another --port or --host; --port 0 takes any free one",
        ) from None
    return heard


def _url(heard: socket.socket) -> str:
    host, port = heard.getsockname()[:2]
    return f"http://[{host}]:{port}/" if heard.family is socket.AF_INET6 else f"http://{host}:{port}/"
