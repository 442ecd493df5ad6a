"""The values of guardian.yaml, as its users write them.

A string below a field is its documentation: it becomes the description in the published JSON Schema
(``guardian schema config``). Paths are as written, relative to the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Literal

from guardian.model import Direction, Mode, Severity

DEFAULT_CONFIG = "guardian.yaml"
DEFAULT_EXCEPTIONS = "guardian.exceptions.yaml"


class FailOn(StrEnum):
    """The least severity that fails a run; `none` fails nothing."""

    BREAKING = "breaking"
    WARNING = "warning"
    NONE = "none"


class Visibility(StrEnum):
    """Who may read an API: a public one has readers nobody declared."""

    INTERNAL = "internal"
    PUBLIC = "public"


class ReportFormat(StrEnum):
    """The forms a report comes in; all of them say the same."""

    TERMINAL = "terminal"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    MARKDOWN = "markdown"
    HTML = "html"
    GITHUB = "github"
    GITLAB = "gitlab"


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One service: where its specification is and who answers for it."""

    spec: str
    """The OpenAPI document, relative to this file; globs allowed."""
    owner: str | None = None
    """The team to ask."""
    visibility: Visibility = Visibility.INTERNAL
    """`public`: the API has readers nobody declared, so a breaking change breaks whoever is declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """How an API may age."""

    deprecation_days: int = 90
    """Days that a deprecated part must stay before it may be removed."""
    stability_extension: str = "x-stability-level"
    """The extension that says how stable a part is: `alpha` and `draft` parts are outside the verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """The trained model that proposes fixes; nothing it says is believed unverified."""

    endpoint: str
    """URL of an OpenAI-compatible server, or the directory of an adapter."""
    name: str = "guardian"
    """The model's name on that server."""
    timeout_s: float = 30
    """Seconds to wait for one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """guardian.yaml. A command-line flag of the same meaning goes before its key; every key may be left out."""

    version: Literal[1] = 1
    """The version of this file's form."""
    services: Mapping[str, Service] = field(default_factory=dict)
    """The services by name."""
    consumers: tuple[str, ...] = ()
    """Manifests, pact files or directories of either; globs; `git+URL#REV:glob` for another repository, or
    `pact-broker+URL#provider=NAME` for a Pact Broker."""
    mode: Mode = Mode.BOTH
    """Whose judgement counts: the contract's alone, the consumers' alone, or both."""
    fail_on: FailOn = FailOn.BREAKING
    """From which severity on a finding fails the run."""
    severity: Mapping[str, Severity] = field(default_factory=dict)
    """Rule -> severity; `rule@request` and `rule@response` narrow it to one direction and go before `rule`."""
    exceptions: str | None = None
    """The file of accepted findings, once it is there; `guardian.exceptions.yaml` beside this file if not said."""
    lifecycle: Lifecycle = field(default_factory=Lifecycle)
    """Deprecation windows and stability levels."""
    model: ModelSettings | None = None
    """The model that proposes fixes."""
    base: str | None = None
    """As `--base`: a file, a directory, a git revision, or `REV:path`."""
    head: str | None = None
    """As `--head`."""
    only_services: tuple[str, ...] = ()
    """As `--service`: check these services alone."""
    only_consumers: tuple[str, ...] = ()
    """As `--consumer`: report only what touches these consumers."""
    format: ReportFormat = ReportFormat.TERMINAL
    """As `--format`: the report on standard output."""
    reports: Mapping[ReportFormat, str] = field(default_factory=dict)
    """As `--report FORMAT=FILE`: further reports of the same run, relative to this file."""
    as_of: date | None = None
    """As `--as-of`: the day that windows and expiries are judged on; today where not given."""
    fixes: bool = True
    """As `--fixes`, `--no-fixes`: propose verified fixes."""
    advisory: bool = False
    """As `--advisory`: report everything, fail nothing."""
    allow_remote_refs: tuple[str, ...] = ()
    """As `--allow-remote-refs`: hosts that a `$ref` may be fetched from."""
    jobs: int | None = None
    """As `--jobs`: processes at most; the number of processors where not given."""
    quiet: bool = False
    """As `--quiet`: no progress and no remarks beside the report."""
    verbose: bool = False
    """As `--verbose`: say more in text reports, and show the traceback of a fault."""
    color: bool | None = None
    """As `--color`, `--no-color`; where not given, colour goes to terminals."""

    def severity_of(self, rule: str, direction: Direction, alias: str | None = None) -> Severity | None:
        """What this file says about a rule in one direction; ``None`` where it says nothing.

        ``alias`` is the name by which oasdiff would call the very change; what is said of it counts first.
        """
        if not self.severity:
            return None
        names = (name for each in (alias, rule) if each for name in (f"{each}@{direction}", each))
        return next((self.severity[name] for name in names if name in self.severity), None)
