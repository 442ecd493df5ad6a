"""What a Postman test script reads of the response: its assertions, followed through variables and callbacks.

Not a JavaScript engine: the tokens are scanned for chains such as ``pm.response.json().customer.email``, for names that
stand for one and for names that stand for literal keys. Where the body goes to what is not followed (a helper, a schema,
a key that is computed), what is found is only a part of what is read, and that is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from guardian import fieldpath
from guardian.fieldpath import ROOT, Path, Step, Wild
from guardian.graph.consumers.script_tokens import OPENING, Tokens, is_name, tokens_of
from guardian.graph.uses import Field
from guardian.model import Location

_FILLED = re.compile(r"\$\{([^{}]*)\}")
# Methods of arrays that give each item to a callback, and those of them whose result is items again.
_EACH = frozenset({"forEach", "map", "filter", "find", "findIndex", "some", "every", "flatMap"})
_ITEMS_AGAIN = {"find": (Wild.ITEM,), "filter": ()}
# Methods that hand on what they are called on, or look into it, in ways that are not followed.
_NOT_FOLLOWED = frozenset(
    {
        "at",
        "concat",
        "entries",
        "findLast",
        "flat",
        "keys",
        "pop",
        "reduce",
        "reverse",
        "shift",
        "slice",
        "sort",
        "values",
    }
)
# Where a body as a whole may stand without anything being read of it: after these, and in calls of these.
_ASIDE = frozenset({";", "{", "}", "!", "&", "|", "?", ")", "==", "===", "!=", "!==", "typeof", "else"})
_COMPARED = frozenset({"==", "===", "!=", "!==", "instanceof"})
_HARMLESS_CALLS = frozenset({"if", "while", "isArray", "Boolean", "log", "info", "warn", "error", "debug"})
# Words of an assertion that look at a value from outside: its type, its size.
_OUTSIDE = frozenset(
    {"a", "an", "instanceof", "instanceOf", "length", "lengthOf", "above", "below", "least", "most", "greaterThan"}
)
_COMPARING = frozenset({"include", "includes", "contain", "contains", "eql", "eqls", "equal", "equals", "eq"})
_BODY_CALLS = (
    ("pm", ".", "response", ".", "json", "(", ")"),
    ("JSON", ".", "parse", "(", "responseBody", ")"),
    ("JSON", ".", "parse", "(", "pm", ".", "response", ".", "text", "(", ")", ")"),
)
# The body, or the whole response, in forms of which it is not seen what is read.
_UNSEEN = (
    ("responseBody",),
    ("pm", ".", "response", ".", "text", "("),
    ("pm", ".", "response", ".", "stream"),
    ("pm", ".", "response", ".", "to", ".", "have", ".", "body"),
    ("pm", ".", "response", ".", "to", ".", "have", ".", "jsonSchema"),
)
_Paths = tuple[Path, ...]
"""What an expression stands for: one place in the body, or one for each literal key that leads there."""


@dataclass(frozen=True, slots=True)
class Asserted:
    """What a script reads and which statuses it expects; ``partial`` if it reads more than is listed, or may."""

    fields: tuple[Field, ...] = ()
    statuses: tuple[str, ...] = ()
    partial: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.fields and not self.statuses


def read_script(source: str, origin: Location) -> Asserted:
    """The fields and statuses that a test script asserts; all of them stand where the script stands."""
    scan = _Scan(source)
    scan.run()
    return Asserted(
        tuple(Field(path, origin, shallow) for path, shallow in scan.reads),
        tuple(sorted(scan.statuses)),
        scan.partial,
    )


class _Scan(Tokens):
    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.names: dict[str, _Paths] = {}
        self.keys: dict[str, tuple[Step, ...]] = {}  # names that stand for literal keys, or for any index
        self.reads: dict[tuple[Path, bool], None] = {}
        self.statuses: dict[str, None] = {}
        self.partial = False

    def run(self) -> None:
        at = 0
        while at < len(self.tokens):
            at = self._statement(at)

    def _statement(self, at: int) -> int:
        if self.follows(at, "pm", ".", "response", ".", "to", ".", "have", "."):
            self.partial |= self._is_unseen(at)
            return self._response_assertion(at + 8)
        if self.follows(at, "pm", ".", "response", ".", "headers", ".", "get", "("):
            self._header(at + 8)
            return at + 9
        if self.follows(at, "pm", ".", "response", ".", "code") or self.follows(at, "responseCode", ".", "code"):
            at += 5 if self.tokens[at] == "pm" else 3
            self._expected_codes(at)
            return at
        start = self._body_at(at)
        if start is None:
            return self._other(at)
        paths, after = start
        target = self.assigned_to(at)
        paths, after, called = self._chain(paths, after)
        if target is not None and called is None and self.ends_expression(after):
            self._bind(target, paths)
            return after
        return self._read(paths, at, after, called)

    def _other(self, at: int) -> int:
        """A place at which no chain begins: literal keys, a counter, or the body in a form that is not followed."""
        literals = self._literals(at)
        if literals is not None:
            return self._literal_keys(at, *literals)
        if is_name(self.tokens[at]) and self.counts(at):
            self.keys[self.tokens[at]] = (Wild.ITEM,)
        self.partial |= self._is_unseen(at) or self._is_filled_in(self.tokens[at])
        return at + 1

    def _is_unseen(self, at: int) -> bool:
        if self.tokens[at - 1 : at] == ["."]:
            return False
        whole = self.follows(at, "pm", ".", "response") and not self.follows(at + 3, ".")
        return whole or any(self.follows(at, *form) for form in _UNSEEN)

    def _is_filled_in(self, token: str) -> bool:
        """Whether a template text holds a part of the body."""
        inside = (inner for text in _FILLED.findall(token) for inner in tokens_of(text)) if token[0] == "`" else ()
        return any(each in self.names or each == "response" for each in inside)

    # -- where a chain starts ------------------------------------------------------------------------------------------

    def _body_at(self, at: int) -> tuple[_Paths, int] | None:
        """The response's body, or a name that stands for a part of it."""
        if at > 0 and self.tokens[at - 1] in {".", "?."}:
            return None
        for call in _BODY_CALLS:
            if self.follows(at, *call):
                return (ROOT,), at + len(call)
        token = self.tokens[at]
        if token in self.names and not self.follows(at + 1, "=") and not self.follows(at + 1, ":"):
            return self.names[token], at + 1
        return None

    def _chain(self, paths: _Paths, at: int) -> tuple[_Paths, int, str | None]:
        """Follow ``.name``, ``["name"]``, ``[0]`` and ``[key]``; the third is the method that the chain ends in."""
        while at < len(self.tokens):
            token = self.tokens[at]
            if token in {".", "?."} and at + 1 < len(self.tokens) and is_name(self.tokens[at + 1]):
                name = self.tokens[at + 1]
                if self.follows(at + 2, "(") or name == "length":
                    return paths, at + 2, name
                paths, at = _below(paths, (name,)), at + 2
            elif token == "?." and self.follows(at + 1, "["):
                at += 1
            elif token == "[":
                closing = self.closed(at)
                paths, at = _below(paths, self._index(self.tokens[at + 1 : closing])), closing + 1
            else:
                break
        return paths, at, None

    def _index(self, inside: list[str]) -> tuple[Step, ...]:
        """What stands in brackets after a chain; an index that is not known may be a key as well."""
        if len(inside) == 1 and inside[0][0] in "\"'`" and "${" not in inside[0]:
            return (inside[0][1:-1],)
        if len(inside) == 1 and inside[0] in self.keys:
            return self.keys[inside[0]]
        if not any(token[0].isdigit() or token == "length" for token in inside):
            self.partial = True
        return (Wild.ITEM,)

    # -- what becomes of it --------------------------------------------------------------------------------------------

    def _read(self, paths: _Paths, start: int, after: int, called: str | None) -> int:
        """Note what is read of the chain between ``start`` and ``after``; where to go on."""
        if called in _EACH:
            self._keep(paths, shallow=True)
            return self._each(paths, start, after, called)
        if called == "hasOwnProperty":
            self._keep(_below(paths, tuple(self._texts(after + 1))))
            return after
        if called is not None:
            self._keep(paths, shallow=True)
            self.partial |= called in _NOT_FOLLOWED or (called != "length" and ROOT in paths)
            return after
        if self.tokens[start - 1 : start] == ["of"] and start > 1 and is_name(self.tokens[start - 2]):
            self._keep(paths, shallow=True)
            self._name(self.tokens[start - 2], _below(paths, (Wild.ITEM,)))
            return after
        texts = self._asserted(paths, self._expected(start, after))
        self._keep(Path(path.steps + fieldpath.parse(text).steps) for path in paths for text in texts)
        if not texts:
            self._keep(path for path in paths if path != ROOT)
            if ROOT in paths:
                self._whole(start, after)
        return after

    def _each(self, paths: _Paths, start: int, after: int, called: str) -> int:
        """A callback for each item: its parameter stands for one, and so does what some of these methods give back."""
        items = _below(paths, (Wild.ITEM,))
        result = tuple(Path((*path.steps, *_ITEMS_AGAIN[called])) for path in paths) if called in _ITEMS_AGAIN else ()
        closing = self.closed(after)
        target = self.assigned_to(start)
        if result and target is not None and self.ends_expression(closing + 1):
            self._bind(target, result)
        elif result:
            further, _, method = self._chain(result, closing + 1)
            self._keep((path for path in further if path not in result), shallow=method is not None)
            self.partial |= method is not None and method not in {"length", "forEach"}
        at = self.callback_parameter(after + 1)
        if at is None:
            self.partial = True
            return after
        self._name(self.tokens[at], items)
        if self.follows(at + 1, ",") and at + 2 < len(self.tokens) and is_name(self.tokens[at + 2]):
            self.keys[self.tokens[at + 2]] = (Wild.ITEM,)
        return at + 1

    def _whole(self, start: int, after: int) -> None:
        """The body as a whole, at a place where nothing is asserted of it by name."""
        before = self.tokens[start - 1] if start else ";"
        behind = self.tokens[after] if after < len(self.tokens) else ";"
        if before == "in" and (keys := self._texts(start - 2, start - 1)):
            self._keep(Path((key,)) for key in keys)
        elif before in {"(", ","}:
            callee = self.callee(start)
            # What is expected of it has been looked at; brackets without a name before them are no call.
            self.partial |= callee != "expect" and callee not in _HARMLESS_CALLS and is_name(callee)
        elif behind not in _COMPARED:
            shorthand = before == "{" and behind in {"}", ","}
            self.partial |= shorthand or before not in _ASIDE

    def _keep(self, paths: Iterable[Path], *, shallow: bool = False) -> None:
        for path in paths:
            if not (shallow and path == ROOT):
                self.reads[path, shallow] = None

    def _asserted(self, paths: _Paths, at: int) -> list[str]:
        """The names in ``expect(x).to.have.property("name")``, ``…include({name: 1})`` and their like, after x."""
        found: list[str] = []
        if not self.follows(at, ")"):
            return found
        at += 1
        while self.follows(at, ".") and at + 1 < len(self.tokens):
            word = self.tokens[at + 1]
            at += 2
            if not self.follows(at, "("):
                continue
            inside = self._named(word, at + 1)
            if inside:
                found.extend(inside)
            elif word not in _OUTSIDE and ROOT in paths:
                self.partial = True
            at = self.closed(at) + 1
        return found

    def _named(self, word: str, at: int) -> list[str]:
        """The fields that one word of an assertion names, by what stands in its brackets."""
        if word in {"property", "keys", "key"}:
            single = word == "property" and self.tokens[at : at + 1] and self.tokens[at][0] in "\"'"
            texts = self._texts(at)
            return [text for text in (texts[:1] if single else texts) if _parses(text)]
        if word in _COMPARING and self.follows(at, "{"):
            return [fieldpath.write(Path((key,))) for key in self._object_keys(at)]
        return []

    def _object_keys(self, at: int) -> Iterator[str]:
        """The keys of an object literal."""
        end = self.closed(at)
        at += 1
        while at < end:
            token = self.tokens[at]
            if token in OPENING:
                at = self.closed(at)
            elif self.tokens[at - 1] in {"{", ","} and self.tokens[at + 1] in {":", ",", "}"}:
                if token[0] in "\"'":
                    yield token[1:-1]
                elif is_name(token):
                    yield token
            elif token == "...":
                self.partial = True
            at += 1

    def _texts(self, at: int, end: int | None = None) -> list[str]:
        """The literal texts up to the end of these brackets, and those that names stand for."""
        found: list[str] = []
        while 0 <= at < (len(self.tokens) if end is None else end) and self.tokens[at] != ")":
            token = self.tokens[at]
            if token[0] in "\"'":
                found.append(token[1:-1])
            found.extend(key for key in self.keys.get(token, ()) if isinstance(key, str))
            at += 1
        return found

    def _expected(self, start: int, after: int) -> int:
        """Where the brackets of ``expect(x, "message")`` end, of which x lies between these."""
        inside = start > 1 and self.tokens[start - 2 : start] == ["expect", "("]
        return self.closed(start - 1) if inside else after

    # -- what names stand for ------------------------------------------------------------------------------------------

    def _bind(self, target: str | list[str], paths: _Paths) -> None:
        if isinstance(target, str):
            self._name(target, paths)
            return
        for at, token in enumerate(target):
            if not is_name(token) or (at > 0 and target[at - 1] == ":"):
                continue
            if at > 0 and target[at - 1] == "...":  # the rest holds all that is not named
                self._name(token, paths)
                continue
            renamed = target[at + 2] if target[at + 1 : at + 2] == [":"] and at + 2 < len(target) else token
            self._name(renamed, _below(paths, (token,)))
            self._keep(_below(paths, (token,)))

    def _name(self, name: str, paths: _Paths) -> None:
        """Let a name stand for a part of the body, and for nothing else from here on."""
        self.names[name] = paths
        self.keys.pop(name, None)

    # -- literal keys --------------------------------------------------------------------------------------------------

    def _literals(self, at: int) -> tuple[tuple[Step, ...], int] | None:
        """The keys of ``["id", "email"]``, of a name that stands for such, or of a text that is assigned."""
        token, before = self.tokens[at], self.tokens[at - 1] if at else ""
        if token[0] in "\"'" and before == "=":
            return (token[1:-1],), at + 1
        if token in self.keys and not self.follows(at + 1, "=") and before not in {".", "?."}:
            return self.keys[token], at + 1
        if token == "[" and not (before in {")", "]"} or (before and is_name(before) and before not in {"of", "in"})):
            closing = self.closed(at)
            inside = self.tokens[at + 1 : closing]
            if inside and all(each == "," or each[0] in "\"'" for each in inside):
                return tuple(each[1:-1] for each in inside if each != ","), closing + 1
        return None

    def _literal_keys(self, at: int, keys: tuple[Step, ...], after: int) -> int:
        """Let the name that these are assigned to, or gone through by, stand for them; where to go on."""
        before = self.tokens[at - 1] if at else ""
        if before in {"=", "of"} and at > 1 and is_name(self.tokens[at - 2]):
            if before == "of" or self.ends_expression(after):
                self._key(self.tokens[at - 2], keys)
        elif self.follows(after, ".") and self.tokens[after + 1 : after + 2] and self.tokens[after + 1] in _EACH:
            parameter = self.callback_parameter(after + 3)
            if parameter is not None:
                self._key(self.tokens[parameter], keys)
                return parameter + 1
        return after

    def _key(self, name: str, keys: tuple[Step, ...]) -> None:
        self.keys[name] = tuple(dict.fromkeys((*self.keys.get(name, ()), *keys)))
        self.names.pop(name, None)

    # -- statuses and headers ------------------------------------------------------------------------------------------

    def _response_assertion(self, at: int) -> int:
        word = self.tokens[at] if at < len(self.tokens) else ""
        if word == "status":
            self._codes_from(at + 1)
        elif word == "header":
            self._header(at + 2)
        elif word == "jsonBody":
            given = self._object_keys(at + 2) if self.follows(at + 2, "{") else self._texts(at + 2)[:1]
            fields = [fieldpath.parse(text) for text in given if _parses(text)]
            self._keep(fields)
            self.partial |= not fields and not self.follows(at + 2, ")")
        return at + 1

    def _header(self, at: int) -> None:
        if at < len(self.tokens) and self.tokens[at][0] in "\"'":
            self._keep([Path((self.tokens[at][1:-1],), "header")])

    def _expected_codes(self, at: int) -> None:
        """The numbers that a status is compared with: ``=== 200``, ``).to.eql(200)``, ``.to.be.oneOf([200, 201])``."""
        limit = min(len(self.tokens), at + 12)
        while at < limit and self.tokens[at] in {")", ".", "===", "==", "to", "be", "eql", "equal", "equals", "oneOf"}:
            at += 1
        self._codes_from(at)

    def _codes_from(self, at: int) -> None:
        while at < len(self.tokens) and (self.tokens[at] in {"(", "[", ","} or self.tokens[at].isdigit()):
            if re.fullmatch(r"[1-5]\d\d", self.tokens[at]):
                self.statuses[self.tokens[at]] = None
            at += 1


def _below(paths: _Paths, steps: Iterable[Step]) -> _Paths:
    return tuple(path.below(step) for path in paths for step in steps)


def _parses(text: str) -> bool:
    try:
        return bool(fieldpath.parse(text).steps)
    except ValueError:
        return False
