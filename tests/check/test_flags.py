"""What the flags of a check do, end to end: consumers, modes, bars, reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.check.conftest import Guardian
from tests.check.repo import BILLING, CONFIG, SEARCH, USERS, USERS_RENAMED, Folder, Repo

FORMATS = ("terminal", "json", "sarif", "junit", "markdown", "html", "github", "gitlab")


@pytest.fixture
def broken(repo: Repo) -> Repo:
    """A change that breaks billing and not search."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    return repo


# --- what fails ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "readers", "counts_as"),
    [
        ("contract", "both", "breaking"),
        ("contract", "search", "breaking"),
        ("contract", "none", "breaking"),
        ("consumers", "both", "breaking"),
        ("consumers", "search", "info"),
        ("consumers", "silent", "warning"),
        ("consumers", "none", "info"),
        ("both", "both", "breaking"),
        ("both", "search", "warning"),
        ("both", "silent", "warning"),
        ("both", "none", "breaking"),
    ],
)
def test_modes(check: Guardian, broken: Repo, mode: str, readers: str, counts_as: str):
    """A breaking change counts by mode and readers: broken ones, ones that do not mind, ones that do not say, none."""
    if readers != "both":
        broken.remove("consumers/billing.yaml")
    if readers == "none":
        broken.remove("consumers/search.yaml")
    if readers == "silent":
        broken.write("consumers/search.yaml", SEARCH.replace("    reads: [id]\n", ""))
    broken.git("checkout", "--quiet", "-B", "main", "main")  # the manifests of base count as deployed, so they go too
    broken.git("add", "consumers")
    broken.git("commit", "--quiet", "--allow-empty", "-m", "consumers")
    outcome = check(broken, "--mode", mode)
    change = outcome.only("property-removed")
    assert (change["severity"], change["counts_as"]) == ("breaking", counts_as)
    assert outcome.code == (1 if counts_as == "breaking" else 0)


@pytest.mark.parametrize(
    ("worst", "fail_on", "advisory", "code", "verdict"),
    [
        ("breaking", "breaking", False, 1, "fail"),
        ("breaking", "warning", False, 1, "fail"),
        ("breaking", "none", False, 0, "warn"),
        ("breaking", "breaking", True, 0, "fail"),
        ("warning", "breaking", False, 0, "warn"),
        ("warning", "warning", False, 1, "fail"),
        ("warning", "none", False, 0, "warn"),
        ("info", "warning", False, 0, "pass"),
        ("info", "none", False, 0, "pass"),
    ],
)
def test_what_fails(check: Guardian, broken: Repo, worst: str, fail_on: str, advisory: bool, code: int, verdict: str):
    """``--fail-on`` sets the bar; ``--advisory`` fails nothing, and leaves the verdict as it is."""
    broken.write("guardian.yaml", CONFIG + f"severity: {{property-removed: {worst}, version-not-bumped: off}}\n")
    outcome = check(broken, "--fail-on", fail_on, *(("--advisory",) if advisory else ()))
    assert (outcome.code, outcome.report["verdict"]) == (code, verdict)


@pytest.mark.parametrize(
    ("severity", "rules"),
    [
        ("property-removed: off", ["property-added"]),
        ("property-removed@response: off", ["property-added"]),
        ("property-removed@request: off", ["property-added", "property-removed"]),
        ("response-required-property-removed: off", ["property-added"]),
        ("request-property-removed: off", ["property-added", "property-removed"]),
    ],
)
def test_rules_that_are_off(check: Guardian, broken: Repo, severity: str, rules: list[str]):
    """A rule that is off, in one direction or by oasdiff's name for the very change, is not in the report at all."""
    broken.write("guardian.yaml", CONFIG + f"severity: {{{severity}}}\n")
    outcome = check(broken)
    assert sorted(outcome.rules) == rules
    assert json.loads(outcome.out)["summary"]["off"] == 2 - len(rules)
    assert outcome.code == len(rules) - 1


def test_flags_go_before_the_configuration(check: Guardian, broken: Repo):
    """What a flag says goes before what guardian.yaml says of the same."""
    broken.write("guardian.yaml", CONFIG + "mode: consumers\nfail_on: none\nonly_consumers: [search]\n")
    assert check(broken).changes == []
    assert check(broken, "--consumer", "billing").code == 0
    assert check(broken, "--consumer", "billing", "--fail-on", "breaking").code == 1


# --- consumers ----------------------------------------------------------------------------------------------------


def test_one_consumer(check: Guardian, broken: Repo):
    """``--consumer`` leaves what touches these consumers, with no others named, and the exit code follows."""
    broken.write("consumers/other.yaml", BILLING.replace("billing", "other"))
    outcome = check(broken, "--consumer", "billing")
    assert outcome.code == 1
    assert [hit["consumer"] for hit in outcome.only("property-removed")["consumers"]] == ["billing"]
    outcome = check(broken, "--consumer", "search")
    assert (outcome.code, outcome.changes) == (0, [])
    assert json.loads(outcome.out)["summary"]["untouched"] > 0
    outcome = check(broken, "--consumer", "billing", "--consumer", "other")
    assert [hit["consumer"] for hit in outcome.only("property-removed")["consumers"]] == ["billing", "other"]


def test_a_consumer_that_there_is_not(check: Guardian, broken: Repo):
    """A consumer that nobody declares is wrong usage, not a clean report."""
    outcome = check(broken, "--consumer", "biling")
    assert (outcome.code, outcome.out) == (2, "")
    assert "did you mean billing?" in outcome.err


def test_consumers_of_base_are_deployed(check: Guardian, broken: Repo):
    """A manifest that is deleted with the change does not take its consumer out of production."""
    broken.remove("consumers/billing.yaml")
    outcome = check(broken)
    assert outcome.code == 1
    (hit,) = outcome.only("property-removed")["consumers"]
    assert (hit["consumer"], hit["impact"]) == ("billing", "broken")
    assert hit["manifest"] == {"file": "consumers/billing.yaml", "line": 6}


def test_consumers_that_move_with_the_change(check: Guardian, broken: Repo):
    """A consumer whose manifest moves with the change is not broken; the order of deployment is noted."""
    broken.replace("consumers/billing.yaml", "email", "mail")
    outcome = check(broken)
    assert outcome.code == 0
    assert outcome.only("property-removed")["consumers"] == []
    (note,) = [note["message"] for note in outcome.report["notes"]]
    assert "billing moves from email to mail" in note


def test_a_new_consumer(check: Guardian, broken: Repo):
    """A consumer that is declared by the change itself, and reads what the change takes away, is broken."""
    broken.write("consumers/fresh.yaml", BILLING.replace("billing", "fresh"))
    assert [hit["consumer"] for hit in check(broken).only("property-removed")["consumers"]] == ["billing", "fresh"]


@pytest.mark.parametrize("form", ["folder", "file", "glob", "relative"])
def test_consumers_elsewhere(check: Guardian, broken: Repo, tmp_path: Path, form: str):
    """Manifests need not lie in the repository: a folder, a file or a glob anywhere will do, instead of guardian.yaml's."""
    shelf = Folder(tmp_path / "shelf")
    shelf.write("team/mobile.yaml", BILLING.replace("billing", "mobile"))
    where = {
        "folder": str(shelf.folder),
        "file": str(shelf.folder / "team/mobile.yaml"),
        "glob": str(shelf.folder / "**/*.yaml"),
        "relative": "../shelf/team/*.yaml",
    }[form]
    (hit,) = check(broken, "--consumers", where).only("property-removed")["consumers"]
    assert (hit["consumer"], hit["manifest"]["file"]) == ("mobile", "../shelf/team/mobile.yaml")
    (hit,) = check(broken.folder / "specs", "--consumers", where.replace("../shelf", "../../shelf")).only(
        "property-removed"
    )["consumers"]
    assert hit["manifest"]["file"] == "../../shelf/team/mobile.yaml"


def test_an_operation_nobody_has(check: Guardian, repo: Repo):
    """A manifest that the change brings, or whose service it touches, is told what its provider does not have."""
    repo.git("checkout", "--quiet", "main")
    repo.write("consumers/wrong.yaml", BILLING.replace("billing", "wrong").replace("GET /users/{id}", "GET /user/{id}"))
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    assert check(repo).changes == []  # not this change's doing
    repo.write("specs/users.yaml", USERS.replace("one user", "a user"))
    found = check(repo).only("consumer-operation-unknown")
    assert (found["counts_as"], found["head"]["file"], found["head"]["line"]) == ("warning", "consumers/wrong.yaml", 4)
    assert "the nearest is GET /users/{id}" in found["message"]
    repo.write("specs/users.yaml", USERS)
    repo.write("consumers/late.yaml", BILLING.replace("billing", "late").replace("GET /users/{id}", "GET /user/{id}"))
    assert len(check(repo).changes) == 2
    repo.write("guardian.yaml", CONFIG + "severity: {consumer-operation-unknown: breaking}\n")
    for mode in ("contract", "consumers", "both"):
        assert check(repo, "--mode", mode).code == 1


# --- reports ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_standard_output_is_the_report(guardian: Guardian, broken: Repo, format: str):
    """Standard output holds the report and nothing else, whatever the format; nothing is said beside it."""
    outcome = guardian(broken, "check", "--format", format, "--as-of", "2026-03-02", "--report", f"{format}=out/report")
    assert (outcome.code, outcome.err) == (1, "")
    assert (broken.folder / "out/report").read_text() == outcome.out
    assert outcome.out.endswith("\n")
    if format in ("json", "sarif", "gitlab"):
        json.loads(outcome.out)


def test_all_reports_of_one_run(guardian: Guardian, broken: Repo):
    """One run writes as many reports as are asked for, those of guardian.yaml if no flag asks for any."""
    flags = [f"--report={format}=out/{format}" for format in FORMATS]
    assert guardian(broken, "check", "--quiet", *flags).code == 1
    assert sorted(path.name for path in (broken.folder / "out").iterdir()) == sorted(FORMATS)
    assert all("email" in (broken.folder / "out" / format).read_text() for format in FORMATS)
    broken.write("guardian.yaml", CONFIG + "reports: {json: out/configured.json}\nformat: markdown\n")
    outcome = guardian(broken.folder / "specs", "check")
    assert outcome.out.startswith("## ")
    assert json.loads((broken.folder / "out/configured.json").read_text())["verdict"] == "fail"


def test_reports_are_no_input(check: Guardian, broken: Repo):
    """A report that lies in the repository is taken neither for a specification nor for a manifest."""
    broken.remove("guardian.yaml")
    first = check(broken, "--report", "json=consumers/report.json", "--consumers", "consumers/*.yaml")
    assert check(broken, "--consumers", "consumers/*.yaml").out == first.out


def test_changelog(guardian: Guardian, broken: Repo):
    """``guardian changelog`` says the same of the same change, harmless ones included, and fails nothing."""
    outcome = guardian(broken, "changelog", "--format", "json")
    assert outcome.code == 0
    assert {"property-removed", "property-added"} < set(outcome.rules) | {""}
    text = guardian(broken, "changelog").out
    assert "mail" in text


def test_lines_of_json_and_split_files(check: Guardian, folder: Folder):
    """Lines and columns are right in JSON as in YAML, whatever its layout."""
    spec = {
        "openapi": "3.0.3",
        "info": {"title": "J", "version": "1"},
        "paths": {
            "/j": {
                "get": {
                    "responses": {
                        "200": {
                            "description": "",
                            "content": {
                                "application/json": {
                                    "schema": {
                                        "type": "object",
                                        "required": ["a"],
                                        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                                    }
                                }
                            },
                        }
                    }
                }
            }
        },
    }
    folder.write("was.json", json.dumps(spec, indent=2))
    schema = spec["paths"]["/j"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]  # type: ignore[index]
    del schema["properties"]["a"]
    schema["required"] = []
    folder.write("now.json", json.dumps(spec))
    change = check(folder, "--base", "was.json", "--head", "now.json").only("property-removed")
    lines = (folder.folder / "was.json").read_text().splitlines()
    assert lines[change["base"]["line"] - 1].strip() == '"a": {'
    assert lines[change["base"]["line"] - 1][change["base"]["column"] - 1 :] == '"a": {'
    text = (folder.folder / "now.json").read_text()
    assert change["head"]["line"] == 1
    assert text[change["head"]["column"] - 1 :].startswith('"properties"')
