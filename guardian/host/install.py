"""guardian in a virtual environment of its own, beside the workflow's.

The action's own guardian is the code beside action.yml; only what it depends on is installed, each release pinned by
its hashes. Nothing of the repository under test is ever imported: the interpreter is started with a safe path.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from guardian.errors import GuardianError, UsageError
from guardian.host.inputs import INSTALLED

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of action.yml, in which ``guardian`` can be imported."""
REQUIREMENTS = ROOT / "action" / "requirements.txt"
PACKAGE = "contract-guardian"

_PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input")


def install(version: str, environ: Mapping[str, str]) -> list[str]:
    """Make ready what ``version`` names; return the command that runs it.

    Args:
        version: empty for the guardian that comes with the action, a release, or ``installed``.

    Raises:
        UsageError: none is installed.
        GuardianError: it cannot be installed.
    """
    if version == INSTALLED:
        found = shutil.which("guardian", path=environ.get("PATH"))
        if found is None:
            raise UsageError("there is no `guardian` on the PATH", hint="install it before, or leave `version` out")
        return [found]
    if version:
        wanted = [f"{PACKAGE}=={version}"]
        key = version
    else:
        wanted = ["--require-hashes", "--requirement", str(REQUIREMENTS)]
        key = REQUIREMENTS.read_text(encoding="utf-8")
    key = hashlib.sha256(f"{sys.version}\0{key}".encode()).hexdigest()[:12]
    temporary = Path(environ.get("RUNNER_TEMP") or tempfile.gettempdir())
    python = _environment(temporary / f"guardian-python-{key}", wanted)
    return [str(python), "-P", "-m", "guardian"]


def _environment(folder: Path, wanted: list[str]) -> Path:
    """The interpreter of a virtual environment with what is wanted; made once in a job."""
    stamp = folder / "guardian-is-ready"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not stamp.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _run([sys.executable, "-m", "venv", "--clear", str(folder)], folder.parent)
        _run([str(python), *_PIP, *wanted], folder.parent)
        stamp.touch()
    return python


def _run(command: list[str], cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise GuardianError(
            f"guardian cannot be installed: `{' '.join(command[1:4])}` failed",
            hint=(done.stdout + done.stderr).strip()[-2000:],
        )
