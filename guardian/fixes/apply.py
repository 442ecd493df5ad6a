"""Writing a fix to disk: all of its files, whole, and only if each is still the one that was checked."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from guardian.errors import UsageError
from guardian.fixes.patch import apply_patch
from guardian.fixes.places import require_there
from guardian.model import Fix


def apply_fix(fix: Fix, folder: Path) -> list[Path]:
    """Write every file of a fix that is here; the files that were written.

    All are made ready beside their targets before the first one takes its target's place, so that a full disk or a file
    that changed in the meantime leaves everything as it is. Modes are kept, and of a link its target is written.

    Args:
        fix: as a check reports it.
        folder: what its file names are relative to.

    Raises:
        PatchError: a file is not the one that was checked.
        UsageError: a file is not there, or cannot be read or written.
    """
    ready: list[tuple[Path, Path]] = []
    patches = [patch for patch in fix.patches if patch.elsewhere is None]
    require_there([patch.file for patch in patches], folder)
    try:
        for patch in patches:
            target = Path(os.path.realpath(folder / patch.file))
            ready.append((_beside(target, apply_patch(_read(target, patch.file), patch, patch.file)), target))
        for patch, (_, target) in zip(patches, ready, strict=True):
            apply_patch(_read(target, patch.file), patch, patch.file)  # nobody has written to it meanwhile
        return _put(ready)
    finally:
        for part, _ in ready:
            part.unlink(missing_ok=True)


def _read(target: Path, file: str) -> bytes:
    try:
        return target.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", file=file) from error


def _beside(target: Path, data: bytes) -> Path:
    """A file with these bytes and the target's mode, in the target's folder."""
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as part:
            part.write(data)
        shutil.copymode(target, part.name)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", file=str(target)) from error
    return Path(part.name)


def _put(ready: Sequence[tuple[Path, Path]]) -> list[Path]:
    """Let every file take its target's place; if one cannot, those before it get their former bytes back."""
    former: list[tuple[Path, bytes]] = []
    for part, target in ready:
        try:
            former.append((target, target.read_bytes()))
            part.replace(target)
        except OSError as error:
            for path, data in former:
                with contextlib.suppress(OSError):
                    path.write_bytes(data)
            raise UsageError(f"cannot be written: {error.strerror}", file=str(target)) from error
    return [target for _, target in ready]
