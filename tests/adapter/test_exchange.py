"""A server may trickle, lie and lead elsewhere: an exchange ends in its time, and one sentence says what it was."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from guardian.adapter.endpoint import Endpoint
from guardian.errors import ReadError, UsageError

Serve = Callable[[socket.socket, threading.Event], None]

OK = b"HTTP/1.1 200 OK\r\n"
ANSWER = json.dumps({"choices": [{"message": {"content": "{}"}}]}).encode()


@contextmanager
def serving(serve: Serve) -> Iterator[tuple[str, list[bytes]]]:
    """A server of bare sockets: the requests' first lines are kept, what comes back is the test's affair."""
    over = threading.Event()
    asked: list[bytes] = []
    threads: list[threading.Thread] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def one(line: socket.socket) -> None:
        with line, suppress(OSError):
            with line.makefile("rb") as stream:
                asked.append(stream.readline().strip())
                size = 0
                while (header := stream.readline().strip()) != b"":
                    if header.lower().startswith(b"content-length:"):
                        size = int(header.split(b":")[1])
                stream.read(size)
            serve(line, over)

    def accept() -> None:
        with suppress(OSError):
            while True:
                line, _ = listening.accept()
                threads.append(threading.Thread(target=one, args=(line,)))
                threads[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1", asked
    finally:
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        for each in (accepting, *threads):
            each.join()


def _trickling(start: bytes, drop: bytes) -> Serve:
    """Begins, and goes on for ever by small pieces, each in time."""

    def serve(line: socket.socket, over: threading.Event) -> None:
        line.sendall(start)
        while not over.wait(0.02):
            line.sendall(drop)

    return serve


def _saying(*parts: bytes) -> Serve:
    return lambda line, over: line.sendall(b"".join(parts))


def _body(body: bytes, size: int | None = None) -> tuple[bytes, bytes]:
    return OK + b"Content-Length: %d\r\n\r\n" % (len(body) if size is None else size), body


@pytest.mark.parametrize(
    "serve",
    [
        _trickling(OK + b"X: ", b"a"),
        _trickling(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        _trickling(b"HTTP/1.1 500 Oops\r\nContent-Length: 500\r\n\r\n", b"k"),
        _trickling(OK + b"Content-Length: 100000\r\n\r\n", b" "),
        _trickling(OK + b"\r\n", b" "),  # until it hangs up
        _trickling(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        _trickling(b"", b""),
    ],
    ids=["headers", "continue", "error", "sized", "open", "chunked", "silence"],
)
def test_an_exchange_ends_in_its_time(serve: Serve) -> None:
    """One time limit for everything, retries included: no piece that comes in time puts it off."""
    with serving(serve) as (url, _), pytest.raises(ReadError, match=r"does not answer within 0\.3 s"):
        Endpoint(url, "m", timeout_s=0.3).ask([], {})


@pytest.mark.parametrize(
    "serve",
    [_trickling(OK + b"X: ", b"a"), _trickling(OK, b"X-A: b\r\n"), _trickling(b"", b"")],
    ids=["header", "headers", "silence"],
)
def test_a_proxy_has_no_time_of_its_own(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says to CONNECT is under the same clock, though no line to the model is there yet."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serving(serve) as (url, asked):
        for name in ("HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, url.removesuffix("/v1"))
        with pytest.raises(ReadError, match=r"does not answer within 0\.3 s"):
            Endpoint("https://model.example/v1", "m", timeout_s=0.3).ask([], {})
        assert asked[0].startswith(b"CONNECT model.example:443")


@contextmanager
def _unanswering() -> Iterator[int]:
    """The port of a server whose queue is full, so that nobody is let in or turned away."""
    with closing(socket.socket()) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(listening.getsockname())
        yield listening.getsockname()[1]
        for each in waiting:
            each.close()


def test_all_addresses_of_a_host_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many that are silent take no longer than one, and one that is silent does not keep the next from answering."""
    ports: list[int] = []

    def addresses(*asked: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)) for port in ports]

    monkeypatch.setenv("no_proxy", "*")
    with _unanswering() as silent, serving(_saying(*_body(ANSWER))) as (url, asked):
        monkeypatch.setattr(socket, "getaddrinfo", addresses)
        ports[:] = [silent] * 4
        began = time.monotonic()
        with pytest.raises(ReadError, match="does not answer"):
            Endpoint("http://model.example/v1", "m", timeout_s=0.4).ask([], {})
        assert time.monotonic() - began < 1.2
        ports[:] = [silent, int(url.rpartition(":")[2].removesuffix("/v1"))]
        assert Endpoint("http://model.example/v1", "m", timeout_s=2).ask([], {}) == "{}"
        assert len(asked) == 1


@pytest.mark.parametrize(
    ("serve", "told"),
    [
        (_saying(*_body(b"<html>hi</html>")), "answers what is no JSON: <html>hi</html>"),
        (_saying(*_body(b"")), "answers nothing"),
        (_saying(*_body(b'{"choices":', 5_000)), "breaks off in the middle of its answer"),
        (_saying(OK, b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}"), "breaks off in the middle of its answer"),
        (_saying(*_body(b"x" * 5_000_000)), "sends more than any answer can be"),
        (_saying(b"HTTP/1.1 401 No\r\nContent-Length: 6\r\n\r\nno key"), "refuses: 401 no key"),
        (_saying(b"SSH-2.0-OpenSSH_9\r\n"), "cannot be reached: SSH-2.0-OpenSSH_9"),
        (_saying(), "cannot be reached: Remote end closed connection without response"),
    ],
)
def test_what_came_is_said(serve: Serve, told: str) -> None:
    """Not every trouble is that nobody is there."""
    with serving(serve) as (url, _), pytest.raises(ReadError, match=re.escape(told)):
        Endpoint(url, "m", timeout_s=30, retries=0).ask([], {})


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(code: int) -> None:
    """Who is asked was said; nobody else is, whatever the scheme and host."""
    with serving(_saying(*_body(ANSWER))) as (other, elsewhere):
        for target in (f"{other}/models", "ftp://127.0.0.1:1/x", "file:///etc/passwd", "http://[::1"):
            moved = _saying(f"HTTP/1.1 {code} Moved\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode())
            with serving(moved) as (url, _):
                with pytest.raises(ReadError) as caught:
                    Endpoint(url, "m", timeout_s=30, retries=0).ask([], {})
                if target != "http://[::1":
                    assert f"redirects to {target}, which is not followed" in caught.value.message
        assert elsewhere == []


@pytest.mark.parametrize(
    "url",
    ["http://[::1/v1", "http://", "http:///v1", "http://host:99999/v1", "http://host:x/v1", "ftp://host", "file:///x"],
)
def test_an_address_that_is_none_is_wrong_usage(url: str) -> None:
    """Exit 2, before anything is asked."""
    with pytest.raises(UsageError, match="is no http address"):
        Endpoint(url, "m")


# -- who is served -------------------------------------------------------------------------------------------------------


def _models(*listed: dict[str, object]) -> Serve:
    return _saying(*_body(json.dumps({"object": "list", "data": listed}).encode()))


def _who(serve: Serve) -> str:
    """Asked at one address, so that the address makes no difference."""
    with serving(serve) as (url, asked):
        told = Endpoint(url, "guardian", timeout_s=30).who()
        assert asked == [b"GET /v1/models HTTP/1.1"]
        return told.replace(url, "URL")


def test_another_adapter_is_another_model() -> None:
    """What a server says of the model of this name; not the time of the request, which vLLM says too."""
    card = {"id": "guardian", "created": 1, "root": "runs/a/adapter", "parent": "base", "permission": [{"id": "p1"}]}
    base = {"id": "base", "created": 1, "root": "smollm2", "parent": None}
    first = _who(_models(base, card))
    assert first == _who(_models(base, {**card, "created": 2, "permission": [{"id": "p2"}]}))
    assert first != _who(_models(base, {**card, "root": "runs/b/adapter"}))
    assert first != _who(_models(base, {**card, "parent": "other"}))


@pytest.mark.parametrize(
    "serve",
    [
        _saying(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"),
        _saying(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"),
        _saying(),
        _saying(*_body(b"<html>")),
        _saying(*_body(b"[1]")),
        _saying(*_body(b'{"data": [1]}')),
        _saying(*_body(b'{"data": null}')),
        _models(),
        _models({"id": "base"}),
    ],
)
def test_a_server_without_a_list_is_asked_all_the_same(serve: Serve) -> None:
    """Then the address and the name are all that is known."""
    assert _who(serve) == '["URL", "guardian", {}]'


def test_nobody_is_waited_for_twice() -> None:
    """A server that says nothing in the time of an answer is away."""
    with serving(_trickling(b"", b"")) as (url, _), pytest.raises(ReadError, match="does not answer"):
        Endpoint(url, "m", timeout_s=0.2).who()
