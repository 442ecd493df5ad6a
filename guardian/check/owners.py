"""Whom to ask about a consumer whose manifest names no owner: whoever CODEOWNERS names for that manifest."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from guardian.config.codeowners import PLACES, parse_codeowners
from guardian.spec.roots import repository_around

if TYPE_CHECKING:
    from guardian.graph.uses import Consumer


def with_owners(consumers: Iterable[Consumer], cwd: Path) -> list[Consumer]:
    """The consumers, each with an owner where its manifest or CODEOWNERS names one.

    Several owners are one text, as CODEOWNERS has it: ``@org/billing @anna``.

    Args:
        consumers: as they are declared.
        cwd: what the names of their files are relative to; CODEOWNERS is looked for in the repository around it.
    """
    listed = list(consumers)
    if all(each.owner for each in listed):
        return listed
    root = repository_around(cwd) or cwd
    file = next((root / place for place in PLACES if (root / place).is_file()), None)
    if file is None:
        return listed
    owners = parse_codeowners(file.read_text(encoding="utf-8", errors="replace"))

    def owner(consumer: Consumer) -> str | None:
        for use in consumer.uses:
            if ":" in use.origin.file:  # kept in another repository, with owners of its own
                continue
            path = os.path.relpath(os.path.normpath(cwd / use.origin.file), root).replace(os.sep, "/")
            found = owners.of(path)
            if found:
                return " ".join(found)
        return None

    return [each if each.owner else replace(each, owner=owner(each)) for each in listed]
