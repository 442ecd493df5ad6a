"""What a repository keeps, by name: one long-running ``git cat-file --batch`` for each repository and revision."""

from __future__ import annotations

import os
import subprocess
import threading
import weakref
from pathlib import Path

from guardian.errors import ReadError
from guardian.spec import git


class NotInClone(ReadError):
    """A partial clone does not have an object, and the remote that has it does not give it."""

    def __init__(self) -> None:
        super().__init__("not in this partial clone, and its remote does not answer")


class ObjectReader:
    """Blobs of a repository by name, over one ``git cat-file --batch`` process that starts at the first question.

    A fork of this process starts its own: two that ask through one pipe would read each other's answers.
    """

    def __init__(self, repo: Path, git_dir: Path | None = None) -> None:
        self._repo = git_dir or repo
        self._options = git.elsewhere(git_dir)
        self._process: subprocess.Popen[bytes] | None = None
        self._asked_by = os.getpid()
        self._lock = threading.Lock()

    def ask(self, name: str) -> tuple[str, bytes]:
        """The kind and content of ``COMMIT:PATH``, links inside the tree followed.

        The kind is ``blob``, ``tree``, ``commit``, ``missing``, ``dangling``, ``loop``, ``notdir``, or ``symlink`` for
        a link that leaves the tree; the content is empty for all but blobs and trees.

        Raises:
            NotInClone: a partial clone does not have it, and its remote does not answer.
            ReadError: git went away.
        """
        if "\n" in name:  # the one name that the pipe cannot carry
            try:
                return "blob", git.ask(self._repo, *self._options, "cat-file", "blob", name)
            except git.GitRefusal:
                return "missing", b""
        with self._lock:
            process = self._start()
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(name.encode("utf-8", "surrogateescape") + b"\n")
                process.stdin.flush()
                header = process.stdout.readline().rstrip(b"\n")
            except BrokenPipeError:
                header = b""
            if not header:
                self._process = None  # whoever asks for something else is answered
                if self._is_partial():
                    raise NotInClone
                raise ReadError("`git cat-file` ended unexpectedly", hint="run `git fsck` in the repository")
            if header.endswith((b" missing", b" ambiguous")):
                return "missing", b""
            first, *rest = header.decode().split(" ")
            if first in ("dangling", "loop", "notdir", "symlink"):
                process.stdout.read(int(rest[0]) + 1)
                return first, b""
            kind, size = rest
            content = process.stdout.read(int(size))
            process.stdout.read(1)
            return kind, content

    def _is_partial(self) -> bool:
        try:
            return bool(git.ask(self._repo, *self._options, "config", "--get-regexp", r"^remote\..*\.promisor$"))
        except git.GitRefusal:
            return False

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._asked_by != os.getpid():
            self._asked_by = os.getpid()
            try:
                self._process = subprocess.Popen(
                    git.command(*self._options, "cat-file", "--batch", "--follow-symlinks"),
                    cwd=self._repo,
                    env=git.environment(*self._options),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except FileNotFoundError:
                raise git.no_git() from None
            weakref.finalize(self, _stop, self._process)
        return self._process


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.communicate()  # closes its input, at which git ends
