"""What one check is asked to do, after flags, guardian.yaml and defaults have been laid over each other.

Every path in it is absolute, or relative to ``cwd``; what ``config`` holds is as written, relative to
``config_file``.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import NamedTuple

from guardian.config.values import Config, FailOn
from guardian.model import Mode


class CheckRequest(NamedTuple):
    """One check, resolved.

    Args:
        base: file, directory, revision or ``REV:path``; ``None`` is the merge base with the default branch.
        head: the same; ``None`` is the work tree.
        services: the only services to look at; in the two-file form, the name of the one there is.
        consumers: manifests, pact files, directories or globs, or ``git+URL#REV:glob``.
        consumers_named: they are those of a flag, and not guardian.yaml's.
        only_consumers: report only what touches these.
        exceptions: the file of accepted findings; ``None`` where there is none to read.
        as_of: the day that windows and expiries are judged on.
        model: URL of a model server or directory of an adapter; ``None`` asks no model.
        allow_remote_refs: hosts that a ``$ref`` may be fetched from.
        jobs: processes at most.
        excerpts: quote the source around findings, for reports that show it.
        all_lines: find the lines of changes that count for nothing as well, for reports that list them.
        configured: the keys of guardian.yaml whose value this is, as no flag gave another.
        config_file: the guardian.yaml that ``config`` was read from; ``None`` where there is none.
    """

    cwd: Path
    as_of: date
    config: Config = Config()
    config_file: Path | None = None
    base: str | None = None
    head: str | None = None
    services: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    consumers_named: bool = False
    only_consumers: tuple[str, ...] = ()
    mode: Mode = Mode.BOTH
    fail_on: FailOn = FailOn.BREAKING
    exceptions: str | None = None
    fixes: bool = True
    model: str | None = None
    allow_remote_refs: tuple[str, ...] = ()
    jobs: int = 1
    excerpts: bool = False
    all_lines: bool = True
    configured: frozenset[str] = frozenset()

    @property
    def config_folder(self) -> Path:
        """The folder that paths inside ``config`` start from."""
        return self.config_file.parent if self.config_file is not None else self.cwd
