"""Rules on the parameters of an operation: there or not, demanded or not, and how they are written on the wire."""

from __future__ import annotations

from collections.abc import Iterator

from guardian.model import Confidence, Effect, Hit, Impact
from guardian.rules import presence
from guardian.rules.pairs import Delta, ParameterPair
from guardian.rules.presence import keyword
from guardian.rules.registry import rule
from guardian.rules.wire import may_hold_reserved, rewritten
from guardian.spec.api import Parameter
from guardian.spec.pointers import steps_of
from guardian.spec.shape import ANYTHING
from guardian.spec.shaper import Shaper


def _named(parameter: Parameter) -> str:
    return f"{parameter.location} parameter `{parameter.name}`"


@rule(
    "parameter-removed",
    area="parameters",
    pair=ParameterPair,
    claims=(
        "Operation.parameters",
        "PathItem.parameters",
        "Components.parameters",
        "Parameter.name",
        "Parameter.in",
    ),
)
def parameter_removed(pair: ParameterPair) -> Iterator[Delta]:
    """A parameter is gone.

    Why it matters: callers go on sending it. Most servers ignore what they do not know, some refuse it, and a filter
    that is ignored silently answers with more than was asked for; which of these, the documents do not say, so it is a
    warning that names whoever sends it. An object in the query that is exploded counts as its properties, which is what
    travels; parameters of the path item count as the operation's, and one that became a security scheme is not gone.

    Warns (request):
        base: {/things: {get: {parameters: [{in: query, name: page, schema: {type: integer}}]}}}
        head: {/things: {get: {}}}

    Holds (request):
        base:
          /things: {get: {parameters: [{in: query, name: page, schema: {type: integer}}]}}
        head:
          /things:
            get:
              parameters:
                - {in: query, name: paging, schema: {type: object, properties: {page: {type: integer}}}}
    """
    if pair.base and not pair.head:
        yield presence.removed(
            f"{_named(pair.base)} was removed",
            required=pair.base.required,
            direction=pair.direction,
            field=pair.base.field,
            base=pair.base.node,
            head=pair.head_parent,
            facts=("deprecated",) if pair.base.deprecated else (),
        )


@rule(
    "parameter-added",
    area="parameters",
    pair=ParameterPair,
    claims=("Operation.parameters", "PathItem.parameters", "Components.parameters"),
)
def parameter_added(pair: ParameterPair) -> Iterator[Delta]:
    """A parameter is new.

    Why it matters: every caller that does not send a required one is refused, with a default or without (a default is
    not used in validation). An optional one is harmless. What all callers present already as a credential is not new.

    Breaks (request):
        base: {/things: {get: {}}}
        head: {/things: {get: {parameters: [{in: query, name: tenant, required: true, schema: {type: string}}]}}}

    Holds (request):
        base: {/things: {get: {}}}
        head: {/things: {get: {parameters: [{in: query, name: tenant, schema: {type: string}}]}}}

    Holds (request):
        base:
          /things: {get: {security: [{key: []}]}}
          components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
        head: {/things: {get: {parameters: [{in: header, name: X-Key, required: true, schema: {type: string}}]}}}
    """
    if pair.head and not pair.base:
        yield presence.added(
            f"{'required ' if pair.head.required else ''}{_named(pair.head)} was added",
            required=pair.head.required,
            direction=pair.direction,
            field=pair.head.field,
            base=pair.base_parent,
            head=pair.head.node,
            facts=("path-level",) if _shared(pair.head) else (),
        )


def _shared(parameter: Parameter) -> bool:
    """Whether a parameter stands at the path, for all its operations."""
    steps = steps_of(parameter.node.pointer)
    return len(steps) == 4 and (steps[0], steps[2]) == ("paths", "parameters")


@rule(
    "parameter-became-required",
    area="parameters",
    pair=ParameterPair,
    claims=("Parameter.required",),
)
def parameter_became_required(pair: ParameterPair) -> Iterator[Delta]:
    """A parameter that could be left out must be sent.

    Why it matters: every caller that leaves it out is refused, with a default or without.

    Breaks (request):
        base: {/things: {get: {parameters: [{in: query, name: tenant, schema: {type: string}}]}}}
        head: {/things: {get: {parameters: [{in: query, name: tenant, required: true, schema: {type: string}}]}}}
    """
    if pair.base and pair.head and pair.head.required and not pair.base.required:
        yield presence.became_required(
            f"{_named(pair.base)} became required",
            field=pair.head.field,
            base=pair.base.node,
            head=keyword(pair.head.node, "required"),
        )


@rule(
    "parameter-became-optional",
    area="parameters",
    pair=ParameterPair,
    claims=("Parameter.required",),
)
def parameter_became_optional(pair: ParameterPair) -> Iterator[Delta]:
    """A parameter that had to be sent may be left out.

    Why it matters: nothing for callers. The receiver of a webhook or callback can no longer count on it.

    Holds (request):
        base: {/things: {get: {parameters: [{in: query, name: tenant, required: true, schema: {type: string}}]}}}
        head: {/things: {get: {parameters: [{in: query, name: tenant, schema: {type: string}}]}}}

    Breaks (response):
        base: {webhooks: {paid: {post: {parameters: [{in: header, name: X-Id, required: true, schema: {}}]}}}}
        head: {webhooks: {paid: {post: {parameters: [{in: header, name: X-Id, schema: {}}]}}}}
    """
    if pair.base and pair.head and pair.base.required and not pair.head.required:
        yield presence.became_optional(
            f"{_named(pair.base)} became optional",
            field=pair.base.field,
            base=keyword(pair.base.node, "required"),
            head=pair.head.node,
        )


@rule("parameter-moved", area="parameters", pair=ParameterPair, claims=("Parameter.in",))
def parameter_moved(pair: ParameterPair) -> Iterator[Delta]:
    """A parameter is expected elsewhere in the request: one of its name is gone there and new here.

    Why it matters: a caller that sends it where base wanted it might as well not send it. If it is required, that is
    every caller. The leading tool reports a removed and an added parameter.

    Breaks (request):
        base: {/things: {get: {parameters: [{in: query, name: tenant, required: true, schema: {type: string}}]}}}
        head: {/things: {get: {parameters: [{in: header, name: tenant, required: true, schema: {type: string}}]}}}
    """
    if pair.base and pair.head and pair.base.location != pair.head.location:
        yield Delta(
            Effect.CHANGED,
            f"{_named(pair.base)} moved to the {pair.head.location}",
            field=pair.base.field,
            renamed_to=pair.head.field,
            base=pair.base.node,
            head=pair.head.node,
            hit=Hit.EVERY_USER if pair.head.required else None,
        )


@rule(
    "parameter-style-changed",
    area="parameters",
    pair=ParameterPair,
    claims=(
        "Parameter.style",
        "Parameter.explode",
        "Parameter.allowReserved",
        "Swagger.Parameter.collectionFormat",
        "Swagger.Items.collectionFormat",
    ),
)
def parameter_style_changed(pair: ParameterPair) -> Iterator[Delta]:
    """The same value is written differently: ``style`` or ``explode`` differ in effect.

    Why it matters: ``?flag=a&flag=b`` is not ``?flag=a,b``; a server that splits at commas reads one value where the
    caller meant two. Defaults count, and only what the schema allows: a number looks the same in most styles.
    ``style: matrix`` writes the name of a path variable, so there another name breaks as well. An object in the query
    that is written differently is compared as a whole. Reserved characters that no longer may travel unencoded, where a
    value may hold any, are a warning, since most servers take both forms. The leading tool looks at none of this.

    Breaks (request):
        base: {/things: {get: {parameters: [{in: query, name: flag, schema: {type: array}}]}}}
        head: {/things: {get: {parameters: [{in: query, name: flag, explode: false, schema: {type: array}}]}}}

    Holds (request):
        base: {/things: {get: {parameters: [{in: query, name: page, schema: {type: integer}}]}}}
        head: {/things: {get: {parameters: [{in: query, name: page, explode: false, schema: {type: integer}}]}}}

    Warns (request):
        base: {/things: {get: {parameters: [{in: query, name: q, allowReserved: true, schema: {type: string}}]}}}
        head: {/things: {get: {parameters: [{in: query, name: q, schema: {type: string}}]}}}
    """
    base, head = pair.base, pair.head
    if not base or not head or base.location != head.location or base.content or head.content:
        return
    if texts := rewritten(base, head, pair.direction):
        before, after = texts
        said = "style" if base.style != head.style else "explode" if base.explode is not head.explode else "name"
        yield Delta(
            Effect.CHANGED,
            f"{_named(base)} is written `{after}` instead of `{before}`",
            field=base.field,
            base=keyword(base.node, said),
            head=keyword(head.node, said),
        )
        return
    inner = [_inner_formats(side) for side in (base, head)]
    if inner[0] and inner[1] and inner[0] != inner[1]:
        yield Delta(
            Effect.CHANGED,
            f"{_named(base)} has items that are joined as {inner[1][0]} instead of {inner[0][0]}",
            field=base.field,
            base=keyword(base.node, "items"),
            head=keyword(head.node, "items"),
        )
    if base.allow_reserved is not head.allow_reserved and all(
        may_hold_reserved(Shaper().shape(side.schema or ANYTHING, pair.direction).atoms) for side in (base, head)
    ):
        yield Delta(
            Effect.NARROWED if base.allow_reserved else Effect.WIDENED,
            f"{_named(base)} {'no longer takes' if base.allow_reserved else 'takes'} reserved characters unencoded",
            field=base.field,
            base=keyword(base.node, "allowReserved"),
            head=keyword(head.node, "allowReserved"),
            confidence=Confidence.POSSIBLE,
            impact=Impact.POSSIBLE,
        )


def _inner_formats(parameter: Parameter) -> list[str]:
    """How lists within a list are joined, from the outer ones inward (OpenAPI 2.0, Items Object)."""
    formats: list[str] = []
    value = parameter.node.value
    if parameter.node.document.dialect == "2.0":
        while isinstance(value, dict) and isinstance(value.get("items"), dict):
            value = value["items"]
            if value.get("type") == "array":
                formats.append(str(value.get("collectionFormat", "csv")))
    return formats


@rule(
    "parameter-content-changed",
    area="parameters",
    pair=ParameterPair,
    claims=("Parameter.content",),
)
def parameter_content_changed(pair: ParameterPair) -> Iterator[Delta]:
    """A parameter is a document (``content``) on one side and plain text on the other, or another kind of document.

    Why it matters: ``?filter={"a":1}`` is not ``?a=1``, and JSON is not XML: the server cannot read what it gets.
    A number or boolean is the same text in JSON, and a string is in ``text/plain``: that is nothing.

    Breaks (request):
        base: {/things: {get: {parameters: [{in: query, name: filter, schema: {type: object}}]}}}
        head: {/things: {get: {parameters: [{in: query, name: filter, content: {application/json: {}}}]}}}

    Holds (request):
        base: {/things: {get: {parameters: [{in: query, name: page, schema: {type: integer}}]}}}
        head:
          /things:
            get: {parameters: [{in: query, name: page, content: {application/json: {schema: {type: integer}}}}]}
    """
    if not pair.base or not pair.head:
        return
    before, after = (next((media.name for media in side.content), "") for side in (pair.base, pair.head))
    if before != after and rewritten(pair.base, pair.head, pair.direction):
        yield Delta(
            Effect.CHANGED,
            f"{_named(pair.base)} is {after or 'plain text'} instead of {before or 'plain text'}",
            field=pair.base.field,
            base=keyword(pair.base.node, "content"),
            head=keyword(pair.head.node, "content"),
        )


@rule(
    "parameter-empty-value-changed",
    area="parameters",
    pair=ParameterPair,
    impact=Impact.POSSIBLE,
    claims=("Parameter.allowEmptyValue",),
)
def parameter_empty_value_changed(pair: ParameterPair) -> Iterator[Delta]:
    """A query parameter may be sent without a value (``?verbose``) on one side only (``allowEmptyValue``).

    Why it matters: a caller that sends the name alone is refused. The manifest of a caller does not tell whether it
    does so.

    Breaks (request):
        base: {/things: {get: {parameters: [{in: query, name: verbose, allowEmptyValue: true, schema: {}}]}}}
        head: {/things: {get: {parameters: [{in: query, name: verbose, schema: {}}]}}}

    Holds (request):
        base: {/things: {get: {parameters: [{in: query, name: verbose, schema: {}}]}}}
        head: {/things: {get: {parameters: [{in: query, name: verbose, allowEmptyValue: true, schema: {}}]}}}
    """
    if pair.base and pair.head and pair.base.allow_empty is not pair.head.allow_empty:
        yield Delta(
            Effect.NARROWED if pair.base.allow_empty else Effect.WIDENED,
            f"{_named(pair.base)} {'must' if pair.base.allow_empty else 'need not'} have a value",
            field=pair.base.field,
            base=keyword(pair.base.node, "allowEmptyValue"),
            head=keyword(pair.head.node, "allowEmptyValue"),
        )


@rule(
    "parameter-deprecated",
    area="lifecycle",
    pair=ParameterPair,
    impact=Impact.SAFE,
    claims=("Parameter.deprecated",),
)
def parameter_deprecated(pair: ParameterPair) -> Iterator[Delta]:
    """A parameter is announced to go away.

    Why it matters: it works as before, and its senders should now plan to do without it.

    Holds (request):
        base: {/things: {get: {parameters: [{in: query, name: page, schema: {}}]}}}
        head: {/things: {get: {parameters: [{in: query, name: page, deprecated: true, schema: {}}]}}}
    """
    if pair.base and pair.head and pair.head.deprecated and not pair.base.deprecated:
        yield Delta(
            Effect.ANNOTATION,
            f"{_named(pair.base)} is deprecated",
            field=pair.base.field,
            base=pair.base.node,
            head=keyword(pair.head.node, "deprecated"),
        )


@rule(
    "parameter-undeprecated",
    area="lifecycle",
    pair=ParameterPair,
    impact=Impact.SAFE,
    claims=("Parameter.deprecated",),
)
def parameter_undeprecated(pair: ParameterPair) -> Iterator[Delta]:
    """A parameter is no longer announced to go away.

    Why it matters: whoever was to do without it may keep it.

    Holds (request):
        base: {/things: {get: {parameters: [{in: query, name: page, deprecated: true, schema: {}}]}}}
        head: {/things: {get: {parameters: [{in: query, name: page, schema: {}}]}}}
    """
    if pair.base and pair.head and pair.base.deprecated and not pair.head.deprecated:
        yield Delta(
            Effect.ANNOTATION,
            f"{_named(pair.base)} is no longer deprecated",
            field=pair.base.field,
            base=keyword(pair.base.node, "deprecated"),
            head=pair.head.node,
        )
