"""The text for the engineer whose pull request just went red."""

from __future__ import annotations

import pytest

from guardian.model import Again, Location, Only, Patch, Severity, Verdict
from guardian.report import render
from guardian.report.blocks import Standing, blocks
from guardian.report.layout import cells, wrap
from guardian.report.words import fix_name
from tests.report import samples


def test_the_first_line_is_the_verdict_and_its_reason() -> None:
    first = render("terminal", samples.friday_rename()).splitlines()[0]
    assert first == "FAIL  3 breaking changes break 5 consumers: analytics, billing, notifications, orders, storefront"


def test_one_sentence_holds_all_counts() -> None:
    text = " ".join(render("terminal", samples.friday_rename()).split())
    assert (
        "Compared 8 changes in 3 specs against 8 consumers (87 declared reads): 3 breaking for 5 consumers, "
        "2 warnings, 1 accepted until 2027-01-31, 1 breaking on paper but read by nobody."
    ) in text


def test_a_clean_run_says_little() -> None:
    assert render("terminal", samples.clean()) == (
        "PASS  no change of any contract\nCompared 3 specs against 8 consumers (87 declared reads): no changes.\n"
    )


def test_a_block_tells_what_where_why_proof_and_who() -> None:
    """All that is needed to act stands in the block of the change."""
    text = render("terminal", samples.friday_rename())
    block = text[text.index("1. BREAKING") : text.index("2. BREAKING")]
    for part in (
        "users: the response property email is gone",
        "GET /users/{id}, response 200 application/json, field email",
        "services/users/openapi.yaml:36:7  (gone from here)",
        "services/users/openapi.yaml:39:9  (was here)",
        "looks renamed to email_address",
        '{"items": [{"id": "1", "email_address": "", "name": ""}]}',
        "base refuses it, head accepts it",
        "property-removed",
        "billing exposes it as customer.email of GET /invoices/{id}",
        "consumers/orders.yaml:12",
        "@acme/billing (#billing)",
        "2 hops",
    ):
        assert part in block, part


def test_one_edit_of_a_shared_component_is_one_block() -> None:
    """Many operations show it; a reader sees it once, with the first few of them."""
    text = render("terminal", samples.many(operations=12, consumers=30))
    assert text.count("BREAKING") == 1
    assert "12 operations, one edit:" in text
    assert "and 8 more (--verbose lists them)" in text
    assert "and 18 more consumers (--verbose lists them)" in text
    assert "GET /things0011/0000" in render("terminal", samples.many(12, 30), verbose=True)


def test_what_hits_most_consumers_comes_first() -> None:
    text = render("terminal", samples.friday_rename())
    assert text.index("property email is gone") < text.index("X-Tenant is required")


def test_harmless_changes_are_told_only_on_demand() -> None:
    assert "email_address is new" not in render("terminal", samples.friday_rename())
    assert "email_address is new" in render("terminal", samples.friday_rename(), verbose=True)


def test_accepted_changes_stay_visible() -> None:
    text = " ".join(render("terminal", samples.friday_rename()).split())
    assert "until 2027-01-31, owner team-identity, signed by team-mobile: agreed with the mobile team, RFC 112" in text


def test_the_matrix_crosses_changes_with_consumers() -> None:
    lines = render("terminal", samples.friday_rename()).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("Who is hit"))
    assert [line.split() for line in lines[start + 1 : start + 7]] == [
        ["1", "2", "3"],
        ["analytics", "x", ".", "."],
        ["billing", "x", "?", "?"],
        ["notifications", "x", ".", "."],
        ["orders", "x", ".", "."],
        ["storefront", ".", "x", "."],
    ]


def test_each_fix_has_its_own_command() -> None:
    """By its id, and by what says whether that is the same fix still; with the flags of the check."""
    report = samples.friday_rename()
    rules = report._replace(fixes=tuple(each._replace(proposed_by="rules") for each in report.fixes))
    text = render("terminal", rules)
    for fix in rules.fixes:
        assert fix_name(fix).startswith(f"{fix.id}-")
        assert f"      guardian fix --apply --id {fix_name(fix)}\n" in text
    flags = "--base 'old base.yaml' " + "--service a-service-with-a-long-name " * 9
    for format in ("terminal", "markdown", "html", "sarif"):
        text = render(format, rules._replace(again=Again(flags.strip())))
        assert "guardian fix --apply --id F2" in text
        assert text.count("--service a-service-with-a-long-name") >= 18  # whole, and on one line
    text = render("terminal", rules._replace(again=Again("--head HEAD", applies=False)))
    assert f"guardian fix --dry-run --id {fix_name(rules.fixes[0])} --head HEAD\n" in text


def test_a_model_has_to_be_asked_again() -> None:
    """What it wrote is there only then; a flag or guardian.yaml may name it already."""
    report = samples.friday_rename()
    name = fix_name(report.fixes[1])
    assert f"guardian fix --apply --id {name} --model ...\n" in render("terminal", report)
    asked = report._replace(again=Again("--model http://box:8000", model=True))
    assert f"--id {name} --model http://box:8000\n" in render("terminal", asked)


def test_a_patch_for_elsewhere_says_so() -> None:
    """In every report for people; what cannot be written here is not offered to be, and SARIF has no edit of it."""
    there = Patch(
        "git.example/c@main:m.yaml",
        "manifest",
        (),
        {},
        samples.DUAL_WRITE.patches[0].diff,
        elsewhere="git.example/c@main",
    )
    report = samples.friday_rename()._replace(fixes=(samples.DUAL_WRITE._replace(patches=(there,)),))
    for format in ("terminal", "markdown", "html"):
        assert "(elsewhere: the diff is to be made there)" in " ".join(render(format, report).split()), format
    assert "guardian fix --dry-run --id" in render("terminal", report)
    assert '"artifactChanges"' not in render("sarif", report)


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_lines_keep_to_the_width_and_file_names_stay_whole(width: int) -> None:
    """Only what has no space in it may stick out: a file name, a command."""
    deep = "services/" + "very-long-directory-name/" * 6 + "openapi.yaml"
    moved = samples.EMAIL._replace(head=Location(deep, "/components/schemas/User/properties", 1234, 56))
    report = samples.friday_rename()._replace(changes=(moved, samples.TENANT))
    text = render("terminal", report, width=width)
    assert f"{deep}:1234:56" in text
    for line in text.splitlines():
        words = line.split()
        assert cells(line) <= width or deep in line or words[0] == "guardian", line


def test_long_names_do_not_break_the_matrix() -> None:
    """At any width each consumer keeps a row, columns go on below."""
    report = samples.many(operations=1, consumers=3, edits=70)
    text = render("terminal", report, width=80)
    matrix = text[text.index("Who is hit") :].split("\n\n")[0].splitlines()
    assert max(map(len, matrix)) <= 80
    assert sum(line.split()[0] == "consumer-001" for line in matrix) > 1


def test_a_passing_run_with_warnings_names_no_owner() -> None:
    """Nothing to negotiate where nothing breaks."""
    report = samples.friday_rename()._replace(verdict=Verdict.WARN, changes=(samples.ENUM,), fixes=())
    report = report._replace(summary=report.summary._replace(breaking=0, warnings=1, consumers_broken=()))
    text = render("terminal", report)
    assert text.startswith("WARN  nothing breaks, 1 warning\n")
    assert "owners" not in text
    assert samples.ENUM.counts_as is Severity.WARNING


def test_what_is_left_out_is_no_nothing() -> None:
    """Changes that --consumer or `severity: off` keep out of a report are told of, and a part is not called the whole."""
    clean = samples.clean()
    summary = clean.summary._replace(untouched=2)
    text = render("terminal", clean._replace(summary=summary, only=Only(consumers=("search",))))
    assert text.startswith("PASS  nothing touches search\n")
    assert text.rstrip().endswith(": 2 changes touch others or nobody.")
    text = render("terminal", clean._replace(summary=clean.summary._replace(off=1)))
    assert text.startswith("PASS  nothing but what is off: 1 change\n")
    assert text.rstrip().endswith(": 1 change left out by `severity: off`.")
    assert render("terminal", clean._replace(only=Only(services=("users",)))).startswith("PASS  no change of users\n")


def test_who_is_hit_is_said_where_it_does_not_count() -> None:
    """A user may turn a rule down: then nothing counts as breaking, and still somebody breaks."""
    report = samples.friday_rename()
    summary = report.summary._replace(changes=1, breaking=0, warnings=1, consumers_broken=("billing",))
    lowered = samples.EMAIL._replace(severity=Severity.WARNING, counts_as=Severity.WARNING)
    text = render("terminal", report._replace(verdict=Verdict.WARN, changes=(lowered,), fixes=(), summary=summary))
    assert text.startswith("WARN  nothing counts as breaking, but billing is hit, 1 warning\n")
    assert "billing is hit, though nothing counts as breaking" in " ".join(text.split())
    breaking = report._replace(summary=report.summary._replace(consumers_broken=("a", "analytics", "billing")))
    assert "; a is hit, which counts as less Compared" in " ".join(render("terminal", breaking).split())


def test_silence_is_not_taken_for_disuse() -> None:
    """What nobody reads is said of services that somebody declares to use; of others the readers are not known."""
    report = samples.friday_rename()
    unread = samples.EMAIL._replace(counts_as=Severity.INFO, consumers=())
    summary = report.summary._replace(changes=1, breaking=0, warnings=0, accepted=0, unread=1, consumers_broken=())
    report = report._replace(verdict=Verdict.PASS, changes=(unread,), fixes=(), summary=summary)
    text = " ".join(render("terminal", report).split())
    assert text.startswith("PASS no declared consumer breaks")
    assert "1 breaking on paper but read by nobody" in text
    assert "Breaking on paper, read by nobody" in text
    text = " ".join(render("terminal", report._replace(edges=())).split())
    assert "1 breaking on paper, whose readers are not known" in text
    assert "read by nobody" not in text
    red = unread._replace(counts_as=Severity.BREAKING)
    text = render("terminal", report._replace(changes=(red,), summary=summary._replace(breaking=1)))
    assert "on paper" not in text


def test_wrap_counts_cells_not_characters() -> None:
    """Wide characters take two cells."""
    assert wrap("\u4e16\u754c \u4e16\u754c", 5) == ["\u4e16\u754c", "\u4e16\u754c"]
    assert wrap("a b c", 5) == ["a b c"]


def test_wrap_treats_spaces_alike_in_texts_that_fit_and_that_do_not() -> None:
    """Those at the start are left out, others stay."""
    assert wrap("  a  b ", 9) == ["a  b "]
    assert wrap("  a  b c", 4) == ["a  b", "c"]
    assert wrap("", 9) == wrap("  ", 1) == [""]


def test_changes_that_only_verbose_reports_name_are_left_out_of_others() -> None:
    """What is left stands in the same blocks and in the same order."""
    report = samples.friday_rename()
    found = blocks(report)
    assert blocks(report, harmless=False) == [each for each in found if each.standing is not Standing.INFO] != found
