"""The release, from the built files: what is in them, and that they install into an empty environment and run."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import guardian

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sdist, and the wheel made of it."""
    pytest.importorskip("build", reason="the release extra is not installed")
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", folder, ROOT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def empty(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel and what it asks for, and nothing else."""
    folder = tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    [wheel] = dist.glob("*.whl")
    pip = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return programs


def run(place: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=place, capture_output=True, text=True, encoding="utf-8", check=False)


def test_the_files_carry_the_version(dist: Path) -> None:
    """The version is that of guardian/__init__.py, in both files' names."""
    names = sorted(path.name for path in dist.iterdir())
    version = guardian.__version__
    assert names == [f"contract_guardian-{version}-py3-none-any.whl", f"contract_guardian-{version}.tar.gz"]


def test_the_wheel_holds_the_package_and_nothing_else(dist: Path) -> None:
    """Types, pages, styles and tables are in it; tests and documentation are not."""
    [wheel] = dist.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"guardian", "contract_guardian"}
    assert "guardian/report/page.html" in names
    assert "guardian/rules/oasdiff.tsv" in names
    assert any(name.startswith("guardian/learn/workflow/specifications/") for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_sdist_holds_the_tests(dist: Path) -> None:
    """Who packages guardian for others can test it."""
    [sdist] = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    assert {"tests/conftest.py", "fixtures/apply.py", "docs/tutorial.md", "CHANGELOG.md"} <= names


def test_it_runs(empty: Path, tmp_path: Path) -> None:
    """The command and the module are the same program, of this version."""
    for command in ([empty / "guardian"], [empty / "python", "-m", "guardian"]):
        done = run(tmp_path, *command, "--version")
        assert (done.returncode, done.stdout) == (0, f"guardian {guardian.__version__}\n"), done.stderr


def test_it_checks(empty: Path, tmp_path: Path) -> None:
    """Two files, nothing else: a removed operation is found, and every report format is written."""
    base = '{"openapi": "3.1.0", "info": {"title": "T", "version": "1.0.0"}, "paths": {"/a": {"get": {"responses": {"200": {"description": "ok"}}}}}}'
    (tmp_path / "base.json").write_text(base, encoding="utf-8")
    (tmp_path / "head.json").write_text(base.replace("/a", "/b"), encoding="utf-8")
    for format in ("terminal", "json", "sarif", "junit", "markdown", "html", "github", "gitlab"):
        done = run(
            tmp_path, empty / "guardian", "check", "--base", "base.json", "--head", "head.json", "--format", format
        )
        assert done.returncode == 1, done.stderr
        assert "operation-removed" in done.stdout


@pytest.mark.parametrize("name", ["config", "manifest", "exceptions", "report"])
def test_it_carries_its_schemas(empty: Path, tmp_path: Path, name: str) -> None:
    """The schemas are made in the empty environment too."""
    done = run(tmp_path, empty / "guardian", "schema", name)
    assert done.returncode == 0, done.stderr
