"""guardian.yaml and the exceptions file: what may be said there, and what a run makes of it.

``values`` and ``accepted`` hold the frozen values, ``request`` what one check is asked to do, ``parse`` turns plain data
into the values. Nothing here opens a file. What only a file needs, ``parse`` and ``accepted``, is not named here and
imported from where it is when there is a file: a check of two files without any configuration does without.
"""

from guardian.config.request import CheckRequest
from guardian.config.values import (
    DEFAULT_CONFIG,
    DEFAULT_EXCEPTIONS,
    Config,
    FailOn,
    Lifecycle,
    ModelSettings,
    ReportFormat,
    Service,
    Visibility,
)

__all__ = [
    "DEFAULT_CONFIG",
    "DEFAULT_EXCEPTIONS",
    "CheckRequest",
    "Config",
    "FailOn",
    "Lifecycle",
    "ModelSettings",
    "ReportFormat",
    "Service",
    "Visibility",
]
