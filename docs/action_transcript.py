"""Write docs/action-transcript.md: a pull request that opens red, gets an exception, and turns green.

Nothing in it is made up: action.yml's own steps run in bash, in checkouts of a hosted repository, against a local server
that behaves like GitHub's API (fixtures/forge). ``--check`` writes nothing and ends with 1 on drift.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "action-transcript.md"
sys.path.insert(0, str(ROOT / "fixtures"))

import apply  # noqa: E402 - found only now
from forge.api import FakeGitHub  # noqa: E402
from forge.remote import Remote  # noqa: E402
from forge.runner import Run, Runner  # noqa: E402

NUMBER = 7
BRANCH = "friday-rename"
# On this day in the company's configuration the page is the same on every day.
TODAY = "2026-03-06"

WORKFLOW = """\
on: pull_request
permissions: {contents: read, pull-requests: write}
jobs:
  contracts:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v6
      - uses: OWNER/guardian@v1"""

UNSIGNED = """\
- rule: property-removed
  service: users
  reason: style guide, RFC 112; all four readers move this week
  owner: team-identity
  expires: 2026-03-31
"""
SIGNED = UNSIGNED.replace(
    "  expires", "  approved_by: [team-billing, team-insight, team-messaging, team-orders]\n  expires"
)


class Story:
    """The pull request, one run of the action after another."""

    def __init__(self, folder: Path, api: FakeGitHub) -> None:
        self.folder = folder
        self.api = api
        desk = apply.copy_company(folder / "desk")
        apply.git(desk, "init", "--quiet")
        with (desk / "guardian.yaml").open("a", encoding="utf-8") as config:
            config.write(f"as_of: {TODAY}\n")
        apply.git(desk, "add", "--all")
        apply.git(desk, "commit", "--quiet", "--message", "The company as it is")
        self.remote = Remote.host(desk, folder / "origin.git")
        apply.git(desk, "checkout", "--quiet", "-b", BRANCH)
        apply.apply_change(BRANCH, desk)
        self.remote.commit("email becomes email_address", {})
        self.runs = 0

    def diff(self) -> str:
        """What the last commit changed."""
        return apply.git(self.remote.desk, "show", "--format=", "--unified=1", "HEAD").strip()

    def run(self, token: str = "ghs_write") -> tuple[Run, list[str]]:
        """Run the action as GitHub would after a push; with the requests that it made."""
        self.runs += 1
        payload = self.remote.pull_request(BRANCH, NUMBER)
        name = f"refs/remotes/pull/{NUMBER}/merge"
        workspace = self.remote.checkout(self.folder / f"ws{self.runs}", f"refs/pull/{NUMBER}/merge", name)
        runner = Runner(
            action=ROOT,
            workspace=workspace,
            temp=self.folder / f"temp{self.runs}",
            api=self.api.url,
            token=token,
            path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        )
        before = len(self.api.requests)
        merge = payload["pull_request"]["merge_commit_sha"]
        run = runner.run("pull_request", payload, {"version": "installed"}, base_ref=apply.BRANCH, sha=merge)
        return run, [f"{method} {path}" for method, path in self.api.requests[before:]]

    def told(self, run: Run, requests: list[str], *, whole: bool) -> list[str]:
        """A run as the page shows it."""
        log = run.log.strip().splitlines()
        if not whole:  # the first paragraph, and of each annotation the first line
            paragraph = log[: log.index("")] if "" in log else log[:3]
            log = [*paragraph, "...", *(_first_line(line) for line in log if line.startswith(("::", "pull request")))]
        outputs = [
            f"{name}={'$RUNNER_TEMP/.../' + Path(value).name if name.endswith('-file') and value else value}"
            for name, value in run.outputs.items()
        ]
        return [
            f"The step ends with **{run.code}**, and the job's log {'says' if whole else 'says, in short'}:",
            "",
            *fence(log, "text"),
            "",
            "The workflow reads these outputs:",
            "",
            *fence(outputs, "text"),
            "",
            "GitHub was asked:",
            "",
            *fence(requests, "text"),
        ]


def _first_line(annotation: str) -> str:
    first, more, _ = annotation.partition("%0A")
    return f"{first} ..." if more else first


def fence(lines: list[str], language: str) -> list[str]:
    """A code block that may hold code blocks."""
    return [f"````{language}", *lines, "````"]


def transcript() -> str:
    """The page."""
    with tempfile.TemporaryDirectory(prefix="guardian-") as folder, FakeGitHub(issues=(NUMBER,)) as api:
        return "\n".join(_told(Story(Path(folder).resolve(), api), api)) + "\n"


def _told(story: Story, api: FakeGitHub) -> list[str]:
    renamed = story.diff()
    opened = story.told(*story.run(), whole=True)
    red = api.bodies(NUMBER)[0]
    story.remote.commit("accept the rename", {"guardian.exceptions.yaml": UNSIGNED})
    unsigned = story.told(*story.run(), whole=False)
    story.remote.commit("everybody signs", {"guardian.exceptions.yaml": SIGNED})
    signing = story.diff()
    signed = story.told(*story.run(), whole=False)
    green = api.bodies(NUMBER)
    assert len(green) == 1, "one comment tells it all along"
    story.remote.commit("as it was", {"guardian.exceptions.yaml": "[]\n"})
    api.comments[NUMBER].clear()
    fork = story.told(*story.run("ghs_read"), whole=False)
    assert api.bodies(NUMBER) == []
    return [
        "# A pull request, from red to green",
        "",
        "<!-- Written by docs/action_transcript.py; do not edit. -->",
        "",
        "What the GitHub action does in the life of one pull request. Everything here is real output: the steps of",
        "[action.yml](../action.yml) ran in bash, in one-commit-deep checkouts of a hosted repository, against a local server",
        "that behaves like GitHub's API. The company is the one in [fixtures](../fixtures/README.md); its calendar says",
        f"{TODAY} (`as_of` in its guardian.yaml), so that this page stays as it is.",
        "",
        "The workflow:",
        "",
        *fence(WORKFLOW.splitlines(), "yaml"),
        "",
        "## 1. Opened: red",
        "",
        "Dana renames a property:",
        "",
        *fence(renamed.splitlines(), "diff"),
        "",
        *opened,
        "",
        "The comment that it wrote:",
        "",
        *fence(red.strip().splitlines(), "markdown"),
        "",
        "## 2. An exception is added: still red",
        "",
        "Dana writes it down in `guardian.exceptions.yaml`:",
        "",
        *fence(UNSIGNED.strip().splitlines(), "yaml"),
        "",
        "Those whom it breaks have not agreed, so nothing is accepted yet. The comment of before is edited.",
        "",
        *unsigned,
        "",
        "## 3. Everybody signs: green",
        "",
        *fence(signing.splitlines(), "diff"),
        "",
        *signed,
        "",
        "The same comment now says:",
        "",
        *fence(green[0].strip().splitlines(), "markdown"),
        "",
        "## 4. The same from a fork",
        "",
        "A fork's token may not write, so there is no comment. The verdict, the annotations and the step summary are the same,",
        "and one notice says why.",
        "",
        *fork,
    ]


def main() -> int:
    """Write the page, or with ``--check`` tell whether it would change."""
    text = transcript()
    if "--check" in sys.argv[1:]:
        fresh = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        if not fresh:
            print(f"{PAGE.relative_to(ROOT)} is not what {Path(__file__).name} writes", file=sys.stderr)
        return 0 if fresh else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
