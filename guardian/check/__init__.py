"""The gate: one use case, and the services, places and exceptions that it needs.

sources -> documents -> Api -> aligned pairs -> rules -> changes -> blast radius -> fixes -> report
"""

from guardian.check.run import run

__all__ = ["run"]
