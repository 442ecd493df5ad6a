"""Credentials that one side declares as a parameter and the other as a security scheme: the same on the wire.

``X-Api-Key`` is sent by the same callers whether it is a required header parameter or an API key in that header. So
neither the parameter nor the scheme is gone or new where the other side has its like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from guardian.rules.urls import path_layers
from guardian.spec.parameters import declared
from guardian.spec.reading import elements

if TYPE_CHECKING:
    from guardian.rules.credentials import Way
    from guardian.spec.api import Operation, Parameter, SecurityScheme

_Place: TypeAlias = tuple[str, str]  # location and name, that of a header without case


def only_credentials(base: Operation, head: Operation, before: list[Way], after: list[Way]) -> tuple[list[Way], ...]:
    """The ways in of both sides, without the credentials that are a parameter on the other side."""
    ours, theirs = (
        frozenset(_place(each) for way in ways for each in way.schemes.values()) for ways in (before, after)
    )
    if ours == theirs:
        return before, after
    return _without(before, _demanded(head) - theirs), _without(after, _demanded(base) - ours)


def is_asked_for(parameter: Parameter, other: Operation) -> bool:
    """Whether the other side goes on taking a parameter, as a credential."""
    return any(_key(parameter.location, parameter.name) in way for way in _presented(other))


def is_presented(parameter: Parameter, other: Operation) -> bool:
    """Whether all callers of the other side send a parameter already, as a credential."""
    ways = _presented(other)
    return bool(ways) and all(_key(parameter.location, parameter.name) in way for way in ways)


def _without(ways: list[Way], places: frozenset[_Place]) -> list[Way]:
    left: dict[object, Way] = {}
    for way in ways:
        schemes = {key: scheme for key, scheme in way.schemes.items() if _place(scheme) not in places}
        scopes = {key: way.scopes[key] for key in schemes}
        left.setdefault(frozenset(scopes.items()), way._replace(schemes=schemes, scopes=scopes))
    return list(left.values())


def _demanded(operation: Operation) -> frozenset[_Place]:
    """The parameters that every caller sends: those too that a dialect leaves to its security schemes."""
    layers = path_layers(operation)
    shared = next((layer for layer in layers if "parameters" in layer.value), layers[0])
    nodes = declared(elements(shared, "parameters"), elements(operation.node, "parameters"))
    return frozenset(
        _key(node.value["in"], str(node.value["name"])) for node in nodes if node.value.get("required") is True
    )


def _presented(operation: Operation) -> list[frozenset[_Place]]:
    """What is presented on each way in."""
    return [
        frozenset(_place(scheme) for scheme, _ in requirement.schemes) for requirement in operation.parts.security or ()
    ]


def _place(scheme: SecurityScheme) -> _Place:
    location, _, name = (scheme.field or "").partition(":")
    return _key(location, name)


def _key(location: str, name: str) -> _Place:
    return location, name.lower() if location == "header" else name
