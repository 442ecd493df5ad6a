"""An API in lines: every parameter and field with its form in a few characters, and two versions as a diff of lines.

What a small model reads instead of OpenAPI: ``total.amount: number!`` (``!`` required, ``?`` may be null), grouped by
operation and message. Components that only spell things differently give the same lines, since the effective shapes
are what is written down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from guardian.graph.consumers.routes import template_shape
from guardian.model import Direction
from guardian.spec.api import Api, Operation, Schema, SecurityScheme
from guardian.spec.shape import Atom
from guardian.spec.shaper import Shaper

_DEPTH = 6
_SHOWN_VALUES = 8


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """One line: the operation, the message part (``request``, ``200``), the field, and its form."""

    operation: str
    part: str
    field: str
    form: str

    @property
    def text(self) -> str:
        where = f"{self.field}: {self.form}" if self.field else self.form
        return where.strip()


def lines_of(api: Api) -> Iterator[Line]:
    """Every line of an API, by operation.

    Raises:
        ReadError: an operation is malformed.
    """
    shaper = Shaper()
    for name, operation in api.operations.items():
        yield from _operation(name, operation, shaper)


def schema_lines(schema: Schema, direction: Direction, shaper: Shaper | None = None) -> list[tuple[str, str]]:
    """Field and form of a schema and everything in it, to a depth of six."""
    return list(_schema(schema, direction, shaper or Shaper(), "", "", ()))


def _operation(name: str, operation: Operation, shaper: Shaper) -> Iterator[Line]:
    parts = operation.parts
    incoming = Direction.RESPONSE if operation.inverted else Direction.REQUEST
    yield Line(name, "", "", "")
    needs = sorted(
        "+".join(_credential(scheme, scopes) for scheme, scopes in each.schemes) or "nothing"
        for each in parts.security or ()
    )
    if needs:
        yield Line(name, "", "security", " or ".join(needs))
    for parameter in parts.parameters:
        form = _form(parameter.schema, incoming, shaper) if parameter.schema else "content"
        style = "" if parameter.explode else " joined"
        array = "array" in form or form.startswith("[")
        yield Line(
            name, "request", parameter.field, form + (style if array else "") + ("!" if parameter.required else "")
        )
    if parts.body is not None:
        for media in parts.body.content:
            yield Line(name, "request", "", f"body {media.name}{'!' if parts.body.required else ''}")
        yield from _fields(
            name, "request", parts.body.content[0].schema if parts.body.content else None, incoming, shaper
        )
    for status, response in parts.responses.items():
        yield Line(name, status, "", " ".join(["answer", *(media.name for media in response.content)]))
        if status[:1] in "23d" and response.content:
            yield from _fields(name, status, response.content[0].schema, incoming.opposite, shaper)


def _credential(scheme: SecurityScheme, scopes: Iterable[str]) -> str:
    """What is presented: where, if that has a name of its own, else with which scopes."""
    carried = scheme.field if scheme.kind == "apiKey" else None
    return f"{scheme.kind}({carried or ','.join(sorted(scopes))})"


def _fields(name: str, part: str, schema: Schema | None, direction: Direction, shaper: Shaper) -> Iterator[Line]:
    if schema is not None:
        for field, form in _schema(schema, direction, shaper, "", "", ()):
            yield Line(name, part, field or "$", form)


def _schema(
    schema: Schema, direction: Direction, shaper: Shaper, field: str, mark: str, trail: tuple[object, ...]
) -> Iterator[tuple[str, str]]:
    yield field, _form(schema, direction, shaper) + mark
    if schema.key in trail or len(trail) >= _DEPTH:
        return
    below = (*trail, schema.key)
    for atom in shaper.shape(schema, direction).atoms:
        for name, child in atom.properties.items():
            path = f"{field}.{name}" if field else name
            yield from _schema(child, direction, shaper, path, "!" if name in atom.required else "", below)
        if atom.kind == "array" and atom.items.nodes:
            yield from _schema(atom.items, direction, shaper, f"{field}[]", "", below)


def _form(schema: Schema, direction: Direction, shaper: Shaper) -> str:
    """What values a schema allows, in a few characters."""
    atoms = shaper.shape(schema, direction).atoms
    null = any(atom.kind == "null" for atom in atoms)
    forms = list(dict.fromkeys(_atom(atom) for atom in atoms if atom.kind != "null"))
    if len({atom.kind for atom in atoms}) >= 6 and all(atom.free for atom in atoms):
        return "any"
    return ("|".join(forms) or "null") + ("?" if null and forms else "")


def _atom(atom: Atom) -> str:
    kind = "integer" if atom.kind == "number" and atom.integer else atom.kind
    words = [kind]
    if atom.enum is not None:
        values = sorted(atom.enum)
        shown = ",".join(value.strip('"') for value in values[:_SHOWN_VALUES])
        words.append(f"({shown}{',...' if len(values) > _SHOWN_VALUES else ''})")
    words += sorted(atom.formats)
    words += [f"/{pattern}/" for pattern in sorted(atom.patterns)]
    for low, high in (
        (atom.minimum, atom.maximum),
        (atom.min_length, atom.max_length),
        (atom.min_items, atom.max_items),
    ):
        if low or high:
            left = f"{'>' if low.exclusive else ''}{low.value}" if low else ""
            right = f"{'<' if high.exclusive else ''}{high.value}" if high else ""
            words.append(f"{left}..{right}")
    if atom.kind == "object" and atom.additional is None:
        words.append("closed")
    wanted = sorted(value for each in atom.contains for value in _only_values(each.schema))
    if wanted:
        words.append(f"with {','.join(wanted)}")
    return " ".join(words)


def _only_values(schema: Schema) -> Iterator[str]:
    """The value that an array must contain, where it is a single one."""
    for node in schema.nodes:
        value = node.value
        if isinstance(value, dict) and isinstance(value.get("const"), str):
            yield value["const"]


def difference(base: Api, head: Api) -> list[str]:
    """Two versions as a diff: a line for each operation that differs, and below it what was (-) and what is (+).

    Raises:
        ReadError: an operation is malformed.
    """
    before, after = _grouped(lines_of(base)), _grouped(lines_of(head))
    # An operation whose variables have other names is the same operation.
    now = {template_shape(name): name for name in after.keys() - before.keys()}
    for name in sorted(before.keys() - after.keys()):
        if (other := now.pop(template_shape(name), None)) is not None:  # several may be of one shape, wrong as that is
            after[name] = after.pop(other)
    found: list[str] = []
    for operation in sorted(before.keys() | after.keys()):
        old, new = before.get(operation), after.get(operation)
        if old == new:
            continue
        if new is None or old is None:
            found.append(f"{'-' if new is None else '+'} {operation}")
            continue
        found.append(operation)
        for part in sorted({key[0] for key in (*old, *new)}):
            rows = list(
                _rows({k: v for k, v in old.items() if k[0] == part}, {k: v for k, v in new.items() if k[0] == part})
            )
            if rows:
                found += [f" {part or 'operation'}", *rows]
    return found


Group = Mapping[tuple[str, str], list[str]]


def _grouped(lines: Iterator[Line]) -> dict[str, dict[tuple[str, str], list[str]]]:
    found: dict[str, dict[tuple[str, str], list[str]]] = {}
    for line in lines:
        group = found.setdefault(line.operation, {})
        if line.form:
            group.setdefault((line.part, line.field), []).append(line.text)
    return found


def _rows(old: Group, new: Group) -> Iterator[str]:
    # A message that is there on one side alone: its head says it all.
    whole = any(not field for _, field in (*old, *new)) and (not old or not new)
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key, []), new.get(key, [])
        if before == after or (whole and key[1]) or _said(key, old, new):
            continue
        yield from (f"  - {text}" for text in before if text not in after)
        yield from (f"  + {text}" for text in after if text not in before)


def _said(key: tuple[str, str], old: Group, new: Group) -> bool:
    """Whether the field is gone, or new, with the object or array that it lies in."""
    part, field = key
    if not field or field == "$" or (key in old) is (key in new):
        return False
    parents = [field[:end] for end in range(1, len(field)) if field[end] == "." or field.startswith("[]", end)]
    return any((key in old) is ((part, each) in old) and (key in new) is ((part, each) in new) for each in parents)
