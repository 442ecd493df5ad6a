"""An API that is split over files says what it says in one: nothing changes by the split, and breaks are found across it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from guardian.model import Change
from guardian.rules.compare import compare, compare_fully
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.trees import MemoryTree
from tests.rules.test_subtypes import BOOL, INTEGER, fleet

COMPONENT = "#/components/schemas/"
Files = dict[str, bytes]
Refer = Callable[[str], str]


def rewritten(value: Any, refer: Refer) -> Any:
    """A value with other references to components, those of mappings included."""
    if isinstance(value, list):
        return [rewritten(each, refer) for each in value]
    if isinstance(value, str):
        return refer(value.removeprefix(COMPONENT)) if value.startswith(COMPONENT) else value
    return {key: rewritten(each, refer) for key, each in value.items()} if isinstance(value, dict) else value


def whole(document: dict[str, Any]) -> Files:
    return {"api.json": json.dumps(document).encode()}


def in_files(document: dict[str, Any]) -> Files:
    """Each component is a file of its own, and nothing is left of the components."""
    schemas = document["components"]["schemas"]
    rest = {key: value for key, value in document.items() if key != "components"}
    return whole(rewritten(rest, "schemas/{}.yaml".format)) | {
        f"schemas/{name}.yaml": json.dumps(rewritten(schema, "./{}.yaml".format)).encode()
        for name, schema in schemas.items()
    }


def behind_components(document: dict[str, Any]) -> Files:
    """As above, and each component leads to its file."""
    files = in_files(document)
    aliases = {name: {"$ref": f"schemas/{name}.yaml"} for name in document["components"]["schemas"]}
    return files | whole({**document, "components": {"schemas": aliases}})


def in_one_file_beside(document: dict[str, Any]) -> Files:
    """All components are in one other file, by their names."""
    rest = {key: value for key, value in document.items() if key != "components"}
    beside = rewritten(document["components"]["schemas"], "#/{}".format)
    return whole(rewritten(rest, "parts.json#/{}".format)) | {"parts.json": json.dumps(beside).encode()}


LAYOUTS = [whole, in_files, behind_components, in_one_file_beside]


def found(base: Files, head: Files) -> list[Change]:
    sides = [Documents(MemoryTree(files)) for files in (base, head)]
    apis = [read_api(side, "api.json", "api") for side in sides]
    return compare(apis[0], apis[1], same=Sameness(*sides).same)


def told(base: Files, head: Files) -> list[tuple[str, ...]]:
    return [
        (each.operation, each.place, each.field, each.rule, each.message, each.severity, each.confidence)
        for each in found(base, head)
    ]


def union(pull: Any, **discriminator: Any) -> dict[str, Any]:
    """Vessels that are one of several, which the property ``kind`` says."""
    variants = [{"$ref": f"{COMPONENT}{name}"} for name in ("Barge", "Raft")]
    kind = {"type": "object", "required": ["kind"]}
    return fleet(
        {},
        use="Any",
        Any={"oneOf": variants, "discriminator": {"propertyName": "kind", **discriminator}},
        Barge={**kind, "properties": {"kind": {"type": "string"}, "pull": pull}},
        Raft={**kind, "properties": {"kind": {"type": "string"}, "logs": INTEGER}},
    )


def mapped(pull: Any) -> dict[str, Any]:
    """Vessels that others extend, by the values of a mapping."""
    return fleet({"pull": pull}, mapping={"tug": f"{COMPONENT}Tug", "ferry": f"{COMPONENT}Ferry"})


def by_mapping(pull: Any) -> dict[str, Any]:
    return union(pull, mapping={"barge": f"{COMPONENT}Barge", "raft": f"{COMPONENT}Raft"})


def nested(pull: Any) -> dict[str, Any]:
    """What is used only inside of what is used."""
    hold = {"type": "object", "properties": {"vessels": {"type": "array", "items": {"$ref": f"{COMPONENT}Any"}}}}
    document = union(pull)
    document["components"]["schemas"]["Hold"] = hold
    return rewritten(document, lambda name: COMPONENT + name)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("document", [mapped, union, by_mapping, nested])
def test_a_split_changes_nothing(document: Any, layout: Any) -> None:
    """Whichever way it goes: into files, or back into one."""
    one, split = whole(document(INTEGER)), layout(document(INTEGER))
    assert told(one, split) == []
    assert told(split, one) == []


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("document", [mapped, union, by_mapping, nested])
def test_a_break_is_told_in_the_same_words_wherever_it_stands(document: Any, layout: Any) -> None:
    """Subtypes and variants in other files included, each with its witness."""
    expected = told(whole(document(INTEGER)), whole(document(BOOL)))
    assert {each[3] for each in expected} == {"type-changed"}
    assert told(layout(document(INTEGER)), layout(document(BOOL))) == expected


@pytest.mark.parametrize("layout", [whole, behind_components, in_one_file_beside])
def test_what_extends_a_schema_by_its_name_is_found_across_files(layout: Any) -> None:
    """As far as the API names it: no reference leads from a schema to what extends it."""
    base, head = fleet({"pull": INTEGER}), fleet({"pull": BOOL})
    assert told(whole(base), layout(base)) == told(layout(base), whole(base)) == []
    expected = told(whole(base), whole(head))
    assert [each[3] for each in expected] == ["type-changed"] * 2
    assert told(layout(base), layout(head)) == expected


@pytest.mark.parametrize("services", [("few", "all"), ("all", "few")])
def test_only_the_files_of_an_api_extend_what_it_uses(services: tuple[str, ...]) -> None:
    """Of two services that share their files one knows no tugs, whichever of them is looked at first."""
    sides = []
    for pull in (INTEGER, BOOL):
        files = behind_components(fleet({"pull": pull}))
        few = json.loads(files["api.json"])
        del few["components"]["schemas"]["Tug"]
        sides.append(
            Documents(MemoryTree({**files, "all.json": files["api.json"], "few.json": json.dumps(few).encode()}))
        )
    told_of = {}
    for name in services:
        apis = [read_api(side, f"{name}.json", name) for side in sides]
        told_of[name] = [each.field for each in compare(apis[0], apis[1], same=Sameness(*sides).same)]
    assert told_of == {"all": ["pull", "pull"], "few": []}


def test_a_component_and_its_file_are_one_variant() -> None:
    """A mapping may name the file where the alternatives name the component that leads to it."""
    by_component = behind_components(by_mapping(INTEGER))
    aside = json.loads(by_component["api.json"])
    aside["components"]["schemas"]["Any"] = {
        "oneOf": [{"$ref": f"{COMPONENT}Barge"}, {"$ref": f"{COMPONENT}Raft"}],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"barge": "schemas/Barge.yaml", "raft": "schemas/Raft.yaml"},
        },
    }
    assert told(by_component, {**by_component, **whole(aside)}) == []


def test_a_subtype_that_goes_by_its_name_is_found_in_a_file_of_schemas() -> None:
    """As among components: what extends a schema of the same file."""
    base, head = (in_one_file_beside(fleet({"pull": pull})) for pull in (INTEGER, BOOL))
    assert [(each[2], each[3]) for each in told(base, head)] == [("pull", "type-changed")] * 2
    assert {change.witness.value["kind"] for change in found(base, head) if change.witness} == {"Tug"}


def test_a_mapping_that_leads_nowhere_is_no_error() -> None:
    """It may name what the documents do not describe."""
    base, head = in_files(mapped(INTEGER)), in_files(mapped(BOOL))
    for side in (base, head):
        side["schemas/Vessel.yaml"] = side["schemas/Vessel.yaml"].replace(b"./Ferry.yaml", b"./Nowhere.yaml")
    assert [(each[2], each[3]) for each in told(base, head)] == [("pull", "type-changed")] * 2


def test_a_component_is_reached_by_way_of_its_file() -> None:
    """Operations may refer to the file, past the component that leads to it."""
    sides = []
    for pull in (INTEGER, BOOL):
        files = in_files(mapped(pull))
        document = json.loads(files["api.json"])
        names = ("Vessel", "Tug", "Ferry")
        aliases = {name: {"$ref": f"schemas/{name}.yaml"} for name in names} | {"Unused": {"type": "object", "x": pull}}
        documents = Documents(MemoryTree(files | whole({**document, "components": {"schemas": aliases}})))
        sides.append((documents, read_api(documents, "api.json", "api")))
    same = Sameness(sides[0][0], sides[1][0]).same
    notes = compare_fully(sides[0][1], sides[1][1], same=same).notes
    assert [note.message for note in notes] == ["api: 1 component that no operation reaches has changed: Unused"]
