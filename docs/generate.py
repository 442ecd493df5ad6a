"""Write what is generated: the README's picture and output, the reference, and what the pages' commands print.

``make docs`` runs it. With ``--check`` nothing is written, and drift ends with exit code 1.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import action_transcript  # noqa: E402
import blocks  # noqa: E402
import fix_strategies  # noqa: E402
import picture  # noqa: E402
import reference_pages  # noqa: E402
import samples  # noqa: E402

_REGION = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- /generated -->)", re.DOTALL)


def run(*command: str) -> str:
    """What a command of this project prints, on standard output alone."""
    return subprocess.run([sys.executable, *command], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def demo() -> str:
    """What ``make demo`` prints."""
    return f"```console\n{run('fixtures/demo.py').strip()}\n```\n"


REGIONS: dict[str, Callable[[], str]] = {"demo": demo, "fix-strategies": fix_strategies.table}


def filled(text: str) -> str:
    """A document with every marked region written anew."""
    return _REGION.sub(lambda region: region[1] + REGIONS[region[2]]() + region[3], text)


def generated() -> dict[Path, str]:
    """Every generated file and what belongs in it."""
    with_regions = (ROOT / "README.md", ROOT / "docs" / "fixes.md")
    return {
        **{page: filled(page.read_text(encoding="utf-8")) for page in with_regions},
        ROOT / "docs" / "images" / "red.svg": picture.svg(),
        ROOT / "docs" / "rules.md": run("-m", "guardian", "rules", "--format", "markdown"),
        ROOT / "docs" / "coverage.md": run("docs/coverage.py"),
        **{ROOT / "docs" / "reference" / name: text for name, text in reference_pages.pages().items()},
        **samples.samples(),
        ROOT / "docs" / "action-transcript.md": action_transcript.transcript(),
        **{page: blocks.refreshed(page.read_text(encoding="utf-8")) for page in blocks.pages()},
    }


def _same(there: str, text: str) -> bool:
    return blocks.undated(there) == blocks.undated(text)


def main() -> int:
    """Write the files, or with ``--check`` name those that differ."""
    files = generated()
    stale = [path for path, text in files.items() if not path.exists() or not _same(path.read_text("utf-8"), text)]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what `make docs` writes", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
