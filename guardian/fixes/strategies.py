"""Which strategy mends which kind of change, and why the others do not.

One table: families of rules, and for each of the five strategies either what makes its drafts or the reason why it has
none. ``docs/fixes.md`` is printed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from guardian.fixes import endpoints, migrate, parameters, parts, properties, schemas, versions
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
            _ALIAS: properties.former_alias,
            _BOTH: properties.former_both,
            _WINDOW: lambda work: _each(work, properties.optional_until, parameters.optional_until),
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A schema says something else",
        (
            "type-changed", "nullability-changed", "format-changed",
            "enum-value-added", "enum-value-removed", "pattern-changed", "minimum-changed", "maximum-changed",
            "multiple-of-changed", "min-length-changed", "max-length-changed", "min-items-changed", "max-items-changed",
            "unique-items-changed", "min-properties-changed", "max-properties-changed", "additional-properties-changed",
            "pattern-properties-changed", "property-names-changed", "dependent-required-changed",
            "dependent-schemas-changed", "condition-changed", "contains-changed", "not-changed", "alternative-added",
            "alternative-removed", "discriminator-changed", "opaque-composition-changed", "property-visibility-changed", "content-changed",
            "xml-changed",
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
            _ALIAS: parameters.alias,
            _BOTH: parameters.both,
            _WINDOW: parameters.window,
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A parameter or body is newly required",
        ("parameter-added", "parameter-became-required", "request-body-added", "request-body-became-required",
         "header-added", "header-became-required"),
        {
            _ALIAS: parameters.alias,
            _BOTH: parameters.both,
            _WINDOW: parameters.optional_until,
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A parameter, header or form part is written differently",
        (
            "parameter-style-changed", "parameter-content-changed", "parameter-empty-value-changed",
            "header-style-changed", "encoding-changed", "media-type-parameter-changed",
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
        "A property is new to strict decoders",
        ("property-added",),
        {
            _ALIAS: _NO_NAME,
            _BOTH: _NO_OTHER_FORM,
            _WINDOW: "nothing goes that could be kept",
            _VERSION: versions.version_bump,
            _CONSUMER: migrate.consumer_patch,
        },
    ),
    Family(
        "A body comes in one more form",
        ("media-type-added",),
        {
            _ALIAS: _NO_NAME,
            _BOTH: "the new form is what readers do not know",
            _WINDOW: parts.held_back,
            _VERSION: versions.version_bump,
            _CONSUMER: _IN_CODE,
        },
    ),
    Family(
        "A media type, response or header is gone",
        ("media-type-removed", "media-type-range-changed", "response-removed", "header-removed", "response-status-changed"),
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


#: The rules whose changes need no fix, or have none, and why.
UNMENDED: Mapping[str, str] = {
    "callback-added": "it breaks nobody",
    "callback-expression-changed": "a warning: the receiver chooses the URL, by an expression that only it can judge",
    "components-unreachable": "it breaks nobody",
    "consumer-operation-unknown": "a declaration is wrong, and only its owner knows what was meant",
    "default-changed": "it breaks nobody: defaults are not used in validation",
    "deprecated-in-use": "it breaks nobody yet",
    "exception-expired": "the finding that it was about has its own fix",
    "exception-stale": "`guardian exceptions prune` removes the entry",
    "exception-unsigned": "only the owners can sign",
    "header-deprecated": "it breaks nobody",
    "header-undeprecated": "it breaks nobody",
    "links-changed": "it breaks nobody",
    "operation-added": "it breaks nobody",
    "operation-deprecated": "it breaks nobody",
    "operation-id-changed": "it breaks nobody",
    "operation-tags-changed": "it breaks nobody",
    "operation-undeprecated": "it breaks nobody",
    "parameter-deprecated": "it breaks nobody",
    "parameter-undeprecated": "it breaks nobody",
    "property-deprecated": "it breaks nobody",
    "property-undeprecated": "it breaks nobody",
    "recorded-interaction-fails": "it says that no change explains it, so there is none to mend",
    "removed-before-sunset": "the removal that it is about has its own fix",
    "response-added": "a warning: clients must be ready for statuses that they do not know (RFC 9110, section 15)",
    "security-alternative-added": "it breaks nobody",
    "security-removed": "it breaks nobody",
    "security-scheme-detail-changed": "a warning: where a token comes from is settled outside of the document",
    "security-scope-removed": "it breaks nobody",
    "server-changed": "a warning: whether the former URL still answers is settled outside of the document",
    "stability-changed": "a promise, not a message",
    "sunset-changed": "it breaks nobody",
    "sunset-too-soon": "a later date is its author's to choose",
    "version-not-bumped": "the version is its author's to choose",
    "webhook-added": "it breaks nobody",
}

_BY_RULE = {rule: family for family in FAMILIES for rule in family.rules}


def family_of(rule: str) -> Family | None:
    """The family that a rule belongs to; None for a rule whose changes nothing mends."""
    return _BY_RULE.get(rule)


def drafts(work: Work, strategy: Strategy) -> Iterator[Draft]:
    """The attempts of one strategy at a group, the one that touches least first; none where it does not apply.

    What an attempt restores refers to head's components at first. Where those mean something else by now, all is attempted
    again with base's components brought along; and where a choice has variants that were changed alike, in all of them.
    """
    family = family_of(work.group.first.rule)
    maker = family.makers[strategy] if family is not None else ""
    if isinstance(maker, str):
        return
    work = Work(work.bench, work.group)
    made: list[Draft] = []
    for draft in maker(work):
        if draft not in made:
            made.append(draft)
            yield draft
    if work.takes_heads_form:
        yield from (draft for draft in maker(Work(work.bench, work.group, freeze=True)) if draft not in made)
    if work.has_variants:
        yield from (draft for draft in maker(Work(work.bench, work.group, variants=True)) if draft not in made)
