"""Where the command line writes: reports to standard output or their files, everything else to standard error.

Names and sentences in messages may come from a specification, which is untrusted text: control characters are made
visible, and no line of a message can be taken for a command by a CI system that reads logs.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from guardian.errors import GuardianError, UsageError

_LOG_COMMANDS = ("::", "##[", "##vso[")


# How wide text is where it is no terminal that it goes to.
PIPE_COLUMNS = 100


def complain(error: GuardianError) -> None:
    """Write an error to standard error: ``error: file:line:column: message``, its hint indented below."""
    remark("error", f"{error.where}: {error.message}" if error.file else error.message, error.hint)


def remark(level: str, message: str, hint: str | None = None) -> None:
    """Write a message to standard error, with its level before it and its hint indented below."""
    lines = f"{level}: {message}".splitlines() + [f"  {line}" for line in (hint or "").splitlines()]
    write_stderr("\n".join(plain(line) for line in lines))


def write_stderr(text: str) -> None:
    """Write lines to standard error. Where nobody can read them that is no error: exit code and report tell the same."""
    if sys.stderr is None:
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        _give_up(sys.stderr)


def plain(line: str) -> str:
    """One line with nothing in it that a terminal or a log reader would obey."""
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)
    return f"| {shown}" if shown.lstrip().startswith(_LOG_COMMANDS) else shown


def wants_color(flag: bool | None) -> bool:
    """Whether standard output gets colour.

    The flag or guardian.yaml says so; else ``NO_COLOR`` and ``FORCE_COLOR`` (no-color.org, force-color.org); else it
    does if it is a terminal that has any.
    """
    if flag is not None:
        return flag
    if os.environ.get("NO_COLOR"):
        return False
    return os.environ.get("FORCE_COLOR", "") not in ("", "0", "false") or (
        is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb"
    )


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; one that is not there (``>&-``) is none."""
    return stream is not None and stream.isatty()


def is_file(stream: TextIO | None) -> bool:
    """Whether a stream goes into a file, and not to a terminal or a pipe, which somebody or a build runner may read."""
    with suppress(OSError, ValueError, AttributeError):  # closed, or of no file
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode) if stream is not None else False
    return False


def write_stdout(text: str) -> None:
    """Write a report to standard output as UTF-8, whatever the locale. A reader that has gone is no error.

    Raises:
        UsageError: it cannot be written there.
    """
    with _written_out():
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()


def flush_stdout() -> None:
    """Write what has been printed so far.

    Raises:
        UsageError: it cannot be written.
    """
    with _written_out():
        sys.stdout.flush()


@contextmanager
def _written_out() -> Iterator[None]:
    if sys.stdout is None:
        raise unwritten(OSError(errno.EBADF, os.strerror(errno.EBADF)))
    try:
        yield
    except BrokenPipeError:
        _give_up(sys.stdout)
    except OSError as error:
        _give_up(sys.stdout)
        raise unwritten(error) from None


def unwritten(error: OSError) -> UsageError:
    """What to say where standard output takes nothing: the same as of a report that cannot be written to its file."""
    reason = "it is closed" if error.errno == errno.EBADF else error.strerror
    return UsageError(f"standard output cannot be written: {reason}")


def _give_up(stream: TextIO) -> None:
    """Let go what a stream still holds: Python flushes once more at exit, which must not fail either."""
    with suppress(OSError, ValueError):  # of no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        stream.flush()


def write_file(path: Path, text: str) -> None:
    """Write a report to its file: whole or not at all, its folder made where it is missing.

    A link stays one: what it leads to is written. ``/dev/stdout`` and the like are the stream itself.

    Raises:
        UsageError: it cannot be written there.
    """
    import tempfile

    data = text.encode("utf-8", "backslashreplace")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = _stream_at(path)
        if stream is not None:
            stream.flush()
            stream.buffer.write(data)
            stream.flush()
            return
        path = path.resolve()
        if path.exists() and not path.is_file():  # devices and pipes cannot be replaced, only written to
            path.write_bytes(data)
            return
        part = tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False)  # noqa: SIM115
        try:
            with part:
                part.write(data)
            Path(part.name).chmod(0o666 & ~_umask())
            Path(part.name).replace(path)
        except OSError:
            Path(part.name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"cannot write the file: {error.strerror}", file=str(path)) from error
    except RuntimeError:  # how Python before 3.13 tells of links that only lead to each other
        raise UsageError("cannot write the file: a link that leads to itself", file=str(path)) from None


def _stream_at(path: Path) -> TextIO | None:
    """Standard output or error, if a path is just another name of it: opened anew it would be overwritten from the start."""
    if path.is_file() and not path.is_symlink():
        return None  # redirected to this file: the report takes its place
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or of no file
            if os.path.samestat(path.stat(), os.fstat(stream.fileno())):
                return stream
    return None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def report_width() -> int:
    """The columns to write for: a terminal's own; into a file or a pipe 100, so that the same bytes go everywhere."""
    return shutil.get_terminal_size((PIPE_COLUMNS, 24)).columns if is_terminal(sys.stdout) else PIPE_COLUMNS
