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
from collections.abc import Callable
from contextlib import suppress
from email.message import Message
from types import TracebackType
from typing import IO, Any, NamedTuple

_LARGEST = 4_000_000  # bytes of a body
_LARGEST_OF_A_REFUSAL = 500
_LONGEST_S = 1_000_000.0  # what timers and sockets can wait is not endless
_SHORTEST_S = 0.001  # of a socket's time; none at all would be a line that does not wait


class TooSlowError(Exception):
    """The time is over."""


class CutError(Exception):
    """The body ends before it is complete."""


class TooLargeError(Exception):
    """The body is larger than any answer."""


class Reply(NamedTuple):
    """What came back; of what is no success the body's beginning, of a redirect where to, and when to come again."""

    status: int
    body: bytes
    location: str = ""
    retry_after: str = ""


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

    def connected(
        self, address: tuple[str, int], timeout: object = None, source: tuple[str, int] | None = None
    ) -> socket.socket:
        """A line to one of a host's addresses, under the clock from its first byte on: a proxy's answer comes before any other.

        Like ``socket.create_connection``, but that all addresses share the time that is left: one that says nothing has its
        part of it, and the next is tried.

        Raises:
            OSError: none of them can be reached.
        """
        trouble: OSError | None = None
        found = socket.getaddrinfo(*address, 0, socket.SOCK_STREAM)
        for number, (family, kind, protocol, _, at) in enumerate(found):
            line: socket.socket | None = None
            try:
                line = socket.socket(family, kind, protocol)
                line.settimeout(max(_SHORTEST_S, self.left_s / (len(found) - number)))
                if source is not None:
                    line.bind(source)
                line.connect(at)
                line.settimeout(max(_SHORTEST_S, self.left_s))
                self.watch(line)
            except OSError as error:
                if line is not None:
                    line.close()
                trouble = error
            else:
                return line
        raise trouble or OSError(f"{address[0]} has no address")

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
        with _opener(clock).open(request, timeout=max(_SHORTEST_S, clock.left_s)) as response:
            reply = Reply(response.status, _body(response))
        if clock.over:
            raise TooSlowError  # where nothing says how long a body is, hanging up looks like its end
        return reply
    except urllib.error.HTTPError as error:
        with error:
            return Reply(
                error.code,
                _beginning(error),
                error.headers.get("Location", ""),
                error.headers.get("Retry-After", ""),
            )
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
    """Its line is the clock's, before a proxy is asked or hands are shaken."""

    _create_connection: Callable[..., socket.socket]


class _Secure(http.client.HTTPSConnection, _Plain):
    """The same with TLS."""


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
    connection._create_connection = clock.connected
    return connection
