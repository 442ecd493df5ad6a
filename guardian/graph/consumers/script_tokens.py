"""The tokens of a script, and the ways about among them: brackets, calls, callbacks, assignments."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)
    |(?P<number>\d[\w.]*)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<mark>=>|\?\.|\.\.\.|\+\+|[=!]==?|.)""",
    re.VERBOSE | re.DOTALL,
)
OPENING = frozenset({"(", "[", "{"})
_CLOSING = frozenset({")", "]", "}"})


def tokens_of(source: str) -> Iterator[str]:
    """The tokens of JavaScript source, without white space and comments."""
    for found in _TOKEN.finditer(source):
        if found.lastgroup != "skip":
            yield found[0]


def is_name(token: str) -> bool:
    """Whether a token is a name or a word of the language."""
    return token[0].isalpha() or token[0] in "_$"


class Tokens:
    """The tokens of one script. A place is an index; what is asked of places past the end is answered, too."""

    def __init__(self, source: str) -> None:
        self.tokens = list(tokens_of(source))

    def follows(self, at: int, *expected: str) -> bool:
        """Whether these tokens stand at this place."""
        return tuple(self.tokens[at : at + len(expected)]) == expected

    def closed(self, at: int) -> int:
        """Where the brackets end that open at this place; the last token if they do not."""
        depth = 0
        for index in range(at, len(self.tokens)):
            depth += (self.tokens[index] in OPENING) - (self.tokens[index] in _CLOSING)
            if depth == 0:
                return index
        return len(self.tokens) - 1

    def callee(self, at: int) -> str:
        """The name of the call among whose arguments this place is; what stands there instead if it is in none."""
        depth = 0
        while at > 0:
            at -= 1
            depth += (self.tokens[at] in _CLOSING) - (self.tokens[at] in OPENING)
            if depth < 0:
                called = self.tokens[at] == "(" and at > 0
                return self.tokens[at - 1] if called else "(" if self.tokens[at] == "(" else "list"
        return "("

    def callback_parameter(self, at: int) -> int | None:
        """Where the first parameter of ``x => …``, ``(x, i) => …`` or ``function (x) …`` stands; None if unseen."""
        while at < len(self.tokens) and self.tokens[at] in {"(", "function", "async"}:
            at += 1
        if at + 1 >= len(self.tokens) or not is_name(self.tokens[at]):
            return None
        begins = self.tokens[at + 1] in {"=>", ","} or (
            self.follows(at + 1, ")") and self.tokens[at + 2 : at + 3] in (["=>"], ["{"])
        )
        return at if begins else None

    def assigned_to(self, at: int) -> str | list[str] | None:
        """The name, or the names of a destructuring, that the expression at this place is assigned to."""
        if at > 0 and self.tokens[at - 1] == "await":
            at -= 1
        if at < 2 or self.tokens[at - 1] != "=":
            return None
        if is_name(self.tokens[at - 2]) and (at < 3 or self.tokens[at - 3] not in {".", "?."}):
            return self.tokens[at - 2]
        if self.tokens[at - 2] == "}":
            start = at - 3
            while start >= 0 and self.tokens[start] not in {"{", "}"}:
                start -= 1
            if start >= 0 and self.tokens[start] == "{":
                return [token for token in self.tokens[start + 1 : at - 2] if token != ","]
        return None

    def ends_expression(self, at: int) -> bool:
        """Whether an expression may end before this place."""
        return at >= len(self.tokens) or self.tokens[at] in {";", "}", ","} or is_name(self.tokens[at])

    def counts(self, at: int) -> bool:
        """Whether a name is a counter: ``i = 0``, ``i++``."""
        number = self.tokens[at + 2 : at + 3]
        return self.follows(at + 1, "++") or (self.follows(at + 1, "=") and bool(number) and number[0][0].isdigit())
