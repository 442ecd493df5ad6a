"""Who uses a generated company's services: manifests with field-level reads, and lineage over two and three hops.

Every service but the last reads from others and may pass on what it reads through its own API; apps at the edge read
only. Besides those who read a field there are always some who read everything around it: telling them apart is what
tracing is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from guardian.learn.contract.schemas import camel
from guardian.learn.contract.vocabulary import Industry, Resource

Json = dict[str, Any]


def declare(
    documents: Mapping[str, Json], owners: Mapping[str, Resource], industry: Industry, rng: Random
) -> dict[str, Json]:
    """Manifests by consumer: every service, and the industry's apps (more of them in larger companies)."""
    names = list(documents)
    apps = [*industry.apps, *(f"{app}-{region}" for app in industry.apps for region in ("beta", "partner"))]
    manifests: dict[str, Json] = {}
    for index, name in enumerate(names):
        # Services read from those before them, so that lineage has no circles and reaches over several hops.
        targets = [names[index - 1], *(t for t in names[: index - 1] if rng.random() < 0.4)] if index else []
        uses = [use for target in targets for use in _uses(documents, owners, target, rng)]
        if uses and rng.random() < 0.9:
            _expose(uses[0], documents[name], owners[name], rng)
        manifests[name] = {"consumer": name, "owner": f"team-{name}", "uses": uses}
    for app in apps[: max(5, 2 + len(names))]:
        targets = rng.sample(names, min(len(names), rng.randint(1, 3)))
        manifests[app] = {
            "consumer": app,
            "owner": f"team-{app}",
            "uses": [use for target in targets for use in _uses(documents, owners, target, rng)],
        }
    return manifests


def _uses(documents: Mapping[str, Json], owners: Mapping[str, Resource], service: str, rng: Random) -> list[Json]:
    document, resource = documents[service], owners[service]
    one = f"/{resource.plural}/{{{resource.name}_id}}"
    options = ["read", "read", "list", "create", "act"]
    uses: list[Json] = []
    for kind in dict.fromkeys(rng.sample(options, rng.randint(1, 3))):
        if kind == "read":
            fields = readable(document, camel(resource.name))
            uses.append(
                _use(service, f"GET {one}", _some(fields, rng), [f"path:{resource.name}_id", _scope(resource, "read")])
            )
        elif kind == "list":
            fields = [f"items[].{each}" for each in readable(document, f"{camel(resource.name)}Summary")]
            sends = [
                *rng.sample(["query:limit", "query:cursor", "query:sort"], rng.randint(0, 2)),
                _scope(resource, "read"),
            ]
            uses.append(_use(service, f"GET /{resource.plural}", [*_some(fields, rng), "next_cursor"], sends))
        elif kind == "create":
            body = document["components"]["schemas"][f"{camel(resource.name)}Create"]
            optional = [key for key in body["properties"] if key not in body.get("required", ()) and rng.random() < 0.4]
            sends = [*(f"body.{each}" for each in (*body.get("required", ()), *optional)), _scope(resource, "write")]
            uses.append(_use(service, f"POST /{resource.plural}", ["id"], sends))
        else:
            sends = [f"path:{resource.name}_id", "body.reason", "body.effective_on", _scope(resource, "write")]
            uses.append(
                _use(
                    service,
                    f"POST {one}/{resource.action}",
                    rng.sample(["id", "state", "done_at", "receipt_url"], 2),
                    sends,
                )
            )
    return uses


def _use(service: str, operation: str, reads: list[str], sends: list[str]) -> Json:
    return {"service": service, "operation": operation, "reads": reads, "sends": sends}


def _scope(resource: Resource, verb: str) -> str:
    return f"scope:{resource.plural}.{verb}"


def _some(fields: list[str], rng: Random) -> list[str]:
    """A few of them, or (a distractor) nearly all."""
    share = rng.choice((0.25, 0.4, 0.85))
    count = max(1, round(len(fields) * share))
    return sorted(rng.sample(fields, count), key=fields.index)


def readable(document: Json, name: str) -> list[str]:
    """The leaf fields of a component as manifests write them."""
    schemas = document["components"]["schemas"]

    def walk(schema: Json, prefix: str, seen: tuple[str, ...]) -> list[str]:
        reference = schema.get("$ref")
        if reference:
            target = str(reference).rpartition("/")[2]
            return [] if target in seen else walk(schemas[target], prefix, (*seen, target))
        if "properties" in schema:
            return [
                leaf
                for key, value in schema["properties"].items()
                for leaf in walk(value, f"{prefix}.{key}" if prefix else key, seen)
            ]
        if schema.get("type") == "array":
            return walk(schema.get("items", {}), f"{prefix}[]", seen)
        return [prefix]

    return walk(schemas[name], "", (name,))


def _expose(use: Json, document: Json, resource: Resource, rng: Random) -> None:
    """Pass some of what is read on through the consumer's own API, under names that exist there."""
    targets = readable(document, camel(resource.name))
    sources = [field for field in use["reads"] if field != "next_cursor"]
    if use["operation"].startswith("POST") or not sources:
        return
    one = f"GET /{resource.plural}/{{{resource.name}_id}}"
    count = min(len(sources), len(targets), 3)
    use["exposes"] = dict(
        zip(rng.sample(sources, count), (f"{one}#{target}" for target in rng.sample(targets, count)), strict=True)
    )
