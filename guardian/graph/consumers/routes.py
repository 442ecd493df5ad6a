"""From what a consumer calls to the operation that answers: concrete paths, templates, webhooks, callbacks.

One matcher for every source. It takes server base paths off, goes by literal segments before templated ones, ignores
the names of path variables, and takes ``{x}``, ``{{x}}`` and ``:x`` in what is called for "anything".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import quote, unquote

from guardian.lazy import cached_property
from guardian.spec.api import Api, Operation

_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*|\{\{[^{}]*\}\}(?=/|$)")
_VARIABLE = re.compile(r"\{\{[^{}]*\}\}|\{[^{}]*\}")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_KEPT = re.compile(r"[/{}:?#%\s]")
_CALLBACK = re.compile(r"callback\s+(\S+)\s+(.+?)\s+of\s+(.+)", re.IGNORECASE)
_WEBHOOK = re.compile(r"webhook\s+(\S+)\s+(.+)", re.IGNORECASE)
_PLAIN = re.compile(r"(\S+)\s+(\S+)")

_ANY = "{}"
"""A segment of a called path that may be anything."""


def template_shape(path: str) -> str:
    """A path with the names of its variables erased, however the rest is encoded: ``/users/{}``."""
    segments = [_ANY if segment.startswith(":") and len(segment) > 1 else segment for segment in path.split("/")]
    return _without_slash(decoded(_VARIABLE.sub(_ANY, "/".join(segments))))


def decoded(path: str) -> str:
    """A path in the one form that all its spellings have: ``/s%C3%B8k`` is ``/søk``.

    What would be read as something else stays encoded: a slash within a segment, a brace, a blank.
    """
    if "%" not in path:
        return path
    return _ESCAPES.sub(lambda found: _KEPT.sub(lambda char: quote(char[0], safe=""), unquote(found[0])), path)


def base_segments(path: str) -> list[str]:
    """The segments of a server's base path."""
    return template_shape(path).split("/")[1:] if path.strip("/") else []


def literal_segments(path: str) -> int:
    """How many segments of a path hold no variable."""
    return sum(bool(segment) and "{" not in segment for segment in path.split("/"))


def called_path(target: str) -> str:
    """The path of a URL or path: without origin (or a variable that stands for it), query and fragment."""
    origin = _ORIGIN.match(target)
    path = re.split(r"[?#]", target[origin.end() :] if origin else target, maxsplit=1)[0]
    return _without_slash("/" + path.lstrip("/"))


class Router:
    """Finds operations of one Api.

    Attributes:
        api: it.
    """

    def __init__(self, api: Api) -> None:
        self.api = api

    def find(self, name: str) -> Operation | None:
        """The operation that a manifest or report names: same template (with or without base path), or same webhook.

        A concrete path finds nothing here; see `match`.
        """
        name = " ".join(name.split())
        exact = self.api.operations.get(name)
        if exact is not None:
            return exact
        callback = _CALLBACK.fullmatch(name)
        if callback:
            return self._callback(callback[1].upper(), callback[2], self.find(callback[3]))
        webhook = _WEBHOOK.fullmatch(name)
        if webhook:
            return self.api.operations.get(f"webhook {webhook[1].upper()} {webhook[2]}")
        plain = _PLAIN.fullmatch(name)
        if not plain:
            return None
        method, path = plain[1].upper(), called_path(plain[2]) if "://" in plain[2] else plain[2]
        for candidate in self._without_base(template_shape(path)):
            found = self._by_shape.get((method, candidate))
            if found is not None:
                return found
        return None

    def match(self, method: str, target: str) -> Operation | None:
        """The operation that answers a request to a URL, a path, or a path with variables."""
        segments, called = _split(target)
        found: list[Operation | None] = []
        for base in self._bases:
            if _is_below(base, segments):
                found.append(self._answering(method, called[len(base) :]))
                if found[-1] is not None and tuple(base) in self._whole_bases:
                    return found[-1]
        found.append(self._answering(method, called))
        # Whether a gateway took the head of the base path or there is none in it, the route that tells more says best.
        return max(filter(None, found), key=lambda operation: literal_segments(operation.path), default=None)

    def below(self, method: str, target: str, base: str) -> Operation | None:
        """The operation that answers a request at a server with this very base path; ``None`` if it is not called."""
        segments, called = _split(target)
        start = base_segments(base)
        return self._answering(method, called[len(start) :]) if _is_below(start, segments) else None

    @cached_property
    def literals(self) -> frozenset[frozenset[str]]:
        """The literal segments of each path that has some: whoever calls such a path calls all of these."""
        paths = (
            frozenset(decoded(each) for each in operation.path.split("/") if each and "{" not in each)
            for operation in self._paths()
        )
        return frozenset(filter(None, paths))

    def _answering(self, method: str, called: tuple[str, ...]) -> Operation | None:
        return _descend(self._tree, called or ("",), 0, method.upper())

    def _callback(self, method: str, name: str, parent: Operation | None) -> Operation | None:
        wanted = f"callback {method} {name} of "
        candidates = parent.parts.callbacks if parent else ()
        return next((each for each in candidates if each.name.startswith(wanted)), None)

    def _without_base(self, path: str) -> Iterator[str]:
        """A path, and what may be left of it once a server's base path is taken off, of which a gateway may take the head."""
        yield path
        segments = path.split("/")[1:]
        for base in self._bases:
            if _is_below(base, segments):
                yield "/" + "/".join(segments[len(base) :])

    @cached_property
    def _bases(self) -> list[list[str]]:
        """The segments of every server's base path, and of its tails; the longest first."""
        bases = {base[start:] for base in self._whole_bases for start in range(len(base))}
        return [list(base) for base in sorted(bases, key=lambda base: (-len(base), base))]

    @cached_property
    def _whole_bases(self) -> frozenset[tuple[str, ...]]:
        paths = {server.path for server in self.api.servers}
        for operation in self.api.operations.values():
            if "servers" in _mapping(operation.node.value) or "servers" in _mapping(operation.path_node.value):
                paths.update(server.path for server in operation.parts.servers)
        return frozenset(tuple(base_segments(path)) for path in paths)

    @cached_property
    def _by_shape(self) -> dict[tuple[str, str], Operation]:
        found: dict[tuple[str, str], Operation] = {}
        for operation in self._paths():
            found.setdefault((operation.method, template_shape(operation.path)), operation)
        return found

    @cached_property
    def _tree(self) -> _Branch:
        root = _Branch()
        for operation in self._paths():
            branch = root
            for segment in _without_slash(operation.path).split("/")[1:]:
                branch = branch.grow(segment)
            branch.operations.setdefault(operation.method, operation)
        return root

    def _paths(self) -> Iterable[Operation]:
        return (operation for operation in self.api.operations.values() if operation.kind == "path")


@dataclass(slots=True)
class _Branch:
    """One place in the tree of path segments."""

    literals: dict[str, _Branch] = field(default_factory=dict)
    templates: dict[str, tuple[re.Pattern[str], _Branch]] = field(default_factory=dict)
    operations: dict[str, Operation] = field(default_factory=dict)

    def grow(self, segment: str) -> _Branch:
        if "{" not in segment:
            return self.literals.setdefault(decoded(segment), _Branch())
        shape = decoded(_VARIABLE.sub(_ANY, segment))
        if shape not in self.templates:
            pattern = "[^/]+".join(map(re.escape, shape.split(_ANY)))
            self.templates[shape] = (re.compile(pattern), _Branch())
            # The more of a segment is literal, the better it fits: `{id}.json` before `{id}`.
            self.templates = dict(sorted(self.templates.items(), key=lambda item: (-len(item[0]), item[0])))
        return self.templates[shape][1]


def called_segments(target: str) -> tuple[str, ...]:
    """The segments of what is called, as they are matched with literal ones."""
    return _split(target)[1]


@lru_cache(maxsize=1024)  # where no host tells, every service is asked
def _split(target: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The segments of what is called, decoded, and as they are matched."""
    segments = tuple(decoded(called_path(target)).split("/")[1:])
    return segments, tuple(map(_called_segment, segments))


def _descend(branch: _Branch, segments: tuple[str, ...], depth: int, method: str) -> Operation | None:
    if depth == len(segments):
        return branch.operations.get(method)
    segment = segments[depth]
    literal = branch.literals.get(segment)
    if literal is not None:
        found = _descend(literal, segments, depth + 1, method)
        if found is not None:
            return found
    templates = list(branch.templates.values())
    if segment == _ANY:
        templates.reverse()  # a variable most likely stands for a whole segment, which comes last
    for pattern, below in templates:
        if segment == _ANY or pattern.fullmatch(segment):
            found = _descend(below, segments, depth + 1, method)
            if found is not None:
                return found
    return None


def _called_segment(segment: str) -> str:
    """A segment as it is matched: anything for a variable; a variable that is only part of it is some letter."""
    if _VARIABLE.fullmatch(segment) or (segment.startswith(":") and len(segment) > 1):
        return _ANY
    return _VARIABLE.sub("x", segment)


def _is_below(base: Sequence[str], segments: Sequence[str]) -> bool:
    return len(base) <= len(segments) and all(map(_same_segment, base, segments))


def _same_segment(base: str, called: str) -> bool:
    return base in (called, _ANY)


def _without_slash(path: str) -> str:
    return path.rstrip("/") or "/"


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


class Routes:
    """Every service's operations on both sides, under one name each.

    Args:
        base, head: the Apis by service. With one side only, that side is both.
        like: routes among some of the same Apis, which have been found already.
    """

    def __init__(
        self, base: Mapping[str, Api], head: Mapping[str, Api] | None = None, *, like: Routes | None = None
    ) -> None:
        self._sides = [base] if head is None or head is base else [base, head]
        self._like = like
        self._routers: dict[tuple[int, str], Router | None] = {}
        self._found: dict[tuple[str, str], list[Operation | None]] = {}
        self._added: dict[str, list[Operation]] = {}
        self._crossing: dict[tuple[str, str, str], bool] = {}

    @cached_property
    def services(self) -> tuple[str, ...]:
        """The services of both sides, sorted."""
        return tuple(sorted({name for side in self._sides for name in side}))

    def on_base(self, service: str) -> Router | None:
        """Finds the operations of a service on base; None if base does not have it."""
        return self._router(0, service)

    def key(self, service: str, name: str) -> str:
        """One name for an operation, however it is spelt: base's name, else head's, else its bare form."""
        found = self._find(service, name)
        if self.crosses(service, name):
            head = found[-1]
            return head.name if head is not None and _is_concrete(head.name) else _bare(name)
        known = next((each for each in found if each is not None), None)
        return known.name if known is not None else _bare(name)

    def crosses(self, service: str, name: str) -> bool:
        """Whether another operation answers a concrete path on head than on base, of those that both might have.

        So it is where head adds ``/users/me`` beside ``/users/{id}``: who called the one calls the other from then on.
        """
        if len(self._sides) < 2:
            return False
        base, head = self._find(service, name)
        if base is None or head is None or base.kind != "path" or not _is_concrete(name):
            return False
        key = (service, base.name, head.name)
        known = self._crossing.get(key)
        if known is None:
            ours, theirs = self._router(0, service), self._router(1, service)
            assert ours is not None and theirs is not None, "they found it"
            # Head's operation is new: one that base has too would have answered there, or is what base's moved to.
            known = self._crossing[key] = ours.find(head.name) is None and theirs.find(base.name) is not head
        return known

    def base(self, service: str, name: str) -> Operation | None:
        """The operation on base."""
        return self._find(service, name)[0]

    def head(self, service: str, name: str) -> Operation | None:
        """The operation on head."""
        return self._find(service, name)[-1]

    def added(self, service: str) -> list[Operation]:
        """The operations of head that base does not have, as far as their templates tell."""
        found = self._added.get(service)
        if found is None:
            base, head = self._router(0, service), self._sides[-1].get(service)
            operations = head.operations.values() if head is not None else ()
            found = [each for each in operations if base is None or base.find(each.name) is None]
            self._added[service] = found
        return found

    def operations(self, service: str) -> list[str]:
        """The names of all operations of a service, of both sides; sorted."""
        return sorted({name for side in self._sides if service in side for name in side[service].operations})

    def match(self, service: str, method: str, target: str) -> Operation | None:
        """The operation that answers a request, on base or else on head."""
        for side in range(len(self._sides)):
            router = self._router(side, service)
            found = router.match(method, target) if router else None
            if found is not None:
                return found
        return None

    def literals(self, service: str) -> frozenset[frozenset[str]]:
        """The literal segments of each path of a service that has some, of both sides."""
        routers = (self._router(side, service) for side in range(len(self._sides)))
        return frozenset(each for router in routers if router is not None for each in router.literals)

    def below(self, service: str, method: str, target: str, base: str) -> Operation | None:
        """The operation that answers a request at a server with this very base path, on base or else on head."""
        routers = (self._router(side, service) for side in range(len(self._sides)))
        found = (router.below(method, target, base) for router in routers if router is not None)
        return next((each for each in found if each is not None), None)

    def _find(self, service: str, name: str) -> list[Operation | None]:
        found = self._found.get((service, name))
        if found is None:
            routers = [self._router(side, service) for side in range(len(self._sides))]
            found = [router.find(name) if router else None for router in routers]
            plain = _PLAIN.fullmatch(name.strip())
            if plain and not any(found):
                # No template of this form anywhere: a concrete path, as contract tests and recordings have it.
                found = [router.match(plain[1], plain[2]) if router else None for router in routers]
            elif plain and found[0] is None and routers[0] is not None and _is_concrete(name):
                # Head alone has this very path: until now a template may have answered it.
                found[0] = routers[0].match(plain[1], plain[2])
            self._found[service, name] = found
        return found

    def _router(self, side: int, service: str) -> Router | None:
        if (side, service) not in self._routers:
            api = self._sides[side].get(service)
            known = self._like._router_of(api, service) if self._like is not None and api is not None else None
            self._routers[side, service] = known or (Router(api) if api is not None else None)
        return self._routers[side, service]

    def _router_of(self, api: Api, service: str) -> Router | None:
        """The router of an Api that is one of these."""
        return next(
            (self._router(side, service) for side, apis in enumerate(self._sides) if apis.get(service) is api), None
        )


def _is_concrete(name: str) -> bool:
    """Whether a name is a method and a path without variables."""
    plain = _PLAIN.fullmatch(name.strip())
    return plain is not None and _ANY not in template_shape(plain[2]).split("/") and not _VARIABLE.search(plain[2])


def _bare(name: str) -> str:
    """An operation's name where no Api knows it: method in upper case, variables without names."""
    plain = _PLAIN.fullmatch(name.strip())
    return f"{plain[1].upper()} {template_shape(plain[2])}" if plain else " ".join(name.split())
