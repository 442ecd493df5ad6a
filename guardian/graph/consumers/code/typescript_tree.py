"""tree-sitter's trees: parsing, and looking at nodes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from guardian.errors import UsageError

if TYPE_CHECKING:
    from tree_sitter import Node as Tree


@cache
def parser(dialect: str) -> Any:
    """The parser of a dialect.

    Raises:
        UsageError: tree-sitter is not installed.
    """
    try:
        import tree_sitter
        import tree_sitter_typescript
    except ImportError:
        raise UsageError(
            "TypeScript and JavaScript cannot be read: tree-sitter is not installed",
            hint="pip install 'contract-guardian[scan]'",
        ) from None
    grammar = getattr(tree_sitter_typescript, f"language_{dialect}")
    return tree_sitter.Parser(tree_sitter.Language(grammar()))


def error_line(root: Tree) -> int:
    """The line of the first thing that is no code."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            return int(node.start_point[0]) + 1
        pending.extend(child for child in reversed(node.children) if child.has_error or child.is_missing)
    return 1


def line_of(node: Tree) -> int:
    """The line of a node, counted from 1."""
    return int(node.start_point[0]) + 1


def text_of(node: Tree | None) -> str:
    """The text of a node; empty for none."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def named(node: Tree | None) -> list[Tree]:
    """The named children of a node, without comments."""
    return [each for each in node.named_children if each.type != "comment"] if node is not None else []


def string_of(node: Tree | None) -> str:
    """The content of a string literal."""
    return "".join(text_of(each) for each in named(node) if each.type in {"string_fragment", "escape_sequence"})


def key_of(node: Tree | None) -> str:
    """A property's name, quoted or not."""
    return string_of(node) if node is not None and node.type == "string" else text_of(node)
