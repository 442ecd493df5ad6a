"""JSON and YAML text to plain data: dict, list, str, int, float, bool and None, with every key a string.

YAML is read by the rules of YAML 1.2's core schema, so ``off``, ``no`` and dates stay text, and ``200:`` and
``'200':`` are one key. JSON goes to the standard library and YAML to oryaml, both fast and both without lines.
Whatever they refuse or cannot judge goes to a second reader over libyaml's events, which is slow, knows every
line, and has the last word: it forgives what real files do wrong and names the place of what cannot be read.
"""

from __future__ import annotations

import gc
import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from guardian.errors import ReadError
from guardian.spec import json_text, yaml_text
from guardian.spec.json_text import MAX_DEPTH, json_float, unpaired
from guardian.spec.pieces import BY_MEMBERS, NotPlain, Text
from guardian.spec.size import MAX_BYTES

#: How many nodes the aliases of one document may stand for, all together.
MAX_ALIASED_NODES = 1_000_000

_MAX_UNPAIRED = 5 * MAX_DEPTH

MERGE_KEY = "<<"

# The core schema's numbers, with what the fast reader makes of spellings at its edges: signed and binary integers with
# a base, leading zeros (text unless a fraction or exponent follows), integers past 128 bits (floats).
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_BASED_INT = re.compile(r"[-+]?0(?:o[0-7]+|x[0-9a-fA-F]+|b[01]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_SMALLEST_INT, _LARGEST_INT = -(2**127), 2**128 - 1
_LONGEST_INT = 200  # characters; no spelling of a 128-bit integer needs as many, leading zeros aside
_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_PLAIN = frozenset({str, int, float, bool, type(None)})
_ANCHOR = re.compile(rb"&([^\s\[\]{},]+)")
_ALIAS = re.compile(rb"\*([^\s\[\]{},]+)")
_SURROGATE = re.compile(rb"\\u[dD]")
_CONFLICT = re.compile(rb"^<{7} ", re.MULTILINE)
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
LFS_REMEDY = "git lfs pull (in GitHub Actions `lfs: true` of actions/checkout) brings it into the work tree"
_LFS_BASE = "to compare revisions, keep specifications out of LFS"


class _Undecided(Exception):
    """The fast YAML reader gave something that only the text itself can settle."""


def load(data: bytes, file: str) -> Any:
    """Read one JSON or YAML document (RFC 8259; YAML 1.2 core schema, with merge keys).

    A number that JSON cannot hold (``.nan``, ``1e999``) and a decimal with leading zeros (``0108``) stay the text
    they were written as. An empty file is ``None``.

    Raises:
        ReadError: the text is malformed, not Unicode, too large, too deep, has a key twice or holds two documents;
            with line and column where there is a place to show.
    """
    return read(data, file)[0]


def read(data: bytes, file: str, like: Text | None = None) -> tuple[Any, Text | None]:
    """As `load`, with the pieces of the text; what it shares with a text read before is not read again.

    Raises:
        ReadError: as `load`.
    """
    _refuse_what_is_no_document(data, file)
    with _without_collector(), _telling_conflicts(data, file):
        if data.lstrip()[:1] in (b"{", b"["):
            with suppress(NotPlain):
                found, fresh = json_text.read(data, like)
                _refuse_deep_or_halved(found.root.value, fresh, file)
                return found.root.value, found
        text = decode(data, file)
        if looks_like_json(text):
            return _load_json(text, file), None
        try:
            _refuse_slow_yaml(data if data.isascii() else text.encode())
            with suppress(NotPlain):
                found = yaml_text.read(data, _load_piece, like)
                return found.root.value, found
            return _load_fast_yaml(text), None
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001  # a panic in Rust is one too; the careful reader judges
            return _only_document(text, file), None


def load_all(data: bytes, file: str) -> list[Any]:
    """Read every document of a YAML stream (or the one of a JSON file); empty documents are ``None``.

    Raises:
        ReadError: as `load`, except that several documents are fine.
    """
    text = decode(data, file)
    with _telling_conflicts(data, file):
        if looks_like_json(text) and _is_json(file):
            return [_load_json(text, file)]
        return list(_documents(text, file))


def decode(data: bytes, file: str) -> str:
    """The text of a file: UTF-8, UTF-16 or UTF-32, told apart by BOM or, without one, by the first bytes' zeros.

    Raises:
        ReadError: the file is larger than `MAX_BYTES` or not valid in its encoding, or only a pointer of Git LFS is there.
    """
    _refuse_what_is_no_document(data, file)
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1 if encoding.startswith("utf-8") else None
        raise ReadError(
            f"not valid {encoding.removesuffix('-sig').upper()} text: {error.reason} at byte {error.start}",
            file=file,
            line=line,
            hint="save the file as UTF-8",
        ) from None


def _refuse_what_is_no_document(data: bytes, file: str) -> None:
    if len(data) > MAX_BYTES:
        raise ReadError(
            f"the file has {len(data):,} bytes; guardian reads at most {MAX_BYTES:,}",
            file=file,
            hint="split the document into several files joined by $ref",
        )
    if is_lfs_pointer(data):
        raise ReadError(
            "Git LFS keeps this file elsewhere; only a pointer to it is here",
            file=file,
            hint=f"{LFS_REMEDY}; {_LFS_BASE}",
        )


def is_lfs_pointer(data: bytes) -> bool:
    """Whether this is what Git LFS leaves in place of a file."""
    return data.startswith(_LFS_POINTER)


def looks_like_json(text: str) -> bool:
    """Whether the first non-blank character opens a JSON object or array (YAML flow style looks the same)."""
    first = text.lstrip()[:1] if text[:1].isspace() else text[:1]
    return first in ("{", "[")


@contextmanager
def _telling_conflicts(data: bytes, file: str) -> Iterator[None]:
    """Say of a file that cannot be read that git left a conflict in it, where that is so: the rest follows from it."""
    try:
        yield
    except ReadError:
        conflict = _CONFLICT.search(data)
        if conflict is None:
            raise
        raise ReadError(
            "a merge conflict begins here that nobody has resolved",
            file=file,
            line=data.count(b"\n", 0, conflict.start()) + 1,
            column=1,
            hint="keep what is right of both versions, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>",
        ) from None


# --- the fast readers ---------------------------------------------------------------------------------------------


@contextmanager
def _without_collector() -> Iterator[None]:
    """Building a large tree of live objects gives the cycle collector nothing to find and a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _load_json(text: str, file: str) -> Any:
    try:
        value = json_text.load(text)
    except json_text.DuplicateKey as error:
        # The careful reader names both lines; where it cannot read this JSON (tabs, \ud83d\ude00), the key must do.
        duplicate = ReadError(f"the key {str(error)!r} stands twice in one object", file=file)
        try:
            _only_document(text, file)
        except ReadError as careful:
            raise (careful if "twice" in careful.message else duplicate) from None
        raise duplicate from None
    except RecursionError:
        raise _too_deep(file) from None
    except json.JSONDecodeError as error:
        if not _is_json(file):  # YAML's flow style starts like JSON
            return _only_document(text, file)
        raise ReadError(f"not valid JSON: {error.msg}", file=file, line=error.lineno, column=error.colno) from None
    except ValueError:  # an integer with more digits than Python converts
        return _only_document(text, file)
    _refuse_deep_or_halved(value, [memoryview(text.encode("utf-8", "replace"))], file)
    return value


def _refuse_deep_or_halved(value: Any, written: Sequence[memoryview], file: str) -> None:
    """Nesting that nobody needs, and strings that are no Unicode text."""
    if unpaired(written):  # too deep, or brackets inside strings
        _check_depth(value, file)
    if any(map(_SURROGATE.search, written)):
        _refuse_lone_surrogates(value, file)


def _is_json(file: str) -> bool:
    return file.lower().endswith(".json")


def _check_depth(value: Any, file: str) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return
    raise _too_deep(file)


def _too_deep(file: str, line: int | None = None, column: int | None = None) -> ReadError:
    return ReadError(f"nested more than {MAX_DEPTH} levels deep", file=file, line=line, column=column)


def _refuse_lone_surrogates(value: Any, file: str) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        escape = f"\\u{ord(error.object[error.start]):04x}"
        raise ReadError(f"a string holds {escape}, half of a surrogate pair: no Unicode text", file=file) from None


def _refuse_slow_yaml(data: bytes) -> None:
    """The fast reader copies what an alias stands for, up to 100 million nodes, and its scanner takes time quadratic in
    the number of open flow brackets.
    """
    if _has_aliases(data) or len(unpaired([memoryview(data)])) > _MAX_UNPAIRED:
        raise _Undecided


def _load_piece(text: str) -> Any:
    try:
        return _load_fast_yaml(text, MAX_DEPTH - BY_MEMBERS)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic in Rust is one too
        raise NotPlain from error


def _load_fast_yaml(text: str, max_depth: int = MAX_DEPTH) -> Any:
    import oryaml

    root = [oryaml.loads(text)]
    pending: list[Any] = root[:]
    depth = 0
    while pending:  # one level a round
        if depth >= max_depth:
            raise _Undecided
        depth += 1
        below: list[Any] = []
        for node in pending:
            if type(node) is dict:
                if MERGE_KEY in node:
                    raise _Undecided
                for key in node:
                    if type(key) is not str:
                        _rename_keys(node)
                        break
                children: Any = node.values()
            elif type(node) is list:
                children = node
            else:
                children = (node,)
            for child in children:
                kind = type(child)
                if kind is dict or kind is list:
                    below.append(child)
                elif kind not in _PLAIN or (kind is float and not math.isfinite(child)):
                    raise _Undecided
        pending = below
    return root[0]


def _has_aliases(data: bytes) -> bool:
    """Whether a name stands behind both ``&`` and ``*``; prose that looks so costs time alone."""
    if b"&" not in data or b"*" not in data:
        return False
    anchors = {name.rstrip(b":") for name in _ANCHOR.findall(data)}
    return any(name.rstrip(b":") in anchors for name in _ALIAS.findall(data))


def _rename_keys(node: dict[Any, Any]) -> None:
    renamed = {_key(key): value for key, value in node.items()}
    if len(renamed) != len(node):
        raise _Undecided
    node.clear()
    node.update(renamed)


def _key(value: Any) -> str:
    """A key's value as the text that JSON would give it; a float's own spelling is known to the text alone."""
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    if value is None or type(value) is bool:
        return json.dumps(value)
    raise _Undecided


# --- the careful reader --------------------------------------------------------------------------------------------


def scalar_value(text: str) -> Any:
    """The value of a plain YAML scalar by the 1.2 core schema; what JSON's numbers cannot hold stays text."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INT.fullmatch(text):
        number = float(text)
        return int(text) if _SMALLEST_INT <= number <= _LARGEST_INT else json_float(text)
    if _BASED_INT.fullmatch(text):
        number = int(text, 0) if len(text) < _LONGEST_INT else math.inf
        return number if _SMALLEST_INT <= number <= _LARGEST_INT else text
    if _FLOAT.fullmatch(text):
        return json_float(text)
    return text


def key_text(text: str, plain: bool) -> str:
    """A mapping key as the string it is known by: ``200``, ``0xC8`` and ``'200'`` are all ``"200"``."""
    value = scalar_value(text) if plain else text
    return text if type(value) is float else _key(value)


def _only_document(text: str, file: str) -> Any:
    found = list(_documents(text, file, single=True))
    return found[0] if found else None


def _documents(text: str, file: str, *, single: bool = False) -> Iterator[Any]:
    from guardian.spec.events import read_documents  # libyaml: most runs never need it

    return read_documents(text, file, single=single)
