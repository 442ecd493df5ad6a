"""The files that manifests are written to: one for each consumer, named after it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from guardian.errors import UsageError


def word(consumer: str) -> str:
    """A consumer's name as a file and a branch have it."""
    return re.sub(r"[^\w.-]+", "-", consumer).strip("-.").lower() or "consumer"


def refuse_alike(files: Mapping[str, str], where: str) -> None:
    """Refuse to write the manifests of two consumers into one file.

    Args:
        files: by the consumers' names.
        where: what they are written into, for people.

    Raises:
        UsageError: the names of two make the same file.
    """
    taken: dict[str, str] = {}
    for name, file in files.items():
        if file in taken:
            raise UsageError(
                f"the manifests of {taken[file]!r} and {name!r} would both be {file} in {where}",
                hint="give one of the two another name",
            )
        taken[file] = name
