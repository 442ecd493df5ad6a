"""A model's advice on a finished report: further notes, and never anything but notes."""

from __future__ import annotations

from collections.abc import Collection

from guardian.check.compare import Apis
from guardian.check.declared import Declared
from guardian.config import CheckRequest
from guardian.model import Report


def advised(report: Report, services: Collection[str], apis: Apis, declared: Declared, request: CheckRequest) -> Report:
    """The report with what the model of ``--model`` has to say; the same report where no model is named.

    Args:
        services: those that were looked into.

    Raises:
        UsageError: ``--model`` names no URL and no adapter, or nothing that could run the adapter is installed.
        ReadError: a specification cannot be read.
    """
    if request.model is None:
        return report
    from guardian.adapter.consult import asker_for, consult

    settings = request.config.model
    name, timeout_s = (settings.name, settings.timeout_s) if settings is not None else ("guardian", 30.0)
    asker = asker_for(request.model, name, timeout_s)
    with apis.explaining():
        both = {each: (apis.base(each), apis.head(each)) for each in sorted(services)}
    base = {each: one for each, (one, other) in both.items() if one is not None and other is not None}
    head = {each: other for each, (one, other) in both.items() if one is not None and other is not None}
    return consult(report, base, head, declared.everybody, asker=asker, model=name)
