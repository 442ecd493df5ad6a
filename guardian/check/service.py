"""What a service of a check is, and how several are listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

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
    """All services there are, by name, and those of them that are asked for; and what they are called besides."""

    services: tuple[Service, ...]
    chosen: tuple[Service, ...]
    notes: tuple[Note, ...] = ()
    names: Mapping[str, tuple[str, ...]] = {}

    @property
    def called(self) -> Mapping[str, tuple[str, ...]]:
        """All that services are called, their own names with the others, and which of them that means."""
        return {**self.names, **{each.name: (each.name,) for each in self.services}}


def listed(names: list[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more
