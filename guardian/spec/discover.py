"""Find the OpenAPI documents of a tree by their content, and pair those of two sides.

Finding looks at bytes only: a top-level ``openapi`` or ``swagger`` key with a version behind it. What it finds is read
properly later; what is not one of the two kinds of file is never opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from guardian.errors import ReadError
from guardian.spec.git import FileChange
from guardian.spec.sources import Side
from guardian.spec.text import decode, is_lfs_pointer, load, looks_like_json

SUFFIXES = (".yaml", ".yml", ".json")

# A block-style key at the first column, whatever stands before it in the file.
_YAML_MARK = re.compile(rb"""^(?:\xef\xbb\xbf)?["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?\d""", re.MULTILINE)
_FLOW_MARK = re.compile(r"""["']?\b(?:openapi|swagger)["']?\s*:\s*["']?\d""")


class SpecPair(NamedTuple):
    """One service's document on both sides; ``None`` on the side that does not have it."""

    service: str
    base_path: str | None
    head_path: str | None


class Looked(NamedTuple):
    """The OpenAPI documents of a side, and the files that may be one, of which Git LFS left only a pointer."""

    specs: list[str]
    pointers: dict[str, bytes]


def discover(side: Side) -> list[str]:
    """Every OpenAPI document of a side, as sorted paths in its tree; a single-file side is that file.

    Raises:
        ReadError: a file that looks like a specification cannot be read, or a folder that may hold one.
    """
    return look(side).specs


def look(side: Side) -> Looked:
    """As `discover`, and what it cannot know."""
    looked = Looked([], {})
    if side.path is not None:
        return Looked([side.path], {})
    for path in side.tree.files(complete_below=""):
        if path.lower().endswith(SUFFIXES):
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
    """Pair the documents of two sides by path, then by git's renames, then by a title that only one on each side has.

    Args:
        base_paths: what `discover` found at base.
        head_paths: what `discover` found at head.
        renames: what `changed_files` found; all but the renamed ones are ignored.
        titles: called with ``"base"`` or ``"head"`` and a path for its ``info.title``; only for what is left over.

    A service is named by its head path without the ending (base path where it was removed).
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
        for was, now in _same_title(sorted(base), sorted(head), titles):
            pairs.append((was, now))
            base.remove(was)
            head.remove(now)
    found = [SpecPair(service_name(now), was, now) for was, now in pairs]
    found += [SpecPair(service_name(path), path, None) for path in base]
    found += [SpecPair(service_name(path), None, path) for path in head]
    return sorted(found, key=lambda each: (each.service, each.head_path or "", each.base_path or ""))


def _same_title(
    base: Sequence[str], head: Sequence[str], titles: Callable[[str, str], str | None]
) -> list[tuple[str, str]]:
    def only(role: str, paths: Sequence[str]) -> dict[str, str]:
        by_title: dict[str, list[str]] = {}
        for path in paths:
            title = titles(role, path)
            if title:
                by_title.setdefault(title, []).append(path)
        return {title: found[0] for title, found in by_title.items() if len(found) == 1}

    base_titles, head_titles = only("base", base), only("head", head)
    return [(base_titles[title], head_titles[title]) for title in sorted(base_titles.keys() & head_titles.keys())]


def service_name(path: str) -> str:
    """The service that a document stands for when nothing else names it: its path without the ending."""
    for suffix in SUFFIXES:
        if path.lower().endswith(suffix):
            return path[: -len(suffix)]
    return path
