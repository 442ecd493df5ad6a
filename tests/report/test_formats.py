"""What holds for every format: one story, the same bytes, and no power to the text of a specification."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from guardian.errors import UsageError
from guardian.model import Report, Severity, Verdict
from guardian.report import FORMATS, render
from guardian.report.gitlab import NOTE_CHECK
from tests.report import samples

SAMPLES = {
    "friday rename": samples.friday_rename(),
    "clean": samples.clean(),
    "hostile": samples.hostile(),
    "many": samples.many(),
}


def tally(sentence: str) -> dict[str, int]:
    """The counts that a summary sentence speaks of."""
    patterns = {
        "changes": r"Compared ([\d,]+) change",
        "specs": r"([\d,]+) specs?",
        "consumers": r"against ([\d,]+) consumer",
        "breaking": r"([\d,]+) breaking(?! on paper)",
        "warnings": r"([\d,]+) warnings?",
        "accepted": r"([\d,]+) accepted",
        "unread": r"([\d,]+) breaking on paper",
    }
    found = {name: re.search(pattern, sentence) for name, pattern in patterns.items()}
    return {name: int(match[1].replace(",", "")) if match else 0 for name, match in found.items()}


def wanted(report: Report) -> dict[str, int]:
    counts = ("changes", "specs", "consumers", "breaking", "warnings", "accepted", "unread")
    return {name: getattr(report.summary, name) for name in counts}


def story(format: str, report: Report) -> tuple[str, dict[str, int]]:
    """The verdict and the counts as a reader of the format finds them."""
    text = render(format, report)
    if format == "terminal":
        return text.split()[0].lower(), tally(" ".join(text.split("\n\n")[0].split()))
    if format == "json":
        data = json.loads(text)
        return data["verdict"], {name: data["summary"][name] for name in wanted(report)}
    if format == "sarif":
        properties = json.loads(text)["runs"][0]["properties"]
        return properties["verdict"], {name: properties["summary"][name] for name in wanted(report)}
    if format == "junit":
        properties = {item.get("name"): item.get("value") for item in ET.fromstring(text).iter("property")}
        return str(properties["verdict"]), {name: int(properties[name] or "") for name in wanted(report)}
    if format == "markdown":
        title = re.search(r"^## guardian: (\w+)$", text, re.MULTILINE)
        sentence = re.search(r"^Compared .*$", text, re.MULTILINE)
        assert title and sentence
        return title[1].lower(), tally(sentence[0])
    if format == "html":
        title = re.search(r"<title>guardian: (\w+)</title>", text)
        sentence = re.search(r"<p>(Compared [^<]*)</p>", text)
        embedded = re.search(r'<script type="application/json" id="report">(.*?)</script>', text, re.DOTALL)
        assert title and sentence and embedded
        assert json.loads(embedded[1]) == json.loads(render("json", report))
        return title[1].lower(), tally(sentence[1])
    assert format == "github"
    title = re.search(r"^::notice title=guardian%3A (\w+)::.*(Compared .*)$", text, re.MULTILINE)
    assert title
    return title[1].lower(), tally(title[2])


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("format", [format for format in FORMATS if format != "gitlab"])
def test_every_format_tells_the_same_verdict_and_counts(format: str, name: str) -> None:
    """The verdict and all counts can be read from any format, and are those of the report."""
    report = SAMPLES[name]
    assert story(format, report) == (report.verdict.value, wanted(report))


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_verdict_is_told_as_it_is(verdict: Verdict) -> None:
    """Writers decide nothing: a report that passes with a breaking change (nothing fails the build) passes everywhere."""
    report = samples.friday_rename()._replace(verdict=verdict)
    for format in FORMATS:
        if format != "gitlab":
            assert story(format, report)[0] == verdict.value


@pytest.mark.parametrize("name", ["friday rename", "clean", "many"])
def test_findings_count_what_the_summary_counts(name: str) -> None:
    """Formats made of entries have an entry per change that counts: SARIF by level, GitLab by severity."""
    report = SAMPLES[name]
    results = json.loads(render("sarif", report))["runs"][0]["results"]
    levels = [result["level"] for result in results]
    accepted = [result for result in results if "suppressions" in result]
    assert (levels.count("error"), levels.count("warning")) == (report.summary.breaking, report.summary.warnings)
    assert len(accepted) == report.summary.accepted
    issues = [issue for issue in json.loads(render("gitlab", report)) if issue["check_name"] != NOTE_CHECK]
    severities = [issue["severity"] for issue in issues]
    assert (severities.count("critical"), severities.count("minor")) == (
        report.summary.breaking,
        report.summary.warnings,
    )


@pytest.mark.parametrize("format", FORMATS)
def test_reports_do_not_depend_on_the_order_of_their_parts(format: str) -> None:
    """The same findings are the same bytes, in whatever order they were found."""
    report = samples.friday_rename()
    shuffled = report._replace(
        changes=tuple(change._replace(consumers=change.consumers[::-1]) for change in report.changes[::-1]),
        edges=report.edges[::-1],
        notes=report.notes[::-1],
        summary=report.summary._replace(consumers_broken=report.summary.consumers_broken[::-1]),
    )
    assert render(format, report) == render(format, shuffled) == render(format, report)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("format", FORMATS)
def test_reports_end_with_one_newline_and_are_utf8(format: str, name: str) -> None:
    text = render(format, SAMPLES[name])
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert text.encode("utf-8").decode("utf-8") == text


def test_an_unknown_format_is_a_usage_error_that_names_the_formats() -> None:
    with pytest.raises(UsageError, match="yaml") as caught:
        render("yaml", samples.clean())
    assert all(format in str(caught.value) for format in FORMATS)


# What a terminal or browser would obey instead of showing: all of HOSTILE's unseen characters.
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize("format", FORMATS)
def test_no_character_acts_instead_of_being_seen(format: str) -> None:
    """Escape sequences, bidirectional overrides and their like reach no format as themselves."""
    assert not UNSEEN.search(render(format, samples.hostile(), verbose=True))


@pytest.mark.parametrize("format", FORMATS)
def test_no_text_becomes_a_workflow_command(format: str) -> None:
    """Build runners read commands out of whatever a step prints; only the annotations of ``github`` are commands."""
    text = render(format, samples.hostile(), verbose=True)
    assert not re.search(r"##\w*\[", text)
    own = re.compile(r"::(error|warning|notice) (file=[^,:]+(,line=\d+)?(,col=\d+)?,)?title=[^,:]*::")
    for line in text.splitlines():
        if line.strip().startswith("::"):
            assert format == "github"
            assert own.match(line)


def test_a_github_annotation_never_spans_lines() -> None:
    """One command a line: a message cannot smuggle in a second one."""
    lines = render("github", samples.hostile()).splitlines()
    assert all(line.startswith("::") for line in lines)
    assert len(lines) <= 30


def test_color_adds_only_its_own_escapes() -> None:
    """In colour the words are the same, and every escape is a plain colour change."""
    for report in SAMPLES.values():
        colored = render("terminal", report, color=True)
        assert re.sub(r"\x1b\[[\d;]*m", "", colored) == render("terminal", report)


class Elements(HTMLParser):
    """The elements and attributes of a page, and its text outside them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def test_html_holds_no_element_of_a_hostile_specification() -> None:
    """Two scripts are ours (data and code); no other script, image, frame, style or handler gets in."""
    tame, wild = (Elements(render("html", report)) for report in (samples.friday_rename(), samples.hostile()))
    assert wild.tags.count("script") == tame.tags.count("script") == 2
    assert wild.tags.count("style") == 1
    assert not {"img", "iframe", "object", "embed", "link", "base", "form"} & set(wild.tags)
    names = {name for name, _ in wild.attributes}
    assert not {name for name in names if name.startswith("on")} | (names & {"style", "src", "srcdoc"})
    assert all((value or "").startswith("#") for name, value in wild.attributes if name == "href")


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("format", FORMATS)
def test_every_optional_part_may_be_missing(format: str, verbose: bool) -> None:
    """A change with neither places nor operation nor texts is still reported."""
    bare = samples.change("spec-removed", "", "", message="", why="", place="", counts_as=Severity.BREAKING)
    report = samples.clean()._replace(changes=(bare,), edges=(), verdict=Verdict.FAIL)
    assert "spec-removed" in render(format, report, verbose=verbose)
