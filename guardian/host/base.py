"""What to compare: the base of an event, fetched where the clone is too shallow to have it.

CI clones one commit deep. A pull request's merge commit then names its base as its first parent, which one small
fetch brings; where there is no such commit, history is deepened step by step until both sides meet. Nothing but
objects and remote-tracking names is added to the repository, and a complete clone never becomes a shallow one.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from guardian.errors import ReadError
from guardian.host.event import Event
from guardian.spec import git, revisions

_DEEPEN = (50, 250, 1000)
_HASH = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_PART_OF_HASH = re.compile(r"[0-9a-f]{7,63}")
_STEPS = re.compile(r"[~^](\d*)")


@dataclass(frozen=True, slots=True)
class Range:
    """What to compare.

    Args:
        base: the commit; ``None`` where nothing was there before, so that everything is new.
        head: the commit; ``None`` is the work tree.
        remark: what a reader should know about this choice.
    """

    base: str | None
    head: str | None = None
    remark: str | None = None


def find_range(repo: Path, event: Event, head: str | None = None) -> Range:
    """The base and head that an event means.

    A pull request is compared with the commit it leaves its base branch at; a merge queue with what it builds on; a
    push to the default branch with what was there before; everything else with the merge base of the default branch.

    Args:
        head: a commit to compare instead of the work tree.

    Raises:
        ReadError: the base is not here and cannot be fetched; the hint is the command that was tried.
    """
    if event.first:
        return Range(None, head, "the first push: everything is new")
    if event.base_commit is not None:
        return _noting_equal(repo, Range(ensure(repo, event.base_commit), head))
    if event.base_branch is not None:
        return _pull_request(repo, event, event.base_branch, head)
    if event.default_branch is not None:
        return _noting_equal(repo, Range(_merge_base(repo, head or "HEAD", event.default_branch), head))
    commit, _ = revisions.default_base(repo, {})
    return _noting_equal(repo, Range(commit, head))


def _pull_request(repo: Path, event: Event, branch: str, head: str | None) -> Range:
    if head is None:
        parents = _parents(repo, "HEAD")
        if len(parents) == 2 and parents[1] == event.head_commit:
            # The merge commit that GitHub made, and checks out unless told otherwise.
            return Range(ensure(repo, parents[0]))
        if event.name == "pull_request_target" and event.head_commit and not _contains(repo, event.head_commit):
            # The base branch is checked out. The pull request is read from git's objects and never put on disk.
            head = ensure(repo, event.head_commit)
    commit = revisions.resolve(repo, head or "HEAD")
    source = _where_base_is(repo, event)
    base = _merge_base(repo, commit, branch, source)
    if base == commit and event.base_tip is not None and event.base_tip != commit:
        # It is merged already, and this run is a later one: what it was to be merged into still counts.
        base = _merge_base_of(repo, commit, _Other(source, event.base_tip, event.base_tip))
    if base == commit:
        raise ReadError(
            f"{commit[:12]}, which is checked out, is on {branch} already, so there is nothing to compare for {event.title}",
            hint="have actions/checkout check out the pull request, or name the base: `base: REVISION`",
        )
    return Range(base, head)


def _where_base_is(repo: Path, event: Event) -> str:
    """The remote that the base branch is fetched from: a checkout of the fork has its own branch of that name there."""
    remote = _remote(repo)
    if event.base_url is None or event.head_repository in (None, event.base_repository):
        return remote
    url = git.line(repo, "remote", "get-url", remote).removesuffix("/").removesuffix(".git")
    is_fork = "/".join(re.split(r"[/:]", url)[-2:]).lower() == (event.head_repository or "").lower()
    return event.base_url if is_fork else remote


def ensure(repo: Path, revision: str) -> str:
    """The commit that a revision names, fetched if it is not here: a hash, a branch, a tag, ``origin/main``, ``HEAD~2``.

    Raises:
        ReadError: it is not here and cannot be fetched.
    """
    found = revisions.try_resolve(repo, revision)
    if found is not None:
        return found
    steps = _STEPS.search(revision)
    if steps:
        commit, path = ensure(repo, revision[: steps.start()]), revision[steps.start() :]
        if revisions.is_shallow(repo):
            _git_fetch(repo, f"--deepen={steps[1] or 1}", _remote(repo), commit)
        return revisions.resolve(repo, commit + path)
    if _HASH.fullmatch(revision):
        _fetch(repo, revision)
        return revisions.resolve(repo, revision)
    remote = _remote(repo)
    name = revision.removeprefix(f"{remote}/").removeprefix("refs/heads/").removeprefix("refs/tags/")
    branch, tag = f"refs/heads/{name}", f"refs/tags/{name}"
    there = {line.partition("\t")[2] for line in _ask_remote(repo, "ls-remote", remote, branch, tag).splitlines()}
    if branch in there:
        return revisions.resolve(repo, _fetch(repo, f"+{branch}:refs/remotes/{remote}/{name}"))
    if tag in there:
        return revisions.resolve(repo, _fetch(repo, f"+{tag}:{tag}"))
    raise _unknown_there(repo, remote, revision, name)


def _unknown_there(repo: Path, remote: str, revision: str, name: str) -> ReadError:
    """What to say of a name that the remote was asked for and does not have, be the clone shallow or not."""
    if _PART_OF_HASH.fullmatch(name):
        hint = "a commit that the clone does not have is fetched by its whole hash alone"
    else:
        listed = _ask_remote(repo, "ls-remote", "--heads", "--tags", "--refs", remote).splitlines()
        known = [line.partition("\t")[2].removeprefix("refs/heads/").removeprefix("refs/tags/") for line in listed]
        close = revisions.close_names(name, known)
        hint = f"did you mean {' or '.join(close)}?" if close else "name a branch, a tag or a whole hash of it"
    return ReadError(f"there is no revision {revision!r}: neither this clone nor {remote} has it", hint=hint)


def trust(repo: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Variables that let git trust this repository, whoever owns it in a container."""
    return _settings({"safe.directory": str(repo)}, environ)


def credentials(repo: Path, token: str, server: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Variables that let git fetch from ``server``, and from nowhere else, with the token.

    None where the checkout left credentials of its own: GitHub refuses a request that has two of them.
    """
    try:
        git.ask(repo, "config", "--get-regexp", r"^http\..*\.extraheader$")
    except git.GitRefusal:  # there is no such setting
        login = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        return _settings({f"http.{server.rstrip('/')}/.extraheader": f"AUTHORIZATION: basic {login}"}, environ)
    return {}


def _settings(settings: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Settings for git processes alone: nothing is written to anybody's configuration."""
    count = int(environ.get("GIT_CONFIG_COUNT") or 0)
    variables = {"GIT_CONFIG_COUNT": str(count + len(settings))}
    for number, (key, value) in enumerate(settings.items(), start=count):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


# --- history ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Other:
    """What a commit is compared with.

    Args:
        source: the remote that it is fetched from, or a URL.
        refspec: what is fetched.
        name: what it is called here afterwards.
    """

    source: str
    refspec: str
    name: str


def _merge_base(repo: Path, commit: str, branch: str, source: str | None = None) -> str:
    """The merge base of a commit and a branch of the remote, or of another repository, as that branch is now."""
    remote = _remote(repo)
    source = source or remote
    tracking = f"refs/remotes/{remote if source == remote else 'guardian-base'}/{branch}"
    return _merge_base_of(repo, commit, _Other(source, f"+refs/heads/{branch}:{tracking}", tracking))


def _merge_base_of(repo: Path, commit: str, other: _Other) -> str:
    try:
        _fetch(repo, other.refspec, other.source)
    except ReadError:
        if revisions.try_resolve(repo, other.name) is None:
            raise  # else it is as the checkout left it, which may have had credentials that we have not
    head = revisions.resolve(repo, commit)
    for depth in (*_DEEPEN, None):
        found = _try_merge_base(repo, head, other.name)
        if found is not None:
            return found
        if not revisions.is_shallow(repo):
            break
        _deepen(repo, "--unshallow" if depth is None else f"--deepen={depth}", other, head)
    found = _try_merge_base(repo, head, other.name)
    if found is None:
        name = other.name.removeprefix("refs/remotes/").partition("/")[2] or other.name
        raise ReadError(f"{commit} and {name} have no common ancestor", hint="name the base: `base: REVISION`")
    return found


def _deepen(repo: Path, how: str, other: _Other, head: str) -> None:
    """Deepen both sides by name: what is fetched is what is deepened."""
    remote = _remote(repo)
    if other.source == remote:
        try:
            _git_fetch(repo, how, remote, other.refspec, head)
            return
        except ReadError:
            pass  # a commit made in this very job is nowhere else
    else:
        with suppress(ReadError):
            _git_fetch(repo, how, remote, head)
            if not revisions.is_shallow(repo):
                return
    _git_fetch(repo, how, other.source, other.refspec)


def _try_merge_base(repo: Path, one: str, other: str) -> str | None:
    try:
        return git.ask(repo, "merge-base", one, other).decode().strip()
    except git.GitRefusal:
        return None


def _parents(repo: Path, commit: str) -> list[str]:
    """The parents that a commit names, also those that a shallow clone does not have."""
    text = git.ask(repo, "cat-file", "commit", revisions.resolve(repo, commit)).decode(errors="replace")
    headers = text.partition("\n\n")[0].splitlines()
    return [line.removeprefix("parent ") for line in headers if line.startswith("parent ")]


def _contains(repo: Path, commit: str) -> bool:
    try:
        git.ask(repo, "merge-base", "--is-ancestor", commit, "HEAD")
        return True
    except git.GitRefusal:
        return False


def _noting_equal(repo: Path, chosen: Range) -> Range:
    if chosen.base != revisions.resolve(repo, chosen.head or "HEAD"):
        return chosen
    return Range(chosen.base, chosen.head, "base and head are the same commit: only what is not committed is compared")


# --- fetching -----------------------------------------------------------------------------------------------------


def _remote(repo: Path) -> str:
    remotes = git.ask(repo, "remote").decode(errors="replace").split()
    if not remotes:
        raise ReadError("this clone has no remote to fetch the base from", hint="name the base: `base: REVISION`")
    return "origin" if "origin" in remotes else remotes[0]


def _fetch(repo: Path, refspec: str, source: str | None = None) -> str:
    """Fetch one name or hash, one commit deep where the clone is shallow; return what it is called here."""
    # With --depth a complete clone would become a shallow one.
    depth = ["--depth=1"] if revisions.is_shallow(repo) else []
    _git_fetch(repo, *depth, source or _remote(repo), refspec)
    return refspec.rpartition(":")[2]


def _git_fetch(repo: Path, *args: str) -> None:
    _ask_remote(repo, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", *args)


def _ask_remote(repo: Path, *args: str) -> str:
    try:
        return git.ask(repo, *args).decode(errors="replace")
    except git.GitRefusal as refusal:
        reason = str(refusal).partition("\n")[0]
        raise ReadError(f"the base cannot be fetched: {reason}", hint=f"tried: git {' '.join(args)}") from None
