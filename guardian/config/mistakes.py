"""What is wrong in a file of settings, said so that its writer can mend it.

A mistake has a place (the steps that lead to it), a sentence, and for a misspelt name the likely one. pydantic's
findings become mistakes here; the file's own rules (``parse``) make more of them; one error reports them all.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guardian.errors import ConfigError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Lines = Callable[[str], tuple[int, int] | None]
"""JSON pointer -> 1-based line and column of its key, where they are known."""

Steps = tuple[str | int, ...]

# pydantic's error types in the words of somebody who writes YAML.
_WANTED = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "dataclass_type": "a mapping",
    "date_type": "a date (YYYY-MM-DD)",
    "date_parsing": "a date (YYYY-MM-DD)",
    "date_from_datetime_parsing": "a date (YYYY-MM-DD)",
}

# How what holds others is written, by its place in guardian.yaml.
_FORMS = {
    "services": "services: {users: {spec: services/users/openapi.yaml}}",
    "services.*": "{spec: services/users/openapi.yaml}",
    "consumers": "consumers: [consumers/*.yaml]",
    "severity": "severity: {enum-value-added: info}",
    "lifecycle": "lifecycle: {deprecation_days: 90}",
    "model": "model: {endpoint: http://127.0.0.1:8000/v1}",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing wrong: the steps from the root of the document to it, and what to say about it."""

    steps: Steps
    message: str
    hint: str | None = None


def from_pydantic(detail: ErrorDetails, schema: Mapping[str, Any]) -> Mistake:
    """The mistake that a finding of pydantic stands for.

    Args:
        detail: one of ``ValidationError.errors()``.
        schema: the JSON Schema of the whole document, for the names that would have been known.
    """
    loc: Steps = tuple(detail["loc"])
    # pydantic marks the name of an entry, as opposed to its value, by one more step.
    steps = loc[:-1] if loc and loc[-1] == "[key]" else loc
    found = detail["input"]
    match detail["type"]:
        case "unexpected_keyword_argument":
            key = str(steps[-1])
            return Mistake(steps, f"unknown key `{key}`", suggest(key, _known_keys(schema, steps[:-1])))
        case "missing":
            inside = f"`{dotted(steps[:-1])}` lacks" if steps[:-1] else "the file lacks"
            return Mistake(steps[:-1], f"{inside} the key `{steps[-1]}`")
        case "enum" | "literal_error":
            allowed = [text or number for text, number in re.findall(r"'([^']*)'|(\d+)", detail["ctx"]["expected"])]
            named = f"`{dotted(steps)}` is {either(allowed)}, not {shown(found)}"
            return Mistake(steps, named, suggest(str(found), allowed))
        case kind if kind in _WANTED:
            said = f"`{dotted(steps)}` is" if steps else "the file should be"
            return Mistake(steps, f"{said} {_WANTED[kind]}, not {shown(found)}", _form(steps, found))
        case _:
            return Mistake(steps, f"`{dotted(steps)}`: {detail['msg']}")


def _form(steps: Steps, found: object) -> str | None:
    """How the place is written, with what stands there if that is clear."""
    match steps:
        case ("services", str(name)) if isinstance(found, str):
            return f"write `{name}: {{spec: {_scalar(found)}}}`"
        case ("consumers",) if isinstance(found, str):
            return f"write `consumers: [{_scalar(found)}]`"
        case ("services", name):
            form = f"{name}: {_FORMS['services.*']}"
        case _:
            form = _FORMS.get(dotted(steps), "")
    return f"it is written `{form}`" if form else None


def _scalar(text: str) -> str:
    """A text in YAML's flow style."""
    return text if re.fullmatch(r"[\w./][\w./*-]*", text) else json.dumps(text, ensure_ascii=False)


def error(mistakes: Sequence[Mistake], file: str, lines: Lines) -> ConfigError:
    """One error for all mistakes of a file, in the order of their lines."""
    placed = sorted(((_place(mistake, lines), mistake) for mistake in mistakes), key=lambda pair: pair[0] or (0, 0))
    if len(placed) == 1:
        place, mistake = placed[0]
        line, column = place or (None, None)
        return ConfigError(mistake.message, file=file, line=line, column=column, hint=mistake.hint)
    sentences = []
    for place, mistake in placed:
        where = ":".join([file, *map(str, place or ())])
        sentences.append(f"{where}: {mistake.message}" + (f"; {mistake.hint}" if mistake.hint else ""))
    return ConfigError(f"{len(placed)} mistakes", file=file, hint="\n".join(sentences))


def suggest(name: str, known: Collection[str]) -> str | None:
    """``did you mean ...?`` where one of the known names is near."""
    near = difflib.get_close_matches(name.lower().replace("-", "_"), known, n=1) or difflib.get_close_matches(
        name, known, n=1
    )
    return f"did you mean `{near[0]}`?" if near else None


def either(names: Sequence[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def dotted(steps: Steps) -> str:
    """The steps as people write them: ``services.users.spec``, ``[2].expires``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def shown(value: object) -> str:
    """A wrong value as its writer knows it, cut where it is long."""
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def pointer(steps: Steps) -> str:
    """The steps as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def _place(mistake: Mistake, lines: Lines) -> tuple[int, int] | None:
    """Line and column of the mistake, or of the nearest thing around it that has them."""
    for length in range(len(mistake.steps), -1, -1):
        place = lines(pointer(mistake.steps[:length]))
        if place is not None:
            return place
    return None


def _known_keys(schema: Mapping[str, Any], steps: Steps) -> list[str]:
    """The keys that the schema knows at a place."""
    here: Mapping[str, Any] = schema
    for step in (*steps, None):
        while "$ref" in here:
            here = schema["$defs"][here["$ref"].removeprefix("#/$defs/")]
        if "anyOf" in here:  # an optional mapping: null is the other alternative
            here = next(
                schema["$defs"][each["$ref"].removeprefix("#/$defs/")] for each in here["anyOf"] if "$ref" in each
            )
        if step is None:
            break
        here = (
            here["items"]
            if isinstance(step, int)
            else here.get("properties", {}).get(step) or here["additionalProperties"]
        )
    return list(here["properties"])
