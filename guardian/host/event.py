"""What a GitHub workflow runs for, read from the event's payload.

The payload is GitHub's, but the names in it are chosen by whoever opens a pull request; nothing here trusts them to
be more than text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardian.errors import ReadError

_NO_COMMIT = "0" * 40
_PULL_REQUESTS = ("pull_request", "pull_request_target")


@dataclass(frozen=True, slots=True)
class Event:
    """One event, as far as a check cares.

    Args:
        name: ``pull_request``, ``pull_request_target``, ``push``, ``merge_group``, ``workflow_dispatch``, ...
        number: of the pull request.
        base_branch: the branch that the pull request is to be merged into.
        base_commit: the commit that this event itself says it comes after: what a merge queue builds on, or the tip
            of the default branch before a push to it.
        base_tip: the last commit of that branch, as the event knows it.
        head_commit: the last commit of the pull request's own branch.
        base_repository, head_repository: the repositories of both branches, ``OWNER/NAME``.
        base_url: where the first can be fetched from.
        default_branch: of the repository.
        first: nothing was there before: a push that made the default branch.
        title: for messages: ``pull request 7``.
    """

    name: str
    number: int | None = None
    base_branch: str | None = None
    base_commit: str | None = None
    base_tip: str | None = None
    head_commit: str | None = None
    base_repository: str | None = None
    head_repository: str | None = None
    base_url: str | None = None
    default_branch: str | None = None
    first: bool = False

    @property
    def title(self) -> str:
        """The event in words."""
        return f"pull request {self.number}" if self.number is not None else self.name.replace("_", " ")


def read_event(environ: Mapping[str, str]) -> Event:
    """The event of ``GITHUB_EVENT_NAME`` and ``GITHUB_EVENT_PATH``; without a payload, its name alone.

    Raises:
        ReadError: the payload is there and cannot be read.
    """
    name = environ.get("GITHUB_EVENT_NAME") or "unknown event"
    file = environ.get("GITHUB_EVENT_PATH")
    if not file or not Path(file).is_file():
        return Event(name)
    try:
        payload = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReadError(f"the event's payload cannot be read: {error}", file=file) from None
    default_branch = _text(payload, "repository", "default_branch")
    if name in _PULL_REQUESTS:
        number = _at(payload, "pull_request", "number")
        base_repository = _text(payload, "pull_request", "base", "repo", "full_name") or environ.get(
            "GITHUB_REPOSITORY"
        )
        return Event(
            name,
            number=number if isinstance(number, int) else None,
            base_branch=_text(payload, "pull_request", "base", "ref") or environ.get("GITHUB_BASE_REF") or None,
            base_tip=_text(payload, "pull_request", "base", "sha"),
            head_commit=_text(payload, "pull_request", "head", "sha"),
            base_repository=base_repository,
            head_repository=_text(payload, "pull_request", "head", "repo", "full_name"),
            base_url=_text(payload, "pull_request", "base", "repo", "clone_url") or _url(base_repository, environ),
            default_branch=default_branch,
        )
    if name == "merge_group":
        commit = _text(payload, "merge_group", "base_sha")
        return Event(name, base_commit=commit, default_branch=default_branch)
    if name == "push" and _text(payload, "ref") == f"refs/heads/{default_branch}":
        before = _text(payload, "before")
        first = before in (None, _NO_COMMIT)
        return Event(name, base_commit=None if first else before, default_branch=default_branch, first=first)
    return Event(name, default_branch=default_branch)


def _url(repository: str | None, environ: Mapping[str, str]) -> str | None:
    return f"{environ.get('GITHUB_SERVER_URL') or 'https://github.com'}/{repository}" if repository else None


def _at(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _text(data: Any, *keys: str) -> str | None:
    value = _at(data, *keys)
    return value if isinstance(value, str) and value else None
