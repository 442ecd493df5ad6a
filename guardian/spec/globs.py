"""Globs, as guardian.yaml and the command line write them: what they match, and where their matches may lie."""

from __future__ import annotations

import functools
import itertools
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

#: What begins the part of a glob that is not spelled out.
MAGIC = re.compile(r"[*?\[]")


def matches_glob(path: str, pattern: str) -> bool:
    """Whether a path matches a glob: ``*`` and ``?`` stay within a folder, ``**`` crosses folders, ``[ab]`` is one of."""
    return _expression(pattern).fullmatch(path) is not None


@functools.lru_cache(maxsize=1024)
def _expression(pattern: str) -> re.Pattern[str]:
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
    return re.compile(expression, re.DOTALL)


def matches_on_disk(root: Path, pattern: str) -> Iterator[str]:
    """The regular files below a folder that a glob without ``**`` matches, looked up and not searched for.

    No links are followed, and there is nothing in a folder that nobody may list.
    """
    yield from _matches_below(f"{root}/", "", str(PurePosixPath(pattern)).split("/"))


def _matches_below(root: str, folder: str, steps: Sequence[str]) -> Iterator[str]:
    step, *rest = steps
    try:
        names = os.listdir(root + folder) if MAGIC.search(step) else [step]
    except OSError:
        return
    for name in names:
        if not matches_glob(name, step):
            continue
        path = f"{folder}/{name}" if folder else name
        try:
            mode = os.lstat(root + path).st_mode
        except OSError:
            continue
        if rest and stat.S_ISDIR(mode):
            yield from _matches_below(root, path, rest)
        elif not rest and stat.S_ISREG(mode):
            yield path


def fixed_folder(pattern: str) -> str:
    """The folder that all matches of a glob lie below, "" for the root; a path without a glob is itself that folder."""
    parts = str(PurePosixPath(pattern)).split("/")
    fixed = list(itertools.takewhile(lambda part: not MAGIC.search(part), parts))
    return "" if fixed == ["."] else "/".join(fixed)


def may_match_below(folder: str, pattern: str) -> bool:
    """Whether what a glob matches, or what lies below the folder that a plain path names, may lie below a folder."""
    steps, wanted = folder.split("/"), str(PurePosixPath(pattern)).split("/")
    for step, part in zip(steps, wanted, strict=False):
        if "**" in part:
            return True
        if not matches_glob(step, part):
            return False
    return len(steps) < len(wanted) or not MAGIC.search(pattern)


def spells_out(folder: str, pattern: str) -> bool:
    """Whether a glob leads into a folder step by step, or a plain path into it: ``**`` leads everywhere, so it names none."""
    steps, wanted = folder.split("/"), str(PurePosixPath(pattern)).split("/")
    if any("**" in part for part in wanted[: len(steps)]):
        return False
    return may_match_below(folder, pattern)


def below(folder: str, pattern: str) -> str:
    """A glob as it is known in a folder that its matches may lie below; what is left of it may match more."""
    steps, wanted = folder.split("/"), str(PurePosixPath(pattern)).split("/")
    for depth, part in enumerate(wanted[: len(steps)]):
        if "**" in part:
            return "/".join(wanted[depth:]) if part == "**" else "**"
    return "/".join(wanted[len(steps) :]) or "**"


def literal(path: str) -> str:
    """A path as a glob that matches it alone."""
    return re.sub(r"([*?[])", r"[\1]", path)


def is_glob(pattern: str) -> bool:
    """Whether anything in a path stands for more than itself."""
    return MAGIC.search(pattern) is not None
