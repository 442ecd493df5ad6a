"""``guardian publish``, and a check whose consumers are kept in the repository that it published to."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Guardian

MANIFEST = "# by hand\nconsumer: Web Shop\nuses: [{service: users, operation: 'GET /users/{id}', reads: [email]}]\n"
SPEC = """openapi: 3.1.0
info: {title: Users, version: '1'}
paths:
  /users/{id}:
    get:
      responses:
        '200':
          description: ok
          content: {application/json: {schema: {type: object, required: [email], properties: {email: {type: string}}}}}
"""


def git(cwd: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bare contracts repository with one commit, a consumer's folder, and git settings of their own."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GUARDIAN_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")
    work = tmp_path / "seed"
    work.mkdir()
    git(work, "init", "-q")
    (work / "README.md").write_text("contracts\n")
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    git(tmp_path, "clone", "-q", "--bare", "seed", "contracts.git")
    (tmp_path / "manifest.yaml").write_text(MANIFEST)
    return tmp_path / "contracts.git"


def test_a_manifest_is_published_as_it_is(guardian: Guardian, shared: Path, tmp_path: Path) -> None:
    """On a branch named after the consumer, with its comments; the second time there is nothing to do."""
    outcome = guardian("publish", "manifest.yaml", "--to", shared.as_uri())
    assert outcome.code == 0, outcome.err
    assert "to guardian/web-shop" in outcome.err
    assert git(shared, "show", "guardian/web-shop:consumers/web-shop.yaml") == MANIFEST.strip()
    assert "Files: manifest.yaml" in git(shared, "log", "-1", "--format=%b", "guardian/web-shop")
    again = guardian("publish", "manifest.yaml", "--to", shared.as_uri())
    assert (again.code, "has this already" in again.err) == (0, True)


def test_where_it_goes_may_be_configured(guardian: Guardian, shared: Path, tmp_path: Path) -> None:
    """The git+ entry of guardian.yaml is where others read, so it is where a manifest is published to."""
    (tmp_path / "guardian.yaml").write_text(
        f"consumers: [manifest.yaml, 'git+{shared.as_uri()}#main:consumers/*.yaml']\n"
    )
    outcome = guardian("publish", "--dry-run")
    assert outcome.code == 0, outcome.err
    assert "+consumer: Web Shop" in outcome.out
    assert git(shared, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert guardian("publish").code == 0
    assert git(shared, "rev-parse", "guardian/web-shop^") == git(shared, "rev-parse", "main")


def test_other_sources_become_manifests(guardian: Guardian, shared: Path, tmp_path: Path) -> None:
    """A pact is published as the manifest that it amounts to."""
    pact = {
        "consumer": {"name": "app"},
        "provider": {"name": "users"},
        "interactions": [
            {"request": {"method": "GET", "path": "/users/1"}, "response": {"status": 200, "body": {"id": 1}}}
        ],
    }
    (tmp_path / "pact.json").write_text(json.dumps(pact))
    assert guardian("publish", "pact.json", "--to", shared.as_uri()).code == 0
    assert "reads: [id]" in git(shared, "show", "guardian/app:consumers/app.yaml")


def test_wrong_usage_is_told(guardian: Guardian, shared: Path, tmp_path: Path) -> None:
    """Without a place to go or something to send, and onto the branch that others read."""
    assert guardian("publish", "manifest.yaml").code == 2
    assert guardian("publish", "--to", shared.as_uri()).code == 2
    assert guardian("publish", "manifest.yaml", "--to", f"{shared.as_uri()}#nope").code == 2
    assert guardian("publish", "manifest.yaml", "--to", shared.as_uri(), "--branch", "main").code == 2
    assert guardian("publish", "manifest.yaml", "--to", (tmp_path / "none.git").as_uri()).code == 3
    assert guardian("publish", "missing.yaml", "--to", shared.as_uri()).code == 3


def test_a_check_reads_what_was_published(guardian: Guardian, shared: Path, tmp_path: Path) -> None:
    """From publishing to the gate of the provider: the reader in the shared repository breaks, also offline."""
    assert guardian("publish", "manifest.yaml", "--to", shared.as_uri()).code == 0
    (tmp_path / "base.yaml").write_text(SPEC)
    (tmp_path / "head.yaml").write_text(SPEC.replace("email", "mail"))
    args = (
        "check", "--base", "base.yaml", "--head", "head.yaml", "--service", "users", "--format", "json",
        "--consumers", f"git+{shared.as_uri()}#guardian/web-shop:consumers/*.yaml", "--no-fixes",
    )  # fmt: skip
    outcome = guardian(*args)
    assert outcome.code == 1, outcome.err
    report = json.loads(outcome.out)
    assert report["summary"]["consumers_broken"] == ["Web Shop"]
    places = {each["manifest"]["file"] for change in report["changes"] for each in change["consumers"]}
    (place,) = places
    assert place.endswith("contracts.git@guardian/web-shop:consumers/web-shop.yaml")
    assert all(each["manifest"]["line"] == 3 for change in report["changes"] for each in change["consumers"])
    shared.rename(tmp_path / "gone.git")
    offline = json.loads(guardian(*args).out)
    assert offline["summary"]["consumers_broken"] == ["Web Shop"]
    assert any("copy in the cache" in note["message"] for note in offline["notes"])


def test_nobody_has_to_be_known_to_git(
    guardian: Guardian, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build runner has no identity: the commit is guardian's then, which is said; who is known stays the author."""
    for name in [each for each in os.environ if each.startswith(("GIT_AUTHOR", "GIT_COMMITTER")) or each == "EMAIL"]:
        monkeypatch.delenv(name)
    (tmp_path / "gitconfig").write_text("[user]\nuseConfigOnly = true\n")
    outcome = guardian("publish", "manifest.yaml", "--to", shared.as_uri())
    assert outcome.code == 0, outcome.err
    assert "git knows nobody here, so guardian <guardian@noreply.invalid> has made the commit" in outcome.err
    told = ("log", "-1", "--format=%an <%ae> %cn <%ce>", "guardian/web-shop")
    assert git(shared, *told) == " ".join(["guardian <guardian@noreply.invalid>"] * 2)
    (tmp_path / "gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    (tmp_path / "manifest.yaml").write_text(MANIFEST + "owner: web\n")
    outcome = guardian("publish", "manifest.yaml", "--to", shared.as_uri())
    assert "git knows nobody" not in outcome.err
    assert git(shared, *told) == "Ada <ada@example.org> Ada <ada@example.org>"


def test_two_consumers_of_one_file(guardian: Guardian, shared: Path, tmp_path: Path) -> None:
    """Names that make the same file are refused, at once or one after the other: neither team's manifest is lost."""
    other = tmp_path / "other.yaml"
    other.write_text(MANIFEST.replace("Web Shop", "web-shop"))
    both = guardian("publish", "manifest.yaml", "other.yaml", "--to", shared.as_uri())
    assert both.code == 2
    assert "the manifests of 'Web Shop' and 'web-shop' would both be consumers/web-shop.yaml" in both.err
    assert guardian("publish", "manifest.yaml", "--to", shared.as_uri()).code == 0
    later = guardian("publish", "other.yaml", "--to", shared.as_uri())
    assert later.code == 2
    assert "is the manifest of 'Web Shop', not of 'web-shop'" in later.err
    assert git(shared, "show", "guardian/web-shop:consumers/web-shop.yaml") == MANIFEST.strip()
