"""Making shapes: nodes to alternatives.

References are followed, ``allOf`` is merged, ``nullable`` and type lists and ``oneOf``/``anyOf`` become one list of atoms.
Nothing below a property or an item is looked at until somebody asks.

``oneOf`` is read as ``anyOf``: contracts use both for "one of these", and overlap is judged by the witness.
The practice of readOnly and writeOnly is kept for all versions: a request does not carry what is readOnly, a response
not what is writeOnly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from guardian.errors import RefError
from guardian.model import Direction
from guardian.spec import facets
from guardian.spec.api import Node, Schema
from guardian.spec.dialects import DIALECTS
from guardian.spec.dynamic import ELSEWHERE, is_guessed, target_of, targets_of
from guardian.spec.objects import Properties
from guardian.spec.shape import BY_KIND, KINDS, Atom, Discriminator, Shape, canonical

# Alternatives of one schema beyond this many are not multiplied out any further (see Shape.opaque).
MAX_ATOMS = 96

# Keywords that change no message by themselves and that readers want to hear of all the same.
ANNOTATIONS = frozenset(("default", "deprecated", "x-stability-level", "x-sunset"))


# A schema without any of these says by itself all that it says, in one alternative.
_COMPOSING = ELSEWHERE | {"oneOf", "anyOf", "discriminator"}
# Nor does one without any of these say, by itself or elsewhere, which messages carry it.
_FLAGGING = ELSEWHERE | {"readOnly", "writeOnly"}


class _Branch(NamedTuple):
    """One way through the alternatives while they are being multiplied out."""

    leaves: tuple[Node, ...] = ()
    names: tuple[str, ...] = ()
    variant: str | None = None
    tags: tuple[str, ...] = ()
    null: bool = False  # this branch is "null by nullable: true"


_SAYS_NOTHING = _Branch()


class Shaper:
    """Makes shapes of one side's schemas and remembers them. Not shared between sides or threads."""

    def __init__(self) -> None:
        self._memo: dict[tuple[tuple[tuple[str, str], ...], Direction], Shape] = {}
        self._referred: dict[tuple[tuple[str, str], Direction], Shape] = {}  # by what a reference leads to
        self._asked: set[object] = set()  # what is being answered, where an answer may lead back to itself
        #: Whether an answer did: then what is remembered may hang on what was asked first.
        self.cut = False
        self._flags: dict[tuple[str, str], tuple[Node | None, Node | None]] = {}
        self._flags_behind: dict[tuple[str, str], tuple[Node | None, Node | None]] = {}  # by document and reference

    def shape(self, schema: Schema, direction: Direction) -> Shape:
        """The effective shape of a schema in messages of this direction.

        Raises:
            RefError: a reference in it leads nowhere.
        """
        key = (schema.key, direction)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._build(schema, direction)
        return found

    def shape_unless_asked(self, schema: Schema, direction: Direction) -> Shape | None:
        """The effective shape; None where it is asked for while it is being answered: a schema that needs itself."""
        key = (schema.key, direction)
        if key in self._asked:
            self.cut = True
            return None
        self._asked.add(key)
        try:
            return self.shape(schema, direction)
        finally:
            self._asked.discard(key)

    # -- expansion: nodes to branches of leaves --------------------------------------------------------------------

    def _build(self, schema: Schema, direction: Direction) -> Shape:
        target = _referred_by(schema)
        if target is None or self._asked:
            return self._expanded(schema, direction, _Context())
        # Whatever refers to a component has one shape, but where the component leads back to what refers to it.
        key = (target.key, direction)
        shape = self._referred.get(key)
        if shape is None:
            context = _Context()
            shape = self._expanded(schema, direction, context)
            if not context.circular:
                self._referred[key] = shape
        return shape

    def _expanded(self, schema: Schema, direction: Direction, context: _Context) -> Shape:
        branches = [_SAYS_NOTHING]
        for node in schema.nodes:
            branches = self._cross(branches, self._expand(node, context, ()), context, node)
        atoms = [atom for branch in branches for atom in self._atoms(branch, direction)]
        return Shape(
            tuple(atoms if len(branches) == 1 else _tidy(atoms)),
            context.discriminator,
            tuple(context.opaque),
            context.said,
            context.subtypes,
        )

    def _cross(self, left: list[_Branch], right: list[_Branch], context: _Context, node: Node) -> list[_Branch]:
        if len(left) * len(right) > MAX_ATOMS:
            context.opaque.append(node)
            return left
        if len(right) == 1 and right[0] == _SAYS_NOTHING:
            return left
        if len(left) == 1 and left[0] is _SAYS_NOTHING:
            return right
        return [
            _Branch(
                a.leaves + tuple(leaf for leaf in b.leaves if leaf not in a.leaves),
                a.names + b.names,
                a.variant or b.variant,
                a.tags or b.tags,
                a.null or b.null,
            )
            for a in left
            for b in right
        ]

    def _expand(self, node: Node, context: _Context, trail: tuple[Node, ...]) -> list[_Branch]:
        """The alternatives of one node; ``trail`` holds the nodes being expanded, so that cycles end."""
        value = node.value
        if value is False:
            return []
        if not isinstance(value, dict) or not value:
            return [_SAYS_NOTHING]
        own = _SAYS_NOTHING if _LEAF_KEYWORDS.isdisjoint(value) else _Branch((node,))
        if _COMPOSING.isdisjoint(value):
            if context.open_flags:
                context.note(node)
            return [own]
        if node in trail:
            context.circular = True
            return [_SAYS_NOTHING]
        trail = (*trail, node)
        branches = [_SAYS_NOTHING]
        reference = value.get("$ref")
        dialect = DIALECTS[node.document.dialect]
        if context.open_flags and (dialect.schema_siblings or not isinstance(reference, str)):
            context.note(node)
        if isinstance(reference, str):
            target = target_of(node, "$ref")
            inner = self._expand(target, context, trail)
            inner = [each._replace(names=(target.name, *each.names)) for each in inner]
            branches = self._cross(branches, inner, context, node)
            if not dialect.schema_siblings:
                return branches
        for keyword in ("$dynamicRef", "$recursiveRef"):
            if isinstance(value.get(keyword), str):
                target = target_of(node, keyword)
                branches = self._cross(branches, self._expand(target, context, trail), context, node)
        composed = [own]
        for index, part in enumerate(_list(value.get("allOf"))):
            if isinstance(part, dict | bool):
                composed = self._cross(
                    composed, self._expand(node.child("allOf", index), context, trail), context, node
                )
        for keyword in ("oneOf", "anyOf"):
            options = _list(value.get(keyword))
            if not options:
                continue
            discriminator = self._discriminator(node, keyword)
            if discriminator and context.discriminator is None:
                context.discriminator = discriminator
            closed_flags = context.open_flags
            context.open_flags = False
            union: list[_Branch] = []
            for index, option in enumerate(options):
                if isinstance(option, dict | bool):
                    child = node.child(keyword, index)
                    variant, tags = self._selection(discriminator, child)
                    union.extend(
                        each._replace(variant=each.variant or variant, tags=each.tags or tags)
                        for each in self._expand(child, context, trail)
                    )
            context.open_flags = closed_flags
            composed = self._cross(composed, union, context, node)
        if context.open_flags and "discriminator" in value and not value.get("oneOf") and not value.get("anyOf"):
            context.subtypes = context.subtypes or self._discriminator(node, "")
        if dialect.nullable and value.get(dialect.nullable) is True and "type" not in value:
            if any(keyword in value for keyword in ("allOf", "oneOf", "anyOf")):
                composed = [*composed, _Branch((), null=True)]
        return self._cross(branches, composed, context, node)

    def _discriminator(self, node: Node, keyword: str) -> Discriminator | None:
        value = node.value.get("discriminator")
        if isinstance(value, str):  # OpenAPI 2.0 names the property alone
            return Discriminator(value, {}, node.child("discriminator"))
        if not isinstance(value, dict) or not isinstance(value.get("propertyName"), str):
            return None
        written = value.get("mapping")
        explicit: dict[str, Any] = written if isinstance(written, dict) else {}
        mapping: dict[str, str] = {}
        own: set[str] = set()
        for wire, reference in explicit.items():
            mapping[str(wire)], name = self._selected(str(reference), node)
            if name == wire:
                own.add(name)
        mapped = frozenset(mapping.values())
        for index, option in enumerate(_list(node.value.get(keyword))):
            if isinstance(option, dict) and isinstance(option.get("$ref"), str):
                place, name = self._selected(option["$ref"], node.child(keyword, index))
                if place not in mapped:
                    mapping[name] = place
                    own.add(name)
        return Discriminator(value["propertyName"], mapping, node.child("discriminator"), frozenset(own))

    def _selected(self, reference: str, node: Node) -> tuple[str, str]:
        """The place of what a mapping or an alternative refers to, and the name by which it does."""
        documents = node.document.documents
        try:
            named = documents.mapping_target(reference, node)
            place = documents.file_of(named)
        except RefError:  # a mapping may name what it does not describe; its wire value is all that counts then
            return reference, reference.rpartition("/")[2]
        return f"{place.document.uri}#{place.pointer}", named.name

    def _selection(self, discriminator: Discriminator | None, option: Node) -> tuple[str | None, tuple[str, ...]]:
        """The component name of an alternative, and the discriminator values that select it."""
        reference = option.value.get("$ref") if isinstance(option.value, dict) else None
        if not isinstance(reference, str):
            return None, ()
        place, name = self._selected(reference, option)
        if discriminator is None:
            return name, ()
        return name, tuple(sorted(wire for wire, target in discriminator.mapping.items() if target == place))

    # -- merging: the leaves of one branch to atoms ----------------------------------------------------------------

    def _atoms(self, branch: _Branch, direction: Direction) -> Iterator[Atom]:
        if branch.null:
            if not branch.leaves:
                yield Atom("null", (), names=branch.names)
            return
        types: dict[str, bool] | None = None  # kind -> integer only
        for leaf in branch.leaves:
            own = _types_of(leaf)
            if own is None:
                continue
            if types is None:
                types = own
            else:
                types = {kind: types[kind] or own[kind] for kind in types if kind in own}
        enum = _merge_enum(branch.leaves)
        implied: frozenset[str] = frozenset()
        if types is None:
            types = dict.fromkeys(KINDS, False)
            if enum is None:
                implied = _implied_kinds(branch.leaves)
        for kind in KINDS:
            if kind not in types:
                continue
            atom = Atom(
                kind,
                branch.leaves,
                silent=bool(implied) and kind not in implied,
                names=branch.names,
                variant=branch.variant,
                tags=branch.tags,
                integer=types[kind],
            )
            if facets.merge(self, atom, enum, direction):
                yield atom

    def property_flags(self, properties: Properties, name: str) -> tuple[Node | None, Node | None]:
        """The flags of a property; most of those that are asked for are bare references to a few components."""
        reference = properties.bare_reference(name)
        if reference is None:
            return self.flags(properties[name])
        found = self._flags_behind.get(reference)
        if found is None:
            found = self._flags_behind[reference] = self.flags(properties[name])
        return found

    def flags(self, schema: Schema) -> tuple[Node | None, Node | None]:
        """Where (readOnly, writeOnly) are said of this schema: on its own nodes, through references and allOf."""
        read_only: Node | None = None
        write_only: Node | None = None
        for node in schema.nodes:
            first, second = self._node_flags(node)
            read_only, write_only = read_only or first, write_only or second
        return read_only, write_only

    def _node_flags(self, node: Node) -> tuple[Node | None, Node | None]:
        value = node.value
        if not isinstance(value, dict) or _FLAGGING.isdisjoint(value):
            return None, None
        found = self._flags.get(node.key)
        if found is None:
            found = self._flags[node.key] = self._search_flags(node, {node.key})
        return found

    def _search_flags(self, node: Node, seen: set[tuple[str, str]]) -> tuple[Node | None, Node | None]:
        """Where they are said first, of a node and what holds together with it, without what was looked at before.

        What is found on the way is not remembered: in a circle it hangs on where one entered it.
        """
        value = node.value
        read_only = node.child("readOnly") if value.get("readOnly") is True else None
        write_only = node.child("writeOnly") if value.get("writeOnly") is True else None
        below = list(targets_of(node))
        if below and not DIALECTS[node.document.dialect].schema_siblings:
            read_only = write_only = None
        below.extend(
            node.child("allOf", index) for index, part in enumerate(_list(value.get("allOf"))) if isinstance(part, dict)
        )
        for each in below:
            if each.key not in seen and isinstance(each.value, dict) and not _FLAGGING.isdisjoint(each.value):
                seen.add(each.key)
                first, second = self._flags.get(each.key) or self._search_flags(each, seen)
                read_only, write_only = read_only or first, write_only or second
        return read_only, write_only


class _Context:
    """What expansion notes on the way, beside the branches."""

    def __init__(self) -> None:
        self.discriminator: Discriminator | None = None
        self.opaque: list[Node] = []
        self.subtypes: Discriminator | None = None
        self.said: dict[str, Node] = {}
        self.open_flags = True
        self.circular = False  # something led back to what was being expanded

    def note(self, node: Node) -> None:
        """What the schema says beside what it accepts; the outermost word counts."""
        if not ANNOTATIONS.isdisjoint(node.value):
            for keyword in sorted(ANNOTATIONS & node.value.keys()):
                self.said.setdefault(keyword, node.child(keyword))


def _referred_by(schema: Schema) -> Node | None:
    """What a schema refers to, if it is a reference and says nothing else."""
    if len(schema.nodes) != 1:
        return None
    node = schema.nodes[0]
    value = node.value
    if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
        return None
    if len(value) > 1 and DIALECTS[node.document.dialect].schema_siblings:
        return None
    target = target_of(node, "$ref")
    return None if is_guessed(target) else target


_LEAF_KEYWORDS = frozenset(
    keyword for keywords in BY_KIND.values() for keyword in keywords
) | {"type", "enum", "const", "format", "not", "if", "x-extensible-enum"}  # fmt: skip


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# What ``type`` may say, by kind; ``file`` is OpenAPI 2.0's.
_TYPES = {kind: kind for kind in KINDS} | {"integer": "number", "file": "string"}


def _types_of(leaf: Node) -> dict[str, bool] | None:
    """The kinds that a leaf's ``type`` allows, with whether only integers; None where it says nothing."""
    value = leaf.value.get("type")
    if value is None:
        return None
    kinds: dict[str, bool] = {}
    for each in value if isinstance(value, list) else (value,):
        kind = _TYPES.get(each) if isinstance(each, str) else None
        if kind is not None:
            kinds[kind] = each == "integer" and kinds.get(kind, True)
    if _nullable(leaf):
        kinds["null"] = False
    return kinds


def _nullable(leaf: Node) -> bool:
    keyword = DIALECTS[leaf.document.dialect].nullable
    return keyword is not None and leaf.value.get(keyword) is True


def _implied_kinds(leaves: Iterable[Node]) -> frozenset[str]:
    """The kinds whose keywords are used where no type is written."""
    return frozenset(
        kind for kind, keywords in BY_KIND.items() for leaf in leaves if not leaf.value.keys().isdisjoint(keywords)
    )


def _merge_enum(leaves: Iterable[Node]) -> dict[str, Node] | None:
    """The values that every ``enum`` and ``const`` of a branch allows; None where none is written."""
    merged: dict[str, Node] | None = None
    for leaf in leaves:
        sets: list[dict[str, Node]] = []
        values = leaf.value.get("enum")
        if isinstance(values, list):
            own = {canonical(each): leaf.child("enum", index) for index, each in enumerate(values)}
            if _nullable(leaf):
                own.setdefault("null", leaf)
            sets.append(own)
        if "const" in leaf.value and DIALECTS[leaf.document.dialect].json_schema:
            sets.append({canonical(leaf.value["const"]): leaf.child("const")})
        extensible = leaf.value.get("x-extensible-enum")
        if isinstance(extensible, list) and "enum" not in leaf.value:
            sets.append({canonical(each): leaf.child("x-extensible-enum", i) for i, each in enumerate(extensible)})
        for own in sets:
            merged = own if merged is None else {text: node for text, node in merged.items() if text in own}
    return merged


def _tidy(atoms: list[Atom]) -> list[Atom]:
    """Scalars joined where they are one set in two alternatives; what a free alternative covers is dropped."""
    result: list[Atom] = []
    for kind in KINDS:
        group = [atom for atom in atoms if atom.kind == kind]
        if len(group) < 2:
            result.extend(group)
            continue
        free = next((atom for atom in group if atom.free), None)
        if free is not None and not any(atom.properties for atom in group):
            result.append(free)
            continue
        listed = [atom for atom in group if atom.enum is not None]
        rest = [atom for atom in group if atom.enum is None]
        if kind in {"boolean", "null"}:
            rest = rest[:1]
            if rest:
                result.extend(rest)
                continue
        if len(listed) > 1 and kind in {"string", "number", "boolean", "null"}:
            joined: dict[str, Node] = {}
            for atom in listed:
                for text, node in (atom.enum or {}).items():
                    joined.setdefault(text, node)
            nodes = tuple(dict.fromkeys(node for atom in listed for node in atom.nodes))
            listed = [replace(listed[0], enum=joined, nodes=nodes, extensible=any(a.extensible for a in listed))]
        # There may be a hundred, and comparing two of them takes long.
        by_nodes: dict[tuple[Node, ...], list[Atom]] = {}
        for atom in [*rest, *listed]:
            alike = by_nodes.setdefault(atom.nodes, [])
            if atom not in alike:
                alike.append(atom)
                result.append(atom)
    return result
