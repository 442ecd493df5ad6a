"""Upstream watch: a vendor's new specification, judged by what we use of it and by nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Guardian

VENDOR = """openapi: 3.0.3
info: {title: Payments, version: 2026-01-01}
security: [{key: []}]
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
  schemas:
    Charge:
      type: object
      required: [id, amount]
      properties:
        id: {type: string}
        amount: {type: integer}
        status: {type: string, enum: [open, paid]}
        card: {type: object, properties: {brand: {type: string}, last4: {type: string}}}
paths:
  /charges:
    get: {responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Charge'}}}}}}}
    post:
      requestBody:
        content: {application/json: {schema: {type: object, required: [amount], properties: {amount: {type: integer}, note: {type: string}}}}}
      responses: {'201': {description: made, content: {application/json: {schema: {$ref: '#/components/schemas/Charge'}}}}}
  /charges/{id}:
    get: {responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Charge'}}}}}}
  /refunds:
    post: {responses: {'201': {description: made}}}
"""
USE = """consumer: shop
owner: team-shop
uses:
  - service: payments
    operation: POST /charges
    reads: [id]
    sends: [body.amount, "header:X-Key"]
  - service: payments
    operation: GET /charges/{id}
    reads: [status]
    sends: ["header:X-Key"]
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "vendor.yaml").write_text(VENDOR)
    (tmp_path / "shop.yaml").write_text(USE)
    other = USE.replace("consumer: shop", "consumer: other").replace("[status]", "[card.last4]")
    (tmp_path / "other.yaml").write_text(other)
    return tmp_path


def watch(guardian: Guardian, folder: Path, head: str, *args: str) -> tuple[int, dict[str, object]]:
    (folder / "new.yaml").write_text(head)
    outcome = guardian(
        "check", "--base", "vendor.yaml", "--head", "new.yaml", "--service", "payments", "--consumers", "shop.yaml",
        "--consumers", "other.yaml", "--consumer", "shop", "--format", "json", "--no-fixes", *args,
    )  # fmt: skip
    return outcome.code, json.loads(outcome.out) if outcome.out else {"error": outcome.err}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  /refunds:\n    post: {responses: {'201': {description: made}}}\n", ""),
        ("last4: {type: string}", "digits: {type: string}"),
        ("amount: {type: integer}\n", "amount: {type: string}\n"),
        ("  /charges:\n    get:", "  /charges:\n    head: {responses: {'200': {description: ok}}}\n    get:"),
    ],
)
def test_what_we_do_not_use_does_not_concern_us(guardian: Guardian, shop: Path, before: str, after: str) -> None:
    """An operation we do not call and fields we do not read are gone, and our build is green."""
    assert before in VENDOR
    code, report = watch(guardian, shop, VENDOR.replace(before, after))
    assert (code, report["verdict"], report["changes"]) == (0, "pass", [])


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("status: {type: string, enum", "state: {type: string, enum", "property-removed"),
        ("id: {type: string}\n", "id: {type: integer}\n", "type-changed"),
        ("required: [amount]", "required: [amount, note]", None),
        ("name: X-Key", "name: X-Token", None),
        ("  /charges/{id}:\n", "  /charges/by-id/{id}:\n", None),
    ],
)
def test_what_we_use_breaks_us(guardian: Guardian, shop: Path, before: str, after: str, rule: str | None) -> None:
    """Whatever we read, send, or call: the finding names us, our line, and nobody else."""
    assert before in VENDOR
    code, report = watch(guardian, shop, VENDOR.replace(before, after))
    assert (code, report["verdict"]) == (1, "fail")
    changes = report["changes"]
    assert isinstance(changes, list)
    assert {each["consumer"] for change in changes for each in change["consumers"]} == {"shop"}
    assert rule is None or rule in {change["rule"] for change in changes}
    assert report["summary"]["consumers_broken"] == ["shop"]  # type: ignore[index]


def test_an_unknown_name_is_no_pass(guardian: Guardian, shop: Path) -> None:
    """Watching for somebody who declares nothing would always be green, so it is wrong usage."""
    code, report = watch(guardian, shop, VENDOR, "--consumer", "shopp")
    assert code == 2, report


def test_what_we_claim_and_the_vendor_lacks_is_drift(guardian: Guardian, shop: Path) -> None:
    """The same manifest is asked of the vendor's specification alone."""
    (shop / "shop.yaml").write_text(USE.replace("[status]", "[state]"))
    outcome = guardian(
        "usage", "--head", "vendor.yaml", "--service", "payments", "--consumers", "shop.yaml", "--drift",
        "--fail-on-drift",
    )  # fmt: skip
    assert outcome.code == 1, outcome.err
    assert "shop reads state of GET /charges/{id}, which payments does not declare; the nearest is status" in (
        " ".join(outcome.out.split())
    )
