"""The flags that ``guardian usage`` and ``guardian graph`` have in common with a check, and what they mean together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from guardian.cli.flags import CheckFlags
from guardian.cli.settings import Run, resolve


def asked(
    *,
    head: str | None,
    config: str | None,
    service: Sequence[str] | None,
    consumers: Sequence[str] | None,
    allow_remote_refs: Sequence[str] | None = None,
    as_of: str | None = None,
    base: str | None = None,
    quiet: bool = False,
    color: bool | None = None,
) -> Run:
    """The run that these flags ask for, laid over guardian.yaml as a check lays its own."""
    flags = CheckFlags(
        base=base,
        head=head,
        config=config,
        service=list(service or ()),
        consumers=list(consumers or ()),
        allow_remote_refs=list(allow_remote_refs or ()),
        as_of=as_of,
        fixes=False,
        quiet=quiet,
        color=color,
    )
    return resolve(flags, Path.cwd())
