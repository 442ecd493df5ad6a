"""No two services of a guardian.yaml are called alike: one of them would never be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from guardian.check.service import Service
from guardian.errors import ConfigError
from guardian.spec.globs import MAGIC
from guardian.spec.service_names import service_name

Declared = tuple[str, Service]
"""A service, and the entry of guardian.yaml that it is of."""


def told_apart(path: str, glob: str) -> str:
    """What tells a document from the others that a glob matches: its path without what the glob spells out.

    Args:
        path: matched by the glob.
        glob: from the root of the tree, as the path is.
    """
    before, after = MAGIC.split(glob, maxsplit=1)[0], re.split(r"[*?\]]", glob)[-1]
    before = before[: before.rfind("/") + 1]
    start = len(before) if path.startswith(before) else 0
    end = len(path) - len(after) if after and path.endswith(after) else len(path)
    return path[start:end].strip("/") if start < end else service_name(path)


def of_their_own(found: Iterable[Declared], clash: Callable[[Declared, Declared], ConfigError]) -> list[Declared]:
    """The services with a name of its own for each.

    A document that an entry of its own names is that entry's, though a glob matches it as well. What base alone and head
    alone call the same is one service, as it is within a glob. Of what is left, those whose name another has have their path
    in it.

    Args:
        found: services with their entries.
        clash: what to say of two documents on head that two entries call the same.

    Raises:
        ConfigError: two entries do so.
    """
    called: dict[str, list[Declared]] = {}
    for entry, each in found:
        called.setdefault(each.name, []).append((entry, each))
    return [
        own for name, several in called.items() for own in (_apart(name, several, clash) if several[1:] else several)
    ]


def _apart(
    name: str, several: Sequence[Declared], clash: Callable[[Declared, Declared], ConfigError]
) -> Sequence[Declared]:
    # The entry that says the name itself goes first, then what is there on head.
    ordered = sorted(several, key=lambda each: (each[0] != name, each[1].head_path is None, *map(str, each[1][1:3])))
    there = _once([each for each in ordered if each[1].head_path is not None])
    gone = [each for each in ordered if each[1].head_path is None]
    for entry, each in there[1:]:
        if entry != there[0][0] and each.head_path != there[0][1].head_path:
            raise clash(there[0], (entry, each))
    new = [each for _, each in there if each.base_path is None]
    if len(there) == len(new) == len(gone) == 1:
        return [(there[0][0], new[0]._replace(base_path=gone[0][1].base_path))]
    keeps = there[:1] if len(there) == 1 or there[0][0] == name else []
    others = [each for each in (*there, *gone) if each not in keeps]
    return [*keeps, *((entry, _by_its_path(entry, each)) for entry, each in others)]


def _once(found: Sequence[Declared]) -> list[Declared]:
    """The services without those that are another one's document on both sides."""
    kept: dict[tuple[str | None, str | None], Declared] = {}
    for entry, each in found:
        paths = each.base_path, each.head_path
        if paths in kept:
            first, known = kept[paths]
            each = known._replace(
                owner=known.owner or each.owner,
                public=known.public or each.public,
                also=tuple(dict.fromkeys((*known.also, *(name for name in each.also if name != known.name)))),
                formerly=tuple(dict.fromkeys((*known.formerly, *each.formerly))),
            )
            entry = first
        kept[paths] = entry, each
    return list(kept.values())


def _by_its_path(entry: str, service: Service) -> Service:
    path = service.head_path or service.base_path or ""
    return service._replace(name=f"{entry}/{path}", also=(*service.also, service.name))
