"""The reference, made of the code: commands and flags, the schemas of files, the environments' interface."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

_NOTE = "<!-- Written by `make docs` from the code; edits are lost. -->\n\n"

SCHEMAS = {
    "config": ("guardian.yaml", "guardian.config.parse", "config_schema"),
    "manifest": ("Consumer manifests", "guardian.graph.consumers.manifest", "manifest_schema"),
    "exceptions": ("guardian.exceptions.yaml", "guardian.config.parse", "exceptions_schema"),
    "report": ("The JSON report", "guardian.report.schema", "report_schema"),
}


def pages() -> dict[str, str]:
    """Name below docs/reference to text."""
    made = {f"{name}.md": schema_page(name) for name in SCHEMAS}
    return {"commands.md": commands_page(), "environments.md": environments_page(), **made}


# --- commands -----------------------------------------------------------------------------------------------------


def commands_page() -> str:
    """Every command with its arguments and flags, as typer has them."""
    import typer

    from guardian.cli.main import COMMANDS

    lines = [f"{_NOTE}# Commands\n", "`guardian --help`, `guardian COMMAND --help` say the same.\n"]
    for name, (module, _) in COMMANDS.items():
        command: Any = typer.main.get_command(import_module(module).app)
        lines += _command(f"guardian {name}", command)
    return "\n".join(lines)


def _command(name: str, command: Any) -> Iterator[str]:
    subcommands: dict[str, Any] = getattr(command, "commands", {})
    yield f"## `{name}`\n"
    yield from (f"{_prose(paragraph)}\n" for paragraph in (command.help or "").split("\n\n"))
    rows = [row for parameter in command.params if (row := _parameter(parameter))]
    if rows:
        yield "| flag | means | default |"
        yield "| --- | --- | --- |"
        yield from rows
        yield ""
    for each, subcommand in subcommands.items():
        yield from _command(f"{name} {each}", subcommand)


def _parameter(parameter: Any) -> str:
    if parameter.name == "help" or getattr(parameter, "hidden", False):
        return ""
    names = [*parameter.opts, *parameter.secondary_opts] if parameter.param_type_name == "option" else []
    shown = ", ".join(f"`{each}`" for each in names) or f"`{parameter.metavar or parameter.name.upper()}`"
    takes = parameter.metavar if names and not getattr(parameter, "is_flag", False) else None
    kind = parameter.type_descriptor.annotation
    if names and takes is None and isinstance(kind, type) and issubclass(kind, Enum):
        takes = "|".join(str(choice.value) for choice in kind)
    shown += f" `{_cell(takes)}`" if takes else ""
    default = parameter.default if isinstance(parameter.default, str | int | float) else ""
    default = "" if isinstance(default, bool) else getattr(default, "value", default)
    return (
        f"| {shown} | {_cell(_prose(parameter.help or ''))} | {f'`{_cell(str(default))}`' if default != '' else ''} |"
    )


# --- schemas ------------------------------------------------------------------------------------------------------


def schema_page(name: str) -> str:
    """Every key of a file, from its JSON Schema."""
    title, module, function = SCHEMAS[name]
    schema = getattr(import_module(module), function)()
    rows = [
        f"| `{path}` | {kind} | {needed} | {meaning} |" for path, kind, needed, meaning in _keys(schema, schema, "", ())
    ]
    head = f"{_NOTE}# {title}\n\n`guardian schema {name}` prints the JSON Schema, for editors and validators.\n"
    return "\n".join([head, "| key | is | needed | means |", "| --- | --- | --- | --- |", *rows, ""])


def _keys(schema: Any, root: Any, path: str, inside: tuple[str, ...]) -> Iterator[tuple[str, str, str, str]]:
    schema, inside = _resolved(schema, root, inside)
    if schema is None:
        return
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from _keys(choice, root, path, inside)
    for key, value in schema.get("properties", {}).items():
        here = f"{path}.{key}" if path else key
        shown, _ = _resolved(value, root, ())
        meaning = value.get("description") if isinstance(value, dict) else None
        meaning = meaning or (shown or {}).get("description", "")
        yield (
            here,
            _cell(_kind(value, root)),
            "yes" if key in schema.get("required", ()) else "",
            _cell(_prose(meaning)),
        )
        yield from _keys(value, root, here, inside)
    if isinstance(schema.get("items"), dict):
        yield from _keys(schema["items"], root, f"{path}[]", inside)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _keys(schema["additionalProperties"], root, f"{path}.NAME" if path else "NAME", inside)


def _resolved(schema: Any, root: Any, inside: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    while isinstance(schema, dict) and "$ref" in schema:
        reference = schema["$ref"]
        if reference in inside:
            return None, inside
        inside = (*inside, reference)
        schema = root
        for part in reference.removeprefix("#/").split("/"):
            schema = schema[part]
    return (schema if isinstance(schema, dict) else None), inside


def _kind(schema: Any, root: Any) -> str:
    shown, _ = _resolved(schema, root, ())
    if shown is None:
        return "anything"
    if "const" in shown:
        return f"`{shown['const']}`"
    if "enum" in shown:
        return ", ".join(f"`{value}`" for value in shown["enum"])
    if choices := shown.get("anyOf") or shown.get("oneOf"):
        return " or ".join(dict.fromkeys(_kind(choice, root) for choice in choices))
    if shown.get("type") == "array":
        return f"list of {_kind(shown.get('items', {}), root)}"
    kinds = shown.get("type", "anything")
    return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)


# --- environments -------------------------------------------------------------------------------------------------


def environments_page() -> str:
    """Routes, tasks, actions and rewards of the two learning environments."""
    from guardian.learn.contract.actions import ACTION_TYPES, VIOLATIONS
    from guardian.learn.contract.signals import WEIGHTS
    from guardian.learn.contract.tasks import DIFFICULTIES, TASKS
    from guardian.learn.workflow.scenarios import SCENARIOS
    from guardian.model import Strategy

    lines = [f"{_NOTE}# The environments' interface\n"]
    lines.append("`guardian serve --env contract|workflow` serves one of them; what they are about is told in")
    lines.append(
        "[the contract environment](../learning/contract.md) and [the workflow environment](../training/workflow.md).\n"
    )
    for env in ("contract", "workflow"):
        lines += [f"## Routes of `{env}`\n", "| route | does |", "| --- | --- |", *_routes(env), ""]
    lines += ["Beside them OpenEnv's own: `GET /health`, and sessions over WebSocket at `/ws`.\n"]
    lines += ["## contract: tasks\n", "| task | to find | steps |", "| --- | --- | --- |"]
    lines += [f"| `{task.name}` | {task.violations} | {task.max_steps} |" for task in TASKS.values()]
    lines += [
        "",
        f"Difficulties: {_listed(DIFFICULTIES)}. The numbers are those of `medium`.\n",
        "## contract: actions\n",
    ]
    lines += [f"- `action_type`: {_listed(ACTION_TYPES)}", f"- `violation_type`: {_listed(VIOLATIONS)}"]
    lines += [f"- `fix_strategy`: {_listed(each.value for each in Strategy)}\n"]
    lines += ["## contract: rewards\n", "| signal | weight |", "| --- | ---: |"]
    lines += [f"| `{signal.value}` | {weight:+} |" for signal, weight in WEIGHTS.items()]
    lines += ["", "## workflow: scenarios\n", *(f"- `{name}`" for name in SCENARIOS), ""]
    return "\n".join(lines)


def _routes(env: str) -> Iterator[str]:
    # Read from the source: the web framework is no dependency of the documentation.
    source = (ROOT / "guardian" / "learn" / env / "server.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        for call in getattr(node, "decorator_list", ()):
            match call:
                case ast.Call(func=ast.Attribute(attr="get" | "post" as method), args=[ast.Constant(value=path), *_]):
                    said = ast.get_docstring(node) or "A page to play an episode by hand."
                    yield f"| `{method.upper()} {path}` | {_cell(_prose(said))} |"


def _listed(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _prose(text: str) -> str:
    return " ".join(text.split()).replace("``", "`")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
