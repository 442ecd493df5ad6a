"""What a model says, as what a report may say: advice with the text that it rests on, never more.

A claim counts only if the text bears it out: a number, unit, zone or word of promise that differs between the two texts,
and a quote that stands in the new one. A claim raises nothing above ``info`` and lowers nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from guardian.adapter.hygiene import inert
from guardian.adapter.wording import Wording
from guardian.model import Note

Json = dict[str, Any]


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


def bears_out(text: Wording) -> bool:
    """Whether the texts differ in more than small words: in a number, a name or a word that is in one of them alone."""
    return _words(text.base) != _words(text.head)


def _difference(text: Wording) -> str:
    base = _words(text.base)
    return " ".join(word for word in re.findall(r"[\w%€$./:+-]+", text.head) if word.lower() not in base)[:120]


def _words(text: str) -> set[str]:
    small = {
        "a",
        "an",
        "the",
        "of",
        "is",
        "are",
        "be",
        "in",
        "on",
        "to",
        "and",
        "or",
        "this",
        "that",
        "it",
        "its",
        "for",
        "as",
    }
    return {word.lower().strip(".") for word in re.findall(r"[\w%€$./:+-]+", text)} - small


def notes_of(claims: Iterable[Claim], model: str) -> list[Note]:
    """Claims as notes of a report: ``info``, said to be advice, the text quoted."""
    found = []
    for claim in claims:
        text = claim.text
        message = (
            f"advisory ({inert(model, 60)}): the documentation of {text.place} may change its meaning ({claim.kind}): "
            f"was “{inert(text.base, 160)}”, is “{inert(text.head, 160)}”"
        )
        found.append(Note("info", message, text.head_location.file, text.head_location.line))
    return found
