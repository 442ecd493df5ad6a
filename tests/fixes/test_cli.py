"""``guardian fix``: listed, shown, written; and the gate is green afterwards."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
from pathlib import Path

import pytest

from guardian.fixes import apply as writing
from guardian.spec.text import load
from tests.check.repo import BILLING, USERS, USERS_RENAMED
from tests.fixes.gate import Cli, cli

__all__ = ["cli"]

ARGUMENTS = ("--base", "base.yaml", "--head", "head.yaml", "--service", "users", "--as-of", "2026-03-06")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files and a manifest, as the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("base.yaml").write_text(USERS)
    Path("head.yaml").write_text(USERS_RENAMED)
    Path("billing.yaml").write_text(BILLING)
    return tmp_path


def test_fixes_are_listed(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with what was tried, how it is rolled out, and which files it would write; nothing is written."""
    assert cli("fix", *ARGUMENTS, "--consumers", "billing.yaml") == 0
    out = capsys.readouterr().out
    assert "F1 dual_write  users carries both `email` and `mail`" in out
    assert "ok contract: compared with base, the breaking change is gone and no new one came" in out
    assert "1. ship users: it carries both `email` and `mail`" in out
    assert "file head.yaml" in out
    assert Path("head.yaml").read_text() == USERS_RENAMED


@pytest.mark.parametrize("strategy", ["dual_write", "deprecation_window", "field_alias", "version_bump"])
def test_a_fix_is_written_and_the_gate_is_green(
    folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str], strategy: str
) -> None:
    """Round trip: apply, run the check as a user would, exit code 0."""
    assert cli("check", *ARGUMENTS, "--consumers", "billing.yaml") == 1
    assert cli("fix", *ARGUMENTS, "--consumers", "billing.yaml", "--strategy", strategy, "--apply") == 0
    assert f"{strategy}: wrote head.yaml" in capsys.readouterr().err
    assert cli("check", *ARGUMENTS, "--consumers", "billing.yaml") == 0
    assert Path("billing.yaml").read_text() == BILLING


def test_documents_in_one_line(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """Reports stay small where a document is one long line, and what is written is exact: the gate is green after it."""
    for file, text in (("base.yaml", USERS), ("head.yaml", USERS_RENAMED)):
        document = load(text.encode(), file)
        document["info"]["description"] = "x" * 100_000
        Path(file).write_text(json.dumps(document) + "\n")
    for format in ("json", "sarif", "html", "markdown", "terminal"):
        assert cli("check", *ARGUMENTS, "--format", format, "--verbose") == 1
        out = capsys.readouterr().out
        assert len(out) < 100_000, format
        if format == "sarif":  # whole lines cannot say it, so it is no edit there
            assert all("fixes" not in result for result in json.loads(out)["runs"][0]["results"])
        else:
            assert "characters left out)..." in out, format
    assert cli("fix", *ARGUMENTS, "--strategy", "dual_write", "--apply") == 0
    assert cli("check", *ARGUMENTS) == 0
    assert json.loads(Path("head.yaml").read_text())["info"]["description"] == "x" * 100_000


def test_a_consumer_patch_writes_the_manifest(folder: Path, cli: Cli) -> None:
    """The producer stays as head has it; the consumer's manifest moves, and the gate is green."""
    assert cli("fix", *ARGUMENTS, "--consumers", "billing.yaml", "--strategy", "consumer_patch", "--apply") == 0
    assert Path("billing.yaml").read_text() == BILLING.replace("[id, email]", "[id, mail]")
    assert Path("head.yaml").read_text() == USERS_RENAMED
    assert cli("check", *ARGUMENTS, "--consumers", "billing.yaml") == 0


def test_a_dry_run_shows_what_would_be_written(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """The diff of the best fix, which git takes; nothing is written, with --apply beside it neither."""
    assert cli("fix", *ARGUMENTS, "--dry-run", "--apply") == 0
    out = capsys.readouterr().out
    assert Path("head.yaml").read_text() == USERS_RENAMED
    diff = out[out.index("diff --git") :]
    subprocess.run(["git", "apply", "-"], cwd=folder, input=diff, text=True, check=True)
    assert "email:" in Path("head.yaml").read_text()


def _with_tabs(text: str) -> str:
    return json.dumps(load(text.encode(), "x.yaml"), indent="\t") + "\n"


DIFFICULT = {
    "tabs": _with_tabs,
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "blanks at line ends": lambda text: text.replace("\n", "  \n"),
}
UNSEEN = {
    "line separator": "a\u2028b",
    "next line": "a\x85b",
    "bidirectional": "a\u202eb",
    "no width": "a\u200bb",
    "runner command": "##[warning]b",
}


def _described(text: str, description: str) -> str:
    """A JSON document that describes every property by this text."""
    document = load(text.encode(), "x.yaml")
    for schema in document["components"]["schemas"].values():
        for each in schema["properties"].values():
            each["description"] = description
    return json.dumps(document, indent=1, ensure_ascii=False)


@pytest.mark.parametrize("difficulty", DIFFICULT)
def test_git_takes_the_diff_that_is_shown(
    folder: Path, cli: Cli, capsysbinary: pytest.CaptureFixture[bytes], difficulty: str
) -> None:
    """Tabs, carriage returns and blanks at the ends of lines are text of the file; nothing has to be said of them."""
    for file, text in (("base.yaml", USERS), ("head.yaml", USERS_RENAMED)):
        Path(file).write_bytes(DIFFICULT[difficulty](text).encode())
    assert cli("fix", *ARGUMENTS, "--dry-run") == 0
    out, err = capsysbinary.readouterr()
    assert not err
    subprocess.run(["git", "apply", "-"], cwd=folder, input=out[out.index(b"diff --git") :], check=True)
    assert b"email" in Path("head.yaml").read_bytes()


@pytest.mark.parametrize("character", UNSEEN)
def test_a_diff_that_cannot_be_shown_as_it_is_says_so(
    folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str], character: str
) -> None:
    """What acts instead of being seen is escaped where somebody, or a runner, reads it; and it is said how to get it whole."""
    for file, text in (("base.yaml", USERS), ("head.yaml", USERS_RENAMED)):
        Path(file).write_text(_described(text, UNSEEN[character]), encoding="utf-8")
    assert cli("fix", *ARGUMENTS, "--dry-run") == 0
    out, err = capsys.readouterr()
    assert UNSEEN[character] not in out
    assert "head.yaml: " in err and " shown with escapes" in err and "--apply writes it exactly" in err


@pytest.mark.parametrize("character", UNSEEN)
def test_a_diff_goes_into_a_file_as_it_is(
    folder: Path, cli: Cli, capfdbinary: pytest.CaptureFixture[bytes], character: str
) -> None:
    """What is written into a file is for git: nothing is escaped, and nothing has to be said."""
    for file, text in (("base.yaml", USERS), ("head.yaml", USERS_RENAMED)):
        Path(file).write_text(_described(text, UNSEEN[character]), encoding="utf-8")
    assert cli("fix", *ARGUMENTS, "--dry-run") == 0
    out, err = capfdbinary.readouterr()  # which is a file
    assert not err
    subprocess.run(["git", "apply", "-"], cwd=folder, input=out[out.index(b"diff --git") :], check=True)
    assert b"email" in Path("head.yaml").read_bytes()


def test_a_diff_is_coloured_where_colour_is_wanted(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """Green for what comes."""
    assert cli("fix", *ARGUMENTS, "--dry-run", "--color") == 0
    assert "\x1b[32m+" in capsys.readouterr().out


def test_a_finding_is_chosen_by_its_fingerprint(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """--change narrows to the fixes of one finding; one that there is not is named."""
    cli("check", *ARGUMENTS, "--format", "json")
    changes = json.loads(capsys.readouterr().out)["changes"]
    fingerprint = next(each["fingerprint"] for each in changes if each["rule"] == "property-removed")
    assert cli("fix", *ARGUMENTS, "--change", fingerprint) == 0
    assert "F1 dual_write" in capsys.readouterr().out
    assert cli("fix", *ARGUMENTS, "--change", "0123456789ab") == 2
    assert "no such finding" in capsys.readouterr().err


def test_the_report_can_be_had_as_json(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """The same fixes as in the report of a check, those that were asked for."""
    assert cli("fix", *ARGUMENTS, "--strategy", "version_bump", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)["fixes"]
    assert [fix["strategy"] for fix in found] == ["version_bump"]
    assert found[0]["verification"]["verified"] is True
    assert found[0]["patches"][0]["json_patch"] and found[0]["patches"][0]["overlay"]["overlay"] == "1.0.0"


def test_nothing_to_mend_is_said(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a break there is no fix, and that is no failure."""
    Path("head.yaml").write_text(USERS)
    assert cli("fix", *ARGUMENTS) == 0
    assert "nothing to mend" in capsys.readouterr().err


def test_no_fix_is_a_failure(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """Something breaks, and what was asked for does not mend it."""
    assert cli("fix", *ARGUMENTS, "--strategy", "consumer_patch") == 1
    assert "no fix passes for what was asked for" in capsys.readouterr().err


def test_a_file_that_changed_meanwhile_is_refused(
    folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between check and write somebody saved the file: nothing is written, and the reason is given."""
    real = writing.apply_fix

    def saved_before(*arguments: object) -> list[Path]:
        Path("head.yaml").write_text(USERS_RENAMED + "# saved\n")
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(writing, "apply_fix", saved_before)
    assert cli("fix", *ARGUMENTS, "--apply") == 2
    assert "changed since it was checked" in capsys.readouterr().err
    assert Path("head.yaml").read_text() == USERS_RENAMED + "# saved\n"
    assert sorted(os.listdir()) == ["base.yaml", "billing.yaml", "head.yaml"]


def test_mode_and_link_of_a_file_are_kept(folder: Path, cli: Cli) -> None:
    """The target of a link is written, not the link, and its mode stays."""
    real = folder / "real.yaml"
    Path("head.yaml").rename(real)
    real.chmod(0o640)
    Path("head.yaml").symlink_to(real)
    assert cli("fix", *ARGUMENTS, "--apply") == 0
    assert Path("head.yaml").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert real.read_text() != USERS_RENAMED


def test_a_revision_is_not_written_to(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """--apply needs the work tree: a fix of another revision is shown, not written."""
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    arguments = ("--base", "HEAD:base.yaml", "--head", "HEAD:head.yaml", "--service", "users")
    assert cli("fix", *arguments, "--apply") == 2
    assert "--head HEAD:head.yaml is a revision" in capsys.readouterr().err


def test_a_failing_write_leaves_everything_as_it_was(
    folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a file cannot take its target's place, every file has its former bytes, and no part is left over."""

    def refused(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refused)
    assert cli("fix", *ARGUMENTS, "--apply") == 2
    assert "No space left on device" in capsys.readouterr().err
    assert Path("head.yaml").read_text() == USERS_RENAMED
    assert sorted(os.listdir()) == ["base.yaml", "billing.yaml", "head.yaml"]


def test_hostile_names_do_not_reach_the_terminal(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes from a specification are shown, never obeyed."""
    for name in ("base.yaml", "head.yaml"):
        Path(name).write_text(Path(name).read_text().replace("nickname", '"nick\\e[31mname"'))
    text = Path("head.yaml").read_text().replace('        "nick\\e[31mname": {type: string}\n', "")
    Path("head.yaml").write_text(text)
    assert cli("fix", *ARGUMENTS, "--dry-run") == 0
    assert "\x1b" not in capsys.readouterr().out


TWO = USERS.replace("properties:\n", "properties:\n        name: {type: string}\n").replace(
    "[id, email]", "[id, email, name]"
)
"""Two fields of base are gone from head, so that there are fixes for each and for both."""


def test_what_a_report_prints_for_a_fix_applies_that_fix(
    folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command for each, with the flags of the check; run as printed, it writes the patch that was shown."""
    Path("base.yaml").rename("old base.yaml")
    Path("old base.yaml").write_text(TWO)
    arguments = ("--base", "old base.yaml", *ARGUMENTS[2:], "--consumers", "billing.yaml")
    assert (
        cli("check", *arguments, "--format", "json", "--report", "terminal=out.txt", "--report", "sarif=out.sarif") == 1
    )
    fixes = json.loads(capsys.readouterr().out)["fixes"]
    assert len(fixes) > 5
    assert any(set(one["changes"]) < set(other["changes"]) for one in fixes for other in fixes)
    commands = [line.strip() for line in Path("out.txt").read_text().splitlines() if "guardian fix" in line]
    assert len(set(commands)) == len(fixes) == len(commands)
    for fix, command in zip(fixes, commands, strict=True):
        assert f"{fix['id']} ({fix['strategy']}): {command.partition(' --base')[0]} " in Path("out.sarif").read_text()
        assert cli(*shlex.split(command)[1:], "--dry-run", "--format", "json") == 0
        (found,) = json.loads(capsys.readouterr().out)["fixes"]
        assert found == fix
    wrote = fixes[0]["patches"][0]["diff"]
    assert cli(*shlex.split(commands[0])[1:]) == 0
    assert "F1" in capsys.readouterr().err
    index = subprocess.run(["git", "hash-object", "head.yaml"], cwd=folder, capture_output=True, text=True, check=True)
    assert f"..{index.stdout.strip()}" in wrote


def test_an_id_is_that_of_this_check(folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """An id that there is not, or one of a fix that mends something else by now, is wrong usage: nothing is written."""
    cli("check", *ARGUMENTS, "--format", "json")
    changes = json.loads(capsys.readouterr().out)["changes"]
    other = next(each["fingerprint"] for each in changes if each["rule"] == "property-added")
    for wrong, message in (
        (("--id", "F99"), "--id F99: this check has no such fix"),
        (("--id", "F1", "--change", other), f"--id F1 --change {other}: F1 does not mend that finding"),
        (("--id", "F1", "--strategy", "version_bump"), "F1 is a dual_write"),
    ):
        assert cli("fix", *ARGUMENTS, *wrong, "--apply") == 2
        assert message in capsys.readouterr().err
    assert Path("head.yaml").read_text() == USERS_RENAMED
    assert cli("fix", *ARGUMENTS, "--id", "F2", "--strategy", "deprecation_window", "--apply") == 0


def test_a_command_that_has_gone_stale_writes_nothing(
    folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once something else breaks too, ids count other fixes: a command of the earlier report is refused, whatever it wrote."""

    def offered() -> list[str]:
        cli("check", *ARGUMENTS, "--format", "json")
        return [each["name"] for each in json.loads(capsys.readouterr().out)["fixes"]]

    name = ("properties:\n", "properties:\n        name: {type: string}\n")
    Path("base.yaml").write_text(TWO)
    Path("head.yaml").write_text(USERS_RENAMED.replace(*name).replace("[id, mail]", "[id, mail, name]"))
    before = offered()
    Path("head.yaml").write_text(USERS_RENAMED)
    after = offered()
    assert len(before) > 2 and not set(before) & set(after)
    for each in before:
        assert cli("fix", *ARGUMENTS, "--id", each, "--apply") == 2
        assert f"--id {each}: this check has no such fix" in capsys.readouterr().err
    assert Path("head.yaml").read_text() == USERS_RENAMED
    assert cli("fix", *ARGUMENTS, "--id", after[-1], "--apply") == 0


def test_a_manifest_of_another_repository_is_not_written(
    folder: Path, cli: Cli, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its diff is shown, as it fits there, and who does it; the check says so before anybody tries."""
    monkeypatch.setenv("GUARDIAN_CACHE_DIR", str(folder / "cache"))
    there = folder / "contracts"
    (there / "consumers").mkdir(parents=True)
    Path("billing.yaml").rename(there / "consumers/billing.yaml")
    for arguments in (
        ["init", "-qb", "main"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=there, check=True)
    arguments = (*ARGUMENTS, "--consumers", f"git+{there.as_uri()}#main:consumers/*.yaml")
    assert cli("check", *arguments) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "@main:consumers/billing.yaml (elsewhere: the diff is to be made there)" in out
    assert cli("fix", *arguments, "--strategy", "consumer_patch", "--format", "json") == 0
    (fix,) = json.loads(capsys.readouterr().out)["fixes"]
    assert fix["rollout"][0].startswith(
        f"change consumers/billing.yaml in {there.as_uri()}@main, which is not written from here"
    )
    assert fix["patches"][0]["elsewhere"] == f"{there.as_uri()}@main"
    assert cli("fix", *arguments, "--strategy", "consumer_patch", "--apply") == 1
    out, err = capsys.readouterr()
    assert "consumers/billing.yaml is not written: it is elsewhere" in err and "guardian publish" in err
    subprocess.run(["git", "apply", "-"], cwd=there, input=out, text=True, check=True)
    assert "[id, mail]" in (there / "consumers/billing.yaml").read_text()
    assert cli("fix", *arguments, "--strategy", "dual_write", "--apply") == 0
