"""Which strategy mends which kind of change, and why the others do not.

One table: families of rules, and for each of the five strategies either what makes its drafts or the reason why it has
none. ``docs/fixes.md`` is printed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from guardian.fixes import endpoints, migrate, parts, properties, schemas, versions
from guardian.fixes.draft import Draft
from guardian.fixes.work import Work
from guardian.model import Strategy

Maker = Callable[[Work], Iterator[Draft]]


@dataclass(frozen=True, slots=True)
class Family:
    """Rules whose changes are mended alike. A text in ``makers`` says why a strategy does not apply."""

    name: str
    rules: tuple[str, ...]
    makers: Mapping[Strategy, Maker | str]


_ALIAS, _BOTH, _WINDOW = Strategy.FIELD_ALIAS, Strategy.DUAL_WRITE, Strategy.DEPRECATION_WINDOW
_VERSION, _CONSUMER = Strategy.VERSION_BUMP, Strategy.CONSUMER_PATCH

_NO_NAME = "nothing was renamed"
_NO_OTHER_FORM = "there is one form, and more or less of it"
_IN_CODE = "a manifest names fields, not the values its reader copes with"

FAMILIES: tuple[Family, ...] = (
    Family(
        "A property is gone or renamed",
        ("property-removed",),
        {
            _ALIAS: properties.alias,
            _BOTH: properties.both,
            _WINDOW: properties.window,
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A property may be missing",
        ("property-became-optional",),
        {
            _ALIAS: _NO_NAME,
            _BOTH: _NO_OTHER_FORM,
            _WINDOW: properties.required_until,
            _VERSION: versions.version_bump,
            _CONSUMER: "a manifest does not say what its reader does without the field",
        },
    ),
    Family(
        "A property is newly required",
        ("required-property-added", "property-became-required"),
        {
            _ALIAS: _NO_NAME,
            _BOTH: _NO_OTHER_FORM,
            _WINDOW: properties.optional_until,
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A schema says something else",
        (
            "type-changed", "nullability-changed", "format-changed", "number-format-changed", "integer-changed",
            "enum-value-added", "enum-value-removed", "pattern-changed", "minimum-changed", "maximum-changed",
            "multiple-of-changed", "min-length-changed", "max-length-changed", "min-items-changed", "max-items-changed",
            "unique-items-changed", "min-properties-changed", "max-properties-changed", "additional-properties-changed",
            "pattern-properties-changed", "property-names-changed", "dependent-required-changed",
            "dependent-schemas-changed", "condition-changed", "contains-changed", "not-changed", "alternative-added",
            "alternative-removed", "discriminator-changed", "opaque-composition-changed", "property-visibility-changed",
        ),
        {
            _ALIAS: _NO_NAME,
            _BOTH: lambda work: _each(work, schemas.union, schemas.twin),
            _WINDOW: schemas.window,
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A parameter is gone, renamed or moved",
        ("parameter-removed", "parameter-moved"),
        {
            _ALIAS: parts.parameter_alias,
            _BOTH: parts.parameter_both,
            _WINDOW: parts.parameter_window,
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A parameter or body is newly required",
        ("parameter-added", "parameter-became-required", "request-body-added", "request-body-became-required"),
        {
            _ALIAS: _NO_NAME,
            _BOTH: _NO_OTHER_FORM,
            _WINDOW: parts.optional_until,
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A parameter, header or form part is written differently",
        (
            "parameter-style-changed", "parameter-content-changed", "parameter-empty-value-changed",
            "header-style-changed", "encoding-changed", "media-type-parameter-changed", "media-type-range-changed",
            "header-became-optional", "parameter-became-optional", "request-body-became-optional", "response-body-added",
        ),
        {
            _ALIAS: _NO_NAME,
            _BOTH: "one name is written in one way",
            _WINDOW: parts.part_window,
            _VERSION: versions.version_bump,
            _CONSUMER: _IN_CODE,
        },
    ),
    Family(
        "A media type, response or header is gone",
        ("media-type-removed", "response-removed", "header-removed", "response-status-changed"),
        {
            _ALIAS: "media types, statuses and headers have meanings, not names of somebody's choice",
            _BOTH: parts.member_both,
            _WINDOW: parts.member_window,
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A body is gone",
        ("request-body-removed",),
        {
            _ALIAS: _NO_NAME,
            _BOTH: _NO_OTHER_FORM,
            _WINDOW: parts.request_body_restored,
            _VERSION: versions.version_bump,
            _CONSUMER: _IN_CODE,
        },
    ),
    Family(
        "A response has no body any more",
        ("response-body-removed",),
        {
            _ALIAS: _NO_NAME,
            _BOTH: _NO_OTHER_FORM,
            _WINDOW: parts.response_body_restored,
            _VERSION: versions.version_bump,
            _CONSUMER: _IN_CODE,
        },
    ),
    Family(
        "An operation or webhook is gone or moved",
        ("operation-removed", "webhook-removed", "path-slash-changed"),
        {
            _ALIAS: endpoints.operation_alias,
            _BOTH: endpoints.operation_both,
            _WINDOW: endpoints.operation_window,
            _VERSION: "what is gone has no next version",
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A callback is gone",
        ("callback-removed",),
        {
            _ALIAS: _NO_NAME,
            _BOTH: _NO_OTHER_FORM,
            _WINDOW: endpoints.callback_window,
            _VERSION: versions.version_bump,
            _CONSUMER: _IN_CODE,
        },
    ),
    Family(
        "Security is tighter",
        (
            "security-added", "security-scope-added", "security-scheme-changed", "security-alternative-removed",
        ),
        {
            _ALIAS: _NO_NAME,
            _BOTH: endpoints.security_both,
            _WINDOW: endpoints.security_window,
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
)  # fmt: skip


def _each(work: Work, *makers: Maker) -> Iterator[Draft]:
    for maker in makers:
        yield from maker(work)


_BY_RULE = {rule: family for family in FAMILIES for rule in family.rules}


def family_of(rule: str) -> Family | None:
    """The family that a rule belongs to; None for a rule whose changes nothing mends."""
    return _BY_RULE.get(rule)


def drafts(work: Work, strategy: Strategy) -> Iterator[Draft]:
    """The attempts of one strategy at a group, the one that touches least first; none where it does not apply."""
    family = family_of(work.group.first.rule)
    maker = family.makers[strategy] if family is not None else ""
    if not isinstance(maker, str):
        yield from maker(work)
