from __future__ import annotations

from pathlib import Path

import apply
import pytest

from guardian.learn.contract.companies import generate, read_company
from guardian.learn.contract.consumers import readable
from guardian.learn.contract.engine import Side, read_consumers
from guardian.learn.contract.vocabulary import HELD_OUT, TRAINING


def test_a_seed_is_a_company() -> None:
    """The same seed gives the same company, another seed another one."""
    assert generate(5) == generate(5)
    assert generate(5) != generate(6)


@pytest.mark.parametrize("services", [1, 3, 50])
def test_a_company_has_as_many_services_as_asked_for(services: int) -> None:
    """One to fifty services, each of them an OpenAPI document that the loader reads, each with its manifest."""
    company = generate(1, services=services)
    assert len(company.services) == services
    assert company.services.keys() <= company.manifests.keys()
    for name, api in Side(company.services).apis.items():
        assert api.dialect in ("3.0", "3.1")
        assert len(api.operations) >= 4, name


def test_default_companies_have_three_to_five_services() -> None:
    """Without a number a company is small; over some seeds every size and both dialects occur."""
    companies = [generate(seed) for seed in range(40)]
    assert {len(company.services) for company in companies} == {3, 4, 5}
    assert {document["openapi"] for company in companies for document in company.services.values()} == {
        "3.0.3",
        "3.1.0",
    }


def test_out_of_range() -> None:
    """A number of services or a split that does not exist is refused by name."""
    with pytest.raises(ValueError, match="1 to 50"):
        generate(0, services=51)
    with pytest.raises(ValueError, match="heldout"):
        generate(0, split="test")


def test_manifests_name_what_is_there() -> None:
    """Every field that a consumer reads, and every field that it passes on as, exists in the producer's specification."""
    for seed in range(10):
        company = generate(seed)
        apis = Side(company.services).apis
        for consumer in read_consumers(company.manifests):
            for use in consumer.uses:
                assert use.operation in apis[use.service].operations
                document = company.services[use.service]
                known = {leaf for name in document["components"]["schemas"] for leaf in readable(document, name)}
                for field in use.reads or ():
                    bare = str(field.path).removeprefix("items[].")
                    assert bare in known | {"id", "state", "done_at", "receipt_url", "next_cursor"}


def test_there_are_distractors_and_lineage() -> None:
    """Over a few companies some consumers read nearly everything, and lineage reaches over several hops."""
    wide = chains = 0
    for seed in range(10):
        company = generate(seed)
        for manifest in company.manifests.values():
            for use in manifest["uses"]:
                wide += len(use["reads"]) >= 10
                chains += bool(use.get("exposes")) and manifest["consumer"] in company.services
    assert wide >= 10
    assert chains >= 10


def test_held_out_vocabularies_are_kept_apart() -> None:
    """No resource or industry of evaluation occurs in training, and no generated company crosses the line."""
    trained = {resource.name for industry in TRAINING for resource in industry.resources}
    held_out = {resource.name for industry in HELD_OUT for resource in industry.resources}
    assert not trained & held_out
    names = {industry.name for industry in HELD_OUT}
    assert {generate(seed, split="heldout").name for seed in range(30)} == names
    assert not {generate(seed).name for seed in range(30)} & names


def test_the_fixture_company_is_one_of_them() -> None:
    """A guardian.yaml is a company too: several files bundled into one document, pacts written as manifests."""
    company = read_company(apply.COMPANY / "guardian.yaml")
    assert {"users", "orders", "catalog"} <= company.services.keys()
    assert {"billing", "price-watch"} <= company.manifests.keys()
    side = Side(company.services)
    for name, api in side.apis.items():
        for operation in api.operations.values():
            assert operation.parts.responses or operation.inverted, name
    assert read_consumers(company.manifests)


def test_a_company_by_the_names_of_a_check(tmp_path: Path) -> None:
    """Documents of one glob are told apart as in a check, and who names their entry is a reader of what it uses."""
    for name in ("users", "people"):
        text = f"openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\npaths: {{'/{name}': {{get: {{}}}}}}\n"
        (tmp_path / f"{name}.yaml").write_text(text)
    (tmp_path / "guardian.yaml").write_text("services: {shop: {spec: '[pu]*.yaml'}}\nconsumers: [web]\n")
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "web.yaml").write_text("consumer: web\nuses: [{service: shop, operation: GET /users}]\n")
    company = read_company(tmp_path / "guardian.yaml")
    assert list(company.services) == ["shop/people", "shop/users"]
    assert company.manifests["web"]["uses"] == [{"service": "shop/users", "operation": "GET /users"}]


def test_a_company_that_is_not_there(tmp_path: Path) -> None:
    """A missing guardian.yaml, and one without consumers, are refused with what to do."""
    from guardian.errors import UsageError

    with pytest.raises(UsageError, match="there is no"):
        read_company(tmp_path / "guardian.yaml")
