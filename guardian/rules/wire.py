"""How values are written on the wire: styles (OpenAPI 3.1, Style Values; RFC 6570) and exploded objects.

Two spellings that put the same text into a URL or header are the same. An object in the query that is exploded is
its properties, one parameter each; a number is written alike in most styles; an array is not.
"""

from __future__ import annotations

from collections.abc import Iterable

from guardian.model import Direction
from guardian.rules.form_fields import URLENCODED, field_of
from guardian.spec.api import Parameter, Schema
from guardian.spec.media import JSON
from guardian.spec.shape import Atom
from guardian.spec.shaper import Shaper

# Style and explode to what an array or object looks like; a pair that is missing looks as its style alone says.
_ARRAYS = {
    ("form", True): "name=a&name=b",
    ("form", False): "name=a,b",
    ("spaceDelimited", True): "name=a&name=b",
    ("spaceDelimited", False): "name=a b",
    ("tabDelimited", False): "name=a<tab>b",
    ("pipeDelimited", True): "name=a&name=b",
    ("pipeDelimited", False): "name=a|b",
    ("simple", True): "a,b",
    ("simple", False): "a,b",
    ("label", True): ".a.b",
    ("label", False): ".a,b",
    ("matrix", True): ";name=a;name=b",
    ("matrix", False): ";name=a,b",
    ("cookie", True): "name=a; name=b",
    ("cookie", False): "name=a,b",
}
_OBJECTS = {
    ("form", True): "key=a",
    ("form", False): "name=key,a",
    ("deepObject", True): "name[key]=a",
    ("deepObject", False): "name[key]=a",
    ("spaceDelimited", False): "name=key a",
    ("pipeDelimited", False): "name=key|a",
    ("simple", True): "key=a",
    ("simple", False): "key,a",
    ("label", True): ".key=a",
    ("label", False): ".key,a",
    ("matrix", True): ";key=a",
    ("matrix", False): ";name=key,a",
    ("cookie", True): "key=a; key=b",
    ("cookie", False): "name=key,a",
}
_SCALARS = {"simple": "a", "label": ".a", "matrix": ";name=a"}
_SCALAR = "scalar"
_NO_OBJECTS = ("string", "integer", "number", "boolean", "array")
_LIKE = {"array": "array", "object": "object"}
# The JSON types whose values are the same text in a document as outside, by its media type.
_DOCUMENTS = {JSON: ("boolean", "number"), "text/plain": ("boolean", "number", "string")}
_RESERVED = frozenset(":/?#[]@!$&'()*+,;=")  # RFC 3986 section 2.2
_UNRESERVED_FORMATS = frozenset(("uuid", "date"))


def written_as(style: str, explode: bool, kind: str) -> str:
    """What a value of a JSON type looks like, on an example named ``name``."""
    if kind in {"array", "object"}:
        return (_ARRAYS if kind == "array" else _OBJECTS).get((style, explode), f"{style} {kind}")
    return _SCALARS.get(style, "name=a")


def looks(parameter: Parameter, kind: str) -> str:
    """What a value of a JSON type looks like in a parameter or header; a document is named by its media type.

    Numbers and booleans are the same text in JSON as outside, and all scalars are in plain text.
    """
    if not parameter.content:
        return written_as(parameter.style, parameter.explode, kind)
    media = parameter.content[0].name
    if kind in _DOCUMENTS.get(media, ()):
        return written_as("simple" if parameter.location in {"path", "header"} else "form", False, kind)
    return media


def rewritten(base: Parameter, head: Parameter, direction: Direction) -> tuple[str, str] | None:
    """What some value looks like on base and on head; None if all values look the same."""
    renamed = base.location == head.location == "path" and base.name != head.name
    if (base.style, base.explode, base.content) == (head.style, head.explode, head.content) and not renamed:
        return None
    if base.content or head.content:
        # There is nothing but the looks to compare: all that may be sent counts.
        sender = base if direction is Direction.REQUEST else head
        compared = _kinds(sender, direction)
    else:
        # An array of one item looks like a scalar, and scalars look like each other.
        ours, theirs = ({_LIKE.get(each, _SCALAR) for each in _kinds(side, direction)} for side in (base, head))
        compared = frozenset(ours & theirs) or frozenset((_SCALAR,))
    for kind in sorted(compared):
        before, after = looks(base, kind), looks(head, kind)
        if renamed:
            before, after = before.replace("name", base.name), after.replace("name", head.name)
        if before != after:
            return before, after
    return None


def schema_of(parameter: Parameter) -> Schema | None:
    """The schema of a parameter or header, or of the document that it is."""
    return parameter.content[0].schema if parameter.content else parameter.schema


def may_hold_reserved(atoms: Iterable[Atom]) -> bool:
    """Whether a text may hold characters that stand for themselves only where ``allowReserved`` lets them."""
    return any(map(_may_hold_reserved, atoms))


def kinds_of(schema: Schema | None, direction: Direction) -> frozenset[str]:
    """The JSON types that a schema allows."""
    return Shaper().shape(schema or Schema(()), direction).kinds


def _kinds(parameter: Parameter, direction: Direction) -> frozenset[str]:
    kinds = kinds_of(schema_of(parameter), direction)
    return kinds - {"null"} or kinds


def _may_hold_reserved(atom: Atom) -> bool:
    if atom.kind == "string":
        if atom.enum is not None:
            return any(_RESERVED & set(str(node.value)) for node in atom.enum.values())
        return not _UNRESERVED_FORMATS & atom.formats.keys()
    return atom.kind in {"array", "object"}


def exploded(
    parameters: Iterable[Parameter], others: Iterable[Parameter], shaper: Shaper, others_shaper: Shaper
) -> list[Parameter]:
    """Parameters as they are on the wire: exploded query objects are replaced by their properties.

    So is a form that is all of the query (OpenAPI 3.2), where the other side has none.

    Not so where the object carries constraints of its own, or where ``others``, the parameters of the other side,
    have an object of that name which does, which demands something else, or which is written differently: then objects
    are compared as objects.
    """
    parameters, others = list(parameters), list(others)
    if not any(map(_may_be_object, (*parameters, *others))):  # as for most operations
        return parameters
    kept_whole = _written_differently(parameters, shaper, others, others_shaper)
    kept_whole |= {each.name for each in others if _constrained_object(each, others_shaper)}
    demands = [
        {each.name: _demands(each, one) for each in side}
        for side, one in ((parameters, shaper), (others, others_shaper))
    ]
    ours, theirs = demands
    kept_whole |= {
        name for name in ours.keys() & theirs.keys() if ours[name] and theirs[name] and ours[name] != theirs[name]
    }
    result: list[Parameter] = []
    for parameter in parameters:
        if parameter.location == "querystring" and not any(each.location == "querystring" for each in others):
            result.extend(_fields(parameter, shaper) or [parameter])
            continue
        plain = _plain_object(parameter, shaper) if _takes_apart(parameter) else None
        if plain is None or parameter.name in kept_whole:
            result.append(parameter)
        else:
            result.extend(_parts(parameter, plain))
    return result


def _may_be_object(parameter: Parameter) -> bool:
    """Whether a query parameter may be an object, told by what is written there."""
    if parameter.location != "query":
        return parameter.location == "querystring"
    nodes = parameter.schema.nodes if parameter.schema and not parameter.content else ()
    value = nodes[0].value if len(nodes) == 1 else None
    return not (isinstance(value, dict) and value.get("type") in _NO_OBJECTS)


def _written_differently(
    parameters: list[Parameter], shaper: Shaper, others: list[Parameter], others_shaper: Shaper
) -> set[str]:
    """The names of query parameters that are objects on both sides and written differently, or objects on one alone."""
    theirs = {each.name: each for each in others if each.location == "query"}
    return {
        each.name
        for each in parameters
        if each.location == "query"
        and each.name in theirs
        and _differ_as_objects(
            each, _objects(each, shaper), theirs[each.name], _objects(theirs[each.name], others_shaper)
        )
    }


def _differ_as_objects(
    one: Parameter, objects: tuple[Atom, ...], other: Parameter, other_objects: tuple[Atom, ...]
) -> bool:
    if objects and other_objects:
        return looks(one, "object") != looks(other, "object")
    # A property of the parameter's own name is on the wire what a scalar of that name is.
    return bool(objects or other_objects) and not any(one.name in each.properties for each in objects or other_objects)


def _objects(parameter: Parameter, shaper: Shaper) -> tuple[Atom, ...]:
    return tuple(shaper.shape(schema_of(parameter) or Schema(()), Direction.REQUEST).of_kind("object"))


def _demands(parameter: Parameter, shaper: Shaper) -> object:
    """What an object demands as a whole beside its properties: which of them go with any other, and no others."""
    plain = _plain_object(parameter, shaper) if _takes_apart(parameter) else None
    if plain is None:
        return None
    return (frozenset() if parameter.required else frozenset(plain.required), plain.additional is None)


def _takes_apart(parameter: Parameter) -> bool:
    return parameter.location == "query" and (
        parameter.style == "deepObject" or (parameter.style == "form" and parameter.explode)
    )


def _constrained_object(parameter: Parameter, shaper: Shaper) -> bool:
    if not _takes_apart(parameter) or not parameter.schema:
        return False
    kinds = shaper.shape(parameter.schema, Direction.REQUEST).kinds
    return "object" in kinds and _plain_object(parameter, shaper) is None


def _plain_object(parameter: Parameter, shaper: Shaper) -> Atom | None:
    """The object that a parameter is, if its properties are all there is to say about it."""
    atoms = shaper.shape(parameter.schema, Direction.REQUEST).atoms if parameter.schema else ()
    if len(atoms) != 1 or atoms[0].kind != "object" or not atoms[0].properties:
        return None
    atom = atoms[0]
    constrained = (
        atom.enum is not None
        or bool(atom.nots or atom.conditions or atom.pattern_properties or atom.property_names.nodes)
        or bool(atom.min_properties or atom.max_properties or atom.dependent_required or atom.dependent_schemas)
        or (atom.additional is not None and bool(atom.additional.nodes))
        or not atom.required.keys() <= atom.properties.keys()
    )
    return None if constrained else atom


def _parts(parameter: Parameter, plain: Atom) -> list[Parameter]:
    nested = parameter.style == "deepObject"
    return [
        parameter._replace(
            name=f"{parameter.name}[{name}]" if nested else name,
            required=parameter.required and name in plain.required,
            style="form",
            explode=True,
            schema=schema,
            node=schema.node or parameter.node,
        )
        for name, schema in plain.properties.items()
    ]


def _fields(parameter: Parameter, shaper: Shaper) -> list[Parameter] | None:
    """The parameters that the fields of a form are which is all of the query; None if it is no form, or some are JSON."""
    media = parameter.content[0] if parameter.content else None
    if media is None or media.name != URLENCODED:
        return None
    plain = _plain_object(parameter._replace(schema=media.schema), shaper)
    if plain is None:
        return None
    found: list[Parameter] = []
    for each in _parts(parameter, plain):
        field = field_of(media.encoding.get(each.name), media.name)
        kinds = shaper.shape(each.schema or Schema(()), Direction.REQUEST).kinds
        if field.content_type or ("object" in kinds and not field.styled):
            return None
        found.append(each._replace(location="query", style=field.style, explode=field.explode, content=()))
    return found
