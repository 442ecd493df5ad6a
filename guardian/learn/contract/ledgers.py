"""The priced document of an industry: a resource whose fields depend on each other, with its constraints."""

from __future__ import annotations

from random import Random
from typing import Any

from guardian.learn.contract.constraints import KEY, Constraint, phrase
from guardian.learn.contract.schemas import camel, component
from guardian.learn.contract.vocabulary import Ledger

Json = dict[str, Any]


def ledger_document(ledger: Ledger, rng: Random) -> tuple[Json, str]:
    """A specification with the priced document and what creates it; its component's name."""
    dialect = rng.choice(("3.0.3", "3.1.0"))
    name = camel(ledger.name)
    plural = f"{ledger.name.replace('_', '-')}s"
    line = component(
        (f"{ledger.quantity} int!", f"{ledger.price} number!", f"{ledger.amount} number!", "title text!"), dialect, rng
    )
    line["properties"][ledger.quantity]["minimum"] = 1
    line["properties"][ledger.price]["minimum"] = 1
    schema = component(
        (
            "id uuid!", f"{ledger.tier} {'|'.join(ledger.tiers)}!", f"{ledger.lines} [{name}Line]!", f"{ledger.count} int!",
            f"{ledger.subtotal} number!", f"{ledger.rate} number!", f"{ledger.tax} number!", f"{ledger.discount} number!",
            f"{ledger.total} number!", "currency EUR|USD|NOK!", f"{ledger.opened} date!", f"{ledger.due} date!",
            f"{ledger.closed} date!", "note text",
        ),
        dialect,
        rng,
    )  # fmt: skip
    schema["properties"][ledger.rate]["maximum"] = 1
    schema["properties"][ledger.discount]["maximum"] = 40
    # The derived ones have room for any sum.
    schema[KEY] = [each.to_json() for each in constraints(ledger, rng)]
    answer = {
        "description": "As recorded.",
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}},
    }
    document: Json = {
        "openapi": dialect,
        "info": {"title": f"{plural.replace('-', ' ').capitalize()} API", "version": "2.1.0"},
        "paths": {
            f"/{plural}": {
                "post": {
                    "operationId": f"create{name}",
                    "summary": f"Record one. {len(schema[KEY])} rules hold between its fields.",
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}},
                    },
                    "responses": {"201": answer},
                }
            }
        },
        "components": {"schemas": {name: schema, f"{name}Line": line}},
    }
    return document, name


def constraints(ledger: Ledger, rng: Random) -> list[Constraint]:
    """What holds between the fields; each after those that it is computed from."""
    return [
        phrase("product", f"{ledger.lines}[].{ledger.amount}", rng, a=ledger.quantity, b=ledger.price),
        phrase("sum", ledger.subtotal, rng, a=ledger.amount, list=ledger.lines),
        phrase("product", ledger.tax, rng, a=ledger.subtotal, b=ledger.rate),
        phrase("only_where", ledger.discount, rng, a=ledger.tier, value=ledger.tiers[2]),
        phrase("at_most", ledger.discount, rng, a=ledger.subtotal),
        phrase("balance", ledger.total, rng, a=ledger.subtotal, b=ledger.tax, c=ledger.discount),
        phrase("count", ledger.count, rng, list=ledger.lines),
        phrase("not_before", ledger.due, rng, a=ledger.opened),
        phrase("not_before", ledger.closed, rng, a=ledger.opened),
    ]
