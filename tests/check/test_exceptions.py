"""Findings that are accepted in writing: what an entry accepts and until when, who must sign it, and the command for it."""

from __future__ import annotations

import pytest

from tests.check.conftest import Guardian
from tests.check.repo import BILLING, CONFIG, USERS, USERS_RENAMED, Outcome, Repo

ENTRY = """\
- rule: property-removed
  service: users
  operation: GET /users/{id}
  field: email
  reason: agreed with billing, RFC 112
  owner: team-identity
  approved_by: [team-billing]
  expires: 2026-12-31
"""


@pytest.fixture
def broken(repo: Repo) -> Repo:
    """A change that breaks billing."""
    repo.write("specs/users.yaml", USERS_RENAMED.replace('"1.0.0"', '"2.0.0"'))
    return repo


def accepted(outcome: Outcome) -> bool:
    """Whether the removal is accepted, and says so."""
    change = outcome.only("property-removed")
    assert (change["exception"] is None) == (change["counts_as"] == "breaking")
    return change["exception"] is not None


# --- what an entry accepts ----------------------------------------------------------------------------------------


def test_accepted_finding_stays_in_the_report(check: Guardian, broken: Repo):
    """An accepted finding fails nothing and stays, with its entry; the consumers it breaks are not counted as broken."""
    broken.write("guardian.exceptions.yaml", ENTRY)
    outcome = check(broken)
    assert (outcome.code, outcome.report["verdict"]) == (0, "pass")
    change = outcome.only("property-removed")
    assert (change["severity"], change["counts_as"]) == ("breaking", "info")
    assert change["exception"] == {
        "reason": "agreed with billing, RFC 112",
        "owner": "team-identity",
        "approved_by": ["team-billing"],
        "expires": "2026-12-31",
        "location": {"file": "guardian.exceptions.yaml", "line": 1},
    }
    assert [hit["consumer"] for hit in change["consumers"]] == ["billing"]
    summary = outcome.report["summary"]
    assert (summary["breaking"], summary["accepted"], summary["consumers_broken"]) == (0, 1, [])


@pytest.mark.parametrize(
    ("old", "new", "matches"),
    [
        ("", "", True),
        ("  operation: GET /users/{id}\n", "", True),
        ("  field: email\n", "", True),
        ("{id}", "{userId}", True),
        ("GET", "get", True),
        ("property-removed", "response-required-property-removed", True),  # as oasdiff calls it
        ("field: email", "field: nickname", False),
        ("service: users", "service: orders", False),
        ("GET", "PUT", False),
        ("property-removed", "type-changed", False),
        ("  owner", "  fingerprint: 0123456789ab\n  owner", False),
    ],
)
def test_what_an_entry_matches(check: Guardian, broken: Repo, old: str, new: str, matches: bool):
    """An entry speaks of what it names, and of anything in what it leaves out; what matches nothing is stale."""
    broken.write("guardian.exceptions.yaml", ENTRY.replace(old, new) if old else ENTRY)
    outcome = check(broken)
    assert accepted(outcome) == matches
    assert ("exception-stale" in outcome.rules) != matches
    assert outcome.code == (0 if matches else 1)


@pytest.mark.parametrize(
    ("day", "holds"), [("2026-12-30", True), ("2026-12-31", True), ("2027-01-01", False), ("2030-01-01", False)]
)
def test_expiry(check: Guardian, broken: Repo, day: str, holds: bool):
    """An entry holds to the end of its last day; then the change counts again, and the entry is a finding with its line."""
    broken.write("guardian.exceptions.yaml", "# a comment\n" + ENTRY)
    outcome = check(broken, "--as-of", day)
    assert accepted(outcome) == holds
    assert ("exception-expired" in outcome.rules) != holds
    if not holds:
        found = outcome.only("exception-expired")
        assert found["counts_as"] == "warning"
        assert (found["head"]["file"], found["head"]["line"]) == ("guardian.exceptions.yaml", 2)
        assert "property-removed users GET /users/{id} email expired on 2026-12-31" in found["message"]


@pytest.mark.parametrize(
    ("approved_by", "signed"),
    [
        ("[team-billing]", True),
        ("[team-other, team-billing]", True),
        ("[Team-Billing]", True),
        ("[team-other]", False),
        ("[]", False),
        ("[billing]", False),
    ],
)
def test_sign_off(check: Guardian, broken: Repo, approved_by: str, signed: bool):
    """Only those who are broken can agree to be broken: without their owners' names an entry accepts nothing."""
    broken.write("guardian.exceptions.yaml", ENTRY.replace("[team-billing]", approved_by))
    outcome = check(broken)
    assert accepted(outcome) == signed
    assert ("exception-unsigned" in outcome.rules) != signed
    if not signed:
        assert "is not approved by team-billing" in outcome.only("exception-unsigned")["message"]


def test_sign_off_is_asked_of_the_broken_alone(check: Guardian, broken: Repo):
    """Owners of consumers that a change does not break need not approve it, nor does anybody for what breaks nobody."""
    broken.write("guardian.exceptions.yaml", ENTRY.replace("  approved_by: [team-billing]\n", ""))
    broken.replace("consumers/billing.yaml", "[id, email]", "[id]")
    outcome = check(broken)
    assert accepted(outcome)
    assert outcome.code == 0


@pytest.mark.parametrize(
    ("approved_by", "signed"),
    [
        ("'@org/billing'", True),
        ("org/billing", True),
        ("anna@example.org", True),
        ("'@org/all'", False),
        ("nobody", False),
    ],
)
@pytest.mark.parametrize("place", [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"])
def test_codeowners_sign(check: Guardian, broken: Repo, approved_by: str, signed: bool, place: str):
    """A manifest without an owner belongs to whom CODEOWNERS says; of several one is enough."""
    broken.replace("consumers/billing.yaml", "owner: team-billing\n", "")
    broken.write(place, "* @org/all\n/consumers/billing.yaml @org/billing anna@example.org\n")
    broken.write("guardian.exceptions.yaml", ENTRY.replace("team-billing", approved_by))
    outcome = check(broken)
    assert accepted(outcome) == signed
    assert outcome.only("property-removed")["consumers"][0]["owner"] == "@org/billing anna@example.org"
    outcome = check(broken.folder / "specs")
    assert accepted(outcome) == signed


def test_a_manifests_own_owner_goes_first(check: Guardian, broken: Repo):
    """What the manifest says goes before CODEOWNERS."""
    broken.write("CODEOWNERS", "* @org/all\n")
    broken.write("guardian.exceptions.yaml", ENTRY)
    assert accepted(check(broken))


def test_two_entries_for_one_finding(check: Guardian, broken: Repo):
    """Of several entries for one finding the first that is signed and holds accepts it; none of them is stale."""
    expired = ENTRY.replace("2026-12-31", "2026-01-01").replace("RFC 112", "RFC 1")
    unsigned = ENTRY.replace("team-billing", "nobody").replace("RFC 112", "RFC 2")
    broken.write("guardian.exceptions.yaml", expired + unsigned + ENTRY + ENTRY.replace("RFC 112", "RFC 4"))
    outcome = check(broken)
    assert outcome.only("property-removed")["exception"]["location"]["line"] == 17
    assert sorted(outcome.rules) == ["exception-expired", "property-added", "property-removed"]


def test_what_is_stale_is_explained(check: Guardian, broken: Repo):
    """An entry that matches nothing because of a slip of the pen is told what was likely meant."""
    text = ENTRY.replace("property-removed", "property-remved") + ENTRY.replace("service: users", "service: user")
    broken.write("guardian.exceptions.yaml", text)
    first, second = sorted(each["message"] for each in check(broken).changes if each["rule"] == "exception-stale")
    assert "there is no service user, is users meant?" in first
    assert "there is no rule 'property-remved', did you mean property-removed" in second


def test_policy_is_graded(check: Guardian, broken: Repo):
    """What is wrong in the exceptions file is a warning that can be made to fail, or switched off."""
    broken.write("specs/users.yaml", USERS)
    broken.write("guardian.exceptions.yaml", ENTRY)
    assert (check(broken).code, check(broken).rules) == (0, ["exception-stale"])
    assert check(broken, "--fail-on", "warning").code == 1
    broken.write("guardian.yaml", CONFIG + "severity: {exception-stale: breaking}\n")
    for mode in ("contract", "consumers", "both"):
        assert check(broken, "--mode", mode).code == 1
    broken.write("guardian.yaml", CONFIG + "severity: {exception-stale: off}\n")
    assert (check(broken).code, check(broken).changes) == (0, [])


def test_policy_is_accepted_too(check: Guardian, broken: Repo):
    """What is no contract's change is accepted like any other; an accepted change asks for no version."""
    broken.replace("specs/users.yaml", '"2.0.0"', '"1.0.0"')
    assert "version-not-bumped" in [each["rule"] for each in check(broken).changes]
    broken.write("guardian.exceptions.yaml", ENTRY)
    assert "version-not-bumped" not in [each["rule"] for each in check(broken).changes]
    entry = ENTRY.replace("property-removed", "version-not-bumped")
    entry = entry.replace("  operation: GET /users/{id}\n  field: email\n", "")
    broken.write("guardian.exceptions.yaml", entry)
    outcome = check(broken)
    assert outcome.only("version-not-bumped")["exception"] is not None
    assert "exception-stale" not in outcome.rules


def test_other_services_are_not_stale(check: Guardian, broken: Repo):
    """A check of one service says nothing of the entries of others."""
    broken.write("specs/orders.yaml", USERS.replace("Users", "Orders"))
    broken.write("guardian.yaml", CONFIG.replace("services:", "services:\n  orders: {spec: specs/orders.yaml}"))
    broken.write("guardian.exceptions.yaml", ENTRY)
    assert "exception-stale" not in check(broken, "--service", "orders").rules
    assert accepted(check(broken, "--service", "users"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  expires: 2026-12-31\n", "", "guardian.exceptions.yaml:1:3: `[0]` lacks the key `expires`"),
        ("2026-12-31", "2026-02-30", "date"),
        ("reason: agreed with billing, RFC 112", "reason: ''", "`[0].reason` is empty"),
        ("owner:", "onwer:", "`owner`"),
        ("- rule", "rule", "guardian.exceptions.yaml"),
        ("  field: email", "  fingerprint: xyz", "12 hex digits"),
    ],
)
def test_wrong_entries(check: Guardian, broken: Repo, old: str, new: str, said: str):
    """A mistake in the exceptions file is wrong configuration, with its line."""
    broken.write("guardian.exceptions.yaml", ENTRY.replace(old, new))
    outcome = check(broken)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err


# --- fingerprints -------------------------------------------------------------------------------------------------


def fingerprint(outcome: Outcome) -> str:
    """That of the removal."""
    return str(outcome.only("property-removed")["fingerprint"])


def test_fingerprints_survive(check: Guardian, broken: Repo):
    """Unrelated edits, reformatting, another path variable and a moved file leave a finding the one that it is."""
    first = fingerprint(check(broken))
    text = (broken.folder / "specs/users.yaml").read_text()
    broken.write(
        "specs/users.yaml",
        "# a comment\n"
        + text.replace("one user", "a user").replace(
            "nickname: {type: string}", "nickname:\n          type: string\n        age: {type: integer}"
        ),
    )
    assert fingerprint(check(broken)) == first
    import json

    from guardian.spec.text import load

    broken.write("specs/users.yaml", json.dumps(load(text.encode(), "x")))
    assert fingerprint(check(broken)) == first
    broken.write("specs/users.yaml", text.replace("{id}", "{userId}").replace("name: id,", "name: userId,"))
    assert fingerprint(check(broken)) == first
    broken.write("specs/users.yaml", text)
    (broken.folder / "api").mkdir()
    broken.git("mv", "specs/users.yaml", "api/people.yaml")
    broken.replace("guardian.yaml", "specs/users.yaml", "api/people.yaml")
    assert fingerprint(check(broken)) == first


def test_fingerprints_tell_apart(check: Guardian, broken: Repo):
    """Another field, another operation and another value are other findings."""
    text = USERS.replace("id: {type: string}\n        email", "id: {type: integer}\n        email")
    seen = set()
    for head in (USERS_RENAMED, text, text.replace("type: integer", "type: boolean"), USERS.replace("get:", "put:")):
        broken.write("specs/users.yaml", head)
        seen.update(each["fingerprint"] for each in check(broken).changes if each["rule"] != "version-not-bumped")
    assert len(seen) == 6  # removed, added; integer; boolean; removed operation, added operation


def test_an_entry_follows_its_finding(check: Guardian, broken: Repo):
    """An entry with a fingerprint still accepts it when its file, and by that its service, goes by another name."""
    broken.write("specs/users.yaml", USERS)
    broken.remove("guardian.yaml")
    broken.git("checkout", "--quiet", "-B", "main")
    broken.commit()
    broken.git("checkout", "--quiet", "-B", "feature")
    broken.write("specs/users.yaml", USERS_RENAMED)
    flags = ("--exceptions", "accepted.yaml")
    mark = fingerprint(check(broken))
    broken.write(
        "accepted.yaml",
        ENTRY.replace("service: users", "service: specs/users").replace("  field: email", f"  fingerprint: {mark}"),
    )
    assert accepted(check(broken, *flags))
    (broken.folder / "api").mkdir()
    broken.git("mv", "specs/users.yaml", "api/people.yaml")
    assert accepted(check(broken, *flags))


# --- the command --------------------------------------------------------------------------------------------------

WHO = ("--reason", "agreed: see #112", "--owner", "team-identity", "--expires", "2026-12-31", "--as-of", "2026-03-02")


@pytest.fixture
def namesakes(repo: Repo) -> Repo:
    """Two services whose APIs have one title and one text, of which nobody declares a use."""
    repo.write("guardian.yaml", "version: 1\nservices:\n  one: {spec: specs/one.yaml}\n  two: {spec: specs/two.yaml}\n")
    repo.remove("specs/users.yaml")
    for name in ("one", "two"):
        repo.write(f"specs/{name}.yaml", USERS)
    repo.commit()
    return repo


def removals(outcome: Outcome) -> dict[str, tuple[str, bool]]:
    """Of each service the fingerprint of what it removed, and whether that is accepted."""
    return {
        each["service"]: (each["fingerprint"], each["exception"] is not None)
        for each in outcome.changes
        if each["rule"] == "property-removed"
    }


def test_an_entry_of_a_service_that_is_not_here(check: Guardian, namesakes: Repo):
    """An entry that is taken for another service by its fingerprint alone says so; it may mean one that is passed over."""
    namesakes.write("specs/one.yaml", USERS_RENAMED)
    here = ("--base", "HEAD", "--mode", "contract")
    mark = fingerprint(check(namesakes, *here))
    entry = ENTRY.replace("service: users", "service: old").replace("  field: email", f"  fingerprint: {mark}")
    namesakes.write("guardian.exceptions.yaml", entry)
    outcome = check(namesakes, *here)
    assert accepted(outcome)
    (note,) = [each for each in outcome.report["notes"] if "fingerprint" in each["message"]]
    assert (note["level"], note["file"], note["line"]) == ("warning", "guardian.exceptions.yaml", 1)
    assert "names old, which is no service here, and is taken for one by its fingerprint" in note["message"]
    assert "exception-stale" not in check(namesakes, *here, "--service", "two").rules
    namesakes.write("specs/one.yaml", USERS)
    assert check(namesakes, *here).rules == ["exception-stale"]


def test_an_entry_of_several_services(check: Guardian, namesakes: Repo):
    """An entry by the name of several is not stale where only one that it has nothing to do with is looked at."""
    namesakes.write("guardian.yaml", "version: 1\nservices:\n  users: {spec: 'specs/*.yaml'}\n")
    namesakes.write("specs/one.yaml", USERS_RENAMED)
    namesakes.write("guardian.exceptions.yaml", ENTRY)
    here = ("--base", "HEAD", "--mode", "contract")
    assert accepted(check(namesakes, *here))
    assert check(namesakes, *here, "--service", "users/two").rules == []
    namesakes.write("specs/one.yaml", USERS)
    assert check(namesakes, *here).rules == ["exception-stale"]


@pytest.mark.parametrize("together", [False, True])
def test_of_two_apis_with_one_title_each_has_its_own(
    guardian: Guardian, check: Guardian, namesakes: Repo, together: bool
):
    """What is accepted of one is accepted whether the other breaks beside it or not, and nothing of the other is."""
    here = ("--base", "HEAD", "--mode", "contract")

    def break_(*names: str) -> Outcome:
        for name in ("one", "two"):
            namesakes.write(f"specs/{name}.yaml", USERS_RENAMED if name in names else USERS)
        return check(namesakes, *here)

    found = removals(break_("one", "two") if together else break_("two"))
    assert len(set(found.values())) == len(found)
    who = ("--reason", "agreed", "--owner", "team", "--expires", "2100-01-01", "--change", found["two"][0])
    assert guardian(namesakes, "exceptions", "add", *here, *who).code == 0
    for names, expected in (
        (("one", "two"), {"one": False, "two": True}),
        (("two",), {"two": True}),
        (("one",), {"one": False}),
    ):
        outcome = break_(*names)
        assert {name: accepted for name, (_, accepted) in removals(outcome).items()} == expected
        assert ("exception-stale" in outcome.rules) == ("two" not in names)
    break_("one", "two")
    alone = check(namesakes, *here, "--service", "two")
    assert removals(alone)["two"][1] and "exception-stale" not in alone.rules


def test_add_by_fingerprint(guardian: Guardian, check: Guardian, broken: Repo):
    """``exceptions add --change`` writes what a check then accepts, and says who has still to approve."""
    mark = fingerprint(check(broken))
    outcome = guardian(broken, "exceptions", "add", "--change", mark, *WHO)
    assert (outcome.code, outcome.out) == (0, "")
    assert "wrote: guardian.exceptions.yaml:2: accepted until 2026-12-31" in outcome.err
    assert "team-billing must approve it" in outcome.err
    assert not accepted(check(broken))
    outcome = guardian(broken, "exceptions", "add", "--change", mark[:6], *WHO, "--approved-by", "team-billing")
    assert "renewed: guardian.exceptions.yaml:2" in outcome.err
    assert "must approve" not in outcome.err
    assert accepted(check(broken))
    text = (broken.folder / "guardian.exceptions.yaml").read_text()
    assert text.count("- rule:") == 1
    assert f"fingerprint: {mark}" in text.replace('"', "")


def test_add_by_place(guardian: Guardian, check: Guardian, broken: Repo):
    """So does a rule with its service, narrowed or not; oasdiff's name for the rule will do."""
    flags = ("--rule", "response-required-property-removed", "--service", "users")
    outcome = guardian(broken, "exceptions", "add", *flags, "--approved-by", "team-billing", *WHO)
    assert (outcome.code, outcome.out) == (0, "")
    text = (broken.folder / "guardian.exceptions.yaml").read_text()
    assert "rule: property-removed" in text
    assert "operation" not in text
    assert accepted(check(broken))
    place = ("--operation", "GET /users/{id}", "--field", "email")
    guardian(broken, "exceptions", "add", *flags, *place, *WHO)
    assert (broken.folder / "guardian.exceptions.yaml").read_text().startswith(text)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "an exception needs --change FINGERPRINT and --reason TEXT and --owner TEAM and --expires YYYY-MM-DD"),
        (["--rule", "r", "--reason", "r", "--owner", "o"], "an exception needs --expires"),
        (["--reason", "r", "--owner", " ", "--expires", "2026-12-31"], "FINGERPRINT and --owner"),
        (["--reason", "r", "--owner", "o", "--expires", "soon"], "--expires is a day written YYYY-MM-DD"),
        (["--reason", "r", "--owner", "o", "--expires", "2026-03-01"], "is over already"),
        ([*WHO], "--change FINGERPRINT, or --rule RULE --service NAME"),
        ([*WHO, "--rule", "property-removed"], "--service NAME"),
        ([*WHO, "--rule", "property-remved", "--service", "users"], "property-removed"),
        ([*WHO, "--change", "000000000000"], "there is no such finding"),
        ([*WHO, "--change", ""], "--change is empty"),
    ],
)
def test_add_refuses(guardian: Guardian, broken: Repo, flags: list[str], said: str):
    """Without a reason, an owner, a day to come and a finding nothing is accepted, and nothing written."""
    outcome = guardian(broken, "exceptions", "add", "--as-of", "2026-03-02", *flags)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err
    assert not (broken.folder / "guardian.exceptions.yaml").exists()


COMMENTED = f"""\
# What we live with.

{ENTRY.replace("reason: agreed with billing, RFC 112", 'reason: "agreed"   # see the minutes')}
# The next one is for search.
- {{rule: type-changed, service: users, reason: r, owner: o, expires: 2026-06-30}}   # flow style

# The end.
"""


def test_add_keeps_the_text(guardian: Guardian, broken: Repo):
    """Whatever is in the file stays as it is, byte for byte, comments and style included."""
    for text in (COMMENTED, COMMENTED.replace("\n", "\r\n"), "# nothing yet\n[]\n", "", "# nothing\n"):
        broken.write("guardian.exceptions.yaml", text)
        flags = ("--rule", "enum-value-removed", "--service", "users", *WHO)
        assert guardian(broken, "exceptions", "add", *flags).code == 0
        written = (broken.folder / "guardian.exceptions.yaml").read_bytes().decode()
        lines = iter(written.splitlines(keepends=True))
        kept = [line for line in text.splitlines(keepends=True) if line != "[]\n"]
        assert all(line in lines for line in kept)  # in their order: each is looked for behind the one before
        assert "rule: enum-value-removed" in written


def test_add_where_the_configuration_says(guardian: Guardian, check: Guardian, broken: Repo):
    """The entry goes into the file that guardian.yaml names, else beside it, from wherever the command is run."""
    broken.write("guardian.yaml", CONFIG + "exceptions: accepted/findings.yaml\n")
    flags = ("--rule", "property-removed", "--service", "users", "--approved-by", "team-billing", *WHO)
    outcome = guardian(broken.folder / "specs", "exceptions", "add", *flags)
    assert "../accepted/findings.yaml" in outcome.err
    assert accepted(check(broken))


def test_list(guardian: Guardian, broken: Repo):
    """``exceptions list`` says of each entry what it matches, until when it holds, and who has not signed it."""
    text = (
        ENTRY
        + ENTRY.replace("2026-12-31", "2026-03-01").replace("field: email", "field: id")
        + ENTRY.replace("team-billing", "nobody")
        + ENTRY.replace("field: email", "field: nickname")
    )
    broken.write("guardian.exceptions.yaml", text)
    outcome = guardian(broken, "exceptions", "list", "--as-of", "2026-03-02")
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "guardian.exceptions.yaml:1: property-removed users GET /users/{id} email",
        "  accepts 1 finding until 2026-12-31 (304 days)",
        "  agreed with billing, RFC 112 (team-identity; approved by team-billing)",
        "guardian.exceptions.yaml:9: property-removed users GET /users/{id} id",
        "  expired on 2026-03-01; matches no finding",
        "  agreed with billing, RFC 112 (team-identity; approved by team-billing)",
        "guardian.exceptions.yaml:17: property-removed users GET /users/{id} email",
        "  accepts nothing before team-billing approve; would hold until 2026-12-31 (304 days)",
        "  agreed with billing, RFC 112 (team-identity; approved by nobody)",
        "guardian.exceptions.yaml:25: property-removed users GET /users/{id} nickname",
        "  matches no finding any more; would hold until 2026-12-31 (304 days)",
        "  agreed with billing, RFC 112 (team-identity; approved by team-billing)",
        "4 accepted, 2 stale, 1 expired, 1 unsigned",
    ]


def test_list_of_a_hostile_file(guardian: Guardian, broken: Repo):
    """What an entry says cannot be taken for a terminal's or a log's command."""
    broken.write(
        "guardian.exceptions.yaml",
        ENTRY.replace("reason: agreed", 'reason: "\\e[31m::error::\\u202e agreed').replace("RFC 112", 'RFC 112"'),
    )
    outcome = guardian(broken, "exceptions", "list")
    assert outcome.code == 0
    assert "\x1b" not in outcome.out
    assert "\u202e" not in outcome.out


def test_prune(guardian: Guardian, check: Guardian, broken: Repo):
    """``exceptions prune`` takes out what matches nothing, and leaves all other text as it is."""
    broken.write("guardian.exceptions.yaml", COMMENTED)
    outcome = guardian(broken, "exceptions", "prune", "--dry-run", "--as-of", "2026-03-02")
    assert (broken.folder / "guardian.exceptions.yaml").read_text() == COMMENTED
    assert "would take out: guardian.exceptions.yaml:13: type-changed users" in outcome.err
    outcome = guardian(
        broken, "exceptions", "prune", "--as-of", "2026-03-02", "--consumer", "search", "--service", "users"
    )
    assert outcome.code == 0
    kept = (broken.folder / "guardian.exceptions.yaml").read_text()
    assert "type-changed" not in kept
    lost = [line for line in COMMENTED.splitlines() if line not in kept.splitlines()]
    assert all("search" in line or "flow style" in line for line in lost), lost
    assert "exception-stale" not in check(broken).rules
    assert "nothing to take out" in guardian(broken, "exceptions", "prune", "--as-of", "2026-03-02").err


def test_prune_of_what_is_over(guardian: Guardian, broken: Repo):
    """An entry that is over and still matches stays until it is said that those go too."""
    broken.write("guardian.exceptions.yaml", ENTRY)
    guardian(broken, "exceptions", "prune", "--as-of", "2027-03-02")
    assert (broken.folder / "guardian.exceptions.yaml").read_text() == ENTRY
    guardian(broken, "exceptions", "prune", "--expired", "--as-of", "2027-03-02")
    assert (broken.folder / "guardian.exceptions.yaml").read_text() == "[]\n"


def test_without_a_file(guardian: Guardian, broken: Repo):
    """Where nothing is accepted there is nothing to list or prune; a file that a flag names has to be there."""
    outcome = guardian(broken, "exceptions", "list")
    assert (outcome.code, outcome.out) == (0, "0 accepted, 0 stale, 0 expired, 0 unsigned\n")
    assert "there is no guardian.exceptions.yaml, so nothing is accepted" in outcome.err
    outcome = guardian(broken, "exceptions", "prune")
    assert (outcome.code, outcome.out) == (0, "")
    assert "guardian.exceptions.yaml" in outcome.err
    assert guardian(broken, "exceptions", "list", "--exceptions", "other.yaml").code == 2


def test_without_a_configuration(guardian: Guardian, broken: Repo):
    """Without a guardian.yaml an exceptions file counts where it is named alone, and every command says so."""
    broken.write("guardian.exceptions.yaml", ENTRY)
    broken.remove("guardian.yaml")
    said = "guardian.exceptions.yaml accepts nothing: no check reads it without a guardian.yaml"
    for command in (["check"], ["exceptions", "list"]):
        assert said in guardian(broken, *command).err
        assert said not in guardian(broken, *command, "--exceptions", "guardian.exceptions.yaml").err
    assert said not in guardian(broken, "check", "--quiet").err


@pytest.mark.parametrize("text", ["{}", "false", "0", "''"])
def test_what_is_no_list(check: Guardian, broken: Repo, text: str):
    """An exceptions file that holds something else than a list is refused, however empty that is."""
    broken.write("guardian.exceptions.yaml", f"{text}\n")
    outcome = check(broken)
    assert (outcome.code, outcome.out) == (2, "")
    assert "guardian.exceptions.yaml:1" in outcome.err


def test_reader_of_nothing(check: Guardian, broken: Repo):
    """An exceptions file that holds no entry, or only comments, accepts nothing."""
    for text in ("", "# nothing\n", "[]\n", "---\n"):
        broken.write("guardian.exceptions.yaml", text)
        outcome = check(broken)
        assert outcome.code == 1
        assert not accepted(outcome)
    broken.write("consumers/other.yaml", BILLING.replace("billing", "other"))
    assert not accepted(check(broken))
