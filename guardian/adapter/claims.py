"""What a model says, as what a report may say: confirmed by the engine, or advice with the text that it rests on.

A claim about documentation counts only if the text bears it out: a number, unit, zone or word of promise that differs
between the two texts, and a quote that stands in the new one. Nothing here lowers anything, and what the engine has not
found itself is never more than a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from guardian.adapter.hygiene import inert
from guardian.adapter.wording import Wording
from guardian.model import Location

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence for a report, and the place it is about."""

    message: str
    at: Location | None = None


def advisory(model: str, claim: str, rests_on: str, at: Location | None = None) -> Remark:
    """A claim that nothing but the model stands for, with the text that it rests on."""
    return Remark(f"advisory ({inert(model, 60)}): {claim}: {rests_on}", at)


def confirmed(model: str, claim: str, evidence: str, at: Location | None = None) -> Remark:
    """A claim that the engine has looked into and found true, with what it found."""
    return Remark(f"confirmed by the engine (a hint of {inert(model, 60)}): {claim}: {evidence}", at)


def quoted(text: str, limit: int = 160) -> str:
    """Somebody else's text in a sentence: one line, cut, in quotation marks."""
    return f"“{inert(text, limit)}”"


# -- documentation -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Claim:
    """A model's word that a text changed meaning."""

    text: Wording
    kind: str
    quote: str


def claims_of(answer: Json, texts: Sequence[Wording]) -> list[Claim]:
    """The claims of an answer that its texts bear out; each text at most once."""
    found: dict[int, Claim] = {}
    for each in answer["changed"]:
        text = texts[each["number"] - 1]
        quote = " ".join(each["quote"].split())
        if quote and quote.lower() in text.head.lower() and quote.lower() not in text.base.lower():
            found.setdefault(each["number"], Claim(text, each["kind"], quote))
        elif bears_out(text):
            found.setdefault(each["number"], Claim(text, each["kind"], _difference(text)))
    return [found[number] for number in sorted(found)]


def remark_of(claim: Claim, model: str, readers: Iterable[str] = ()) -> Remark:
    """A claim about documentation for a report: both texts quoted, and who is known to use what it is about."""
    text = claim.text
    base, head = text.differing
    who = ", ".join(inert(name, 80) for name in readers)
    return advisory(
        model,
        f"the documentation of {inert(text.place)} may change its meaning ({claim.kind})",
        f"was {quoted(base)}, is {quoted(head)}" + (f"; used by {who}" if who else ""),
        text.head_location,
    )


def bears_out(text: Wording) -> bool:
    """Whether the texts differ in more than small words: in a number, a name or a word that is in one of them alone."""
    return _words(text.base) != _words(text.head)


def _difference(text: Wording) -> str:
    base = _words(text.base)
    return " ".join(word for word in _WORD.findall(text.head) if word.lower() not in base)[:120]


_WORD = re.compile(r"[\w%€$./:+-]+")
_SMALL = frozenset(
    {"a", "an", "the", "of", "is", "are", "be", "in", "on", "to", "and", "or", "this", "that", "it", "its", "for", "as"}
)


def _words(text: str) -> set[str]:
    return {word.lower().strip(".") for word in _WORD.findall(text)} - _SMALL
