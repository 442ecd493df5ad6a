from __future__ import annotations

import gc
from random import Random
from typing import Any

import pytest

from guardian.errors import ReadError
from guardian.graph.blast import blast
from guardian.graph.consumers.routes import Routes
from guardian.learn.contract import ContractEnv, Scenarios
from guardian.learn.contract.companies import Company, generate
from guardian.learn.contract.engine import Ground, Side
from guardian.learn.contract.mutations import operators
from guardian.learn.contract.mutations.sites import clone
from guardian.learn.contract.regions import Regions, region_of
from guardian.learn.contract.sketches import Sketch
from guardian.model import Change, Impact
from guardian.rules.compare import Options, compare
from guardian.spec.sameness import Sameness


def _whole(company: Company, service: str, head: Any) -> tuple[Change, ...]:
    """What the engine says of a version that is compared and traced whole, without witnesses."""
    services = {**company.services, service: head}
    one, other = Side(company.services), Side(services)
    same = Sameness(one.documents, other.documents).same
    changes = compare(one.api(service), other.api(service), same=same, options=Options(prove=False))
    return blast(changes, Routes(one.apis, other.apis), company.ground.consumers).changes


def _versions(company: Company, service: str, seed: int, steps: int) -> list[Any]:
    """A service edited further and further, by breaking and by harmless operators."""
    rng = Random(seed)
    head, found = company.services[service], []
    for _ in range(steps):
        head = clone(head)
        for operator in rng.choices(operators(harmless=rng.random() < 0.4), k=2):
            operator.edit(head, rng)
        found.append(head)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_sketch_after_sketch_says_what_the_whole_comparison_says(seed: int) -> None:
    """The law of sketches: looking at touched operations alone finds the same changes, and the same consumers hit."""
    company = generate(seed, services=3)
    service = sorted(company.services)[seed % 3]
    before: Sketch | None = None
    for head in _versions(company, service, seed, 4):
        sketch = Sketch(company.ground, service, head, before)
        try:
            whole = _whole(company, service, head)
        except ReadError:
            return  # edits that do not go together
        assert sketch.traced == whole
        assert [change.fingerprint for change in sketch.changes] == [change.fingerprint for change in whole]
        before = sketch


@pytest.mark.parametrize("seed", range(12))
def test_what_may_not_hit_hits_nobody(seed: int) -> None:
    """Where a sketch says beforehand that nobody (or nobody beyond the first hop) can be hit, nobody is."""
    company = generate(100 + seed, services=3)
    service = sorted(company.services)[seed % 3]
    for head in _versions(company, service, seed, 2):
        sketch = Sketch(company.ground, service, head)
        hops = [each.hops for change in _whole(company, service, head) for each in change.consumers]
        assert sketch.may_hit(1) or not hops
        assert sketch.may_hit(2) or max(hops, default=1) == 1


def test_some_versions_can_hit_nobody() -> None:
    """The question asked beforehand has both answers, so asking it is of use."""
    company = generate(3, services=3)
    answers = {
        Sketch(company.ground, service, head).may_hit(hops)
        for service in company.services
        for seed in range(6)
        for head in _versions(company, service, seed, 1)
        for hops in (1, 2)
    }
    assert answers == {True, False}


def test_a_proved_sketch_hits_whom_a_comparison_from_scratch_hits() -> None:
    """Tracing is not done again after proving, and gives what doing it again would."""
    company = generate(5, services=3)
    for service in sorted(company.services):
        head = _versions(company, service, 7, 1)[0]
        sketch = Sketch(company.ground, service, head)
        assert sketch.hit(Impact.BROKEN) == sketch.prove().hit(Impact.BROKEN)
        proved = sketch.prove()
        assert proved.proved
        assert proved.traced == proved.blast.changes


def test_ground_reads_once() -> None:
    """All versions of a company are held against one reading of its base."""
    company = generate(1, services=3)
    assert company.ground is company.ground
    service = min(company.services)
    head = clone(company.services[service])
    other = Side({**company.services, service: head}, like=company.ground.side)
    for name in company.services:
        assert (other.api(name) is company.ground.side.api(name)) == (name != service)


DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "T", "version": "1"},
    "paths": {
        "/a": {"get": {"responses": {"200": {"$ref": "#/components/responses/A"}}}},
        "/b/{id}": {"get": {"responses": {"200": {"description": "no reference"}}}},
    },
    "components": {
        "responses": {"A": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}},
        "schemas": {"A": {"properties": {"part": {"$ref": "#/components/schemas/Part"}}}, "Part": {"type": "string"}},
    },
}


def test_a_change_reaches_whatever_refers_to_it() -> None:
    """An edited component touches, over every reference, the paths that use it and no others."""
    head = clone(DOCUMENT)
    head["components"]["schemas"]["Part"]["type"] = "integer"
    differing = Regions(DOCUMENT).differing(Regions(head))
    assert differing == frozenset(
        {"/paths/~1a", "/components/responses/A", "/components/schemas/A", "/components/schemas/Part"}
    )
    assert Regions(DOCUMENT).differing(Regions(clone(DOCUMENT))) == frozenset()


@pytest.mark.parametrize("key", ["servers", "security", "webhooks", "x-anything"])
def test_what_lies_outside_of_regions_touches_everything(key: str) -> None:
    """What operations inherit, and what stands elsewhere, is not told apart; titles and versions are passed over."""
    assert Regions(DOCUMENT).differing(Regions({**DOCUMENT, key: [{"a": []}]})) is None
    assert Regions(DOCUMENT).differing(Regions({**DOCUMENT, "info": {"title": "T", "version": "2"}})) == frozenset()


def test_security_schemes_concern_all_and_scopes_are_not_taken_apart() -> None:
    """Schemes are used by name, and ``$id`` makes it matter where a reference stands."""
    head = clone(DOCUMENT)
    head["components"]["securitySchemes"] = {"key": {"type": "apiKey", "in": "header", "name": "K"}}
    assert Regions(DOCUMENT).differing(Regions(head)) is None
    scoped = clone(DOCUMENT)
    scoped["components"]["schemas"]["A"]["$id"] = "https://example.org/a"
    assert Regions(scoped).differing(Regions(scoped)) is None


def test_region_of() -> None:
    """A place's region is its path or its component; security schemes and the document itself have none."""
    assert region_of("/paths/~1a~1{id}/get/responses") == "/paths/~1a~1{id}"
    assert region_of("/components/schemas/A/properties/b") == "/components/schemas/A"
    assert region_of("/components/securitySchemes/key") is None
    assert region_of("/components/schemas") is None
    assert region_of("") is None


def test_only_what_may_be_reached_is_concerned() -> None:
    """The uses that a change may reach: of its operations, of what passes them on, and those of operations unheard of."""
    manifests: dict[str, Any] = {
        "a": {"consumer": "a", "uses": [{"service": "s", "operation": "GET /a", "reads": ["part"],
                                         "exposes": {"part": "GET /own#part"}}]},
        "b": {"consumer": "b", "uses": [{"service": "s", "operation": "GET /b/{key}", "reads": ["x"]}]},
        "c": {"consumer": "c", "uses": [{"service": "a", "operation": "GET /own", "reads": ["part"]}]},
        "d": {"consumer": "d", "uses": [{"service": "s", "operation": "GET /unheard", "reads": ["x"]}]},
    }  # fmt: skip
    own = {"openapi": "3.0.3", "info": {"title": "A", "version": "1"},
           "paths": {"/own": {"get": {"responses": {"200": {"description": "."}}}}}}  # fmt: skip
    ground = Ground({"s": DOCUMENT, "a": own}, manifests)
    assert [each.name for each in ground.concerned("s", ["GET /a"])] == ["a", "c", "d"]
    assert [each.name for each in ground.concerned("s", ["GET /b/{id}"])] == ["b", "d"]


@pytest.mark.parametrize("collecting", [True, False])
def test_garbage_is_looked_for_again_after_a_reset(collecting: bool) -> None:
    """A reset leaves the collector as it found it, also where it fails."""
    was = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        ContractEnv().reset("trace_downstream_blast_radius", 1)
        assert gc.isenabled() is collecting
        with pytest.raises(ZeroDivisionError):
            _Failing().scenario("find_type_mismatches", 1, "easy")
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if was else gc.disable)()


class _Failing(Scenarios):
    def _build(self, task: str, seed: int, difficulty: str) -> Any:
        raise ZeroDivisionError


def test_a_time_that_an_edit_made_unreadable_stops_no_episode() -> None:
    """Rules between times are broken with the times that are still readable."""
    observation = ContractEnv(difficulty="hard").reset("validate_auth_request", 7006)
    assert observation.violations_remaining == 9
