"""guardian.yaml and the exceptions file: what may be said there, and what a run makes of it.

``values`` holds the frozen values, ``request`` what one check is asked to do, ``parse`` turns plain data into the
values. Nothing here opens a file, and nothing but ``parse`` needs pydantic, which it imports when there is something
to parse: a check of two files without any configuration does without.
"""

from guardian.config.parse import config_schema, exceptions_schema, parse_config, parse_exceptions
from guardian.config.request import CheckRequest
from guardian.config.values import (
    DEFAULT_CONFIG,
    DEFAULT_EXCEPTIONS,
    Config,
    ExceptionEntry,
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
    "ExceptionEntry",
    "FailOn",
    "Lifecycle",
    "ModelSettings",
    "ReportFormat",
    "Service",
    "Visibility",
    "config_schema",
    "exceptions_schema",
    "parse_config",
    "parse_exceptions",
]
