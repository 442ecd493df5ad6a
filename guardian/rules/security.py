"""Rules on what callers must present: schemes, scopes and their alternatives, global and per operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from guardian.model import Confidence, Effect, Hit, Impact
from guardian.rules.credentials import Step, Way, described, steps, ways
from guardian.rules.facts import turn
from guardian.rules.pairs import (
    Delta,
    OperationPair,
    SchemePair,
)
from guardian.rules.registry import rule
from guardian.spec.api import SecurityScheme

_PLACE = "security"
_SILENT = "the documents do not say whether a credential of the one scheme is good for the other: they travel alike"


def _spoken(schemes: list[SecurityScheme], beside: list[SecurityScheme] | None = None) -> str:
    """Schemes in words, with their names where those of ``beside`` are described alike."""
    others = {described(scheme) for scheme in beside or ()}
    words = ((described(scheme), scheme.component) for scheme in schemes)
    return " and ".join(f"{text} of `{name}`" if text in others else text for text, name in words)


def _judged(delta: Delta, step: Step) -> Delta:
    """A delta with what is open about it: callers may have another way in, or be let in all the same."""
    if step.doubtful:
        return delta._replace(confidence=Confidence.POSSIBLE, impact=Impact.POSSIBLE, unproved=_SILENT)
    return delta._replace(impact=Impact.POSSIBLE) if step.others else delta


def _shared(way: Way) -> tuple[str, ...]:
    """The fact that a requirement stands at the document, for all operations that have none of their own."""
    return ("global",) if way.node.pointer.startswith("/security") else ()


def _way(way: Way, beside: list[SecurityScheme] | None = None) -> str:
    return _spoken(list(way.schemes.values()), beside) or "no credentials"


@rule(
    "security-added",
    area="security",
    pair=OperationPair,
    hit=Hit.NON_SENDER,
    claims=("OpenAPI.security", "Operation.security", "SecurityRequirement.{name}"),
)
def security_added(pair: OperationPair) -> Iterator[Delta]:
    """Callers must present a credential that they did not need: where none was needed, or beside another.

    Why it matters: every caller that does not present it gets 401 or 403. Requirements in one object all apply,
    objects in the list are alternatives, and ``{}`` is the alternative of presenting nothing; the document's list
    holds where an operation has none. The leading tool has a note for each of these; a call that worked and is
    refused is a break.

    Breaks (request):
        base: {/things: {get: {}}}
        head:
          /things: {get: {security: [{key: []}]}}
          components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}

    Breaks (request):
        base:
          /things: {get: {security: [{key: []}]}}
          components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
        head:
          /things: {get: {security: [{key: [], token: []}]}}
          components:
            securitySchemes: {key: {type: apiKey, in: header, name: X-Key}, token: {type: http, scheme: bearer}}

    Holds (request):
        base: {/things: {get: {}}}
        head:
          /things: {get: {security: [{key: []}, {}]}}
          components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
    """
    for step in steps(pair):
        if step.what != "schemes" or not step.tighter or not step.before or not step.after:
            continue
        new = step.after.beyond(step.before)
        if not new:
            continue
        field = new[0].field if len(new) == 1 else None
        delta = Delta(
            Effect.NARROWED,
            f"{_spoken(new, list(step.before.schemes.values()))} must be presented",
            field=field or "",
            base=step.before.node,
            head=step.after.node,
            hit=None if field else Hit.EVERY_USER,
            place=_PLACE,
            facts=_shared(step.after),
        )
        # That a scope is needed of what was presented already is told by itself.
        yield _judged(delta, step._replace(doubtful=step.after.may_let_in(step.before.with_scopes_of(step.after))))


@rule(
    "security-removed",
    area="security",
    pair=OperationPair,
    hit=Hit.NOBODY,
    impact=Impact.SAFE,
    claims=("OpenAPI.security", "Operation.security"),
)
def security_removed(pair: OperationPair) -> Iterator[Delta]:
    """A credential is no longer needed.

    Why it matters: nothing to callers. It is worth a look in review, since more callers are let in.

    Holds (request):
        base:
          /things: {get: {security: [{key: []}]}}
          components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
        head: {/things: {get: {}}}
    """
    for step in steps(pair):
        if step.what == "schemes" and step.looser and step.before and step.after:
            if spare := step.before.beyond(step.after):
                yield Delta(
                    Effect.WIDENED,
                    f"{_spoken(spare)} need not be presented",
                    base=step.before.node,
                    head=step.after.node,
                    place=_PLACE,
                    facts=_shared(step.before),
                )


@rule(
    "security-alternative-removed",
    area="security",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=("OpenAPI.security", "Operation.security"),
)
def security_alternative_removed(pair: OperationPair) -> Iterator[Delta]:
    """One of several ways to authenticate is gone.

    Why it matters: whoever came that way is refused. Manifests do not say which way that is, so every consumer is
    possibly broken.

    Breaks (request):
        base:
          /things: {get: {security: [{key: []}, {token: []}]}}
          components:
            securitySchemes: {key: {type: apiKey, in: header, name: X-Key}, token: {type: http, scheme: bearer}}
        head:
          /things: {get: {security: [{token: []}]}}
          components: {securitySchemes: {token: {type: http, scheme: bearer}}}
    """
    for step in steps(pair):
        if step.what == "way" and step.before:
            left = [scheme for way in (ways(pair.head) if pair.head else ()) for scheme in way.schemes.values()]
            delta = Delta(
                Effect.NARROWED,
                f"{_way(step.before, left)} is no longer enough",
                base=step.before.node,
                head=pair.head.node if pair.head else None,
                impact=None if step.others else Impact.BROKEN,
                place=_PLACE,
            )
            yield _judged(delta, step)


@rule(
    "security-alternative-added",
    area="security",
    pair=OperationPair,
    hit=Hit.NOBODY,
    impact=Impact.SAFE,
    claims=("OpenAPI.security", "Operation.security"),
)
def security_alternative_added(pair: OperationPair) -> Iterator[Delta]:
    """One more way to authenticate.

    Why it matters: nothing to callers, whose way is still there.

    Holds (request):
        base:
          /things: {get: {security: [{key: []}]}}
          components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
        head:
          /things: {get: {security: [{key: []}, {token: []}]}}
          components:
            securitySchemes: {key: {type: apiKey, in: header, name: X-Key}, token: {type: http, scheme: bearer}}
    """
    for step in steps(pair):
        if step.what == "way" and step.after:
            yield Delta(
                Effect.WIDENED,
                f"{_way(step.after)} is enough",
                base=pair.base.node if pair.base else None,
                head=step.after.node,
                place=_PLACE,
            )


@rule(
    "security-scope-added",
    area="security",
    pair=OperationPair,
    hit=Hit.NON_SENDER,
    claims=("OpenAPI.security", "Operation.security", "SecurityRequirement.{name}"),
)
def security_scope_added(pair: OperationPair) -> Iterator[Delta]:
    """A scope more is needed.

    Why it matters: scopes of one requirement all apply, so a token without the new one gets 403. Manifests say which
    scopes a caller has (``scope:things.write``). The leading tool has a note for it.

    Breaks (request):
        base:
          /things: {get: {security: [{oauth: [read]}]}}
          components: {securitySchemes: {oauth: {type: oauth2, flows: {}}}}
        head:
          /things: {get: {security: [{oauth: [read, admin]}]}}
          components: {securitySchemes: {oauth: {type: oauth2, flows: {}}}}
    """
    for step in steps(pair):
        if step.what == "replaced" or not step.tighter or not step.before or not step.after:
            continue
        for scope in step.after.scopes_beyond(step.before):
            delta = Delta(
                Effect.NARROWED,
                f"scope `{scope}` is needed",
                field=f"scope:{scope}",
                base=step.before.node,
                head=step.after.node,
                place=_PLACE,
                facts=_shared(step.after),
            )
            yield _judged(delta, step)


@rule(
    "security-scope-removed",
    area="security",
    pair=OperationPair,
    hit=Hit.NOBODY,
    impact=Impact.SAFE,
    claims=("OpenAPI.security", "Operation.security"),
)
def security_scope_removed(pair: OperationPair) -> Iterator[Delta]:
    """A scope less is needed.

    Why it matters: nothing to callers; more of them are let in.

    Holds (request):
        base:
          /things: {get: {security: [{oauth: [read, admin]}]}}
          components: {securitySchemes: {oauth: {type: oauth2, flows: {}}}}
        head:
          /things: {get: {security: [{oauth: [read]}]}}
          components: {securitySchemes: {oauth: {type: oauth2, flows: {}}}}
    """
    for step in steps(pair):
        if step.what == "replaced" or not step.looser or not step.before or not step.after:
            continue
        for scope in step.before.scopes_beyond(step.after):
            yield Delta(
                Effect.WIDENED,
                f"scope `{scope}` is not needed any more",
                field=f"scope:{scope}",
                base=step.before.node,
                head=step.after.node,
                place=_PLACE,
                facts=_shared(step.before),
            )


@rule(
    "security-scheme-changed",
    area="security",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    claims=(
        "Components.securitySchemes",
        "SecurityScheme.type",
        "SecurityScheme.name",
        "SecurityScheme.in",
        "SecurityScheme.scheme",
        "Swagger.securityDefinitions",
    ),
)
def security_scheme_changed(pair: OperationPair) -> Iterator[Delta]:
    """Callers must present another credential than before.

    Why it matters: the key in the former header is not looked at, a token is no password: every caller is refused.
    Schemes are compared by what they are on the wire, so a scheme that is only renamed in the document is nothing, and
    one whose header is renamed is seen at each operation that needs it. Where the two travel alike (another scheme that
    both sides have, a token in place of an API key in ``Authorization``), the documents do not say whether a credential
    of the one is good for the other: a warning.

    Breaks (request):
        base:
          /things: {get: {security: [{key: []}]}}
          components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
        head:
          /things: {get: {security: [{key: []}]}}
          components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Api-Key}}}

    Warns (request):
        base:
          /things: {get: {security: [{key: []}]}}
          components: {securitySchemes: {key: {type: apiKey, in: header, name: Authorization}}}
        head:
          /things: {get: {security: [{token: []}]}}
          components: {securitySchemes: {token: {type: http, scheme: bearer}}}

    Holds (request):
        base:
          /things: {get: {security: [{key: []}]}}
          components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
        head:
          /things: {get: {security: [{apiKey: []}]}}
          components: {securitySchemes: {apiKey: {type: apiKey, in: header, name: X-Key}}}
    """
    for step in steps(pair):
        if step.what != "replaced" or not step.before or not step.after:
            continue
        before, after = step.before.beyond(step.after), step.after.beyond(step.before)
        redefined = len(before) == len(after) == 1 and before[0].component == after[0].component
        delta = Delta(
            Effect.CHANGED,
            f"{_spoken(after, before)} must be presented instead of {_spoken(before, after)}",
            field=(after[0].field or "") if len(after) == 1 else "",
            base=before[0].node if redefined else step.before.node,
            head=after[0].node if redefined else step.after.node,
            place=_PLACE,
            facts=("type",) if redefined and before[0].kind != after[0].kind else (),
        )
        yield _judged(delta, step)


@rule(
    "security-scheme-detail-changed",
    area="security",
    pair=SchemePair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=(
        "SecurityScheme.bearerFormat",
        "SecurityScheme.flows",
        "SecurityScheme.openIdConnectUrl",
        "SecurityScheme.oauth2MetadataUrl",
        "SecurityScheme.deprecated",
        "OAuthFlows.implicit",
        "OAuthFlows.password",
        "OAuthFlows.clientCredentials",
        "OAuthFlows.authorizationCode",
        "OAuthFlows.deviceAuthorization",
        "OAuthFlow.authorizationUrl",
        "OAuthFlow.deviceAuthorizationUrl",
        "OAuthFlow.tokenUrl",
        "OAuthFlow.refreshUrl",
        "OAuthFlow.scopes",
        "Swagger.SecurityScheme.flow",
        "Swagger.SecurityScheme.authorizationUrl",
        "Swagger.SecurityScheme.tokenUrl",
        "Swagger.SecurityScheme.scopes",
    ),
)
def security_scheme_detail_changed(pair: SchemePair) -> Iterator[Delta]:
    """Credentials look the same and are got elsewhere: a flow or a URL of the scheme differs.

    Why it matters: a client that has the token URL or the flow written down gets no token; many take it from
    configuration, so it is one warning for the whole service, as with a moved server. Scopes that are only on offer,
    and the format of a token, are notes: what is needed is said by the operations.

    Warns (request):
        base:
          /things: {get: {security: [{oauth: []}]}}
          components:
            securitySchemes:
              oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: "https://a.example/token", scopes: {}}}}
        head:
          /things: {get: {security: [{oauth: []}]}}
          components:
            securitySchemes:
              oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: "https://b.example/token", scopes: {}}}}

    Holds (request):
        base:
          /things: {get: {security: [{token: []}]}}
          components: {securitySchemes: {token: {type: http, scheme: bearer}}}
        head:
          /things: {get: {security: [{token: []}]}}
          components: {securitySchemes: {token: {type: http, scheme: bearer, bearerFormat: JWT}}}
    """
    for effect, message, facts in _details(pair.base.detail, pair.head.detail):
        doubtful = effect in {Effect.NARROWED, Effect.CHANGED}
        yield Delta(
            effect,
            f"scheme `{pair.base.component}`: {message}",
            base=pair.base.node,
            head=pair.head.node,
            confidence=Confidence.POSSIBLE if doubtful else None,
            impact=None if doubtful else Impact.SAFE,
            facts=facts,
        )


_Detail = tuple[Effect, str, tuple[str, ...]]
_URLS = {
    "authorizationUrl": ("authorization-url",),
    "deviceAuthorizationUrl": ("authorization-url",),
    "tokenUrl": ("token-url",),
    "refreshUrl": (),
}


def _details(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[_Detail]:
    for key in ("openIdConnectUrl", "oauth2MetadataUrl"):
        if before.get(key) != after.get(key):
            yield Effect.CHANGED, f"{key} `{before.get(key)}` became `{after.get(key)}`", ()
    for key in ("bearerFormat", "deprecated"):
        if before.get(key) != after.get(key):
            yield Effect.ANNOTATION, f"{key} `{before.get(key)}` became `{after.get(key)}`", ()
    ours, theirs = _table(before.get("flows")), _table(after.get("flows"))
    for name in sorted(ours.keys() | theirs.keys()):
        if name.startswith("x-"):
            continue
        if name not in theirs:
            yield Effect.NARROWED, f"flow {name} was removed", ()
        elif name not in ours:
            yield Effect.WIDENED, f"flow {name} was added", ()
        else:
            yield from _flow(name, _table(ours[name]), _table(theirs[name]))


def _flow(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[_Detail]:
    for key, facts in _URLS.items():
        if before.get(key) != after.get(key):
            yield Effect.CHANGED, f"{key} of flow {name} `{before.get(key)}` became `{after.get(key)}`", facts
    ours, theirs = _table(before.get("scopes")), _table(after.get("scopes"))
    for scope in sorted(ours.keys() ^ theirs.keys()):
        words = "removed" if scope in ours else "added"
        yield (
            Effect.ANNOTATION,
            f"scope `{scope}` of flow {name} was {words}",
            ("scope", turn(scope in ours, scope in theirs)),
        )


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
