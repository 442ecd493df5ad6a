"""Write what is generated: the output shown in the README, and the pages of the rules and of what they cover.

``make docs`` runs it. With ``--check`` nothing is written, and drift ends with exit code 1.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_REGION = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- /generated -->)", re.DOTALL)


def run(*command: str) -> str:
    """What a command of this project prints, on standard output alone."""
    return subprocess.run([sys.executable, *command], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def demo() -> str:
    """What ``make demo`` prints."""
    return f"```console\n{run('fixtures/demo.py').strip()}\n```\n"


REGIONS: dict[str, Callable[[], str]] = {"demo": demo}


def filled(text: str) -> str:
    """A document with every marked region written anew."""
    return _REGION.sub(lambda region: region[1] + REGIONS[region[2]]() + region[3], text)


def generated() -> dict[Path, str]:
    """Every generated file and what belongs in it."""
    readme = ROOT / "README.md"
    return {
        readme: filled(readme.read_text(encoding="utf-8")),
        ROOT / "docs" / "rules.md": run("-m", "guardian", "rules", "--format", "markdown"),
        ROOT / "docs" / "coverage.md": run("docs/coverage.py"),
    }


def main() -> int:
    """Write the files, or with ``--check`` name those that differ."""
    files = generated()
    stale = [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what `make docs` writes", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(files[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
