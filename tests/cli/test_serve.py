"""Where the learning environments listen: what is told is true, and a port that is taken is said at once."""

from __future__ import annotations

import re
import socket

import pytest

from guardian.cli.serve import _listening, _url
from guardian.errors import UsageError


def test_the_port_that_is_told_is_the_one_that_is_heard() -> None:
    """Of port 0 too, which is any free one."""
    with _listening("127.0.0.1", 0) as heard:
        told = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", _url(heard))
        assert told is not None and int(told[1]) > 0
        socket.create_connection(("127.0.0.1", int(told[1])), timeout=5).close()


def test_a_taken_port_is_wrong_usage() -> None:
    """One sentence, and what to do."""
    with _listening("127.0.0.1", 0) as heard:
        port = heard.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen at port {port} of 127.0.0.1: ") as caught:
            _listening("127.0.0.1", port)
    assert caught.value.exit_code == 2
    assert "--port 0" in (caught.value.hint or "")


@pytest.mark.parametrize("host", ["192.0.2.7", "a" * 70, "\x00"])
def test_an_address_that_is_not_here_is_wrong_usage(host: str) -> None:
    """Nor is a name that is none."""
    with pytest.raises(UsageError, match="cannot listen at port 0 of"):
        _listening(host, 0)
