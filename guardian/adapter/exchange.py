"""One HTTP exchange that ends in time, whatever the other side does.

A time limit of a socket is one for every single read, and a server that trickles keeps each of them short: headers, the
body of an error, one ``100 Continue`` after the other. So a clock of our own hangs up.
"""

from __future__ import annotations

import http.client
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from email.message import Message
from types import TracebackType
from typing import IO, Any, NamedTuple

_LARGEST = 4_000_000  # bytes of a body
_LARGEST_OF_A_REFUSAL = 500
_LONGEST_S = 1_000_000.0  # what timers and sockets can wait is not endless


class TooSlowError(Exception):
    """The time is over."""


class CutError(Exception):
    """The body ends before it is complete."""


class TooLargeError(Exception):
    """The body is larger than any answer."""


class Reply(NamedTuple):
    """What came back; of what is no success the body's beginning, and of a redirect where to."""

    status: int
    body: bytes
    location: str = ""


class Clock:
    """Hangs up when the time is over."""

    def __init__(self, seconds: float) -> None:
        seconds = min(seconds, _LONGEST_S)
        self.over = False
        self._ends = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._lines: list[socket.socket] = []
        self._timer = threading.Timer(max(0.0, seconds), self._hang_up)
        self._timer.daemon = True

    @property
    def left_s(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._ends - time.monotonic())

    def watch(self, line: socket.socket) -> None:
        """Hang up this line too. A copy of it, since TLS takes the socket itself over."""
        with self._lock:
            self._lines.append(line.dup())
            if self.over:
                _shut(self._lines[-1])

    def _hang_up(self) -> None:
        with self._lock:
            self.over = True
            for line in self._lines:
                _shut(line)

    def __enter__(self) -> Clock:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            for line in self._lines:
                line.close()
            self._lines.clear()


def exchange(request: urllib.request.Request, clock: Clock) -> Reply:
    """Send a request and read the whole reply. Redirects are not followed: who is asked was said.

    Raises:
        TooSlowError, CutError, TooLargeError: see there.
        OSError, http.client.HTTPException: nobody is there, or it is no HTTP.
        ValueError: the address is none.
    """
    try:
        with _opener(clock).open(request, timeout=max(0.001, clock.left_s)) as response:
            reply = Reply(response.status, _body(response))
        if clock.over:
            raise TooSlowError  # where nothing says how long a body is, hanging up looks like its end
        return reply
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, _beginning(error), error.headers.get("Location", ""))
    except (OSError, ValueError, http.client.HTTPException, CutError) as error:
        if clock.over or isinstance(error, TimeoutError) or isinstance(getattr(error, "reason", None), TimeoutError):
            raise TooSlowError from error
        raise


def _body(response: http.client.HTTPResponse) -> bytes:
    found = b""
    try:
        while part := response.read1(65_536):
            found += part
            if len(found) > _LARGEST:
                raise TooLargeError
    except http.client.IncompleteRead:
        raise CutError from None
    if response.length:
        raise CutError
    return found


def _beginning(error: urllib.error.HTTPError) -> bytes:
    """What there is of a refusal's text: that it is refused is known without."""
    try:
        return error.read(_LARGEST_OF_A_REFUSAL)
    except (OSError, ValueError, http.client.HTTPException):
        return b""


def _shut(line: socket.socket) -> None:
    with suppress(OSError):  # the other side was first
        line.shutdown(socket.SHUT_RDWR)


# -- urllib's parts, watched ---------------------------------------------------------------------------------------------


class _Plain(http.client.HTTPConnection):
    clock: Clock

    def connect(self) -> None:
        super().connect()
        self.clock.watch(self.sock)


class _Secure(http.client.HTTPSConnection, _Plain):
    """TLS is shaken hands for on a line that ``_Plain`` has opened and put under the clock."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


def _opener(clock: Clock) -> urllib.request.OpenerDirector:
    def plain(host: str, **given: Any) -> http.client.HTTPConnection:
        return _watched(_Plain(host, **given), clock)

    def secure(host: str, **given: Any) -> http.client.HTTPConnection:
        return _watched(_Secure(host, **given), clock)

    class Http(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(plain, req)

    class Https(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(secure, req)

    return urllib.request.build_opener(Http, Https, _NoRedirect)


def _watched(connection: _Plain, clock: Clock) -> _Plain:
    connection.clock = clock
    return connection
