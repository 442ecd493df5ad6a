"""The law of fixes, over random breaking edits of real specifications.

Whatever is offered holds when it is written to disk and read again, by nothing but the files; what it does not have to
change is there byte for byte; and nearly everything that breaks can be mended.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from random import Random

import pytest

from guardian.fixes.apply import apply_fix
from guardian.fixes.bench import Situation
from guardian.fixes.file_bytes import blob_id
from guardian.fixes.json_patch import PatchError, apply
from guardian.fixes.propose import propose, wants_fix
from guardian.fixes.text_edit import TextEditor
from guardian.model import Change, Fix, Severity
from guardian.rules.compare import compare
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.trees import DirectoryTree
from tests.fixes.mutations import MUTATIONS, Mutation
from tests.fixes.test_text_edit import COMPANY, SHARED
from tests.fixes.workbench import situation

# Of the changes that break, at least so many have a fix; the rest is argued in docs/fixes.md.
SHARE = 0.95


def specifications() -> list[Path]:
    found = [*COMPANY.rglob("openapi.*"), *SHARED.glob("cases/*/base.yaml"), *SHARED.glob("pairs/0[13]*/**/*.yaml")]
    return sorted(path for path in found if path.stat().st_size < 100_000)


def broken(random: Random, tmp_path: Path) -> tuple[Situation, list[Change], Mutation] | None:
    """A random specification on disk, and the same with a random edit; None where that came to nothing."""
    path, mutation = random.choice(specifications()), random.choice(MUTATIONS)
    editor = TextEditor(path.read_bytes(), path.name)
    edits = mutation(editor.says, random) if isinstance(editor.says, dict) else None
    if edits is None:
        return None
    try:
        head = editor.edit(apply(editor.says, edits)).data
    except PatchError:
        return None
    for side in ("base", "head"):
        for other in path.parent.rglob("*"):  # what it refers to
            if other.is_file() and other.suffix in (".yaml", ".json"):
                target = tmp_path / side / other.relative_to(path.parent)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(other.read_bytes())
    (tmp_path / "head" / path.name).write_bytes(head)
    trees = (DirectoryTree(tmp_path / side, tmp_path) for side in ("base", "head"))
    made, changes = situation(*trees, {"api": path.name})
    return made, changes, mutation


def holds(fix: Fix, made: Situation, changes: list[Change], folder: Path) -> None:
    """Write a fix, read the files again, compare; and put everything back by the diffs alone."""
    before = {path: path.read_bytes() for path in (folder / "head").rglob("*") if path.is_file()}
    written = apply_fix(fix, folder)
    tree = DirectoryTree(folder / "head", folder)
    patched = read_api(Documents(tree), made.head["api"].document.address, "api")
    left = {each.fingerprint for each in compare(made.base["api"], patched) if each.severity is Severity.BREAKING}
    known = {each.fingerprint for each in changes if each.severity is Severity.BREAKING}
    assert not left & set(fix.changes), "something that was addressed still breaks"
    assert left <= known, "something new breaks"
    for path, data in before.items():
        if path not in written:
            assert path.read_bytes() == data, "another file was touched"
    for patch in fix.patches:
        after = (folder / patch.file).read_bytes()
        assert comments(after) == comments(before[folder / patch.file]), "a comment was touched"
    for patch in reversed(fix.patches):
        subprocess.run(["git", "apply", "-R", "-"], cwd=folder, input=patch.diff.encode(), check=True)
    for path, data in before.items():
        assert blob_id(path.read_bytes()) == blob_id(data), "the diff is not the whole difference"


def comments(data: bytes) -> list[bytes]:
    """The lines of a file that are comments alone."""
    return re.findall(rb"(?m)^\s*#.*$", data)


def trials(seeds: range, tmp_path: Path) -> None:
    wanted = mended = 0
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        found = broken(Random(seed), folder)
        if found is None:
            continue
        made, changes, mutation = found
        breaking = {each.fingerprint for each in changes if wants_fix(each)}
        offered = propose(made, changes).fixes
        fixed = {change for fix in offered for change in fix.changes}
        wanted += len(breaking)
        mended += len(breaking & fixed)
        for fix in offered:
            assert fix.verification.verified, (seed, mutation.__name__)
            holds(fix, made, changes, folder)
    assert wanted
    assert mended >= SHARE * wanted


def test_what_is_offered_holds_on_disk(tmp_path: Path) -> None:
    """Every fix for a random breaking edit verifies again from the files it was written to."""
    trials(range(60), tmp_path)


@pytest.mark.slow
def test_what_is_offered_holds_on_disk_at_length(tmp_path: Path) -> None:
    """The same, many times over."""
    trials(range(1_000, 2_000), tmp_path)
