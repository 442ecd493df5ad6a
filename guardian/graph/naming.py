"""Declarations by whatever name they call their provider, as uses of the services that the name means.

A service is called what head calls it, and may be known by more names than that: the one it had on base, and the one of
the entry of guardian.yaml whose glob its document is a match of. That entry may have several; what is used is then said
of those that have it, and what none of them has is left with the first, to be told as any claim that meets nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from guardian.errors import RefError
from guardian.fieldpath import Path
from guardian.graph.consumers.names import Names
from guardian.graph.consumers.routes import Routes
from guardian.graph.surface import READS, SENDS, Surface
from guardian.graph.uses import Consumer, Exposure, Field, Use


class Naming:
    """Turns what consumers declare into uses of services by their own names.

    Args:
        services: what the services are called.
        names: what else they are called, and which services that means; none of these names is a service's own.
        routes: finds the operations of both sides; asked only for a name that means several services.

    Attributes:
        used: by each other name who uses it, with one such use.
    """

    def __init__(
        self, services: Collection[str], names: Mapping[str, Sequence[str]], routes: Callable[[], Routes]
    ) -> None:
        self.used: dict[str, dict[str, Use]] = {}
        self._services = services
        self._names = names
        self._alike = Names(names)
        self._own_names = Names(services)
        self._routes = routes
        self._surface = Surface()

    def __call__(self, consumer: Consumer) -> Consumer:
        """The consumer with all its uses as uses of services by their own names."""
        if not any(map(self._concerned, consumer.uses)):
            return consumer
        return replace(consumer, uses=tuple(own for use in consumer.uses for own in self._own(use)))

    def _concerned(self, use: Use) -> bool:
        return use.service not in self._services or (bool(use.exposes) and use.consumer not in self._services)

    def _own(self, use: Use) -> Iterator[Use]:
        if use.exposes:
            providers = self._providers(use.consumer)
            exposes = tuple(own for each in use.exposes for own in self._exposed(providers, each))
            use = replace(use, exposes=exposes)
        name = self._other_name(use)
        if name is None:
            yield use
            return
        self.used.setdefault(name, {}).setdefault(use.consumer, use)
        services = self._having(self._names[name], use.operation)
        if len(services) == 1:
            yield replace(use, service=services[0])
        else:
            yield from (self._part(use, service, services) for service in services)

    def _other_name(self, use: Use) -> str | None:
        """The name by which a use knows its provider, where that is not the provider's own."""
        if use.service in self._services:
            return None
        if use.service in self._names:
            return use.service
        # People write a manifest's names after guardian.yaml; contract tests and catalogs have their own.
        return None if use.tool == "manifest" else self._alike.find(use.service)

    def _providers(self, consumer: str) -> Sequence[str]:
        """The services that a consumer is, whose API it passes fields on through; itself if it is none."""
        if consumer in self._services:
            return (consumer,)
        if consumer in self._names:
            return self._names[consumer]
        own = self._own_names.find(consumer)
        other = self._alike.find(consumer) if own is None else None
        return self._names[other] if other is not None else (own or consumer,)

    def _exposed(self, services: Sequence[str], exposure: Exposure) -> Iterator[Exposure]:
        for service in self._having(services, exposure.operation):
            yield replace(exposure, service=service)

    # -- one of several ------------------------------------------------------------------------------------------------

    def _having(self, services: Sequence[str], operation: str | None) -> Sequence[str]:
        """Those of several services that have an operation on either side; the first where none has."""
        if len(services) == 1 or operation is None:
            return services
        routes = self._routes()
        having = [each for each in services if routes.base(each, operation) or routes.head(each, operation)]
        return having or services[:1]

    def _part(self, use: Use, service: str, services: Sequence[str]) -> Use:
        """What a use of several services says of one of them."""

        def fields(side: str, all_fields: Sequence[Field] | None) -> tuple[Field, ...] | None:
            if all_fields is None:
                return None
            return tuple(each for each in all_fields if self._belongs(use, side, each.path, service, services))

        exposes = (each for each in use.exposes if self._belongs(use, READS, each.path, service, services))
        return replace(
            use,
            service=service,
            reads=fields(READS, use.reads),
            sends=fields(SENDS, use.sends),
            exposes=tuple(exposes),
        )

    def _belongs(self, use: Use, side: str, path: Path, service: str, services: Sequence[str]) -> bool:
        """Whether a field is one of this service; what none of them has is the first one's."""
        if self._has(use, side, path, service):
            return True
        return service == services[0] and not any(self._has(use, side, path, each) for each in services[1:])

    def _has(self, use: Use, side: str, path: Path, service: str) -> bool:
        if use.operation is None:
            return True
        routes = self._routes()
        for operation in (routes.base(service, use.operation), routes.head(service, use.operation)):
            try:
                if operation is not None and self._surface.has(operation, side, path) is not False:
                    return True
            except RefError:  # whoever reads it for its own sake says what is wrong
                return True
        return False
