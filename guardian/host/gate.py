"""One check in a workflow: from inputs and event to guardian's command line, and from its reports to what the
workflow, the job's log, the step summary and the pull request are told.

guardian runs at the root of the repository, wherever the working directory is, so that its reports name files as
GitHub knows them. It gets neither the token nor the inputs.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from guardian.errors import GuardianError, ReadError, UsageError
from guardian.host import specs
from guardian.host.base import Range, ensure, find_range
from guardian.host.event import Event
from guardian.host.folders import OnBase, on_base
from guardian.host.inputs import Inputs
from guardian.report.escape import markdown_fence
from guardian.spec import revisions
from guardian.spec.roots import repository_around

_CONFIG = "guardian.yaml"
_EXCEPTIONS = "guardian.exceptions.yaml"
_AGAIN = "GUARDIAN_AGAIN"  # see guardian.cli.again
_REPORTS_BESIDE = "GUARDIAN_REPORTS_BESIDE"  # see guardian.cli.settings
_MOST_SERVICES = 40  # in a command that somebody is to copy
_ENDINGS = {"markdown": "md", "terminal": "txt", "github": "txt", "junit": "xml", "gitlab": "json"}
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_MEANING = {
    2: "wrong usage or configuration",
    3: "a specification, manifest or revision could not be read",
    4: "a fault in guardian or around it",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """One run of guardian, and where it writes.

    Args:
        flags: of ``guardian check``.
        root: where it runs: the root of the repository.
        folder: where its reports for this action are.
        base: what head is compared with, for people.
        remark: what a reader should know about that.
        outputs: the files that the workflow is told of.
        again: the flags of ``guardian fix`` in a checkout of what was checked, for the commands that reports name.
        reports_beside: the reports of guardian.yaml are written, too.
    """

    flags: tuple[str, ...]
    root: Path
    folder: Path
    base: str
    remark: str | None
    outputs: Mapping[str, str]
    again: tuple[str, ...] = ()
    reports_beside: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of it: guardian's exit code, and the same verdict for each who is to hear of it."""

    code: int
    result: str  # "pass" | "warn" | "fail" | "error"
    markdown: str
    log: str = ""
    annotations: str = ""
    error: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)


def plan(inputs: Inputs, event: Event, workspace: Path, folder: Path) -> Plan:
    """Find both sides, and say what guardian is to do.

    Args:
        workspace: what the working directory is relative to.
        folder: an empty folder for reports.

    Raises:
        UsageError: inputs contradict each other, or name something that is not there.
        ReadError: a revision is neither here nor to be had.
    """
    here = (workspace / inputs.working_directory).resolve()
    if not here.is_dir():
        raise UsageError(f"there is no working directory {inputs.working_directory!r}")
    paths = _Paths(repository_around(here) or here, here)
    chosen = _config(inputs, paths)
    commits = _range(inputs, event, paths)
    sides = _sides(inputs, commits, paths, whole=bool(chosen or inputs.specs), empty=folder / "empty")
    base, head = sides.base, sides.head

    named: specs.Named | None = None
    flags = [f"--base={base}"]
    flags += [f"--head={head}"] if head else []
    if inputs.specs:
        if chosen:
            raise UsageError(
                f"the input `specs` is for repositories without a {_CONFIG}, and here is {chosen}",
                hint="narrow it with the input `services` instead",
            )
        named = _named(inputs, commits, paths)
        flags += [f"--config={_config_of(named, folder / 'specs.yaml')}"]
    flags += [f"--config={chosen}"] if chosen else []
    chosen_there = [f"--config={chosen}"] if chosen and (inputs.config or chosen != _CONFIG) else []
    services = [f"--service={each}" for each in inputs.services]
    services_there = services if named is None else _services_there(inputs, named)
    common = [f"--consumers={paths.rebased(each)}" for each in inputs.consumers]
    common += [f"--mode={inputs.mode}"] if inputs.mode else []
    exceptions = inputs.exceptions or (_EXCEPTIONS if named and (paths.here / _EXCEPTIONS).is_file() else "")
    accepted = [f"--exceptions={paths.rebased(exceptions)}"] if exceptions else []
    flags += [*services, *common, *([f"--fail-on={inputs.fail_on}"] if inputs.fail_on else []), *accepted]

    report = folder / f"report.{_ENDINGS.get(inputs.format, inputs.format)}"
    sarif = paths.here / inputs.sarif_file if inputs.sarif_file else None
    flags += ["--format=terminal", "--no-color"]
    flags += [f"--report=json={folder / 'guardian.json'}", f"--report=markdown={folder / 'guardian.md'}"]
    flags += [f"--report=github={folder / 'annotations.txt'}", f"--report={inputs.format}={report}"]
    flags += [f"--report=sarif={sarif}"] if sarif else []
    flags += [f"--report={_report(each, paths)}" for each in inputs.reports]
    outputs = {
        "report-file": str(report),
        "json-file": str(folder / "guardian.json"),
        "sarif-file": str(sarif or ""),
        "base": commits.base or "" if commits else base,
    }
    remark = (
        "; ".join(filter(None, (commits.remark if commits else None, sides.remark, *(named.remarks if named else ()))))
        or None
    )
    again = (*_sides_there(inputs, event, commits, base, head), *chosen_there, *services_there, *common, *accepted)
    return Plan(
        tuple(flags), paths.root, folder, outputs["base"] or "nothing", remark, outputs, again, not inputs.reports
    )


def execute(command: Sequence[str], chosen: Plan, environ: Mapping[str, str]) -> Outcome:
    """Run guardian as planned.

    Args:
        command: what runs guardian.
        environ: what it finds in its environment, inputs left out.
    """
    clean = {name: value for name, value in environ.items() if not name.startswith("INPUT_")}
    clean[_AGAIN] = json.dumps(chosen.again)
    if chosen.reports_beside:
        clean[_REPORTS_BESIDE] = "1"
    done = subprocess.run(
        [*command, "check", *chosen.flags], cwd=chosen.root, env=clean, capture_output=True, check=False
    )
    log, said = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    report = _load(chosen.folder / "guardian.json")
    if done.returncode not in (0, 1) or report is None:
        code = done.returncode if done.returncode in _MEANING else 4
        return failure(said.strip() or f"guardian ended with {done.returncode} and no report", code)
    summary = report["summary"]
    outputs = {
        "breaking-count": str(summary["breaking"]),
        "warning-count": str(summary["warnings"]),
        "accepted-count": str(summary["accepted"]),
        "consumers-broken": json.dumps(summary["consumers_broken"]),
        **chosen.outputs,
    }
    return Outcome(
        done.returncode,
        report["verdict"],
        markdown=(chosen.folder / "guardian.md").read_text(encoding="utf-8"),
        log=log + said,
        annotations=(chosen.folder / "annotations.txt").read_text(encoding="utf-8"),
        outputs=outputs,
    )


def failure(said: str, code: int) -> Outcome:
    """The outcome of a check that gave no answer."""
    meaning = f"guardian could not answer, which is never a pass: {_MEANING[code]} (exit code {code})."
    lines = ["## guardian: ERROR", "", f"**{meaning}**", "", *markdown_fence(said.splitlines()), ""]
    return Outcome(code, "error", "\n".join(lines), error=said)


def failed(error: GuardianError) -> Outcome:
    """The outcome of an error before guardian ran."""
    return failure(f"error: {error}", error.exit_code)


def _load(file: Path) -> Any:
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None


# --- both sides ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Paths:
    """Paths as inputs have them, from ``here``, and as guardian gets them, from ``root``."""

    root: Path
    here: Path

    @property
    def prefix(self) -> str:
        """The working directory from the root; empty for the root itself."""
        return "" if self.here == self.root else self.here.relative_to(self.root).as_posix()

    def rebased(self, path: str) -> str:
        if not self.prefix or "://" in path or path.startswith("git+") or os.path.isabs(path):
            return path
        return posixpath.normpath(posixpath.join(self.prefix, path))


def _config(inputs: Inputs, paths: _Paths) -> str:
    """guardian.yaml as guardian itself would find it from the working directory; empty where there is none."""
    if inputs.config:
        return paths.rebased(inputs.config)
    folder = paths.here
    while not (folder / _CONFIG).is_file():
        if folder == paths.root:
            return ""
        folder = folder.parent
    return (folder / _CONFIG).relative_to(paths.root).as_posix()


def _range(inputs: Inputs, event: Event, paths: _Paths) -> Range | None:
    """The commits to compare, as far as commits are compared; ``None`` where the base is a file or a folder."""
    if inputs.base and (paths.here / inputs.base).exists():
        _refuse_itself(inputs, paths)
        return None
    if not (paths.root / ".git").exists():
        raise ReadError(
            "the working directory is in no git repository",
            hint="use actions/checkout before, or name two files or folders as `base` and `head`",
        )
    head = None
    if inputs.head and not (paths.here / inputs.head).exists():
        head = ensure(paths.root, _revision(inputs.head))
    if inputs.base:
        return Range(ensure(paths.root, _revision(inputs.base)), head)
    return find_range(paths.root, event, head)


def _refuse_itself(inputs: Inputs, paths: _Paths) -> None:
    """Refuse a folder as base where head is what it lies in."""
    base = (paths.here / inputs.base).resolve()
    if not inputs.head and base.is_dir() and base.is_relative_to(paths.here):
        meant = revisions.full_name(paths.root, inputs.base) if (paths.root / ".git").exists() else None
        raise UsageError(
            f"the input `base` names {inputs.base!r}, a folder here, which would be compared with itself",
            hint=f"the revision of this name is `base: {meant or f'refs/heads/{inputs.base}'}`; or name the other folder as `head`",
        )


def _revision(side: str) -> str:
    return side if _DRIVE.match(side) else side.partition(":")[0]


class _Sides(NamedTuple):
    """Both sides as guardian's flags name them, and what a reader should know of them."""

    base: str
    head: str | None
    remark: str | None = None


def _sides(inputs: Inputs, commits: Range | None, paths: _Paths, *, whole: bool, empty: Path) -> _Sides:
    """Both sides.

    Args:
        whole: guardian.yaml or ``specs`` choose what is looked at; else the working directory is all there is.
        empty: a folder to make where nothing was there before.
    """
    if commits is None:
        return _Sides(paths.rebased(inputs.base), _side(inputs.head, None, paths) or paths.prefix or None)
    part = "" if whole or ":" in inputs.base else paths.prefix
    head = _side(inputs.head, commits.head, paths) or commits.head
    if part and head in (None, commits.head):
        head = f"{head}:{part}" if head else part
    there = OnBase(part)
    if commits.base is not None and part:
        there = on_base(paths.root, commits.base, commits.head, part)
    if commits.base is None or there.folder is None:
        empty.mkdir()
        return _Sides(str(empty), head or ".", there.remark)
    base = _side(inputs.base, commits.base, paths) if inputs.base else commits.base
    return _Sides(f"{base}:{there.folder}" if there.folder else str(base), head, there.remark)


def _sides_there(inputs: Inputs, event: Event, commits: Range | None, base: str, head: str | None) -> list[str]:
    """The flags of both sides for whoever has checked out what was checked.

    The base goes without saying where a pull request is for the default branch. A head that was read from git is there as
    the work tree.
    """
    if commits is None:
        return [f"--base={base}", *([f"--head={head}"] if head else [])]
    if commits.base is None or not base.startswith(commits.base):
        return []  # compared with nothing: so there is nothing to mend
    part = head if commits.head is None else (head or "").partition(":")[2]
    usual = event.base_commit is None and event.base_branch in (None, event.default_branch)
    if usual and not inputs.base and not part:
        return []
    return [f"--base={base}", *([f"--head={part}"] if part else [])]


def _side(side: str, commit: str | None, paths: _Paths) -> str | None:
    """A side that an input names, by its commit or from the root; ``None`` where no input does."""
    if not side:
        return None
    if commit is None:
        return paths.rebased(side)
    _, colon, path = side.partition(":")
    if path.startswith(("./", "../")):
        path = paths.rebased(path)
    return f"{commit}{colon}{path}"


def _named(inputs: Inputs, commits: Range | None, paths: _Paths) -> specs.Named:
    """The specifications that ``specs`` names."""
    if commits is None:
        raise UsageError(
            "the input `specs` is for revisions; where `base` is a file or a folder it names what to compare"
        )
    patterns = {each: posixpath.normpath(paths.rebased(each)) for each in inputs.specs}
    return specs.named(paths.root, commits, patterns, paths.prefix)


def _config_of(named: specs.Named, file: Path) -> Path:
    """Write a guardian.yaml for them. From a folder outside the repository its paths count from the repository's root."""
    services = {name: {"spec": spec} for name, spec in named.services.items()}
    file.write_text(json.dumps({"version": 1, "services": services}), encoding="utf-8")  # JSON is YAML
    return file


def _services_there(inputs: Inputs, named: specs.Named) -> list[str]:
    """The flags that narrow a check of the whole repository, which has no guardian.yaml, to what ``specs`` names."""
    names = inputs.services
    wanted = [
        path
        for name, path in named.paths.items()
        if not names or any(f"{name}/".startswith(f"{each}/") for each in names)
    ]
    return [f"--service={path}" for path in wanted] if len(wanted) <= _MOST_SERVICES else []


def _report(wanted: str, paths: _Paths) -> str:
    name, equals, file = wanted.partition("=")
    return f"{name}{equals}{paths.rebased(file)}" if file else wanted
