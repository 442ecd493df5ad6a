"""``guardian import``: manifests out of other files, printed or written."""

from __future__ import annotations

import json
import os
from pathlib import Path

from guardian.spec.text import load, load_all
from tests.cli.conftest import Guardian

SPEC = "openapi: 3.1.0\ninfo: {title: Users, version: '1'}\npaths:\n  /users/{id}: {get: {}}\n"
PACT = {
    "consumer": {"name": "Web Shop"},
    "provider": {"name": "Users Service"},
    "interactions": [
        {"request": {"method": "get", "path": "/users/1"}, "response": {"status": 200, "body": {"id": 1}}}
    ],
    "messages": [{}],
}
HAR = {"log": {"entries": [{"request": {"method": "GET", "url": "http://h/users/1"}, "response": {"status": 200}}]}}


def lay(folder: Path) -> None:
    (folder / "users.yaml").write_text(SPEC)
    (folder / "guardian.yaml").write_text("services: {users: {spec: users.yaml}}\n")
    (folder / "p.json").write_text(json.dumps(PACT))
    (folder / "x.har").write_text(json.dumps(HAR))


def test_manifests_are_printed(guardian: Guardian, tmp_path: Path) -> None:
    """Without --output the manifest goes to standard output, what was left out to standard error."""
    lay(tmp_path)
    outcome = guardian("import", "pact", "p.json")
    assert outcome.code == 0
    manifest = load(outcome.out.encode(), "m.yaml")
    assert manifest["consumer"] == "Web Shop"
    assert manifest["uses"] == [
        {"service": "users", "operation": "GET /users/{id}", "reads": ["id"], "sends": [], "responses": ["200"]}
    ]
    assert "they are messages" in outcome.err


def test_a_provider_by_the_name_of_several(guardian: Guardian, tmp_path: Path) -> None:
    """A pact may name the entry of guardian.yaml whose glob has several documents: it means the one with the operation."""
    lay(tmp_path)
    (tmp_path / "people.yaml").write_text(SPEC.replace("/users/", "/people/"))
    (tmp_path / "guardian.yaml").write_text("services: {shop: {spec: '[pu]*.yaml'}}\n")
    (tmp_path / "p.json").write_text(json.dumps({**PACT, "provider": {"name": "shop"}}))
    outcome = guardian("import", "pact", "p.json")
    assert outcome.code == 0
    (use,) = load(outcome.out.encode(), "m.yaml")["uses"]
    assert (use["service"], use["operation"]) == ("shop/users", "GET /users/{id}")
    assert "is no service here" not in outcome.err


def test_manifests_are_written(guardian: Guardian, tmp_path: Path) -> None:
    """With --output each consumer has its file; one that is there is not overwritten unasked."""
    lay(tmp_path)
    assert guardian("import", "p.json", "x.har", "--consumer", "probe", "--output", "consumers").code == 0
    assert sorted(path.name for path in (tmp_path / "consumers").iterdir()) == ["probe.yaml", "web-shop.yaml"]
    again = guardian("import", "p.json", "--output", "consumers")
    assert again.code == 2
    assert "--force" in again.err
    assert guardian("import", "p.json", "--output", "consumers", "--force").code == 0


def test_written_manifests_are_declarations(guardian: Guardian, tmp_path: Path) -> None:
    """What import writes, check reads."""
    lay(tmp_path)
    guardian("import", "p.json", "--output", "consumers")
    (tmp_path / "gone.yaml").write_text(SPEC.replace("{id}", "{id}/x"))
    outcome = guardian(
        "check", "--base", "users.yaml", "--head", "gone.yaml", "--service", "users", "--consumers", "consumers",
        "--format", "json", "--no-fixes",
    )  # fmt: skip
    assert json.loads(outcome.out)["summary"]["consumers_broken"] == ["Web Shop"]


def test_specifications_can_be_named(guardian: Guardian, tmp_path: Path) -> None:
    """Without guardian.yaml the documents come by flag."""
    lay(tmp_path)
    (tmp_path / "guardian.yaml").unlink()
    outcome = guardian("import", "har", "x.har", "--spec", "accounts=users.yaml")
    assert load(outcome.out.encode(), "m.yaml")["uses"][0]["service"] == "accounts"


def test_wrong_kinds_are_refused(guardian: Guardian, tmp_path: Path) -> None:
    """A kind that is named excludes the others; a kind without files, or files without consumers, are usage errors."""
    lay(tmp_path)
    wrong = guardian("import", "har", "p.json")
    assert (wrong.code, "this is pact, not har" in wrong.err) == (2, True)
    assert guardian("import", "pact").code == 2
    assert guardian("import", "users.yaml").code == 3
    assert guardian("import", "nope.json").code == 3


def test_code_is_read(guardian: Guardian, tmp_path: Path) -> None:
    """`import code` writes one manifest into the file that is named, with the line of each read; what is unseen is said."""
    lay(tmp_path)
    (tmp_path / "guardian.yaml").unlink()
    (tmp_path / "client").mkdir()
    (tmp_path / "client/users.py").write_text(
        "import requests\n\ndef email(id):\n    user = requests.get(f'{BASE}/users/{id}').json()\n"
        "    print(user['email'])\n    return user\n"
    )
    target = "consumers/me.yaml"
    args = ("import", "code", "client", "--service", "accounts=users.yaml", "--consumer", "me", "--output", target)
    outcome = guardian(*args)
    assert outcome.code == 0
    assert "client/users.py:6: " in outcome.err
    text = (tmp_path / target).read_text()
    assert "- email    # client/users.py:5" in text
    assert load(text.encode(), target) == {
        "consumer": "me",
        "uses": [
            {
                "service": "accounts",
                "operation": "GET /users/{id}",
                "reads": ["email"],
                "partial": True,
                "sends": [],
            }
        ],
    }
    assert guardian(*args).code == 2  # it is there
    assert guardian("import", "code", "nowhere", "--service", "accounts=users.yaml").code == 2
    assert guardian("import", "code", "client", "--service", "nobody").code == 2


def test_a_link_to_itself_is_said_to(guardian: Guardian, tmp_path: Path) -> None:
    """Wherever a file is named."""
    lay(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    for args in (("loop",), ("code", "loop"), ("--spec", "users=loop", "app")):
        outcome = guardian("import", *args)
        assert outcome.code in (2, 3), args
        assert outcome.err.startswith("error: loop"), args


def test_nothing_to_remark(guardian: Guardian, tmp_path: Path) -> None:
    """Files that hold no call at all are told so; no remark is spoken of that is not there."""
    lay(tmp_path)
    (tmp_path / "x.har").write_text(json.dumps({"log": {"entries": []}}))
    outcome = guardian("import", "x.har")
    assert outcome.code == 2
    assert "hold no call" in outcome.err and "remarks above" not in outcome.err


def test_the_caller_of_a_log(guardian: Guardian, tmp_path: Path) -> None:
    """--consumer says who calls in the lines of a log that do not say it themselves."""
    lay(tmp_path)
    line = '- - {} [01/Jan/2026:00:00:00 +0000] "GET /users/1 HTTP/1.1" 200 1 "-" "Mozilla/5.0"\n'
    (tmp_path / "access.log").write_text(line.format("-") + line.format("billing"))
    outcome = guardian("import", "access.log", "--consumer", "web")
    assert [each["consumer"] for each in load_all(outcome.out.encode(), "m.yaml")] == ["billing", "web"]


def test_pipes_are_read(guardian: Guardian, tmp_path: Path) -> None:
    """`import <(...)`: sources and specifications come from pipes as well, which can be read once."""
    lay(tmp_path)
    pipes = []
    for data in (json.dumps(PACT), SPEC):
        out, into = os.pipe()
        os.write(into, data.encode())
        os.close(into)
        pipes.append(out)
    outcome = guardian("import", f"/dev/fd/{pipes[0]}", "--spec", f"users=/dev/fd/{pipes[1]}")
    assert load(outcome.out.encode(), "m.yaml")["uses"][0]["service"] == "users"
    assert guardian("import", "/dev/null").err.startswith("error: /dev/null: declares no consumer\n")


def test_consumers_are_files(guardian: Guardian, tmp_path: Path) -> None:
    """--consumers takes no pipe, in a sentence that says what to do."""
    lay(tmp_path)
    outcome = guardian("usage", "--consumers", "/dev/null")
    assert outcome.code == 2
    assert "/dev/null: a pipe or a device, where consumers are files or folders\n  write it into a file" in outcome.err


def test_what_cannot_be_written_is_named(guardian: Guardian, tmp_path: Path) -> None:
    """It is the manifest that cannot be written, no report."""
    lay(tmp_path)
    outcome = guardian("import", "p.json", "--output", "p.json/m.yaml")
    assert outcome.code == 2
    assert "p.json/m.yaml: cannot write the file: " in outcome.err and "report" not in outcome.err


def test_two_consumers_of_one_file(guardian: Guardian, tmp_path: Path) -> None:
    """Names that make the same file are refused, and nothing is written."""
    lay(tmp_path)
    (tmp_path / "q.json").write_text(json.dumps({**PACT, "consumer": {"name": "web-shop!"}}))
    outcome = guardian("import", "p.json", "q.json", "--output", "out", "--force")
    assert outcome.code == 2
    assert "the manifests of 'Web Shop' and 'web-shop!' would both be web-shop.yaml in out" in outcome.err
    assert not (tmp_path / "out").exists()
