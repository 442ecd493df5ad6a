"""Find the OpenAPI documents of a tree by their content, and pair those of two sides.

Finding looks at bytes only: a top-level ``openapi`` or ``swagger`` key with a version behind it. What it finds is read
properly later; what is not one of the two kinds of file is never opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from guardian.errors import ReadError
from guardian.spec.git_files import FileChange
from guardian.spec.service_names import SUFFIXES, distinct, service_name
from guardian.spec.sources import Side
from guardian.spec.text import decode, is_lfs_pointer, load, looks_like_json

# A block-style key at the first column, whatever stands before it in the file.
_YAML_MARK = re.compile(rb"""^(?:\xef\xbb\xbf)?["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?\d""", re.MULTILINE)
_FLOW_MARK = re.compile(r"""["']?\b(?:openapi|swagger)["']?\s*:\s*["']?\d""")


class SpecPair(NamedTuple):
    """One service's document on both sides; ``None`` on the side that does not have it."""

    service: str
    base_path: str | None
    head_path: str | None


class Looked(NamedTuple):
    """The OpenAPI documents of a side, and the files that may be one, of which Git LFS left only a pointer.

    ``files`` are those that were looked at.
    """

    specs: list[str]
    pointers: dict[str, bytes]
    files: list[str]


def discover(side: Side) -> list[str]:
    """Every OpenAPI document of a side, as sorted paths in its tree; a single-file side is that file.

    Raises:
        ReadError: a file that looks like a specification cannot be read, or a folder that may hold one.
    """
    return look(side).specs


def look(side: Side) -> Looked:
    """As `discover`, and what it cannot know."""
    looked = Looked([], {}, [])
    if side.path is not None:
        return Looked([side.path], {}, [side.path])
    for path in side.tree.files(complete_below=""):
        if path.lower().endswith(SUFFIXES):
            looked.files.append(path)
            data = side.tree.read(path)
            if is_lfs_pointer(data):
                looked.pointers[path] = data
            elif _is_openapi(data, path):
                looked.specs.append(path)
    return looked


def _is_openapi(data: bytes, path: str) -> bool:
    if _YAML_MARK.search(data):
        return True
    if b"\0" in data[:4]:  # UTF-16 and UTF-32: rare enough to decode
        try:
            text = decode(data, path)
        except ReadError:
            return False
        return bool(_YAML_MARK.search(text.encode())) or _marks_top_level(text)
    if not looks_like_json(data[:200].decode("utf-8", "replace").removeprefix("\ufeff")):
        return False
    return (b"openapi" in data or b"swagger" in data) and _marks_top_level(data.decode("utf-8", "replace"))


def _marks_top_level(text: str) -> bool:
    """Whether the mark stands in the outermost braces; strings that hold braces may hide one, never invent one."""
    braces = brackets = counted = 0
    for mark in _FLOW_MARK.finditer(text):
        start = mark.start()
        braces += text.count("{", counted, start) - text.count("}", counted, start)
        brackets += text.count("[", counted, start) - text.count("]", counted, start)
        if (braces, brackets) == (1, 0):
            return True
        counted = start
    return False


def titles_of(base: Side, head: Side) -> Callable[[str, str], str | None]:
    """What `pair` asks for titles: a document's ``info.title``, read from the side that it is asked about."""

    def title(role: str, path: str) -> str | None:
        document = load((base if role == "base" else head).tree.read(path), path)
        info = document.get("info") if isinstance(document, dict) else None
        found = info.get("title") if isinstance(info, dict) else None
        return found if isinstance(found, str) else None

    return title


def pair(
    base_paths: Iterable[str],
    head_paths: Iterable[str],
    renames: Iterable[FileChange] = (),
    titles: Callable[[str, str], str | None] | None = None,
) -> list[SpecPair]:
    """Pair the documents of two sides by path, then by git's renames, by a title that only one has, by all but the ending.

    Args:
        base_paths: what `discover` found at base.
        head_paths: what `discover` found at head.
        renames: what `changed_files` found; all but the renamed ones are ignored.
        titles: called with ``"base"`` or ``"head"`` and a path for its ``info.title``; only for what is left over.

    A service is named by its head path without the ending (base path where it was removed), where no other is named so.
    """
    base, head = set(base_paths), set(head_paths)
    pairs = [(path, path) for path in base & head]
    base, head = base - head, head - base
    for change in renames:
        if change.base in base and change.head in head:
            pairs.append((change.base, change.head))
            base.remove(change.base)
            head.remove(change.head)
    if titles is not None and base and head:
        for was, now in _alike(sorted(base), sorted(head), titles):
            pairs.append((was, now))
            base.remove(was)
            head.remove(now)
    for was, now in _alike(sorted(base), sorted(head), lambda _, path: service_name(path)):  # YAML became JSON
        pairs.append((was, now))
        base.remove(was)
        head.remove(now)
    either: list[tuple[str | None, str | None]] = [
        *pairs,
        *((path, None) for path in base),
        *((None, path) for path in head),
    ]
    names = distinct([(service_name(path), path) for path in (now or was or "" for was, now in either)])
    found = [SpecPair(name, was, now) for name, (was, now) in zip(names, either, strict=True)]
    return sorted(found, key=lambda each: (each.service, each.head_path or "", each.base_path or ""))


def _alike(base: Sequence[str], head: Sequence[str], mark: Callable[[str, str], str | None]) -> list[tuple[str, str]]:
    """What has a mark, such as its title, that only one document on each side has."""

    def only(role: str, paths: Sequence[str]) -> dict[str, str]:
        by_mark: dict[str, list[str]] = {}
        for path in paths:
            found = mark(role, path)
            if found:
                by_mark.setdefault(found, []).append(path)
        return {found: several[0] for found, several in by_mark.items() if len(several) == 1}

    bases, heads = only("base", base), only("head", head)
    return [(bases[found], heads[found]) for found in sorted(bases.keys() & heads.keys())]
