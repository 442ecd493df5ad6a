"""Globs, as guardian.yaml and the command line write them: what they match, and where their matches may lie."""

from __future__ import annotations

import itertools
import re
from pathlib import PurePosixPath

_MAGIC = re.compile(r"[*?\[]")


def matches_glob(path: str, pattern: str) -> bool:
    """Whether a path matches a glob: ``*`` and ``?`` stay within a folder, ``**`` crosses folders, ``[ab]`` is one of."""
    expression = ""
    for part in re.findall(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]|.", pattern, re.DOTALL):
        if part == "**/":
            expression += "(?:.*/)?"
        elif part == "**":
            expression += ".*"
        elif part == "*":
            expression += "[^/]*"
        elif part == "?":
            expression += "[^/]"
        elif part.startswith("[") and len(part) > 1:
            negation = "^" if part[1] == "!" else ""
            members = re.escape(part[1 + len(negation) : -1]).replace("\\-", "-")
            expression += f"[{negation}{members}]"
        else:
            expression += re.escape(part)
    return re.fullmatch(expression, path, re.DOTALL) is not None


def fixed_folder(pattern: str) -> str:
    """The folder that all matches of a glob lie below, "" for the root; a path without a glob is itself that folder."""
    parts = str(PurePosixPath(pattern)).split("/")
    fixed = list(itertools.takewhile(lambda part: not _MAGIC.search(part), parts))
    return "" if fixed == ["."] else "/".join(fixed)


def may_match_below(folder: str, pattern: str) -> bool:
    """Whether what a glob matches, or what lies below the folder that a plain path names, may lie below a folder."""
    steps, wanted = folder.split("/"), str(PurePosixPath(pattern)).split("/")
    for step, part in zip(steps, wanted, strict=False):
        if "**" in part:
            return True
        if not matches_glob(step, part):
            return False
    return len(steps) < len(wanted) or not _MAGIC.search(pattern)
