"""TypeScript's types, lowered to ``syntax``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.typescript_tree import key_of, line_of, named, text_of

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

_LISTS = frozenset({"Array", "ReadonlyArray", "Set", "Iterable", "AsyncIterable"})
_MAPS = frozenset({"Record", "Map"})
_SAME = frozenset({"Partial", "Readonly", "Required", "NonNullable", "Awaited", "DeepReadonly"})
# zod's type of what a schema gives.
_INFERRED = frozenset({"infer", "output", "input", "TypeOf"})
_LOOSE = frozenset({"any", "unknown", "never", "void", "object"})


def annotation_of(node: Tree) -> s.Type | None:
    """The type that a node is annotated with."""
    return annotated(node.child_by_field_name("type"))


def annotated(node: Tree | None) -> s.Type | None:
    """The type in an annotation."""
    inner = named(node)
    return type_of(inner[0]) if node is not None and node.type == "type_annotation" and inner else None


def members_of(node: Tree | None) -> tuple[s.Member, ...]:
    """The fields of an interface or object type."""
    found = []
    for each in named(node):
        if each.type == "property_signature":
            name = key_of(each.child_by_field_name("name"))
            optional = any(mark.type == "?" for mark in each.children)
            found.append(s.Member(line_of(each), name, name, annotation_of(each), not optional))
        elif each.type == "index_signature":
            found.append(s.Member(line_of(each), "*", "*", annotation_of(each), False))
    return tuple(found)


def type_of(node: Tree | None) -> s.Type | None:
    """The type that a type's node means; ``None`` for anything."""
    if node is None:
        return None
    line = line_of(node)
    match node.type:
        case "type_identifier" | "nested_type_identifier" | "predefined_type" | "identifier":
            return None if text_of(node) in _LOOSE else s.TypeName(line, text_of(node))
        case "generic_type":
            name = text_of(node.child_by_field_name("name")).rpartition(".")[2]
            given = named(node.child_by_field_name("type_arguments"))
            if name in _INFERRED and given and given[0].type == "type_query":
                return s.TypeName(line, text_of(named(given[0])[0]))
            inner = [type_of(each) for each in given]
            args = tuple(each for each in inner if each is not None)
            if name in _LISTS:
                return s.TypeName(line, "[]", args[:1])
            if name in _MAPS:
                return s.TypeName(line, "{}", tuple(each for each in inner[-1:] if each is not None))
            return s.TypeName(line, "|", args[:1]) if name in _SAME else s.TypeName(line, name, args)
        case "array_type":
            inner = [type_of(each) for each in named(node)]
            return s.TypeName(line, "[]", tuple(each for each in inner if each is not None))
        case "object_type" | "interface_body":
            return s.TypeObject(line, members_of(node))
        case "union_type" | "intersection_type" | "parenthesized_type" | "readonly_type":
            inner = [type_of(each) for each in named(node)]
            if any(each is None for each in inner):
                return None
            return s.TypeName(line, "|", tuple(each for each in inner if each is not None))
        case "literal_type":
            return s.TypeName(line, "literal")
        case _:
            return None
