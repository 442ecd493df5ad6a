"""Which functions can lead to a request at all: only these are run, and only these are followed into.

Told by names alone, so it errs on the side of running too much.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields

from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.generated import operation_name
from guardian.graph.consumers.code.http import BASE, SENDING, VERBS
from guardian.graph.consumers.code.libraries import FUNCTION_NAMES

# What clients of HTTP libraries are called; `get` alone is what every dictionary has.
_CLIENT = re.compile(
    r"\w*(?:http|client|session|api|request|axios|ky|got|fetch|rest|conn|remote|service)\w*", re.IGNORECASE
)

# Hooks that are made of a description of requests.
_HOOK = re.compile(r"use(?:[A-Z]\w*)?(?:Query|Mutation|Fetch|SWR)|useSWR\w*|createApi")
_MUTATING = frozenset({"mutate", "mutateAsync"})
_TARGET = re.compile(r"\w*(?:ur[il]|path|endpoint|href|route|target|resource|method)\w*", re.IGNORECASE)
_METHODS = frozenset({"request", "stream", "send", "Request"})
# Functions that nobody imports; who names them may call them by another name.
_GLOBAL = frozenset({"fetch", "$fetch"})
# What gives a client that is called by itself.
_MAKERS = frozenset({"create", "extend", "defaults", "instance"})

# Methods that everything has: that something of this name sends a request says nothing of who calls it.
_EVERYDAY = frozenset(dir(dict)) | frozenset(dir(list)) | frozenset(dir(str)) | {"read", "write", "close", "add", "run"}

#: A function of so few nodes is followed anyway: it may put a URL together.
SMALL = 40


class Relevance:
    """The functions of a program that send requests, by themselves or through others."""

    def __init__(self, sources: Iterable[s.Source], operation_ids: Iterable[str]) -> None:
        self._ids = set(operation_ids)
        self._clients: set[str] = set()
        self._sizes: dict[s.Function, int] = {}
        self._called: dict[s.Function, set[str]] = {}
        self._names: dict[str, list[s.Function]] = {}
        self._sending: set[s.Function] = set()
        self._requesting: set[s.Function] = set()
        sources = list(sources)
        for source in sources:
            self._clients.update(self._bound(source.body))
        for source in sources:
            for statement in source.body:
                self._look(statement, source.path)
        self._spread()

    def requests(self, function: s.Function) -> bool:
        """Whether a request is written out in a function."""
        return function in self._requesting

    def sends(self, function: s.Function) -> bool:
        """Whether running a function can send a request."""
        return function in self._sending

    def is_small(self, function: s.Function) -> bool:
        """Whether a function costs next to nothing to follow."""
        return self._sizes.get(function, 0) <= SMALL

    def _look(self, node: s.Node, file: str) -> None:
        """Note what a statement defines and calls. What begins with an underscore is its file's own."""
        pending: list[tuple[s.Node, list[s.Function], str | None]] = [(node, [], None)]
        while pending:
            each, around, kind = pending.pop()
            if isinstance(each, s.Function):
                around = [*around, each]
                self._called[each] = set()
                is_method = kind is not None and len(around) == 1
                if kind is not None and each.name in {"__init__", "constructor"}:
                    self._names.setdefault(kind, []).append(each)
                if kind is not None:  # who makes or is given one of a class may call its methods
                    self._names.setdefault(f"#{kind}", []).append(each)
                mark = "@" if each.getter else "." if is_method else ""
                self._names.setdefault(mark + _scoped(each.name, file), []).append(each)
            for function in around:
                self._sizes[function] = self._sizes.get(function, 0) + 1
            if isinstance(each, s.Call):
                if around and self._is_request(each):
                    self._sending.update(around)
                    self._requesting.add(around[-1])
                if _names_of(each.func)[0] == "createApi":  # what describes requests leads to them
                    self._sending.update(_functions(each))
                elif around and _HOOK.fullmatch(_names_of(each.func)[0]):  # a function in it may be what calls them
                    self._sending.update(_functions(around[0]))
                name = _names_of(each.func)[0]
                name = _scoped(name, file)
                names = {name} if isinstance(each.func, s.Name) else set() if name in _EVERYDAY else {f".{name}", name}
                for function in around:
                    self._called[function] |= names | {f"#{name}"}
            elif isinstance(each, s.Param) and isinstance(each.type, s.TypeName):
                for function in around:
                    self._called[function].add(f"#{each.type.name.rpartition('.')[2]}")
            elif isinstance(each, s.Attr | s.Name):  # functions that are handed on, and what is called by being read
                if isinstance(each, s.Name) and each.id in _GLOBAL:  # `const send = options.fetch ?? fetch`
                    self._sending.update(around)
                name = _scoped(each.id, file) if isinstance(each, s.Name) else f"@{_scoped(each.name, file)}"
                names = {name} if isinstance(each, s.Name) or each.name in _EVERYDAY else {name, each.name}
                for function in around:
                    self._called[function] |= names
            elif isinstance(each, s.Entry):  # a function of an object, or one that is handed on there
                if isinstance(each.value, s.Function) and isinstance(each.key, s.Text):
                    self._names.setdefault(_scoped(each.key.value, file), []).append(each.value)
            elif isinstance(each, s.Assign) and isinstance(each.value, s.Function) and isinstance(each.target, s.Name):
                self._names.setdefault(_scoped(each.target.id, file), []).append(each.value)
            inner = each.name if isinstance(each, s.Class) else kind
            pending.extend((child, around, inner) for child in _children(each))

    def _is_request(self, node: s.Call) -> bool:
        name, label = _names_of(node.func)
        if self._is_sender(name) or _HOOK.fullmatch(name) or name in _MUTATING:
            return True
        if len(node.args) > 1 and _is_verb(node.args[0].value) and _is_target(node.args[1].value):
            return True
        if any(_is_url(each.value) for each in node.args[:2]):
            return True
        if isinstance(node.func, s.Name) and name in self._clients:
            return True
        if isinstance(node.func, s.Name) and SENDING.fullmatch(name) and node.args and _is_target(node.args[0].value):
            return True
        if name.removesuffix("Form").lower() not in VERBS and name not in _METHODS:
            return False
        return _CLIENT.fullmatch(label) is not None or any(_is_target(each.value) for each in node.args[:2])

    def _bound(self, body: tuple[s.Statement, ...]) -> Iterator[str]:
        """The names that what sends requests when it is called by itself is bound to, in this file or by an import."""
        for each in body:
            if isinstance(each, s.Assign) and isinstance(each.target, s.Name) and isinstance(each.value, s.Call):
                if _names_of(each.value.func)[0] in _MAKERS:
                    yield each.target.id
            elif isinstance(each, s.Import) and each.name is not None:
                if each.name == "default" or self._is_sender(each.name):
                    yield each.binding

    def _is_sender(self, name: str) -> bool:
        """Whether what has this name sends a request when it is called."""
        return operation_name(name, self._ids) is not None or name in FUNCTION_NAMES - _METHODS

    def _spread(self) -> None:
        """Who calls what sends a request sends one as well."""
        callers: dict[str, list[s.Function]] = {}
        for function, names in self._called.items():
            for name in names:
                callers.setdefault(name, []).append(function)
        labels: dict[s.Function, list[str]] = {}
        for name, functions in self._names.items():
            for function in functions:
                labels.setdefault(function, []).append(name)
        pending = list(self._sending)
        while pending:
            for name in labels.get(pending.pop(), []):
                for caller in callers.get(name, []) if name else []:
                    if caller not in self._sending:
                        self._sending.add(caller)
                        pending.append(caller)


def _scoped(name: str, file: str) -> str:
    return f"{name} {file}" if name.startswith("_") and not name.startswith("__") else name


def _is_url(node: s.Expr) -> bool:
    """Whether an expression is a whole URL, by itself or among options."""
    match node:
        case s.Text():
            return "://" in node.value
        case s.Template(parts=(s.Name() | s.Attr() as base, *rest)):
            label = base.id if isinstance(base, s.Name) else base.name
            follows = rest[0] if rest else None
            return BASE.fullmatch(label) is not None and isinstance(follows, s.Text) and follows.value.startswith("/")
        case s.Template():
            return bool(node.parts) and _is_url(node.parts[0])
        case s.Object():
            return any(each.key is not None and _is_url(each.value) for each in node.entries)
        case _:
            return False


def _functions(node: s.Node) -> Iterator[s.Function]:
    """The functions that are written in an expression."""
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, s.Function):
            yield each
        pending.extend(_children(each))


def _is_verb(node: s.Expr) -> bool:
    return isinstance(node, s.Text) and node.value.lower() in VERBS


def _is_target(node: s.Expr) -> bool:
    """Whether an expression looks like a URL or path."""
    match node:
        case s.Text():
            return "/" in node.value
        case s.Template():
            return any(_is_target(part) for part in node.parts)
        case s.Name():
            return _TARGET.fullmatch(node.id) is not None
        case s.Attr():
            return _TARGET.fullmatch(node.name) is not None
        case s.Call():
            return any(_is_target(each.value) for each in node.args[:2])
        case _:
            return False


def _names_of(func: s.Expr) -> tuple[str, str]:
    """What is called, and what it is called on."""
    if isinstance(func, s.Name):
        return func.id, ""
    if not isinstance(func, s.Attr):
        return "", ""
    inner = func.obj
    while isinstance(inner, s.Call):
        inner = inner.func
    return func.name, inner.name if isinstance(inner, s.Attr) else inner.id if isinstance(inner, s.Name) else ""


def _children(node: s.Node) -> Iterator[s.Node]:
    for each in fields(node):
        yield from _nodes(getattr(node, each.name))


def _nodes(value: object) -> Iterator[s.Node]:
    if isinstance(value, s.Node):
        if not isinstance(value, s.TypeName | s.TypeObject | s.Member):
            yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _nodes(each)
