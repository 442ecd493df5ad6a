"""Many services in one repository: what is looked into, how they are paired, and that several processes change nothing."""

from __future__ import annotations

import pytest

from guardian.check import compare
from tests.check.conftest import Guardian
from tests.check.repo import USERS, USERS_RENAMED, Repo

COUNT = 30


def name(number: int) -> str:
    return f"service-{number:02}"


def spec(number: int, text: str = USERS) -> str:
    """A service's specification, unlike all others."""
    return text.replace("title: Users", f"title: Service {number}").replace("/users/", f"/things-{number}/")


@pytest.fixture
def many(repo: Repo) -> Repo:
    """A repository of many services, each read by a consumer of its own."""
    repo.git("checkout", "--quiet", "main")
    services = [f"  {name(each)}: {{spec: services/{each}/openapi.yaml}}\n" for each in range(COUNT)]
    repo.write("guardian.yaml", f"services:\n{''.join(services)}consumers: [consumers/*.yaml]\n")
    for each in range(COUNT):
        repo.write(f"services/{each}/openapi.yaml", spec(each))
        uses = f"uses: [{{service: {name(each)}, operation: 'GET /things-{each}/{{id}}', reads: [email]}}]\n"
        repo.write(f"consumers/reader-{each}.yaml", f"consumer: reader-{each}\n{uses}")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    return repo


def test_only_what_changed_is_looked_into(check: Guardian, many: Repo):
    """Of all services those that changed are compared; the others need not even be readable."""
    many.git("checkout", "--quiet", "main")
    many.write("services/7/openapi.yaml", "openapi: 3.0.0\npaths: [\n")
    many.commit()
    many.git("checkout", "--quiet", "-B", "feature")
    many.write("services/3/openapi.yaml", spec(3, USERS_RENAMED))
    outcome = check(many)
    assert outcome.code == 1
    assert outcome.services == {name(3)}
    summary = outcome.report["summary"]
    assert (summary["specs"], summary["consumers"], summary["consumers_broken"]) == (COUNT, COUNT + 2, ["reader-3"])


def test_new_deleted_renamed_and_moved(check: Guardian, many: Repo):
    """One report holds what became of each: changed, renamed, moved, gone with its entry, and new."""
    many.write("services/1/openapi.yaml", spec(1, USERS_RENAMED))
    many.git("mv", "services/2/openapi.yaml", "services/2/api.yaml")
    many.git("mv", "services/4", "services/four")
    many.git("rm", "--quiet", "services/5/openapi.yaml")
    many.write("services/fresh/openapi.yaml", spec(99))
    many.replace("guardian.yaml", "services/2/openapi.yaml", "services/2/api.yaml")
    many.replace("guardian.yaml", "services/4/", "services/four/")
    many.replace(
        "guardian.yaml",
        f"  {name(5)}: {{spec: services/5/openapi.yaml}}\n",
        "  fresh: {spec: services/fresh/openapi.yaml}\n",
    )
    many.replace("services/four/openapi.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    outcome = check(many)
    assert outcome.code == 1
    found = {(each["service"], each["rule"]) for each in outcome.changes if each["severity"] != "info"}
    assert found - {(name(each), "version-not-bumped") for each in (1, 4)} == {
        (name(1), "property-removed"),
        (name(4), "type-changed"),
        (name(5), "operation-removed"),
    }
    notes = sorted(note["message"] for note in outcome.report["notes"])
    assert [note for note in notes if "is no service" not in note] == [
        "fresh is a new service, so nothing of it can break",
        f"{name(2)} moved here from services/2/openapi.yaml",
        f"{name(4)} moved here from services/4/openapi.yaml",
        f"{name(5)} is gone: its specification was deleted",
    ]
    assert outcome.report["summary"]["specs"] == COUNT + 1
    assert outcome.report["summary"]["consumers_broken"] == ["reader-1", "reader-5"]


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many services each start of processes was for; even the smallest are worth it here."""
    started: list[int] = []
    original = compare._in_processes

    def counted(pending, *rest):  # type: ignore[no-untyped-def]
        started.append(len(pending))
        return original(pending, *rest)

    monkeypatch.setattr(compare, "_in_processes", counted)
    monkeypatch.setattr(compare, "WORTH_A_PROCESS", 0)
    return started


def test_processes_change_nothing(check: Guardian, many: Repo, processes: list[int]):
    """Several processes read git and the work tree for themselves, and report the same bytes."""
    for each in range(COUNT):
        text = USERS_RENAMED if each % 3 else USERS.replace("nickname: {type: string}", "nickname: {type: integer}")
        many.write(f"services/{each}/openapi.yaml", spec(each, text))
    alone = check(many, "--jobs", "1")
    assert processes == []
    together = check(many, "--jobs", "2")
    assert processes == [COUNT]
    assert alone.out == together.out
    assert alone.code == together.code == 1
    assert len(alone.services) == COUNT
    many.commit()
    assert check(many, "--base", "main:services", "--head", "HEAD:services", "--jobs", "2").code == 1
    assert processes == [COUNT, COUNT]


@pytest.mark.parametrize(
    ("number", "text", "said"),
    [
        (20, "openapi: 3.0.3\npaths: [\n", "services/20/openapi.yaml:3:1: not valid YAML"),
        (20, spec(20).replace("schemas/User", "schemas/Usr"), "services/20/openapi.yaml:13:"),
    ],
    ids=["no YAML", "a reference that leads nowhere"],
)
def test_errors_of_processes(check: Guardian, many: Repo, processes: list[int], number: int, text: str, said: str):
    """What one process cannot read is the same error, with the same line and code, as without processes."""
    for each in range(COUNT):
        many.write(f"services/{each}/openapi.yaml", spec(each, USERS_RENAMED))
    many.write(f"services/{number}/openapi.yaml", text)
    many.write("services/25/openapi.yaml", "openapi: 3.0.3\npaths: [\n")
    alone, together = check(many, "--jobs", "1"), check(many, "--jobs", "2")
    assert processes == [COUNT]
    assert alone == together
    assert (together.code, together.out) == (3, "")
    assert said in together.err


def test_two_directories_of_many(check: Guardian, many: Repo, processes: list[int]):
    """Without git and without configuration the same services are found in two folders."""
    for each in range(COUNT):
        many.write(f"was/{each}/openapi.yaml", spec(each))
        many.write(f"now/{each}/openapi.yaml", spec(each, USERS_RENAMED))
    outcome = check(many, "--base", "was", "--head", "now", "--jobs", "2")
    assert len(outcome.services) == COUNT
    assert processes == [COUNT]
