"""A cached property without a lock, as Python's own is from 3.12 on.

Until 3.11 ``functools.cached_property`` holds one lock for a property of all objects of a class while it is computed. Two
threads whose properties ask for each other's, of whatever objects, then wait for one another for ever. Without it a value
may be computed twice by two threads, which is harmless where it says the same each time.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:  # noqa: N801  # it stands in for Python's
        """Computed on first use, then an attribute of its object."""

        def __init__(self, compute: Any) -> None:
            self.compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.compute(instance)
            return value


__all__ = ["cached_property"]
