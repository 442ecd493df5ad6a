"""Reports: one frozen ``Report`` in, the text of one format out.

Every writer is a module with a ``render`` of its own and is imported when its format is asked for, so that a
run pays for the formats it writes. Writers add nothing and decide nothing; all tell the same verdict.
"""

from __future__ import annotations

from guardian.errors import UsageError
from guardian.model import Report

#: The names that ``--format`` and ``--report`` take.
FORMATS: tuple[str, ...] = ("terminal", "json", "sarif", "junit", "markdown", "html", "github", "gitlab")


def render(format: str, report: Report, *, color: bool = False, width: int = 100, verbose: bool = False) -> str:
    """The report in one of ``FORMATS``, ending with a newline.

    Args:
        color: terminal only: with ANSI colours.
        width: terminal only: cells in a line; file names are never cut or wrapped.
        verbose: list harmless changes too, and leave nothing out for brevity (formats for people, SARIF, GitLab).

    Raises:
        UsageError: the format is not one of ``FORMATS``.
    """
    match format:
        case "terminal":
            from guardian.report import terminal

            return terminal.render(report, color=color, width=width, verbose=verbose)
        case "json":
            from guardian.report import json

            return json.render(report)
        case "sarif":
            from guardian.report import sarif

            return sarif.render(report, verbose=verbose)
        case "junit":
            from guardian.report import junit

            return junit.render(report)
        case "markdown":
            from guardian.report import markdown

            return markdown.render(report, verbose=verbose)
        case "html":
            from guardian.report import html

            return html.render(report)
        case "github":
            from guardian.report import github

            return github.render(report)
        case "gitlab":
            from guardian.report import gitlab

            return gitlab.render(report, verbose=verbose)
        case _:
            raise UsageError(f"there is no report format {format!r}", hint=f"Formats: {', '.join(FORMATS)}.")
