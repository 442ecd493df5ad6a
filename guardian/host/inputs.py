"""The inputs of the action, which reach it as environment variables and never as a part of a script.

What guardian's own flags refuse is left to them; here is only what the action itself acts on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from guardian.errors import UsageError
from guardian.report import FORMATS

INSTALLED = "installed"
"""The version that stands for the ``guardian`` that is on the PATH."""

_VERSION = re.compile(r"[0-9][0-9A-Za-z.!+_-]*")
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a workflow says under ``with:``; an empty text is an input that was not given.

    Paths are relative to ``working_directory``, and that to the workspace.
    """

    base: str
    head: str
    config: str
    specs: tuple[str, ...]
    services: tuple[str, ...]
    consumers: tuple[str, ...]
    mode: str
    fail_on: str
    exceptions: str
    format: str
    reports: tuple[str, ...]
    sarif_file: str
    comment: bool
    comment_key: str
    github_token: str
    working_directory: str
    version: str


def read_inputs(environ: Mapping[str, str]) -> Inputs:
    """The inputs, from ``INPUT_BASE`` and the like.

    Raises:
        UsageError: one has a value that it cannot have.
    """

    def text(name: str) -> str:
        return environ.get(f"INPUT_{name}", "").strip()

    def lines(name: str) -> tuple[str, ...]:
        return tuple(line.strip() for line in text(name).splitlines() if line.strip())

    comment = text("COMMENT").lower() or "true"
    if comment not in _BOOLEANS:
        raise UsageError(f"the input `comment` is true or false, not {comment!r}")
    exceptions = {text("EXCEPTIONS"), text("IGNORE_FILE")} - {""}
    if len(exceptions) > 1:
        raise UsageError("the inputs `exceptions` and `ignore-file` are the same, and name different files")
    version = text("VERSION")
    if version and version != INSTALLED and not _VERSION.fullmatch(version):
        raise UsageError(f"the input `version` is a release such as 1.2.3, or {INSTALLED}, not {version!r}")
    format, reports = text("FORMAT") or "html", lines("REPORTS")
    for name, each in (("format", format), *(("reports", each) for each in reports)):
        if (each.partition("=")[0] if name == "reports" else each) not in FORMATS:
            raise UsageError(
                f"the input `{name}` names no report: {each!r}", hint=f"the formats are {', '.join(FORMATS)}"
            )
    return Inputs(
        base=text("BASE"),
        head=text("HEAD"),
        config=text("CONFIG"),
        specs=lines("SPECS"),
        services=lines("SERVICES"),
        consumers=lines("CONSUMERS"),
        mode=text("MODE"),
        fail_on=text("FAIL_ON"),
        exceptions=next(iter(exceptions), ""),
        format=format,
        reports=reports,
        sarif_file=text("SARIF_FILE"),
        comment=_BOOLEANS[comment],
        comment_key=text("COMMENT_KEY"),
        github_token=environ.get("INPUT_GITHUB_TOKEN", ""),
        working_directory=text("WORKING_DIRECTORY") or ".",
        version=version,
    )
