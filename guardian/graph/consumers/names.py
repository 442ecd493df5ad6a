"""One thing under several names: a pact says ``Users Service``, the catalog ``users-service``, guardian.yaml ``users``."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Words that say what a thing is, not which one.
_KINDS = re.compile(r"[\s._-]*(?:service|api|provider|backend|server)$", re.IGNORECASE)
_SPEC_NAMES = frozenset({"api", "openapi", "swagger", "spec", "index", "schema"})


class Names:
    """Known names, and what others may mean by them."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = dict.fromkeys(known)
        self._by_form: list[dict[str, str | None]] = []
        for form in (str.casefold, normalised, _bare):
            found: dict[str, str | None] = {}
            for name in self._known:
                for part in dict.fromkeys((name, telling_part(name))):
                    key = form(part)
                    # A form that two names share means neither.
                    found[key] = name if found.get(key, name) == name else None
            self._by_form.append(found)

    def find(self, name: str) -> str | None:
        """The known name that this one means: as `same`, or without a word like "API"."""
        return self.same(name) or self._by_form[-1].get(_bare(name))

    def same(self, name: str) -> str | None:
        """The known name that is this one but for case and punctuation."""
        if name in self._known:
            return name
        for form, found in zip((str.casefold, normalised), self._by_form, strict=False):
            known = found.get(form(name))
            if known is not None:
                return known
        return None


def normalised(name: str) -> str:
    """Letters and digits alone, in lower case."""
    return re.sub(r"[^0-9a-z]", "", name.casefold())


def telling_part(name: str) -> str:
    """Of a service that is named by its file's path (``specs/orders/openapi``), the part that tells: ``orders``."""
    parts = name.split("/")
    while len(parts) > 1 and parts[-1].lower() in _SPEC_NAMES:
        parts.pop()
    return parts[-1]


def _bare(name: str) -> str:
    return normalised(_KINDS.sub("", name)) or normalised(name)
