"""Lineage that leads nowhere: what a consumer says it passes on as a field that its own API does not have.

Whoever reads that field of it is on the second hop of every change, and is not found while its name is wrong.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from guardian import fieldpath
from guardian.errors import RefError
from guardian.graph.consumers.routes import Routes
from guardian.graph.surface import READS, Surface
from guardian.graph.uses import Exposure, Use
from guardian.spec.api import Operation


@dataclass(frozen=True, slots=True)
class Lost:
    """One exposure whose target is not there, and the sentence that says so; ``field`` if the operation is."""

    exposure: Exposure
    sentence: str
    field: bool


def provider(use: Use, exposure: Exposure) -> str:
    """The service whose API an exposure speaks of."""
    return exposure.service or use.consumer


def lost(routes: Routes, surface: Surface, use: Use) -> Iterator[Lost]:
    """What a use exposes as something that its provider has on neither side."""
    for exposure in use.exposes:
        service = provider(use, exposure)
        if service not in routes.services:
            continue
        sides = (routes.base(service, exposure.operation), routes.head(service, exposure.operation))
        operations = [each for each in sides if each is not None]
        target = f"{exposure.field} of {exposure.operation}"
        if not operations:
            near = _near(routes.key(service, exposure.operation), routes.operations(service))
            lack = f"which {service} does not have"
        elif not any(_may_have(surface, each, exposure) for each in operations):
            fields = [str(part.path) for part in surface.parts(operations[-1]) if part.side == READS]
            near = _near(fieldpath.write(exposure.field), fields)
            lack = f"which {service} does not declare"
        else:
            continue
        sentence = f"{use.consumer} exposes {exposure.path} of {use.operation} as {target}, {lack}{near}"
        yield Lost(exposure, sentence, field=bool(operations))


def _may_have(surface: Surface, operation: Operation, exposure: Exposure) -> bool:
    try:
        return surface.has(operation, READS, exposure.field) is not False
    except RefError:  # whoever reads it for its own sake says what is wrong
        return True


def _near(text: str, known: list[str]) -> str:
    near = difflib.get_close_matches(text, known, n=1, cutoff=0.7)
    return f"; the nearest is {near[0]}" if near else ""
