"""CODEOWNERS: which team answers for a file (the forms of GitHub and GitLab).

The last pattern that matches a path decides, as both hosts do it; a line without owners takes them away. GitLab's
sections are read as one list, without their default owners.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

#: Where the hosts look, in the order of GitHub; the first that exists counts.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")

_WORDS = re.compile(r"(?:\\.|[^\\\s])+")
_PIECES = re.compile(r"/\*\*/|\*\*|\*|\?|\\.|.")
_WILD = {"/**/": "/(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@dataclass(frozen=True, slots=True)
class Codeowners:
    """The lines of one file: a pattern and the owners of what it matches, in their order."""

    rules: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = ()

    def of(self, path: str) -> tuple[str, ...]:
        """The owners of a file, by its posix path from the repository's root; empty where nobody is named."""
        for pattern, owners in reversed(self.rules):
            if pattern.match(path):
                return owners
        return ()


def parse_codeowners(text: str) -> Codeowners:
    """Read a CODEOWNERS file. What is no pattern (a comment, a section) is passed over, as the hosts do."""
    return Codeowners(tuple(_rules(text.splitlines())))


def _rules(lines: Iterable[str]) -> Iterable[tuple[re.Pattern[str], tuple[str, ...]]]:
    for line in lines:
        words = _WORDS.findall(re.split(r"(?:^|\s)#", line, maxsplit=1)[0])
        if words and not words[0].startswith(("[", "^[", "!")):
            yield _pattern(words[0]), tuple(words[1:])


def _pattern(glob: str) -> re.Pattern[str]:
    # As in .gitignore: a slash before the end ties a pattern to the root, else it matches at any depth.
    anchored = "/" in glob.rstrip("/") and not glob.startswith("**/")
    body = glob.removeprefix("**/").removeprefix("/")
    pieces = (_WILD.get(piece) or re.escape(piece.removeprefix("\\")) for piece in _PIECES.findall(body.rstrip("/")))
    # A pattern that names a folder means all in it, except that `docs/*` stops at its own files.
    below = "/.*" if body.endswith("/") else "" if body.endswith("/*") else "(?:/.*)?"
    return re.compile(f"{'' if anchored else '(?:.*/)?'}{''.join(pieces)}{below}$", re.DOTALL)
