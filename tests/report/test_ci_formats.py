"""JUnit, GitLab Code Quality and GitHub annotations: what each host reads, and its limits."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter

from guardian.model import Location, Note, Report, Severity
from guardian.report import render
from tests.report import samples


def cases(report: Report) -> dict[tuple[str, str], str]:
    """(class, name) -> pass, fail or skip."""
    root = ET.fromstring(render("junit", report))
    states = {}
    for case in root.iter("testcase"):
        state = "fail" if case.find("failure") is not None else "skip" if case.find("skipped") is not None else "pass"
        key = (str(case.get("classname")), str(case.get("name")))
        assert key not in states
        states[key] = state
    return states


def test_junit_has_a_case_per_operation_and_consumer() -> None:
    """Only what breaks a consumer fails it; what is accepted is skipped; what is untouched passes."""
    found = cases(samples.friday_rename())
    assert found["guardian.contract", "users: GET /users/{id}"] == "fail"
    assert found["guardian.contract", "users: POST /users"] == "pass"
    assert found["guardian.consumer.billing", "users: GET /users/{id}"] == "fail"
    assert found["guardian.consumer.billing", "orders: POST /orders"] == "pass"
    assert found["guardian.consumer.analytics", "users: GET /users/{id}"] == "fail"
    assert found["guardian.consumer.mobile", "users: GET /users/{id}"] == "skip"
    assert found["guardian.consumer.support", "users: what it uses still holds"] == "pass"
    assert ("guardian.consumer.analytics", "billing: what it uses still holds") not in found


def test_cases_of_several_services_are_told_apart() -> None:
    """Hosts keep one case of a class and name, and many services have the same operation."""
    report = samples.friday_rename()
    other = samples.EMAIL._replace(service="accounts", fingerprint="0" * 12)
    found = cases(report._replace(changes=(*report.changes, other)))
    for kind in ("contract", "consumer.billing"):
        for service in ("users", "accounts"):
            assert found[f"guardian.{kind}", f"{service}: GET /users/{{id}}"] == "fail"


def test_junit_totals_are_the_sums_of_its_cases() -> None:
    root = ET.fromstring(render("junit", samples.friday_rename()))
    for element in (root, *root.iter("testsuite")):
        assert int(element.get("tests", "")) == len(list(element.iter("testcase")))
        assert int(element.get("failures", "")) == len(list(element.iter("failure")))
        assert int(element.get("skipped", "")) == len(list(element.iter("skipped")))


def test_junit_fails_where_warnings_fail_the_run() -> None:
    warning = samples.EMAIL._replace(counts_as=Severity.WARNING)
    report = samples.friday_rename()._replace(changes=(warning,))
    assert 'failures="0"' in render("junit", report).splitlines()[1]
    failing = render("junit", report._replace(fails_from=Severity.WARNING))
    assert '<failure type="property-removed"' in failing
    assert 'failures="0"' not in failing.splitlines()[1]


def test_junit_of_nothing_is_one_passing_case() -> None:
    """Hosts take an empty file for a lost one."""
    assert list(cases(samples.clean()._replace(edges=())).values()) == ["pass"]


def test_junit_carries_hostile_text() -> None:
    """XML 1.0 has no NUL and no escape character; the file parses all the same."""
    root = ET.fromstring(render("junit", samples.hostile()))
    assert any("\\x1b" in str(case.get("name")) for case in root.iter("testcase"))


def test_gitlab_of_nothing_is_an_empty_array() -> None:
    assert json.loads(render("gitlab", samples.clean())) == []


def test_gitlab_issues_have_what_gitlab_requires() -> None:
    issues = json.loads(render("gitlab", samples.friday_rename()))
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert not issue["location"]["path"].startswith(("./", "/"))
        assert issue["location"]["lines"]["begin"] >= 1


def test_gitlab_fingerprints_are_unique_and_know_no_lines() -> None:
    """Equal ones are dropped by GitLab; one that moves with its line would look new in each push."""

    def shifted(place: Location | None) -> Location | None:
        return place._replace(line=(place.line or 0) + 100) if place else None

    for report in (samples.friday_rename(), samples.many()):
        moved = report._replace(
            changes=tuple(c._replace(base=shifted(c.base), head=shifted(c.head)) for c in report.changes),
        )
        prints = [[issue["fingerprint"] for issue in json.loads(render("gitlab", r))] for r in (report, moved)]
        assert prints[0] == prints[1]
        assert len(set(prints[0])) == len(prints[0])
    twins = samples.clean()._replace(changes=(samples.EMAIL, samples.EMAIL))
    assert len({issue["fingerprint"] for issue in json.loads(render("gitlab", twins))}) == 2


def test_gitlab_paths_are_relative_without_a_dot() -> None:
    change = samples.EMAIL._replace(head=Location("./api\\users.yaml", "/x", 3))
    (issue,) = json.loads(render("gitlab", samples.clean()._replace(changes=(change,))))
    assert issue["location"]["path"] == "api/users.yaml"


def commands(report: Report) -> list[str]:
    return render("github", report).splitlines()


def test_github_annotations_point_at_head_and_name_base() -> None:
    first = commands(samples.friday_rename())[0]
    assert first.startswith(
        "::error file=services/users/openapi.yaml,line=36,col=7,title=property-removed (breaking)::users: "
    )
    assert first.endswith("%0Abase: services/users/openapi.yaml:39:9")


def test_github_annotations_are_sorted_by_severity() -> None:
    levels = [line[2:].split(" ")[0] for line in commands(samples.friday_rename())]
    assert levels == sorted(levels, key=["error", "warning", "notice"].index)


def test_github_keeps_to_ten_a_level_and_says_what_was_cut() -> None:
    """The runner drops the rest in silence; the last notice does not."""
    report = samples.many(operations=1, consumers=1, edits=25)
    notes = tuple(Note(level, f"note {number}") for level in ("warning", "info") for number in range(14))
    lines = commands(report._replace(notes=notes))
    counts = Counter(line[2:].split(" ")[0] for line in lines)
    assert counts == {"error": 10, "warning": 10, "notice": 10}
    assert "15 errors, 4 warnings, 5 notices" in lines[-1]


def test_github_merges_one_edit_into_one_annotation() -> None:
    lines = commands(samples.many(operations=40, consumers=2))
    assert len(lines) == 2
    assert "and 39 more places by the same edit" in lines[0]


def test_github_properties_survive_odd_file_names() -> None:
    change = samples.EMAIL._replace(head=Location("main:a,b%.yaml", "/x", 3, 1))
    line = commands(samples.clean()._replace(changes=(change,)))[0]
    assert re.match(r"::error file=main%3Aa%2Cb%25\.yaml,line=3,col=1,title=[^,:]+::", line)
