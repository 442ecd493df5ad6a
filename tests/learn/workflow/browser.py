"""Headless Chromium over its own debugging protocol: enough to click, to read and to take a picture."""

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

from websockets.sync.client import connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page in a browser of its own."""

    def __init__(self, profile: Path, size: tuple[int, int] = (1300, 1000)) -> None:
        assert CHROMIUM
        self._process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}", "about:blank"],
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
