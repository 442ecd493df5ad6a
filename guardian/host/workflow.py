"""The files and commands by which a step speaks to GitHub's runner: outputs, the step summary, annotations.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from guardian.report.escape import github_data, github_property

#: Bytes that the summary of one step may have; beyond it GitHub shows none of it.
SUMMARY_LIMIT = 1024 * 1024
_CUT = "\n\n_Cut here, for GitHub's limit._\n"
_NOTICES = 10  # of one step; the runner drops the eleventh in silence
_TEXT = 4_000


def write_outputs(values: Mapping[str, str], environ: Mapping[str, str]) -> None:
    """Set the step's outputs. Any text is a value: its lines end at a mark that nobody can foresee."""
    file = environ.get("GITHUB_OUTPUT")
    if file:
        mark = f"guardian-{secrets.token_hex(16)}"
        text = "".join(f"{name}<<{mark}\n{value}\n{mark}\n" for name, value in values.items())
        with Path(file).open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(text)


def append_summary(markdown: str, environ: Mapping[str, str]) -> None:
    """Add to the step's summary as much as it may still have, cut at the end of a line."""
    file = environ.get("GITHUB_STEP_SUMMARY")
    if file:
        path = Path(file)
        room = SUMMARY_LIMIT - (path.stat().st_size if path.exists() else 0)
        with path.open("ab") as stream:
            stream.write(cut(markdown, room).encode("utf-8", "backslashreplace"))


def cut(text: str, limit: int) -> str:
    """The text in at most ``limit`` bytes of UTF-8, cut after a line, with a sentence that says so."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= limit:
        return text
    kept = data[: max(0, limit - len(_CUT))]
    return kept[: kept.rfind(b"\n") + 1].decode() + _CUT if limit >= len(_CUT) else ""


def annotation(level: str, message: str, *, title: str = "guardian", file: str | None = None) -> str:
    """One ``::error``, ``::warning`` or ``::notice`` line; what it says may be anybody's text."""
    properties = [f"file={github_property(file)}"] if file else []
    properties.append(f"title={github_property(title)}")
    # Each line is made harmless by itself; the breaks between them are ours.
    lines = "%0A".join(github_data(line, _TEXT) for line in message.splitlines())
    return f"::{level} {','.join(properties)}::{lines}"


def with_notices(annotations: str, notices: list[str]) -> str:
    """guardian's annotations and ours after them, which take the place of its least urgent where there is no room."""
    lines = annotations.splitlines()
    found = [number for number, line in enumerate(lines) if line.startswith("::notice ")]
    excess = len(found) + len(notices) - _NOTICES
    dropped = set(found[-1 - excess : -1]) if excess > 0 else set()  # the last is the verdict
    kept = [line for number, line in enumerate(lines) if number not in dropped]
    return "".join(f"{line}\n" for line in (*kept, *(annotation("notice", each) for each in notices)))
