"""The steps of the GitHub action, for action.yml alone: ``python -P -m guardian.cli.action install`` and ``check``.

The first runs before guardian's dependencies are there, so nothing here needs more than the standard library and git.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from guardian.errors import GuardianError
from guardian.host import gate
from guardian.host.base import credentials, trust
from guardian.host.comment import marker, publish
from guardian.host.event import Event, read_event
from guardian.host.github import GitHub, HostRefusal
from guardian.host.inputs import Inputs, read_inputs
from guardian.host.install import install
from guardian.host.workflow import annotation, append_summary, cut, with_notices, write_outputs
from guardian.report.escape import terminal
from guardian.spec.roots import repository_around
from guardian.utf8 import start_again_in_utf8

_COMMENT_LIMIT = 65_000
_COMMENTS = "its comments need `permissions: {pull-requests: write}`, which no pull request from a fork gets"


def install_step() -> int:
    """Make guardian ready, and tell the next step how to run it."""
    command = install(read_inputs(os.environ).version, os.environ)
    write_outputs({"python": sys.executable, "command": json.dumps(command)}, os.environ)
    return 0


def check_step() -> int:
    """Run the check, and tell everybody: the log, the workflow, the summary and the pull request."""
    event = Event("unknown event")
    inputs: Inputs | None = None
    chosen: gate.Plan | None = None
    try:
        inputs = read_inputs(os.environ)
        event = read_event(os.environ)
        chosen = _plan(inputs, event)
        outcome = gate.execute(json.loads(os.environ["GUARDIAN_COMMAND"]), chosen, _without_ours(inputs))
    except GuardianError as error:
        outcome = gate.failed(error)

    if chosen is not None:
        print(terminal(f"Compared with {chosen.base}"))
    print(outcome.log, end="", flush=True)
    notices = [chosen.remark] if chosen is not None and chosen.remark else []
    write_outputs({"result": outcome.result, "exit-code": str(outcome.code), **outcome.outputs}, os.environ)
    append_summary(outcome.markdown, os.environ)
    if inputs is not None and inputs.comment and event.number is not None:
        notices += _comment(event.number, inputs, outcome, event, chosen)
    print(with_notices(outcome.annotations, notices), end="")
    if outcome.error:
        print(annotation("error", outcome.error))
    return outcome.code


def _plan(inputs: Inputs, event: Event) -> gate.Plan:
    workspace = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())
    root = repository_around((workspace / inputs.working_directory).resolve())
    folder = Path(tempfile.mkdtemp(prefix="guardian-", dir=os.environ.get("RUNNER_TEMP") or None))
    if root is None:
        return gate.plan(inputs, event, workspace, folder)
    os.environ.update(trust(root, os.environ))
    server = os.environ.get("GITHUB_SERVER_URL") or "https://github.com"
    with _lent(credentials(root, inputs.github_token, server, os.environ) if inputs.github_token else {}):
        return gate.plan(inputs, event, workspace, folder)


def _without_ours(inputs: Inputs) -> Mapping[str, str]:
    """The environment of guardian: another release must not find the one beside this file."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH" or not inputs.version}


def _comment(number: int, inputs: Inputs, outcome: gate.Outcome, event: Event, chosen: gate.Plan | None) -> list[str]:
    """Tell the pull request, or return why that cannot be done. Either way the check's own exit code stands."""
    key = inputs.comment_key or "/".join(
        part for part in (os.environ.get("GITHUB_WORKFLOW"), os.environ.get("GITHUB_JOB")) if part
    )
    if not inputs.comment_key and inputs.working_directory != ".":
        key += f"/{inputs.working_directory}"
    host = GitHub(
        os.environ.get("GITHUB_API_URL") or "https://api.github.com",
        os.environ.get("GITHUB_REPOSITORY", ""),
        inputs.github_token,
    )
    text = cut(outcome.markdown, _COMMENT_LIMIT - 1_000) + _footer(event, chosen)
    try:
        said = publish(host, number, marker(key), text, clean=outcome.result == "pass")
    except HostRefusal as refusal:
        why = _COMMENTS if refusal.forbidden else "the step summary has the report"
        return [f"guardian cannot comment on {event.title}: {refusal}; {why}"]
    print(f"{event.title}: {said}", flush=True)
    return []


def _footer(event: Event, chosen: gate.Plan | None) -> str:
    commit = (event.head_commit or os.environ.get("GITHUB_SHA", ""))[:12]
    server, repository = os.environ.get("GITHUB_SERVER_URL", ""), os.environ.get("GITHUB_REPOSITORY", "")
    run = f"{server}/{repository}/actions/runs/{os.environ.get('GITHUB_RUN_ID', '')}"
    against = f" against {chosen.base[:12]}" if chosen is not None and chosen.outputs["base"] else ""
    return f"\n<sub>{commit}{against} ([run]({run}))</sub>\n"


@contextmanager
def _lent(variables: Mapping[str, str]) -> Iterator[None]:
    """Variables for the git commands of one block, and for nothing after it."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


STEPS: dict[str, Callable[[], int]] = {"install": install_step, "check": check_step}


def main() -> None:
    """Run one step and exit with guardian's code; a fault is never taken for findings."""
    start_again_in_utf8()
    if isinstance(sys.stdout, io.TextIOWrapper):  # on Windows it would be of one country
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = STEPS[sys.argv[1]]()
    except GuardianError as error:
        code = _gave_up(str(error), error.exit_code)
    except Exception as fault:  # noqa: BLE001 - the last resort: Python itself would end with 1, which means findings
        code = _gave_up(f"a fault in the action: {type(fault).__name__}: {fault}", 4)
    sys.exit(code)


def _gave_up(why: str, code: int) -> int:
    print(annotation("error", why))
    write_outputs({"result": "error", "exit-code": str(code)}, os.environ)
    return code


if __name__ == "__main__":
    main()
