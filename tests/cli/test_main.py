"""The shell around the commands: errors become messages and exit codes, and nothing is imported in vain."""

from __future__ import annotations

import errno
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

import guardian as package
from guardian.cli.app import new_app
from guardian.cli.main import COMMANDS
from guardian.errors import ConfigError, GuardianError, ReadError, RuleError, UsageError


def failing_with(error: BaseException) -> ModuleType:
    """The module of a command that raises."""
    module: Any = ModuleType("failing")
    module.app = new_app()

    @module.app.command()
    def fail(verbose: bool = False) -> None:
        raise error

    return module


@pytest.fixture
def failing(guardian, monkeypatch: pytest.MonkeyPatch):
    """Run ``guardian fail`` with an error that it raises."""

    def call(error: BaseException, *args: str):
        monkeypatch.setitem(COMMANDS, "fail", ("failing", "Fail."))
        monkeypatch.setitem(sys.modules, "failing", failing_with(error))
        return guardian("fail", *args)

    return call


@pytest.mark.parametrize(
    ("kind", "code"), [(UsageError, 2), (ConfigError, 2), (ReadError, 3), (GuardianError, 4), (RuleError, 4)]
)
def test_error_becomes_message_and_code(failing, kind: type[GuardianError], code: int):
    """Each kind of error has its exit code; its message names place and remedy, on standard error alone."""
    outcome = failing(kind("is not right", file="a.yaml", line=3, column=5, hint="mend it"))
    assert outcome == (code, "", "error: a.yaml:3:5: is not right\n  mend it\n")


def test_fault_is_no_finding(failing):
    """An unexpected exception ends with 4, never with the 1 of findings, and without a traceback."""
    outcome = failing(ZeroDivisionError("division by zero"))
    assert outcome.code == 4
    assert outcome.out == ""
    assert outcome.err.startswith("error: a fault in guardian: ZeroDivisionError: division by zero\n  --verbose")


def test_verbose_shows_the_fault(failing):
    """With --verbose the traceback of a fault is shown."""
    assert "Traceback (most recent call last):" in failing(ZeroDivisionError("x"), "--verbose").err


def test_interrupt(failing):
    """Ctrl-C ends with 130, as shells expect, and says nothing."""
    assert failing(KeyboardInterrupt()).code == 130


def test_message_cannot_command(failing):
    """Text from a specification gives no orders to a terminal or to a CI system that reads the log."""
    outcome = failing(ReadError("key \x1b[31m is twice\n::error::gotcha", hint="see\n ::stop-commands::x"))
    assert "\x1b" not in outcome.err
    assert not any(line.lstrip().startswith("::") for line in outcome.err.splitlines())


def test_version(guardian):
    """--version prints the version and nothing else."""
    assert guardian("--version") == (0, f"guardian {package.__version__}\n", "")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["chek"], "Did you mean 'check'"),
        (["check", "--mode", "bot"], "error: --mode bot: not one of contract, consumers, both"),
        (["check", "--fail-on", "error"], "--fail-on error: not one of breaking, warning, none"),
        (["check", "--format", "xml"], ", sarif, "),
        (["check", "--jobs", "0"], "--jobs 0: not a whole number of at least 1"),
        (["serve", "--port", "x"], "--port x: not a whole number from 0 to 65535"),
        (["eval", "--temperature", "hot"], "--temperature hot: not a number from 0 to 2"),
        (["check", "--nonsense"], "--nonsense"),
        (["check", "--base", ""], "--base is empty"),
        (["fix", "--head="], "--head is empty"),
        (["changelog", "--quiet", ""], "is empty"),
        (["explain", ""], "an argument is empty"),
        (["check", "--as-of", "2027-02-30"], "YYYY-MM-DD"),
        (["check", "--as-of", "20270101"], "YYYY-MM-DD"),
        (["check", "--report", "sarif"], "FORMAT=FILE"),
        (["check", "--report", "xml=a.xml"], "the formats are terminal, json"),
        (["check", "--report", "json=-"], "--format json writes it to standard output"),
    ],
)
def test_wrong_usage(guardian, args: list[str], said: str):
    """A flag or value that does not exist ends with 2 and names those that do, on standard error."""
    outcome = guardian(*args)
    assert outcome.code == 2
    assert outcome.out == ""
    assert said in outcome.err


def test_wrong_usage_that_nobody_reads():
    """`guardian nonsense 2>&1 | true` ends with the 2 of wrong usage, never with the 1 of findings."""
    with subprocess.Popen(
        [sys.executable, "-m", "guardian", "nonsense"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait() == 2


def test_table_says_what_the_commands_say():
    """The help in the table, which spares importing the commands, is the first sentence of theirs."""
    for name, (module, help) in COMMANDS.items():
        command = typer.main.get_command(import_module(module).app)
        assert (command.help or "").split("\n\n")[0].strip() == help, name


def test_help_lists_every_command(guardian):
    """`guardian --help` lists the commands of the table."""
    outcome = guardian("--help")
    assert outcome.code == 0
    assert all(f"  {name} " in outcome.out for name in COMMANDS)


def imported_by(*args: str) -> set[str]:
    """The modules that one command line imports, in a process of its own."""
    script = (
        "import sys\nfrom guardian.cli.main import run\n"
        f"sys.argv = ['guardian', *{list(args)!r}]\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "print('\\n' + '\\n'.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


def test_commands_are_imported_on_demand():
    """`guardian --help` imports no command, and a command none of the others."""
    modules = {module for module, _ in COMMANDS.values()}
    assert imported_by("--help") & modules == set()
    assert imported_by("schema", "config") & modules == {"guardian.cli.schema"}


def test_words_need_no_conversion(tmp_path: Path):
    """A check whose flags are words and plain numbers does not import pydantic, which would take longer than all the rest of it."""
    spec = tmp_path / "api.yaml"
    spec.write_text("openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\n")
    flags = ("--mode", "contract", "--format", "json", "--service", "orders", "--jobs", "2", "--no-fixes")
    modules = imported_by("check", "--base", str(spec), "--head", str(spec), *flags)
    assert "guardian.check.run" in modules
    assert "pydantic" not in modules


def test_values_are_what_the_flags_say(guardian, tmp_path: Path):
    """A word is taken as it is in any language, a number as a number, a choice as one of those there are."""
    (tmp_path / "api.yaml").write_text("openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\n")
    files = ("--base", "api.yaml", "--head", "api.yaml")
    outcome = guardian("check", *files, "--service", "größe", "--jobs", "1", "--format", "json", "--fail-on", "none")
    assert outcome.code == 0
    assert json.loads(outcome.out)["verdict"] == "pass"


@pytest.mark.parametrize("number", ["0", "-1", "two", "1.5", ""])
def test_numbers_that_cannot_be_are_refused(guardian, number: str):
    """A number that is none, or too small, is wrong usage, and the message names the flag."""
    outcome = guardian("check", "--jobs", number)
    assert outcome.code == 2
    assert "--jobs" in outcome.err


def test_python_m_guardian():
    """`python -m guardian` is the command."""
    done = subprocess.run([sys.executable, "-m", "guardian", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"guardian {package.__version__}\n")


def end_of(*args: str) -> subprocess.CompletedProcess[str]:
    """One command line in a process of its own, which says so if it is tidied up after."""
    script = (
        "import atexit, gc, sys\nfrom guardian.__main__ import main\n"
        "atexit.register(lambda: print('tidied up,', gc.isenabled() and 'garbage too', file=sys.stderr))\n"
        f"sys.argv = ['guardian', *{list(args)!r}]\nmain()\n"
    )
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)


def test_a_check_ends_at_once(tmp_path: Path):
    """With its whole report and its code; taking apart what it has read would be a good part of its time."""
    base, head = tmp_path / "base.yaml", tmp_path / "head.yaml"
    base.write_text("openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {responses: {}}}}\n")
    head.write_text("openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\n")
    done = end_of("check", "--base", str(base), "--head", str(head), "--format", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"] == "fail"
    assert "tidied up" not in done.stderr


def test_other_commands_end_in_order():
    """Theirs may be libraries that have files and processes to put away, and that make garbage."""
    done = end_of("explain", "no-such-rule")
    assert done.returncode == 2
    assert "tidied up, garbage too" in done.stderr


# --- streams that take nothing ------------------------------------------------------------------------------------

SIDES = "check --base base.yaml --head head.yaml"


@pytest.fixture
def in_shell(tmp_path: Path) -> Callable[[str], tuple[int, str, str]]:
    """Run a command line with a shell's redirections: its code, what is in ``out``, and what it said."""
    head = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {"
    (tmp_path / "base.yaml").write_text(head + "/a: {get: {responses: {}}}}\n")
    (tmp_path / "head.yaml").write_text(head + "}\n")

    def call(line: str) -> tuple[int, str, str]:
        command = f"{shlex.quote(sys.executable)} -m guardian {line}"
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
        file = tmp_path / "out"
        return done.returncode, file.read_text() if file.exists() else done.stdout, done.stderr

    return call


needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
needs_shell = pytest.mark.skipif(sys.platform == "win32", reason="streams are closed by a shell")


@pytest.mark.parametrize("command", [SIDES, f"{SIDES} --format json", "rules", "schema config", "--version", "--help"])
@pytest.mark.parametrize(
    ("where", "why"),
    [
        pytest.param(">/dev/full", "No space left on device", marks=needs_full),
        pytest.param(">&-", "it is closed", marks=needs_shell),
    ],
)
def test_output_that_cannot_be_written(in_shell, command: str, where: str, why: str):
    """It ends as a report does that cannot be written to its file, with one sentence, never with a verdict."""
    assert in_shell(f"{command} {where}") == (2, "", f"error: standard output cannot be written: {why}\n")


@needs_shell
@pytest.mark.parametrize("where", ["2>&-", pytest.param("2>/dev/full", marks=needs_full)])
def test_without_standard_error(in_shell, where: str):
    """The report and the code are the same, and remarks go nowhere: not into the report."""
    code, out, said = in_shell(f"{SIDES} >out {where}")
    assert (code, said) == (1, "")
    assert out.startswith("FAIL")
    assert in_shell(f"check --base nowhere.yaml >out {where}") == (3, "", "")
    assert in_shell(f"check --no-such-flag >out {where}") == (2, "", "")
    assert in_shell("rules >&- 2>&- <&-")[0] == 2


def test_what_the_system_says_of_a_path_is_no_fault(failing, tmp_path: Path):
    """A command that looks at a path which nobody may look at ends with its name and the reason."""
    denied = PermissionError(errno.EACCES, "Permission denied", str(tmp_path / "closed" / "api.yaml"))
    place = str(Path("closed", "api.yaml"))
    assert failing(denied) == (3, "", f"error: {place}: cannot be read: Permission denied\n")
    assert failing(PermissionError(errno.EACCES, "Permission denied")).code == 4


@pytest.mark.parametrize("moment", ["guardian.cli.main", "typer", "guardian.check"])
def test_interrupt_at_any_time(tmp_path: Path, moment: str):
    """Ctrl-C while modules are still being imported ends as it does later: with 130, and nothing is said."""
    script = f"""
import sys
class Interrupting:
    def find_spec(self, name, *args):
        if name == {moment!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
sys.argv = ["guardian", "check", "--base", "a.yaml", "--head", "b.yaml"]
from guardian.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_working_directory_that_is_gone(tmp_path: Path):
    """Whoever deleted it, it is nothing that guardian can read, and no fault of it."""
    script = (
        "import os, sys\nos.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\nfrom guardian.__main__ import main\n"
    )
    script += "sys.argv = ['guardian', 'check']\nmain()\n"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "error: the working directory is not there any more")


def test_names_whatever_the_locale(tmp_path: Path):
    """A specification whose name is not ASCII is there where the locale is ASCII, too."""
    spec = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {responses: {}}}}\n"
    (tmp_path / "\u00dcbung \u00df.yaml").write_text(spec)
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=t", "-c", "user.email=t@e.org", "commit", "-qm", "1"],
    ):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    done = subprocess.run(
        [sys.executable, "-m", "guardian", "check", "--base", "HEAD"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "POSIX"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout[:4]) == (0, b"PASS"), done.stderr
