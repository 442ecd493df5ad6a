"""Patches: the overlay says the same as the operations, and the diff leads from one file's bytes to the other's."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from guardian.fixes.file_bytes import blob_id
from guardian.fixes.json_patch import PatchError, add, apply, equal, remove, replace
from guardian.fixes.overlay import overlay
from guardian.fixes.patch import PatchedFile, apply_patch, patch_file
from guardian.fixes.splices import LONG_LINE
from guardian.fixes.text_edit import TextEditor
from tests.fixes.test_text_edit import ANCHORS, USER, random_edit, real_files

_STEP = re.compile(r"\['((?:[^'\\]|\\.)*)'\]|\[(\d+)\]")


def applied(document: Any, made: dict[str, Any]) -> Any:
    """A document after an overlay, by the letter of Overlay 1.0.0: merge objects, append to lists, remove."""
    for action in made["actions"]:
        steps = [
            int(index) if index else re.sub(r"\\(.)", r"\1", name) for name, index in _STEP.findall(action["target"])
        ]
        if action.get("remove"):
            document = apply(document, [remove("".join(f"/{_escaped(str(step))}" for step in steps))])
            continue
        at = "".join(f"/{_escaped(str(step))}" for step in steps)
        document = apply(document, [replace(at, _merged(_at(document, steps), action["update"]))])
    return document


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _at(document: Any, steps: list[Any]) -> Any:
    for step in steps:
        document = document[step]
    return document


def _merged(target: Any, update: Any) -> Any:
    if isinstance(target, list):
        return [*target, update]
    assert isinstance(target, dict) and isinstance(update, dict)
    merged = dict(target)
    for key, value in update.items():
        both = isinstance(target.get(key), dict) and isinstance(value, dict)
        merged[key] = _merged(target[key], value) if both else value
    return merged


def patched(text: str, *operations: dict[str, Any], file: str = "a.yaml") -> PatchedFile:
    return patch_file(TextEditor(text.encode(), file), operations, "spec", title="An edit")


def test_the_overlay_is_the_patch() -> None:
    """For random edits of real files, the overlay leads where the operations lead."""
    random = Random(3)
    for path in real_files()[::3]:
        try:
            before = TextEditor(path.read_bytes(), path.name).says
        except PatchError:
            continue
        if not isinstance(before, dict):
            continue
        after = random_edit(random, before)
        if isinstance(after, dict):
            assert equal(applied(before, overlay(before, after, "x")), after), path


def test_an_overlay_names_its_version_and_title() -> None:
    """What Overlay 1.0.0 requires is there."""
    made = patched(USER, add("/tags/-", {"name": "a"})).patch.overlay
    assert made["overlay"] == "1.0.0"
    assert made["info"] == {"title": "An edit", "version": "1.0.0"}
    assert made["actions"] == [{"target": "$['tags']", "update": {"name": "a"}}]


def test_a_diff_leads_from_file_to_file() -> None:
    """For random edits of real files, whatever their line ends, the patch gives the very bytes."""
    random = Random(5)
    for path in real_files()[::2]:
        data = path.read_bytes() if random.random() < 0.7 else path.read_bytes().replace(b"\n", b"\r\n").rstrip()
        try:
            editor = TextEditor(data, path.name)
            after = random_edit(random, editor.says)
            made = patch_file(editor, [replace("", after)], "spec")
        except PatchError:
            continue
        if made.patch.diff:
            assert apply_patch(data, made.patch, path.name) == made.data


def test_git_applies_the_diff(tmp_path: Path) -> None:
    """The diff is one that git takes, and its blob ids are git's."""
    (tmp_path / "a.yaml").write_bytes(USER.encode())
    made = patched(USER, remove("/components/schemas/User/properties/id"), add("/x", {"y": ["z"]}))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=made.patch.diff.encode(), check=True)
    assert (tmp_path / "a.yaml").read_bytes() == made.data
    named = subprocess.run(["git", "hash-object", "a.yaml"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert named.stdout.strip() == blob_id(made.data)


def test_very_long_lines_are_shown_where_they_change() -> None:
    """A document in one line: the diff says how much it leaves out, and what is written is exact all the same."""
    text = json.dumps({"a": "x" * 5_000, "b": 1, "c": ["é" * 5_000, 2], "d": "z" * 9_000})
    made = patched(text, replace("/b", 7), add("/c/-", "y" * 4_000))
    removed, added = (row for row in made.patch.diff.split("\n") if row[:2] in ("-{", "+{", "-.", "+."))
    assert removed.startswith("-...(4,") and '"b": 1, "c"' in removed and "characters left out)..." in removed
    assert '"b": 7, "c"' in added and ', "yyy' in added and 'yyy"]' in added
    assert len(made.patch.diff) < 3_000
    assert apply_patch(text.encode(), made.patch, "a.yaml") == made.data
    assert json.loads(made.data) == made.says


def test_lines_beside_very_long_ones_are_shown_in_full() -> None:
    """A long line is shortened as context too, and where the whole of it goes; its neighbours are not."""
    text = "one: 1\ntwo: " + "x" * 3_000 + "\nthree: 3\nfour: " + "y" * 30_000 + "\nfive: 5\n"
    made = patched(text, replace("/three", 4), remove("/four"))
    rows = made.patch.diff.splitlines()[5:]
    assert [row[:8] for row in rows] == [" one: 1", " two: xx", "-three: ", "-four: y", "+three: ", " five: 5"]
    assert [len(row) > 2_000 for row in rows] == [False] * 6
    assert rows[1].endswith("x...(2,905 characters left out)...")
    assert apply_patch(text.encode(), made.patch, "a.yaml") == made.data


def test_lines_of_usual_length_are_exact() -> None:
    """Up to the limit nothing is left out, and the diff alone is what is written."""
    text = "one: 1\ntwo: " + "x" * (LONG_LINE - 6) + "\n"
    made = patched(text, replace("/one", 4))
    assert (made.patch.edits, "left out" in made.patch.diff) == ((), False)
    assert patched("#" + text, replace("/two", 4)).patch.edits == ()
    assert patched(text.replace("two", "twoo"), replace("/one", 4)).patch.edits != ()


def test_a_file_that_changed_is_refused() -> None:
    """A diff goes on the bytes that it was made for, and on no others."""
    made = patched(USER, remove("/tags"))
    with pytest.raises(PatchError, match="changed since it was checked"):
        apply_patch(USER.encode() + b"\n", made.patch, "a.yaml")


def test_a_shared_place_is_patched_with_all_its_users_named() -> None:
    """The operations say every place that changes, not only the one that was asked for."""
    made = patched(ANCHORS, replace("/one/format", "uri"))
    assert {each["path"] for each in made.patch.json_patch} == {"/base/format", "/one/format", "/two/format"}
    assert equal(apply(TextEditor(ANCHORS.encode(), "a.yaml").says, made.patch.json_patch), made.says)
