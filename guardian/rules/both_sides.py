"""An operation that both sides have, and what holds for many operations, in pairs: each part with its like.

What is written the same and inherits the same is passed over, so that the cost follows the change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from guardian.model import Direction
from guardian.rules.credentials import is_renamed
from guardian.rules.encoding import shared_headers
from guardian.rules.form_fields import Form, form_of
from guardian.rules.homes import callback_home
from guardian.rules.matching import Matched, either, match_callbacks
from guardian.rules.messages import compared, has_body
from guardian.rules.pairs import (
    ApiPair,
    BodyPair,
    HeaderPair,
    MediaTypeOffer,
    MediaTypePair,
    OperationPair,
    ParameterPair,
    Placed,
    ResponsePair,
    SchemaRoot,
    SchemePair,
    ServersPair,
)
from guardian.rules.part_matching import (
    ignored_headers,
    label,
    match_media_types,
    match_parameters,
    match_responses,
    media_range_holds,
    shared_default,
)
from guardian.rules.urls import expression_of, own_servers, path_layers, same_places, shape_of, variables_of
from guardian.rules.wire import rewritten, schema_of
from guardian.rules.xml import is_xml
from guardian.spec.api import Api, Body, MediaType, Node, Operation, Parameter, Response, Schema, SecurityScheme, Server
from guardian.spec.dialects import DIALECTS
from guardian.spec.media import JSON
from guardian.spec.security import is_uri
from guardian.spec.shape import ANYTHING
from guardian.spec.shaper import Shaper

Same = Callable[[Node, Node], bool]
_LONE_DEFAULT = (
    "where no success is declared `default` is for success and errors alike, and may be meant for success alone"
)


class BothSides:
    """A service that is on both sides.

    Args:
        base, head: the two sides.
        same: says cheaply that two nodes mean the same because they, and all they refer to, are written the same.
    """

    def __init__(self, base: Api, head: Api, same: Same) -> None:
        self.base = base
        self.head = head
        self._same = same
        self._shapers = (Shaper(), Shaper())
        # What operations inherit without saying so: it decides what may be passed over.
        roots = base.document.node(), head.document.node()
        self._same_media = all(_same_child(*roots, key, same) for key in ("consumes", "produces"))
        self._same_security = _same_child(*roots, "security", same)
        self._changed_schemes = self._find_changed_schemes()
        self._schemes: set[tuple[str, str]] = set()  # by their names

    def service(self, matches: Iterable[Matched]) -> Iterator[Placed]:
        yield Placed(ApiPair(self.base, self.head), "", "api", Direction.REQUEST)
        yield from self._servers(matches)

    # -- what holds for many operations ----------------------------------------------------------------------------

    def _find_changed_schemes(self) -> frozenset[str]:
        """The names of security schemes that are not written the same on both sides."""
        holders = [
            api.document.node().find(DIALECTS[api.dialect].components["securitySchemes"])
            for api in (self.base, self.head)
        ]
        names = [set(holder.value) if holder and isinstance(holder.value, dict) else set() for holder in holders]
        one, other = holders
        return frozenset(
            name
            for name in names[0] | names[1]
            if one is None or other is None or not _same_child(one, other, name, self._same)
        )

    def _servers(self, matches: Iterable[Matched]) -> Iterator[Placed]:
        routes: dict[tuple[str, str], None] = {}
        inheriting = overriding = False
        for base, head in matches:
            if base is None or head is None or base.kind != "path":
                continue
            if own_servers(base) or own_servers(head):
                overriding = True
                pair = self._servers_pair(base.parts.servers, head.parts.servers, [_route(base, head)], base, head)
                yield Placed(pair, base.name, "servers", Direction.REQUEST)
            else:
                inheriting = True
                routes[_route(base, head)] = None
        if inheriting or not overriding:
            pair = self._servers_pair(self.base.servers, self.head.servers, list(routes), None, None)
            yield Placed(pair, "", "servers", Direction.REQUEST)

    def _servers_pair(
        self,
        base: tuple[Server, ...],
        head: tuple[Server, ...],
        routes: list[tuple[str, str]],
        base_operation: Operation | None,
        head_operation: Operation | None,
    ) -> ServersPair:
        return ServersPair(
            base,
            head,
            Direction.REQUEST,
            tuple(sorted(routes)),
            _servers_node(self.base, base_operation),
            _servers_node(self.head, head_operation),
        )

    # -- operations ------------------------------------------------------------------------------------------------

    def operation(self, base: Operation, head: Operation) -> Iterator[Placed]:
        same_messages = self._same_media and self._written_same(base, head)
        if same_messages and self._inherits_same_security(base) and not _called_elsewhere(base, head):
            return
        direction = direction_of(base)
        variables = zip(reversed(variables_of(base.path)), reversed(variables_of(head.path)), strict=False)
        renamed = tuple((one, other) for one, other in variables if one != other)[::-1]
        yield Placed(OperationPair(base, head, direction, renamed), base.name, "operation", direction)
        yield from self._security(base, head)
        if not same_messages:
            if not self._same_parameters(base, head):
                yield from self._parameters(base, head, direction)
            yield from self._body(base, head, direction)
            yield from self._responses(base, head, direction.opposite)
        for one, other in match_callbacks(base, head):
            if one is None or other is None:
                homes = callback_home(base) if one is None else None, callback_home(head) if other is None else None
                yield from alone((one, other), *homes)
            else:
                yield from self.operation(one, other)

    def _written_same(self, base: Operation, head: Operation) -> bool:
        if not same_places(base.path, head.path):
            return False  # the same words say it of other variables
        if self._same(base.path_node, head.path_node):
            return True
        return self._same(base.node, head.node) and self._same_shared_parameters(base, head)

    def _same_shared_parameters(self, base: Operation, head: Operation) -> bool:
        """Whether the parameters are written the same that all operations of the path have."""
        shared, theirs = (
            next((layer for layer in layers if "parameters" in layer.value), layers[0])
            for layers in (path_layers(base), path_layers(head))
        )
        return _same_child(shared, theirs, "parameters", self._same)

    def _inherits_same_security(self, operation: Operation) -> bool:
        """Whether what an operation written the same requires is the same, by the names that it gives it."""
        own = _value(operation.node, "security")
        if own is None and not operation.inverted:
            if not self._same_security:
                return False
            own = _value(self.base.document.node(), "security")
        named = {name for each in own if isinstance(each, dict) for name in each} if isinstance(own, list) else set()
        return named.isdisjoint(self._changed_schemes) and not any(
            map(is_uri, named)
        )  # of what is elsewhere, who knows

    def _security(self, base: Operation, head: Operation) -> Iterator[Placed]:
        """The schemes that both sides require, each pair once: what is not on the wire is compared once for the service."""
        ours, theirs = _schemes_of(base), _schemes_of(head)
        for key, scheme in ours.items():
            # Two schemes may be the same on the wire; then names tell them apart, as far as both sides have them.
            renamed = (
                other for _, other in sorted(theirs.items(), key=lambda each: each[0]) if is_renamed(scheme, other)
            )
            partner = theirs.get(key) or next(renamed, None)
            if partner is not None and (scheme.component, partner.component) not in self._schemes:
                self._schemes.add((scheme.component, partner.component))
                yield Placed(SchemePair(scheme, partner), "", "security", Direction.REQUEST)

    def _same_part(self, base: Parameter | Body | Response, head: Parameter | Body | Response) -> bool:
        """Whether a part of an operation is written the same, and says all of itself."""
        # A body of 2.0 is put together of parameters, with media types from elsewhere.
        whole = self.base.dialect == self.head.dialect and not (self.base.dialect == "2.0" and isinstance(base, Body))
        return whole and self._same(base.node, head.node)

    # -- parameters ------------------------------------------------------------------------------------------------

    def _same_parameters(self, base: Operation, head: Operation) -> bool:
        """Whether all parameters are written the same: then they need not be read."""
        return (
            self.base.dialect == self.head.dialect
            and base.path == head.path
            and _same_child(base.node, head.node, "parameters", self._same)
            and self._same_shared_parameters(base, head)
        )

    def _parameters(self, base: Operation, head: Operation, direction: Direction) -> Iterator[Placed]:
        parents = _below(base.node, "parameters"), _below(head.node, "parameters")
        for one, other in match_parameters(base, head, *self._shapers):
            if one and other and one.field == other.field and self._same_part(one, other):
                continue
            parameter = one or other
            assert parameter is not None, "a match has at least one side"
            place = f"{parameter.location} parameter {parameter.name}"
            yield Placed(ParameterPair(one, other, direction, *parents), base.name, place, direction)
            if one and other:
                yield from self._values(one, other, base.name, place, direction)

    def _values(
        self, base: Parameter, head: Parameter, operation: str, place: str, direction: Direction
    ) -> Iterator[Placed]:
        """Where the schemas of a parameter or header begin; nothing to compare if a text became another document."""
        sender, receiver = (base, head) if direction is Direction.REQUEST else (head, base)
        if not base.content and not head.content:
            yield from _root(
                base.schema, head.schema, (base.node, head.node), operation, place, direction,
                field=base.field, text=True, style=sender.style, explode=sender.explode,
            )  # fmt: skip
        elif bool(base.content) is not bool(head.content):
            if not rewritten(base, head, direction):
                text = not receiver.content or receiver.content[0].name != JSON
                yield from _root(
                    schema_of(base),
                    schema_of(head),
                    (base.node, head.node),
                    operation,
                    place,
                    direction,
                    field=base.field,
                    text=text,
                )
        else:
            one, other = base.content[0], head.content[0]
            form = form_of(one, other, direction)
            places = one.node, other.node
            yield from _root(one.schema, other.schema, places, operation, place, direction, field=base.field, form=form)

    # -- bodies ----------------------------------------------------------------------------------------------------

    def _body(self, base: Operation, head: Operation, direction: Direction) -> Iterator[Placed]:
        one, other = base.parts.body, head.parts.body
        if (one is None and other is None) or (one and other and self._same_part(one, other)):
            return
        parents = _below(base.node, "requestBody", "parameters"), _below(head.node, "requestBody", "parameters")
        yield Placed(BodyPair(one, other, direction, *parents), base.name, "request body", direction)
        if one and other:
            yield from self._contents(one, other, base.name, "request body", direction, negotiated=False)

    def _contents(
        self,
        base: Body | Response,
        head: Body | Response,
        operation: str,
        part: str,
        direction: Direction,
        *,
        negotiated: bool,
    ) -> Iterator[Placed]:
        both, lost, gained = match_media_types(base.content, head.content)
        parents = _below(base.node, "content"), _below(head.node, "content")
        # Forms last: what has the same schema and types tells all that a form tells, in which number and text look alike.
        for matched in sorted(both, key=lambda pair: form_of(pair.base, pair.head, direction) is not None):
            one, other = matched.base, matched.head
            siblings = head.content if matched.narrower is other else base.content
            place = f"{part} {label(matched.narrower, siblings)}"
            yield Placed(MediaTypePair(one, other, direction, *parents, matched.kept), operation, place, direction)
            yield from self._bodies(one, other, operation, place, direction)
            for name, our_header, their_header in shared_headers(one, other):
                below = f"{place} part {name} header {our_header.name}"
                yield from self._values(our_header, their_header, operation, below, direction)
        shared = bool(both)
        for media in lost:
            in_part = any(media_range_holds(media.name, each.name) for each in head.content)
            offer = MediaTypeOffer(media, None, direction, negotiated, shared, *parents, in_part)
            yield Placed(offer, operation, f"{part} {label(media, base.content)}", direction)
        for media in gained:
            offer = MediaTypeOffer(None, media, direction, negotiated, shared, *parents)
            yield Placed(offer, operation, f"{part} {label(media, head.content)}", direction)

    def _bodies(
        self, base: MediaType, head: MediaType, operation: str, place: str, direction: Direction, doubt: str = ""
    ) -> Iterator[Placed]:
        """Where the schemas of two media types begin that describe the same messages."""
        form = form_of(base, head, direction)
        xml = is_xml(base.name) and is_xml(head.name)
        for ours, theirs, field in compared(base, head, direction):
            yield from _root(
                ours, theirs, (base.node, head.node), operation, place, direction,
                field=field, xml=xml and not field, form=None if field else form, doubt=doubt,
            )  # fmt: skip

    # -- responses -------------------------------------------------------------------------------------------------

    def _responses(self, base: Operation, head: Operation, direction: Direction) -> Iterator[Placed]:
        parents = _below(base.node, "responses"), _below(head.node, "responses")
        same_offers = self._same_media and _same_child(base.node, head.node, "produces", self._same)
        for one, other in match_responses(base.parts.responses, head.parts.responses):
            if one and other and one.status == other.status and same_offers and self._same_part(one, other):
                continue
            response = _narrower(one, other)
            place = f"response {response.status}"
            if not has_body(base, response):  # whatever is said of it
                one, other = (each and each._replace(content=()) for each in (one, other))
            yield Placed(ResponsePair(one, other, direction, *parents), base.name, place, direction)
            if one and other:
                yield from self._headers(one, other, base.name, place, direction)
                if one.content and other.content:
                    negotiated = not base.inverted
                    yield from self._contents(one, other, base.name, place, direction, negotiated=negotiated)

        errors = shared_default(base.parts.responses, head.parts.responses, self._same_content)
        if errors and has_body(base, errors[0]):
            for matched in match_media_types(*(each.content for each in errors))[0]:
                place = f"response default {matched.narrower.name}"
                yield from self._bodies(matched.base, matched.head, base.name, place, direction, _LONE_DEFAULT)

    def _same_content(self, base: Response, head: Response) -> bool:
        """Whether two responses have bodies that are written the same, be it in OpenAPI 2.0."""
        return all(_same_child(base.node, head.node, key, self._same) for key in ("content", "schema"))

    def _headers(
        self, base: Response, head: Response, operation: str, part: str, direction: Direction
    ) -> Iterator[Placed]:
        parents = _below(base.node, "headers"), _below(head.node, "headers")
        # Of a response's headers 3.x leaves Content-Type alone to its media types.
        ignored = ignored_headers(base.node, head.node) & {"content-type"}
        for key in sorted((base.headers.keys() | head.headers.keys()) - ignored):
            one, other = base.headers.get(key), head.headers.get(key)
            header = one or other
            assert header is not None, "the key is of one of them"
            place = f"{part} header {header.name}"
            yield Placed(HeaderPair(one, other, direction, *parents), operation, place, direction)
            if one and other:
                yield from self._values(one, other, operation, place, direction)


def _called_elsewhere(base: Operation, head: Operation) -> bool:
    """Whether the same operation is called in another way that a rule should see."""
    if base.kind == "callback":
        return expression_of(base.path) != expression_of(head.path)
    return base.path.endswith("/") is not head.path.endswith("/")


def _value(node: Node, key: str) -> Any:
    return node.value.get(key) if isinstance(node.value, dict) else None


def _same_child(base: Node, head: Node, key: str, same: Same) -> bool:
    mine, theirs = (isinstance(node.value, dict) and key in node.value for node in (base, head))
    if not mine or not theirs:
        return mine is theirs
    return same(base.child(key), head.child(key))


def _below(node: Node, *keys: str) -> Node:
    """The first of these children that exists, else the node itself: what to point at for something missing."""
    for key in keys:
        if isinstance(node.value, dict) and key in node.value:
            return node.child(key)
    return node


def _route(base: Operation, head: Operation) -> tuple[str, str]:
    if base.path == head.path:
        return "", ""
    # A trailing slash has a rule of its own.
    route = shape_of(base.path).rstrip("/"), shape_of(head.path).rstrip("/")
    return ("", "") if route[0] == route[1] else route


def _servers_node(api: Api, operation: Operation | None) -> Node:
    own = own_servers(operation) if operation else None
    return own or _below(api.document.node(), "servers", "basePath", "host", "schemes")


_SchemeKey = tuple[tuple[str, ...], str]  # what it is on the wire, and its name in the document


def _schemes_of(operation: Operation) -> dict[_SchemeKey, SecurityScheme]:
    return {
        (scheme.identity, scheme.component): scheme
        for requirement in operation.parts.security or ()
        for scheme, _ in requirement.schemes
    }


def _narrower(base: Response | None, head: Response | None) -> Response:
    """The side whose status says more: ``404`` rather than ``4XX`` rather than ``default``."""
    response = base or head
    assert response is not None, "a match has at least one side"
    if base and head:
        width = {"default": 2}
        return min((base, head), key=lambda each: width.get(each.status, int(each.status.endswith("XX"))))
    return response


def _root(
    base: Schema | None,
    head: Schema | None,
    places: tuple[Node, Node],
    operation: str,
    place: str,
    direction: Direction,
    *,
    field: str = "",
    text: bool = False,
    style: str = "",
    explode: bool | None = None,
    xml: bool = False,
    form: Form | None = None,
    doubt: str = "",
) -> Iterator[Placed]:
    if base is None and head is None:
        return
    root = SchemaRoot(
        base or ANYTHING, head or ANYTHING, direction, place, field, text, style, explode, xml, form, *places, doubt
    )
    yield Placed(root, operation, place, direction)


def alone(
    matched: Matched, base_parent: Node | None, head_parent: Node | None, instead: tuple[Operation, ...] = ()
) -> Iterator[Placed]:
    """An operation that one side lacks, and its callbacks, which are gone or new with it; the places where they would be."""
    operation = either(matched)
    direction = direction_of(operation)
    pair = OperationPair(*matched, direction, (), base_parent, head_parent, instead)
    yield Placed(pair, operation.name, "operation", direction)
    if isinstance(operation.node.value, dict) and operation.node.value.get("callbacks"):
        for callback in match_callbacks(*matched):
            yield from alone(callback, base_parent, head_parent)


def direction_of(operation: Operation) -> Direction:
    """That of an operation's request: webhooks and callbacks turn it round."""
    return Direction.RESPONSE if operation.inverted else Direction.REQUEST
