"""Rules on operations as a whole: there or not, and where they are reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from guardian.model import Confidence, Effect, Hit, Impact, Severity
from guardian.rules.facts import field_of, in_words, place_of, turn
from guardian.rules.pairs import (
    Delta,
    OperationPair,
    ServersPair,
)
from guardian.rules.registry import rule
from guardian.rules.urls import expression_of, unreachable
from guardian.spec.api import Kind, Node, Operation, Server
from guardian.spec.dates import read_date
from guardian.spec.dialects import DIALECTS


def _gone(pair: OperationPair, kind: Kind) -> Operation | None:
    return pair.base if pair.base and pair.head is None and pair.base.kind == kind else None


def _new(pair: OperationPair, kind: Kind) -> Operation | None:
    return pair.head if pair.head and pair.base is None and pair.head.kind == kind else None


@rule(
    "operation-removed",
    area="operations",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    claims=(
        "OpenAPI.paths",
        "Paths.{path}",
        "PathItem.$ref",
        *(f"PathItem.{method}" for method in DIALECTS["3.2"].methods),
        "PathItem.additionalOperations",
        "Components.pathItems",
    ),
)
def operation_removed(pair: OperationPair) -> Iterator[Delta]:
    """An operation is gone: no operation of head has its method and effective URL.

    Why it matters: every caller gets 404 or 405. Operations are matched by what is called (method, base path and path,
    names of path parameters left out), so a renamed path parameter or a base path written into the paths removes
    nothing. All methods count, those of OpenAPI 3.2 included. Where literal paths went into a new template that takes
    them, or a template whose values are listed became a path for each, it is a warning: something answers there, and
    what else has changed is not compared.

    Breaks (request):
        base: {/things: {get: {}, delete: {}}}
        head: {/things: {get: {}}}

    Warns (request):
        base: {/things/new: {get: {}}}
        head: {"/things/{view}": {get: {parameters: [{in: path, name: view, required: true, schema: {}}]}}}

    Holds (request):
        base: {"/things/{id}": {get: {parameters: [{in: path, name: id, required: true, schema: {}}]}}}
        head: {"/things/{thingId}": {get: {parameters: [{in: path, name: thingId, required: true, schema: {}}]}}}
    """
    if operation := _gone(pair, "path"):
        delta = Delta(
            Effect.NARROWED,
            f"{operation.name} was removed",
            base=operation.node,
            head=pair.head_parent,
            facts=tuple(_announced(operation)),
        )
        if not pair.instead:
            yield delta
            return
        others = " or ".join(each.name for each in pair.instead)
        yield delta._replace(
            message=f"{operation.name} was removed; {others} is called at its URL",
            head=pair.instead[0].node,
            confidence=Confidence.POSSIBLE,
            impact=Impact.POSSIBLE,
            unproved="the documents do not say whether what is called there now answers as the former operation did",
        )


def _announced(operation: Operation) -> Iterator[str]:
    """The facts about how the removal of an operation was announced."""
    if operation.deprecated:
        yield "deprecated"
        sunset = field_of(operation, "x-sunset")
        if sunset is not None and read_date(sunset) is None:
            yield "unreadable"


@rule(
    "operation-added",
    area="operations",
    pair=OperationPair,
    hit=Hit.NOBODY,
    impact=Impact.SAFE,
    claims=("OpenAPI.paths", "Paths.{path}"),
)
def operation_added(pair: OperationPair) -> Iterator[Delta]:
    """An operation is new.

    Why it matters: nobody calls it yet; it is listed so that the changelog is complete.

    Holds (request):
        base: {/things: {get: {}}}
        head: {/things: {get: {}, post: {}}}
    """
    if operation := _new(pair, "path"):
        yield Delta(Effect.WIDENED, f"{operation.name} was added", base=pair.base_parent, head=operation.node)


@rule(
    "webhook-removed",
    area="operations",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    claims=("OpenAPI.webhooks",),
)
def webhook_removed(pair: OperationPair) -> Iterator[Delta]:
    """A webhook is no longer sent.

    Why it matters: a receiver hears nothing any more, and nothing tells it so. By set theory fewer messages arrive,
    which every reader survives; but a webhook is a promise to call, and the promise is gone, so it breaks.

    Breaks (response):
        base: {webhooks: {paid: {post: {}}, shipped: {post: {}}}}
        head: {webhooks: {paid: {post: {}}}}
    """
    if operation := _gone(pair, "webhook"):
        yield Delta(
            Effect.NARROWED,
            f"{operation.name} was removed",
            base=operation.node,
            head=pair.head_parent,
            severity=Severity.BREAKING,
        )


@rule(
    "webhook-added",
    area="operations",
    pair=OperationPair,
    hit=Hit.NOBODY,
    impact=Impact.SAFE,
    claims=("OpenAPI.webhooks",),
)
def webhook_added(pair: OperationPair) -> Iterator[Delta]:
    """A webhook is new.

    Why it matters: webhooks are subscribed to one by one, so nobody receives one that was not asked for. Hence no
    break, although more messages are sent than before.

    Holds (response):
        base: {webhooks: {paid: {post: {}}}}
        head: {webhooks: {paid: {post: {}}, shipped: {post: {}}}}
    """
    if operation := _new(pair, "webhook"):
        yield Delta(
            Effect.WIDENED,
            f"{operation.name} was added",
            base=pair.base_parent,
            head=operation.node,
            severity=Severity.INFO,
        )


@rule(
    "callback-removed",
    area="operations",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    claims=("Operation.callbacks", "Components.callbacks", "Callback.{expression}"),
)
def callback_removed(pair: OperationPair) -> Iterator[Delta]:
    """A callback is no longer made.

    Why it matters: who subscribed waits for a call that never comes. As with webhooks it is the promise to call that
    is broken; the key in the document is not on the wire. The leading tool does not look at callbacks.

    Breaks (response):
        base: {/jobs: {post: {callbacks: {done: {"{$request.body#/url}": {post: {}}}}}}}
        head: {/jobs: {post: {}}}
    """
    if operation := _gone(pair, "callback"):
        yield Delta(
            Effect.NARROWED,
            f"{operation.name} was removed",
            base=operation.node,
            head=pair.head_parent,
            severity=Severity.BREAKING,
        )


@rule(
    "callback-added",
    area="operations",
    pair=OperationPair,
    hit=Hit.NOBODY,
    impact=Impact.SAFE,
    claims=("Operation.callbacks", "Components.callbacks", "Callback.{expression}"),
)
def callback_added(pair: OperationPair) -> Iterator[Delta]:
    """A callback is new.

    Why it matters: it is called at a URL that the caller gives, and callers of base give none.

    Holds (response):
        base: {/jobs: {post: {}}}
        head: {/jobs: {post: {callbacks: {done: {"{$request.body#/url}": {post: {}}}}}}}
    """
    if operation := _new(pair, "callback"):
        yield Delta(
            Effect.WIDENED,
            f"{operation.name} was added",
            base=pair.base_parent,
            head=operation.node,
            severity=Severity.INFO,
        )


@rule(
    "callback-expression-changed",
    area="operations",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=("Callback.{expression}",),
)
def callback_expression_changed(pair: OperationPair) -> Iterator[Delta]:
    """A callback is made to a URL that is taken from elsewhere.

    Why it matters: a subscriber that gives its URL where base looked for it is no longer called. Whether it also gives
    it at the new place, the documents cannot say: a warning.

    Warns (response):
        base: {/jobs: {post: {callbacks: {done: {"{$request.body#/url}": {post: {}}}}}}}
        head: {/jobs: {post: {callbacks: {done: {"{$request.body#/notify/url}": {post: {}}}}}}}
    """
    if not pair.base or not pair.head or pair.base.kind != "callback":
        return
    if expression_of(pair.base.path) != expression_of(pair.head.path):
        yield Delta(
            Effect.CHANGED,
            f"the URL of {pair.base.name} is now taken from `{pair.head.path}` instead of `{pair.base.path}`",
            base=pair.base.node,
            head=pair.head.node,
            confidence=Confidence.POSSIBLE,
        )


@rule(
    "path-slash-changed",
    area="operations",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=("Paths.{path}",),
)
def path_slash_changed(pair: OperationPair) -> Iterator[Delta]:
    """A path gained or lost its trailing slash.

    Why it matters: ``/things`` and ``/things/`` are different URLs (RFC 3986). Many servers answer both or redirect,
    many do not, and a redirected POST may lose its body: a warning, where others report a removed operation.

    Warns (request):
        base: {/things: {get: {}}}
        head: {/things/: {get: {}}}
    """
    if not pair.base or not pair.head or pair.base.kind != "path":
        return
    before, after = pair.base.path.endswith("/"), pair.head.path.endswith("/")
    if before is not after:
        yield Delta(
            Effect.CHANGED,
            f"the path {'lost' if before else 'gained'} its trailing slash",
            base=pair.base.node,
            head=pair.head.node,
            confidence=Confidence.POSSIBLE,
        )


@rule(
    "server-changed",
    area="operations",
    pair=ServersPair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=(
        "OpenAPI.servers",
        "PathItem.servers",
        "Operation.servers",
        "Server.url",
        "Server.variables",
        "ServerVariable.enum",
        "ServerVariable.default",
        "Swagger.host",
        "Swagger.basePath",
        "Swagger.schemes",
        "Swagger.Operation.schemes",
    ),
)
def server_changed(pair: ServersPair) -> Iterator[Delta]:
    """Operations are no longer reached at a URL where they were.

    Why it matters: a client with the URL written down calls nobody, but many take it from configuration, so it is one
    warning that names every consumer. Effective URLs are compared: a base path written into the paths, a ``host`` that
    became ``servers`` or another order of servers is nothing, and neither is a server more. Variables stand for
    every URL they allow. The leading tool does not compare servers.

    Warns (request):
        base: {servers: [{url: "https://api.example.com/v1"}], /things: {get: {}}}
        head: {servers: [{url: "https://api.example.com/v2"}], /things: {get: {}}}

    Holds (request):
        base: {servers: [{url: "https://api.example.com/v1"}], /things: {get: {}}}
        head: {servers: [{url: "https://api.example.com"}], /v1/things: {get: {}}}

    Holds (request):
        base: {servers: [{url: "https://api.example.com"}], /things: {get: {}}}
        head: {servers: [{url: "https://api.example.com"}, {url: "https://eu.example.com"}], /things: {get: {}}}
    """
    lost = unreachable(pair.base, pair.head, pair.routes)
    gained = unreachable(pair.head, pair.base, [(after, before) for before, after in pair.routes])
    if not lost and not gained:
        yield from _other_defaults(pair)
        return
    if lost and gained:
        effect, message = Effect.CHANGED, f"the server {_urls(lost)} became {_urls(gained)}"
    elif lost:
        effect, message = Effect.NARROWED, f"the server {_urls(lost)} was removed"
    else:
        effect, message = Effect.WIDENED, f"the server {_urls(gained)} was added"
    if variables := _other_values([*((one, pair.head) for one in lost), *((one, pair.base) for one in gained)]):
        urls = _urls(list({server.url: server for server in (*lost, *gained)}.values()))
        message = f"the server {urls} takes {_MORE_OR_LESS[effect]} values for {' and '.join(variables)}"
    yield Delta(
        effect,
        message,
        base=_server_node(lost) or pair.base_parent,
        head=_server_node(gained) or pair.head_parent,
        confidence=Confidence.POSSIBLE if lost else None,
        impact=None if lost else Impact.SAFE,
    )


def _other_defaults(pair: ServersPair) -> Iterator[Delta]:
    """Variables of which another value is the default: every URL is answered as before, so it is a note."""
    heads = {server.url: server for server in pair.head}
    for server in pair.base:
        other = heads.get(server.url)
        for name in sorted(server.variables.keys() & other.variables.keys()) if other else ():
            assert other is not None, "there are names of it"
            before, after = server.variables[name].get("default"), other.variables[name].get("default")
            if before != after:
                yield Delta(
                    Effect.ANNOTATION,
                    f"the server `{server.url}`: {in_words(f'the default of `{name}`', before, after)}",
                    base=server.node or pair.base_parent,
                    head=other.node or pair.head_parent,
                    hit=Hit.NOBODY,
                )


_MORE_OR_LESS = {Effect.NARROWED: "fewer", Effect.WIDENED: "more", Effect.CHANGED: "other"}


def _other_values(servers: Iterable[tuple[Server, tuple[Server, ...]]]) -> list[str]:
    """The variables whose values alone tell servers from those of the other side; none where a URL is not there."""
    names: set[str] = set()
    for server, others in servers:
        like = next((other for other in others if other.url == server.url), None)
        if like is None:
            return []
        names |= {f"`{name}`" for name, said in server.variables.items() if said != like.variables.get(name)}
    return sorted(names)


def _urls(servers: list[Server]) -> str:
    return " and ".join(f"`{server.url or '/'}`" for server in servers)


def _server_node(servers: list[Server]) -> Node | None:
    return servers[0].node if servers else None


@rule(
    "operation-id-changed",
    area="operations",
    pair=OperationPair,
    hit=Hit.NOBODY,
    impact=Impact.SAFE,
    claims=("Operation.operationId",),
)
def operation_id_changed(pair: OperationPair) -> Iterator[Delta]:
    """An operation has another ``operationId``, or has one on one side only.

    Why it matters: it is not on the wire, so no call changes; but generated clients name their methods after it. Set
    ``severity: {operation-id-changed: breaking}`` where clients are generated from this document.

    Holds (request):
        base: {/things: {get: {operationId: listThings}}}
        head: {/things: {get: {operationId: getThings}}}
    """
    if pair.base and pair.head and pair.base.operation_id != pair.head.operation_id:
        yield Delta(
            Effect.ANNOTATION,
            in_words("operationId", pair.base.operation_id, pair.head.operation_id),
            base=place_of(pair.base, "operationId"),
            head=place_of(pair.head, "operationId"),
            facts=(turn(pair.base.operation_id, pair.head.operation_id),),
        )


@rule(
    "operation-tags-changed",
    area="operations",
    pair=OperationPair,
    hit=Hit.NOBODY,
    impact=Impact.SAFE,
    claims=("Operation.tags",),
)
def operation_tags_changed(pair: OperationPair) -> Iterator[Delta]:
    """An operation is filed under other tags.

    Why it matters: nothing on the wire; documentation and generated clients group by tag.

    Holds (request):
        base: {/things: {get: {tags: [things]}}}
        head: {/things: {get: {tags: [stock]}}}
    """
    if not pair.base or not pair.head:
        return
    before, after = (_tags(side) for side in (pair.base, pair.head))
    if before != after:
        parts = [f"gained tag `{each}`" for each in sorted(after - before)]
        parts += [f"lost tag `{each}`" for each in sorted(before - after)]
        yield Delta(
            Effect.ANNOTATION,
            f"{pair.base.name} {' and '.join(parts)}",
            base=place_of(pair.base, "tags"),
            head=place_of(pair.head, "tags"),
            facts=(turn(before - after, after - before),),
        )


def _tags(operation: Operation) -> set[str]:
    tags = field_of(operation, "tags")
    return {str(each) for each in tags} if isinstance(tags, list) else set()
