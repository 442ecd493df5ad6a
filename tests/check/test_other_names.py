"""Services under several names: consumers who know one by another name than head's are its readers all the same."""

from __future__ import annotations

import json

import pytest

from tests.check.conftest import Guardian
from tests.check.repo import BILLING, CONFIG, USERS, USERS_RENAMED, Outcome, Repo

MODE = ("--mode", "consumers")
GLOB = "services:\n  users: {spec: 'specs/*.yaml', owner: team-identity}\nconsumers: [consumers/*.yaml]\n"
MORE = USERS.replace("/users/{id}", "/people/{id}").replace("title: Users", "title: People")


def said(outcome: Outcome, level: str = "warning") -> list[str]:
    """The notes of a level."""
    return [note["message"] for note in outcome.report["notes"] if note["level"] == level]


def broken(outcome: Outcome) -> list[str]:
    """Who breaks."""
    return list(outcome.report["summary"]["consumers_broken"])


@pytest.fixture
def family(repo: Repo) -> Repo:
    """The service of the fixture, by a glob that matches it alone."""
    repo.git("checkout", "--quiet", "main")
    repo.write("guardian.yaml", GLOB)
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    return repo


# --- globs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("second", ["", USERS.replace("email", "mail"), MORE], ids=["alone", "alike", "different"])
def test_a_second_document_takes_no_readers_away(check: Guardian, family: Repo, second: str):
    """Whoever names the entry of a glob reads what it matches, be that one document or two."""
    family.write("specs/users.yaml", USERS_RENAMED)
    if second:
        family.write("specs/v2.yaml", second)
    outcome = check(family, *MODE)
    assert (outcome.code, broken(outcome)) == (1, ["billing"])
    assert outcome.only("property-removed")["service"] == ("users/users" if second else "users")
    assert said(outcome) == []


def test_one_of_several_that_is_left_alone(check: Guardian, family: Repo):
    """Whoever names one of several documents reads it still when the others have gone, also in a later change."""
    family.write("consumers/billing.yaml", BILLING.replace("service: users", "service: users/users"))
    family.write("specs/users.yaml", USERS_RENAMED)
    outcome = check(family, *MODE)
    assert (outcome.code, broken(outcome)) == (1, ["billing"])
    assert outcome.only("property-removed")["service"] == "users"
    assert said(outcome) == []
    assert check(family, *MODE, "--service", "users/users").code == 1


def test_what_one_of_several_has_alone(check: Guardian, family: Repo, guardian: Guardian):
    """An operation or a field that one document has is that one's; what none of them has is told once."""
    family.write("specs/people.yaml", MORE)
    family.write("specs/v2.yaml", USERS.replace("nickname", "alias"))
    family.write(
        "consumers/billing.yaml",
        BILLING.replace("[id, email]", "[id, email, alias, nickname, shoe]")
        + "  - {service: users, operation: 'GET /people/{id}', reads: [id]}\n"
        + "  - {service: users, operation: GET /shoes, reads: []}\n",
    )
    told = guardian(family, "usage", "--drift").out
    assert told.count("billing reads shoe") == told.count("billing declares GET /shoes") == 1
    assert "alias" not in told
    assert "nickname" not in told
    family.git("checkout", "--quiet", "-B", "main")
    family.commit()
    family.git("checkout", "--quiet", "-B", "feature")
    family.replace("specs/v2.yaml", "alias: {type: string}", "alias: {type: integer}")
    outcome = check(family, *MODE)
    assert (outcome.code, broken(outcome)) == (1, ["billing"])
    assert outcome.only("type-changed")["service"] == "users/v2"


def test_the_operation_of_one_goes(check: Guardian, family: Repo):
    """An operation that base alone has is still that document's, and its removal breaks who names the entry."""
    family.write("specs/people.yaml", MORE)
    family.write("consumers/billing.yaml", BILLING.replace("/users/", "/people/"))
    family.git("checkout", "--quiet", "-B", "main")
    family.commit()
    family.git("checkout", "--quiet", "-B", "feature")
    family.remove("specs/people.yaml")
    outcome = check(family, *MODE)
    assert (outcome.code, broken(outcome)) == (1, ["billing"])
    assert outcome.only("operation-removed")["service"] == "users/people"


def test_who_is_really_called_so_has_the_name_alone(check: Guardian, family: Repo):
    """A service that is called as another one is called besides has its readers to itself."""
    family.write("guardian.yaml", GLOB.replace("services:\n", "services:\n  users/users: {spec: other.yaml}\n"))
    family.write("other.yaml", USERS.replace("Users", "Others"))
    family.write("consumers/billing.yaml", BILLING.replace("service: users", "service: users/users"))
    family.write("specs/users.yaml", USERS_RENAMED)
    outcome = check(family, *MODE)
    assert (outcome.code, broken(outcome)) == (0, [])


def test_a_rewritten_glob_keeps_its_services(check: Guardian, family: Repo):
    """Folder and content change at once: what is called the same on both sides is the same service."""
    family.write("specs/people.yaml", MORE)
    family.git("checkout", "--quiet", "-B", "main")
    family.commit()
    family.git("checkout", "--quiet", "-B", "feature")
    family.git("rm", "-q", "-r", "specs")
    family.replace("guardian.yaml", "specs/", "apis/")
    family.write("apis/users.yaml", '{"openapi": "3.1.0", "info": {"title": "U", "version": "2"}, "paths": {}}')
    family.write("apis/people.yaml", MORE)
    outcome = check(family, *MODE)
    assert (outcome.code, broken(outcome)) == (1, ["billing", "search"])
    assert outcome.only("operation-removed")["service"] == "users/users"
    assert outcome.report["summary"]["specs"] == 2


# --- another name on head ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moved", [False, True])
def test_readers_of_a_renamed_service(check: Guardian, repo: Repo, moved: bool):
    """Whoever names a service as base called it is its reader, and is told how it is called now."""
    repo.replace("guardian.yaml", "  users:", "  identity:")
    if moved:
        repo.git("mv", "specs/users.yaml", "specs/identity.yaml")
        repo.replace("guardian.yaml", "specs/users.yaml", "specs/identity.yaml")
    path = "specs/identity.yaml" if moved else "specs/users.yaml"
    repo.write(path, USERS_RENAMED)
    repo.write(
        "consumers/search.yaml", (repo.folder / "consumers/search.yaml").read_text().replace(": users", ": identity")
    )
    outcome = check(repo, *MODE)
    assert (outcome.code, broken(outcome)) == (1, ["billing"])
    assert outcome.only("property-removed")["service"] == "identity"
    assert said(outcome) == [
        "billing names users, which is called identity now: it is taken as a reader of identity, and should name that"
    ]
    assert check(repo, *MODE, "--service", "users").code == 1
    fixes = check(repo, *MODE).report["fixes"]
    assert any("consumers/billing.yaml" in {patch["file"] for patch in fix["patches"]} for fix in fixes)


def test_an_exception_for_a_renamed_service(check: Guardian, guardian: Guardian, repo: Repo):
    """An entry for a service as base called it accepts what it accepted."""
    repo.replace("guardian.yaml", "  users:", "  identity:")
    repo.write("specs/users.yaml", USERS_RENAMED)
    entry = "- {rule: property-removed, service: users, reason: agreed, owner: us, expires: 2027-01-31,\n"
    repo.write("guardian.exceptions.yaml", f"{entry}   approved_by: [team-billing]}}\n")
    outcome = check(repo, *MODE)
    assert outcome.code == 0
    assert outcome.only("property-removed")["exception"]["reason"] == "agreed"
    assert "exception-stale" not in outcome.rules
    assert "accepts 1 finding" in guardian(repo, "exceptions", "list", "--as-of", "2026-03-02").out


def test_lineage_of_a_renamed_service(check: Guardian, repo: Repo):
    """What a service passes on goes on through its API under the name that it has now."""
    repo.git("checkout", "--quiet", "main")
    repo.write("specs/billing.yaml", MORE.replace("/people/", "/bills/").replace("email", "customer"))
    repo.write("guardian.yaml", CONFIG.replace("services:\n", "services:\n  billing: {spec: specs/billing.yaml}\n"))
    repo.write("consumers/billing.yaml", BILLING + "    exposes: {email: 'GET /bills/{id}#customer'}\n")
    repo.write(
        "consumers/desk.yaml",
        "consumer: desk\nuses:\n  - {service: billing, operation: 'GET /bills/{id}', reads: [customer]}\n",
    )
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("specs/users.yaml", USERS_RENAMED)
    assert broken(check(repo, *MODE)) == ["billing", "desk"]
    repo.replace("guardian.yaml", "  billing:", "  invoices:")
    repo.replace("consumers/desk.yaml", "service: billing", "service: invoices")
    assert broken(check(repo, *MODE)) == ["billing", "desk"]


# --- found by content -------------------------------------------------------------------------------------------------


@pytest.fixture
def found(repo: Repo) -> Repo:
    """No guardian.yaml: services are called by their files."""
    repo.git("checkout", "--quiet", "main")
    repo.remove("guardian.yaml")
    repo.write("consumers/billing.yaml", BILLING.replace("service: users", "service: specs/users"))
    repo.remove("consumers/search.yaml")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    return repo


def test_readers_of_a_moved_document(check: Guardian, found: Repo):
    """A document that moved is read by whoever names its old place."""
    found.git("mv", "specs/users.yaml", "specs/people.yaml")
    found.write("specs/people.yaml", USERS_RENAMED)
    outcome = check(found, *MODE, "--consumers", "consumers")
    assert (outcome.code, broken(outcome)) == (1, ["billing"])
    (text,) = [each for each in said(outcome) if "specs/users" in each]
    assert text.startswith("billing names specs/users, which is called specs/people now: it is taken as a reader of")


def test_a_contract_test_of_a_moved_document(check: Guardian, found: Repo):
    """What calls its provider by a name of its own means the moved document as it meant it in its old place."""
    pact = {
        "consumer": {"name": "desk"},
        "provider": {"name": "Users Service"},
        "interactions": [
            {
                "description": "one",
                "request": {"method": "GET", "path": "/users/1"},
                "response": {
                    "status": 200,
                    "headers": {"Content-Type": "application/json"},
                    "body": {"id": "1", "email": "a"},
                },
            }
        ],
        "metadata": {"pactSpecification": {"version": "2.0.0"}},
    }
    found.write("pacts/desk.json", json.dumps(pact))
    found.git("mv", "specs/users.yaml", "specs/people.yaml")
    found.write("specs/people.yaml", USERS_RENAMED)
    outcome = check(found, *MODE, "--consumers", "pacts")
    assert (outcome.code, broken(outcome)) == (1, ["desk"])


@pytest.mark.parametrize("breaks", [False, True])
@pytest.mark.parametrize("with_readers", [False, True])
def test_a_deleted_document_and_another_like_it(check: Guardian, found: Repo, breaks: bool, with_readers: bool):
    """A new document that git takes for a deleted one does not silence the removal: its readers are named."""
    found.git("rm", "--quiet", "specs/users.yaml")
    found.write("specs/parcels.yaml", (USERS_RENAMED if breaks else USERS).replace("Users", "Parcels"))
    if not with_readers:  # their manifest goes with it, and they are deployed all the same
        found.git("rm", "--quiet", "consumers/billing.yaml")
    found.write("consumers/other.yaml", "consumer: other\nuses: []\n")
    found.git("add", "--all")
    outcome = check(found, *MODE, "--consumers", "consumers")
    assert (outcome.code, broken(outcome)) == ((1, ["billing"]) if breaks else (0, []))
    (warning,) = [each for each in said(outcome) if "billing" in each]
    assert "billing uses specs/users, which is gone, and is taken as a reader of specs/parcels" in warning


def test_a_document_that_is_none_any_more(check: Guardian, found: Repo):
    """A file that is still there was not deleted."""
    found.replace("specs/users.yaml", "openapi: 3.0.3", "title: notes")
    found.write("specs/orders.yaml", MORE)
    outcome = check(found, "--consumers", "consumers")
    assert outcome.code == 1
    assert "specs/users is gone: specs/users.yaml is still there, but no OpenAPI document any more" in said(outcome)


# --- gone, or only so to guardian.yaml --------------------------------------------------------------------------------


def test_a_folder_that_guardian_yaml_does_not_follow(check: Guardian, repo: Repo):
    """A specification that moved while guardian.yaml names its old place is no pass: no later check would find it."""
    repo.git("mv", "specs/users.yaml", "specs/people.yaml")
    outcome = check(repo)
    assert (outcome.code, outcome.out) == (3, "")
    text = "guardian.yaml:3: service users: there is no specs/users.yaml, as the specification has moved to"
    assert f"{text} specs/people.yaml" in outcome.err
    assert "correct `spec` to specs/people.yaml" in outcome.err
    repo.replace("guardian.yaml", "specs/users.yaml", "specs/people.yaml")
    assert check(repo).code == 0


def test_a_folder_that_a_glob_does_not_follow(check: Guardian, family: Repo):
    """So it is where a whole folder leaves a glob."""
    family.git("mv", "specs", "apis")
    outcome = check(family)
    assert outcome.code == 3
    assert "there is no specs/*.yaml, as the specification has moved to apis/users.yaml" in outcome.err


def test_a_mistake_about_a_service_that_is_not_asked_for(check: Guardian, repo: Repo):
    """Who asks for one service is not stopped by what is wrong with the entry of another."""
    repo.write("specs/orders.yaml", MORE)
    orders = "services:\n  orders: {spec: specs/orders.yaml}\n  later: {spec: specs/later.yaml}\n"
    repo.write("guardian.yaml", CONFIG.replace("services:\n", orders))
    repo.git("mv", "specs/users.yaml", "specs/people.yaml")
    assert check(repo, "--service", "orders").code == 0
    for name, text in (
        ("users", "service users: there is no specs/users.yaml"),
        ("later", "service later: there is no"),
    ):
        outcome = check(repo, "--service", name)
        assert outcome.code == 3
        assert text in outcome.err
    assert check(repo, "--service", "nobody").code == 2
    assert check(repo).code == 3


def test_what_leaves_a_glob_is_gone(check: Guardian, family: Repo):
    """A document that is put away while others stay is removed, and breaks its readers."""
    family.write("specs/people.yaml", MORE)
    family.commit()
    family.git("checkout", "--quiet", "-B", "main")
    family.git("checkout", "--quiet", "-B", "feature")
    (family.folder / "archive").mkdir()
    family.git("mv", "specs/users.yaml", "archive/users.yaml")
    outcome = check(family, *MODE)
    assert (outcome.code, broken(outcome)) == (1, ["billing", "search"])
    assert outcome.only("operation-removed")["service"] == "users/users"
    why = "users/users is gone: guardian.yaml no longer names it; its specification is archive/users.yaml now"
    assert said(outcome) == [why]


def test_a_document_like_the_one_that_guardian_yaml_names(check: Guardian, repo: Repo):
    """A document that is only like the one that is gone does not take its place under the same entry."""
    repo.git("rm", "--quiet", "specs/users.yaml")
    repo.write("specs/parcels.yaml", USERS.replace("Users", "Parcels"))
    repo.git("add", "--all")
    outcome = check(repo)
    assert (outcome.code, broken(outcome)) == (1, ["billing", "search"])
    (text,) = said(outcome)
    assert text.startswith("users is gone: its specification was deleted; if it is specs/parcels.yaml now")


@pytest.mark.parametrize("moved", [False, True])
def test_an_entry_that_was_removed(check: Guardian, repo: Repo, moved: bool):
    """A service whose entry alone is gone is not said to be deleted."""
    repo.write("specs/orders.yaml", MORE)
    repo.write("guardian.yaml", "services:\n  orders: {spec: specs/orders.yaml}\nconsumers: [consumers/*.yaml]\n")
    if moved:
        repo.git("mv", "specs/users.yaml", "specs/people.yaml")
    outcome = check(repo)
    assert (outcome.code, broken(outcome)) == (1, ["billing", "search"])
    why = (
        "no longer names it; its specification is specs/people.yaml now"
        if moved
        else "no longer names its specification, though specs/users.yaml is still there"
    )
    assert said(outcome) == [f"users is gone: guardian.yaml {why}"]
