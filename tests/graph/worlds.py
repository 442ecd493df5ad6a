"""Small companies in a few lines: specifications and manifests as YAML, and what guardian says of a change in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guardian.graph.blast import Blast, blast
from guardian.graph.consumers.manifest import load_manifest
from guardian.graph.consumers.routes import Routes
from guardian.graph.uses import Consumer
from guardian.model import Change, Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules.compare import compare
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.text import load
from guardian.spec.trees import MemoryTree


def api(service: str, paths: str, *, servers: str = "", components: str = "", webhooks: str = "") -> Api:
    """An Api from the YAML of its parts."""
    text = f"openapi: 3.1.0\ninfo: {{title: {service}, version: '1'}}\n"
    for key, part in (("servers", servers), ("paths", paths), ("components", components), ("webhooks", webhooks)):
        if part:
            lines = part.strip("\n").splitlines()
            margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
            text += f"{key}:\n" + "\n".join(f"  {line[margin:]}" for line in lines) + "\n"
    file = f"{service}.yaml"
    return read_api(Documents(MemoryTree({file: text.encode()})), file, service)


def apis(*each: Api) -> dict[str, Api]:
    return {one.service: one for one in each}


def manifests(*texts: str) -> list[Consumer]:
    """Consumers from the YAML of their manifests."""
    found = []
    for text in texts:
        data = load(text.encode(), "m.yaml")
        found.append(load_manifest(data, f"{data['consumer']}.yaml", lambda pointer: None))
    return found


def trace(
    base: Mapping[str, Api],
    head: Mapping[str, Api],
    consumers: Sequence[Consumer],
    moved: Sequence[Consumer] | None = None,
) -> Blast:
    """Everything that comparing two sides and tracing gives."""
    changes = [change for service in sorted({*base, *head}) for change in compare(base.get(service), head.get(service))]
    return blast(changes, Routes(base, head), consumers, moved)


def hit(result: Blast) -> dict[str, tuple[str, int]]:
    """Consumer -> (worst impact, hops) over all changes."""
    found: dict[str, tuple[str, int]] = {}
    for change in result.changes:
        for each in change.consumers:
            mine = (each.impact.value, each.hops)
            old = found.get(each.consumer)
            if old is None or (Impact(old[0]).rank, -old[1]) < (each.impact.rank, -each.hops):
                found[each.consumer] = mine
    return found


def change(
    field: str = "email",
    *,
    hit: Hit = Hit.READER,
    impact: Impact = Impact.BROKEN,
    strict: Impact | None = None,
    service: str = "users",
    operation: str = "GET /users/{id}",
    place: str = "response 200 application/json",
    direction: Direction = Direction.RESPONSE,
    severity: Severity = Severity.BREAKING,
    renamed_to: str | None = None,
) -> Change:
    """A change as a rule would make it, without the documents behind it."""
    return Change(
        rule="property-removed",
        service=service,
        operation=operation,
        direction=direction,
        place=place,
        field=field,
        effect=Effect.WIDENED,
        severity=severity,
        confidence=Confidence.CERTAIN,
        message="",
        why="",
        base=None,
        head=None,
        renamed_to=renamed_to,
        hit=hit,
        impact=impact,
        strict_impact=strict or impact,
    )


def impacts(
    one: Change, consumers: Sequence[Consumer], known: Mapping[str, Api] | None = None
) -> dict[str, tuple[str, int]]:
    """Consumer -> (impact, hops) of one change; the services are unknown unless given."""
    traced = blast([one], Routes(known or {}), consumers)
    return {each.consumer: (each.impact.value, each.hops) for each in traced.changes[0].consumers}
