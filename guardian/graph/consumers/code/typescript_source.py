"""TypeScript and JavaScript source, JSX included, by tree-sitter's grammars, lowered to ``syntax``.

tree-sitter comes with the extra ``scan``. Its TypeScript grammar reads JavaScript as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from guardian.errors import ReadError
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.typescript_imports import imports_of, specifiers_of
from guardian.graph.consumers.code.typescript_tree import error_line, key_of, line_of, named, parser, string_of, text_of
from guardian.graph.consumers.code.typescript_types import annotated, annotation_of, members_of, type_of

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

_TYPED = (".ts", ".mts", ".cts")
# Of which nothing goes on: `!x`, `typeof x`, `x++`.
_LOOKED_AT = frozenset({"unary_expression", "update_expression"})


def lower_typescript(data: bytes, path: str, file: str) -> s.Source:
    """Parse a file; its ending says whether it is TypeScript.

    Raises:
        ReadError: it has a syntax error, which is what the line is of.
        UsageError: tree-sitter is not installed.
    """
    root = parser("typescript" if path.endswith(_TYPED) else "tsx").parse(data).root_node
    if root.has_error:
        raise ReadError("no TypeScript or JavaScript: a syntax error", file=file, line=error_line(root))
    try:
        return s.Source(path, file, "typescript", tuple(_Lowering().statements(root)))
    except RecursionError:
        raise ReadError("nested too deeply to be read", file=file) from None


class _Lowering:
    # -- statements ----------------------------------------------------------------------------------------------------

    def statements(self, node: Tree | None) -> Iterator[s.Statement]:
        """The statements of a block, or the one that stands in its place."""
        if node is None:
            return
        if node.type in {"program", "statement_block", "class_static_block"}:
            for child in named(node):
                yield from self._statement(child)
        else:
            yield from self._statement(node)

    def _statement(self, node: Tree) -> Iterator[s.Statement]:
        line = line_of(node)
        match node.type:
            case "import_statement":
                yield from imports_of(node)
            case "export_statement":
                yield from self._export(node)
            case "lexical_declaration" | "variable_declaration":
                for each in named(node):
                    if each.type == "variable_declarator":
                        yield self._declarator(each)
            case "ambient_declaration":
                for each in named(node):
                    yield from self._statement(each)
            case "function_declaration" | "generator_function_declaration":
                yield s.Define(line, self._function(node))
            case "class_declaration" | "abstract_class_declaration":
                yield self._class(node)
            case "interface_declaration":
                bases = [
                    s.Name(line, text_of(each.child_by_field_name("name") or each))
                    for clause in named(node)
                    if clause.type == "extends_type_clause"
                    for each in named(clause)
                ]
                members = members_of(node.child_by_field_name("body"))
                yield s.Class(line, text_of(node.child_by_field_name("name")), tuple(bases), members, ())
            case "type_alias_declaration":
                alias = type_of(node.child_by_field_name("value"))
                name = text_of(node.child_by_field_name("name"))
                if not (isinstance(alias, s.TypeName) and alias.name == name):  # `type User = z.infer<typeof User>`
                    yield s.Class(line, name, (), (), (), alias=alias)
            case "expression_statement":
                for each in named(node):
                    yield from self._effect(each)
            case "return_statement":
                given = named(node)
                yield s.Return(line, self.expr(given[0]) if given else None)
            case "if_statement":
                yield s.Do(line, s.Opaque(line, (self._field(node, "condition"),)))
                yield s.Block(line, tuple(self.statements(node.child_by_field_name("consequence"))))
                yield s.Block(line, tuple(self._inner(node.child_by_field_name("alternative"))))
            case "while_statement" | "do_statement":
                yield s.Do(line, s.Opaque(line, (self._field(node, "condition"),)))
                yield s.Block(line, tuple(self.statements(node.child_by_field_name("body"))))
            case "for_statement":
                yield from self.statements(node.child_by_field_name("initializer"))
                rest = [node.child_by_field_name(key) for key in ("condition", "increment")]
                looked_at = tuple(self.expr(each) for each in rest if each is not None)
                yield s.Do(line, s.Opaque(line, looked_at))
                yield s.Block(line, tuple(self.statements(node.child_by_field_name("body"))))
            case "for_in_statement":
                keys = text_of(node.child_by_field_name("operator")) == "in"
                body = tuple(self.statements(node.child_by_field_name("body")))
                yield s.Loop(
                    line, self._pattern(node.child_by_field_name("left")), self._field(node, "right"), body, keys
                )
            case "try_statement":
                yield from self.statements(node.child_by_field_name("body"))
                for key in ("handler", "finalizer"):
                    yield s.Block(line, tuple(self._inner(node.child_by_field_name(key))))
            case "switch_statement":
                yield s.Do(line, s.Opaque(line, (self._field(node, "value"),)))
                for case in named(node.child_by_field_name("body")):
                    inner = [each for each in case.children_by_field_name("body") if each.is_named]
                    yield s.Block(line, tuple(one for each in inner for one in self._statement(each)))
            case "statement_block" | "labeled_statement" | "else_clause" | "finally_clause":
                yield from self._inner(node)
            case "throw_statement":
                yield s.Do(line, s.Opaque(line, tuple(map(self.expr, named(node))), passes=True))
            case _:
                return

    def _inner(self, node: Tree | None) -> Iterator[s.Statement]:
        """The statements of a clause, whatever it is called."""
        if node is None:
            return
        if node.type in {"catch_clause", "finally_clause"}:
            yield from self.statements(node.child_by_field_name("body"))
        elif node.type in {"else_clause", "statement_block", "labeled_statement"}:
            for child in named(node):
                yield from self._statement(child)
        else:
            yield from self._statement(node)

    def _effect(self, node: Tree) -> Iterator[s.Statement]:
        line = line_of(node)
        if node.type == "assignment_expression":
            yield s.Assign(
                line, self._pattern(node.child_by_field_name("left")), self._field(node, "right"), None, False
            )
        elif node.type == "augmented_assignment_expression":
            target, value = self._pattern(node.child_by_field_name("left")), self._field(node, "right")
            operator = text_of(node.child_by_field_name("operator"))
            joined: s.Expr = s.Template(line, (target, value)) if operator == "+=" else s.Either(line, (target, value))
            yield s.Block(line, (s.Assign(line, target, joined, None, False),))
        elif node.type == "yield_expression":
            given = named(node)
            yield s.Return(line, self.expr(given[0]) if given else None, each=not text_of(node).startswith("yield*"))
        else:
            yield s.Do(line, self.expr(node))

    def _declarator(self, node: Tree) -> s.Statement:
        line = line_of(node)
        annotation = annotation_of(node)
        given = node.child_by_field_name("value")
        value: s.Expr = self.expr(given) if given is not None else s.Opaque(line)
        if given is None and annotation is not None:
            value = s.Typed(line, value, annotation)
        return s.Assign(line, self._pattern(node.child_by_field_name("name")), value, annotation)

    def _export(self, node: Tree) -> Iterator[s.Statement]:
        line = line_of(node)
        source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        if source is not None:
            clauses = [each for each in named(node) if each.type == "export_clause"]
            for clause in clauses:
                yield from specifiers_of(clause, string_of(source))
            if not clauses:
                yield s.Import(line, "*", string_of(source), "*")
            return
        default = any(each.type == "default" for each in node.children)
        if declaration is not None:
            found = list(self._statement(declaration))
            yield from found
            first = found[0] if found else None
            if default and isinstance(first, s.Define | s.Class):
                name = first.function.name if isinstance(first, s.Define) else first.name
                yield s.Assign(line, s.Name(line, "default"), s.Name(line, name))
        elif value is not None:
            yield s.Assign(line, s.Name(line, "default"), self.expr(value))
        for clause in named(node):
            if clause.type == "export_clause":
                for each in named(clause):
                    inner, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                    if inner is not None and alias is not None:
                        yield s.Assign(line, s.Name(line, text_of(alias)), s.Name(line, text_of(inner)))

    # -- functions and classes -------------------------------------------------------------------------------------------

    def _function(self, node: Tree) -> s.Function:
        line = line_of(node)
        body = node.child_by_field_name("body")
        single = node.child_by_field_name("parameter")
        if single is not None:
            params: tuple[s.Param, ...] = (s.Param(line, s.Name(line, text_of(single)), None, None),)
        else:
            params = tuple(self._param(each) for each in named(node.child_by_field_name("parameters")))
        if body is not None and body.type != "statement_block":
            statements: tuple[s.Statement, ...] = (s.Return(line_of(body), self.expr(body)),)
        else:
            statements = tuple(self.statements(body))
        returns = node.child_by_field_name("return_type")
        return s.Function(
            line,
            text_of(node.child_by_field_name("name")),
            params,
            statements,
            annotated(returns),
            getter=any(each.type == "get" for each in node.children),
        )

    def _param(self, node: Tree) -> s.Param:
        line = line_of(node)
        pattern = node.child_by_field_name("pattern") or (named(node)[0] if named(node) else node)
        if pattern.type == "rest_pattern":
            return s.Param(line, self._pattern(named(pattern)[0]), None, None, "rest")
        default = node.child_by_field_name("value")
        return s.Param(
            line, self._pattern(pattern), annotation_of(node), self.expr(default) if default is not None else None
        )

    def _class(self, node: Tree) -> s.Class:
        line = line_of(node)
        members: list[s.Member] = []
        methods: list[s.Function] = []
        body: list[s.Statement] = []
        for each in named(node.child_by_field_name("body")):
            name = key_of(each.child_by_field_name("name"))
            if each.type == "public_field_definition":
                value = each.child_by_field_name("value")
                kind = annotation_of(each)
                members.append(s.Member(line_of(each), name, name, kind, value is None))
                given: s.Expr = self.expr(value) if value is not None else s.Opaque(line_of(each))
                if value is not None or kind is not None:
                    typed = s.Typed(line_of(each), given, kind) if kind is not None and value is None else given
                    body.append(s.Assign(line_of(each), s.Name(line_of(each), name), typed))
            elif each.type == "method_definition":
                methods.append(self._method(each))
            elif each.type == "class_static_block":
                body += self.statements(each)
        bases = tuple(
            self.expr(value)
            for heritage in named(node)
            if heritage.type == "class_heritage"
            for clause in named(heritage)
            if clause.type == "extends_clause" and (value := clause.child_by_field_name("value")) is not None
        )
        return s.Class(
            line, text_of(node.child_by_field_name("name")), bases, tuple(members), tuple(methods), tuple(body)
        )

    def _method(self, node: Tree) -> s.Function:
        function = self._function(node)
        if function.name != "constructor":
            return function
        # `constructor(private readonly http: Http)` sets the fields of these names.
        fields = tuple(
            s.Assign(
                line_of(each),
                s.Attr(line_of(each), s.Name(line_of(each), "this"), text_of(pattern)),
                self.expr(pattern),
            )
            for each in named(node.child_by_field_name("parameters"))
            if any(mark.type in {"accessibility_modifier", "readonly"} for mark in each.children)
            and (pattern := each.child_by_field_name("pattern")) is not None
        )
        return s.Function(function.line, "constructor", function.params, (*fields, *function.body))

    # -- expressions -----------------------------------------------------------------------------------------------------

    def _field(self, node: Tree, name: str) -> s.Expr:
        child = node.child_by_field_name(name)
        return self.expr(child) if child is not None else s.Opaque(line_of(node))

    def expr(self, node: Tree) -> s.Expr:
        """One expression."""
        line = line_of(node)
        match node.type:
            case "string":
                return s.Text(line, string_of(node))
            case "number":
                return s.Number(line, int(text_of(node)) if text_of(node).isdigit() else None)
            case "template_string":
                return s.Template(line, tuple(self._piece(each) for each in named(node)))
            case "identifier" | "this" | "super" | "shorthand_property_identifier" | "undefined" | "null":
                return s.Name(line, text_of(node))
            case "member_expression":
                optional = any(each.type == "optional_chain" for each in node.children)
                return s.Attr(
                    line, self._field(node, "object"), text_of(node.child_by_field_name("property")), optional
                )
            case "subscript_expression":
                return s.Index(line, self._field(node, "object"), self._field(node, "index"))
            case "call_expression" | "new_expression":
                return self._call(node)
            case "arrow_function" | "function_expression" | "generator_function":
                return self._function(node)
            case "object":
                return s.Object(line, tuple(self._entry(each) for each in named(node)))
            case "array":
                return s.Array(line, tuple(self._item(each) for each in named(node)))
            case "await_expression" | "parenthesized_expression" | "non_null_expression" | "jsx_expression":
                inner = named(node)
                return self.expr(inner[0]) if inner else s.Opaque(line)
            case "sequence_expression":
                *first, last = map(self.expr, named(node))
                return s.Either(line, (last,), tuple(first))
            case "as_expression" | "satisfies_expression" | "type_assertion":
                inner = named(node)
                value, kind = (inner[1], inner[0]) if node.type == "type_assertion" else (inner[0], inner[-1])
                type_ = type_of(kind if kind.type != "type_arguments" else next(iter(named(kind)), None))
                return s.Typed(line, self.expr(value), type_) if type_ is not None else self.expr(value)
            case "ternary_expression":
                options = (self._field(node, "consequence"), self._field(node, "alternative"))
                return s.Either(line, options, (self._field(node, "condition"),))
            case "binary_expression":
                both = (self._field(node, "left"), self._field(node, "right"))
                operator = text_of(node.child_by_field_name("operator"))
                if operator == "+":
                    return s.Template(line, both)
                if operator == "&&":
                    return s.Either(line, both[1:], both[:1])
                if operator == "in":
                    return s.Call(line, s.Attr(line, both[1], "__contains__"), (s.Arg(line, both[0]),))
                return s.Either(line, both) if operator in {"||", "??"} else s.Opaque(line, both)
            case "assignment_expression":
                return s.Assigned(line, self._pattern(node.child_by_field_name("left")), self._field(node, "right"))
            case "jsx_element" | "jsx_self_closing_element":
                return self._element(node)
            case "class":
                return s.Opaque(line)
            case _:
                passes = node.type not in _LOOKED_AT
                return s.Opaque(line, tuple(map(self.expr, named(node))), passes=passes)

    def _piece(self, node: Tree) -> s.Expr:
        if node.type == "template_substitution":
            inner = named(node)
            return self.expr(inner[0]) if inner else s.Opaque(line_of(node))
        return s.Text(line_of(node), text_of(node))

    def _call(self, node: Tree) -> s.Expr:
        line = line_of(node)
        func = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        if func is None:
            return s.Opaque(line)
        if func.type == "await_expression":  # `await f<T>(x)` is read as `(await f)<T>(x)`
            func = named(func)[0]
        given = node.child_by_field_name("arguments")
        if given is not None and given.type == "template_string":
            return s.Opaque(line, (self.expr(func), self.expr(given)), passes=True)
        if func.type == "import" or (func.type == "identifier" and text_of(func) == "require"):
            inner = named(given)
            if inner and inner[0].type == "string":
                return s.Call(line, s.Name(line, "require"), (s.Arg(line, self.expr(inner[0])),))
        types = [type_of(each) for each in named(node.child_by_field_name("type_arguments"))]
        args = tuple(self._item(each) for each in named(given))
        return s.Call(line, self.expr(func), args, tuple(each for each in types if each is not None))

    def _item(self, node: Tree) -> s.Arg:
        if node.type == "spread_element":
            return s.Arg(line_of(node), self.expr(named(node)[0]), spread=True)
        return s.Arg(line_of(node), self.expr(node))

    def _entry(self, node: Tree) -> s.Entry:
        line = line_of(node)
        if node.type == "pair":
            key = node.child_by_field_name("key")
            computed = key is not None and key.type == "computed_property_name"
            name: s.Expr = self.expr(named(key)[0]) if computed else s.Text(line, key_of(key))
            return s.Entry(line, name, self._field(node, "value"))
        if node.type == "spread_element":
            return s.Entry(line, None, self.expr(named(node)[0]))
        if node.type == "method_definition":
            return s.Entry(line, s.Text(line, key_of(node.child_by_field_name("name"))), self._function(node))
        return s.Entry(line, s.Text(line, text_of(node)), self.expr(node))

    def _element(self, node: Tree) -> s.Expr:
        """JSX: a component is a function of its attributes; what is shown in any element is only looked at."""
        line = line_of(node)
        opening = node.child_by_field_name("open_tag") or node
        name = opening.child_by_field_name("name")
        entries = []
        for each in opening.children_by_field_name("attribute"):
            inner = named(each)
            if each.type == "jsx_attribute" and len(inner) > 1:
                entries.append(s.Entry(line_of(each), s.Text(line_of(each), text_of(inner[0])), self.expr(inner[1])))
            elif each.type == "jsx_expression" and inner:
                entries.append(
                    s.Entry(line_of(each), None, self.expr(named(inner[0])[0] if named(inner[0]) else inner[0]))
                )
        children = tuple(
            self.expr(each)
            for each in (named(node) if node.type == "jsx_element" else [])
            if each.type in {"jsx_element", "jsx_self_closing_element", "jsx_expression"}
        )
        if name is not None and text_of(name)[:1].isupper():
            shown: s.Expr = s.Call(line, self.expr(name), (s.Arg(line, s.Object(line, tuple(entries))),))
        else:
            shown = s.Opaque(line, tuple(each.value for each in entries), passes=True)
        return s.Opaque(line, (shown, *children), passes=True)

    # -- patterns --------------------------------------------------------------------------------------------------------

    def _pattern(self, node: Tree | None) -> s.Expr:
        if node is None:
            return s.Opaque(0)
        line = line_of(node)
        match node.type:
            case "object_pattern":
                return s.Object(line, tuple(self._pattern_entry(each) for each in named(node)))
            case "array_pattern":
                # A hole between two commas is no named child, and counts all the same.
                items: list[s.Arg] = []
                pending = True
                for each in node.children[1:-1]:
                    if each.type == ",":
                        if pending:
                            items.append(s.Arg(line, s.Opaque(line)))
                        pending = True
                    elif each.is_named:
                        rest = each.type == "rest_pattern"
                        inner = self._pattern(named(each)[0] if rest else each)
                        items.append(s.Arg(line, inner, spread=rest))
                        pending = False
                return s.Array(line, tuple(items))
            case "assignment_pattern" | "object_assignment_pattern":
                return s.Default(line, self._pattern(node.child_by_field_name("left")), self._field(node, "right"))
            case "shorthand_property_identifier_pattern":
                return s.Name(line, text_of(node))
            case _:
                return self.expr(node)

    def _pattern_entry(self, node: Tree) -> s.Entry:
        line = line_of(node)
        if node.type == "pair_pattern":
            return s.Entry(line, s.Text(line, key_of(node.child_by_field_name("key"))), self._pattern(
                node.child_by_field_name("value")
            ))  # fmt: skip
        if node.type == "rest_pattern":
            return s.Entry(line, None, self._pattern(named(node)[0]))
        target = self._pattern(node)
        name = target.target if isinstance(target, s.Default) else target
        return s.Entry(line, s.Text(line, name.id if isinstance(name, s.Name) else ""), target)
