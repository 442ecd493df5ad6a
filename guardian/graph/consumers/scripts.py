"""What a Postman test script reads of the response: its assertions, followed through variables and callbacks.

Not a JavaScript engine: the tokens are scanned for chains such as ``pm.response.json().customer.email`` and for names
that stand for one. What a script reaches by other ways (computed names, helper functions) is not seen, so what is found
is a lower bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from guardian import fieldpath
from guardian.fieldpath import ROOT, Path, Wild
from guardian.graph.uses import Field
from guardian.model import Location

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)
    |(?P<number>\d[\w.]*)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<mark>=>|\?\.|[=!]==?|.)""",
    re.VERBOSE | re.DOTALL,
)
# Methods of arrays that give each item to a callback.
_EACH = frozenset({"forEach", "map", "filter", "find", "findIndex", "some", "every", "flatMap"})
_BODY_CALLS = (
    ("pm", ".", "response", ".", "json", "(", ")"),
    ("JSON", ".", "parse", "(", "responseBody", ")"),
    ("JSON", ".", "parse", "(", "pm", ".", "response", ".", "text", "(", ")", ")"),
)


@dataclass(frozen=True, slots=True)
class Asserted:
    """What a script reads and which statuses it expects."""

    fields: tuple[Field, ...] = ()
    statuses: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.fields and not self.statuses


def read_script(source: str, origin: Location) -> Asserted:
    """The fields and statuses that a test script asserts; all of them stand where the script stands."""
    scan = _Scan(source)
    scan.run()
    return Asserted(
        tuple(Field(path, origin, shallow) for path, shallow in scan.reads),
        tuple(sorted(scan.statuses)),
    )


class _Scan:
    def __init__(self, source: str) -> None:
        self.tokens = list(_tokens(source))
        self.names: dict[str, Path] = {}
        self.reads: dict[tuple[Path, bool], None] = {}
        self.statuses: dict[str, None] = {}

    def run(self) -> None:
        at = 0
        while at < len(self.tokens):
            at = self._statement(at)

    def _statement(self, at: int) -> int:
        if self._follows(at, "pm", ".", "response", ".", "to", ".", "have", "."):
            return self._response_assertion(at + 8)
        if self._follows(at, "pm", ".", "response", ".", "headers", ".", "get", "("):
            self._header(at + 8)
            return at + 9
        if self._follows(at, "pm", ".", "response", ".", "code") or self._follows(at, "responseCode", ".", "code"):
            at += 5 if self.tokens[at] == "pm" else 3
            self._expected_codes(at)
            return at
        start = self._body_at(at)
        if start is None:
            return at + 1
        path, after = start
        target = self._assigned_to(at)
        path, after, called = self._chain(path, after)
        if target is not None and called is None and self._ends_expression(after):
            self._bind(target, path)
        else:
            after = self._read(path, after, called)
        return after

    # -- where a chain starts ------------------------------------------------------------------------------------------

    def _body_at(self, at: int) -> tuple[Path, int] | None:
        """The response's body, or a name that stands for a part of it."""
        if at > 0 and self.tokens[at - 1] in {".", "?."}:
            return None
        for call in _BODY_CALLS:
            if self._follows(at, *call):
                return ROOT, at + len(call)
        token = self.tokens[at]
        if token in self.names and not self._follows(at + 1, "=") and not self._follows(at + 1, ":"):
            return self.names[token], at + 1
        return None

    def _chain(self, path: Path, at: int) -> tuple[Path, int, str | None]:
        """Follow ``.name``, ``["name"]`` and ``[0]``; the third is the method that the chain ends in."""
        while at < len(self.tokens):
            token = self.tokens[at]
            if token in {".", "?."} and at + 1 < len(self.tokens) and _is_name(self.tokens[at + 1]):
                name = self.tokens[at + 1]
                if at + 2 < len(self.tokens) and self.tokens[at + 2] == "(":
                    return path, at + 2, name
                if name == "length":
                    return path, at + 2, name
                path, at = path.below(name), at + 2
            elif token == "[" and at + 2 < len(self.tokens) and self.tokens[at + 2] == "]":
                inside = self.tokens[at + 1]
                path, at = path.below(inside[1:-1] if inside[0] in "\"'`" else Wild.ITEM), at + 3
            else:
                break
        return path, at, None

    # -- what becomes of it --------------------------------------------------------------------------------------------

    def _read(self, path: Path, after: int, called: str | None) -> int:
        """Note what is read of the chain that ends before ``after``; where to go on."""
        if called in _EACH:
            self._keep(path, shallow=True)
            at = self._callback_parameter(after + 1)
            if at is None:
                return after
            self.names[self.tokens[at]] = path.below(Wild.ITEM)
            return at + 1
        asserted = list(self._asserted_properties(after)) if called is None else []
        for text in asserted:
            self._keep(Path(path.steps + fieldpath.parse(text).steps))
        if not asserted:
            self._keep(path, shallow=called is not None or path == ROOT)
        return after

    def _keep(self, path: Path, *, shallow: bool = False) -> None:
        if not (shallow and path == ROOT):
            self.reads[path, shallow] = None

    def _asserted_properties(self, at: int) -> Iterator[str]:
        """The names in ``expect(x).to.have.property("name")`` and its like, after x."""
        if at >= len(self.tokens) or self.tokens[at] != ")":
            return
        at += 1
        while at + 1 < len(self.tokens) and self.tokens[at] == ".":
            word = self.tokens[at + 1]
            at += 2
            if at < len(self.tokens) and self.tokens[at] == "(":
                if word in {"property", "keys", "key"}:
                    texts = self._texts(at + 1)
                    yield from (text for text in (texts[:1] if word == "property" else texts) if _parses(text))
                return

    def _texts(self, at: int) -> list[str]:
        found: list[str] = []
        while at < len(self.tokens) and self.tokens[at] != ")":
            if self.tokens[at][0] in "\"'":
                found.append(self.tokens[at][1:-1])
            at += 1
        return found

    def _callback_parameter(self, at: int) -> int | None:
        """Where the first parameter of ``x => …``, ``(x, i) => …`` or ``function (x) …`` stands."""
        while at < len(self.tokens) and self.tokens[at] in {"(", "function", "async"}:
            at += 1
        return at if at < len(self.tokens) and _is_name(self.tokens[at]) else None

    # -- assignments ---------------------------------------------------------------------------------------------------

    def _assigned_to(self, at: int) -> str | list[str] | None:
        """The name, or the names of a destructuring, that the expression at this place is assigned to."""
        if at < 2 or self.tokens[at - 1] != "=":
            return None
        if _is_name(self.tokens[at - 2]) and (at < 3 or self.tokens[at - 3] not in {".", "?."}):
            return self.tokens[at - 2]
        if self.tokens[at - 2] == "}":
            start = at - 3
            while start >= 0 and self.tokens[start] != "{":
                start -= 1
            return [token for token in self.tokens[start + 1 : at - 2] if token != ","]
        return None

    def _bind(self, target: str | list[str], path: Path) -> None:
        if isinstance(target, str):
            self.names[target] = path
            return
        for at, token in enumerate(target):
            if not _is_name(token) or (at > 0 and target[at - 1] == ":"):
                continue
            renamed = target[at + 2] if target[at + 1 : at + 2] == [":"] and at + 2 < len(target) else token
            self.names[renamed] = path.below(token)
            self._keep(path.below(token))

    def _ends_expression(self, at: int) -> bool:
        return at >= len(self.tokens) or self.tokens[at] in {";", "}", ","} or _is_name(self.tokens[at])

    # -- statuses and headers ------------------------------------------------------------------------------------------

    def _response_assertion(self, at: int) -> int:
        word = self.tokens[at] if at < len(self.tokens) else ""
        if word == "status":
            self._codes_from(at + 1)
        elif word == "header":
            self._header(at + 2)
        elif word == "jsonBody":
            for text in self._texts(at + 1)[:1]:
                if _parses(text):
                    self._keep(fieldpath.parse(text))
        return at + 1

    def _header(self, at: int) -> None:
        if at < len(self.tokens) and self.tokens[at][0] in "\"'":
            self._keep(Path((self.tokens[at][1:-1],), "header"))

    def _expected_codes(self, at: int) -> None:
        """The numbers that a status is compared with: ``=== 200``, ``).to.eql(200)``, ``.to.be.oneOf([200, 201])``."""
        limit = min(len(self.tokens), at + 12)
        while at < limit and self.tokens[at] in {")", ".", "===", "==", "to", "be", "eql", "equal", "equals", "oneOf"}:
            at += 1
        self._codes_from(at)

    def _codes_from(self, at: int) -> None:
        while at < len(self.tokens) and (self.tokens[at] in {"(", "[", ","} or self.tokens[at].isdigit()):
            if re.fullmatch(r"[1-5]\d\d", self.tokens[at]):
                self.statuses[self.tokens[at]] = None
            at += 1

    def _follows(self, at: int, *expected: str) -> bool:
        return tuple(self.tokens[at : at + len(expected)]) == expected


def _tokens(source: str) -> Iterator[str]:
    for found in _TOKEN.finditer(source):
        if found.lastgroup != "skip":
            yield found[0]


def _is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] in "_$"


def _parses(text: str) -> bool:
    try:
        return bool(fieldpath.parse(text).steps)
    except ValueError:
        return False
