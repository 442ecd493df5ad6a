"""What a service of a check is, and how several are listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from guardian.config import Config
from guardian.errors import GuardianError
from guardian.model import Note


class Service(NamedTuple):
    """One service of the check; a path is ``None`` on the side that does not have it.

    Attributes:
        also: what else it is called: by the entry of guardian.yaml whose glob it is a match of, or as one of several.
        formerly: what base called it.
        gone: why head does not have it.
    """

    name: str
    base_path: str | None
    head_path: str | None
    owner: str | None = None
    public: bool = False
    also: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()
    gone: str = "its specification was deleted"


class Selection(NamedTuple):
    """All services there are, by name, and those of them that are asked for; what they are called besides.

    ``before`` is base's guardian.yaml, where there is one.
    """

    services: tuple[Service, ...]
    chosen: tuple[Service, ...]
    notes: tuple[Note, ...] = ()
    names: Mapping[str, tuple[str, ...]] = {}
    before: Config | None = None

    @property
    def called(self) -> Mapping[str, tuple[str, ...]]:
        """All that services are called, their own names with the others, and which of them that means."""
        return {**self.names, **{each.name: (each.name,) for each in self.services}}


def by_name(services: Iterable[Service]) -> dict[str, Service]:
    """Services by name.

    Raises:
        GuardianError: two have one name, so that one of them would not be looked at. Whoever names services prevents it.
    """
    found: dict[str, Service] = {}
    for each in services:
        if each.name in found:
            paths = sorted(
                {path for one in (found[each.name], each) for path in (one.head_path or one.base_path,) if path}
            )
            message = f"two services are called {each.name} ({' and '.join(paths)}), and one would not be compared"
            raise GuardianError(message, hint="name them in guardian.yaml, each otherwise; and please report it")
        found[each.name] = each
    return found


def listed(names: list[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more
