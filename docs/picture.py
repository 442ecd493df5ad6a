"""Draw ``docs/images/red.svg``: what guardian says of Friday's rename, as a terminal shows it.

The report is that of a real run in a git repository of the fixture company; of its findings the picture shows the first,
and of its fixes the first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "fixtures")]

import apply  # noqa: E402

CHANGE = "friday-rename"
WIDTH = 102
# Rich's own template without its web fonts: a page that shows the picture must not load anything.
FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" class="rich-terminal" viewBox="0 0 {width} {height}" role="img" aria-label="guardian check, red">
  <style>
    .{unique_id}-matrix {{ font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace; \
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
    .{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
    {styles}
  </style>
  <defs>
    <clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
    {lines}
  </defs>
  {chrome}
  <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
  </g>
</svg>
"""


def report() -> str:
    """The report in colour, from a run as in a pull request."""
    with tempfile.TemporaryDirectory(prefix="fjellhus-") as folder:
        repository = Path(folder) / "company"
        apply.make_repository(CHANGE, repository)
        run = subprocess.run(
            [sys.executable, "-m", "guardian", "check", "--base", apply.BRANCH, "--color", "--quiet"],
            cwd=repository,
            env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100", "TERM": "xterm-256color"},
            check=False,
            text=True,
            encoding="utf-8",
            capture_output=True,
        )
    if run.returncode != 1:
        raise SystemExit(f"guardian check ended with {run.returncode}, not red: {run.stderr}")
    return run.stdout


def shortened(text: str) -> str:
    """The headline, the first finding, and the first fix with its heading."""
    from rich.text import Text

    parts = text.rstrip("\n").split("\n\n")
    plain = [Text.from_ansi(part).plain for part in parts]
    kept = [parts[0], next(part for part, words in zip(parts, plain, strict=True) if words.startswith("1. "))]
    for part, words in zip(parts, plain, strict=True):
        if words.startswith("Fixes"):
            lines, bare = part.splitlines(), words.splitlines()
            second = next((index for index, line in enumerate(bare) if line.lstrip().startswith("F2 ")), len(lines))
            kept.append("\n".join(lines[:second]))
    return "\n\n".join(kept)


def svg() -> str:
    """The picture."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(f"$ guardian check\n{shortened(report())}"), no_wrap=True)
    drawn = console.export_svg(title="guardian check", code_format=FORMAT, unique_id="guardian")
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


if __name__ == "__main__":
    sys.stdout.write(svg())
