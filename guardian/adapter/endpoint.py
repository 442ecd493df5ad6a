"""An OpenAI-compatible endpoint: one question, one answer in the asked JSON form, with a time limit and retries."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from guardian.errors import ReadError, UsageError

Json = dict[str, Any]

_LARGEST = 4_000_000  # bytes of an answer


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers.

    Attributes:
        url: up to and with ``/v1``.
        name: the model, or the LoRA adapter, as the server lists it.
        timeout_s: seconds for one answer.
        retries: further tries after a fault of the server or the network; none after a time that ran out.
        max_tokens: of an answer.
    """

    url: str
    name: str
    timeout_s: float = 60.0
    retries: int = 2
    temperature: float = 0.0
    max_tokens: int = 512

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme not in ("http", "https"):
            raise UsageError(f"{self.url} is no http address", hint="for example http://localhost:8000/v1")

    def ask(self, messages: list[Json], schema: Json) -> str:
        """The text of the answer, constrained to the schema where the server can do that.

        Raises:
            ReadError: the server cannot be reached, refuses, or answers in no known form.
        """
        body = {
            "model": self.name,
            "messages": messages,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
        }
        answer = self._post(json.dumps(body).encode())
        try:
            content = answer["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            raise ReadError(f"{self.url} answers in a form that is not the OpenAI API's") from None
        return content if isinstance(content, str) else ""

    def _post(self, data: bytes) -> Any:
        request = urllib.request.Request(
            f"{self.url.rstrip('/')}/chat/completions", data=data, headers={"Content-Type": "application/json"}
        )
        for attempt in range(self.retries + 1):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout_s) as response:
                    return json.loads(_read(response, time.monotonic() + self.timeout_s))
            except urllib.error.HTTPError as error:
                said = error.read(500).decode("utf-8", "replace")
                if error.code < 500 or attempt == self.retries:
                    raise ReadError(f"{self.url} refuses: {error.code} {said}") from None
            except (OSError, ValueError, RecursionError, http.client.HTTPException) as error:
                # A server that had all its time would only be given the same work once more.
                slow = isinstance(error, TimeoutError) or isinstance(getattr(error, "reason", None), TimeoutError)
                if slow or attempt == self.retries:
                    raise ReadError(f"{self.url} cannot be reached: {error}") from None
            time.sleep(0.5 * 2**attempt)
        raise AssertionError("unreachable: the last try returns or raises")


def _read(response: http.client.HTTPResponse, deadline: float) -> bytes:
    """The body, within the time of one answer: a server that trickles keeps every single read short.

    Raises:
        OSError: it takes too long, or is larger than any answer.
    """
    found = b""
    while part := response.read1(65_536):
        found += part
        if time.monotonic() > deadline:
            raise TimeoutError("the answer takes too long")
        if len(found) > _LARGEST:
            raise OSError("the answer is larger than any answer can be")
    return found
