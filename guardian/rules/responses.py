"""Rules on responses: which statuses there are, whether they have a body, their headers and links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules import presence
from guardian.rules.pairs import (
    Delta,
    HeaderPair,
    ResponsePair,
)
from guardian.rules.part_matching import is_success
from guardian.rules.presence import keyword
from guardian.rules.registry import rule
from guardian.rules.wire import rewritten
from guardian.spec.api import Node, Parameter, Response


@rule(
    "response-removed",
    area="responses",
    pair=ResponsePair,
    hit=Hit.EVERY_USER,
    claims=("Operation.responses", "Responses.{status}", "Responses.default", "Components.responses"),
)
def response_removed(pair: ResponsePair) -> Iterator[Delta]:
    """A status is no longer answered.

    Why it matters: callers wait for a success that does not come; something they may not know comes instead. By set
    theory an answer less is harmless, but here the promised outcome is gone, so a success (2xx, redirects) breaks:
    surely if no success of base is left, possibly if another is. An error less is a note. A status that head answers
    through a range (``4XX``) or through ``default`` is not gone. Beside a success ``default`` is for errors; alone it is
    for success, too. What its errors then lose is a warning, unless it says what the success of the other side says.

    Breaks (response):
        base: {/things: {post: {responses: {"200": {}}}}}
        head: {/things: {post: {responses: {"202": {}}}}}

    Holds (response):
        base: {/things: {post: {responses: {"200": {}, "409": {}}}}}
        head: {/things: {post: {responses: {"200": {}}}}}

    Holds (response):
        base: {/things: {post: {responses: {"200": {}, "404": {}}}}}
        head: {/things: {post: {responses: {"200": {}, "4XX": {}}}}}
    """
    if not pair.base or pair.head:
        return
    success = is_success(pair.base.status)
    left = {status for status in _statuses(pair.base_parent) & _statuses(pair.head_parent) if is_success(status)}
    turned = pair.base.status in _statuses(pair.head_parent)  # a default that is for something else
    yield Delta(
        Effect.NARROWED,
        "response default is now for success, no longer for errors alone"
        if turned
        else f"response {pair.base.status} was removed",
        base=pair.base.node,
        head=pair.head_parent,
        severity=Severity.BREAKING if success else Severity.INFO,
        impact=Impact.POSSIBLE if left else Impact.BROKEN if success else Impact.SAFE,
        facts=("success" if success else "failure",),
    )


def _statuses(responses: Node | None) -> set[str]:
    value = responses.value if responses else None
    return {str(status) for status in value} if isinstance(value, dict) else set()


@rule(
    "response-added",
    area="responses",
    pair=ResponsePair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=("Operation.responses", "Responses.{status}", "Responses.default", "Components.responses"),
)
def response_added(pair: ResponsePair) -> Iterator[Delta]:
    """A status is answered that was not.

    Why it matters: a caller must be ready for any error, declared or not, so a new one is a note. A new success is
    different: ``202`` or ``204`` where ``200`` with a body was the only success goes to code that reads the body.
    Whether it comes to callers of base at all, the document does not say: a warning (the leading tool has a note).

    Warns (response):
        base: {/things: {post: {responses: {"200": {}}}}}
        head: {/things: {post: {responses: {"200": {}, "202": {}}}}}

    Holds (response):
        base: {/things: {post: {responses: {"200": {}}}}}
        head: {/things: {post: {responses: {"200": {}, "429": {}}}}}
    """
    if not pair.head or pair.base:
        return
    success = is_success(pair.head.status)
    turned = pair.head.status in _statuses(pair.base_parent)  # a default that was for something else
    yield Delta(
        Effect.WIDENED,
        "response default is now for errors alone, no longer for success"
        if turned
        else f"response {pair.head.status} was added",
        base=pair.base_parent,
        head=pair.head.node,
        severity=None if success else Severity.INFO,
        confidence=Confidence.POSSIBLE if success else None,
        impact=None if success else Impact.SAFE,
        facts=("success" if success else "failure",),
    )


@rule(
    "response-status-changed",
    area="responses",
    pair=ResponsePair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=("Responses.{status}", "Responses.default"),
)
def response_status_changed(pair: ResponsePair) -> Iterator[Delta]:
    """A status is answered under a range or ``default`` on one side, and by its own name on the other.

    Why it matters: ``200`` that became ``2XX`` may be 204 tomorrow: a warning (the leading tool calls it an error).
    For errors it is a note, since callers must be ready for any. What is in the response is compared across. It is a
    receiver that answers a webhook or callback: one that answers 202 is taken for failed where ``2XX`` became ``200``.

    Warns (response):
        base: {/things: {post: {responses: {"200": {}}}}}
        head: {/things: {post: {responses: {"2XX": {}}}}}

    Holds (response):
        base: {/things: {post: {responses: {"200": {}, "404": {}}}}}
        head: {/things: {post: {responses: {"200": {}, default: {}}}}}
    """
    if not pair.base or not pair.head or pair.base.status == pair.head.status:
        return
    widened = _width(pair.head) > _width(pair.base)
    narrow, wide = (pair.base, pair.head) if widened else (pair.head, pair.base)
    doubtful = widened and is_success(pair.base.status)
    # Who answers a webhook has fewer successes to answer with, unless the range is still there; beside a success,
    # `default` is mostly for errors.
    kept = pair.base.status in _statuses(pair.head_parent)
    refused = pair.direction is Direction.REQUEST and not widened and is_success(pair.head.status)
    refused = refused and (not kept or pair.base.status == "default")
    turned = (
        "is now described under" if widened else "is taken instead of" if refused else "is no longer described under"
    )
    yield Delta(
        Effect.WIDENED if widened else Effect.NARROWED,
        f"response {narrow.status} {turned} {wide.status}",
        base=pair.base.node,
        head=pair.head.node,
        severity=None if doubtful or refused else Severity.INFO,
        confidence=Confidence.POSSIBLE if doubtful or (refused and kept) else None,
        impact=None if doubtful or refused else Impact.SAFE,
        why="a receiver that answers with another success than these is taken for failed" if refused else None,
    )


def _width(response: Response) -> int:
    return 2 if response.status == "default" else int(response.status.endswith("XX"))


@rule(
    "response-body-removed", area="responses", pair=ResponsePair, claims=("Response.content", "Swagger.Response.schema")
)
def response_body_removed(pair: ResponsePair) -> Iterator[Delta]:
    """A response that had a body has none.

    Why it matters: whoever reads anything of it finds nothing. An answer to HEAD and one with status 1xx, 204, 205 or 304
    never has a body (RFC 9110), so what a document says of one there is passed over, by all rules.

    Breaks (response):
        base: {/things: {get: {responses: {"200": {content: {application/json: {}}}}}}}
        head: {/things: {get: {responses: {"200": {}}}}}

    Holds (response):
        base: {/things: {delete: {responses: {"204": {content: {application/json: {}}}}}}}
        head: {/things: {delete: {responses: {"204": {}}}}}
    """
    if pair.base and pair.head and pair.base.content and not pair.head.content:
        yield Delta(
            Effect.WIDENED,
            f"response {pair.base.status} has no body any more",
            base=keyword(pair.base.node, "content"),
            head=pair.head.node,
        )


@rule(
    "response-body-added",
    area="responses",
    pair=ResponsePair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=("Response.content", "Swagger.Response.schema"),
)
def response_body_added(pair: ResponsePair) -> Iterator[Delta]:
    """A response that had no body has one.

    Why it matters: nothing for callers, who need not read it. The receiver of a callback must now answer with a body.

    Holds (response):
        base: {/things: {get: {responses: {"200": {}}}}}
        head: {/things: {get: {responses: {"200": {content: {application/json: {}}}}}}}
    """
    if pair.base and pair.head and pair.head.content and not pair.base.content:
        yield Delta(
            Effect.NARROWED,
            f"response {pair.base.status} has a body now",
            base=pair.base.node,
            head=keyword(pair.head.node, "content"),
            impact=Impact.SAFE if pair.direction is Direction.RESPONSE else None,
        )


# -- headers -----------------------------------------------------------------------------------------------------------


@rule(
    "header-removed",
    area="headers",
    pair=HeaderPair,
    claims=("Response.headers", "Components.headers"),
)
def header_removed(pair: HeaderPair) -> Iterator[Delta]:
    """A response header is gone.

    Why it matters: its readers (paging links, rate limits) find nothing. If it was required, every reader was promised
    it; of an optional one only its readers can say, so without them it is a warning. Names have no case.

    Breaks (response):
        base: {/things: {get: {responses: {"200": {headers: {X-Total: {required: true, schema: {}}}}}}}}
        head: {/things: {get: {responses: {"200": {}}}}}

    Warns (response):
        base: {/things: {get: {responses: {"200": {headers: {X-Total: {schema: {}}}}}}}}
        head: {/things: {get: {responses: {"200": {}}}}}

    Holds (response):
        base: {/things: {get: {responses: {"200": {headers: {X-Total: {schema: {}}}}}}}}
        head: {/things: {get: {responses: {"200": {headers: {x-total: {schema: {}}}}}}}}
    """
    if pair.base and not pair.head:
        yield presence.removed(
            f"{_named(pair.base)} was removed",
            required=pair.base.required,
            direction=pair.direction,
            field=pair.base.field,
            base=pair.base.node,
            head=pair.head_parent,
        )


@rule(
    "header-added",
    area="headers",
    pair=HeaderPair,
    claims=("Response.headers", "Components.headers"),
)
def header_added(pair: HeaderPair) -> Iterator[Delta]:
    """A response header is new.

    Why it matters: nothing to readers, who pass over what they do not know. A receiver that answers a webhook or
    callback must now send it, if it is required.

    Holds (response):
        base: {/things: {get: {responses: {"200": {}}}}}
        head: {/things: {get: {responses: {"200": {headers: {X-Total: {schema: {}}}}}}}}

    Breaks (request):
        base: {webhooks: {paid: {post: {responses: {"200": {}}}}}}
        head: {webhooks: {paid: {post: {responses: {"200": {headers: {X-Seen: {required: true, schema: {}}}}}}}}}
    """
    if pair.head and not pair.base:
        yield presence.added(
            f"{_named(pair.head)} was added",
            required=pair.head.required,
            direction=pair.direction,
            field=pair.head.field,
            base=pair.base_parent,
            head=pair.head.node,
        )


@rule(
    "header-became-required",
    area="headers",
    pair=HeaderPair,
    claims=("Header.required",),
)
def header_became_required(pair: HeaderPair) -> Iterator[Delta]:
    """A response header that could be missing always comes.

    Why it matters: readers can count on it. A receiver that answers a webhook or callback must send it.

    Holds (response):
        base: {/things: {get: {responses: {"200": {headers: {X-Total: {schema: {}}}}}}}}
        head: {/things: {get: {responses: {"200": {headers: {X-Total: {required: true, schema: {}}}}}}}}
    """
    if pair.base and pair.head and pair.head.required and not pair.base.required:
        yield presence.became_required(
            f"{_named(pair.base)} became required",
            field=pair.base.field,
            base=pair.base.node,
            head=keyword(pair.head.node, "required"),
        )


@rule(
    "header-became-optional",
    area="headers",
    pair=HeaderPair,
    claims=("Header.required",),
)
def header_became_optional(pair: HeaderPair) -> Iterator[Delta]:
    """A response header that always came may be missing.

    Why it matters: a reader that was promised it does not check whether it is there.

    Breaks (response):
        base: {/things: {get: {responses: {"200": {headers: {X-Total: {required: true, schema: {}}}}}}}}
        head: {/things: {get: {responses: {"200": {headers: {X-Total: {schema: {}}}}}}}}
    """
    if pair.base and pair.head and pair.base.required and not pair.head.required:
        yield presence.became_optional(
            f"{_named(pair.base)} became optional",
            field=pair.base.field,
            base=keyword(pair.base.node, "required"),
            head=pair.head.node,
        )


@rule(
    "header-style-changed",
    area="headers",
    pair=HeaderPair,
    claims=("Header.style", "Header.explode", "Header.content", "Swagger.Header.collectionFormat"),
)
def header_style_changed(pair: HeaderPair) -> Iterator[Delta]:
    """A response header is written differently: exploded, or as a document (``content``).

    Why it matters: a reader that takes ``a=1,b=2`` apart does not understand ``a,1,b,2`` or ``{"a":1}``. A number or
    text looks the same either way.

    Breaks (response):
        base: {/things: {get: {responses: {"200": {headers: {X-Map: {schema: {type: object}}}}}}}}
        head: {/things: {get: {responses: {"200": {headers: {X-Map: {explode: true, schema: {type: object}}}}}}}}
    """
    if not pair.base or not pair.head:
        return
    if texts := rewritten(pair.base, pair.head, pair.direction):
        before, after = texts
        yield Delta(
            Effect.CHANGED,
            f"{_named(pair.base)} is written `{after}` instead of `{before}`",
            field=pair.base.field,
            base=pair.base.node,
            head=pair.head.node,
        )


def _named(header: Parameter) -> str:
    return f"header `{header.name}`"


@rule(
    "links-changed",
    area="responses",
    pair=ResponsePair,
    hit=Hit.NOBODY,
    impact=Impact.SAFE,
    claims=(
        "Response.links",
        "Components.links",
        "Link.operationRef",
        "Link.operationId",
        "Link.parameters",
        "Link.requestBody",
        "Link.server",
    ),
)
def links_changed(pair: ResponsePair) -> Iterator[Delta]:
    """A link from a response to another operation is new, gone or different.

    Why it matters: links are hints of the document to its readers and not in any message; a generator or a test tool
    that follows them goes elsewhere.

    Holds (response):
        base: {/things: {post: {responses: {"201": {links: {self: {operationId: getThing}}}}}}}
        head: {/things: {post: {responses: {"201": {}}}}}
    """
    if not pair.base or not pair.head:
        return
    before, after = pair.base.links, pair.head.links
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if one and other and _meaning(one) == _meaning(other):
            continue
        words = "changed" if one and other else "was removed" if one else "was added"
        yield Delta(
            Effect.ANNOTATION,
            f"link `{name}` {words}",
            base=one or pair.base.node,
            head=other or pair.head.node,
        )


def _meaning(link: Node) -> Any:
    """A link without what only describes it."""
    value = link.value
    return {key: value[key] for key in value if key != "description"} if isinstance(value, dict) else value
