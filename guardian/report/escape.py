"""The one place where untrusted text is made harmless, one function for each medium it is written to.

Names, messages and values come out of specifications that strangers write. Every writer passes each such text
through the function of its medium, so that no text can move a cursor, open a link, mention a crowd, start a
workflow command or end a script element. What is neutralised stays readable: a control character is shown by
its escape (``\\x1b``), never silently dropped.
"""

from __future__ import annotations

import json as _json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

# C0 and C1 controls, line and paragraph separators, marks that reorder or hide text (UTS 55), lone surrogates,
# tag characters and what neither XML nor UTF-8 can carry.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Runners of several vendors act on `##[command]`, `##vso[...]` and the like anywhere in a line of output.
_HASH_COMMAND = re.compile(r"##(?=\w*\[)")
# A runner acts on `::command::` at the start of a line, spaces before it ignored; wrapping breaks at spaces.
_COLON_COMMAND = re.compile(r"(?<!\S)::")
_MARKDOWN = re.compile(r"([\\`*_\[\]|~!$])")
_BIG_INTEGER_BITS = 10_000  # beyond this Python refuses to print an integer in decimal


def plain(text: str, limit: int | None = None) -> str:
    """One line without characters that act instead of being seen.

    Longer than ``limit`` characters it is cut, and says by how much.
    """
    if limit is not None and len(text) > limit:
        return f"{plain(text[:limit])}... ({len(text) - limit:,} characters more)"
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub(_visible, text)


def _visible(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def terminal(text: str, limit: int | None = None) -> str:
    """Text for a terminal or a build log: no escapes, and nothing that a build runner would obey."""
    return _COLON_COMMAND.sub(": :", _HASH_COMMAND.sub("# #", plain(text, limit)))


def tabbed(medium: Callable[[str], str], text: str, limit: int | None = None) -> str:
    """A line of a file, or of a diff, made harmless by the function of a medium, its tabs kept: there they are layout.

    Longer than ``limit`` characters it is cut, and says by how much.
    """
    if limit is not None and len(text) > limit:
        return f"{tabbed(medium, text[:limit])}... ({len(text) - limit:,} characters more)"
    return "\t".join(medium(part) for part in text.split("\t"))


def html(text: str, limit: int | None = None) -> str:
    """Text for HTML elements and quoted attributes."""
    from html import escape

    return _HASH_COMMAND.sub("#&#35;", escape(plain(text, limit), quote=True))


def xml(text: str, limit: int | None = None) -> str:
    """Text that XML 1.0 can carry; the serialiser does the quoting."""
    return terminal(text, limit)


def script_json(data: Any) -> str:
    """JSON for a ``<script type="application/json">`` element: nothing in it can end the element."""
    text = _json.dumps(jsonable(data), ensure_ascii=False, separators=(",", ":"))
    text = re.sub(r"[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)
    return _json_seen(text)


def json_text(data: Any) -> str:
    """Indented JSON (RFC 8259) with a newline at its end, UTF-8 kept, unseen characters escaped by JSON's own rules."""
    return _json_seen(_json.dumps(jsonable(data), ensure_ascii=False, indent=2)) + "\n"


def _json_seen(text: str) -> str:
    """The same JSON value, spelled so that a terminal or runner that shows it does not act on it."""
    seen = _UNSEEN.sub(lambda match: match[0] if match[0] == "\n" else _json_escape(match[0]), text)
    return _HASH_COMMAND.sub("#\\\\u0023", seen)


def _json_escape(char: str) -> str:
    return _json.dumps(char, ensure_ascii=True)[1:-1] if char != "\x7f" else "\\u007f"


def jsonable(value: Any) -> Any:
    """The value in what every JSON reader takes (RFC 7493): no infinite number, no half of a surrogate pair."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, (dict, Mapping)):
        return {jsonable(str(key)): jsonable(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and value.bit_length() > _BIG_INTEGER_BITS:
        return hex(value)
    if value is None or isinstance(value, (int, float)):
        return value
    return str(value)


def github_data(text: str, limit: int | None = None) -> str:
    """The message of a GitHub workflow command."""
    return _percent(_HASH_COMMAND.sub("# #", plain(text, limit)))


def github_property(text: str, limit: int | None = None) -> str:
    """A property (``file``, ``title``) of a GitHub workflow command, where ``:`` and ``,`` are syntax."""
    return github_data(text, limit).replace(":", "%3A").replace(",", "%2C")


def _percent(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def markdown(text: str, limit: int | None = None) -> str:
    """Text inside a line of Markdown, in a table cell too: no markup, HTML, link, image, mention or reference.

    Only for text that does not begin a line. Mentions and issue references are found by the hosts after
    rendering, in the text itself, so escaping does not stop them; an invisible space does.
    """
    from html import escape

    text = escape(plain(text, limit), quote=False)
    return _unlinked(_MARKDOWN.sub(r"\\\1", text))


def markdown_html(text: str, limit: int | None = None) -> str:
    """Text inside an HTML element of a Markdown document (``<summary>``)."""
    return _unlinked(html(text, limit))


def markdown_code(text: str, limit: int | None = None) -> str:
    """A code span, in a table cell too. Hosts look for mentions and references outside code only."""
    text = plain(text, limit).strip() or " "
    if "`" in text or "|" in text or "\\" in text or _HASH_COMMAND.search(text):
        return f"<code>{re.sub(r'[^A-Za-z0-9 ]', lambda match: f'&#{ord(match[0])};', text)}</code>"
    return f"`{text}`"


def markdown_fence(lines: list[str], language: str = "") -> list[str]:
    """The lines as a fenced code block whose fence no line can close."""
    body = [tabbed(terminal, line) for line in lines]
    longest = max((len(run) for line in body for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *body, fence]


def _unlinked(text: str) -> str:
    text = text.replace("@", "@&#8203;").replace("://", ":&#8203;//")
    text = re.sub(r"(?<!&)#(?=\d)", "#&#8203;", text)
    return re.sub(r"(?i)\b(www|gh)([.-])", r"\1&#8203;\2", text)
