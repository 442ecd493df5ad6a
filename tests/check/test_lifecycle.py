"""How an API ages: windows, sunset dates, stability levels, versions, visibility. Today is 2026-03-02 throughout."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from guardian.check.versions import judge_versions
from guardian.spec.dates import read_date
from tests.check.conftest import Guardian
from tests.check.repo import BILLING, CONFIG, Folder, Outcome, Repo

SPEC = """\
openapi: 3.1.0
info: {title: Users, version: "1.0.0"}
paths:
  /users/{id}:
    get:
      OPERATION
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: expand, in: query, schema: {type: string}, PARAMETER}
      responses:
        "200":
          description: one user
          headers:
            X-Rate: {schema: {type: integer}, HEADER}
          content:
            application/json:
              schema:
                type: object
                required: [id, email]
                properties:
                  id: {type: string}
                  email: {type: string, PROPERTY}
  /health:
    get: {responses: {"200": {description: fine}}}
"""
READER = BILLING.replace("reads:", "sends: [query:expand, path:id]\n    reads:")
PARTS = ("OPERATION", "PARAMETER", "HEADER", "PROPERTY")


def spec(part: str = "", words: str = "", without: str = "", version: str = "1.0.0") -> str:
    """The specification with something said of one part, or without one."""
    text = SPEC.replace("1.0.0", version)
    for each in PARTS:
        said = words if each == part else ""
        if each == "OPERATION":
            text = text.replace(each, "\n      ".join(said.split(", ")) if said else "tags: [a]")
        else:
            text = text.replace(f", {each}", f", {said}" if said else "")
    if without == "OPERATION":
        return text[: text.index("  /users")] + text[text.index("  /health") :]
    marks = {"PARAMETER": "name: expand", "HEADER": "X-Rate", "PROPERTY": "email: {"}
    if without:
        lines = [line for line in text.splitlines() if marks[without] not in line]
        text = "\n".join(lines).replace("          headers:\n          content", "          content") + "\n"
        text = text.replace(", email]", "]") if without == "PROPERTY" else text
    return text


RULES = {
    "OPERATION": "operation-removed",
    "PARAMETER": "parameter-removed",
    "HEADER": "header-removed",
    "PROPERTY": "property-removed",
}


@pytest.fixture
def aged(check: Guardian, folder: Folder) -> Any:
    """Compare two states of one specification, read by one consumer unless told otherwise."""

    def compare(base: str, head: str, *flags: str, config: str = "", reader: str | None = READER) -> Outcome:
        folder.write("was/users.yaml", base)
        folder.write("now/users.yaml", head)
        folder.write("guardian.yaml", f"consumers: [consumers/*.yaml]\n{config}")
        if reader is not None:
            folder.write("consumers/billing.yaml", reader)
        return check(folder, "--base", "was", "--head", "now", *flags)

    return compare


# --- removals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sunset", ["2026-03-02", "2026-01-31", "2026-03-02T00:00:00Z", "2026-03-03T00:30:00+01:00"])
@pytest.mark.parametrize("part", ["OPERATION", "PROPERTY"])
def test_removal_after_the_window(aged: Any, part: str, sunset: str):
    """What was deprecated may go once its sunset has come; whoever still reads it is named, in a warning."""
    base = spec(part, f'deprecated: true, x-sunset: "{sunset}"')
    outcome = aged(base, spec(without=part))
    change = outcome.only(RULES[part])
    assert (change["severity"], change["counts_as"], outcome.code) == ("info", "warning", 0)
    assert [(hit["consumer"], hit["impact"]) for hit in change["consumers"]] == [("billing", "broken")]
    assert "since its sunset on 2026-0" in change["why"]
    assert outcome.report["summary"]["consumers_broken"] == ["billing"]
    assert outcome.report["verdict"] == "warn"
    assert "version-not-bumped" not in [each["rule"] for each in outcome.changes]
    assert aged(base, spec(without=part), "--fail-on", "warning").code == 1


@pytest.mark.parametrize(
    ("mode", "reader", "counts_as"),
    [
        ("contract", READER, "info"),
        ("consumers", READER, "warning"),
        ("both", READER, "warning"),
        ("contract", None, "info"),
        ("consumers", None, "info"),
        ("both", None, "info"),
    ],
)
def test_removal_after_the_window_by_mode(aged: Any, mode: str, reader: str | None, counts_as: str):
    """Nobody is warned where nobody reads it, or where consumers do not count."""
    base = spec("OPERATION", 'deprecated: true, x-sunset: "2026-01-31"')
    outcome = aged(base, spec(without="OPERATION"), "--mode", mode, reader=reader)
    change = outcome.only("operation-removed")
    assert (change["severity"], change["counts_as"], outcome.code) == ("info", counts_as, 0)


@pytest.mark.parametrize("part", PARTS)
def test_removal_before_sunset(aged: Any, part: str):
    """A removal before its day breaks as any other, and the broken promise is told besides."""
    base = spec(part, 'deprecated: true, x-sunset: "2026-03-12"')
    outcome = aged(base, spec(without=part))
    assert outcome.code == (1 if part in ("OPERATION", "PROPERTY") else 0)
    found = outcome.only("removed-before-sunset")
    assert found["severity"] == found["counts_as"] == "warning"
    assert found["message"].endswith("was removed before its sunset on 2026-03-12, 10 days early")
    assert found["base"] == outcome.only(RULES[part])["base"]
    assert outcome.only(RULES[part])["severity"] in ("breaking", "warning")


@pytest.mark.parametrize("part", ["OPERATION", "PROPERTY"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("deprecated: true", "no `x-sunset` says from when on it may go"),
        ("deprecated: true, x-sunset: soon", "`x-sunset: soon` is no date"),
        ('deprecated: true, x-sunset: "2026-02-30"', "`x-sunset: 2026-02-30` is no date"),
        ('x-sunset: "2026-01-31"', ""),
        ('deprecated: false, x-sunset: "2026-01-31"', ""),
    ],
)
def test_removal_without_a_window(aged: Any, part: str, words: str, said: str):
    """Without a date nobody was told when, and a date alone deprecates nothing: the removal breaks."""
    outcome = aged(spec(part, words), spec(without=part))
    change = outcome.only(RULES[part])
    assert (change["severity"], change["counts_as"], outcome.code) == ("breaking", "breaking", 1)
    assert said in change["why"]
    assert "removed-before-sunset" not in outcome.rules


def test_window_of_a_schema_that_is_referred_to(aged: Any):
    """A property's window may be written in the schema that it refers to, in another file too."""
    base = spec().replace("email: {type: string}", "email: {$ref: '#/components/schemas/Email'}")
    base += "components:\n  schemas:\n    Email: {type: string, deprecated: true, x-sunset: '2026-01-31'}\n"
    assert aged(base, spec(without="PROPERTY")).only("property-removed")["severity"] == "info"


def test_deprecated_is_a_property_too(aged: Any):
    """A property that happens to be called `deprecated` deprecates nothing."""
    base = spec().replace("email:", "deprecated: {type: boolean}\n                  email:")
    outcome = aged(base, spec(without="PROPERTY").replace(", email]", "]"))
    breaking = {each["field"]: each["severity"] for each in outcome.changes if each["rule"] == "property-removed"}
    assert breaking == {"email": "breaking", "deprecated": "warning"}


# --- announcements ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("sunset", "days", "soon"),
    [("2026-05-30", 90, True), ("2026-05-31", 90, False), ("2026-03-09", 7, False), ("2026-03-08", 7, True)],
)
def test_sunset_too_soon(aged: Any, part: str, sunset: str, days: int, soon: bool):
    """A new deprecation leaves consumers as many days as they are promised."""
    head = spec(part, f'deprecated: true, x-sunset: "{sunset}"')
    outcome = aged(spec(), head, config=f"lifecycle: {{deprecation_days: {days}}}\n")
    assert ("sunset-too-soon" in outcome.rules) == soon
    assert outcome.code == 0
    if soon:
        found = outcome.only("sunset-too-soon")
        assert found["severity"] == "warning"
        assert f"goes on {sunset}, sooner than the {days} days" in found["message"]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("before", "after", "soon"),
    [
        ('"2026-12-31"', '"2026-03-31"', True),
        ('"2026-03-10"', '"2026-03-31"', False),  # later than it was, if still soon
        ('"2026-12-31"', '"2026-11-30"', False),  # earlier, and still far enough
        ("soon", '"2026-03-31"', True),
    ],
)
def test_sunset_moved(aged: Any, part: str, before: str, after: str, soon: bool):
    """A sunset may be put off, or brought forward as far as the promise goes."""
    base, head = (spec(part, f"deprecated: true, x-sunset: {each}") for each in (before, after))
    outcome = aged(base, head)
    assert "sunset-changed" in outcome.rules
    assert ("sunset-too-soon" in outcome.rules) == soon


def test_sunset_that_is_no_date(aged: Any):
    """A sunset that is no date is told, with its line: it would never come."""
    outcome = aged(spec(), spec("OPERATION", "deprecated: true, x-sunset: next summer"))
    found = outcome.only("sunset-too-soon")
    assert "`x-sunset: next summer`" in found["message"]
    assert found["head"]["line"] == 6


@pytest.mark.parametrize(
    ("part", "what"),
    [
        ("OPERATION", "GET /users/{id}"),
        ("PARAMETER", "`query:expand` of GET /users/{id}"),
        ("PROPERTY", "`email` of GET"),
    ],
)
def test_deprecated_in_use(aged: Any, part: str, what: str):
    """Whoever uses what is newly deprecated is named, with the days that are left."""
    head = spec(part, 'deprecated: true, x-sunset: "2026-06-10"')
    outcome = aged(spec(), head)
    found = outcome.only("deprecated-in-use")
    assert (found["severity"], found["counts_as"], outcome.code) == ("info", "info", 0)
    assert what in found["message"]
    assert "goes on 2026-06-10, in 100 days" in found["message"]
    assert found["message"].endswith("in use by billing")
    assert [(hit["consumer"], hit["impact"]) for hit in found["consumers"]] == [("billing", "possible")]
    assert "deprecated-in-use" not in aged(spec(), head, reader=READER.replace("users", "orders")).rules


def test_deprecated_in_use_through_another_service(aged: Any, folder: Folder):
    """So is whoever is passed it on by another service."""
    reader = READER + "    exposes: {email: 'GET /invoices/{id}#customer'}\n"
    folder.write(
        "consumers/orders.yaml",
        "consumer: orders\nuses: [{service: billing, operation: 'GET /invoices/{id}', reads: [customer]}]\n",
    )
    found = aged(spec(), spec("PROPERTY", "deprecated: true"), reader=reader).only("deprecated-in-use")
    assert [(hit["consumer"], hit["hops"]) for hit in found["consumers"]] == [("billing", 1), ("orders", 2)]
    assert "no sunset says until when" in found["message"]


def test_announcements_keep_their_fingerprints(aged: Any):
    """Days go by, and a finding stays the one that it is."""
    base, head = spec(), spec("PROPERTY", 'deprecated: true, x-sunset: "2026-04-10"')
    first, second = aged(base, head), aged(base, head, "--as-of", "2026-03-20")
    for rule in ("deprecated-in-use", "sunset-too-soon"):
        assert first.only(rule)["fingerprint"] == second.only(rule)["fingerprint"]
        assert first.only(rule)["message"] != second.only(rule)["message"]


def test_nothing_is_announced_twice(aged: Any):
    """What base had announced already is no news."""
    same = spec("OPERATION", 'deprecated: true, x-sunset: "2026-03-10"')
    assert aged(same, same).changes == []


# --- stability ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("extension", ["x-stability-level", "x-maturity"])
@pytest.mark.parametrize(
    ("level", "severity"),
    [("alpha", "info"), ("draft", "info"), ("beta", "breaking"), ("stable", "breaking"), ("", "breaking")],
)
def test_stability_levels(aged: Any, extension: str, level: str, severity: str):
    """What promises nothing breaks nothing, and stays in the report; the extension has the name that it is given."""
    base = spec("OPERATION", f"{extension}: {level}" if level else "")
    config = f"lifecycle: {{stability_extension: {extension}}}\n"
    outcome = aged(base, spec(without="OPERATION"), "--mode", "contract", config=config)
    assert outcome.only("operation-removed")["severity"] == severity
    assert outcome.code == (1 if severity == "breaking" else 0)


@pytest.mark.parametrize("mode", ["contract", "consumers", "both"])
def test_who_uses_what_promises_nothing_is_told(aged: Any, mode: str):
    """Its users are in the report and not in the verdict; that it passes all the same is not passed over in silence."""
    base = spec("OPERATION", "x-stability-level: draft")
    outcome = aged(base, spec(without="OPERATION"), "--mode", mode, "--fail-on", "warning")
    removed = outcome.only("operation-removed")
    assert (removed["severity"], removed["counts_as"]) == ("info", "info")
    assert [(each["consumer"], each["impact"]) for each in removed["consumers"]] == [("billing", "broken")]
    assert outcome.code == 0
    (told,) = [each["message"] for each in outcome.report["notes"] if "promises nothing" in each["message"]]
    assert told == (
        "billing breaks by a change of users GET /users/{id}, which promises nothing (`x-stability-level`): "
        "that is in no verdict"
    )


ELSEWHERE = """\
- {rule: operation-removed, service: users, operation: "GET /users/{id}", reason: agreed, owner: x, approved_by: [team-billing],
   expires: 2026-12-31}
"""


@pytest.mark.parametrize(
    ("flags", "config"),
    [
        (("--consumer", "web"), ""),
        ((), "severity: {operation-removed: off}\n"),
        (("--exceptions", "exceptions.yaml"), ""),
    ],
)
def test_who_uses_what_promises_nothing_is_told_of_what_is_reported(
    aged: Any, folder: Folder, flags: tuple[str, ...], config: str
):
    """A note speaks of no change that is filtered out, off or accepted."""
    folder.write("exceptions.yaml", ELSEWHERE)
    web = "consumer: web\nuses: [{service: users, operation: GET /health}]\n"
    folder.write("consumers/web.yaml", web)
    base = spec("OPERATION", "x-stability-level: draft")
    outcome = aged(base, spec(without="OPERATION"), *flags, config=config)
    assert outcome.code == 0
    assert not [each for each in outcome.report["notes"] if "promises nothing" in each["message"]]


def test_a_part_that_promises_nothing_is_no_excuse_for_others(aged: Any):
    """A draft property goes without a word of the verdict's; what goes beside it breaks its readers."""
    assert aged(spec("PROPERTY", "x-stability-level: alpha"), spec(without="PROPERTY")).code == 0
    assert aged(spec(), spec(without="PROPERTY")).code == 1


def test_another_extension_is_none(aged: Any):
    """A level under another name than the configured one promises nothing and excuses nothing."""
    base = spec("OPERATION", "x-maturity: alpha")
    assert (
        aged(base, spec(without="OPERATION"), "--mode", "contract").only("operation-removed")["severity"] == "breaking"
    )


def test_the_level_of_base_counts(aged: Any):
    """A change does not excuse itself by calling its operation alpha."""
    head = (
        spec("OPERATION", "x-stability-level: alpha")
        .replace(", email]", "]")
        .replace("email: {type: string}", "mail: {type: string}")
    )
    outcome = aged(spec(), head)
    assert outcome.only("property-removed")["severity"] == "breaking"
    assert outcome.only("stability-changed")["severity"] == "warning"


@pytest.mark.parametrize("part", ["OPERATION", "PROPERTY"])
@pytest.mark.parametrize("extension", ["x-stability-level", "x-maturity"])
@pytest.mark.parametrize(("before", "after", "severity"), [("stable", "beta", "warning"), ("alpha", "beta", "info")])
def test_stability_changed(aged: Any, part: str, extension: str, before: str, after: str, severity: str):
    """A level that falls takes back a promise; it is read under the configured name."""
    base, head = (spec(part, f"{extension}: {each}") for each in (before, after))
    config = f"lifecycle: {{stability_extension: {extension}}}\n"
    found = aged(base, head, config=config).only("stability-changed")
    assert found["severity"] == severity
    assert extension in found["message"]
    if extension == "x-maturity":
        assert aged(base, head).changes == []


# --- versions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "head", "wrong"),
    [
        ("1.2.3", "1.2.3", "same"),
        ("1.2.3", "1.2.4", "major"),
        ("1.2.3", "1.3.0", "major"),
        ("1.2.3", "2.0.0", None),
        ("1.2.3", "3.1.4", None),
        ("2.0.0", "1.9.9", "decreased"),
        ("0.3.1", "0.3.2", "major"),
        ("0.3.1", "0.4.0", None),
        ("0.3.1", "1.0.0", None),
        ("0.3.1", "0.3.1", "same"),
        ("0.3.1", "0.2.9", "decreased"),
        ("v1", "v2", None),
        ("v1", "v1.1", "major"),
        ("1", "2", None),
        ("1.9", "1.10", "major"),
        ("9", "10", None),
        ("1.0.0-beta.1", "1.0.0-beta.2", "major"),
        ("1.0.0-beta.1", "2.0.0-alpha", None),
        ("2026-01-01", "2026-03-01", None),
        ("2026-01-01", "2026-01-01", "same"),
        ("20260101", "20260301", None),
        ("2026.1.0", "2026.2.0", None),
        ("unversioned", "unversioned", "same"),
        ("blue", "green", None),
        ("1.2.3", "blue", None),
    ],
)
def test_versions(base: str, head: str, wrong: str | None):
    """Semantic versions grow in their first number, before 1.0.0 in their second; other versions at all."""
    found = judge_versions(base, head)
    assert (found[0] if found else None) == wrong


@pytest.mark.parametrize(("version", "found"), [("1.0.1", True), ("2.0.0", False)])
def test_version_not_bumped(aged: Any, version: str, found: bool):
    """A breaking change without a new major version is a warning, which can be made to fail in every mode."""
    head = spec(without="PROPERTY", version=version)
    for mode in ("contract", "consumers", "both"):
        outcome = aged(spec(), head, "--mode", mode)
        assert ("version-not-bumped" in [each["rule"] for each in outcome.changes]) == found
        if found:
            change = outcome.only("version-not-bumped")
            assert change["counts_as"] == "warning"
            assert (change["base"]["line"], change["head"]["line"]) == (2, 2)
            assert "2.0.0 was to be expected" in change["message"]
            assert change["aliases"] == {"oasdiff": "api-major-version-not-bumped"}
    config = "severity: {version-not-bumped: breaking, property-removed: warning}\n"
    # A severity that the user sets is not made worse by consumers, so the version alone fails here, or nothing does.
    assert aged(spec(), head, config=config).code == 0
    harmless = aged(spec(), spec(version="1.0.1"), config=config)
    assert (harmless.code, harmless.changes) == (0, [])


@pytest.mark.parametrize("mode", ["contract", "consumers", "both"])
def test_version_that_fails(aged: Any, mode: str):
    """Where it is made to fail it fails, though its breaking change is one that is accepted by nobody reading it."""
    config = "severity: {version-not-bumped: breaking}\n"
    reader = READER.replace("[id, email]", "[id]")
    outcome = aged(spec(), spec(without="PROPERTY"), "--mode", mode, config=config, reader=reader)
    counted = {each["rule"]: each["counts_as"] for each in outcome.changes}
    expected = {"contract": "breaking", "both": "warning", "consumers": "info"}[mode]
    assert counted["property-removed"] == expected
    # In the mode consumers a change that hits nobody is no break, and asks for no version.
    assert counted.get("version-not-bumped") == (None if mode == "consumers" else "breaking")
    assert outcome.code == (0 if mode == "consumers" else 1)


def test_version_of_a_removed_service(aged: Any, folder: Folder):
    """A service that is gone has no version to bump, one that is new none to compare."""
    folder.write("was/old.yaml", spec().replace("Users", "Old").replace("/users", "/old"))
    assert "version-not-bumped" not in [each["rule"] for each in aged(spec(), spec()).changes]


# --- visibility ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("visibility", "mode", "counts_as"),
    [
        ("public", "both", "breaking"),
        ("internal", "both", "warning"),
        ("public", "consumers", "info"),
        ("public", "contract", "breaking"),
        ("internal", "contract", "breaking"),
    ],
)
def test_visibility(check: Guardian, repo: Repo, visibility: str, mode: str, counts_as: str):
    """A public service has readers nobody declared: where the contract counts, it counts for them."""
    repo.write("guardian.yaml", CONFIG.replace("owner:", f"visibility: {visibility}, owner:"))
    repo.remove("consumers/billing.yaml")
    repo.replace("specs/users.yaml", "email", "mail")
    repo.git("checkout", "--quiet", "-B", "main", "main")
    outcome = check(repo, "--mode", mode, "--base", "main:specs/users.yaml", "--consumers", "consumers/search.yaml")
    assert outcome.only("property-removed")["counts_as"] == counts_as


# --- dates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2027-01-31", date(2027, 1, 31)),
        ("2027-01-31T23:59:59Z", date(2027, 1, 31)),
        ("2027-01-31T23:59:59.5z", date(2027, 1, 31)),
        ("2027-01-31T23:30:00-01:00", date(2027, 2, 1)),
        ("2027-01-31 10:00:00Z", date(2027, 1, 31)),
        ("2027-1-31", None),
        ("20270131", None),
        ("2027-W04-7", None),
        ("2027-02-29", None),
        ("Sun, 31 Jan 2027 00:00:00 GMT", None),
        ("9999-12-31T23:59:59-01:00", None),
        ("", None),
        (20270131, None),
        (None, None),
    ],
)
def test_dates(text: object, day: date | None):
    """A sunset is a date or a date-time of RFC 3339, the latter as a day in UTC; nothing else is guessed at."""
    assert read_date(text) == day
