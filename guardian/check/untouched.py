"""Services that nobody touched, found without parsing: in a repository of hundreds a change touches one or two.

A specification is untouched if it, and every file that it refers to, has the same bytes on both sides. References are
looked for in the text; whatever is not plainly one of the usual forms counts as touched, and is then read properly.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from guardian.check.service import Service
from guardian.check.sides import Sides
from guardian.errors import ReadError
from guardian.spec.trees import DirectoryTree

# `$ref` and its value, as JSON and YAML write them.
_REF = re.compile(rb"""\$ref["']?[ \t]*:[ \t]*(?:"([^"\\\n]*)"|'([^'\n]*)'|([^\s"'#&*!|>%@`{}\[\],][^\s,}\]]*))""")
# What every specification says of itself.
_SAYS_SO = re.compile(rb"""\b(?:openapi|swagger)\b["']?[ \t\r\n]*:""")
# What may make `$ref` mean something else: another base, or a letter of it (or a dollar) that is written as a number.
_NUMBERED = rb"(?:24|4[1-9A-Fa-f]|5[0-9Aa]|6[1-9A-Fa-f]|7[0-9Aa])"
_ODD = re.compile(rb"\$(?:id|self|dynamicRef|recursiveRef)\b|\\(?:u00|x)" + _NUMBERED)
# What refers to a file without it.
_NAMES_A_FILE = re.compile(rb"""\b(?:mapping|operationRef)["']?[ \t]*:[ \t\r\n]*""")
_FILE = re.compile(rb"\.(?:ya?ml|json)\b")
# A security scheme may be named by its URI since 3.2: a key that holds the name of a file, if it is no path.
_SINCE_3_2 = re.compile(rb"""\bopenapi["']?[ \t\r\n]*:[ \t\r\n]*["']?3\.(?:[2-9]|[1-9]\d)""")
_FILE_AS_KEY = re.compile(rb"""[\s"'{,][^\s"'{,/][^\s"'{,]*\.(?:ya?ml|json)\b[^\s"']*["']?[ \t]*:""")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


class Untouched:
    """Answers for one pair of sides; files that several services share are looked at once."""

    def __init__(self, sides: Sides) -> None:
        self._base = sides.base.tree
        self._head = sides.head.tree
        self._known: dict[str, list[str] | None] = {}
        # What else there is must be read properly, by somebody who says what is wrong with it.
        self._specifications: set[str] = set()

    def __call__(self, service: Service) -> bool:
        """Whether a service is surely the same on both sides."""
        base, head = service.base_path, service.head_path
        if base is None or head is None:
            return False
        if base != head:  # moved: relative references may lead elsewhere
            shared = self._shared(base, head)
            return shared is not None and _says_so(shared) and _targets(shared, base) == []
        pending, seen = [base], {base}
        while pending:
            targets = self._compared(pending.pop())
            if targets is None:
                return False
            fresh = [each for each in targets if each not in seen]
            seen.update(fresh)
            pending.extend(fresh)
        return base in self._specifications

    def _compared(self, path: str) -> list[str] | None:
        """The files that a file refers to, if it is the same on both sides; else ``None``."""
        if path not in self._known:
            try:
                shared = self._shared(path, path)
            except ReadError:  # whoever reads it properly says what is wrong
                shared = None
            self._known[path] = _targets(shared, path) if shared is not None else None
            if shared is not None and _says_so(shared):
                self._specifications.add(path)
        return self._known[path]

    def _shared(self, base: str, head: str) -> bytes | None:
        """What is in a file of either side, if they are the same; files on disk of different sizes are not read."""
        if isinstance(self._base, DirectoryTree) and isinstance(self._head, DirectoryTree):
            if self._base.size(base) != self._head.size(head):
                return None
        data = self._base.read(base)
        return data if data == self._head.read(head) else None


def names_scheme_files(data: bytes) -> bool:
    """Whether security schemes may be named by files that they are in, which no reference says."""
    return _SINCE_3_2.search(data) is not None and _FILE_AS_KEY.search(data) is not None


def _says_so(data: bytes) -> bool:
    return _SAYS_SO.search(data) is not None


def _targets(data: bytes, path: str) -> list[str] | None:
    """The other files that a document refers to, by their paths; ``None`` where the text alone does not say."""
    if (
        b"\0" in data
        or names_scheme_files(data)
        or _ODD.search(data)
        or any(_FILE.search(value) for value in _values(data))
    ):
        return None
    found = _REF.findall(data)
    if len(found) != data.count(b"$ref"):
        return None
    targets: set[str] = set()
    for quoted in found:
        ref = b"".join(quoted).decode("utf-8", "replace").partition("#")[0]
        if not ref:
            continue
        if _SCHEME.match(ref) or ref.startswith("/"):
            return None
        targets.add(posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(ref))))
    return sorted(targets)


def _values(data: bytes) -> Iterator[bytes]:
    """The texts of all mappings and operationRefs: to the end of the object, or of the lines that are further in."""
    for key in _NAMES_A_FILE.finditer(data):
        opening = data[key.end() : key.end() + 1]
        if opening in (b"{", b"*"):  # an object, or what stands elsewhere by an alias
            yield data[key.end() : data.find(b"}", key.end())] if opening == b"{" else data
            continue
        line = data.rfind(b"\n", 0, key.start()) + 1
        indent = len(data[line : key.start()]) - len(data[line : key.start()].lstrip(b" -\"'"))
        deeper = re.compile(rb"[^\n]*(?:\n(?:[ \t]*(?=\r?\n)|[ ]{%d,}[^\n]*))*" % (indent + 1))
        found = deeper.match(data, key.start())
        yield found[0] if found else b""
