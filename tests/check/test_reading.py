"""What a check reads, what it leaves as it is, and what it says of what it cannot read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.check.conftest import Guardian
from tests.check.repo import BILLING, CONFIG, USERS, USERS_RENAMED, Folder, Repo


@pytest.mark.parametrize(
    "sides", [[], ["--base", "main"], ["--base", "HEAD", "--head", "main"], ["--base", "main:specs/users.yaml"]]
)
def test_nothing_is_written(check: Guardian, repo: Repo, sides: list[str]):
    """Work tree, index and repository stay as they are, byte for byte; no lock and no cache is left behind."""
    repo.replace("specs/users.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    repo.commit()
    repo.write("specs/users.yaml", USERS_RENAMED)
    repo.git("add", "--all")
    repo.write("specs/users.yaml", USERS_RENAMED.replace("nickname", "handle"))
    # A file whose content did not change but whose time did: git would like to refresh its index for that.
    os.utime(repo.folder / "guardian.yaml", (1_000_000_000, 1_000_000_000))
    before = repo.state()
    assert check(repo, *sides).changes != []
    assert repo.state() == before


def test_a_locked_index_is_no_hindrance(check: Guardian, repo: Repo):
    """A check runs beside another git that holds the index."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    repo.write(".git/index.lock", "")
    assert check(repo).code == 1


def test_ignored_files_are_not_looked_for(check: Guardian, repo: Repo):
    """What git ignores is no service, unless guardian.yaml names it."""
    repo.git("checkout", "--quiet", "main")
    repo.remove("guardian.yaml")
    repo.write(".gitignore", "build/\n")
    repo.commit()
    repo.write("build/users.yaml", USERS_RENAMED)
    assert check(repo, "--base", "main").services == set()
    repo.write("guardian.yaml", CONFIG.replace("specs/", "build/"))
    outcome = check(repo, "--base", "main")
    assert outcome.code == 0
    assert outcome.rules == ["operation-added"]


# --- what cannot be read ------------------------------------------------------------------------------------------

NO_YAML = USERS.replace("      required: [id, email]", "      required: [id, email")
DOUBLE = USERS.replace("        nickname: {type: string}", "        email: {type: integer}")
NOWHERE = USERS.replace("schemas/User}", "schemas/Usr}").replace('User"}', 'Usr"}')
NO_OPENAPI = USERS.replace("openapi: 3.0.3", "openapi: 9.9.9")
NO_MAP = USERS.replace("      responses:\n", "      responses: 7\n      x-was:\n")

UNREADABLE = [
    pytest.param(NO_YAML, 19, id="no YAML"),
    pytest.param(DOUBLE, 22, id="a key twice"),
    pytest.param(NOWHERE, 13, id="a reference that leads nowhere"),
    pytest.param(NO_OPENAPI, 1, id="an unknown version"),
    pytest.param(NO_MAP, 8, id="no map where one must be"),
    pytest.param("", None, id="empty"),
    pytest.param("just text\n", None, id="no document"),
]


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(("text", "line"), UNREADABLE)
def test_unreadable_head(check: Guardian, repo: Repo, text: str, line: int | None, named: bool):
    """A specification that cannot be read ends with 3, with its file and line, and without a report."""
    repo.write("specs/users.yaml", text)
    sides = ["--base", "main:specs/users.yaml", "--head", "specs/users.yaml"] if named else []
    outcome = check(repo, *sides, "--report", "json=report.json")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith(f"error: specs/users.yaml:{line}:" if line else "error: specs/users.yaml: "), (
        outcome.err
    )
    assert "main" not in outcome.err
    assert not (repo.folder / "report.json").exists()


@pytest.mark.parametrize(("text", "line"), UNREADABLE)
def test_unreadable_base(check: Guardian, repo: Repo, text: str, line: int | None):
    """So does one that cannot be read at base, and the error says that base is meant."""
    repo.git("checkout", "--quiet", "main")
    repo.write("specs/users.yaml", text)
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    # A line more, so that the lines of both sides differ.
    repo.write("specs/users.yaml", "# repaired\n" + USERS)
    outcome = check(repo)
    assert (outcome.code, outcome.out) == (3, "")
    first, *hint = outcome.err.splitlines()
    assert first.startswith(f"error: specs/users.yaml:{line}:" if line else "error: specs/users.yaml: "), outcome.err
    assert first.endswith("(in main)")
    assert hint


def test_unreadable_on_both_sides(check: Guardian, repo: Repo):
    """What both sides have is told of head, which is at hand; the lines are head's."""
    repo.git("checkout", "--quiet", "main")
    repo.write("specs/users.yaml", NOWHERE)
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("specs/users.yaml", "# a line more\n" + NOWHERE.replace("nickname", "handle"))
    outcome = check(repo)
    assert outcome.code == 3
    assert outcome.err.startswith("error: specs/users.yaml:14:")


def test_unreadable_file_that_is_referred_to(check: Guardian, repo: Repo):
    """An error in a file that a ``$ref`` leads to is told with that file and its line."""
    repo.git("checkout", "--quiet", "main")
    repo.replace("specs/users.yaml", '"#/components/schemas/User"', "'user.yaml#/User'")
    repo.write("specs/user.yaml", "User:\n  type: object\n")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("specs/user.yaml", "User:\n  type: object\n  required: [\n")
    outcome = check(repo)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: specs/user.yaml:")
    repo.remove("specs/user.yaml")
    outcome = check(repo)
    assert outcome.code == 3
    assert outcome.err.startswith("error: specs/users.yaml:13:")
    assert "there is no specs/user.yaml" in outcome.err


@pytest.mark.parametrize("text", [b"", b"root:x:0:0\n", b"openapi: 3.1.0\npaths: {", b"asyncapi: 3.0.0\n"])
def test_a_file_that_is_no_specification_is_no_pass_though_nothing_changed(
    check: Guardian, folder: Folder, text: bytes
):
    """A wrong name in a pipeline would else pass for as long as nobody edits that file."""
    folder.write("a.yaml", text)
    folder.write("b.yaml", text)
    for head in ("a.yaml", "b.yaml"):
        outcome = check(folder, "--base", "a.yaml", "--head", head)
        assert (outcome.code, outcome.out) == (3, "")
        assert outcome.err.startswith("error: ")


def test_a_configured_file_that_is_no_specification_is_no_pass(check: Guardian, repo: Repo):
    """Be it the same on both sides."""
    repo.git("checkout", "--quiet", "main")
    repo.write("specs/wrong.yaml", "nothing: here\n")
    repo.write("guardian.yaml", CONFIG.replace("services:", "services:\n  wrong: {spec: specs/wrong.yaml}"))
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    outcome = check(repo)
    assert outcome.code == 3
    assert "specs/wrong.yaml" in outcome.err


def test_untouched_services_need_not_be_readable(check: Guardian, repo: Repo):
    """A service that is the same on both sides is not read at all, so one broken file does not stop all other teams."""
    repo.git("checkout", "--quiet", "main")
    repo.write("specs/broken.yaml", NO_YAML)
    repo.write("guardian.yaml", CONFIG.replace("services:", "services:\n  broken: {spec: specs/broken.yaml}"))
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("specs/users.yaml", USERS_RENAMED)
    assert check(repo).code == 1


# --- manifests and configuration ----------------------------------------------------------------------------------


def test_unreadable_manifest(check: Guardian, repo: Repo):
    """A manifest that cannot be read ends with 3, with its line."""
    repo.replace("consumers/billing.yaml", "reads:", "raeds:")
    outcome = check(repo)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: consumers/billing.yaml:6:")
    assert "reads" in outcome.err


def test_manifest_that_was_unreadable(check: Guardian, repo: Repo):
    """A manifest that cannot be read at base alone does not hold up its repair: head's word counts for both."""
    repo.git("checkout", "--quiet", "main")
    repo.replace("consumers/billing.yaml", "reads:", "raeds:")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("consumers/billing.yaml", BILLING)
    repo.write("specs/users.yaml", USERS_RENAMED)
    outcome = check(repo)
    assert [hit["consumer"] for hit in outcome.only("property-removed")["consumers"]] == ["billing"]
    assert any("consumers/billing.yaml" in note["message"] + str(note["file"]) for note in outcome.report["notes"])


def test_configuration_that_was_unreadable(check: Guardian, repo: Repo):
    """Nor does a guardian.yaml that cannot be read at base hold up its repair; the report says what that means."""
    repo.git("checkout", "--quiet", "main")
    repo.write("guardian.yaml", "servces: {}\n")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("guardian.yaml", CONFIG)
    outcome = check(repo)
    assert outcome.code == 0
    (note,) = [note for note in outcome.report["notes"] if note["level"] == "warning"]
    assert note["file"] == "guardian.yaml at main"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("servces: {}\n", "guardian.yaml:1:1: unknown key `servces`"),
        ("services:\n  users: {spec: a.yaml\n", "guardian.yaml:"),
        ("services:\n  users: {}\n", "lacks the key `spec`"),
        ("mode: all\n", "contract, consumers or both"),
        ("severity: {property-remove: info}\n", "property-removed"),
        ("fail_on: never\n", "breaking, warning or none"),
    ],
)
def test_wrong_configuration(check: Guardian, repo: Repo, text: str, said: str):
    """A mistake in guardian.yaml is wrong configuration, with its line and the likely word."""
    repo.write("guardian.yaml", text)
    outcome = check(repo)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err


def test_missing_configuration(check: Guardian, repo: Repo):
    """A configuration or exceptions file that is named and not there is wrong usage."""
    for flag in ("--config", "--exceptions"):
        outcome = check(repo, flag, "nowhere.yaml")
        assert (outcome.code, outcome.out) == (2, "")
        assert "nowhere.yaml" in outcome.err


def test_a_fault(check: Guardian, repo: Repo, monkeypatch: pytest.MonkeyPatch):
    """A fault in guardian ends with 4: never with the code of findings, and never with a pass."""

    def faulty(*args: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(sys.modules["guardian.check.run"], "compare_all", faulty)
    outcome = check(repo)
    assert (outcome.code, outcome.out) == (4, "")
    assert "fault in guardian" in outcome.err


# --- the same each time -------------------------------------------------------------------------------------------


def test_same_bytes_from_run_to_run(repo: Repo):
    """Two runs of one check, in processes with different hash seeds, write the same bytes in every format."""
    repo.write("specs/users.yaml", USERS_RENAMED.replace("nickname: {type: string}", "nickname: {type: integer}"))
    formats = ["json", "sarif", "junit", "markdown", "html", "github", "gitlab", "terminal"]
    written: list[dict[str, bytes]] = []
    root = str(Path(__file__).resolve().parents[2])
    for seed in ("1", "2"):
        flags = [f"--report={name}=out/{name}" for name in formats]
        done = subprocess.run(
            [sys.executable, "-m", "guardian", "check", "--as-of", "2026-03-02", *flags],
            cwd=repo.folder,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": root},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 1, done.stderr
        written.append({name: (repo.folder / "out" / name).read_bytes() for name in formats} | {"stdout": done.stdout})
    assert written[0] == written[1]


def test_reports_do_not_depend_on_the_place(check: Guardian, repo: Repo, tmp_path: Path):
    """A report holds no absolute path: two clones of one state have the same."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    repo.commit()
    repo.git("checkout", "--quiet", "main")
    clone = repo.clone(tmp_path / "elsewhere" / "clone", "--branch", "feature")
    repo.git("checkout", "--quiet", "feature")
    ours, theirs = check(repo), check(clone)
    assert ours.out == theirs.out.replace("origin/main", "main")
    assert str(tmp_path) not in theirs.out


def test_report_follows_its_schema(check: Guardian, guardian: Guardian, repo: Repo, folder: Folder):
    """Reports are what ``guardian schema report`` says they are."""
    import jsonschema_rs

    schema = json.loads(guardian(repo, "schema", "report").out)
    validator = jsonschema_rs.Draft202012Validator(schema)
    repo.write("specs/users.yaml", USERS_RENAMED)
    repo.write("consumers/more.yaml", BILLING.replace("billing", "more").replace("/users", "/nowhere"))
    repo.write(
        "guardian.exceptions.yaml",
        "- {rule: property-removed, service: users, reason: r, owner: o, expires: 2026-01-01}\n",
    )
    for outcome in (check(repo), check(repo, "--mode", "contract"), check(repo, "--base", "HEAD", "--head", "HEAD")):
        assert [error.message for error in validator.iter_errors(outcome.report)] == []
