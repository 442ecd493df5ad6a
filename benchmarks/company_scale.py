"""How the dependency graph grows: a synthetic company of N services and 10 N uses, built and asked.

For each size, in a process of its own and on one core: reading all manifests, building the whole graph, the blast
radius of a change in the service that most others use, and who reads one field. Times are CPU seconds.

    python benchmarks/company_scale.py                    # 500, 1,000 and 2,000 services
    python benchmarks/company_scale.py --services 4000
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from guardian.graph import build, usage
from guardian.graph.blast import blast
from guardian.graph.consumers.load import load_consumers
from guardian.graph.consumers.routes import Routes
from guardian.rules.compare import compare
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.trees import MemoryTree

SIZES = (500, 1_000, 2_000)
USES_PER_SERVICE = 10
OPERATIONS = 5
FIELDS = ("id", "name", "email", "status", "total", "created_at", "owner_id", "note")
HUB = "service-00000"


@dataclass(frozen=True, slots=True)
class Measured:
    """One size: counts, CPU seconds of each step, and the peak of memory in MiB."""

    services: int
    uses: int
    read_s: float
    build_s: float
    nodes: int
    edges: int
    blast_s: float
    hit: int
    hops: int
    usage_s: float
    peak_mib: int


def specification(number: int, without: str = "") -> bytes:
    """One service's OpenAPI document: a few operations over one component."""
    fields = {name: {"type": "string"} for name in FIELDS if name != without}
    answer = {
        "200": {
            "description": "ok",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
        }
    }
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": f"Service {number}", "version": "1.0.0"},
            "paths": {
                f"/things{each}/{{id}}": {
                    "get": {
                        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                        "responses": answer,
                    }
                }
                for each in range(OPERATIONS)
            },
            "components": {
                "schemas": {
                    "Thing": {
                        "type": "object",
                        "required": [name for name in FIELDS if name != without],
                        "properties": fields,
                    }
                }
            },
        }
    ).encode()


def manifest(number: int, count: int, chance: random.Random) -> bytes:
    """What one service uses of others: early ones more than late ones, as in companies; some of it passed on."""
    uses = []
    for use in range(USES_PER_SERVICE):
        # The square makes a few services popular.
        used = 0 if use == 0 and number % 20 == 1 else int(count * chance.random() ** 2)
        used = used if used != number else (used + 1) % count
        reads = sorted(chance.sample(FIELDS, 3))
        operation = f"GET /things{chance.randrange(OPERATIONS)}/{{id}}"
        entry: dict[str, object] = {"service": name(used), "operation": operation, "reads": reads, "sends": ["path:id"]}
        if chance.random() < 0.1:
            entry["exposes"] = {reads[0]: f"GET /things{chance.randrange(OPERATIONS)}/{{id}}#{chance.choice(FIELDS)}"}
        uses.append(entry)
    return json.dumps({"consumer": name(number), "owner": f"team-{number % 50}", "uses": uses}).encode()


def name(number: int) -> str:
    return f"service-{number:05}"


class Company(Mapping[str, Api]):
    """Every service's API, read when somebody looks, as in a check."""

    def __init__(self, count: int) -> None:
        self._names = dict.fromkeys(name(number) for number in range(count))
        files = {f"{each}.json": specification(number) for number, each in enumerate(self._names)}
        self._documents = Documents(MemoryTree(files))
        self._read: dict[str, Api] = {}

    def __getitem__(self, key: str) -> Api:
        if key not in self._read:
            self._read[key] = read_api(self._documents, f"{key}.json", key)
        return self._read[key]

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Clock:
    """CPU seconds since it was last looked at."""

    def __init__(self) -> None:
        self._at = time.process_time()

    def __call__(self) -> float:
        before, self._at = self._at, time.process_time()
        return self._at - before


def measure(count: int) -> Measured:
    """One company of this many services, in this process."""
    chance = random.Random(count)
    manifests = {f"consumers/{name(each)}.json": manifest(each, count, chance) for each in range(count)}
    base, head = Company(count), changed(count)
    clock = Clock()
    consumers = load_consumers([(MemoryTree(manifests), "consumers")], list(base)).consumers
    read_s = clock()
    graph = build.build(Routes(base), consumers)
    build_s = clock()
    nodes, edges = graph.number_of_nodes(), graph.number_of_edges()
    del graph
    # Both sides afresh, so that nothing is paid for already; only what a check pays for is.
    base = Company(count)
    gc.collect()
    clock()
    changes = compare(base[HUB], head)
    traced = blast(changes, Routes(base, {HUB: head}), consumers)
    blast_s = clock()
    impacts = [each for change in traced.changes for each in change.consumers]
    if not impacts:
        raise SystemExit("nobody is hit, so nothing was measured")
    company = usage.Company(Routes(Company(count)), consumers, (HUB,))
    gc.collect()
    clock()
    usage.used_by(usage.targets("GET /things0/{id}#email", company), company)
    return Measured(
        services=count,
        uses=sum(len(each.uses) for each in consumers),
        read_s=read_s,
        build_s=build_s,
        nodes=nodes,
        edges=edges,
        blast_s=blast_s,
        hit=len({each.consumer for each in impacts}),
        hops=max(each.hops for each in impacts),
        usage_s=clock(),
        peak_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )


def changed(count: int) -> Api:
    """The hub's API without one of its fields."""
    file = f"{HUB}.json"
    return read_api(Documents(MemoryTree({file: specification(0, without="email")})), file, HUB)


def table(rows: list[Measured]) -> str:
    """The measurements as a Markdown table, with the growth from the smallest to the largest."""
    lines = [
        "| services | uses | nodes | edges | read manifests | build graph | blast radius | hit | hops | one field | peak |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        lines.append(
            f"| {row.services:,} | {row.uses:,} | {row.nodes:,} | {row.edges:,} | {row.read_s:.2f} s | "
            f"{row.build_s:.2f} s | {row.blast_s:.2f} s | {row.hit} | {row.hops} | {row.usage_s:.2f} s | "
            f"{row.peak_mib} MiB |"
        )
    if len(rows) > 1:
        first, last = rows[0], rows[-1]

        def grown(step: str) -> str:
            return f"{getattr(last, step) / max(getattr(first, step), 1e-9):.1f}x"

        steps = [grown("read_s"), grown("build_s"), grown("blast_s")]
        counts = [grown("services"), grown("uses"), grown("nodes"), grown("edges")]
        lines.append(f"| {' | '.join(counts)} | {' | '.join(steps)} | | | {grown('usage_s')} | {grown('peak_mib')} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, each size in a process of its own, so that none has the memory or caches of another."""
    parser = argparse.ArgumentParser(description="How the dependency graph grows.")
    parser.add_argument("--services", type=int, action="append", help="a size; repeatable")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(asdict(measure(asked.one))))
        return
    rows = []
    for count in asked.services or SIZES:
        done = subprocess.run(
            [sys.executable, __file__, "--one", str(count)], check=True, capture_output=True, text=True
        )
        rows.append(Measured(**json.loads(done.stdout)))
    print(table(rows))


if __name__ == "__main__":
    main()
