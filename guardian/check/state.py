"""One state of the services and their consumers, for questions that compare nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guardian.check.compare import Apis
from guardian.check.configfile import read_config
from guardian.check.declared import Declared, declared_consumers, local_place
from guardian.check.places import Places
from guardian.check.service import Selection
from guardian.check.services import survey
from guardian.check.sides import Sides
from guardian.config import CheckRequest
from guardian.errors import UsageError
from guardian.graph.consumers.load import Declarations, load_consumers
from guardian.graph.consumers.routes import Routes
from guardian.graph.usage import Company
from guardian.spec.sources import open_side


@dataclass(frozen=True, slots=True)
class State:
    """The services of one side, their operations, and who uses them."""

    apis: Apis
    routes: Routes
    selection: Selection
    declared: Declared

    @property
    def places(self) -> Places:
        """Finds lines in specifications and declarations."""
        return Places(self.declared.reading(self.apis.head_source), self.apis.head_documents.text)

    def company(self) -> Company:
        """What questions are asked about."""
        return Company(
            self.routes,
            tuple(self.declared.everybody),
            tuple(sorted(service.name for service in self.selection.chosen)),
            frozenset(service.name for service in self.selection.services if service.public),
            tuple((service.name, service.owner) for service in self.selection.services if service.owner),
            tuple(sorted(self.selection.names.items())),
        )


def open_state(request: CheckRequest) -> State:
    """The state that ``head`` of a request names, the work tree where it names none. Its base is not looked at.

    Raises:
        ReadError: a specification, declaration or revision cannot be read.
        UsageError, ConfigError: what was asked for cannot be done.
    """
    side = open_side(request.head, cwd=request.cwd, role="head")
    sides = Sides(side, side)
    try:
        selection = survey(sides, request, read_config)
    except UsageError:
        # No specification anywhere: who declares what can be asked about all the same.
        if request.services or not request.consumers:
            raise
        selection = Selection((), ())
    apis = Apis(selection.services, sides, request)
    with apis.explaining():
        declared = declared_consumers(sides, selection, apis, request)
    return State(apis, Routes(apis.heads()), selection, replace(declared, base=declared.head, head_only=None))


def declarations(patterns: Sequence[str], request: CheckRequest) -> Declarations:
    """What files of the working directory declare, told apart from nothing else: no specification is read.

    Raises:
        ReadError: a file that was named is not there, or cannot be read.
    """
    trees = [local_place(pattern, request.cwd) for pattern in patterns]
    return load_consumers(trees, sorted(request.config.services))
