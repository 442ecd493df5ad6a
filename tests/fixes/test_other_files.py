"""Fixes of documents in several files, where both sides are folders of one tree: what is head's leads into head alone."""

from __future__ import annotations

import json

import pytest

from guardian.fixes.bench import Bench
from guardian.model import Strategy
from guardian.spec.trees import MemoryTree
from tests.fixes.workbench import SUNSET, passes, situation, tried

ENTRY = """\
openapi: 3.0.3
info: {title: A, version: 1.0.0}
paths:
  /a: {$ref: paths/a.yaml}
"""
PATH = """\
get:
  parameters:
    - $ref: ../parameters.yaml#/Query
  responses:
    "200":
      description: ok
      content:
        application/json:
          schema: {$ref: ../models/user.yaml}
"""
QUERY = "Query:\n  name: q\n  in: query\n  schema: {type: string}\n"
USER = "type: object\nrequired: [id, name]\nproperties:\n  id: {type: string}\n  name: {$ref: 'names.yaml#/Name'}\n"
LESS = "type: object\nrequired: [id]\nproperties:\n  id: {type: string}\n"
NAMES = "Name: {type: string, maxLength: 5}\n"
FILES = {
    "api.yaml": ENTRY,
    "paths/a.yaml": PATH,
    "parameters.yaml": QUERY,
    "models/user.yaml": USER,
    "models/names.yaml": NAMES,
}


def side_by_side(head: dict[str, str], *, gone: tuple[str, ...] = ()) -> Bench:
    """Both sides in one tree, as `--base old/api.yaml --head new/api.yaml` has them."""
    after = {name: text for name, text in {**FILES, **head}.items() if name not in gone}
    sides = {"old": FILES, "new": after}
    tree = MemoryTree(
        {f"{side}/{name}": text.encode() for side, files in sides.items() for name, text in files.items()}
    )
    return Bench(*situation(tree, tree, {"users": ("old/api.yaml", "new/api.yaml")}))


@pytest.mark.parametrize(
    ("head", "gone", "strategies"),
    [
        ({"models/user.yaml": LESS}, (), ["deprecation_window", "version_bump"]),
        ({"models/user.yaml": LESS}, ("models/names.yaml",), ["deprecation_window", "version_bump"]),
        ({"paths/a.yaml": PATH.replace("get:", "put:")}, (), ["deprecation_window"]),
        ({"paths/a.yaml": PATH.replace("{$ref: ../models/user.yaml}", "{type: object}")}, (), ["deprecation_window"]),
        ({"models/names.yaml": "Name: {type: integer}\n"}, (), ["deprecation_window", "version_bump"]),
        ({"parameters.yaml": f"{QUERY}  required: true\n"}, (), ["deprecation_window", "version_bump"]),
    ],
)
def test_what_is_restored_refers_to_files_of_head(
    head: dict[str, str], gone: tuple[str, ...], strategies: list[str]
) -> None:
    """Base's files may be a checkout that is gone tomorrow; nothing of head's leads there."""
    on = side_by_side(head, gone=gone)
    assert set(strategies) <= set.intersection(*passes(on).values())
    for strategy in strategies:
        outcome = tried(on, Strategy(strategy)).outcome
        assert outcome.trial is not None
        assert all(file.patch.file.startswith("new/") for file in outcome.trial.files)
        assert "old/" not in json.dumps([file.says for file in outcome.trial.files])


def test_a_parameter_in_a_file_of_parameters_may_be_left_out_for_a_while() -> None:
    """The finding points into it, and no key around it says that it is one."""
    on = side_by_side({"parameters.yaml": f"{QUERY}  required: true\n"})
    outcome = tried(on, Strategy.DEPRECATION_WINDOW).outcome
    assert outcome.trial is not None
    assert outcome.trial.files[0].says["Query"]["x-required-from"] == SUNSET


def test_a_file_that_both_sides_use_stays_one() -> None:
    """Head's document moved, and what it refers to did not."""
    shared = {"models/user.yaml": USER, "models/names.yaml": NAMES, "parameters.yaml": QUERY}
    base, head = PATH, PATH.replace("get:", "put:").replace("../", "../../")
    files = {**shared, "api.yaml": ENTRY, "paths/a.yaml": base, "new/api.yaml": ENTRY, "new/paths/a.yaml": head}
    tree = MemoryTree({name: text.encode() for name, text in files.items()})
    on = Bench(*situation(tree, tree, {"users": ("api.yaml", "new/api.yaml")}))
    outcome = tried(on, Strategy.DEPRECATION_WINDOW).outcome
    assert outcome.verification.verified, outcome.reason
    assert outcome.trial is not None
    assert "../../models/user.yaml" in json.dumps(
        [file.says["get"] for file in outcome.trial.files if "get" in file.says]
    )
