"""guardian.yaml as base has it: no change of it undeclares a service or who reads it."""

from __future__ import annotations

import pytest

from tests.check.conftest import Guardian
from tests.check.repo import CONFIG, USERS, USERS_RENAMED, Outcome, Repo


def messages(outcome: Outcome) -> str:
    return "\n".join(f"{note['file']}: {note['message']}" for note in outcome.report["notes"])


def broken(outcome: Outcome) -> list[str]:
    return list(outcome.report["summary"]["consumers_broken"])


OPTIONAL = USERS.replace("[id, email]", "[id]")
"""With an optional email: nobody but its readers can say whether that it goes hurts."""


@pytest.fixture
def optional(repo: Repo) -> Repo:
    """A change that takes away what billing alone reads, which fails for no other reason than billing."""
    repo.git("checkout", "--quiet", "main")
    repo.write("specs/users.yaml", OPTIONAL)
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("specs/users.yaml", OPTIONAL.replace("        email: {type: string}\n", ""))
    return repo


def test_consumers_that_guardian_yaml_names_no_longer(check: Guardian, optional: Repo):
    """They are deployed all the same, and that is said."""
    optional.replace("guardian.yaml", "consumers: [consumers/*.yaml]\n", "")
    outcome = check(optional)
    assert (outcome.code, broken(outcome)) == (1, ["billing"])
    assert "guardian.yaml: `consumers` names consumers/*.yaml no longer" in messages(outcome)


def test_consumers_by_another_name(check: Guardian, optional: Repo):
    """The same manifests by another glob are no news."""
    optional.replace("guardian.yaml", "consumers/*.yaml", "consumers")
    outcome = check(optional)
    assert (outcome.code, broken(outcome)) == (1, ["billing"])
    assert "no longer" not in messages(outcome)


def test_consumers_of_a_flag(check: Guardian, optional: Repo):
    """Whoever names the consumers means these."""
    optional.replace("guardian.yaml", "consumers: [consumers/*.yaml]\n", "")
    outcome = check(optional, "--consumers", "consumers/search.yaml")
    assert (outcome.code, broken(outcome)) == (0, [])


@pytest.mark.parametrize("with_it", [(), ("consumers/billing.yaml",), ("consumers/billing.yaml", "specs/users.yaml")])
def test_deleted_guardian_yaml(check: Guardian, optional: Repo, with_it: tuple[str, ...]):
    """Its services keep their names and their readers, whatever else is deleted with it."""
    for each in ("guardian.yaml", *with_it):
        optional.remove(each)
    outcome = check(optional)
    assert (outcome.code, outcome.services) == (1, {"users"})
    assert "billing" in broken(outcome)
    assert "guardian.yaml: gone; what it names in main under `services` and `consumers` still counts" in messages(
        outcome
    )


def test_deleted_guardian_yaml_and_moved_specification(check: Guardian, repo: Repo):
    """The specification is followed: there is no entry that could be corrected."""
    repo.remove("guardian.yaml")
    (repo.folder / "api").mkdir()
    repo.git("mv", "specs/users.yaml", "api/users.yaml")
    outcome = check(repo)
    assert (outcome.code, outcome.changes) == (0, [])
    repo.write("api/users.yaml", USERS_RENAMED)
    outcome = check(repo)
    assert (outcome.code, broken(outcome)) == (1, ["billing"])


@pytest.mark.parametrize("rename", [True, False])
def test_moved_guardian_yaml(check: Guardian, optional: Repo, rename: bool):
    """What it was moved from counts as base's, be it seen by git or not, with its paths from where it was."""
    (optional.folder / "api").mkdir()
    if rename:
        optional.git("mv", "guardian.yaml", "api/guardian.yaml")
        optional.replace("api/guardian.yaml", "consumers: [consumers/*.yaml]\n", "")
        optional.replace("api/guardian.yaml", "specs/users.yaml", "../specs/users.yaml")
    else:
        optional.remove("guardian.yaml")
        optional.write("api/guardian.yaml", "version: 1\nservices:\n  users:\n    spec: ../specs/users.yaml\n")
    outcome = check(optional.folder / "api")
    assert (outcome.code, broken(outcome), outcome.services) == (1, ["billing"], {"users"})


def test_a_further_guardian_yaml(check: Guardian, repo: Repo):
    """One for a folder alone takes nothing out of the one above, which is still there."""
    repo.write("api/guardian.yaml", "version: 1\nservices: {other: {spec: other.yaml}}\n")
    repo.write("api/other.yaml", USERS)
    outcome = check(repo.folder / "api")
    assert (outcome.code, outcome.services) == (0, {"other"})


def test_no_guardian_yaml_ever(check: Guardian, repo: Repo):
    """Where base has none either, specifications are found by their content."""
    repo.never_had("guardian.yaml")
    repo.write("specs/users.yaml", USERS_RENAMED)
    outcome = check(repo)
    assert (outcome.code, outcome.services) == (1, {"specs/users"})


def test_guardian_yaml_of_single_folders(check: Guardian, repo: Repo):
    """From above they are not read, and that is said, as are the consumers that they may name."""
    repo.never_had("guardian.yaml")
    repo.write("services/a/guardian.yaml", CONFIG)
    assert "services/a/guardian.yaml is not read from here" in messages(check(repo))
    repo.write("services/b/guardian.yaml", CONFIG)
    said = messages(check(repo))
    assert "services/a/guardian.yaml, services/b/guardian.yaml are not read from here" in said
    assert "working-directory" in said


def test_missing_consumers_of_guardian_yaml(check: Guardian, repo: Repo):
    """A path that leads nowhere is told where it is written."""
    repo.replace("guardian.yaml", "[consumers/*.yaml]", "[consumers/*.yaml, nothing.yaml]")
    outcome = check(repo)
    assert outcome.code == 3
    assert outcome.err.startswith("error: guardian.yaml:4: `consumers` names nothing.yaml: no such file")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("specs", "specs is a folder"),
        ("''", "`spec` is empty"),
        ("specs/[v1].yaml", "for the file of that name write specs/[[]v1].yaml"),
    ],
)
def test_spec_that_means_no_file(check: Guardian, repo: Repo, spec: str, said: str):
    """Why a `spec` means nothing is said, where something has its name."""
    repo.write("specs/[v1].yaml", USERS)
    for name in ("users", "others"):
        repo.write("guardian.yaml", f"version: 1\nservices:\n  {name}:\n    spec: {spec}\n")
        outcome = check(repo)
        assert outcome.code == 3
        assert said in outcome.err


def test_one_guardian_yaml_becomes_one_for_each_folder(check: Guardian, repo: Repo):
    """What another one speaks for is not gone from here; what none speaks for is."""
    repo.git("checkout", "--quiet", "main")
    two = "services: {users: {spec: users/api.yaml}, orders: {spec: orders/api.yaml}}\n"
    repo.write("guardian.yaml", f"version: 1\n{two}")
    for each in ("users", "orders"):
        repo.write(f"{each}/api.yaml", USERS)
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.remove("guardian.yaml")
    for each in ("users", "orders"):
        repo.write(f"{each}/guardian.yaml", f"version: 1\nservices: {{{each}: {{spec: api.yaml}}}}\n")
    outcome = check(repo, "--config", "users/guardian.yaml")
    assert (outcome.code, outcome.report["changes"]) == (0, [])
    repo.remove("orders/guardian.yaml")
    outcome = check(repo, "--config", "users/guardian.yaml")
    assert (outcome.code, [each["service"] for each in outcome.report["changes"]]) == (1, ["orders"])


def test_a_place_that_is_dropped_as_it_is_gone(check: Guardian, repo: Repo):
    """The change that repairs guardian.yaml is not held up by what it repairs, and what was not read is said."""
    repo.git("checkout", "--quiet", "main")
    repo.replace("guardian.yaml", "[consumers/*.yaml]", "[git+file:///nowhere/at/all]")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.replace("guardian.yaml", "[git+file:///nowhere/at/all]", "[consumers/*.yaml]")
    outcome = check(repo)
    assert outcome.code == 0
    assert "guardian.yaml: not read, though main names it under `consumers`" in messages(outcome)
