"""Field paths, as manifests, reports and exceptions write them: ``address.city``, ``roles[].name``, ``query:page``.

A path is the names on the way into a JSON body, joined by dots: ``[]`` is any item of an array, ``*`` any value of a
map, ``$`` the whole body, and a backslash takes the meaning from the character after it (``\\.`` is a dot in a name).
What does not travel in a body has its place before a colon: ``header:X-Tenant``, ``path:id``, ``scope:users.read``.
In what a consumer sends, the body is named too: ``body.name``, ``body.$``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

#: Where something can travel outside of the body; ``scope`` is a permission, which travels in a token.
PLACES = ("query", "path", "header", "cookie", "querystring", "scope")


class Wild(Enum):
    """A step that is no name."""

    ITEM = "[]"
    VALUE = "*"


Step = str | Wild

_PLACED = re.compile(rf"({'|'.join(PLACES)}):(.+)", re.DOTALL)
_INDEX = re.compile(r"\[(?:\*|\d*)\]")


@dataclass(frozen=True, slots=True)
class Path:
    """A field. Without steps it is the whole body; outside of the body the one step is the name as it is sent."""

    steps: tuple[Step, ...] = ()
    place: str = ""

    def __str__(self) -> str:
        return write(self)

    @property
    def parent(self) -> Path:
        return Path(self.steps[:-1], self.place)

    def below(self, *steps: Step) -> Path:
        """The path that leads further, by these steps."""
        return Path(self.steps + steps, self.place)


ROOT = Path()


@lru_cache(maxsize=65_536)
def parse(text: str) -> Path:
    """Read a field path; an empty text is the whole body, as in reports.

    Raises:
        ValueError: a name is empty, or a backslash has nothing after it. The text is a sentence for users.
    """
    placed = _PLACED.fullmatch(text)
    if placed:
        return Path((_unescaped(placed[2]),), placed[1])
    if text in {"", "$"}:
        return ROOT
    if text.startswith(("$.", "$[")):
        text = text[1:].removeprefix(".")
    return Path(tuple(_steps(text)))


@lru_cache(maxsize=65_536)
def parse_sent(text: str) -> Path:
    """Read a field path of what is sent, where the body has its name: ``body.name``, ``body[].id``, ``body.$``.

    Raises:
        ValueError: as `parse`, or the text does not say where the field travels.
    """
    if _PLACED.fullmatch(text):
        return parse(text)
    if text == "body" or text.startswith(("body.", "body[")):
        return parse(text[len("body") :].removeprefix("."))
    raise ValueError(f"`{text}` does not say where it travels: write `body.{text}`, `query:{text}` or `header:{text}`")


@lru_cache(maxsize=65_536)
def write(path: Path) -> str:
    """The text of a path, such that `parse` gives the path again. The whole body is ``$``."""
    if path.place:
        return f"{path.place}:{''.join(map(str, path.steps))}".replace("\\", "\\\\")
    text = ""
    for step in path.steps:
        if step is Wild.ITEM:
            text += "[]"
        else:
            name = "*" if isinstance(step, Wild) else escape(step)
            text = f"{text}.{name}" if text else name
    return text or "$"


def write_sent(path: Path) -> str:
    """The text of a path of what is sent, such that `parse_sent` gives the path again."""
    if path.place:
        return write(path)
    text = write(path)
    return f"body{text}" if text.startswith("[") else f"body.{text}"


def escape(name: str) -> str:
    """A name as one step of a path: what would mean something else there has a backslash before it."""
    text = name.replace("\\", "\\\\").replace(".", "\\.")
    text = _INDEX.sub(lambda index: "\\" + index[0], text)
    return f"\\{text}" if text in {"*", "$"} or text.startswith("$[") or _PLACED.fullmatch(text) else text


def touches(one: Path, other: Path) -> bool:
    """Whether two fields share data: the same, or one lies within the other.

    To read an object is to read everything in it, and what happens to an object happens to everything in it.
    ``*`` meets every name. Header names have no case (RFC 9110, section 5.1).
    """
    if one.place != other.place:
        return False
    if one.place:
        return _same_parameter(one, other)
    return all(_meet(a, b) for a, b in zip(one.steps, other.steps, strict=False))


def within(path: Path, outer: Path) -> bool:
    """Whether a field is another or lies in it."""
    return touches(path, outer) and (bool(path.place) or len(path.steps) >= len(outer.steps))


def _meet(one: Step, other: Step) -> bool:
    if one == other:
        return True
    return (one is Wild.VALUE and isinstance(other, str)) or (other is Wild.VALUE and isinstance(one, str))


def _same_parameter(one: Path, other: Path) -> bool:
    """Parameters are named as sent, so ``query:filter[status]`` is a part of ``query:filter``."""
    a, b = str(one.steps[0]), str(other.steps[0])
    if one.place == "header":
        a, b = a.lower(), b.lower()
    short, long = sorted((a, b), key=len)
    return long == short or (one.place != "scope" and long.startswith((f"{short}[", f"{short}.")))


def _steps(text: str) -> list[Step]:
    steps: list[Step] = []
    name: list[str] = []
    plain = True  # no escape yet in this name, so that it may be a wildcard
    after_item = False
    position = 0

    def close() -> None:
        nonlocal plain
        if not name:
            raise ValueError(f"`{text}` has an empty name in it")
        joined = "".join(name)
        steps.append(Wild.VALUE if plain and joined == "*" else joined)
        name.clear()
        plain = True

    while position < len(text):
        char = text[position]
        index = _INDEX.match(text, position) if char == "[" else None
        if index and (name or after_item or not steps) and _may_end(text, index.end()):
            if name:
                close()
            steps.append(Wild.ITEM)
            after_item = True
            position = index.end()
            continue
        if char == ".":
            if name:
                close()
            elif not after_item:
                raise ValueError(f"`{text}` has an empty name in it")
            after_item = False
            if position + 1 == len(text):
                raise ValueError(f"`{text}` ends with a dot")
        elif char == "\\":
            position += 1
            if position == len(text):
                raise ValueError(f"`{text}` ends with a backslash")
            name.append(text[position])
            plain = False
        else:
            name.append(char)
        position += 1
    if name:
        close()
    return steps


def _may_end(text: str, position: int) -> bool:
    """Whether an item's bracket may end there: at the end, before a dot or before another bracket."""
    return text[position : position + 1] in ("", ".", "[")


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
