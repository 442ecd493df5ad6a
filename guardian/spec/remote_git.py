"""Other repositories: one revision of each in the user's cache, and a commit that is pushed to a branch of one.

Nothing is ever checked out, so nothing that another repository holds is written to disk as a file, linked to or run.
Nobody is prompted: git runs without a terminal. What is shown of a URL is shown without its credentials. A revision
that cannot be fetched again is answered from the cache, and says so.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from guardian.errors import ReadError
from guardian.spec.git import GitRefusal

#: Seconds that one exchange with another repository may take.
TIMEOUT_S = 60
#: The ways to reach a repository; `ext::` and the like, which run programs, are none of them.
SCHEMES = ("https", "http", "ssh", "git", "file")

#: Who commits where git knows nobody: a name for the owners to see, and an address that can be nobody's (RFC 2606).
NOBODY = ("guardian", "guardian@noreply.invalid")

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s'\"]+@")
# Another process is at work in the same cache.
_BUSY = re.compile(r"(?:\.lock'?: File exists|cannot lock ref)")
_LATER_S = (0.2, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Copy:
    """One revision of another repository, in a bare repository of the cache.

    Attributes:
        repo: the bare repository.
        commit: the full hash that the revision has there.
        stale: why the revision could not be asked for again, where the cache had to answer; else ``None``.
    """

    repo: Path
    commit: str
    stale: str | None = None


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where copies are kept: ``GUARDIAN_CACHE_DIR``, else ``guardian`` in the user's cache folder.

    That is ``XDG_CACHE_HOME`` (XDG Base Directory Specification) or ``~/.cache``, on Windows ``LOCALAPPDATA``.
    """
    if environ.get("GUARDIAN_CACHE_DIR"):
        return Path(environ["GUARDIAN_CACHE_DIR"])
    home = environ.get("LOCALAPPDATA") if sys.platform == "win32" else environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "guardian"


def redacted(text: str) -> str:
    """A URL, or a message that holds URLs, without the credentials in them."""
    return _CREDENTIALS.sub("", text)


def shown(url: str) -> str:
    """How reports call a repository: host and path."""
    parts = urlsplit(url)
    return redacted(url) if parts.scheme == "file" else f"{parts.hostname or ''}{parts.path}".removesuffix(".git")


def check_url(url: str) -> None:
    """Refuse what is no URL of a repository.

    Raises:
        ReadError: it has another scheme, or no repository in it.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES or not parts.path.strip("/") or (parts.scheme != "file" and not parts.hostname):
        raise ReadError(
            f"{redacted(url)} is no URL of a git repository",
            hint=f"write git+https://HOST/PATH.git, or one of {', '.join(f'git+{each}://' for each in SCHEMES[2:])}",
        )


def fetch(url: str, revision: str = "", cache: Path | None = None) -> Copy:
    """The commit that a branch, tag or hash names in another repository.

    A full hash that is in the cache already is not asked for again.

    Args:
        url: the repository; credentials in it are used and never shown.
        revision: a branch, a tag or a full hash; empty for the default branch.
        cache: where copies are kept.

    Raises:
        ReadError: it cannot be fetched, and the cache has no copy.
    """
    check_url(url)
    if revision.startswith("-") or ":" in revision:
        raise ReadError(f"{revision!r} is no branch, tag or commit", file=shown(url))
    repo = _bare((cache or cache_folder()) / "git" / _key(url))
    wanted = revision or "HEAD"
    if _SHA.fullmatch(wanted) and (known := _commit(repo, wanted)):
        return Copy(repo, known)
    kept = f"refs/guardian/{_key(wanted)}"
    try:
        _patiently(repo, "fetch", "--depth=1", "--no-tags", "--no-write-fetch-head", "--quiet", "--no-auto-maintenance",
                   "--", url, f"+{wanted}:{kept}")  # fmt: skip
    except GitRefusal as refusal:
        reason = _reason(str(refusal))
        if re.search(r"couldn't find remote ref|not our ref|unadvertised object", reason):
            raise ReadError(f"has no revision {wanted}", file=shown(url), hint=reason) from None
        known = _commit(repo, kept)
        if known is None:
            raise ReadError(
                f"cannot be reached, and there is no copy of {wanted} in the cache: {reason}",
                file=shown(url),
                hint="check the URL, the network and git's credentials for it: nothing can be asked for here",
            ) from None
        return Copy(repo, known, reason)
    known = _commit(repo, kept)
    if known is None:
        raise ReadError(f"{wanted} is no commit", file=shown(url))
    return Copy(repo, known)


def empty(cache: Path) -> Copy:
    """A repository without any commit, to make the first one in."""
    return Copy(_bare(cache / "git" / "empty"), "")


def branches(url: str) -> dict[str, str]:
    """The branches of a repository with their commits; the default one once more as ``HEAD``.

    Raises:
        ReadError: it cannot be reached.
    """
    check_url(url)
    with tempfile.TemporaryDirectory(prefix="guardian-") as folder:
        try:
            listed = run(Path(folder), "ls-remote", "--quiet", "--", url, "HEAD", "refs/heads/*").decode()
        except GitRefusal as refusal:
            raise ReadError(f"cannot be reached: {_reason(str(refusal))}", file=shown(url)) from None
    pairs = (line.partition("\t") for line in listed.splitlines())
    return {name.removeprefix("refs/heads/"): commit for commit, _, name in pairs}


def commit_files(repo: Path, parent: str | None, files: Mapping[str, bytes], message: str, who: Path) -> str:
    """A new commit in a bare repository: its parent with some files written; the hash of the commit.

    Args:
        repo: the bare repository.
        parent: the commit to build on; ``None`` for a first one.
        files: content by path.
        message: the commit's.
        who: the folder whose git settings say who commits; `NOBODY` does where they do not.

    Raises:
        ReadError: git refuses.
    """
    with tempfile.TemporaryDirectory(prefix="guardian-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        try:
            if parent:
                run(repo, "read-tree", parent, environ=index)
            for path, data in sorted(files.items()):
                blob = run(repo, "hash-object", "-w", "--stdin", data=data).decode().strip()
                run(repo, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", environ=index)
            tree = run(repo, "write-tree", environ=index).decode().strip()
            parents = ["-p", parent] if parent else []
            return run(
                repo, "commit-tree", tree, *parents, "-F", "-", data=message.encode(), environ=_identity(who)
            ).decode().strip()  # fmt: skip
        except GitRefusal as refusal:
            raise ReadError(f"git cannot make the commit: {_reason(str(refusal))}") from None


def push(repo: Path, url: str, commit: str, branch: str) -> None:
    """Push a commit to a branch of another repository, never by force.

    Raises:
        ReadError: it is refused, as where the branch has moved on.
    """
    try:
        run(repo, "push", "--quiet", "--no-verify", "--", url, f"{commit}:refs/heads/{branch}")
    except GitRefusal as refusal:
        reason = _reason(str(refusal))
        moved = re.search(r"non-fast-forward|fetch first|stale info", str(refusal))
        hint = "the branch has moved on; publish again, nothing is overwritten" if moved else None
        raise ReadError(f"refuses the push to {branch}: {reason}", file=shown(url), hint=hint) from None


def run(cwd: Path, *args: str, data: bytes | None = None, environ: Mapping[str, str] | None = None) -> bytes:
    """What ``git ARGS`` prints; without a terminal, a hook or a program that the repository names.

    Raises:
        GitRefusal: git ended with an error, or not in time.
        ReadError: git is not installed.
    """
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "gc.auto=0", *args],
            cwd=cwd,
            env={**_elsewhere(), **_SILENT, **(environ or {})},
            input=data,
            stdin=subprocess.DEVNULL if data is None else None,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            start_new_session=True,  # no terminal to ask for a password or a host key at
        )
    except FileNotFoundError:
        raise ReadError("git is not installed or not on the PATH") from None
    except subprocess.TimeoutExpired:
        raise GitRefusal(f"no answer within {TIMEOUT_S} s") from None
    if done.returncode:
        raise GitRefusal(redacted(done.stderr.decode(errors="replace").strip()))
    return done.stdout


def _elsewhere() -> dict[str, str]:
    """The environment without what ties git to one repository, as in its hooks: these are other ones."""
    return {name: value for name, value in os.environ.items() if name not in _OF_ONE_REPOSITORY}


# As `git rev-parse --local-env-vars` has them, without those of settings.
_OF_ONE_REPOSITORY = frozenset(
    f"GIT_{name}"
    for name in (
        "DIR", "WORK_TREE", "COMMON_DIR", "INDEX_FILE", "OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES", "GRAFT_FILE",
        "SHALLOW_FILE", "NO_REPLACE_OBJECTS", "REPLACE_REF_BASE", "PREFIX", "IMPLICIT_WORK_TREE", "INTERNAL_SUPER_PREFIX",
    )
)  # fmt: skip
_SILENT = {
    "LC_ALL": "C",
    "LANGUAGE": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GCM_INTERACTIVE": "never",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES),
}


def _identity(who: Path) -> dict[str, str]:
    """Who commits, by the settings of a folder's repository, so that a cache's bare repository needs none."""
    found: dict[str, str] = {}
    for role in ("AUTHOR", "COMMITTER"):
        name, email = identity(who, role) or NOBODY
        found |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": email}
    return found


def identity(who: Path, role: str = "COMMITTER") -> tuple[str, str] | None:
    """Name and address that git would commit with in a folder; ``None`` where it knows none, as on most build runners."""
    try:
        ident = run(who, "var", f"GIT_{role}_IDENT").decode().strip()
    except GitRefusal:
        return None
    name, _, rest = ident.partition(" <")
    return name, rest.partition(">")[0]


def _bare(folder: Path) -> Path:
    """A bare repository at this place, made if it is not there."""
    if (folder / "HEAD").is_file():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="new-") as fresh:
            made = Path(fresh, "repo")
            run(folder.parent, "init", "--quiet", "--bare", "--template=", str(made))
            try:
                made.rename(folder)
            except OSError:
                if not (folder / "HEAD").is_file():  # else another process was faster
                    raise
    except (OSError, GitRefusal) as problem:
        text = getattr(problem, "strerror", None) or problem
        raise ReadError(
            f"cannot keep copies of other repositories there: {text}",
            file=str(folder.parent),
            hint="set GUARDIAN_CACHE_DIR to a folder that can be written to",
        ) from None
    return folder


def _patiently(repo: Path, *args: str) -> None:
    for wait in (*_LATER_S, None):
        try:
            run(repo, *args)
            return
        except GitRefusal as refusal:
            if wait is None or not _BUSY.search(str(refusal)):
                raise
        time.sleep(wait)


def _commit(repo: Path, name: str) -> str | None:
    try:
        return run(repo, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").decode().strip()
    except GitRefusal:
        return None


def _key(text: str) -> str:
    """A file name for a URL or revision; credentials that change leave it as it is."""
    parts = urlsplit(text)
    bare = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if parts.netloc else text
    return hashlib.sha256(bare.encode()).hexdigest()[:24]


def _reason(message: str) -> str:
    """The telling line of what git said."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "! [", "ssh:", "remote: error"))]
    line = (telling or lines or ["no reason given"])[0]
    return re.sub(r"^(?:fatal|error|remote): ", "", line)
