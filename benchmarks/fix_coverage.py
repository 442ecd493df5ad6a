"""The share of breaking changes that can be mended: by rule and by strategy, every strategy tried on every cause.

    python benchmarks/fix_coverage.py                      # the fixture company and the examples of the rules
    python benchmarks/fix_coverage.py --shared ../shared   # and the cases and pairs of real documents there
    python benchmarks/fix_coverage.py --mutations 1000     # and so many random edits of real documents

Counted are changes, not causes: a schema that twenty operations share breaks twenty of them, and one fix mends all.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "fixtures")]

import apply as fixtures  # noqa: E402

from guardian.errors import GuardianError  # noqa: E402
from guardian.fixes.bench import Bench  # noqa: E402
from guardian.fixes.json_patch import PatchError  # noqa: E402
from guardian.fixes.json_patch import apply as patched  # noqa: E402
from guardian.fixes.propose import attempt, wants_fix  # noqa: E402
from guardian.fixes.text_edit import TextEditor  # noqa: E402
from guardian.fixes.work import Work, grouped  # noqa: E402
from guardian.model import Strategy  # noqa: E402
from guardian.rules.examples import documents  # noqa: E402
from guardian.rules.registry import all_rules  # noqa: E402
from guardian.spec.trees import DirectoryTree, MemoryTree, OverlayTree, Tree  # noqa: E402
from tests.fixes.gate import laid_out, request  # noqa: E402
from tests.fixes.mutations import MUTATIONS  # noqa: E402
from tests.fixes.workbench import situation  # noqa: E402

Found = dict[str, Counter[str]]
ALL, MENDED = "all", "mended"


def count(bench: Bench, found: Found, rest: list[str], source: str) -> None:
    """Try every strategy on every cause of one situation."""
    wanted = [each for each in bench.changes if wants_fix(each)]
    wanted = [each for each in wanted if each.service in bench.situation.base and each.service in bench.situation.head]
    marks = {id(each) for each in wanted}
    for group in grouped(bench.situation, bench.changes, wanted):
        passed = [
            strategy
            for strategy in Strategy
            if (tried := attempt(Work(bench, group), strategy)) is not None and tried.outcome.verification.verified
        ]
        size = sum(id(each) in marks for each in group.changes)
        row = found[group.first.rule]
        row[ALL] += size
        row[MENDED] += size * bool(passed)
        row.update({strategy.value: size for strategy in passed})
        if not passed:
            rest.append(f"{source}: {group.first.rule} in {group.first.operation} {group.first.place}")


def one_service(base: Tree, head: Tree, paths: tuple[str, str]) -> Bench:
    """A bench for one document on either side."""
    return Bench(*situation(base, head, {"api": paths}))


def company() -> Iterator[tuple[str, Bench]]:
    """The named changes of the fixture company, with all its consumers."""
    for name in fixtures.list_changes():
        with tempfile.TemporaryDirectory() as folder:
            fixtures.materialise(name, Path(folder))
            yield f"fixtures/{name}", Bench(*laid_out(request(Path(folder))))


def examples() -> Iterator[tuple[str, Bench]]:
    """What the rules' own pages show as breaking."""
    for rule in all_rules():
        for example in rule.examples:
            if example.outcome == "breaks":
                trees = (MemoryTree({"api.json": json.dumps(each).encode()}) for each in documents(example, rule))
                yield f"rule {rule.id}", one_service(*trees, ("api.json", "api.json"))


def shared(folder: Path) -> Iterator[tuple[str, Bench]]:
    """Cases and pairs: every folder with a base and a head document."""
    for base in sorted(folder.glob("*/*/base.*")):
        tree = DirectoryTree(base.parent)
        yield f"{folder.name}/{base.parent.name}", one_service(tree, tree, (base.name, f"head{base.suffix}"))
    for base in sorted(folder.glob("pairs/*/base/specs/*.yaml")):
        sides = (DirectoryTree(base.parents[2] / side / "specs") for side in ("base", "head"))
        yield f"{folder.name}/{base.parents[2].name}", one_service(*sides, (base.name, base.name))


def mutations(number: int, folder: Path | None) -> Iterator[tuple[str, Bench]]:
    """Random edits of real documents."""
    files = [*(ROOT / "fixtures" / "company").rglob("openapi.*")]
    files += [path for path in folder.rglob("base.yaml") if path.stat().st_size < 100_000] if folder else []
    for seed in range(number):
        random = Random(seed)
        path, mutation = random.choice(sorted(files)), random.choice(MUTATIONS)
        editor = TextEditor(path.read_bytes(), path.name)
        edits = mutation(editor.says, random)
        if edits is None:
            continue
        tree = DirectoryTree(path.parent)
        try:
            head = OverlayTree(tree, {path.name: editor.edit(patched(editor.says, edits)).data})
            yield f"{mutation.__name__} of {path.parent.name}", one_service(tree, head, (path.name, path.name))
        except (PatchError, GuardianError):  # an edit that leaves no specification
            continue


def table(found: Found) -> str:
    """The counts as a Markdown table, the total last."""
    names = [strategy.value for strategy in Strategy]
    total: Counter[str] = Counter()
    for row in found.values():
        total.update(row)
    rows = [(f"`{rule}`", row) for rule, row in sorted(found.items())] + [("**all**", total)]
    lines = [f"| rule | changes | mended | {' | '.join(names)} |", f"| --- | {'--: | ' * (len(names) + 2)}".rstrip()]
    for label, row in rows:
        share = f"{row[MENDED] * 100 // row[ALL]}%"
        lines.append(f"| {label} | {row[ALL]} | {share} | {' | '.join(str(row[name] or '') for name in names)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="a folder with cases/ and pairs/")
    parser.add_argument("--mutations", type=int, default=0, metavar="N")
    options = parser.parse_args()
    found: Found = defaultdict(Counter)
    rest: list[str] = []
    sources = [company(), examples()]
    if options.shared:
        sources.append(shared(options.shared))
    sources.append(mutations(options.mutations, options.shared))
    for source in sources:
        for name, bench in source:
            count(bench, found, rest, name)
    print(table(found))
    print("\nWithout a fix:" if rest else "\nEverything has a fix.")
    for line in rest:
        print(f"- {line}")


if __name__ == "__main__":
    main()
