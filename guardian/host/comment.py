"""One comment of a pull request, kept up to date in place.

It is found again by a marker that GitHub does not show. A comment counts as ours only if the marker is the first
thing in it and whoever speaks with this token wrote it: anybody can copy the marker, and a comment that its author
can edit afterwards is no place for a verdict.
"""

from __future__ import annotations

import hashlib
import re

from guardian.host.github import Comment, GitHub, HostRefusal

_UNSAFE = re.compile(r"[^A-Za-z0-9./_]+")  # a run of hyphens, which could end the marker, is one of these
_KEY = 100


def marker(key: str) -> str:
    """The hidden first line of a comment: one key, one comment on a pull request."""
    safe = _UNSAFE.sub("-", key[:_KEY]).strip("-")
    if safe != key:  # two keys never become one
        safe += f".{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    return f"<!-- guardian:{safe} -->"


def publish(host: GitHub, number: int, mark: str, text: str, *, clean: bool) -> str:
    """Write the text where the marker is, or into a new comment; say what was done.

    Nothing is opened where all is clean and nothing was said before. Should several runs at once have opened
    several comments, one is left.

    Args:
        mark: from `marker`; put before the text.
        clean: there is nothing that a reader should look at.

    Raises:
        HostRefusal: GitHub does not let us, or does not answer.
    """
    body = f"{mark}\n{text}"
    attempt = 1
    while True:
        ours = _ours(host, number, mark)
        if ours:
            return _update(host, ours, body)
        if clean:
            return "no comment: there is nothing to say"
        try:
            host.create(number, body)
            return "commented"
        except HostRefusal as refusal:
            # Without an answer it may have been added all the same; looking again tells.
            if refusal.limited or not refusal.passing or not host.wait(attempt, refusal):
                raise
        attempt += 1


def _ours(host: GitHub, number: int, mark: str) -> list[Comment]:
    marked = [comment for comment in host.comments(number) if _first_line(comment.body) == mark]
    if not marked:
        return []
    login = host.login()
    return [comment for comment in marked if (comment.by_app if login is None else comment.author == login)]


def _update(host: GitHub, ours: list[Comment], body: str) -> str:
    first, *others = ours
    changed = first.body.replace("\r\n", "\n").strip() != body.strip()
    if changed:
        host.update(first, body)
    for other in others:
        host.delete(other)
    return "comment updated" if changed else "comment is up to date"


def _first_line(body: str) -> str:
    return body.partition("\n")[0].rstrip("\r")
