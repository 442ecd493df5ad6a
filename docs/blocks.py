"""The console blocks of the documentation that can run: run them, and write down what they print.

``<!-- run -->`` before a console block runs its ``$`` lines, in one shell for the whole page: ``<!-- run: empty -->``
on the first block starts in an empty folder, else the page starts in a copy of the fixture company under git.
``<!-- file: NAME -->`` before a block writes the block to that file, and a line ``...`` of an output stands for any lines.
A command fails the page unless it ends with 0 or the next one asks for ``$?``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("*.md", "how-to/*.md", "explanation/*.md")

_BLOCK = re.compile(
    r"<!-- (?P<kind>run|file)(?:: (?P<argument>\S+))? -->\n+```\w*(?:[^\n]*)\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
_MARK = "@@guardian-docs@@"
_WHO = "Dana"
_DAY = "2026-01-09T16:40:00+00:00"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a block, and the output shown below it; ``span`` is the output's place in the page."""

    line: str
    shown: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class File:
    """A file that a page asks its reader to write."""

    name: str
    text: str


class PageFailed(Exception):
    """A command of a page did not do what the page lets its reader expect."""


def pages() -> list[Path]:
    """Every page that has something to run."""
    found = (path for pattern in PAGES for path in (ROOT / "docs").glob(pattern))
    return sorted(path for path in found if "<!-- run" in path.read_text(encoding="utf-8"))


def refreshed(text: str) -> str:
    """A page with the outputs of its commands as they are today.

    Raises:
        PageFailed: a command failed, and the page does not say that it would.
    """
    steps = list(_steps(text))
    if not any(isinstance(step, Command) for step in steps):
        return text
    said = _run(steps, empty="<!-- run: empty -->" in text)
    commands = [step for step in steps if isinstance(step, Command)]
    for command, output in reversed(list(zip(commands, said, strict=True))):
        if command.shown and not _matches(command.shown, output):
            text = text[: command.span[0]] + output + text[command.span[1] :]
    return text


def _steps(text: str) -> Iterator[Command | File]:
    for block in _BLOCK.finditer(text):
        if block["kind"] == "file":
            yield File(block["argument"], block["body"])
            continue
        at = block.start("body")
        starts = [match.start() + at for match in re.finditer(r"^\$ ", block["body"], re.MULTILINE)]
        for start, end in zip(starts, [*starts[1:], block.end("body")], strict=True):
            lines = text[start:end].splitlines(keepends=True)
            length = next(index for index, line in enumerate(lines) if not line.rstrip("\n").endswith("\\")) + 1
            command = "".join(lines[:length])
            yield Command(command[2:].strip(), text[start + len(command) : end], (start + len(command), end))


def _run(steps: list[Command | File], *, empty: bool) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="guardian-docs-") as folder:
        home = Path(folder)
        place = home / "company"
        if empty:
            place.mkdir()
        else:
            shutil.copytree(ROOT / "fixtures" / "company", place)
            shutil.copytree(ROOT / "fixtures" / "changes", home / "changes")
        environment = _environment(home)
        if not empty:
            for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "The company as it is"]):
                subprocess.run(["git", *arguments], cwd=place, env=environment, check=True)
        script = "\n".join(_scripted(index, step) for index, step in enumerate(steps))
        run = subprocess.run(
            ["bash"], input=script, cwd=place, env=environment, check=False, text=True, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    parts = re.split(rf"\n?{_MARK} (\d+)\n", run.stdout)
    outputs = [_ended(output) for output in parts[0:-1:2]]
    codes = [int(code) for code in parts[1::2]]
    commands = [step for step in steps if isinstance(step, Command)]
    for index, command in enumerate(commands):
        asked = index + 1 < len(commands) and "$?" in commands[index + 1].line
        if index >= len(codes) or (codes[index] and not asked):
            raise PageFailed(f"$ {command.line}\n{outputs[index] if index < len(outputs) else run.stdout}")
    return outputs


def _scripted(index: int, step: Command | File) -> str:
    if isinstance(step, File):
        return f"__code=$?; mkdir -p \"$(dirname '{step.name}')\"; cat > '{step.name}' <<'{_MARK}'\n{step.text}{_MARK}\n(exit $__code)"
    return f"{step.line}\n__code=$?; printf '\\n{_MARK} %d\\n' $__code; (exit $__code)"


def _ended(output: str) -> str:
    return output.rstrip("\n") + "\n" if output.strip() else ""


def _environment(home: Path) -> dict[str, str]:
    """A reader's shell: guardian on the PATH, a name for git, and nothing of the machine that writes the page."""
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "PYTHONPATH": str(ROOT),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": _WHO,
        "GIT_AUTHOR_EMAIL": "dana@example.com",
        "GIT_COMMITTER_NAME": _WHO,
        "GIT_COMMITTER_EMAIL": "dana@example.com",
        "GIT_AUTHOR_DATE": _DAY,
        "GIT_COMMITTER_DATE": _DAY,
    }


def undated(text: str) -> str:
    """The text with its days left out: windows and expiries are counted from the day of the run."""
    return _DATE.sub("YYYY-MM-DD", text)


def _matches(shown: str, output: str) -> bool:
    shown, output = undated(shown), undated(output)
    pattern = "".join(".*?" if line.strip() == "..." else re.escape(line) for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, output, re.DOTALL) is not None


if __name__ == "__main__":
    for page in [Path(name) for name in sys.argv[1:]] or pages():
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
