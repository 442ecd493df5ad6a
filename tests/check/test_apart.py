"""Documents that would be called alike: each is compared, under a name of its own, or guardian.yaml is to be corrected."""

from __future__ import annotations

import pytest

from guardian.check.apart import told_apart
from guardian.check.service import Service, by_name
from guardian.errors import GuardianError
from tests.check.conftest import Guardian
from tests.check.repo import BILLING, USERS, USERS_RENAMED, Folder, Repo

PEOPLE = USERS.replace("/users/{id}", "/people/{id}").replace("title: Users", "title: People")
PEOPLE_RENAMED = PEOPLE.replace("email", "mail")


def lay(repo: Repo, config: str, *paths: str) -> None:
    """The services of main, the first of them users and the others people."""
    repo.git("rm", "-q", "-r", "specs", "consumers", "guardian.yaml")
    if config:
        repo.write("guardian.yaml", f"services: {{{config}}}\n")
    for path in paths:
        repo.write(path, USERS if path == paths[0] else PEOPLE)
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "main")
    repo.git("checkout", "--quiet", "-B", "feature")


@pytest.mark.parametrize(
    ("glob", "path", "name"),
    [
        ("services/*/openapi.yaml", "services/orders/openapi.yaml", "orders"),
        ("api/*/openapi.yaml", "api/orders-api/openapi.yaml", "orders-api"),
        ("s/*/openapi.yaml", "s/orders/openapi.yaml", "orders"),
        ("services/**/openapi.yaml", "services/legacy/services/orders/openapi.yaml", "legacy/services/orders"),
        ("specs/**/*.yaml", "specs/internal-specs/orders.yaml", "internal-specs/orders"),
        ("specs/*.*", "specs/orders.json", "orders.json"),
        ("*/openapi.yaml", "orders/openapi.yaml", "orders"),
        ("a/**/openapi.yaml", "a/openapi.yaml", "a/openapi"),
    ],
)
def test_what_tells_a_document_apart(glob: str, path: str, name: str):
    """What the glob spells out is taken off where it stands: at the beginning and at the end."""
    assert told_apart(path, glob) == name


@pytest.mark.parametrize(
    ("config", "paths", "names"),
    [
        ("", ("svc/openapi.yaml", "svc/openapi.json"), ("svc/openapi.yaml", "svc/openapi.json")),
        (
            "shop: {spec: 'services/**/openapi.yaml'}",
            ("services/orders/openapi.yaml", "services/legacy/services/orders/openapi.yaml"),
            ("shop/orders", "shop/legacy/services/orders"),
        ),
        (
            "all: {spec: 'specs/**/*.yaml'}",
            ("specs/orders.yaml", "specs/internal-specs/orders.yaml"),
            ("all/orders", "all/internal-specs/orders"),
        ),
        (
            "shop: {spec: 'a/**/openapi.yaml'}",
            ("a/openapi.yaml", "a/a/openapi/openapi.yaml"),
            ("shop/a/openapi.yaml", "shop/a/a/openapi/openapi.yaml"),
        ),
    ],
    ids=["two endings", "a folder twice", "a folder's name in another's", "a path like another's name"],
)
def test_every_document_is_compared(
    check: Guardian, repo: Repo, config: str, paths: tuple[str, ...], names: tuple[str, ...]
):
    """A break in either is found, whichever comes first."""
    lay(repo, config, *paths)
    for path, name, text in zip(paths, names, (USERS_RENAMED, PEOPLE_RENAMED), strict=True):
        repo.write(path, text)
        outcome = check(repo)
        assert outcome.code == 1
        assert outcome.only("property-removed")["service"] == name
        repo.git("checkout", "-q", "--", ".")


def test_names_by_which_two_endings_are_known(check: Guardian, repo: Repo):
    """The name without the ending means both; the one with it means the same when the other has gone."""
    lay(repo, "", "svc/openapi.yaml", "svc/openapi.json")
    repo.write("consumers/billing.yaml", BILLING.replace("service: users", "service: svc/openapi"))
    repo.write("svc/openapi.yaml", USERS_RENAMED)
    flags = ("--consumers", "consumers", "--mode", "consumers")
    assert check(repo, *flags).report["summary"]["consumers_broken"] == ["billing"]
    repo.git("checkout", "-q", "--", ".")
    repo.remove("svc/openapi.json")
    repo.commit()
    repo.git("branch", "--force", "main")
    repo.write("consumers/billing.yaml", BILLING.replace("service: users", "service: svc/openapi.yaml"))
    repo.write("svc/openapi.yaml", USERS_RENAMED)
    outcome = check(repo, *flags)
    assert outcome.report["summary"]["consumers_broken"] == ["billing"]
    assert outcome.only("property-removed")["service"] == "svc/openapi"


@pytest.mark.parametrize("title", ["Users", "Other"])
def test_another_ending_is_the_same_service(check: Guardian, folder: Folder, title: str):
    """YAML that became JSON is compared, whatever its title is now."""
    folder.write("was/openapi.yaml", USERS)
    text = f'{{"openapi": "3.0.3", "info": {{"title": "{title}", "version": "2.0.0"}}, "paths": {{}}}}'
    folder.write("now/openapi.json", text)
    outcome = check(folder, "--base", "was", "--head", "now")
    assert (outcome.code, outcome.only("operation-removed")["service"]) == (1, "openapi")


# --- two entries ------------------------------------------------------------------------------------------------------

BOTH = "shop: {spec: 'services/*.yaml'}, shop/users: {spec: SPEC}"


def test_two_entries_that_name_two_documents_alike(check: Guardian, guardian: Guardian, repo: Repo):
    """Nobody could say which one a consumer means: that is to be corrected."""
    lay(repo, BOTH.replace("SPEC", "x.yaml"), "services/users.yaml", "x.yaml", "services/people.yaml")
    for outcome in (check(repo), check(repo, "--service", "shop/people"), guardian(repo, "usage")):
        assert (outcome.code, outcome.out) == (2, "")
        assert "guardian.yaml:1: both x.yaml and services/users.yaml (services/*.yaml of shop)" in outcome.err
        assert "give the entry shop/users another name" in outcome.err
    repo.replace("guardian.yaml", "shop/users:", "legacy:")  # the change that repairs it is not held up
    assert check(repo).code == 0


def test_an_entry_of_its_own_for_one_of_several(check: Guardian, repo: Repo):
    """One document by two entries is one service, compared once."""
    lay(repo, BOTH.replace("SPEC", "services/users.yaml"), "services/users.yaml", "services/people.yaml")
    repo.write("services/users.yaml", USERS_RENAMED)
    outcome = check(repo)
    assert outcome.code == 1
    assert outcome.only("property-removed")["service"] == "shop/users"
    assert outcome.report["summary"]["specs"] == 2


def test_an_entry_that_takes_the_place_of_a_match(check: Guardian, repo: Repo):
    """What base's glob and head's entry call the same is one service."""
    lay(repo, "shop: {spec: 'services/*.yaml'}", "services/users.yaml", "services/people.yaml")
    repo.remove("services/users.yaml")
    text = '{"openapi": "3.1.0", "info": {"title": "U", "version": "2"}, "paths": {}}'
    repo.write("x.json", text)
    repo.replace("guardian.yaml", "services: {", "services: {shop/users: {spec: x.json}, ")
    outcome = check(repo)
    assert (outcome.code, outcome.report["summary"]["specs"]) == (1, 2)
    assert outcome.only("operation-removed")["service"] == "shop/users"


def test_a_document_that_took_the_name_of_another(check: Guardian, repo: Repo):
    """Where the name went to a document that moved, the one that had it is removed under its path."""
    lay(repo, "shop: {spec: 'old/*.yaml'}", "old/users.yaml", "old/people.yaml", "old/third.yaml")
    repo.write("old/third.yaml", USERS.replace("/users/", "/thirds/").replace("Users", "Thirds"))
    repo.commit()
    repo.git("branch", "--force", "main")
    repo.git("rm", "-q", "old/people.yaml")
    (repo.folder / "new").mkdir()
    repo.git("mv", "old/users.yaml", "new/people.yaml")
    repo.git("mv", "old/third.yaml", "new/third.yaml")
    repo.replace("guardian.yaml", "old/", "new/")
    outcome = check(repo)
    assert outcome.code == 1
    assert outcome.only("operation-removed")["service"] == "shop/old/people.yaml"


def test_no_two_services_of_one_name_are_compared():
    """Whatever names them: one of the two would pass unseen."""
    with pytest.raises(GuardianError, match=r"two services are called a \(one.yaml and two.yaml\)"):
        by_name([Service("a", "one.yaml", "one.yaml"), Service("a", None, "two.yaml")])
