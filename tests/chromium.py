"""Headless Chromium: a page's document after its scripts, or a page to click, to read and to take a picture of."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# What a browser does of itself, asking its makers for news and updates, is not wanted here.
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

in_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def document(page: str, folder: Path, size: tuple[int, int] = (1440, 900)) -> str:
    """A page's document after its scripts have run; it is opened as a file of ``folder``."""
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    return subprocess.run(
        [*_command(folder / "profile", size), "--dump-dom", file.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip


def _command(profile: Path, size: tuple[int, int]) -> list[str]:
    assert CHROMIUM
    return [CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}"]


class Browser:
    """One page in a browser of its own, over the browser's debugging protocol."""

    def __init__(self, profile: Path, size: tuple[int, int] = (1300, 1000)) -> None:
        from websockets.sync.client import connect

        self._process = subprocess.Popen(
            [*_command(profile, size), "--remote-debugging-port=0", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        port_file = profile / "DevToolsActivePort"
        self._wait(lambda: port_file.is_file() and port_file.read_text().count("\n") >= 1)
        port = port_file.read_text().split("\n")[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            page = next(each for each in json.load(answer) if each["type"] == "page")
        self._socket = connect(page["webSocketDebuggerUrl"], max_size=None)
        self._ids = itertools.count(1)
        self.errors: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    def open(self, address: str) -> None:
        self._ask("Page.navigate", url=address)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        found = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression holds."""
        self._wait(lambda: bool(self.evaluate(expression)), expression)

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def close(self) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(timeout=20)

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=60))
            if message.get("method") == "Runtime.exceptionThrown":
                self.errors.append(str(message["params"]["exceptionDetails"]))
            if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.errors.append(message["params"]["entry"]["text"])
            if message.get("id") == number:
                assert "error" not in message, message
                return dict(message["result"])

    @staticmethod
    def _wait(holds: Any, what: str = "the browser") -> None:
        for _ in range(600):
            if holds():
                return
            time.sleep(0.1)
        raise AssertionError(f"waited in vain for: {what}")
