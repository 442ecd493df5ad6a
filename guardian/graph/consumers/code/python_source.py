"""Python source, by Python's own parser (``ast``), lowered to ``syntax``."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator

from guardian.errors import ReadError
from guardian.graph.consumers.code import syntax as s

_VALIDATING_BASES = frozenset({"BaseModel", "RootModel", "Struct", "SQLModel", "Schema"})
_VALIDATING_DECORATORS = frozenset({"dataclass", "define", "frozen", "attrs", "attr", "s"})
_NO_MESSAGE = frozenset({"ClassVar", "ConfigDict", "PrivateAttr", "InitVar"})
_ALIASES = ("validation_alias", "alias", "name")


def lower_python(data: bytes, path: str, file: str) -> s.Source:
    """Parse a file.

    Raises:
        ReadError: it is no Python that this interpreter knows.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of other people's code, which nobody asked about
            tree = ast.parse(data)
        return s.Source(path, file, "python", tuple(_Lowering().statements(tree.body)))
    except SyntaxError as error:
        raise ReadError(f"no Python: {error.msg}", file=file, line=error.lineno) from None
    except ValueError as error:  # null bytes
        raise ReadError(f"no Python: {error}", file=file) from None
    except (RecursionError, MemoryError):
        raise ReadError("nested too deeply to be read", file=file) from None


class _Lowering:
    # -- statements ----------------------------------------------------------------------------------------------------

    def statements(self, body: Iterable[ast.stmt]) -> Iterator[s.Statement]:
        for each in body:
            yield from self._statement(each)

    def _statement(self, node: ast.stmt) -> Iterator[s.Statement]:
        line = node.lineno
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield s.Define(line, self._function(node, bound=False))
            case ast.ClassDef():
                yield self._class(node)
            case ast.Import():
                for each in node.names:
                    if each.asname:
                        yield s.Import(line, each.asname, each.name, None)
                    else:
                        top = each.name.partition(".")[0]
                        yield s.Import(line, top, top, None)
            case ast.ImportFrom():
                module = "." * node.level + (node.module or "")
                for each in node.names:
                    yield s.Import(line, each.asname or each.name, module, each.name)
            case ast.Assign():
                value = self.expr(node.value)
                for target in node.targets:
                    yield s.Assign(line, self.expr(target), value)
            case ast.AnnAssign():
                kind = self.type(node.annotation)
                if node.value is not None:
                    yield s.Assign(line, self.expr(node.target), self.expr(node.value), kind)
                elif kind is not None:
                    yield s.Assign(line, self.expr(node.target), s.Typed(line, s.Opaque(line), kind))
            case ast.AugAssign():
                both = (self.expr(node.target), self.expr(node.value))
                added = isinstance(node.op, ast.Add)
                joined: s.Expr = s.Template(line, both) if added else s.Opaque(line, both)
                yield s.Block(line, (s.Assign(line, both[0], joined),))
            case ast.Return():
                yield s.Return(line, self.expr(node.value) if node.value else None)
            case ast.Expr(value=ast.Yield() | ast.YieldFrom() as given):
                if given.value is not None:
                    value = self.expr(given.value)
                    yield s.Return(line, value, each=isinstance(given, ast.Yield))
            case ast.Expr():
                yield s.Do(line, self.expr(node.value))
            case ast.If() | ast.While():
                yield s.Do(line, s.Opaque(line, (self.expr(node.test),)))
                yield s.Block(line, tuple(self.statements(node.body)))
                yield s.Block(line, tuple(self.statements(node.orelse)))
            case ast.For() | ast.AsyncFor():
                body = tuple(self.statements([*node.body, *node.orelse]))
                yield s.Loop(line, self.expr(node.target), self.expr(node.iter), body)
            case ast.With() | ast.AsyncWith():
                entering = "__enter__" if isinstance(node, ast.With) else "__aenter__"
                for item in node.items:
                    entered = s.Call(line, s.Attr(line, self.expr(item.context_expr), entering), ())
                    if item.optional_vars is not None:
                        yield s.Assign(line, self.expr(item.optional_vars), entered)
                    else:
                        yield s.Do(line, entered)
                yield from self.statements(node.body)
            case ast.Try() | ast.TryStar():
                yield from self.statements(node.body)
                for handler in node.handlers:
                    yield s.Block(line, tuple(self.statements(handler.body)))
                yield s.Block(line, tuple(self.statements(node.orelse)))
                yield from self.statements(node.finalbody)
            case ast.Match():
                subject = self.expr(node.subject)
                for case in node.cases:
                    inner: list[s.Statement] = [s.Assign(line, self._pattern(case.pattern), subject)]
                    if case.guard is not None:
                        inner.append(s.Do(line, s.Opaque(line, (self.expr(case.guard),))))
                    yield s.Block(line, (*inner, *self.statements(case.body)))
            case ast.Raise() | ast.Assert() | ast.Delete():
                yield s.Do(line, s.Opaque(line, tuple(self._parts(node)), passes=isinstance(node, ast.Raise)))
            case _:
                return

    def _pattern(self, node: ast.pattern) -> s.Expr:
        line = node.lineno
        match node:
            case ast.MatchMapping():
                entries = [
                    s.Entry(line, self.expr(key), self._pattern(value))
                    for key, value in zip(node.keys, node.patterns, strict=True)
                ]
                rest = [s.Entry(line, None, s.Name(line, node.rest))] if node.rest else []
                return s.Object(line, (*entries, *rest))
            case ast.MatchSequence():
                return s.Array(line, tuple(s.Arg(line, self._pattern(each)) for each in node.patterns))
            case ast.MatchAs(name=str() as name):
                return s.Name(line, name)
            case ast.MatchClass() | ast.MatchOr() | ast.MatchStar() | ast.MatchAs(pattern=ast.pattern()):
                return s.Opaque(line, passes=True)
            case _:
                return s.Opaque(line)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, *, bound: bool) -> s.Function:
        given = node.args
        params: list[s.Param] = []
        plain = [*given.posonlyargs, *given.args]
        defaults: list[ast.expr | None] = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
        for each, default in zip(plain, defaults, strict=True):
            params.append(self._param(each, default))
        if given.vararg:
            params.append(self._param(given.vararg, None, kind="rest"))
        for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            params.append(self._param(each, default, positional=False))
        if given.kwarg:
            params.append(self._param(given.kwarg, None, kind="keywords"))
        if isinstance(node, ast.Lambda):
            body: tuple[s.Statement, ...] = (s.Return(node.lineno, self.expr(node.body)),)
            return s.Function(node.lineno, "", tuple(params), body)
        decorators = {_last_name(each) for each in node.decorator_list}
        return s.Function(
            node.lineno,
            node.name,
            tuple(params),
            tuple(self.statements(node.body)),
            self.type(node.returns) if node.returns else None,
            bound=bound and "staticmethod" not in decorators,
            getter=bool(decorators & {"property", "cached_property"}),
        )

    def _param(
        self, node: ast.arg, default: ast.expr | None, *, kind: str = "plain", positional: bool = True
    ) -> s.Param:
        annotation = self.type(node.annotation) if node.annotation else None
        value = self.expr(default) if default else None
        return s.Param(node.lineno, s.Name(node.lineno, node.arg), annotation, value, kind, positional)

    # -- classes and types -----------------------------------------------------------------------------------------------

    def _class(self, node: ast.ClassDef) -> s.Class:
        names = {_last_name(each) for each in node.bases}
        decorators = {_last_name(each) for each in node.decorator_list}
        functional = "TypedDict" in names and {
            each.arg: isinstance(each.value, ast.Constant) and each.value.value for each in node.keywords
        }
        total = not functional or functional.get("total", True) is not False
        configured = [*filter(_is_config, node.body), *(each.value for each in node.keywords), *node.decorator_list]
        camel = any("camel" in ast.unparse(each).lower() for each in configured)
        members: list[s.Member] = []
        methods: list[s.Function] = []
        body: list[ast.stmt] = []
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                member = self._member(each, camel=camel, total=total)
                if member is not None:
                    members.append(member)
                if each.value is not None:
                    body.append(each)
            elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                methods.append(self._function(each, bound=True))
            elif isinstance(each, ast.Assign | ast.ClassDef):
                body.append(each)
        return s.Class(
            node.lineno,
            node.name,
            tuple(self.expr(each) for each in node.bases),
            tuple(members),
            tuple(methods),
            tuple(self.statements(body)),
            validates=bool(names & _VALIDATING_BASES) or bool(decorators & _VALIDATING_DECORATORS),
        )

    def _member(self, node: ast.AnnAssign, *, camel: bool, total: bool) -> s.Member | None:
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        kind = self.type(node.annotation)
        outer = kind.name if isinstance(kind, s.TypeName) else ""
        if outer in _NO_MESSAGE or (outer in {"", "Any"} and _last_name(node.annotation) in _NO_MESSAGE):
            return None
        required = total if outer != "NotRequired" else False
        wire = _camel(name) if camel else name
        default: ast.expr | None = node.value
        if isinstance(default, ast.Call):
            keywords = {each.arg: each.value for each in default.keywords}
            for key in _ALIASES:
                given = keywords.get(key)
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    wire = given.value
                    break
            first = default.args[0] if default.args else keywords.get("default")
            has_default = (first is not None and not _is_ellipsis(first)) or bool(
                {"default_factory", "factory"} & keywords.keys()
            )
            required = required and not has_default
        elif default is not None and not _is_ellipsis(default):
            required = False
        return s.Member(node.lineno, name, wire, kind, required)

    def type(self, node: ast.expr | None) -> s.Type | None:
        """The type that an annotation names."""
        if node is None:
            return None
        line = node.lineno
        match node:
            case ast.Constant(value=str() as text):
                try:
                    return self.type(ast.parse(text, mode="eval").body)
                except SyntaxError:
                    return None
            case ast.Name() | ast.Attribute():
                return s.TypeName(line, ast.unparse(node))
            case ast.BinOp(op=ast.BitOr()):
                both = [each for each in (self.type(node.left), self.type(node.right)) if each is not None]
                return s.TypeName(line, "|", tuple(both))
            case ast.Subscript():
                outer = _last_name(node.value)
                inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                args = tuple(each for each in map(self.type, inner) if each is not None)
                if outer in {"Annotated", "Required", "NotRequired", "Final", "Awaitable", "Coroutine"}:
                    wanted = args[-1:] if outer == "Coroutine" else args[:1]
                    return s.TypeName(line, "NotRequired" if outer == "NotRequired" else "|", wanted)
                if outer in {"Optional", "Union"}:
                    return s.TypeName(line, "|", args)
                if outer.lower() == "tuple" and not any(_is_ellipsis(each) for each in inner):
                    return s.TypeName(line, "tuple", args)
                if outer.lower() in {"dict", "mapping", "mutablemapping", "defaultdict"}:
                    return s.TypeName(line, "{}", args[-1:])
                if outer.lower() in {"list", "sequence", "iterable", "iterator", "set", "tuple", "collection",
                                     "asynciterator", "generator", "asyncgenerator", "frozenset"}:  # fmt: skip
                    return s.TypeName(line, "[]", args[:1])
                return s.TypeName(line, outer, args)
            case _:
                return None

    # -- expressions -----------------------------------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> s.Expr:
        """One expression."""
        line = node.lineno
        match node:
            case ast.Constant(value=str() as text):
                return s.Text(line, text)
            case ast.Constant(value=None):
                return s.Name(line, "None")
            case ast.Constant(value=bytes() as raw):
                return s.Text(line, raw.decode("latin-1"))
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                return s.Number(line, number)
            case ast.JoinedStr():
                return s.Template(line, tuple(self.expr(each) for each in node.values))
            case ast.FormattedValue():
                return self.expr(node.value)
            case ast.BinOp(op=ast.Add()):
                return s.Template(line, (self.expr(node.left), self.expr(node.right)))
            case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str() as text)):
                return self._percent(line, text, node.right)
            case ast.BinOp(op=ast.Div()):  # a path, or a number; a text tells
                return s.Template(line, (self.expr(node.left), s.Text(line, "/"), self.expr(node.right)))
            case ast.BinOp(op=ast.BitOr()):  # dictionaries joined
                both = (s.Entry(line, None, self.expr(node.left)), s.Entry(line, None, self.expr(node.right)))
                return s.Object(line, both)
            case ast.Name():
                return s.Name(line, node.id)
            case ast.Attribute():
                return s.Attr(line, self.expr(node.value), node.attr)
            case ast.Subscript():
                key = None if isinstance(node.slice, ast.Slice) else self.expr(node.slice)
                return s.Index(line, self.expr(node.value), key)
            case ast.Call():
                return self._call(node)
            case ast.Dict():
                return s.Object(line, tuple(
                    s.Entry(value.lineno if key is None else key.lineno, self.expr(key) if key else None, self.expr(value))
                    for key, value in zip(node.keys, node.values, strict=True)
                ))  # fmt: skip
            case ast.List() | ast.Tuple() | ast.Set():
                return s.Array(line, tuple(self._item(each) for each in node.elts))
            case ast.Lambda():
                return self._function(node, bound=False)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._each(node, (node.elt,))
            case ast.DictComp():
                return self._each(node, (node.key, node.value))
            case ast.IfExp():
                return s.Either(line, (self.expr(node.body), self.expr(node.orelse)), (self.expr(node.test),))
            case ast.BoolOp():
                return s.Either(line, tuple(self.expr(each) for each in node.values))
            case ast.NamedExpr():
                return s.Assigned(line, self.expr(node.target), self.expr(node.value))
            case ast.Await() | ast.Starred():
                return self.expr(node.value)
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                return s.Call(line, s.Attr(line, self.expr(right), "__contains__"), (self._item(left),))
            case ast.Compare() | ast.UnaryOp() | ast.BinOp() | ast.Constant():
                return s.Opaque(line, tuple(self._parts(node)), passes=_is_whole(node))
            case _:
                return s.Opaque(line, tuple(self._parts(node)), passes=True)

    def _parts(self, node: ast.AST) -> Iterator[s.Expr]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield self.expr(child)

    def _item(self, node: ast.expr) -> s.Arg:
        return s.Arg(node.lineno, self.expr(node), spread=isinstance(node, ast.Starred))

    def _call(self, node: ast.Call) -> s.Expr:
        line = node.lineno
        name = _last_name(node.func)
        if name == "cast" and len(node.args) == 2:
            kind = self.type(node.args[0])
            value = self.expr(node.args[1])
            return s.Typed(line, value, kind) if kind else value
        types: tuple[s.Type, ...] = ()
        func = node.func
        if isinstance(func, ast.Subscript):  # Page[User](...)
            func = func.value
        if name in {
            "TypeAdapter",
            "Decoder",
            "parse_obj_as",
            "structure",
            "convert",
            "decode",
            "fromdict",
            "from_dict",
        }:
            wanted = [*node.args, *(each.value for each in node.keywords if each.arg in {"type", "data_class"})]
            types = tuple(each for each in map(self.type, wanted) if each is not None)
        args = [self._item(each) for each in node.args]
        args += [
            s.Arg(each.value.lineno, self.expr(each.value), each.arg or "**", spread=each.arg is None)
            for each in node.keywords
        ]
        return s.Call(line, self.expr(func), tuple(args), types)

    def _each(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, results: tuple[ast.expr, ...]
    ) -> s.Expr:
        loops = tuple((self.expr(each.target), self.expr(each.iter)) for each in node.generators)
        conditions = tuple(self.expr(test) for each in node.generators for test in each.ifs)
        return s.Each(node.lineno, loops, conditions, tuple(map(self.expr, results)))

    def _percent(self, line: int, text: str, right: ast.expr) -> s.Expr:
        values = right.elts if isinstance(right, ast.Tuple) else [right]
        pieces = re.split(r"%(?:\(\w+\))?[sdrif]", text)
        parts: list[s.Expr] = [s.Text(line, pieces[0])]
        for index, piece in enumerate(pieces[1:]):
            given = values[index] if index < len(values) and not isinstance(right, ast.Dict) else None
            parts += [self.expr(given) if given is not None else s.Opaque(line), s.Text(line, piece)]
        return s.Template(line, tuple(parts))


def _is_whole(node: ast.expr) -> bool:
    """Whether two values are compared with each other, with all that is in them."""
    if not isinstance(node, ast.Compare) or any(isinstance(each, ast.Is | ast.IsNot) for each in node.ops):
        return False
    sides = [node.left, *node.comparators]
    return not any(isinstance(each, ast.Constant) or ast.unparse(each) in {"[]", "{}", "()"} for each in sides)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call | ast.Subscript):
        return _last_name(node.func if isinstance(node, ast.Call) else node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_config(node: ast.stmt) -> bool:
    if isinstance(node, ast.ClassDef):
        return node.name == "Config"
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(each, ast.Name) and each.id == "model_config" for each in targets)


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
