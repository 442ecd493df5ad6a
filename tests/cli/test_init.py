"""`guardian init`: a first guardian.yaml that names what is there, and that guardian can read."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from guardian.cli.scan import name_services
from guardian.cli.settings import read_config
from guardian.config import Service

SPEC = 'openapi: 3.0.3\ninfo: {title: t, version: "1"}\npaths: {}\n'
PACT = json.dumps({"consumer": {"name": "a"}, "provider": {"name": "b"}, "interactions": []})


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    write(
        tmp_path,
        {
            "services/users/openapi.yaml": SPEC,
            "services/orders/api/v1.json": json.dumps({"openapi": "3.1.0", "paths": {}}),
            "services/users/notes.yaml": "title: openapi is fine\n",
            "tests/data/broken.yaml": SPEC,
            "ignored/openapi.yaml": SPEC,
            ".gitignore": "ignored/\n",
            ".github/CODEOWNERS": "* @acme/all\n/services/users/ @acme/identity\n",
            "pacts/a.json": PACT,
            "pacts/b.json": PACT,
            "consumers/billing.yaml": "consumer: billing\nuses: []\n",
            "consumers/README.yaml": "about: consumer manifests\n",
            "web/clients/users/api.ts": "",
            "gen/petstore/.openapi-generator/VERSION": "7",
            "catalog-info.yaml": "kind: Component\nmetadata: {name: web}\nspec: {consumesApis: ['api:default/users']}\n",
        },
    )
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def test_it_names_what_is_there(guardian, repository: Path):
    """Specifications by content with their owners, pacts and manifests as globs, and hints for the rest."""
    assert guardian("init").code == 0
    text = (repository / "guardian.yaml").read_text()
    config = read_config(repository / "guardian.yaml", repository)
    assert config.services == {
        "orders": Service(spec="services/orders/api/v1.json", owner="@acme/all"),
        "users": Service(spec="services/users/openapi.yaml", owner="@acme/identity"),
    }
    assert config.consumers == ("consumers/billing.yaml", "pacts/*.json")
    for hint in ("tests/data/broken.yaml", "#   web/clients\n", "#   gen/petstore\n", "#   web uses users\n"):
        assert hint in text
    assert "ignored" not in text


def test_it_does_not_overwrite(guardian, repository: Path):
    """A guardian.yaml that is there stays, unless --force says otherwise."""
    (repository / "guardian.yaml").write_text("mode: contract\n")
    refused = guardian("init")
    assert refused.code == 2
    assert "--force" in refused.err
    assert (repository / "guardian.yaml").read_text() == "mode: contract\n"
    assert guardian("init", "--force").code == 0
    assert "services:" in (repository / "guardian.yaml").read_text()


def test_dry_run_prints(guardian, repository: Path):
    """--dry-run prints what would be written, and writes nothing."""
    outcome = guardian("init", "--dry-run")
    assert outcome.code == 0
    assert "services/users/openapi.yaml" in outcome.out
    assert not (repository / "guardian.yaml").exists()


def test_nothing_is_there(guardian, tmp_path: Path):
    """In an empty folder outside of git it writes a file that says so, and that can be read."""
    assert guardian("init").code == 0
    config = read_config(tmp_path / "guardian.yaml", tmp_path)
    assert (config.services, config.consumers) == ({}, ())


def test_hostile_names(guardian, tmp_path: Path):
    """File names cannot leave their quotes or comments."""
    write(
        tmp_path, {'a"b: [c]/openapi.yaml': SPEC, "tests/x\nservices: 1\n/openapi.yaml": SPEC, "off/openapi.yaml": SPEC}
    )
    assert guardian("init").code == 0
    config = read_config(tmp_path / "guardian.yaml", tmp_path)
    assert config.services == {
        'a"b: [c]': Service(spec='a"b: [[]c]/openapi.yaml'),
        "off": Service(spec="off/openapi.yaml"),
    }


def test_names_are_written_as_people_read_them(guardian, tmp_path: Path):
    """In any language; what does not show is spelled out."""
    write(tmp_path, {"services/größe neu/openapi.yaml": SPEC, "services/a\u200bb/openapi.yaml": SPEC})
    assert guardian("init").code == 0
    text = (tmp_path / "guardian.yaml").read_text(encoding="utf-8")
    assert '"größe neu":' in text
    assert '"a\\u200bb":' in text
    assert set(read_config(tmp_path / "guardian.yaml", tmp_path).services) == {"größe neu", "a\u200bb"}


@pytest.mark.parametrize(
    ("specs", "names"),
    [
        (["openapi.yaml"], ["openapi"]),
        (["services/users/openapi.yaml", "services/orders/src/main/resources/api/v2/openapi.yml"], ["users", "orders"]),
        (["apis/users.yaml", "apis/orders-api.json"], ["users", "orders-api"]),
        (["a/users/openapi.yaml", "b/users/openapi.yaml"], ["a/users/openapi", "b/users/openapi"]),
        (["stripe/2024-06-20/spec3.yaml"], ["stripe"]),
        (["svc/openapi.json", "svc/openapi.yaml"], ["svc/openapi.json", "svc/openapi.yaml"]),
    ],
)
def test_names(specs: list[str], names: list[str]):
    """A service is named by the nearest telling part of its path, by all of it where two would share the name."""
    assert list(name_services(specs).values()) == names


def test_empty_folder_below_another_configuration(guardian, repository: Path, monkeypatch: pytest.MonkeyPatch):
    """An empty guardian.yaml is not put in front of one that says something; one with services is, and that is said."""
    (repository / "guardian.yaml").write_text("version: 1\n")
    (repository / "empty").mkdir()
    monkeypatch.chdir(repository / "empty")
    refused = guardian("init")
    assert refused.code == 2
    assert "would stand in front of ../guardian.yaml" in refused.err
    assert not (repository / "empty/guardian.yaml").exists()
    assert guardian("init", "--force").code == 0
    monkeypatch.chdir(repository / "services")
    outcome = guardian("init")
    assert outcome.code == 0
    assert "read in place of ../guardian.yaml" in outcome.err
