"""What a revision names, and which one a work tree is measured against.

What is not here becomes a `ReadError` whose hint is the command that brings it.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from guardian.errors import ReadError
from guardian.spec import git

#: Variables in which CI systems name the branch that a change is to be merged into.
BASE_BRANCH_VARIABLES = (
    "GITHUB_BASE_REF",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "CHANGE_TARGET",
)
#: The variable in which GitLab names the merge base itself.
BASE_COMMIT_VARIABLE = "CI_MERGE_REQUEST_DIFF_BASE_SHA"
_REMOTE = "origin"
_DEFAULT_BRANCHES = ("HEAD", "main", "master")
_SHA = re.compile(r"[0-9a-f]{7,64}")
_WHOLE = (40, 64)
#: What git takes as the name of a branch or tag: a place that can be fetched, unlike `HEAD@{1}` and `:/fix`.
_REF_NAME = re.compile(
    r"(?!-|/|.*(\.\.|//|@\{|/\.|\.lock(/|$)|[./]$))(?!@$|\.|(FETCH_|ORIG_)?HEAD$)[^\x00-\x20\x7f~^:?*\[\\]+"
)


def resolve(repo: Path, revision: str) -> str:
    """The full hash of the commit that a revision names.

    Raises:
        ReadError: there is no such commit here; the hint is the ``git fetch`` line to run, or names close to it.
    """
    found = try_resolve(repo, revision)
    if found is None:
        raise missing(repo, revision)
    return found


def try_resolve(repo: Path, revision: str) -> str | None:
    """As `resolve`, but ``None`` where there is no such commit."""
    if not revision or revision.startswith("-") or "\0" in revision:
        return None
    try:
        return git.line(repo, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    except git.GitRefusal:
        return None


def full_name(repo: Path, revision: str) -> str | None:
    """A branch or tag by its full name, which no file has: ``refs/heads/main``; ``None`` where there is none."""
    if not revision or revision.startswith("-") or "\0" in revision:
        return None
    try:
        return git.line(repo, "rev-parse", "--verify", "--quiet", "--symbolic-full-name", revision) or None
    except git.GitRefusal:
        return None


def missing(repo: Path, revision: str) -> ReadError:
    """What to say of a revision that is not here."""
    command = fetch_command(repo, revision)
    if command and is_shallow(repo):
        return ReadError(f"this shallow clone does not have the commit of {revision!r}", hint=command)
    close = close_revisions(repo, revision)
    hint = f"did you mean {' or '.join(close)}?" if close else command
    return ReadError(f"there is no revision {revision!r} in this repository", hint=hint)


def close_revisions(repo: Path, revision: str) -> list[str]:
    """The branches and tags that somebody may have meant."""
    refs = git.line(
        repo, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags"
    ).split()
    return close_names(revision, refs)


def close_names(revision: str, names: list[str]) -> list[str]:
    """Those of some branches and tags that somebody may have meant."""
    close = difflib.get_close_matches(revision, names, n=3, cutoff=0.6)
    # `develop` for `origin/develop`
    return close or [name for name in names if name.rpartition("/")[2] == revision.rpartition("/")[2]][:3]


def is_shallow(repo: Path) -> bool:
    return git.line(repo, "rev-parse", "--is-shallow-repository") == "true"


def fetch_command(repo: Path, revision: str) -> str | None:
    """The ``git fetch`` line that brings a missing revision; ``None`` if there is no remote, or it can be no remote's."""
    remotes = _remotes(repo)
    if not remotes:
        return None
    shallow = is_shallow(repo)
    name, steps = re.fullmatch(r"([^~^]*)(?:[~^](\d*))?.*", revision, re.DOTALL).groups()  # type: ignore[union-attr]
    if steps is not None and try_resolve(repo, name):
        return f"git fetch --deepen={max(int(steps or 1), 1)}" if shallow else None
    if not _REF_NAME.fullmatch(name):
        return None
    if _SHA.fullmatch(name) and len(name) not in _WHOLE:  # no remote knows a commit by a part of its hash
        return "git fetch --unshallow" if shallow else "git fetch"
    depth = ["--depth=1"] if shallow else []  # a depth would make a complete clone shallow
    return shlex.join(["git", "fetch", *depth, *_fetched(remotes, name)])


def remote_of(repo: Path) -> str:
    """The remote that branches are those of: ``origin``, or the first where there is another alone."""
    remotes = _remotes(repo)
    return _REMOTE if _REMOTE in remotes or not remotes else remotes[0]


def _remotes(repo: Path) -> list[str]:
    return git.line(repo, "remote").split()


def _fetched(remotes: list[str], name: str) -> list[str]:
    """A remote, and what to fetch from it for a branch, tag or commit to have this name here."""
    remote, _, branch = name.partition("/")
    if remote in remotes and branch:
        return [remote, f"{branch}:refs/remotes/{remote}/{branch}"]
    origin = _REMOTE if _REMOTE in remotes else remotes[0]
    if _SHA.fullmatch(name) and len(name) in _WHOLE:
        return [origin, name]
    if re.match(r"v?\d", name):
        return [origin, "tag", name]
    return [origin, f"{name}:{name}"]


def default_base(repo: Path, environ: Mapping[str, str]) -> tuple[str, str]:
    """The commit that the work tree is measured against when no base is named, and how reports call it.

    GitLab's merge-base variable as it is; else the merge base of HEAD with the branch that CI names, or with the
    default branch.

    Raises:
        ReadError: nothing to measure against, or its commits are not in this clone.
    """
    if environ.get(BASE_COMMIT_VARIABLE):
        commit = environ[BASE_COMMIT_VARIABLE]
        return resolve(repo, commit), commit
    remote = remote_of(repo)
    for variable in BASE_BRANCH_VARIABLES:
        if environ.get(variable):
            branch = f"{remote}/" + environ[variable].removeprefix("refs/heads/").removeprefix(f"{remote}/")
            return _merge_base(repo, branch), branch
    branches = (*(f"{remote}/{name}" for name in _DEFAULT_BRANCHES), *_DEFAULT_BRANCHES[1:])
    for branch in branches:
        if try_resolve(repo, branch):
            return _merge_base(repo, branch), branch
    if try_resolve(repo, "HEAD") is None:
        raise ReadError(
            "this repository has no commit yet, so there is nothing to compare with",
            hint="commit what is there: the next changes are compared with that",
        )
    raise ReadError(
        f"no default branch to compare with: none of {', '.join(branches)} is a commit here",
        hint=fetch_command(repo, f"{remote}/main") or "name the base: --base REVISION",
    )


def _merge_base(repo: Path, branch: str) -> str:
    tip, head = resolve(repo, branch), resolve(repo, "HEAD")
    try:
        return git.line(repo, "merge-base", head, tip)
    except git.GitRefusal:
        pass
    # A shallow checkout of a pull request's merge commit still names the branch's tip as a parent.
    commit = git.ask(repo, "cat-file", "commit", head).decode(errors="replace")
    if f"parent {tip}" in commit.partition("\n\n")[0].splitlines():
        return tip
    shallow = is_shallow(repo)
    raise ReadError(
        f"HEAD and {branch} have no common ancestor" + (" in this shallow clone" if shallow else ""),
        hint="git fetch --unshallow" if shallow else f"name the base: --base {branch}",
    )
