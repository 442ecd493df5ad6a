"""Which services there are on either side: new, deleted, renamed and moved ones, several to a glob, split over files."""

from __future__ import annotations

import pytest

from tests.check.conftest import Guardian
from tests.check.repo import BILLING, CONFIG, USERS, USERS_RENAMED, Outcome, Repo

ORDERS = USERS.replace("title: Users", "title: Orders").replace("/users/", "/orders/")


def notes(outcome: Outcome) -> list[tuple[str, str | None]]:
    """What the notes say, and of which file."""
    return [(note["message"], note["file"]) for note in outcome.report["notes"]]


def warnings(outcome: Outcome) -> list[str]:
    """The messages of the notes that warn."""
    return [each["message"] for each in outcome.report["notes"] if each["level"] == "warning"]


def test_new_service(check: Guardian, repo: Repo):
    """A new service breaks nobody; it is named, with its file as it is called from here."""
    repo.write("specs/orders.yaml", ORDERS)
    repo.write("guardian.yaml", CONFIG.replace("services:", "services:\n  orders: {spec: specs/orders.yaml}"))
    outcome = check(repo.folder / "specs")
    assert outcome.code == 0
    assert ("orders is a new service, so nothing of it can break", "orders.yaml") in notes(outcome)
    assert outcome.rules == ["operation-added"]


def test_known_specification_is_declared(check: Guardian, repo: Repo):
    """A specification that was there before its entry in guardian.yaml is not new."""
    repo.git("checkout", "--quiet", "main")
    repo.write("specs/orders.yaml", ORDERS)
    repo.commit()
    repo.branch("other")
    repo.write("guardian.yaml", CONFIG.replace("services:", "services:\n  orders: {spec: specs/orders.yaml}"))
    repo.replace("specs/orders.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    outcome = check(repo)
    assert outcome.rules == ["type-changed"]
    assert outcome.code == 1  # nobody has declared anything about it


@pytest.mark.parametrize("with_entry", [False, True])
def test_deleted_service(check: Guardian, repo: Repo, with_entry: bool):
    """A deleted specification breaks its readers, also if its entry in guardian.yaml and their manifests go with it."""
    repo.write("specs/orders.yaml", ORDERS)
    repo.write("guardian.yaml", CONFIG.replace("services:", "services:\n  orders: {spec: specs/orders.yaml}"))
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    repo.branch("other")
    repo.remove("specs/users.yaml")
    if with_entry:
        repo.replace("guardian.yaml", "  users: {spec: specs/users.yaml, owner: team-identity}\n", "")
    outcome = check(repo)
    assert outcome.code == 1
    change = outcome.only("operation-removed")
    assert change["service"] == "users"
    assert [hit["consumer"] for hit in change["consumers"] if hit["impact"] == "broken"] == ["billing", "search"]
    assert change["base"] == {"file": "specs/users.yaml", "line": 5, "column": 5, "pointer": "/paths/~1users~1{id}/get"}
    assert change["head"] is None
    still = "" if with_entry else ", and guardian.yaml still names it"
    assert (f"users is gone: its specification was deleted{still}", "specs/users.yaml") in notes(outcome)
    assert outcome.report["summary"]["consumers_broken"] == ["billing", "search"]


def test_last_service_is_deleted(check: Guardian, repo: Repo):
    """So does the only one, when guardian.yaml lists none any more."""
    repo.remove("specs/users.yaml")
    repo.write("guardian.yaml", "services: {}\nconsumers: [consumers/*.yaml]\n")
    outcome = check(repo)
    assert outcome.code == 1
    assert outcome.services == {"users"}


def test_renamed_specification(check: Guardian, repo: Repo):
    """A specification that git knows was renamed is compared with what it was, its entry changed or not."""
    repo.git("mv", "specs/users.yaml", "specs/people.yaml")
    repo.replace("specs/people.yaml", "        nickname: {type: string}\n", "")
    repo.replace("guardian.yaml", "specs/users.yaml", "specs/people.yaml")
    outcome = check(repo)
    change = outcome.only("property-removed")
    assert (change["base"]["file"], change["head"]["file"]) == ("specs/users.yaml", "specs/people.yaml")
    assert ("users moved here from specs/users.yaml", "specs/people.yaml") in notes(outcome)


@pytest.mark.parametrize("configured", [False, True])
def test_moved_specification(check: Guardian, repo: Repo, configured: bool):
    """A specification that moved to another folder is found by git; without guardian.yaml it is called by its new place."""
    if not configured:
        repo.git("checkout", "--quiet", "main")
        repo.remove("guardian.yaml")
        repo.commit()
        repo.git("checkout", "--quiet", "-B", "feature")
    (repo.folder / "api").mkdir()
    repo.git("mv", "specs/users.yaml", "api/users.yaml")
    repo.replace("api/users.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    if configured:
        repo.replace("guardian.yaml", "specs/", "api/")
    outcome = check(repo)
    assert outcome.rules == ["type-changed"]
    assert outcome.services == {"users" if configured else "api/users"}


def test_rewritten_and_moved_specification(check: Guardian, repo: Repo):
    """One that was moved and rewritten at once is still known by its title, if no other has it."""
    repo.git("checkout", "--quiet", "main")
    repo.remove("guardian.yaml")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.remove("specs/users.yaml")
    repo.write("api/v2.json", '{"openapi": "3.0.3", "info": {"title": "Users", "version": "2.0.0"}, "paths": {}}')
    outcome = check(repo)
    assert outcome.only("operation-removed")["service"] == "api/v2"
    assert not any("is gone" in message for message, _ in notes(outcome))


@pytest.mark.parametrize(
    "sides",
    [["--base", "main", "--head", "api/people.yaml"], ["--base", "main:specs/users.yaml"]],
    ids=["file against a revision", "file of a revision against the work tree"],
)
def test_renamed_file_by_name(check: Guardian, repo: Repo, sides: list[str]):
    """Where one side names a file that the other has under another name, git tells which."""
    (repo.folder / "api").mkdir()
    repo.git("mv", "specs/users.yaml", "api/people.yaml")
    repo.replace("api/people.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    assert check(repo, *sides).rules == ["type-changed"]


def test_file_that_one_side_does_not_have(check: Guardian, repo: Repo):
    """A file that base does not have is a new service; one that head does not have is a removed one."""
    repo.write("api/orders.json", '{"openapi": "3.0.3", "info": {"title": "O", "version": "1"}, "paths": {}}')
    outcome = check(repo, "--base", "main", "--head", "api/orders.json")
    assert outcome.code == 0
    assert [message for message, _ in notes(outcome)][:1] == ["orders is a new service, so nothing of it can break"]
    repo.remove("specs/users.yaml")
    outcome = check(repo, "--base", "main:specs/users.yaml")
    assert outcome.code == 1
    assert outcome.only("operation-removed")["service"] == "users"


def test_service_that_gets_another_name(check: Guardian, repo: Repo):
    """A new name in guardian.yaml removes nothing: the specification is compared, and the old name is told."""
    repo.replace("guardian.yaml", "users:", "identity:")
    repo.replace("specs/users.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    outcome = check(repo)
    assert outcome.rules == ["type-changed"]
    assert outcome.services == {"identity"}
    assert any("users is called identity now" in message for message, _ in notes(outcome))


def test_misspelt_specification(check: Guardian, repo: Repo):
    """A file that is still where base had it was not deleted: guardian.yaml names it wrongly now."""
    repo.replace("guardian.yaml", "specs/users.yaml", "specs/user.yaml")
    outcome = check(repo)
    assert outcome.code == 3
    assert "there is no specs/user.yaml, though specs/users.yaml is still there" in outcome.err


def test_missing_specification(check: Guardian, repo: Repo):
    """A specification that guardian.yaml names and nobody has is unreadable, never a pass."""
    repo.replace("guardian.yaml", "specs/users.yaml", "specs/user.yaml")
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    outcome = check(repo)
    assert (outcome.code, outcome.out) == (3, "")
    assert "guardian.yaml:3: service users: there is no specs/user.yaml in origin" not in outcome.err
    assert "guardian.yaml:3: service users: there is no specs/user.yaml in main or the working directory" in outcome.err


# --- globs --------------------------------------------------------------------------------------------------------

GLOB = """\
services:
  shop: {spec: "services/*/openapi.yaml", owner: team-shop, visibility: public}
"""


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository whose only entry is a glob that matches two documents."""
    repo.git("checkout", "--quiet", "main")
    repo.write("guardian.yaml", GLOB)
    repo.write("services/users/openapi.yaml", USERS)
    repo.write("services/orders/openapi.yaml", ORDERS)
    repo.write("services/deep/down/openapi.yaml", ORDERS)
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    return repo


def test_several_to_a_glob(check: Guardian, shop: Repo):
    """Documents of one glob are told apart by what the glob leaves open; ``*`` stays within a folder."""
    for each in ("users", "orders", "deep/down"):
        shop.replace(f"services/{each}/openapi.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    outcome = check(shop)
    assert outcome.services == {"shop/orders", "shop/users"}
    assert outcome.report["summary"]["specs"] == 2
    assert check(shop, "--service", "shop/users").services == {"shop/users"}
    assert check(shop, "--service", "shop").services == {"shop/orders", "shop/users"}


def test_a_glob_gains_and_loses_documents(check: Guardian, shop: Repo):
    """A document that joins or leaves a glob changes nothing for the others, also where one is left alone."""
    shop.write("services/fresh/openapi.yaml", ORDERS.replace("Orders", "Fresh").replace("/orders/", "/fresh/"))
    outcome = check(shop)
    assert outcome.code == 0
    assert outcome.services == {"shop/fresh"}
    shop.remove("services/fresh/openapi.yaml")
    shop.remove("services/orders/openapi.yaml")
    outcome = check(shop)
    assert [(each["service"], each["rule"]) for each in outcome.changes if each["severity"] == "breaking"] == [
        ("shop/orders", "operation-removed")
    ]


def test_a_document_moves_within_its_glob(check: Guardian, shop: Repo):
    """A document that moves within a glob is the same one."""
    shop.git("mv", "services/orders", "services/sales")
    shop.replace("services/sales/openapi.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    outcome = check(shop)
    assert outcome.rules == ["type-changed"]
    assert outcome.services == {"shop/sales"}


def test_one_to_a_glob(check: Guardian, repo: Repo):
    """A glob that matches one document on each side means that one, under whatever file name."""
    repo.write("guardian.yaml", "services:\n  users: {spec: 'specs/users*.yaml'}\n")
    repo.git("mv", "specs/users.yaml", "specs/users-v2.yaml")
    repo.replace("specs/users-v2.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    outcome = check(repo)
    assert outcome.rules == ["type-changed"]
    assert outcome.services == {"users"}


# --- many files ---------------------------------------------------------------------------------------------------

SPLIT = """\
openapi: 3.1.0
info: {title: Split, version: "1"}
paths:
  /users/{id}:
    $ref: "paths/user.yaml"
"""
SPLIT_PATH = """\
get:
  parameters: [{name: id, in: path, required: true, schema: {type: string}}]
  responses:
    "200":
      description: one
      content:
        application/json:
          schema: {$ref: "../schemas/user.yaml#/User"}
"""
SPLIT_SCHEMA = """\
User:
  type: object
  required: [id, email]
  properties:
    id: {type: string}
    email: {type: string}
"""


@pytest.fixture
def split(repo: Repo) -> Repo:
    """The users service over three files."""
    repo.git("checkout", "--quiet", "main")
    repo.write("specs/users.yaml", SPLIT)
    repo.write("specs/paths/user.yaml", SPLIT_PATH)
    repo.write("specs/schemas/user.yaml", SPLIT_SCHEMA)
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    return repo


@pytest.mark.parametrize("sides", [[], ["--base", "main:specs/users.yaml", "--head", "specs/users.yaml"]])
def test_change_in_a_file_that_is_referred_to(check: Guardian, split: Repo, sides: list[str]):
    """The only change may be in a file two ``$ref``s away: it is seen, and its lines are that file's on both sides."""
    split.write(
        "specs/schemas/user.yaml",
        "# a line more\n" + SPLIT_SCHEMA.replace("    email: {type: string}\n", "").replace(", email", ""),
    )
    outcome = check(split, *sides)
    assert outcome.code == 1
    change = outcome.only("property-removed")
    assert (change["base"]["file"], change["base"]["line"]) == ("specs/schemas/user.yaml", 6)
    assert (change["head"]["file"], change["head"]["line"]) == ("specs/schemas/user.yaml", 5)


def test_each_side_resolves_on_its_own(check: Guardian, split: Repo):
    """A file that only one side has is read on that side, and the other's reference to another name on the other."""
    split.git("mv", "specs/schemas/user.yaml", "specs/schemas/person.yaml")
    split.replace("specs/paths/user.yaml", "schemas/user.yaml", "schemas/person.yaml")
    assert check(split).changes == []
    split.replace("specs/schemas/person.yaml", "email: {type: string}", "email: {type: integer}")
    change = check(split).only("type-changed")
    assert (change["base"]["file"], change["head"]["file"]) == ("specs/schemas/user.yaml", "specs/schemas/person.yaml")


def test_files_that_only_moved(check: Guardian, split: Repo):
    """All files of a specification moved together: nothing changed."""
    split.git("mv", "specs", "api")
    split.replace("guardian.yaml", "specs/", "api/")
    outcome = check(split)
    assert (outcome.code, outcome.changes) == (0, [])


# --- what belongs to the two-file form ----------------------------------------------------------------------------


def test_two_files_beside_a_configuration(check: Guardian, repo: Repo):
    """The services of a guardian.yaml are not those of two files, unless the path is; its consumers and severities count."""
    repo.write("guardian.yaml", CONFIG + "severity: {property-removed: info, property-added: warning}\n")
    repo.write("tmp/was.yaml", USERS)
    repo.write("tmp/now.yaml", USERS_RENAMED)
    outcome = check(repo, "--base", "tmp/was.yaml", "--head", "tmp/now.yaml")
    assert outcome.services == {"now"}
    assert outcome.only("property-removed")["severity"] == "info"
    assert outcome.only("property-removed")["consumers"] == []
    outcome = check(repo, "--base", "tmp/was.yaml", "--head", "tmp/now.yaml", "--service", "users")
    assert [hit["consumer"] for hit in outcome.only("property-removed")["consumers"]] == ["billing"]
    repo.write("specs/users.yaml", USERS_RENAMED)
    outcome = check(repo, "--base", "tmp/was.yaml", "--head", "specs/users.yaml")
    assert outcome.services == {"users"}
    outcome = check(repo.folder / "specs", "--base", "../tmp/was.yaml", "--head", "users.yaml")
    assert [hit["consumer"] for hit in outcome.only("property-removed")["consumers"]] == ["billing"]


@pytest.mark.parametrize("spec", ["specs/users.yaml", "./specs/users.yaml", "specs/*.yaml"])
@pytest.mark.parametrize("folder", ["", "specs"])
def test_one_file_of_a_service_from_any_folder(check: Guardian, repo: Repo, folder: str, spec: str):
    """The file of a service is known as that from wherever guardian runs, so that its readers are, too."""
    repo.write("guardian.yaml", CONFIG.replace("specs/users.yaml", spec))
    repo.write("specs/users.yaml", USERS_RENAMED)
    file = "users.yaml" if folder else "specs/users.yaml"
    outcome = check(repo.folder / folder, "--base", "main", "--head", file)
    assert outcome.services == {"users/users" if "*" in spec else "users"}
    assert [hit["consumer"] for hit in outcome.only("property-removed")["consumers"]] == ["billing"]


def test_visibility_of_two_files(check: Guardian, repo: Repo):
    """A service that only shares its file's name with one in guardian.yaml does not get its visibility."""
    repo.write("guardian.yaml", CONFIG.replace("owner:", "visibility: public, owner:"))
    repo.write("consumers/search.yaml", BILLING.replace("billing", "search").replace("[id, email]", "[id]"))
    repo.remove("consumers/billing.yaml")
    repo.write("tmp/users.yaml", USERS_RENAMED)
    outcome = check(repo, "--base", "specs/users.yaml", "--head", "tmp/users.yaml")
    assert outcome.only("property-removed")["counts_as"] == "warning"
    repo.write("specs/users.yaml", USERS_RENAMED)
    outcome = check(repo, "--base", "main", "--head", "specs/users.yaml")
    assert outcome.only("property-removed")["counts_as"] == "breaking"
