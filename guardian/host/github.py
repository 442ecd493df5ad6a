"""The comments of a pull request through GitHub's REST API, as a client that knows when to stop.

Rate limits and server errors are retried a few times and not for long; redirects are not followed, and a page of
another server is not asked for, so that the token reaches nobody else.
https://docs.github.com/rest/issues/comments
"""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import Any
from urllib.parse import quote, urlsplit

ATTEMPTS = 4
"""Times that one request is made at most."""
LONGEST_WAIT_S = 30.0
"""Longest wait before another attempt, in seconds; a server that asks for more is not asked again."""

_TIMEOUT_S = 30
_PAGE = 100  # the most that GitHub gives
_MAX_BYTES = 64 * 1024 * 1024
_NEXT = re.compile(r'<([^<>]*)>\s*;[^,]*\brel="?next"?')


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of a pull request. ``by_app`` is true for GitHub Apps, whose tokens workflows get."""

    id: int
    body: str
    author: str
    by_app: bool


class HostRefusal(Exception):
    """GitHub did not do what it was asked to.

    Args:
        message: GitHub's own words, or what failed on the way.
        status: of its answer; ``None`` where there was none.
        retry_after: seconds that it asks to wait; ``None`` where it does not say.
        limited: refused for a rate limit, so nothing was done.
    """

    def __init__(
        self, message: str, status: int | None = None, *, retry_after: float | None = None, limited: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.retry_after = retry_after
        self.limited = limited

    @property
    def passing(self) -> bool:
        """Whether another attempt may go better."""
        return self.limited or self.status is None or self.status >= 500

    @property
    def forbidden(self) -> bool:
        """Whether the token may not do this. A private repository answers 404 instead of 403."""
        return self.status in (401, 403, 404) and not self.limited

    def __str__(self) -> str:
        return self.message if self.status is None else f"{self.message} ({self.status})"


class GitHub:
    """The comments of one repository.

    Args:
        url: of the API, ``https://api.github.com`` or a GitHub Enterprise server's.
        repository: ``owner/name``.
        token: what the requests are made with.
        sleep: waits for a number of seconds.
    """

    def __init__(self, url: str, repository: str, token: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._url = url.rstrip("/")
        self._issues = f"{self._url}/repos/{quote(repository)}/issues"
        self._token = token
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirect)

    def comments(self, number: int) -> Iterator[Comment]:
        """Every comment of a pull request, oldest first.

        Raises:
            HostRefusal: they cannot be had.
        """
        url: str | None = f"{self._issues}/{number}/comments?per_page={_PAGE}"
        seen: set[str] = set()
        while url is not None and url not in seen:
            seen.add(url)
            entries, headers = self._request("GET", url)
            for entry in entries if isinstance(entries, list) else []:
                author = entry.get("user") or {}  # null for an account that is gone
                yield Comment(
                    id=int(entry["id"]),
                    body=entry.get("body") or "",
                    author=str(author.get("login", "")),
                    by_app=author.get("type") == "Bot",
                )
            url = self._next(headers)

    def login(self) -> str | None:
        """Who the token speaks for; ``None`` for the token of an app, which GitHub does not tell.

        Raises:
            HostRefusal: there was no answer at all.
        """
        try:
            user, _ = self._request("GET", f"{self._url}/user")
        except HostRefusal as refusal:
            if refusal.forbidden:
                return None
            raise
        return str(user["login"])

    def create(self, number: int, body: str) -> None:
        """Add a comment. It is not tried again where it may have been added although no answer came.

        Raises:
            HostRefusal: it was not added, as far as is known.
        """
        self._request("POST", f"{self._issues}/{number}/comments", {"body": body})

    def update(self, comment: Comment, body: str) -> None:
        """Give a comment another text.

        Raises:
            HostRefusal: it keeps the one it has.
        """
        self._request("PATCH", f"{self._issues}/comments/{comment.id}", {"body": body})

    def delete(self, comment: Comment) -> None:
        """Remove a comment.

        Raises:
            HostRefusal: it is still there.
        """
        self._request("DELETE", f"{self._issues}/comments/{comment.id}")

    def wait(self, attempt: int, refusal: HostRefusal) -> bool:
        """Wait before another attempt, as long as GitHub asks to; false at once where that is one too many or too long."""
        wait = 2.0 ** (attempt - 1) if refusal.retry_after is None else refusal.retry_after
        if attempt >= ATTEMPTS or wait > LONGEST_WAIT_S:
            return False
        self._sleep(wait)
        return True

    def _next(self, headers: Mapping[str, str]) -> str | None:
        link = _NEXT.search(headers.get("link", ""))
        if link is None:
            return None
        here, there = urlsplit(self._url), urlsplit(link[1])
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise HostRefusal(f"the next page of comments is on another server, {there.netloc}", 502)
        return link[1]

    def _request(self, method: str, url: str, data: Any = None) -> tuple[Any, Mapping[str, str]]:
        attempt = 1
        while True:
            try:
                return self._once(method, url, data)
            except HostRefusal as refusal:
                repeatable = refusal.limited or (refusal.passing and method != "POST")
                if not repeatable or not self.wait(attempt, refusal):
                    raise
            attempt += 1

    def _once(self, method: str, url: str, data: Any) -> tuple[Any, Mapping[str, str]]:
        request = urllib.request.Request(
            url,
            method=method,
            data=None if data is None else json.dumps(data).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                "User-Agent": "guardian",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                headers = {name.lower(): value for name, value in answer.headers.items()}
                text = answer.read(_MAX_BYTES)
            return (json.loads(text) if text else None), headers
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        except ValueError:
            raise HostRefusal("the answer is no JSON", 502) from None
        except (urllib.error.URLError, HTTPException, OSError) as error:
            raise HostRefusal(f"no answer: {getattr(error, 'reason', error)}") from None


def _refusal(error: urllib.error.HTTPError) -> HostRefusal:
    with error:
        try:
            said = json.loads(error.read(_MAX_BYTES))
        except (ValueError, OSError):
            said = None
    message = said.get("message") if isinstance(said, dict) else None
    message = message if isinstance(message, str) and message else str(error.reason)
    headers = error.headers or Message()
    # https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    spent = headers.get("x-ratelimit-remaining") == "0"
    limited = error.code == 429 or (error.code == 403 and (spent or "rate limit" in message.lower()))
    wait = _seconds(headers.get("retry-after"))
    if wait is None and spent and limited:
        reset = _seconds(headers.get("x-ratelimit-reset"))
        wait = max(0.0, reset - time.time()) if reset is not None else None
    return HostRefusal(message, error.code, retry_after=wait, limited=limited)


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdecimal() else None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like any other: following it would hand the token on."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None
