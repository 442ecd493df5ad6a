"""Parameters and headers of every dialect, with the defaults of their dialect filled in."""

from __future__ import annotations

from collections.abc import Iterable

from guardian.spec.api import Node, Parameter, Schema
from guardian.spec.dialects import DIALECTS, Dialect
from guardian.spec.media import read_content
from guardian.spec.reading import malformed, object_at, schema_at, shown

# Places of OpenAPI 2.0 parameters that are parts of the request body.
BODY_LOCATIONS = frozenset(("body", "formData"))


def declared(*levels: Iterable[Node]) -> list[Node]:
    """The parameter objects of an operation, references followed: a later level, and in a level a later entry,
    replaces an earlier parameter of the same location and name.

    Raises:
        ReadError: an entry is not a parameter.
    """
    merged: dict[tuple[str, str], Node] = {}
    for level in levels:
        for entry in level:
            node = object_at(entry, "a parameter")
            location, name = _identity(node)
            merged[location, name.lower() if location == "header" else name] = node
    return list(merged.values())


def read_parameter(node: Node) -> Parameter | None:
    """One parameter; None if it is part of the body (2.0) or one that the specification says to ignore."""
    dialect = DIALECTS[node.document.dialect]
    location, name = _identity(node)
    if location in BODY_LOCATIONS or (location == "header" and name.lower() in dialect.ignored_headers):
        return None
    return _parameter(node, name, location, dialect, required=location == "path" or node.value.get("required") is True)


def read_header(name: str, node: Node) -> Parameter | None:
    """One response or part header; None for ``Content-Type``, which 3.x describes as media type alone."""
    dialect = DIALECTS[node.document.dialect]
    if name.lower() == "content-type" and dialect.ignored_headers:
        return None
    return _parameter(node, name, "header", dialect, required=node.value.get("required") is True)


def style_of(node: Node, location: str, dialect: Dialect) -> tuple[str, bool]:
    """Style and explode of a parameter, header or form field.

    In 2.0 ``collectionFormat`` says it for arrays, ``csv`` if it is absent. What is no array is written alike in
    every style, so there the defaults of 3.x are given.
    """
    value = node.value
    style = value.get("style")
    if not isinstance(style, str):
        style = dialect.default_styles.get(location, "form")
    explode = value.get("explode")
    if not isinstance(explode, bool):
        explode = style in dialect.exploded_styles
    if dialect.collection_formats and value.get("type") == "array":
        formats = dialect.collection_formats
        said = value.get("collectionFormat")
        written, explode = formats.get(said if isinstance(said, str) else "csv", formats["csv"])
        style = written or style
    return style, explode


# --- private ------------------------------------------------------------------------------------------------------


def _identity(node: Node) -> tuple[str, str]:
    dialect = DIALECTS[node.document.dialect]
    name, location = node.value.get("name"), node.value.get("in")
    if isinstance(name, (int, float)) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str):
        raise malformed(node, "a parameter needs a `name`")
    known = dialect.parameter_locations if dialect.request_body else dialect.parameter_locations | BODY_LOCATIONS
    if not isinstance(location, str) or location not in known:
        found = f"not {shown(location)}" if "in" in node.value else "and has none"
        raise malformed(node, f"parameter {name!r} needs an `in` of {', '.join(sorted(known))}, {found}")
    return location, name


def _parameter(node: Node, name: str, location: str, dialect: Dialect, *, required: bool) -> Parameter:
    value = node.value
    style, explode = style_of(node, location, dialect)
    schema = schema_at(node, "schema")
    content = read_content(node) if schema is None else ()
    if schema is None and not content and "type" in value:
        schema = Schema((node,))  # 2.0 writes the keywords of the schema into the parameter itself
    return Parameter(
        name=name,
        location=location,
        required=required,
        style=style,
        explode=explode,
        allow_reserved=location in dialect.reserved_locations and value.get("allowReserved") is True,
        allow_empty=location == "query" and value.get("allowEmptyValue") is True,
        schema=schema,
        content=content,
        deprecated=value.get("deprecated") is True,
        node=node,
    )
