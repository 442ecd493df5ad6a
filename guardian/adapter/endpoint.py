"""An OpenAI-compatible endpoint: one question, one answer in the asked JSON form, with a time limit and retries."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from guardian.adapter.exchange import Clock, CutError, Reply, TooLargeError, TooSlowError, exchange
from guardian.errors import ReadError, UsageError

Json = dict[str, Any]

#: The variable that holds the key of an endpoint that asks for one.
KEY_VARIABLE = "GUARDIAN_MODEL_KEY"

_TOO_MANY = 429
# Further tries for a server that is asked too much at once: it says itself when to come again.
_PATIENCE = 6
# Statuses of a question that the server does not take, where it may well take the next one.
_OF_THE_QUESTION = (400, 413, 422)
# What a server that cannot answer in a schema's form says that it does not know.
_FORM_WORDS = (b"response_format", b"json_schema")


class RefusedError(ReadError):
    """This one question is not taken: too long, say."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers.

    Attributes:
        url: up to and with ``/v1``.
        name: the model, or the LoRA adapter, as the server lists it.
        timeout_s: seconds for one answer, all tries together.
        retries: further tries after a fault of the server or the network.
        max_tokens: of an answer.
    """

    url: str
    name: str
    timeout_s: float = 60.0
    retries: int = 2
    temperature: float = 0.0
    max_tokens: int = 512
    _formless: threading.Event = field(default_factory=threading.Event, repr=False, compare=False)
    """Set once the server has said that it knows no form of answers."""

    def __post_init__(self) -> None:
        before_path = self.url.partition("://")[2].partition("/")[0]
        if "@" in before_path or "?" in self.url or "#" in self.url:  # not shown: there may be a secret in it
            raise UsageError(
                "the model's address has a user's name, a password or a query in it",
                hint=f"give its key in the variable {KEY_VARIABLE}, and an address like http://localhost:8000/v1",
            )
        try:
            parts = urlsplit(self.url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise UsageError(f"{self.url} is no http address", hint="for example http://localhost:8000/v1")
        _key()

    def ask(self, messages: list[Json], schema: Json) -> str:
        """The text of the answer, constrained to the schema where the server can do that.

        Raises:
            RefusedError: the server does not take this question.
            ReadError: the server cannot be reached, refuses, or answers in no known form.
        """
        body: Json = {
            "model": self.name,
            "messages": messages,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }
        form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        with Clock(self.timeout_s) as clock:
            try:
                answer = self._asked(body if self._formless.is_set() else {**body, "response_format": form}, clock)
            except _FormError:
                self._formless.set()
                answer = self._asked(body, clock)
        try:
            content = answer["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            raise ReadError(f"{self.url} answers in a form that is not the OpenAI API's") from None
        return content if isinstance(content, str) else ""

    def _asked(self, body: Json, clock: Clock) -> Any:
        return self._sent(self._request("chat/completions", json.dumps(body).encode()), clock, self.retries)

    def who(self) -> str:
        """Which model is served under this name, as far as the server tells and tells the same each time.

        vLLM gives the folder of weights or adapter and what it is an adapter of. When it was made is left out: vLLM says
        the time of the request.

        Raises:
            ReadError: nothing comes in the time of an answer, so nobody need be asked.
        """
        try:
            with Clock(self.timeout_s) as clock:
                listed = self._sent(self._request("models"), clock, 0)
            own = next(each for each in listed["data"] if each["id"] == self.name)
            told = {key: own.get(key) for key in ("root", "parent")}
        except _SlowError:
            raise
        except (ReadError, StopIteration, KeyError, TypeError, AttributeError):
            told = {}  # not every server has such a list
        return json.dumps([self.url, self.name, told], sort_keys=True)

    def _request(self, path: str, data: bytes | None = None) -> urllib.request.Request:
        headers = {"Content-Type": "application/json"} if data is not None else {}
        if key := _key():
            headers["Authorization"] = f"Bearer {key}"
        try:
            return urllib.request.Request(f"{self.url.rstrip('/')}/{path}", data=data, headers=headers)
        except ValueError as error:
            raise UsageError(f"{self.url} is no http address: {error}") from None

    def _sent(self, request: urllib.request.Request, clock: Clock, retries: int) -> Any:
        """What a request is answered with; tried again after a fault of the server or the network while there is time."""
        attempt = 0
        while True:
            pause_s = 0.5 * 2**attempt
            try:
                reply = exchange(request, clock)
            except TooSlowError:
                # A server that had all its time would only be given the same work once more.
                raise _SlowError(f"{self.url} does not answer within {self.timeout_s:g} s") from None
            except TooLargeError:
                raise ReadError(f"{self.url} sends more than any answer can be") from None
            except CutError:
                trouble = "breaks off in the middle of its answer"
            except (OSError, ValueError, http.client.HTTPException) as error:
                trouble = f"cannot be reached: {getattr(error, 'reason', None) or error or type(error).__name__}"
            else:
                if reply.status < 300:
                    return self._json(reply.body)
                trouble = self._refusal(reply)
                if reply.status == _TOO_MANY:
                    retries = max(retries, _PATIENCE) if retries else 0
                    pause_s = _seconds(reply.retry_after, pause_s)
                    if pause_s > clock.left_s:
                        retries = 0  # it would not answer earlier
                elif reply.status in _OF_THE_QUESTION:
                    kind = _FormError if any(word in reply.body for word in _FORM_WORDS) else RefusedError
                    raise kind(f"{self.url} {trouble}")
                elif reply.status < 500:
                    retries = 0
            if attempt >= retries:
                raise ReadError(f"{self.url} {trouble}")
            time.sleep(min(pause_s, clock.left_s))
            attempt += 1

    def _refusal(self, reply: Reply) -> str:
        if reply.location:
            return f"redirects to {reply.location}, which is not followed: if that is right, name it as the model's URL"
        return f"refuses: {reply.status} {reply.body.decode('utf-8', 'replace')}".rstrip()

    def _json(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            said = " ".join(body[:80].decode("utf-8", "replace").split())
            what = f"what is no JSON: {said}" if said else "nothing"
            raise ReadError(f"{self.url} answers {what}") from None


class _SlowError(ReadError):
    """The time for an answer is over."""


class _FormError(RefusedError):
    """The server knows no form of answers."""


def _key() -> str:
    """The key of the endpoint, without the line's end that a file of secrets leaves; empty where there is none.

    Raises:
        UsageError: it cannot be sent. It is not shown, and whoever sends it would show it.
    """
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError(
            f"the variable {KEY_VARIABLE} holds characters that no HTTP header takes",
            hint="put the key into it as it was given out, and nothing else",
        )
    return key


def _seconds(retry_after: str, otherwise: float) -> float:
    """How long a server wants to be left alone (RFC 9110, section 10.2.3)."""
    if retry_after.strip().isdecimal():
        return float(retry_after)
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, TypeError):
        return otherwise
