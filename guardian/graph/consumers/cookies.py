"""Cookies as recordings hold them: one header for all of them, which a specification declares one by one."""

from __future__ import annotations

from collections.abc import Iterator


def cookies_in(header: str) -> Iterator[tuple[str, str]]:
    """Name and value of each cookie in a ``Cookie`` header (RFC 6265, section 4.2.1)."""
    for each in header.split(";"):
        name, equals, value = each.strip().partition("=")
        if name and equals:
            yield name, value
