"""The share of breaking changes that can be mended: by rule and by strategy, every strategy tried on every cause.

    python benchmarks/fix_coverage.py                      # the fixture company and the examples of the rules
    python benchmarks/fix_coverage.py --shared ../shared   # and the cases and pairs of real documents there
    python benchmarks/fix_coverage.py --mutations 1000     # and so many random edits of real documents
    python benchmarks/fix_coverage.py --versions FOLDER    # only pairs of documents in it that have paths in common
    python benchmarks/fix_coverage.py --why ...            # with what every strategy failed at

Counted are changes, not causes: a schema that twenty operations share breaks twenty of them, and one fix mends all.
"In place" is what has a fix other than `version_bump`: the operation stays one.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import permutations
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
ALL, MENDED, IN_PLACE = "all", "mended", "in place"
#: Of one rule in a pair of versions, so many causes are tried: a thousand alike say what some say.
ALIKE = 4
#: Pairs of versions are taken from documents of so many bytes at most.
MOST_BYTES = 250_000


def count(bench: Bench, found: Found, rest: list[str], source: str, *, most: int | None = None) -> None:
    """Try every strategy on every cause of one situation, or on the first so many of each rule."""
    wanted = [each for each in bench.changes if wants_fix(each)]
    wanted = [each for each in wanted if each.service in bench.situation.base and each.service in bench.situation.head]
    marks = {id(each) for each in wanted}
    seen: Counter[str] = Counter()
    for group in grouped(bench.situation, bench.changes, wanted):
        seen[group.first.rule] += 1
        if most is not None and seen[group.first.rule] > most:
            continue
        tried = {strategy: attempt(Work(bench, group), strategy) for strategy in Strategy}
        passed = [name for name, each in tried.items() if each is not None and each.outcome.verification.verified]
        size = sum(id(each) in marks for each in group.changes)
        row = found[group.first.rule]
        row[ALL] += size
        row[MENDED] += size * bool(passed)
        row[IN_PLACE] += size * any(each is not Strategy.VERSION_BUMP for each in passed)
        row.update({strategy.value: size for strategy in passed})
        if not set(passed) - {Strategy.VERSION_BUMP}:
            first = group.first
            rest.append(
                f"{source}: {first.rule} in {first.operation} {first.place} {first.field}"
                + (f" ({', '.join(passed)})" if passed else "")
                + "".join(
                    f"\n    {name}: {each.outcome.reason if each is not None else 'no attempt'}"
                    for name, each in tried.items()
                    if name not in passed
                )
            )


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


def versions(folder: Path, number: int, seed: int = 0) -> Iterator[tuple[str, Bench]]:
    """Documents of one folder that have paths in common, such as versions of one API, in both orders, where something breaks."""
    documents: dict[Path, list[tuple[Path, frozenset[str]]]] = defaultdict(list)
    for path in sorted(folder.rglob("*.json")):
        if path.stat().st_size > MOST_BYTES:
            continue
        said = json.loads(path.read_bytes())
        if isinstance(said, dict) and isinstance(said.get("paths"), dict):
            documents[path.parent].append((path, frozenset(said["paths"])))
    pairs = [
        (one, other)
        for each in documents.values()
        for (one, first), (other, second) in permutations(each, 2)
        if len(first & second) * 4 >= len(first | second) and first & second
    ]
    Random(seed).shuffle(pairs)
    for one, other in pairs:
        tree = DirectoryTree(one.parent)
        try:
            bench = one_service(tree, tree, (one.name, other.name))
        except GuardianError:  # not OpenAPI after all
            continue
        if any(map(wants_fix, bench.changes)) and number > 0:
            number -= 1
            yield f"{one.parent.name}/{one.stem} -> {other.stem}", bench


def table(found: Found) -> str:
    """The counts as a Markdown table, the total last."""
    names = [strategy.value for strategy in Strategy]
    total: Counter[str] = Counter()
    for row in found.values():
        total.update(row)
    rows = [(f"`{rule}`", row) for rule, row in sorted(found.items())] + [("**all**", total)]
    lines = [
        f"| rule | changes | mended | in place | {' | '.join(names)} |",
        f"| --- | {'--: | ' * (len(names) + 3)}".rstrip(),
    ]
    for label, row in rows:
        share = " | ".join(f"{row[each] * 100 // row[ALL]}%" for each in (MENDED, IN_PLACE))
        lines.append(f"| {label} | {row[ALL]} | {share} | {' | '.join(str(row[name] or '') for name in names)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="a folder with cases/ and pairs/")
    parser.add_argument("--mutations", type=int, default=0, metavar="N")
    parser.add_argument(
        "--versions", type=Path, metavar="FOLDER", help="a folder of many real documents, and no other source"
    )
    parser.add_argument("--pairs", type=int, default=150, metavar="N", help="so many pairs of --versions (150)")
    parser.add_argument("--why", action="store_true", help="say what every strategy failed at")
    options = parser.parse_args()
    found: Found = defaultdict(Counter)
    rest: list[str] = []
    sources = [company(), examples()]
    if options.shared:
        sources.append(shared(options.shared))
    sources.append(mutations(options.mutations, options.shared))
    if options.versions:
        sources = [versions(options.versions, options.pairs)]
    for source in sources:
        for name, bench in source:
            count(bench, found, rest, name, most=ALIKE if options.versions else None)
    print(table(found))
    print("\nWithout a fix in place:" if rest else "\nEverything has a fix.")
    for line in rest:
        print(f"- {line if options.why else line.partition(chr(10))[0]}")


if __name__ == "__main__":
    main()
