"""Services that nobody touched are passed over unread; nothing that changed hides behind that."""

from __future__ import annotations

from pathlib import Path

import pytest

from guardian.check.service import Service
from guardian.check.sides import Sides
from guardian.check.untouched import Untouched, _targets
from guardian.spec.sources import Side
from guardian.spec.trees import DirectoryTree
from tests.check.conftest import Guardian
from tests.check.repo import Folder, Repo

HEAD = """\
openapi: 3.1.0
info: {title: Users, version: "1"}
paths:
  /users/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "200":
          description: all
          content:
            application/json:
              schema:
"""

# Every way in which a specification can say that its schema is in another file.
SPELLINGS = [
    pytest.param("$ref: other.yaml#/User", id="plain"),
    pytest.param("$ref: './other.yaml#/User'", id="single quotes"),
    pytest.param('"$ref": "other.yaml#/User"', id="double quotes"),
    pytest.param('"\\u0024ref": "other.yaml#/User"', id="an escaped key"),
    pytest.param('"\\x24ref": "other.yaml#/User"', id="another escape"),
    pytest.param("? $ref\n                : other.yaml#/User", id="an explicit key"),
    pytest.param("$ref:\n                  other.yaml#/User", id="the next line"),
    pytest.param("$ref: >-\n                  other.yaml#/User", id="a folded value"),
    pytest.param("$ref: !!str other.yaml#/User", id="a tag"),
    pytest.param("$ref: &there other.yaml#/User", id="an anchor"),
    pytest.param('$ref: "other.yaml\\u0023/User"', id="an escaped value"),
    pytest.param('$ref: "oth%65r.yaml#/User"', id="percent-encoded"),
    pytest.param('allOf: [{$ref: "other.yaml#/User"}]', id="flow style"),
    pytest.param('allOf: [{"$ref":"other.yaml#/User"}]', id="flow style without spaces"),
    pytest.param("$ref: deep/../other.yaml#/User", id="a detour"),
    pytest.param("$ref: step.yaml#/User", id="by way of a third file"),
    pytest.param("$ref: step.yaml", id="a whole file"),
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_change_in_another_file_is_seen(check: Guardian, repo: Repo, spelling: str):
    """A specification whose own bytes are the same is looked into if a file that it refers to changed."""
    user = "User: {type: object, required: [id, email], properties: {id: {type: string}, email: {type: string}}}\n"
    repo.git("checkout", "--quiet", "main")
    repo.write("specs/users.yaml", HEAD + f"                {spelling}\n")
    repo.write("specs/other.yaml", user)
    step = "$ref: other.yaml#/User\nUser: {$ref: 'other.yaml#/User'}\n"
    repo.write("specs/step.yaml", step)
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    assert check(repo).changes == []
    repo.write("specs/other.yaml", user.replace("email: {type: string}", "email: {type: integer}"))
    outcome = check(repo)
    assert outcome.rules == ["type-changed"]
    assert outcome.only("type-changed")["head"]["file"] == "specs/other.yaml"


def test_a_security_scheme_in_another_file_is_seen(check: Guardian, repo: Repo):
    """OpenAPI 3.2 names it by its URI, without any reference."""
    repo.git("checkout", "--quiet", "main")
    spec = HEAD.replace("openapi: 3.1.0", "openapi: 3.2.0").replace(
        "    get:\n", "    get:\n      security: [{'auth.yaml#/key': []}]\n"
    )
    repo.write("specs/users.yaml", spec + "                type: string\n")
    repo.write("specs/auth.yaml", "key: {type: apiKey, in: header, name: X-Key}\n")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("specs/auth.yaml", "key: {type: apiKey, in: header, name: X-Api-Key}\n")
    assert "security-scheme-changed" in check(repo).rules


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_change_behind_another_encoding_is_seen(check: Guardian, repo: Repo, encoding: str):
    """So is one whose specification is not written in plain UTF-8."""
    repo.git("checkout", "--quiet", "main")
    repo.write("specs/users.yaml", (HEAD + "                $ref: other.yaml#/User\n").encode(encoding))
    repo.write("specs/other.yaml", "User: {type: string}\n")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("specs/other.yaml", "User: {type: integer}\n")
    assert check(repo).rules == ["type-changed"]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ('{"$ref": "#/components/schemas/User"}', []),
        ('{"$ref":"../a/b.yaml#/X","x":{"$ref":"c.json"}}', ["a/b.yaml", "specs/c.json"]),
        ("$ref: '#/a'\n", []),
        ("$ref: b.yaml#/a\n", ["specs/b.yaml"]),
        ("description: how to use $ref here\n", None),
        ("$ref: #/a\n", None),
        ("$ref: *x\n", None),
        ('$ref: "https://example.org/a.yaml"\n', None),
        ("$ref: /etc/passwd\n", None),
        ("$id: https://example.org/a\n$ref: b.yaml\n", None),
        ("$dynamicRef: '#x'\n", None),
        ("$recursiveRef: '#'\n", None),
        ("mapping: {a: b.yaml}\n", None),
        ("mapping: {a: '#/components/schemas/A'}\n", []),
        ("operationRef: other.json#/paths\n", None),
        ("mapping:\n  a: '#/components/schemas/A'\nx: see b.yaml\n", []),
        ("a:\n  - mapping:\n\n      a: b.yaml\n", None),
        ("a:\n  mapping:\n    a: A\n  # the end\n  x: b.yaml\n", []),
        ("mapping: *kept\nx: {a: b.yaml}\n", None),
        ('{"mapping": {"a": "A"}, "description": "see b.yaml"}', []),
        ('{"mapping":\n  {"a": "b.json"}}', None),
        ('{"m\\u0061pping": {"a": "b.json"}}', None),
        ("openapi: 3.2.0\nsecurity: [{'./auth.yaml#/key': []}]\n", None),
        ('{"openapi":"3.2.0","security":[{"auth.json#/key":[]}]}', None),
        ("openapi: 3.2.0\npaths:\n  /things.json:\n    get: {}\n", []),
        ("openapi: 3.1.0\nsecurity: [{'./auth.yaml#/key': []}]\n", []),
        ('{"description": "less \\u003c more"}', []),
    ],
)
def test_what_a_text_refers_to(text: str, targets: list[str] | None):
    """References in their usual forms are found in the text; where there may be others, it is read properly."""
    assert _targets(text.encode(), "specs/users.yaml") == targets


@pytest.mark.parametrize(
    ("head", "untouched", "read"),
    [
        pytest.param(HEAD, True, True, id="the same"),
        pytest.param(HEAD.replace("Users", "USERS"), False, True, id="as long"),
        pytest.param(HEAD + "#", False, False, id="longer"),
    ],
)
@pytest.mark.parametrize("name", ["a.yaml", "b.yaml"])
def test_files_of_other_sizes_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, head: str, untouched: bool, read: bool
):
    """Files on disk whose sizes differ are not the same, by the same name or another, and that is seen without reading."""
    reads: list[str] = []
    original = DirectoryTree.read
    monkeypatch.setattr(DirectoryTree, "read", lambda tree, path: (reads.append(path), original(tree, path))[1])
    base = Folder(tmp_path / "base")
    base.write("a.yaml", HEAD)
    new = Folder(tmp_path / "head")
    new.write(name, head)
    sides = Sides(Side(DirectoryTree(base.folder), "a.yaml"), Side(DirectoryTree(new.folder), name))
    assert Untouched(sides)(Service("users", "a.yaml", name)) is untouched
    assert bool(reads) is read


def test_a_linked_work_tree(check: Guardian, repo: Repo):
    """A further work tree of a repository is a repository like any other."""
    other = repo.folder.parent / "other"
    repo.git("worktree", "add", "--quiet", "-b", "topic", str(other))
    text = (other / "specs/users.yaml").read_text()
    (other / "specs/users.yaml").write_text(text.replace("nickname: {type: string}", "nickname: {type: integer}"))
    assert check(other).rules == ["type-changed"]
    assert check(repo).changes == []
