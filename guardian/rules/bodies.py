"""Rules on request bodies, and on the media types of requests and responses."""

from __future__ import annotations

from collections.abc import Iterator

from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules import presence
from guardian.rules.encoding import compare_encoding
from guardian.rules.pairs import (
    BodyPair,
    Delta,
    MediaTypeOffer,
    MediaTypePair,
)
from guardian.rules.part_matching import harmless_parameters, media_range_holds
from guardian.rules.presence import keyword
from guardian.rules.registry import rule
from guardian.spec.api import MediaType


@rule(
    "request-body-removed",
    area="bodies",
    pair=BodyPair,
    claims=("Operation.requestBody", "Components.requestBodies"),
)
def request_body_removed(pair: BodyPair) -> Iterator[Delta]:
    """An operation takes no body any more.

    Why it matters: callers go on sending one, which is refused (RFC 9110, 415) or has no effect: as bad as a media
    type that is gone. The receiver of a webhook misses what it was sent; if that was optional, only readers can say.

    Breaks (request):
        base: {/things: {post: {requestBody: {content: {application/json: {}}}}}}
        head: {/things: {post: {}}}

    Breaks (response):
        base: {webhooks: {paid: {post: {requestBody: {required: true, content: {application/json: {}}}}}}}
        head: {webhooks: {paid: {post: {}}}}

    Warns (response):
        base: {webhooks: {paid: {post: {requestBody: {content: {application/json: {}}}}}}}
        head: {webhooks: {paid: {post: {}}}}
    """
    if pair.base and not pair.head:
        doubtful = pair.direction is Direction.RESPONSE and not pair.base.required
        yield Delta(
            # Without a body and with a required one: neither set of messages holds the other.
            Effect.CHANGED if pair.base.required else Effect.NARROWED,
            "the request body was removed",
            base=pair.base.node,
            head=pair.head_parent,
            severity=Severity.WARNING if doubtful else None,
        )


@rule(
    "request-body-added",
    area="bodies",
    pair=BodyPair,
    hit=Hit.NON_SENDER,
    claims=("Operation.requestBody", "Components.requestBodies"),
)
def request_body_added(pair: BodyPair) -> Iterator[Delta]:
    """An operation that took no body takes one.

    Why it matters: if it is required, every call without one is refused, which is every call of base. An optional one
    is harmless, and so is one that a webhook's receiver need not read.

    Breaks (request):
        base: {/things: {post: {}}}
        head: {/things: {post: {requestBody: {required: true, content: {application/json: {}}}}}}

    Holds (request):
        base: {/things: {post: {}}}
        head: {/things: {post: {requestBody: {content: {application/json: {}}}}}}

    Holds (response):
        base: {webhooks: {paid: {post: {}}}}
        head: {webhooks: {paid: {post: {requestBody: {required: true, content: {application/json: {}}}}}}}
    """
    if pair.head and not pair.base:
        demanded = pair.head.required and pair.direction is Direction.REQUEST
        yield Delta(
            Effect.CHANGED if pair.head.required else Effect.WIDENED,
            f"{'a required' if pair.head.required else 'an optional'} request body was added",
            base=pair.base_parent,
            head=pair.head.node,
            severity=None if demanded else Severity.INFO,
            impact=None if demanded else Impact.SAFE,
            facts=("required" if pair.head.required else "optional",),
        )


@rule(
    "request-body-became-required",
    area="bodies",
    pair=BodyPair,
    claims=("RequestBody.required",),
)
def request_body_became_required(pair: BodyPair) -> Iterator[Delta]:
    """A request body that could be left out must be sent.

    Why it matters: a call without a body is refused.

    Breaks (request):
        base: {/things: {post: {requestBody: {content: {application/json: {}}}}}}
        head: {/things: {post: {requestBody: {required: true, content: {application/json: {}}}}}}
    """
    if pair.base and pair.head and pair.head.required and not pair.base.required and not _are_fields(pair):
        yield presence.became_required(
            "the request body became required",
            field="",
            base=pair.base.node,
            head=keyword(pair.head.node, "required"),
        )


@rule(
    "request-body-became-optional",
    area="bodies",
    pair=BodyPair,
    claims=("RequestBody.required",),
)
def request_body_became_optional(pair: BodyPair) -> Iterator[Delta]:
    """A request body that had to be sent may be left out.

    Why it matters: nothing for callers. The receiver of a webhook or callback can no longer count on it.

    Holds (request):
        base: {/things: {post: {requestBody: {required: true, content: {application/json: {}}}}}}
        head: {/things: {post: {requestBody: {content: {application/json: {}}}}}}

    Breaks (response):
        base: {webhooks: {paid: {post: {requestBody: {required: true, content: {application/json: {}}}}}}}
        head: {webhooks: {paid: {post: {requestBody: {content: {application/json: {}}}}}}}
    """
    if pair.base and pair.head and pair.base.required and not pair.head.required and not _are_fields(pair):
        yield presence.became_optional(
            "the request body became optional",
            field="",
            base=keyword(pair.base.node, "required"),
            head=pair.head.node,
        )


def _are_fields(pair: BodyPair) -> bool:
    """Whether both bodies are form fields of OpenAPI 2.0, which are demanded one by one, and so told."""
    return all(isinstance(body.node.value, list) for body in (pair.base, pair.head) if body)


@rule(
    "media-type-removed",
    area="bodies",
    pair=MediaTypeOffer,
    hit=Hit.EVERY_USER,
    claims=(
        "RequestBody.content",
        "Response.content",
        "Components.mediaTypes",
        "Swagger.consumes",
        "Swagger.produces",
        "Swagger.Operation.consumes",
        "Swagger.Operation.produces",
    ),
)
def media_type_removed(pair: MediaTypeOffer) -> Iterator[Delta]:
    """A body no longer comes in a media type.

    Why it matters: whoever sends it is refused with 415, whoever asks for it gets 406 or something else than it can
    parse. By set theory a response that comes in fewer types is harmless; but which type comes is the reader's choice
    (RFC 9110, Accept), so a type less fails the reader who chose it. Manifests do not say who that is: every consumer
    is possibly broken, and certainly if no other type is left in common. A webhook's receiver does not choose, and
    only has one type less to expect. A type that a range of head holds is not gone; nor, in a response, is a range of
    which a type is left, since a range is rather a document that says little than a server that does much.

    Breaks (response):
        base: {/things: {get: {responses: {"200": {content: {application/json: {}, text/csv: {}}}}}}}
        head: {/things: {get: {responses: {"200": {content: {application/json: {}}}}}}}

    Breaks (request):
        base: {/things: {post: {requestBody: {content: {application/json: {}, application/xml: {}}}}}}
        head: {/things: {post: {requestBody: {content: {application/json: {}}}}}}

    Holds (request):
        base: {/things: {post: {requestBody: {content: {"*/*": {}, application/json: {}}}}}}
        head: {/things: {post: {requestBody: {content: {"*/*": {}}}}}}

    Holds (response):
        base: {/things: {get: {responses: {"200": {content: {"*/*": {}, application/json: {}}}}}}}
        head: {/things: {get: {responses: {"200": {content: {application/json: {}}}}}}}
    """
    if pair.base and not pair.head:
        yield Delta(
            Effect.NARROWED,
            f"media type {written(pair.base)} was removed",
            base=pair.base.node,
            head=pair.head_parent,
            severity=Severity.BREAKING if pair.negotiated and not pair.in_part else None,
            impact=Impact.POSSIBLE if pair.shared else None,
        )


@rule(
    "media-type-added",
    area="bodies",
    pair=MediaTypeOffer,
    hit=Hit.EVERY_USER,
    impact=Impact.SAFE,
    claims=("RequestBody.content", "Response.content", "Components.mediaTypes"),
)
def media_type_added(pair: MediaTypeOffer) -> Iterator[Delta]:
    """A body comes in one media type more.

    Why it matters: nothing for requests, and nothing for responses of an API, where the reader chooses. The receiver
    of a webhook does not choose and may get what it cannot parse.

    Holds (response):
        base: {/things: {get: {responses: {"200": {content: {application/json: {}}}}}}}
        head: {/things: {get: {responses: {"200": {content: {application/json: {}, text/csv: {}}}}}}}

    Breaks (response):
        base: {webhooks: {paid: {post: {requestBody: {content: {application/json: {}}}}}}}
        head: {webhooks: {paid: {post: {requestBody: {content: {application/json: {}, application/xml: {}}}}}}}
    """
    if pair.head and not pair.base:
        yield Delta(
            Effect.WIDENED,
            f"media type {written(pair.head)} was added",
            base=pair.base_parent,
            head=pair.head.node,
            severity=Severity.INFO if pair.negotiated else None,
            impact=None if pair.negotiated else Impact.POSSIBLE,
        )


def written(media: MediaType) -> str:
    """A media type as it stands in a header."""
    return "; ".join([media.name, *(f"{key}={value}" for key, value in sorted(media.parameters.items()))])


@rule(
    "media-type-range-changed",
    area="bodies",
    pair=MediaTypePair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=("RequestBody.content", "Response.content"),
)
def media_type_range_changed(pair: MediaTypePair) -> Iterator[Delta]:
    """One side names a media type, the other a range that holds it (``*/*``, ``application/*``).

    Why it matters: a request that took a range and takes one type refuses the others. A response that named its type
    and now says ``*/*`` may come in anything; but a range is more often a document that says less than a server that
    does more, so there it is a warning (the leading tool calls it an error). Where the range is on both sides, no type is
    gone or new, and only what describes some of them is another entry, the most specific one: a note, and their schemas
    are compared across.

    Breaks (request):
        base: {/things: {post: {requestBody: {content: {"*/*": {}}}}}}
        head: {/things: {post: {requestBody: {content: {application/json: {}}}}}}

    Warns (response):
        base: {/things: {get: {responses: {"200": {content: {application/json: {}}}}}}}
        head: {/things: {get: {responses: {"200": {content: {"*/*": {}}}}}}}

    Holds (response):
        base: {/things: {get: {responses: {"200": {content: {"*/*": {}}}}}}}
        head: {/things: {get: {responses: {"200": {content: {application/json: {}}}}}}}

    Holds (request):
        base: {/things: {post: {requestBody: {content: {"text/*": {}}}}}}
        head: {/things: {post: {requestBody: {content: {"*/*": {}, text/plain: {}}}}}}
    """
    if not pair.base or not pair.head or pair.base.name == pair.head.name:
        return
    widened = media_range_holds(pair.head.name, pair.base.name)
    if pair.kept:
        narrow, wide = (pair.base, pair.head) if widened else (pair.head, pair.base)
        yield Delta(
            Effect.ANNOTATION,
            f"media type {narrow.name} is {'now' if widened else 'no longer'} described under {wide.name}",
            base=pair.base.node,
            head=pair.head.node,
            impact=Impact.SAFE,
        )
        return
    yield Delta(
        Effect.WIDENED if widened else Effect.NARROWED,
        f"media type {pair.base.name} became {pair.head.name}",
        base=pair.base.node,
        head=pair.head.node,
        confidence=Confidence.POSSIBLE if widened else None,
    )


@rule(
    "media-type-parameter-changed",
    area="bodies",
    pair=MediaTypePair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=("RequestBody.content", "Response.content"),
)
def media_type_parameter_changed(pair: MediaTypePair) -> Iterator[Delta]:
    """A parameter of a media type differs (``charset``, ``version``, ``profile``).

    Why it matters: ``application/json; version=2`` may be another document than ``version=1``, which the parameter
    alone does not tell: a warning. A ``charset`` that is only written down, or that stands at JSON, where it means
    nothing (RFC 8259), changes nothing, and a ``boundary`` every message chooses for itself.

    Warns (response):
        base: {/things: {get: {responses: {"200": {content: {application/json; version=1: {}}}}}}}
        head: {/things: {get: {responses: {"200": {content: {application/json; version=2: {}}}}}}}

    Holds (response):
        base: {/things: {get: {responses: {"200": {content: {text/csv: {}}}}}}}
        head: {/things: {get: {responses: {"200": {content: {text/csv; charset=utf-8: {}}}}}}}
    """
    if not pair.base or not pair.head or pair.base.name != pair.head.name:
        return
    if pair.base.parameters == pair.head.parameters:
        return
    harmless = harmless_parameters(pair.base, pair.head)
    yield Delta(
        Effect.ANNOTATION if harmless else Effect.CHANGED,
        f"media type {written(pair.base)} became {written(pair.head)}",
        base=pair.base.node,
        head=pair.head.node,
        confidence=None if harmless else Confidence.POSSIBLE,
        impact=Impact.SAFE if harmless else None,
    )


@rule(
    "encoding-changed",
    area="bodies",
    pair=MediaTypePair,
    claims=(
        "MediaType.encoding",
        "Encoding.contentType",
        "Encoding.headers",
        "Encoding.style",
        "Encoding.explode",
        "Encoding.allowReserved",
        "Encoding.encoding",
        "Encoding.prefixEncoding",
        "Encoding.itemEncoding",
        "MediaType.prefixEncoding",
        "MediaType.itemEncoding",
    ),
)
def encoding_changed(pair: MediaTypePair) -> Iterator[Delta]:
    """A part of a form is written differently: its content type, its headers, or its style.

    Why it matters: a server that expects a JSON part does not read the same field sent as plain text, and a list sent
    with commas is one value to a server that wants it repeated. Defaults count: a content type that is only written
    down is nothing. Styles count where the dialect reads them: 3.0 ignores those of multipart forms. That a field of 2.0
    must have a value now (``allowEmptyValue``) is told here too. The leading tool does not look at encodings.

    Breaks (request):
        base:
          /things:
            post:
              requestBody:
                content:
                  multipart/form-data:
                    schema: {type: object, properties: {meta: {type: object}}}
        head:
          /things:
            post:
              requestBody:
                content:
                  multipart/form-data:
                    schema: {type: object, properties: {meta: {type: object}}}
                    encoding: {meta: {contentType: application/xml}}

    Holds (request):
        base:
          /things:
            post:
              requestBody:
                content:
                  multipart/form-data:
                    schema: {type: object, properties: {meta: {type: object}}}
        head:
          /things:
            post:
              requestBody:
                content:
                  multipart/form-data:
                    schema: {type: object, properties: {meta: {type: object}}}
                    encoding: {meta: {contentType: application/json}}
    """
    if pair.base and pair.head and pair.base.name == pair.head.name:
        yield from compare_encoding(pair.base, pair.head, pair.direction)
