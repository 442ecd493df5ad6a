"""Flags over guardian.yaml over defaults: what one run of a command has been asked to do."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import NamedTuple, TypeVar

from guardian.cli.again import again
from guardian.cli.flags import CheckFlags, parse_day, parse_reports
from guardian.cli.output import remark
from guardian.config import DEFAULT_CONFIG, DEFAULT_EXCEPTIONS, CheckRequest, Config, ReportFormat
from guardian.errors import ConfigError, UsageError
from guardian.model import Again
from guardian.spec.roots import repository_around

T = TypeVar("T")

Reports = tuple[tuple[ReportFormat, Path], ...]

#: Set by whoever adds reports of its own for others, as the action does: those of guardian.yaml are written nevertheless.
REPORTS_BESIDE = "GUARDIAN_REPORTS_BESIDE"

_OTHER_NAME = "guardian.yml"


class Run(NamedTuple):
    """One run: the check itself, and what becomes of its report."""

    request: CheckRequest
    format: ReportFormat
    reports: tuple[tuple[ReportFormat, Path], ...]
    advisory: bool
    quiet: bool
    verbose: bool
    color: bool | None
    again: Again = Again()

    @property
    def lists_all(self) -> bool:
        """Whether a report lists what counts for nothing, too: all do but the text for terminals, as long as it is short."""
        return self.verbose or {self.format, *(name for name, _ in self.reports)} != {ReportFormat.TERMINAL}


def resolve(flags: CheckFlags, cwd: Path) -> Run:
    """Lay the flags over the guardian.yaml they name or that is found.

    Raises:
        UsageError: a flag has a value that it cannot have.
        ConfigError: guardian.yaml cannot be read, or says something that it cannot say.
    """
    as_of = parse_day(flags.as_of) if flags.as_of is not None else None
    reports = tuple((name, cwd / path) for name, path in parse_reports(flags.report))
    file = cwd / flags.config if flags.config is not None else find_config(cwd, quiet=flags.quiet)
    config = read_config(file, cwd) if file is not None else Config()
    folder = file.parent if file is not None else cwd
    if not reports or os.environ.get(REPORTS_BESIDE):
        reports += tuple((name, folder / path) for name, path in config.reports.items())
    _refuse_dash(reports)
    reports = _without_doubles(reports)
    if file is None and flags.exceptions is None and not flags.quiet and (cwd / DEFAULT_EXCEPTIONS).is_file():
        hint = f"--exceptions {DEFAULT_EXCEPTIONS} names it"
        remark("note", f"{DEFAULT_EXCEPTIONS} accepts nothing: no check reads it without a guardian.yaml", hint)
    chosen = _over(flags.format, config.format)

    request = CheckRequest(
        cwd=cwd,
        as_of=as_of or config.as_of or date.today(),
        config=config,
        config_file=file,
        base=_over(flags.base, _side(config.base, folder, cwd)),
        head=_over(flags.head, _side(config.head, folder, cwd)),
        services=tuple(flags.service) or config.only_services,
        consumers=tuple(flags.consumers) or tuple(_from_folder(each, folder, cwd) for each in config.consumers),
        consumers_named=bool(flags.consumers),
        only_consumers=tuple(flags.consumer) or config.only_consumers,
        mode=_over(flags.mode, config.mode),
        fail_on=_over(flags.fail_on, config.fail_on),
        exceptions=_exceptions(flags, config, file, cwd),
        fixes=_over(flags.fixes, config.fixes),
        model=_over(flags.model, _from_folder(config.model.endpoint, folder, cwd) if config.model else None),
        allow_remote_refs=tuple(flags.allow_remote_refs) or config.allow_remote_refs,
        jobs=flags.jobs or config.jobs or os.cpu_count() or 1,
        configured=_configured(flags, config),
        excerpts=ReportFormat.HTML in {chosen, *(name for name, _ in reports)},
    )
    return Run(
        request=request,
        format=chosen,
        reports=reports,
        advisory=_over(flags.advisory, config.advisory),
        quiet=flags.quiet or config.quiet,
        verbose=flags.verbose or config.verbose,
        color=_over(flags.color, config.color),
        again=again(flags, request),
    )


def _configured(flags: CheckFlags, config: Config) -> frozenset[str]:
    """The keys of guardian.yaml that are set and that no flag takes the place of, as far as errors name them."""
    found = {
        "base": (config.base, flags.base),
        "head": (config.head, flags.head),
        "only_services": (config.only_services, flags.service),
        "only_consumers": (config.only_consumers, flags.consumer),
        "consumers": (config.consumers, flags.consumers),
        "model.endpoint": (config.model, flags.model),
    }
    return frozenset(key for key, (written, flag) in found.items() if written is not None and not flag)


def _without_doubles(reports: Reports) -> Reports:
    """Each report once.

    Raises:
        UsageError: two are to be the same file.
    """
    taken: dict[str, tuple[ReportFormat, Path]] = {}
    for name, path in reports:
        file = os.path.realpath(path)
        other, shown = taken.setdefault(file, (name, path))
        if other is not name and (path.is_file() or not path.exists()):  # streams and devices take one after the other
            raise UsageError(
                f"the {other} and the {name} report would both be written to {shown.name}", hint="name two files"
            )
    return tuple(dict.fromkeys(taken.values()))


def _refuse_dash(reports: Reports) -> None:
    name = next((name for name, path in reports if path.name == "-"), None)
    if name is not None:
        hint = f"--format {name} writes it to standard output"
        raise UsageError(f"the {name} report needs the name of a file, not -", hint=hint)


def find_config(cwd: Path, *, quiet: bool = True) -> Path | None:
    """The guardian.yaml of this folder, or of the nearest one above it within the same repository.

    Args:
        cwd: this folder.
        quiet: say nothing of a nearer file whose name has the other ending, which many tools read and guardian does not.
    """
    folders = [cwd, *cwd.parents]
    root = repository_around(cwd) or cwd
    within = folders[: folders.index(root) + 1]
    for folder in within:
        if (folder / DEFAULT_CONFIG).is_file():
            return folder / DEFAULT_CONFIG
        if not quiet and (folder / _OTHER_NAME).is_file():
            name = os.path.relpath(folder / _OTHER_NAME, cwd)
            remark("note", f"{name} is not read: guardian reads {DEFAULT_CONFIG}", f"rename it, or --config {name}")
    return None


def read_config(file: Path, cwd: Path) -> Config:
    """Read one guardian.yaml.

    Raises:
        ConfigError: it cannot be read, or says something that it cannot say.
    """
    from guardian.check.configfile import read_config as parse

    name = os.path.relpath(file, cwd)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", file=name) from error
    return parse(data, name)


def _over(flag: T | None, key: T) -> T:
    return key if flag is None else flag


def exceptions_file(flags: CheckFlags, request: CheckRequest) -> Path:
    """The file of accepted findings, be it there yet or not."""
    if flags.exceptions is not None:
        return request.cwd / flags.exceptions
    return request.config_folder / (request.config.exceptions or DEFAULT_EXCEPTIONS)


def _exceptions(flags: CheckFlags, config: Config, file: Path | None, cwd: Path) -> str | None:
    """The exceptions file of the flag, or of guardian.yaml where there is one yet."""
    if flags.exceptions is not None or file is None:
        return flags.exceptions
    path = _from_folder(config.exceptions or DEFAULT_EXCEPTIONS, file.parent, cwd)
    return path if _is_there(cwd / path) else None


def _is_there(file: Path) -> bool:
    """Whether there is such a file. One that cannot be looked at counts: reading it says why."""
    try:
        return file.is_file()
    except PermissionError:
        return True


def _from_folder(path: str, folder: Path, cwd: Path) -> str:
    """A path or glob as guardian.yaml has it, relative to the working directory; a URL as it is."""
    if folder == cwd or "://" in path or path.startswith("git+"):
        return path
    return os.path.relpath(folder / path, cwd)


def _side(side: str | None, folder: Path, cwd: Path) -> str | None:
    """``base`` or ``head`` of guardian.yaml: a path where there is such a file, else a revision."""
    return _from_folder(side, folder, cwd) if side is not None and (folder / side).exists() else side
