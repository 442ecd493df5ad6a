"""A small server that speaks the OpenAI chat API over real HTTP, and says what a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Say = Callable[[str, dict[str, Any]], str | bytes]
"""The question and the schema of the answer, to the model's text; bytes are the body of the whole response."""


class Talker:
    """Where it is, and what it was asked."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.asked: list[dict[str, Any]] = []
        self.hold = threading.Event()
        """Whoever waits for it waits until the test is over: a model that never answers."""

    @property
    def questions(self) -> list[str]:
        return [each["messages"][-1]["content"] for each in self.asked]


@contextmanager
def talking(say: Say) -> Iterator[Talker]:
    """A server for a while."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            talker.asked.append(asked)
            said = say(asked["messages"][-1]["content"], asked["response_format"]["json_schema"]["schema"])
            body = said if isinstance(said, bytes) else answered(said)
            self.send_response(200 if self.path == "/v1/chat/completions" else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            pass  # who asked has gone away

    http = Server(("127.0.0.1", 0), Handler)
    talker = Talker(http.server_port)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield talker
    finally:
        talker.hold.set()
        http.shutdown()
        thread.join()
        http.server_close()


def answered(text: str) -> bytes:
    """A response of the chat API."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


def answer(question: str, schema: dict[str, Any], **by_kind: Any) -> str:
    """An answer by the kind of question: ``changed``, ``renames``, ``affected``, ``strategy``, ``patch``.

    A kind that is not given says that there is nothing.
    """
    properties = schema["properties"]
    if "changed" in properties:
        return json.dumps({"changed": by_kind.get("changed", [])})
    if "renames" in properties:
        return json.dumps({"renames": by_kind.get("renames", [])})
    if "affected" in properties:
        return json.dumps({"affected": by_kind.get("affected", [])})
    if "json_patch" in properties["patch"]["properties"]:
        return json.dumps({"strategy": by_kind.get("by", "dual_write"), "patch": by_kind.get("patch", {})})
    return json.dumps(by_kind.get("strategy", {"strategy": "consumer_patch", "patch": {}}))
