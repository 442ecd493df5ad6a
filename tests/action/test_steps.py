"""What surrounds guardian in the action: how it is installed and called, what it is not told, and how it may fail."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import apply
import pytest
from forge.api import FakeGitHub, Fault
from forge.remote import Remote

from guardian.errors import GuardianError, UsageError
from guardian.host import gate, install
from guardian.host.event import Event
from guardian.host.inputs import read_inputs

HOSTILE = [
    "$(touch pwned)",
    "`touch pwned`",
    '"; touch pwned; "',
    "' && touch pwned #",
    "--help",
    "a\n--base=evil",
    "${{ x }}",
]


def run(job: Any, checkout: tuple[Path, Any], inputs: Any = None, **github: str) -> Any:
    ws, payload = checkout
    return job.run(ws, "pull_request", payload, inputs, **github)


def test_flags(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any]):
    """Every input about the check reaches guardian as the flag of the same meaning."""
    inputs = {
        "services": "users\n orders\n\n",
        "consumers": "a/*.yaml\ngit+https://example.org/c.git#main:*.yaml",
        "mode": "consumers",
        "fail-on": "warning",
        "exceptions": "e.yaml",
        "config": "c.yaml",
    }
    assert run(job, merge_checkout, inputs).code == 0
    base = merge_checkout[1]["pull_request"]["base"]["sha"]
    assert stand_in.flags == [
        f"--base={base}",
        "--config=c.yaml",
        "--service=users",
        "--service=orders",
        "--consumers=a/*.yaml",
        "--consumers=git+https://example.org/c.git#main:*.yaml",
        "--mode=consumers",
        "--fail-on=warning",
        "--exceptions=e.yaml",
    ]


def test_paths_from_the_working_directory(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any]):
    """Paths are relative to the working directory; guardian runs at the root, with the guardian.yaml found above."""
    run(job, merge_checkout, {"working-directory": "services/users", "ignore-file": "../e.yaml", "consumers": "c.yaml"})
    assert stand_in.called["cwd"] == str(merge_checkout[0])
    assert stand_in.flags[1:] == [
        "--config=guardian.yaml",
        "--consumers=services/users/c.yaml",
        "--exceptions=services/e.yaml",
    ]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_input(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any], value: str):
    """An input is a value: never a command of the shell, never another flag."""
    names = ("config", "services", "consumers", "mode", "fail-on", "exceptions", "comment-key")
    run(job, merge_checkout, dict.fromkeys(names, value))
    assert not list(job.folder.rglob("pwned"))
    allowed = ("--base=", "--config=", "--service=", "--consumers=", "--mode=", "--fail-on=", "--exceptions=")
    assert all(flag.startswith(allowed) for flag in stand_in.flags)
    assert f"--base={value.partition('=')[2]}" not in stand_in.called["args"]


def test_hostile_branch(job: Any, stand_in: Any, remote: Remote, tmp_path: Path):
    """The name of a branch, which a stranger chose, is nothing but a name."""
    name = "a;touch${IFS}pwned;::error::$(touch${IFS}pwned)`id`".replace(":", "")
    apply.git(remote.desk, "branch", name, "friday-rename")
    payload = remote.pull_request(name, fork=True)
    ws = remote.checkout(tmp_path / "ws", payload["pull_request"]["head"]["sha"], "refs/remotes/pull/7/head")
    assert job.run(ws, "pull_request", payload, head_ref=name).code == 0
    assert not list(tmp_path.rglob("pwned"))


def test_guardian_gets_no_secret(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any]):
    """The process that reads untrusted text has neither the token nor git's loan of it."""
    assert run(job, merge_checkout).code == 0
    environ = stand_in.called["environ"]
    text = "\n".join([*environ, *environ.values(), *stand_in.called["args"]])
    assert job.token not in text
    assert "INPUT_" not in text
    assert "AUTHORIZATION" not in text
    assert environ["GIT_CONFIG_KEY_0"] == "safe.directory"
    assert "PYTHONPATH" not in environ


def test_code_of_the_pull_request_is_not_imported(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any]):
    """A file of the repository under test that is named like a module is not that module."""
    for name in ("json", "guardian", "typing", "pathlib"):
        (merge_checkout[0] / f"{name}.py").write_text("raise SystemExit('imported')")
    outcome = run(job, merge_checkout)
    assert outcome.code == 0
    assert "imported" not in outcome.log


@pytest.mark.parametrize(
    ("code", "verdict", "expected"), [(0, "pass", 0), (0, "warn", 0), (1, "fail", 1), (0, "fail", 0)]
)
def test_exit_code_is_guardians(
    job: Any, stand_in: Any, merge_checkout: tuple[Path, Any], code: int, verdict: str, expected: int
):
    """The step ends as guardian did; an advisory run that found something ends with 0 and says fail."""
    stand_in.answer(verdict, code, broken=["billing"])
    outcome = run(job, merge_checkout)
    assert (outcome.code, outcome.outputs["result"]) == (expected, verdict)
    assert outcome.outputs["consumers-broken"] == '["billing"]'


@pytest.mark.parametrize(("code", "expected"), [(2, 2), (3, 3), (0, 4), (1, 4), (137, 4)])
def test_no_report_is_no_pass(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any], code: int, expected: int):
    """guardian that ends without a report has given no answer, whatever it ended with."""
    stand_in.order(code=code, stderr="error: x.yaml:3: is broken\n  mend it\n", reports={})
    outcome = run(job, merge_checkout)
    assert (outcome.code, outcome.outputs["result"], outcome.outputs["exit-code"]) == (expected, "error", str(expected))
    assert "x.yaml:3: is broken" in outcome.summary
    assert "mend it" in next(each.message for each in outcome.annotations if each.level == "error")


def test_error_updates_the_comment(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any], github: FakeGitHub):
    """A green comment does not outlive a run that gave no answer."""
    stand_in.answer("fail", 1)
    run(job, merge_checkout)
    stand_in.answer("pass")
    run(job, merge_checkout)
    stand_in.order(code=3, stderr="error: broken", reports={})
    run(job, merge_checkout)
    assert len(github.bodies()) == 1
    assert "## guardian: ERROR" in github.bodies()[0]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(403, {}, "Resource not accessible by integration"),
        Fault(429, {"Retry-After": "3600"}, "rate limited"),
        Fault(422, {}, "Validation Failed"),
        Fault(404, {}, "Not Found"),
        Fault(301, {"Location": "https://github.example/"}, "Moved"),
    ],
)
def test_comment_that_cannot_be_written(
    job: Any, stand_in: Any, merge_checkout: tuple[Path, Any], github: FakeGitHub, fault: Fault
):
    """Whatever GitHub answers, the verdict stands, the summary is there, and one notice says why there is no comment."""
    github.faults.append(fault)
    stand_in.answer("fail", 1, markdown="## the report\n")
    outcome = run(job, merge_checkout)
    assert (outcome.code, outcome.outputs["result"], outcome.summary) == (1, "fail", "## the report\n")
    assert [(each.level, str(fault.status) in each.message) for each in outcome.annotations] == [("notice", True)]


def test_comment_waits_for_a_rate_limit(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any], github: FakeGitHub):
    """A limit that passes at once costs nothing but the second attempt."""
    github.faults.append(Fault(429, {"Retry-After": "0"}, "rate limited"))
    stand_in.answer("fail", 1)
    assert run(job, merge_checkout).annotations == []
    assert len(github.bodies()) == 1


def test_no_comment_where_none_is_wanted(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any], github: FakeGitHub):
    """`comment: false` asks GitHub nothing."""
    stand_in.answer("fail", 1)
    assert run(job, merge_checkout, {"comment": "false"}).code == 1
    assert github.requests == []


def test_long_report_is_cut(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any], github: FakeGitHub):
    """A report of any length becomes a comment that GitHub takes."""
    stand_in.answer("fail", 1, markdown="a line of æøå\n" * 20_000)
    run(job, merge_checkout)
    assert len(github.bodies()[0]) < 65_536
    assert "Cut here" in github.bodies()[0]


def test_wrong_input(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any]):
    """A wrong input is wrong usage, said in a sentence that names it."""
    outcome = run(job, merge_checkout, {"comment": "yes"})
    assert (outcome.code, outcome.outputs["result"]) == (2, "error")
    assert "comment" in outcome.annotations[0].message


@pytest.mark.parametrize(
    ("inputs", "word"),
    [
        ({"VERSION": "1.0; rm"}, "version"),
        ({"VERSION": "git+https://example.org"}, "version"),
        ({"VERSION": "--pre"}, "version"),
        ({"EXCEPTIONS": "a", "IGNORE_FILE": "b"}, "ignore-file"),
        ({"FORMAT": "pdf"}, "the input `format` names no report: 'pdf'"),
        ({"FORMAT": "$(touch pwned)"}, "format"),
        ({"FORMAT": "html=foo"}, "the input `format` names no report: 'html=foo'"),
        ({"BASE": "services"}, "a folder here, which would be compared with itself"),
        ({"REPORTS": "junit=a.xml\npdf=b.pdf"}, "the input `reports` names no report: 'pdf=b.pdf'"),
        ({"WORKING_DIRECTORY": "nowhere"}, "nowhere"),
        ({"SPECS": "a.yaml"}, "services"),
        ({"CONFIG": "none", "SPECS": "a.yaml"}, "specs"),
    ],
)
def test_impossible_inputs(merge_checkout: tuple[Path, Any], tmp_path: Path, inputs: dict[str, str], word: str):
    """What cannot be meant is refused before anything runs."""
    with pytest.raises(UsageError, match=word):
        gate.plan(
            read_inputs({f"INPUT_{name}": value for name, value in inputs.items()}),
            Event("pull_request", base_branch="main"),
            merge_checkout[0],
            tmp_path,
        )


@pytest.mark.parametrize(
    ("base", "head", "flags"),
    [
        ("main", "", ["--base={main}"]),
        ("origin/main", "HEAD", ["--base={main}", "--head={merge}"]),
        ("main:services", "services", ["--base={main}:services", "--head=services"]),
        ("main:services/users/openapi.yaml", "", ["--base={main}:services/users/openapi.yaml"]),
        ("services", "fixtures", ["--base=services", "--head=fixtures"]),
    ],
)
def test_named_sides(
    merge_checkout: tuple[Path, Any], remote: Remote, tmp_path: Path, base: str, head: str, flags: list[str]
):
    """Both sides may be named in every form that guardian's own flags take; revisions become the commits they are."""
    ws, payload = merge_checkout
    (ws / "fixtures").mkdir()
    plan = gate.plan(read_inputs({"INPUT_BASE": base, "INPUT_HEAD": head}), Event("push"), ws, tmp_path)
    known = {"main": remote.commit_of("main"), "merge": payload["pull_request"]["merge_commit_sha"]}
    assert [flag for flag in plan.flags if flag.startswith(("--base", "--head"))] == [
        each.format(**known) for each in flags
    ]
    assert plan.outputs["base"] == (known["main"] if "main" in base else "services")


@pytest.mark.parametrize(
    ("inputs", "event", "again"),
    [
        ({}, {}, []),
        (
            {"SERVICES": "a b", "MODE": "both", "FAIL_ON": "none", "FORMAT": "json"},
            {},
            ["--service=a b", "--mode=both"],
        ),
        ({"EXCEPTIONS": "e.yaml", "WORKING_DIRECTORY": "services"}, {}, ["--exceptions=services/e.yaml"]),
        ({"CONFIG": "guardian.yaml"}, {}, ["--config=guardian.yaml"]),
        ({"HEAD": "HEAD"}, {}, []),
        ({}, {"default_branch": "next"}, ["--base={main}"]),
        ({}, {"base_commit": "{main}"}, ["--base={main}"]),
        ({"BASE": "main"}, {}, ["--base={main}"]),
        ({"BASE": "main:services", "HEAD": "HEAD:services"}, {}, ["--base={main}:services", "--head=services"]),
        ({"BASE": "services", "HEAD": "fixtures"}, {}, ["--base=services", "--head=fixtures"]),
    ],
)
def test_the_same_check_in_a_checkout(
    merge_checkout: tuple[Path, Any],
    remote: Remote,
    tmp_path: Path,
    inputs: dict[str, str],
    event: dict[str, str],
    again: list[str],
):
    """What the commands of a report need on the branch itself: no temporary file, no merge commit, nothing that goes without saying."""
    ws, _ = merge_checkout
    (ws / "fixtures").mkdir()
    known = {"main": remote.commit_of("main")}
    happened = {"base_branch": "main", "default_branch": "main", **event}
    said = Event("pull_request", **{key: value.format(**known) for key, value in happened.items()})
    plan = gate.plan(read_inputs({f"INPUT_{name}": value for name, value in inputs.items()}), said, ws, tmp_path)
    assert list(plan.again) == [each.format(**known) for each in again]


@pytest.mark.parametrize(
    ("inputs", "again"),
    [
        ({"SPECS": "services/u*/openapi.yaml"}, ["--service={users}"]),
        ({"SPECS": "**/*.yaml", "SERVICES": "services/users"}, ["--service={users}"]),
        (
            {"SPECS": "users/openapi.yaml", "WORKING_DIRECTORY": "services", "SERVICES": "users"},
            ["--service={users}", "--exceptions=services/guardian.exceptions.yaml"],
        ),
    ],
)
def test_specs_are_services_in_a_checkout(
    merge_checkout: tuple[Path, Any], tmp_path: Path, inputs: dict[str, str], again: list[str]
):
    """There the guardian.yaml that was made of ``specs`` is not: their paths narrow the check, which else finds more."""
    ws, _ = merge_checkout
    (ws / "guardian.yaml").unlink()
    (ws / "guardian.exceptions.yaml").rename(ws / "services" / "guardian.exceptions.yaml")
    said = Event("pull_request", base_branch="main", default_branch="main")
    plan = gate.plan(read_inputs({f"INPUT_{name}": value for name, value in inputs.items()}), said, ws, tmp_path)
    assert list(plan.again) == [each.format(users="services/users/openapi.yaml") for each in again]


def test_guardian_is_told_how_to_check_again(job: Any, stand_in: Any, merge_checkout: tuple[Path, Any]):
    """By a variable, which another release of guardian passes over."""
    run(job, merge_checkout, {"services": "users"})
    assert json.loads(stand_in.called["environ"]["GUARDIAN_AGAIN"]) == ["--service=users"]


# --- installing ---------------------------------------------------------------------------------------------------

PYTHONS = ("python3", "python", "python3.13", "python3.12", "python3.11")


def script(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/bash\n{text}\n")
    file.chmod(0o755)


@pytest.fixture
def only_old_pythons(job: Any, stand_in: Any) -> None:
    """A runner whose Pythons are all too old."""
    for name in PYTHONS:
        script(job.folder / "bin" / name, "exit 1")


def test_runner_without_python(job: Any, only_old_pythons: None, merge_checkout: tuple[Path, Any]):
    """Without a Python that is new enough the step fails, and says what to do."""
    outcome = run(job, merge_checkout)
    assert outcome.code == 4
    assert "actions/setup-python" in outcome.annotations[0].message
    assert outcome.outputs["result"] == ""


def test_python_of_the_tool_cache(job: Any, only_old_pythons: None, merge_checkout: tuple[Path, Any]):
    """A Python that the runner keeps for actions/setup-python serves too."""
    script(job.folder / "cache/Python/3.12.1/x64/bin/python", f'exec {sys.executable} "$@"')
    job.environ = {"RUNNER_TOOL_CACHE": str(job.folder / "cache")}
    assert run(job, merge_checkout).code == 0


def test_nothing_installed(job: Any, merge_checkout: tuple[Path, Any]):
    """`version: installed` without an installed guardian is wrong usage."""
    script(job.folder / "bin/python3", f'exec {sys.executable} "$@"')
    job.path = f"{job.folder / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    outcome = run(job, merge_checkout)
    assert outcome.code == 2
    assert "PATH" in outcome.annotations[0].message


def test_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The action's own guardian is the code beside action.yml, and what it needs is pinned by hash; once in a job."""
    commands: list[list[str]] = []
    monkeypatch.setattr(install, "_run", lambda command, cwd: commands.append(command))
    environ = {"RUNNER_TEMP": str(tmp_path)}
    own, again, release = (install.install(version, environ) for version in ("", "", "1.2.3"))
    assert own == again
    assert own[1:] == release[1:] == ["-P", "-m", "guardian"]
    assert own[0] != release[0]
    assert len(commands) == 4
    assert commands[1][-3:] == ["--require-hashes", "--requirement", str(install.REQUIREMENTS)]
    assert commands[3][-1] == "contract-guardian==1.2.3"


@pytest.mark.slow
def test_failed_installation(job: Any, merge_checkout: tuple[Path, Any]):
    """What cannot be installed fails the step with pip's own words, and never with the code of findings."""
    job.environ = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}
    outcome = run(job, merge_checkout, {"version": ""})
    assert outcome.code == 4
    assert "No matching distribution" in outcome.annotations[0].message


def test_reason_of_a_failed_installation(tmp_path: Path):
    """Tools tell their reason on either stream: venv on standard output."""
    with pytest.raises(GuardianError) as raised:
        install._run([sys.executable, "-c", "print('ensurepip is not available'); raise SystemExit(1)"], tmp_path)
    assert raised.value.hint == "ensurepip is not available"


@pytest.mark.parametrize(("reports", "beside"), [("", "1"), ("json=a.json", None)])
def test_reports_of_guardian_yaml(
    job: Any, stand_in: Any, merge_checkout: tuple[Path, Any], reports: str, beside: str | None
):
    """They are written beside the action's own, unless the input names others."""
    run(job, merge_checkout, {"reports": reports})
    assert stand_in.called["environ"].get("GUARDIAN_REPORTS_BESIDE") == beside
