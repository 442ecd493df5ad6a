"""Whole-process time and memory of `guardian check`, each beside what it is to be compared with, in one run.

    python benchmarks/run.py [--runs N] [--only NAME]

Real specifications come from the npm registry (`npm pack`) and are kept in the user's cache directory. `specshift` is
measured where it is installed in an environment of its own: `python -m venv E && E/bin/pip install specshift`, then
`SPECSHIFT=E/bin/specshift`. Times are medians; memory is the peak resident set of the largest process.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "guardian-benchmarks"
WITH_FIXES = [sys.executable, "-m", "guardian", "check", "--mode", "contract", "--quiet"]
GUARDIAN = [*WITH_FIXES, "--no-fixes"]


def measure(command: Sequence[str], runs: int, cwd: Path | None = None) -> tuple[float, float, float]:
    """Median wall seconds, median CPU seconds and peak memory in MiB of a command."""
    walls: list[float] = []
    cpus: list[float] = []
    peak = 0.0
    for _ in range(runs):
        code = (
            "import resource,subprocess,sys,time\n"
            "t=time.perf_counter()\n"
            "subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL)\n"
            "w=time.perf_counter()-t\n"
            "r=resource.getrusage(resource.RUSAGE_CHILDREN)\n"
            "print(w,r.ru_utime+r.ru_stime,r.ru_maxrss)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *command], cwd=cwd, check=True, capture_output=True, text=True
        )  # fmt: skip
        wall, cpu, memory = map(float, done.stdout.split())
        walls.append(wall)
        cpus.append(cpu)
        peak = max(peak, memory / 1024)
    return statistics.median(walls), statistics.median(cpus), peak


def github(version: str) -> Path:
    """GitHub's specification of one version of `@octokit/openapi`."""
    target = CACHE / f"github-{version}.json"
    if not target.exists():
        target.write_bytes(packed(f"@octokit/openapi@{version}", "package/generated/api.github.com.json"))
    return target


def kubernetes(version: str) -> Path:
    """Kubernetes' specification (Swagger 2.0) of one version, from the package `kubernetes-client`."""
    target = CACHE / f"kubernetes-{version}.json"
    if not target.exists():
        member = f"package/lib/specs/swagger-{version}.json.gz"
        target.write_bytes(gzip.decompress(packed("kubernetes-client@9.0.0", member)))
    return target


def packed(package: str, member: str) -> bytes:
    """One file of a package of the npm registry."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", package], cwd=folder, check=True, capture_output=True)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            found = archive.extractfile(member)
            assert found is not None
            return found.read()


def edited(path: Path, count: int, target: Path) -> Path:
    """The same document with a new limit for one property of the request body of so many operations."""
    document = json.loads(path.read_bytes())
    left = count
    for item in document["paths"].values():
        for operation in item.values():
            content = operation.get("requestBody", {}).get("content", {}) if isinstance(operation, dict) else {}
            properties = content.get("application/json", {}).get("schema", {}).get("properties", {})
            texts = [each for each in properties.values() if each.get("type") == "string"]
            if texts and left:
                texts[0]["maxLength"] = 1
                left -= 1
    target.write_text(json.dumps(document, indent=2))
    return target


def as_yaml(path: Path) -> Path:
    """The same document as block YAML."""
    target = path.with_suffix(".yaml")
    if not target.exists():
        import yaml

        target.write_text(yaml.dump(json.loads(path.read_text()), Dumper=yaml.CSafeDumper, sort_keys=False))
    return target


def small_pair(folder: Path) -> tuple[Path, Path]:
    """Two documents of about 2 KB that differ in one property."""
    names = [f"field_{number}" for number in range(20)]
    paths = []
    for side, dropped in (("base", ""), ("head", "field_7")):
        properties = {
            name: {"type": "string", "description": "some words about it"} for name in names if name != dropped
        }
        schema = {"type": "object", "required": ["field_1"], "properties": properties}
        content = {"application/json": {"schema": schema}}
        document = {
            "openapi": "3.1.0",
            "info": {"title": "Small", "version": "1.0.0"},
            "paths": {"/things": {"get": {"responses": {"200": {"description": "ok", "content": content}}}}},
        }
        paths.append(folder / f"{side}.json")
        paths[-1].write_text(json.dumps(document))
    return paths[0], paths[1]


def many(folder: Path, count: int) -> tuple[Path, Path]:
    """Directories of many services, one in twenty of them changed."""
    base, head = small_pair(folder)
    for side in ("base", "head"):
        (folder / side).mkdir()
        for number in range(count):
            source = head if side == "head" and number % 20 == 0 else base
            shutil.copy(source, folder / side / f"service-{number:04}.json")
    return folder / "base", folder / "head"


Row = tuple[str, tuple[float, float, float]]


def cold(runs: int, folder: Path) -> list[Row]:
    base, head = small_pair(folder)
    baseline = [sys.executable, "-c", "import typer, rich, yaml, networkx"]
    return [
        ("import typer, rich, yaml, networkx", measure(baseline, runs)),
        ("guardian, two documents of 2 KB", measure([*GUARDIAN, "--base", str(base), "--head", str(head)], runs)),
    ]


def github_json(runs: int, folder: Path) -> list[Row]:
    base, head = github("22.0.0"), github("23.0.2")
    reading = "import json,sys\nfor p in sys.argv[1:]: json.loads(open(p,'rb').read())"
    rows = [
        ("json.loads of both", measure([sys.executable, "-c", reading, str(base), str(head)], runs)),
        (
            "guardian, GitHub 22.0.0 to 23.0.2, JSON",
            measure([*GUARDIAN, "--base", str(base), "--head", str(head)], runs),
        ),
        ("the same, --jobs 1", measure([*GUARDIAN, "--base", str(base), "--head", str(head), "--jobs", "1"], runs)),
        ("the same, with fixes", measure([*WITH_FIXES, "--base", str(base), "--head", str(head)], runs)),
        ("guardian, GitHub against itself", measure([*GUARDIAN, "--base", str(head), "--head", str(head)], runs)),
    ]
    return [*rows, *beside(base, head, runs, "the GitHub pair"), *beside(head, head, runs, "GitHub against itself")]


def beside(base: Path, head: Path, runs: int, what: str) -> list[Row]:
    """What the peer takes for the same, where it is there."""
    peer = os.environ.get("SPECSHIFT") or shutil.which("specshift")
    return [(f"specshift, {what}", measure([peer, "diff", str(base), str(head)], runs))] if peer else []


def github_yaml(runs: int, folder: Path) -> list[Row]:
    base, head = as_yaml(github("22.0.0")), as_yaml(github("23.0.2"))
    one = folder / "one.yaml"
    one.write_text(head.read_text().replace("maxLength: ", "maxLength: 1", 1))
    return [
        (
            "guardian, GitHub 22.0.0 to 23.0.2, YAML",
            measure([*GUARDIAN, "--base", str(base), "--head", str(head)], runs),
        ),
        ("guardian, one keyword changed, YAML", measure([*GUARDIAN, "--base", str(head), "--head", str(one)], runs)),
        *beside(base, head, 1, "the GitHub pair as YAML, one run"),
    ]


def kubernetes_json(runs: int, folder: Path) -> list[Row]:
    base, head = kubernetes("1.12"), kubernetes("1.13")
    command = [*GUARDIAN, "--base", str(base), "--head", str(head)]
    return [
        ("guardian, Kubernetes 1.12 to 1.13, Swagger 2.0", measure(command, runs)),
        *beside(base, head, runs, "Kubernetes"),
    ]


def growth(runs: int, folder: Path) -> list[Row]:
    """One document, more and more of it changed: cost should grow with the change."""
    whole = github("23.0.2")
    base = edited(whole, 0, folder / "base.json")
    rows = []
    for count in (1, 10, 100):
        head = edited(whole, count, folder / f"head-{count}.json")
        command = [*GUARDIAN, "--base", str(base), "--head", str(head)]
        rows.append((f"guardian, GitHub with {count} of its request bodies changed", measure(command, runs)))
    return rows


def services(runs: int, folder: Path) -> list[Row]:
    rows = []
    for count in (100, 1000):
        inner = folder / str(count)
        inner.mkdir()
        base, head = many(inner, count)
        for jobs in (1, 2):
            command = [*GUARDIAN, "--base", str(base), "--head", str(head), "--jobs", str(jobs)]
            rows.append((f"guardian, {count} services, --jobs {jobs}", measure(command, runs)))
    return rows


BENCHMARKS: dict[str, Callable[[int, Path], list[Row]]] = {
    "cold": cold,
    "github-json": github_json,
    "github-yaml": github_yaml,
    "kubernetes": kubernetes_json,
    "growth": growth,
    "services": services,
}


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=sorted(BENCHMARKS), action="append")
    chosen = parser.parse_args()
    print("| what | wall s | CPU s | peak MiB |")
    print("| --- | ---: | ---: | ---: |")
    for name, benchmark in BENCHMARKS.items():
        if chosen.only and name not in chosen.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for what, (wall, cpu, memory) in benchmark(chosen.runs, Path(folder)):
                print(f"| {what} | {wall:.2f} | {cpu:.2f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main()
