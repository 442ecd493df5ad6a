"""Consumers back to manifests: what ``guardian import`` writes, as a person would write it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from guardian import fieldpath
from guardian.fieldpath import Path
from guardian.graph.consumers.manifest import is_operation
from guardian.graph.consumers.routes import Routes
from guardian.graph.uses import Consumer, Field, Use
from guardian.model import Location

# What YAML 1.2 (and 1.1) reads as this very text without quotes, also within a list of brackets.
_PLAIN = re.compile(r"[A-Za-z_](?:[\w./$-]|:(?=\w))*(?:\.\*)?")
_OPERATION = re.compile(r"(?:[A-Z]+|webhook|callback)[ \w./{}()~$@!&'+;=-]*")
_READ_OTHERWISE = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_WIDTH = 110


def to_yaml(consumer: Consumer, routes: Routes | None = None) -> str:
    """A manifest that declares what is known of this consumer; uses of one operation become one.

    Recorded reads are an upper bound, so a use that was only ``called`` is written without reads, and what was seen
    stands in a comment. Of a service that is used in ways that are not known, its name alone is written.

    Args:
        consumer: whom to write down.
        routes: finds the operations, so that concrete paths become templates.
    """
    lines = [f"consumer: {_text(consumer.name)}"]
    lines += [
        f"{key}: {_text(value)}" for key, value in (("owner", consumer.owner), ("contact", consumer.contact)) if value
    ]
    if consumer.strict:
        lines.append("strict: true")
    groups: dict[tuple[str, str], list[Use]] = {}
    whole: dict[str, list[Use]] = {}
    vague: dict[str, Use] = {}
    for use in consumer.telling():
        if use.operation is None:
            whole.setdefault(use.service, []).append(use)
            continue
        name = routes.key(use.service, use.operation) if routes else use.operation
        if is_operation(name):
            groups.setdefault((use.service, name), []).append(use)
        else:
            vague.setdefault(f"{name} of {use.service} is used ({use.tool})", use)
    named = {service for service, _ in groups}
    for use in vague.values():
        if use.service not in named:  # else it would not be known to be used at all
            whole.setdefault(use.service, []).append(use)
    lines.append("uses:" if groups or whole else "uses: []")
    for service, uses in sorted(whole.items()):
        remark = ": ".join(filter(None, (_sources(uses), "no more is known")))
        lines.append(f"  - service: {_text(service)}    # {_comment(remark)}")
    for (service, operation), uses in sorted(groups.items()):
        lines += _use(service, operation, uses)
    lines += [f"# {_comment(each)}" for each in vague]
    return "\n".join([*lines, ""])


def _use(service: str, operation: str, uses: list[Use]) -> Iterator[str]:
    remark = _sources(uses)
    yield f"  - service: {_text(service)}" + (f"    # {_comment(remark)}" if remark else "")
    yield f"    operation: {_text(operation, _OPERATION)}"
    firm = [use for use in uses if use.confidence != "called"]
    reads = _union((use.reads for use in firm), fieldpath.write)
    if any(use.reads is not None for use in firm):
        yield from _list("reads", reads, _seen_at((use.reads for use in firm if use.tool == "code"), fieldpath.write))
        if any(use.partial or (use.reads is None and use.tool == "manifest") for use in firm):
            yield "    partial: true    # more may be read than is listed"
    else:
        seen = _union((use.reads for use in uses), fieldpath.write)
        if seen:
            yield f"    # seen in responses, which of it is read is not known: {_comment(', '.join(seen))}"
    if any(use.sends is not None for use in uses):
        sent_at = _seen_at((use.sends for use in uses if use.tool == "code"), fieldpath.write_sent)
        yield from _list("sends", _union((use.sends for use in uses), fieldpath.write_sent), sent_at)
    statuses = sorted({status for use in firm for status in use.responses or ()})
    if statuses:
        yield from _list(
            "responses", [json.dumps(each) if each[0].isdigit() else each for each in statuses], quoted=True
        )
    exposed = sorted({(str(each.path), f"{each.operation}#{each.field}") for use in uses for each in use.exposes})
    if exposed:
        yield "    exposes:"
        for path in dict.fromkeys(path for path, _ in exposed):
            targets = [json.dumps(target) for each, target in exposed if each == path]
            yield f"      {_text(path)}: {targets[0] if len(targets) == 1 else '[' + ', '.join(targets) + ']'}"


def _sources(uses: list[Use]) -> str:
    """Where it is known from, and of when; empty for manifests, which are not told of themselves."""
    tools = ", ".join(dict.fromkeys(f"{use.tool} {_place(use.origin)}" for use in uses if use.tool != "manifest"))
    dates = [use.date for use in uses if use.date]
    return f"from {tools}" + (f", last seen {max(dates)}" if dates else "") if tools else ""


def _union(groups: Iterable[tuple[Field, ...] | None], written: Callable[[Path], str]) -> list[str]:
    """The fields of several sources, each once; a container of which no more is known gives way to what is in it."""
    fields = [field for group in groups for field in group or ()]
    paths = {field.path for field in fields if not field.shallow}
    paths |= {
        field.path
        for field in fields
        if field.shallow and field.path.steps and not any(fieldpath.within(each, field.path) for each in paths)
    }
    return sorted(map(written, paths))


def _seen_at(groups: Iterable[tuple[Field, ...] | None], written: Callable[[Path], str]) -> dict[str, str]:
    """The place in the code at which each field is met first."""
    found: dict[str, str] = {}
    for group in groups:
        for field in group or ():
            found.setdefault(written(field.path), _place(field.origin))
    return found


def _place(origin: Location) -> str:
    """A file, and the line in it where that is known without looking it up."""
    return f"{origin.file}:{origin.line}" if origin.line and not origin.pointer else origin.file


def _list(
    key: str, texts: list[str], remarks: Mapping[str, str] | None = None, *, quoted: bool = False
) -> Iterator[str]:
    shown = texts if quoted else [_text(each) for each in texts]
    line = f"    {key}: [{', '.join(shown)}]"
    if len(line) <= _WIDTH and not (remarks and texts):
        yield line
        return
    yield f"    {key}:"
    for text, each in zip(texts, shown, strict=True):
        remark = (remarks or {}).get(text)
        yield f"      - {each}" + (f"    # {_comment(remark)}" if remark else "")


def _text(text: str, plain: re.Pattern[str] = _PLAIN) -> str:
    """A YAML scalar: plain where that is read as this very text, else as JSON, which is YAML too."""
    if plain.fullmatch(text) and text.lower() not in _READ_OTHERWISE:
        return text
    return json.dumps(text, ensure_ascii=False)


def _comment(text: str) -> str:
    """Text that stays within the comment it stands in."""
    return "".join(char if char.isprintable() else "?" for char in text)
