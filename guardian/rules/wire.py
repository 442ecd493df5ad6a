"""How values are written on the wire: styles (OpenAPI 3.1, Style Values; RFC 6570) and exploded objects.

Two spellings that put the same text into a URL or header are the same. An object in the query that is exploded is
its properties, one parameter each; a number is written alike in most styles; an array is not.
"""

from __future__ import annotations

from collections.abc import Iterable

from guardian.model import Direction
from guardian.spec.api import Parameter, Schema
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
}
_SCALARS = {"simple": "a", "label": ".a", "matrix": ";name=a"}


def written_as(style: str, explode: bool, kind: str) -> str:
    """What a value of a JSON type looks like, on an example named ``name``."""
    if kind in {"array", "object"}:
        return (_ARRAYS if kind == "array" else _OBJECTS).get((style, explode), f"{style} {kind}")
    return _SCALARS.get(style, "name=a")


def kinds_of(schema: Schema | None, direction: Direction) -> frozenset[str]:
    """The JSON types that a schema allows."""
    return Shaper().shape(schema or Schema(()), direction).kinds


def exploded(
    parameters: Iterable[Parameter], others: Iterable[Parameter], shaper: Shaper, others_shaper: Shaper
) -> list[Parameter]:
    """Parameters as they are on the wire: exploded query objects are replaced by their properties.

    Not so where the object carries constraints of its own, or where ``others``, the parameters of the other side,
    have an object of that name which does, or which demands something else: then objects are compared as objects.
    """
    parameters, others = list(parameters), list(others)
    kept_whole = {each.name for each in others if _constrained_object(each, others_shaper)}
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
        plain = _plain_object(parameter, shaper) if _takes_apart(parameter) else None
        if plain is None or parameter.name in kept_whole:
            result.append(parameter)
        else:
            result.extend(_parts(parameter, plain))
    return result


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
