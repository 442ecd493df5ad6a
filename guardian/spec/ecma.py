"""Regular expressions as JSON Schema writes them (ECMA-262, RegExp syntax with Annex B), parsed to a small tree.

Only what describes a regular language is kept: characters, sequences, alternatives, counted repetition, ``^``, ``$``
and lookahead. What is not regular, or differs between engines (back references, lookbehind, word boundaries, Unicode
properties, inline flags), raises ``Undecidable`` with the reason as a phrase.
"""

from __future__ import annotations

from typing import NamedTuple

MAX_CODE_POINT = 0x10FFFF

# Deeper groups, and longer counts, are no pattern that anybody wrote by hand.
MAX_DEPTH = 50
MAX_COUNT_DIGITS = 6

Ranges = tuple[tuple[int, int], ...]  # inclusive, sorted, disjoint


class Undecidable(Exception):
    """The documents cannot decide; the message says why, as a phrase that follows "because"."""


class Chars(NamedTuple):
    """One character out of these ranges."""

    ranges: Ranges


class Begin(NamedTuple):
    """``^``"""


class End(NamedTuple):
    """``$``"""


class Sequence(NamedTuple):
    parts: tuple[Tree, ...]


class Choice(NamedTuple):
    options: tuple[Tree, ...]


class Repeat(NamedTuple):
    """``part`` at least ``least`` and at most ``most`` times; ``most`` of None has no end."""

    part: Tree
    least: int
    most: int | None


class Look(NamedTuple):
    """``(?=part)``, or ``(?!part)`` where ``negative``."""

    part: Tree
    negative: bool


Tree = Chars | Begin | End | Sequence | Choice | Repeat | Look


def ranges(*pairs: tuple[int, int]) -> Ranges:
    """Ranges in order, overlaps joined."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def negated(given: Ranges) -> Ranges:
    """Every other character."""
    result: list[tuple[int, int]] = []
    start = 0
    for low, high in given:
        if low > start:
            result.append((start, low - 1))
        start = high + 1
    if start <= MAX_CODE_POINT:
        result.append((start, MAX_CODE_POINT))
    return tuple(result)


_DIGIT = ranges((0x30, 0x39))
_WORD = ranges((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
# WhiteSpace and LineTerminator of ECMA-262 sections 12.2 and 12.3.
_SPACE = ranges(
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
_DOT = negated(ranges((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)))
_CLASSES = {
    "d": _DIGIT, "D": negated(_DIGIT), "w": _WORD, "W": negated(_WORD), "s": _SPACE, "S": negated(_SPACE),
}  # fmt: skip
_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
# Escapes that mean something in other engines and a plain letter in ECMA-262: nobody knows what the author meant.
_FOREIGN = frozenset("AaZzGQEhHRXK")


def parse(pattern: str) -> Tree:
    """The tree of a pattern, as written: not anchored unless it says so.

    Raises:
        Undecidable: it is no ECMA-262 regular expression, or not one of a regular language.
    """
    reader = _Reader(pattern)
    tree = reader.choice()
    if reader.at < len(pattern):
        raise Undecidable(f"`{pattern}` is not a regular expression: unmatched `)`")
    return tree


class _Reader:
    """Recursive descent over one pattern."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def peek(self, token: str) -> bool:
        return self.text.startswith(token, self.at)

    def take(self, token: str) -> bool:
        if self.peek(token):
            self.at += len(token)
            return True
        return False

    def next(self) -> str:
        if self.at >= len(self.text):
            raise Undecidable(f"`{self.text}` is not a regular expression: it ends too early")
        self.at += 1
        return self.text[self.at - 1]

    def choice(self) -> Tree:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Undecidable("a pattern is nested too deeply")
        options = [self.sequence()]
        while self.take("|"):
            options.append(self.sequence())
        self.depth -= 1
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self) -> Tree:
        parts: list[Tree] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            assertion = self.text.startswith(("^", "$", "(?=", "(?!"), self.at)
            part = self.atom()
            parts.append(part if assertion else self.repeated(part))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def atom(self) -> Tree:
        char = self.next()
        if char == "^":
            return Begin()
        if char == "$":
            return End()
        if char == ".":
            return Chars(_DOT)
        if char == "(":
            return self.group()
        if char == "[":
            return Chars(self.character_class())
        if char == "\\":
            return Chars(self.escape())
        if char in "*+?":
            raise Undecidable(f"`{self.text}` is not a regular expression: nothing to repeat before `{char}`")
        return _single(ord(char))

    def group(self) -> Tree:
        negative = self.peek("?!")
        if negative or self.peek("?="):
            self.at += 2
            tree: Tree = Look(self.choice(), negative)
        else:
            if self.take("?") and not self.take(":"):
                self.name()
            tree = self.choice()
        if not self.take(")"):
            raise Undecidable(f"`{self.text}` is not a regular expression: unmatched `(`")
        return tree

    def name(self) -> None:
        if self.peek("<=") or self.peek("<!"):
            raise Undecidable("a pattern looks behind")
        if not self.take("<"):
            raise Undecidable("a pattern uses a group that ECMA-262 does not have")
        while self.next() != ">":
            pass

    def repeated(self, part: Tree) -> Tree:
        if self.take("*"):
            tree: Tree = Repeat(part, 0, None)
        elif self.take("+"):
            tree = Repeat(part, 1, None)
        elif self.take("?"):
            tree = Repeat(part, 0, 1)
        elif (counts := self.counts()) is not None:
            tree = Repeat(part, *counts)
        else:
            return part
        if self.take("?"):  # lazy: another match, the same language
            pass
        elif self.at < len(self.text) and self.text[self.at] in "*+":
            raise Undecidable("a pattern repeats a repetition, which ECMA-262 does not allow")
        return tree

    def counts(self) -> tuple[int, int | None] | None:
        """``{n}``, ``{n,}`` or ``{n,m}``; any other brace stands for itself (Annex B)."""
        if not self.peek("{"):
            return None
        end = self.text.find("}", self.at)
        least, comma, most = self.text[self.at + 1 : max(end, self.at + 1)].partition(",")
        if end < 0 or not _number(least) or (most and not _number(most)):
            return None
        if max(len(least), len(most)) > MAX_COUNT_DIGITS:
            raise Undecidable("a pattern is too large to compare")
        self.at = end + 1
        return int(least), int(most) if most else None if comma else int(least)

    def escape(self) -> Ranges:
        """What follows a backslash, outside a class or in it."""
        char = self.next()
        if char in _CLASSES:
            return _CLASSES[char]
        if char in _CONTROLS:
            return _point(_CONTROLS[char])
        if char in "bB":
            raise Undecidable("a pattern uses word boundaries")
        if char in "pP" and self.peek("{"):
            raise Undecidable("a pattern uses Unicode properties")
        if char == "k" or char in "123456789":
            raise Undecidable("a pattern refers back to what it matched")
        if char in _FOREIGN:
            raise Undecidable(f"a pattern uses `\\{char}`, which ECMA-262 does not have")
        if char == "0":
            return _point(0)
        if char == "c" and self.at < len(self.text) and self.text[self.at].isascii() and self.text[self.at].isalpha():
            return _point(ord(self.next()) % 32)
        if char == "x":
            return _point(self.hex(2, "x"))
        if char == "u":
            if self.take("{"):
                end = self.text.find("}", self.at)
                return _point(self.hex(max(end - self.at, 0), "u", closing=1))
            return _point(self.hex(4, "u"))
        return _point(ord(char))

    def hex(self, length: int, letter: str, closing: int = 0) -> int:
        digits = self.text[self.at : self.at + length]
        if not digits or len(digits) < length or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
            return ord(letter)  # Annex B: the letter itself
        self.at += length + closing
        point = int(digits, 16)
        if 0xD800 <= point <= 0xDFFF or point > MAX_CODE_POINT:
            raise Undecidable("a pattern is written in surrogate pairs")
        return point

    def character_class(self) -> Ranges:
        inverted = self.take("^")
        members: list[tuple[int, int]] = []
        while not self.take("]"):
            low = self.member()
            if self.peek("-") and not self.peek("-]"):
                self.at += 1
                high = self.member()
                if _is_point(low) and _is_point(high):
                    if low[0][0] > high[0][0]:
                        raise Undecidable(f"`{self.text}` is not a regular expression: a range runs backwards")
                    members.append((low[0][0], high[0][0]))
                else:  # Annex B: a class at an end of a range makes the dash a dash
                    members.extend((*low, (0x2D, 0x2D), *high))
            else:
                members.extend(low)
        found = ranges(*members)
        return negated(found) if inverted else found

    def member(self) -> Ranges:
        char = self.next()
        if char != "\\":
            return _point(ord(char))
        if self.take("b"):
            return _point(0x08)
        if self.take("-"):
            return _point(0x2D)
        return self.escape()


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _point(code: int) -> Ranges:
    return ((code, code),)


def _single(code: int) -> Chars:
    return Chars(_point(code))


def _is_point(given: Ranges) -> bool:
    return len(given) == 1 and given[0][0] == given[0][1]
