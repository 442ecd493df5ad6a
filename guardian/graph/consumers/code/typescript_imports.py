"""TypeScript's imports, lowered to ``syntax``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.typescript_tree import line_of, named, string_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node as Tree


def imports_of(node: Tree) -> Iterator[s.Statement]:
    """The names that an import statement brings."""
    line, module = line_of(node), string_of(node.child_by_field_name("source"))
    for clause in named(node):
        if clause.type != "import_clause":
            continue
        for each in named(clause):
            if each.type == "identifier":
                yield s.Import(line, text_of(each), module, "default")
            elif each.type == "namespace_import":
                yield s.Import(line, text_of(named(each)[0]), module, None)
            else:
                yield from specifiers_of(each, module)


def specifiers_of(node: Tree, module: str) -> Iterator[s.Statement]:
    """The names in the braces of an import or export."""
    for each in named(node):
        name, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
        if name is not None:
            yield s.Import(line_of(each), text_of(alias or name), module, text_of(name))
