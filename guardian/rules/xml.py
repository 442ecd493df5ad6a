"""Rules on how values are written in XML: names of elements, attributes, wrapped lists (OpenAPI, XML Object).

Only bodies that travel as XML are looked at. A name that is written down although it is the default is nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from guardian.fieldpath import escape
from guardian.model import Effect, Hit
from guardian.rules.pairs import Delta, MediaTypePair, XmlPair
from guardian.rules.registry import also, rule
from guardian.spec.api import Node, Schema
from guardian.spec.dynamic import targets_of

_UNPROVED = "a JSON Schema validator does not read XML"
_NOTHING: Mapping[str, Any] = {}


def is_xml(media_type: str) -> bool:
    """Whether a media type is XML (RFC 7303)."""
    return media_type in {"application/xml", "text/xml"} or media_type.endswith("+xml")


@rule(
    "xml-changed",
    area="schema",
    pair=XmlPair,
    claims=("xml", "XML.name", "XML.namespace", "XML.attribute", "XML.wrapped", "XML.nodeType"),
)
def xml_changed(pair: XmlPair) -> Iterator[Delta]:
    """A field is written differently in XML: another name or namespace, an attribute, a wrapped list.

    Why it matters: a reader that looks for ``<id>`` does not find the attribute ``id``, and one that takes ``<tag>``
    elements one by one does not find them inside of ``<tags>``. JSON has none of this, so only bodies that travel as
    XML are looked at; the prefix of a namespace is any word for it. The leading tool does not look at XML.

    Breaks (response):
        base:
          /things:
            get:
              responses:
                "200":
                  content:
                    application/xml: {schema: {type: object, properties: {id: {type: string}}}}
        head:
          /things:
            get:
              responses:
                "200":
                  content:
                    application/xml: {schema: {type: object, properties: {id: {type: string, xml: {attribute: true}}}}}

    Holds (response):
        base:
          /things:
            get:
              responses:
                "200":
                  content:
                    application/json: {schema: {type: object, properties: {id: {type: string}}}}
        head:
          /things:
            get:
              responses:
                "200":
                  content:
                    application/json: {schema: {type: object, properties: {id: {type: string, xml: {attribute: true}}}}}
    """
    for name in pair.base.properties:
        if name in pair.head.properties:
            ours, theirs = pair.base.properties[name], pair.head.properties[name]
            before, after = _form(ours, name), _form(theirs, name)
            if before != after:
                yield Delta(
                    Effect.CHANGED,
                    f"is written {after} in XML instead of {before}",
                    field=escape(name),
                    base=_place(ours) or pair.base.node,
                    head=_place(theirs) or pair.head.node,
                    unproved=_UNPROVED,
                )


@also("xml-changed", pair=MediaTypePair)
def xml_root_changed(pair: MediaTypePair) -> Iterator[Delta]:
    """The outermost element has another name."""
    if not pair.base or not pair.head or not is_xml(pair.base.name) or not is_xml(pair.head.name):
        return
    ours, theirs = pair.base.schema or Schema(()), pair.head.schema or Schema(())
    before, after = _Facts(ours), _Facts(theirs)
    # Without a name of its own the outermost element has the schema's, by convention and as far as it has one.
    names = [facts.xml.get("name") or facts.component for facts in (before, after)]
    if ("name" in before.xml or "name" in after.xml or before.xml or after.xml) and all(names):
        forms = [_form(schema, str(name)) for schema, name in zip((ours, theirs), names, strict=True)]
        if forms[0] != forms[1]:
            yield Delta(
                Effect.CHANGED,
                f"the body is written {forms[1]} in XML instead of {forms[0]}",
                base=_place(ours) or pair.base.node,
                head=_place(theirs) or pair.head.node,
                hit=Hit.EVERY_USER,
                unproved=_UNPROVED,
            )


class _Facts:
    """What a schema says of its XML: its own word before those of what it refers to."""

    def __init__(self, schema: Schema) -> None:
        self.xml: Mapping[str, Any] = _NOTHING
        self.place: Node | None = None
        self.items: Schema | None = None
        self.component: str | None = None
        seen: set[Node] = set()
        queue = list(schema.nodes)
        while queue:
            node = queue.pop(0)
            if node in seen or not isinstance(node.value, dict):
                continue
            seen.add(node)
            value = node.value
            if not self.xml and isinstance(value.get("xml"), dict):
                self.xml, self.place = value["xml"], node.child("xml")
            if self.items is None and isinstance(value.get("items"), dict):
                self.items = Schema((node.child("items"),))
            for target in targets_of(node):
                self.component = self.component or target.name
                queue.append(target)
            parts = value.get("allOf")
            queue.extend(node.child("allOf", index) for index in range(len(parts) if isinstance(parts, list) else 0))


class _Form(NamedTuple):
    """What a value looks like: an attribute, text or an element, and for lists whether an element wraps the others."""

    kind: str
    name: str
    wrapper: str | None = None

    def __str__(self) -> str:
        shown = {"attribute": f'{self.name}="…"', "element": f"<{self.name}>"}.get(self.kind, f"as {self.kind}")
        return f"`<{self.wrapper}>{shown}`" if self.wrapper else f"`{shown}`"


def _form(schema: Schema, default: str) -> _Form:
    facts = _Facts(schema)
    outer = _named(facts.xml, default)
    kind = facts.xml.get("nodeType") or ("attribute" if facts.xml.get("attribute") is True else "element")
    if facts.items is None:
        return _Form(str(kind), outer)
    wrapped = facts.xml.get("wrapped") is True or facts.xml.get("nodeType") == "element"
    # A list that nothing wraps is its items; their name is the field's unless they have one.
    inner = _named(_Facts(facts.items).xml, outer if wrapped else default)
    return _Form("element", inner, outer if wrapped else None)


def _named(xml: Mapping[str, Any], default: str) -> str:
    namespace = xml.get("namespace")
    name = xml.get("name") or default
    return f"{{{namespace}}}{name}" if namespace else str(name)


def _place(schema: Schema) -> Node | None:
    return _Facts(schema).place or schema.node
