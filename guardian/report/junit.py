"""JUnit XML, in the form that GitLab, Jenkins and their kin read: a test case per operation and consumer.

A contract case per changed operation says what the contract says; a consumer case per operation it is hit in
says what that means for it. Only what fails the run fails: what counts as breaking, with `fail_on: warning` what counts as a
warning too. Consumers that nothing touches pass, visibly. Each name says its
service, for hosts keep one case of a class and name, and many services have `GET /health`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from guardian.model import Change, Impact, Report, Severity
from guardian.report import words
from guardian.report.blocks import Standing, listed, ordered, standing
from guardian.report.escape import xml

_TEXT = 2000
_CONSUMERS = 20  # consumers told of in a contract case


def render(report: Report) -> str:
    """The report as ``testsuites``, a suite per service."""
    root = ET.Element("testsuites", name="guardian")
    services = sorted({change.service for change in report.changes} | {edge.service for edge in report.edges})
    for service in services:
        root.append(_suite(service, report))
    if not services:
        suite = ET.SubElement(root, "testsuite", name="guardian")
        ET.SubElement(suite, "testcase", classname="guardian.contract", name=xml(words.headline(report), _TEXT))
    suites = list(root)
    properties = ET.Element("properties")
    for name, value in _properties(report).items():
        ET.SubElement(properties, "property", name=name, value=xml(value, _TEXT))
    suites[0].insert(0, properties)
    for suite in suites:
        _count(suite, [suite])
    _count(root, suites)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _properties(report: Report) -> dict[str, str]:
    summary = report.summary
    counts = {
        "specs": summary.specs,
        "changes": summary.changes,
        "breaking": summary.breaking,
        "warnings": summary.warnings,
        "accepted": summary.accepted,
        "unread": summary.unread,
        "consumers": summary.consumers,
    }
    return {
        "verdict": report.verdict.value,
        "sentence": words.summary_sentence(report),
        **{name: str(number) for name, number in counts.items()},
    }


def _suite(service: str, report: Report) -> ET.Element:
    suite = ET.Element("testsuite", name=xml(service, _TEXT))
    by_operation: dict[str, list[Change]] = {}
    by_use: dict[tuple[str, str], list[Change]] = {}
    for change in (change for change in ordered(report) if change.service == service):
        by_operation.setdefault(change.operation, []).append(change)
        for impact in listed(change.consumers):
            by_use.setdefault((impact.consumer, change.operation), []).append(change)
    for operation, changes in sorted(by_operation.items()):
        failing = [change for change in changes if _fails(change, report)]
        _case(suite, "guardian.contract", operation, changes, failing)
    for (consumer, operation), changes in sorted(by_use.items()):
        failing = [change for change in changes if _fails(change, report) and _breaks(change, consumer)]
        _case(suite, f"guardian.consumer.{consumer}", operation, changes, failing, consumer)
    hit = {consumer for consumer, _ in by_use}
    safe = {edge.consumer for edge in report.edges if edge.service == service and edge.impact is Impact.SAFE}
    for consumer in sorted(safe - hit):
        name = f"{service}: what it uses still holds"
        ET.SubElement(suite, "testcase", classname=xml(f"guardian.consumer.{consumer}", _TEXT), name=xml(name, _TEXT))
    return suite


def _fails(change: Change, report: Report) -> bool:
    """Whether a change fails the run. What breaks is a failure here also where nothing fails the run."""
    found = standing(change)
    return found is Standing.BREAKING or (found is Standing.WARNING and report.fails_from is Severity.WARNING)


def _breaks(change: Change, consumer: str) -> bool:
    return any(impact.consumer == consumer and impact.impact is Impact.BROKEN for impact in change.consumers)


def _case(
    suite: ET.Element, group: str, operation: str, changes: list[Change], failing: list[Change], consumer: str = ""
) -> None:
    name = f"{changes[0].service}: {operation or 'the whole API'}"
    case = ET.SubElement(suite, "testcase", classname=xml(group, _TEXT), name=xml(name, _TEXT))
    place = changes[0].head or changes[0].base
    if place is not None:
        case.set("file", xml(place.file))
        if place.line:
            case.set("line", str(place.line))
    accepted = [change for change in changes if change.exception is not None]
    others = [change for change in changes if change not in failing]
    if failing:
        first = failing[0]
        more = f" and {words.counted(len(failing) - 1, 'more change')}" if len(failing) > 1 else ""
        failure = ET.SubElement(case, "failure", type=xml(first.rule, _TEXT), message=xml(first.message, _TEXT) + more)
        failure.text = _told(failing, consumer)
    elif accepted and len(accepted) == len(changes):
        entry = accepted[0].exception
        if entry is not None:
            said = f"accepted until {entry.expires} by {entry.owner}: {entry.reason}"
            ET.SubElement(case, "skipped", message=xml(said, _TEXT))
    if others:
        ET.SubElement(case, "system-out").text = _told(others, consumer)


def _told(changes: list[Change], consumer: str) -> str:
    lines: list[str] = []
    for change in changes:
        lines.append(f"{standing(change).value}: {change.message} ({words.spot(change)}; {change.rule})")
        lines.append(change.why)
        lines += [
            f"{side}: {words.where(place)}" for side, place in (("head", change.head), ("base", change.base)) if place
        ]
        concerned = [impact for impact in listed(change.consumers) if consumer in ("", impact.consumer)]
        for impact in concerned[:_CONSUMERS]:
            reasons = "; ".join(impact.because)
            manifest = f" ({words.line_of(impact.manifest)})" if impact.manifest else ""
            lines.append(f"{impact.consumer} {impact.impact.value}: {reasons}{manifest}")
        if len(concerned) > _CONSUMERS:
            lines.append(f"and {words.counted(len(concerned) - _CONSUMERS, 'more consumer')}, in cases of their own")
        if change.witness is not None:
            lines.append(f"witness: {words.witness_value(change.witness)}: {words.witness_verdict(change.witness)}")
    return "\n" + "\n".join(xml(line, _TEXT) for line in lines if line) + "\n"


def _count(element: ET.Element, suites: list[ET.Element]) -> None:
    cases = [case for suite in suites for case in suite.iter("testcase")]
    element.set("tests", str(len(cases)))
    element.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    element.set("errors", "0")
    element.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
