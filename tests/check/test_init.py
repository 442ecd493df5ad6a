"""`guardian init`, then `guardian check`: what it writes for repositories as they are found is a configuration that works."""

from __future__ import annotations

import json
from pathlib import Path

import apply
import pytest

from tests.check.conftest import Guardian
from tests.check.repo import USERS, USERS_RENAMED, Folder, Repo

PACT = {
    "consumer": {"name": "Billing UI"},
    "provider": {"name": "users"},
    "interactions": [
        {
            "description": "one user",
            "request": {"method": "GET", "path": "/users/1"},
            "response": {"status": 200, "body": {"email": "a@example.org"}},
        }
    ],
    "metadata": {"pactSpecification": {"version": "2.0.0"}},
}

# Where a specification, and what else, is found in repositories; and what its service is called then.
LAYOUTS = [
    pytest.param("openapi.yaml", {}, "openapi", id="one document at the root"),
    pytest.param("api/users/openapi.yml", {}, "users", id="a folder for each API"),
    pytest.param("services/users/src/main/resources/openapi.yaml", {}, "users", id="a Java service"),
    pytest.param("packages/users/docs/swagger.json", {}, "users", id="a package's documentation"),
    pytest.param(
        "specs/users.v1.yaml", {"specs/orders.v1.yaml": USERS.replace("/users/", "/orders/")}, "", id="versions"
    ),
    pytest.param("a [draft]*/users.yaml", {}, "users", id="a name that looks like a glob"),
    pytest.param("on/no.yaml", {}, "no", id="names that YAML 1.1 reads otherwise"),
]


@pytest.mark.parametrize(("spec", "others", "service"), LAYOUTS)
@pytest.mark.parametrize("sub", ["", "sub"])
def test_init_then_check(
    guardian: Guardian, check: Guardian, repo: Repo, spec: str, others: dict[str, str], service: str, sub: str
):
    """What was found is checked: nothing changed passes, what breaks a reader fails and names the service."""
    repo.git("rm", "-rq", ".")
    base = json.dumps(json.loads(json.dumps(_plain(USERS)))) if spec.endswith(".json") else USERS
    head = json.dumps(_plain(USERS_RENAMED)) if spec.endswith(".json") else USERS_RENAMED
    root = Folder(repo.folder / sub)
    root.write(spec, base)
    for path, text in others.items():
        root.write(path, text)
    root.write("tests/fixtures/openapi.yaml", USERS)
    outcome = guardian(root, "init")
    assert (outcome.code, outcome.out) == (0, "")
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    same = check(root)
    assert (same.code, same.err, same.changes) == (0, "", [])
    assert same.report["summary"]["specs"] == 1 + len(others)
    root.write(spec, head)
    outcome = check(root)
    assert outcome.code == 1
    assert len(outcome.services) == 1
    if service:
        assert outcome.services == {service}


def _plain(text: str) -> object:
    from guardian.spec.text import load

    return load(text.encode(), "x.yaml")


def test_init_finds_consumers(guardian: Guardian, check: Guardian, repo: Repo):
    """Pacts and manifests are found by their content, and are consumers from then on."""
    repo.remove("guardian.yaml")
    repo.remove("consumers/search.yaml")
    repo.write("web/pacts/billing-ui-users.json", json.dumps(PACT))
    repo.write("deploy/values.yaml", "consumers: 3\n")
    assert guardian(repo, "init").code == 0
    text = (repo.folder / "guardian.yaml").read_text()
    assert '  - "consumers/*.yaml"\n  - "web/pacts/*.json"\n' in text
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("specs/users.yaml", USERS_RENAMED)
    outcome = check(repo)
    assert [hit["consumer"] for hit in outcome.only("property-removed")["consumers"]] == ["Billing UI", "billing"]


@pytest.mark.parametrize("name", ["friday-rename", "remove-optional-field", "service-retired", "safe-addition"])
def test_init_of_the_company(guardian: Guardian, check: Guardian, repo: Repo, name: str):
    """For the fixture company it writes a configuration that judges its changes as the company's own does."""
    apply.make_repository(name, repo.folder / "company")
    company = Folder(repo.folder / "company")
    apply.git(company.folder, "checkout", "--quiet", "main")
    company.remove("guardian.yaml")
    assert guardian(company, "init").code == 0
    apply.git(company.folder, "commit", "--quiet", "--all", "--message", "init")
    apply.git(company.folder, "checkout", "--quiet", name)
    company.write("guardian.yaml", apply.git(company.folder, "show", "main:guardian.yaml"))
    outcome = check(company, "--base", f"{name}~1", "--as-of", "2026-03-06")
    expected = apply.load_change(name).expect
    hits = {
        hit["consumer"]: hit["hops"]
        for change in outcome.changes
        for hit in change["consumers"]
        if hit["impact"] == "broken"
    }
    assert outcome.code == expected.exit_code
    assert set(hits) == set(expected.broken)


def test_init_in_an_empty_repository(guardian: Guardian, check: Guardian, repo: Repo):
    """Where there is nothing the configuration says so, and a check is wrong usage rather than a pass."""
    repo.git("rm", "-rq", ".")
    repo.write("README.md", "nothing\n")
    assert guardian(repo, "init").code == 0
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    outcome = check(repo)
    assert (outcome.code, outcome.out) == (2, "")
    assert "no OpenAPI document found" in outcome.err


def test_init_overwrites_nothing(guardian: Guardian, repo: Repo):
    """A guardian.yaml that is there stays, unless it is said otherwise."""
    before = (repo.folder / "guardian.yaml").read_text()
    outcome = guardian(repo, "init")
    assert outcome.code == 2
    assert (repo.folder / "guardian.yaml").read_text() == before
    assert guardian(repo, "init", "--dry-run").out.startswith("# What guardian checks here.")
    assert (repo.folder / "guardian.yaml").read_text() == before
    assert guardian(repo, "init", "--force").code == 0
    assert (repo.folder / "guardian.yaml").read_text() != before


def test_a_repository_without_documents(guardian: Guardian, tmp_path: Path):
    """Where no document is found, init and the check after it say where to name one; neither sends to the other."""
    repo = Repo(tmp_path / "empty")
    repo.write("README.md", "nothing\n")
    repo.commit()
    first = guardian(repo, "init")
    assert (first.code, "name your OpenAPI documents under `services` there" in first.err) == (0, True)
    outcome = guardian(repo, "check")
    assert outcome.code == 2
    assert "under `services` in guardian.yaml" in outcome.err and "guardian init" not in outcome.err
    again = guardian(repo, "init")
    assert (again.code, "it is yours to edit" in again.err) == (2, True)
