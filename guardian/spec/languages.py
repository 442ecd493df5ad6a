"""Patterns as languages: regular expressions run side by side over one string.

JSON Schema reads a pattern as unanchored ECMA-262 and joins several by conjunction (2020-12, section 6.3.3). Each
pattern becomes a position automaton (Glushkov); a search through strings goes breadth first, so that the first one
found is a shortest one. It is bounded by the work it does, not by time, and therefore answers the same on every
machine; and it never backtracks, so that a hostile pattern costs no more than another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Items
from functools import lru_cache
from typing import NamedTuple

from guardian.spec.ecma import (
    MAX_CODE_POINT,
    Begin,
    Chars,
    Choice,
    End,
    Look,
    Ranges,
    Repeat,
    Sequence,
    Tree,
    Undecidable,
    parse,
)

# Positions of one pattern's automaton, counted repetitions written out.
MAX_POSITIONS = 2_000
# Steps of one search: visited sets of positions times what is looked at in each.
MAX_WORK = 400_000

# Beyond Unicode: stand at either end of the string, so that ``^`` and ``$`` are characters like others.
_BEGIN, _END = MAX_CODE_POINT + 1, MAX_CODE_POINT + 2

# What an example is made of where there is a choice.
_NICE = [*range(0x61, 0x7B), *range(0x30, 0x3A), *range(0x41, 0x5B), *range(0x21, 0x7F), 0x20]

_MATCHED = -1  # a state: whatever follows, the pattern has been found


def distinguishing(
    accept: Iterable[str], refuse: Iterable[str], *, shortest: int = 0, longest: int | None = None
) -> str | None:
    """A shortest string that satisfies all of ``accept`` and not all of ``refuse``; ``None`` if there is none.

    Args:
        accept: patterns that must all be found in the string.
        refuse: patterns of which at least one must not be found; the string is refused by the conjunction.
        shortest: how many characters it has at least.
        longest: and at most.

    Raises:
        Undecidable: a pattern is not of a regular language, or the search is too large.
    """
    required = [literal for pattern in accept for literal in _literals(pattern)]
    refused = [literal for pattern in refuse for literal in _literals(pattern)]
    return next(_search(required, refused, shortest, longest), None) if refused else None


def matching(patterns: Iterable[str], *, shortest: int = 0, longest: int | None = None) -> Iterator[str]:
    """Strings that satisfy all patterns, short ones first.

    Raises:
        Undecidable: while iterating; as for ``distinguishing``.
    """
    return _search([literal for pattern in patterns for literal in _literals(pattern)], None, shortest, longest)


def examples(pattern: str, limit: int = 3) -> list[str]:
    """A few short strings that the pattern is found in; none if it cannot be decided."""
    found: list[str] = []
    try:
        for each in matching([pattern]):
            found.append(each)
            if len(found) == limit:
                break
    except Undecidable:
        pass
    return found


def found(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text.

    Raises:
        Undecidable: the pattern is not of a regular language.
    """
    for literal in _literals(pattern):
        state = literal.automaton.start()
        for letter in text:
            state = literal.automaton.step(state, ord(letter))
        if not literal.holds(state):
            return False
    return True


class _Automaton(NamedTuple):
    """A Glushkov automaton: a state is the set of positions just read, as a bit mask. ``_MATCHED`` stays matched."""

    chars: tuple[Ranges, ...]
    first: int
    follow: tuple[int, ...]
    last: int
    nullable: bool
    begins: int  # how many of the positions are ``^``, and so how often the string's begin must be offered
    ends: int

    def reach(self, state: int) -> int:
        """The positions that may be read next; a match may start anywhere."""
        reached = self.first
        while state:
            low = state & -state
            reached |= self.follow[low.bit_length() - 1]
            state ^= low
        return reached

    def step(self, state: int, code: int) -> int:
        if state == _MATCHED:
            return state
        reached = self.reach(state)
        return self.enter(reached & self.mask(reached, code))

    def after(self, state: int, masks: Items[int]) -> Items[int]:
        """The states behind a character of each class, given the positions that read one of that class."""
        if state == _MATCHED:
            return [state] * len(masks)
        reached = self.reach(state)
        return [_MATCHED if reached & mask & self.last else reached & mask for mask in masks]

    def mask(self, among: int, code: int) -> int:
        found = 0
        while among:
            low = among & -among
            if any(start <= code <= stop for start, stop in self.chars[low.bit_length() - 1]):
                found |= low
            among ^= low
        return found

    def enter(self, state: int) -> int:
        return _MATCHED if state & self.last else state

    def start(self) -> int:
        state = _MATCHED if self.nullable else 0
        for _ in range(self.begins):
            state = self.step(state, _BEGIN)
        return state

    def matches(self, state: int) -> bool:
        for _ in range(self.ends):
            state = self.step(state, _END)
        return state == _MATCHED


class _Literal(NamedTuple):
    automaton: _Automaton
    positive: bool

    def holds(self, state: int) -> bool:
        return self.automaton.matches(state) is self.positive


@lru_cache(maxsize=512)
def _literals(pattern: str) -> tuple[_Literal, ...]:
    """A pattern as a conjunction: lookaheads right behind a leading ``^`` are patterns of their own."""
    tree = parse(pattern)
    parts = tree.parts if isinstance(tree, Sequence) else (tree,)
    literals: list[_Literal] = []
    if parts and isinstance(parts[0], Begin):
        rest = list(parts[1:])
        while rest and isinstance(look := rest[0], Look):
            literals.append(_Literal(_compile(Sequence((Begin(), look.part))), not look.negative))
            rest.pop(0)
        tree = Sequence((Begin(), *rest))
    return (*literals, _Literal(_compile(tree), True))


def _compile(tree: Tree) -> _Automaton:
    builder = _Builder()
    piece = builder.build(tree)
    return _Automaton(
        tuple(builder.chars),
        piece.first,
        tuple(builder.follow),
        piece.last,
        piece.nullable,
        builder.begins.bit_count(),
        builder.ends.bit_count(),
    )


class _Piece(NamedTuple):
    first: int
    last: int
    nullable: bool


_EMPTY = _Piece(0, 0, True)


class _Builder:
    """Numbers the positions of a tree and says which may follow which."""

    def __init__(self) -> None:
        self.chars: list[Ranges] = []
        self.follow: list[int] = []
        self.begins = self.ends = 0  # the positions that are anchors

    def build(self, tree: Tree) -> _Piece:
        match tree:
            case Chars(found):
                return self.position(found)
            case Begin():
                piece = self.position(((_BEGIN, _BEGIN),))
                self.begins |= piece.first
                return piece
            case End():
                piece = self.position(((_END, _END),))
                self.ends |= piece.first
                return piece
            case Sequence(parts):
                piece = _EMPTY
                for part in parts:
                    piece = self.join(piece, self.build(part))
                return piece
            case Choice(options):
                pieces = [self.build(option) for option in options]
                first = last = 0
                for each in pieces:
                    first, last = first | each.first, last | each.last
                return _Piece(first, last, any(each.nullable for each in pieces))
            case Repeat():
                return self.repeat(tree)
            case Look():
                raise Undecidable("a pattern looks ahead")

    def position(self, found: Ranges) -> _Piece:
        if len(self.chars) >= MAX_POSITIONS:
            raise Undecidable("a pattern is too large to compare")
        bit = 1 << len(self.chars)
        self.chars.append(found)
        self.follow.append(0)
        return _Piece(bit, bit, False)

    def join(self, left: _Piece, right: _Piece) -> _Piece:
        self.link(left.last, right.first)
        return _Piece(
            left.first | (right.first if left.nullable else 0),
            right.last | (left.last if right.nullable else 0),
            left.nullable and right.nullable,
        )

    def link(self, last: int, first: int) -> None:
        if last & self.ends and first & self.begins:
            raise Undecidable("a pattern has `$` before `^`")
        while last:
            low = last & -last
            self.follow[low.bit_length() - 1] |= first
            last ^= low

    def repeat(self, tree: Repeat) -> _Piece:
        if tree.most is not None and tree.most < tree.least:
            raise Undecidable("a pattern has a repetition that runs backwards")
        before = len(self.chars)
        one = self.build(tree.part)
        if len(self.chars) == before:  # nothing in it but the empty string: as good as once
            return _Piece(one.first, one.last, one.nullable or tree.least == 0)
        copies = max(tree.least, 1) if tree.most is None else tree.most
        pieces = [one, *(self.build(tree.part) for _ in range(copies - 1))] if copies else []
        fixed = tree.least if tree.most is not None else copies - 1
        piece = _EMPTY
        for one in pieces[:fixed]:
            piece = self.join(piece, one)
        if tree.most is None:
            one = pieces[-1]
            self.link(one.last, one.first)
            return self.join(piece, _Piece(one.first, one.last, one.nullable or tree.least == 0))
        tail = _EMPTY
        for one in reversed(pieces[fixed:]):  # a(a(a)?)?: each may only follow the one before
            self.link(one.last, tail.first)
            tail = _Piece(one.first | (tail.first if one.nullable else 0), one.last | tail.last, True)
        return self.join(piece, tail)


def _search(
    required: Items[_Literal], refused: Items[_Literal] | None, shortest: int, longest: int | None
) -> Iterator[str]:
    """Strings that all of ``required`` take and, where given, not all of ``refused`` do; one for each set of states."""
    literals = (*required, *(refused or ()))
    letters, sets = _letters([literal.automaton for literal in literals])
    start = tuple(literal.automaton.start() for literal in literals)
    count = len(required)
    negative = [index for index, literal in enumerate(required) if not literal.positive]
    work = 0
    queue: deque[tuple[tuple[int, ...], str]] = deque([(start, "")])
    seen = {(start, 0)}
    while queue:
        states, text = queue.popleft()
        if len(text) >= shortest and all(map(_Literal.holds, required, states)):
            if refused is None or not all(map(_Literal.holds, refused, states[count:])):
                yield text
        if longest is not None and len(text) >= longest:
            continue
        work += len(letters) * len(literals) + sum(state.bit_count() for state in states if state != _MATCHED)
        if work > MAX_WORK:
            raise Undecidable("the patterns are too large to compare")
        # Length counts only until it is long enough, or always where there is a last one.
        length = len(text) + 1 if longest is not None else min(len(text) + 1, shortest)
        columns = [
            literal.automaton.after(state, masks) for literal, state, masks in zip(literals, states, sets, strict=True)
        ]
        for letter, *reached in zip(letters, *columns, strict=True):
            after = tuple(reached)
            # A literal that can only be broken now cannot be mended: nothing to look for behind it.
            if _MATCHED in after and any(after[index] == _MATCHED for index in negative):
                continue
            if (after, length) not in seen:
                seen.add((after, length))
                queue.append((after, text + letter))


def _letters(automata: Items[_Automaton]) -> tuple[list[str], list[list[int]]]:
    """One character for each class that no automaton tells apart, and for each automaton its positions by class."""
    wanted = sorted({found for automaton in automata for found in automaton.chars})
    edges: dict[int, int] = {}  # where membership in some sets starts or ends -> those sets, as bits
    for index, found in enumerate(wanted):
        for low, high in found:
            edges[low] = edges.get(low, 0) ^ 1 << index
            edges[high + 1] = edges.get(high + 1, 0) ^ 1 << index
    classes: dict[int, list[tuple[int, int]]] = {}
    member, start = 0, 0
    for edge in sorted(edges):
        if edge > start and start <= MAX_CODE_POINT:
            classes.setdefault(member, []).append((start, min(edge - 1, MAX_CODE_POINT)))
        member ^= edges[edge]
        start = edge
    if start <= MAX_CODE_POINT:
        classes.setdefault(member, []).append((start, MAX_CODE_POINT))
    chosen = sorted((_rank(found), member) for member, found in classes.items() if _rank(found) is not None)
    order = {found: index for index, found in enumerate(wanted)}
    sets = [
        [sum(1 << i for i, found in enumerate(automaton.chars) if member >> order[found] & 1) for _, member in chosen]
        for automaton in automata
    ]
    return [chr(rank[1]) for rank, _ in chosen if rank is not None], sets


def _rank(found: Items[tuple[int, int]]) -> tuple[int, int] | None:
    """How gladly one would read a character of this class (less is better), and the character."""
    for rank, code in enumerate(_NICE):
        if any(low <= code <= high for low, high in found):
            return rank, code
    for low, high in found:  # no surrogates: they are no characters
        code = low if not 0xD800 <= low <= 0xDFFF else 0xE000
        if code <= high:
            return len(_NICE) + code, code
    return None
