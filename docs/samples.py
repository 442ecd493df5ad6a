"""Real output of every report format, for Friday's rename on the fixture company: ``docs/samples/``.

All come from one run in a git repository, on a fixed day, so that they say the same and only drift when guardian does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "fixtures")]

import apply  # noqa: E402

FOLDER = ROOT / "docs" / "samples"
CHANGE = "friday-rename"
DAY = "2026-11-27"
FILES = {
    "terminal": "terminal.txt",
    "json": "report.json",
    "sarif": "report.sarif",
    "junit": "junit.xml",
    "markdown": "comment.txt",
    "html": "report.html",
    "github": "annotations.txt",
    "gitlab": "code-quality.json",
}


def samples() -> dict[Path, str]:
    """Every sample file and what belongs in it."""
    with tempfile.TemporaryDirectory(prefix="fjellhus-") as folder:
        repository = Path(folder) / "company"
        apply.make_repository(CHANGE, repository)
        reports = [f"--report={name}={Path(folder) / file}" for name, file in FILES.items()]
        subprocess.run(
            [sys.executable, "-m", "guardian", "check", "--base", apply.BRANCH, "--as-of", DAY, "--quiet", *reports],
            cwd=repository,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=False,
            stdout=subprocess.DEVNULL,
        )
        return {FOLDER / file: (Path(folder) / file).read_text(encoding="utf-8") for file in FILES.values()}
