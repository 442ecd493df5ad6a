"""What a hostile repository may hold: each is refused or neutralised, with the right exit code, and nothing is let out."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from guardian.spec.size import MAX_BYTES
from tests.check.conftest import Guardian
from tests.check.repo import CONFIG, USERS, USERS_RENAMED, Folder, Repo

SECRET = "root:x:0:0:a secret"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside of the repository that no report may quote."""
    file = tmp_path / "secret.yaml"
    file.write_text(f"password: {SECRET}\n")
    return file


# --- references ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("/etc/passwd", "leads out of"),
        ("../../secret.yaml#/password", "leads out of"),
        ("../../../../../../../../etc/passwd", "leads out of"),
        ("..%2F..%2Fsecret.yaml#/password", "leads"),
        ("file:///etc/passwd", "neither a file"),
        ("file://SECRET#/password", "neither a file"),
        ("http://169.254.169.254/latest/meta-data/", "--allow-remote-refs 169.254.169.254"),
        ("https://example.invalid/user.yaml#/User", "--allow-remote-refs example.invalid"),
        ("//example.invalid/user.yaml", "--allow-remote-refs"),
        ("ftp://example.invalid/user.yaml", "neither a file"),
        ("data:application/json,{}", "neither a file"),
        ("C:/Windows/win.ini", "neither a file"),
        ("link.yaml#/password", "leads"),
        ("linked/secret.yaml#/password", "leads"),
        ("users.yaml\\u0000.png", "leads"),
        ("-", "leads nowhere"),
        (".", "leads"),
    ],
)
def test_references_that_lead_out(check: Guardian, repo: Repo, secret: Path, target: str, said: str):
    """A reference out of the repository, to a file URL or the network is refused with its line, and quotes nothing."""
    ref = json.dumps(target.replace("SECRET", str(secret))).replace("\\\\u0000", "\\u0000")
    repo.write("specs/users.yaml", USERS.replace('"#/components/schemas/User"', ref))
    (repo.folder / "specs/link.yaml").symlink_to(secret)
    (repo.folder / "specs/linked").symlink_to(secret.parent)
    outcomes = [check(repo)]
    if "link" in target:  # links are git's to follow in a revision
        repo.commit()
        outcomes.append(check(repo, "--base", "main", "--head", "HEAD"))
    for outcome in outcomes:
        assert (outcome.code, outcome.out) == (3, "")
        assert outcome.err.startswith("error: specs/users.yaml:13:")
        assert said in outcome.err
        assert SECRET not in outcome.err


@pytest.mark.parametrize("what", ["file", "folder", "loop", "dangling"])
def test_links_out_of_the_repository(check: Guardian, repo: Repo, secret: Path, what: str, tmp_path: Path):
    """A specification that is a link out of the repository is not followed, whether it is found or named."""
    found = Repo.copy(repo, tmp_path / "found")
    found.never_had("guardian.yaml")
    for each in (repo, found):
        _lead_out(each, secret, what)
    outcome = check(repo)
    assert outcome.code == 1  # gone, as far as this repository is concerned
    assert outcome.rules == ["operation-removed"]
    outcome = check(found, "--consumers", "consumers/*.yaml")
    assert outcome.code == (3 if what == "folder" else 1)
    assert "mail" not in outcome.out


def _lead_out(repo: Repo, secret: Path, what: str) -> None:
    spec = repo.folder / "specs" / "users.yaml"
    secret.with_name("users.yaml").write_text(USERS_RENAMED)
    if what == "folder":
        spec.unlink()
        spec.parent.rmdir()
        spec.parent.symlink_to(secret.parent)
    else:
        spec.unlink()
        spec.symlink_to({"file": secret.with_name("users.yaml"), "loop": spec, "dangling": "nowhere"}[what])


def test_links_inside_the_repository(check: Guardian, repo: Repo):
    """A link that stays inside is the file it leads to, on both sides."""
    repo.git("checkout", "--quiet", "main")
    repo.git("mv", "specs/users.yaml", "specs/real.yaml")
    (repo.folder / "specs/users.yaml").symlink_to("real.yaml")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("specs/real.yaml", USERS_RENAMED)
    assert "property-removed" in check(repo).rules


def test_the_file_that_was_named_may_be_a_link(check: Guardian, folder: Folder, secret: Path):
    """Somebody who names a link means what it leads to; its references stay beside that."""
    folder.write("was.yaml", USERS)
    secret.with_name("users.yaml").write_text(USERS_RENAMED)
    (folder.folder / "now.yaml").symlink_to(secret.with_name("users.yaml"))
    outcome = check(folder, "--base", "was.yaml", "--head", "now.yaml")
    assert outcome.code == 1


# --- names --------------------------------------------------------------------------------------------------------

NAMES = [
    "new\nline.yaml",
    "tab\there.yaml",
    "\x1b[31mred.yaml",
    "::error::.yaml",
    "##[error].yaml",
    "<script>alert(1)</script>.yaml",
    "[bold]markup[/].yaml",
    "@everyone `code` |table| .yaml",
    "right\u202eto left.yaml",
    "-rf.yaml",
    "--output=x.yaml",
    "a:b.yaml",
    'quo"te.yaml',
    "back\\slash.yaml",
    "space .yaml",
    "emoji-\U0001f4a5.yaml",
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_of_files(guardian: Guardian, repo: Repo, name: str):
    """A file may be called anything: it is compared as any other, and no format lets its name do anything."""
    repo.remove("guardian.yaml")
    repo.git("checkout", "--quiet", "main")
    repo.write(f"specs/{name}", USERS.replace("/users/", "/odd/"))
    repo.git("add", "--all")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write(f"specs/{name}", USERS_RENAMED.replace("/users/", "/odd/"))
    repo.commit()
    formats = ("terminal", "json", "sarif", "junit", "markdown", "html", "github", "gitlab")
    reports = [f"--report={format}=../out/{format}" for format in formats]
    outcome = guardian(repo, "check", "--base", "main", *reports)
    assert (outcome.code, outcome.err) == (1, "")
    assert guardian(repo, "check", "--base", "main", "--head", "HEAD").code == 1
    assert "\x1b" not in outcome.out
    assert "\u202e" not in outcome.out
    for format in formats:
        text = (repo.folder.parent / "out" / format).read_text()
        assert "\x1b" not in text
        assert not any(line.startswith(("::error::", "##[")) for line in text.splitlines()), format
        assert "<script>alert(1)" not in text or format not in ("html", "junit")
    report = json.loads((repo.folder.parent / "out/json").read_text())
    (removed,) = [each for each in report["changes"] if each["rule"] == "property-removed"]
    assert removed["head"]["line"] == 19
    if name.isprintable():
        assert removed["head"]["file"] == f"specs/{name}"


def test_names_in_errors(check: Guardian, repo: Repo):
    """Nor does an error message let them."""
    repo.never_had("guardian.yaml")
    repo.write("specs/\x1b[31m\n::error::red.yaml", "openapi: 3.0.3\npaths: {\n")
    outcome = check(repo)
    assert outcome.code == 3
    assert "\x1b" not in outcome.err
    assert not any(line.startswith("::") for line in outcome.err.splitlines())


def test_names_that_are_no_unicode(check: Guardian, repo: Repo):
    """A file whose name is no Unicode is read all the same, and named as well as can be."""
    repo.remove("guardian.yaml")
    path = os.path.join(os.fsencode(repo.folder), b"specs", b"caf\xe9.yaml")
    try:
        with open(path, "wb") as file:
            file.write(USERS.encode())
    except OSError:
        pytest.skip("this file system takes Unicode names alone")
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "-m", "odd")
    repo.git("branch", "--force", "main")
    with open(path, "wb") as file:
        file.write(USERS_RENAMED.encode())
    outcome = check(repo)
    assert outcome.code == 1
    assert outcome.only("property-removed")["head"]["line"] == 19


# --- size ---------------------------------------------------------------------------------------------------------


def bomb(levels: int = 12) -> str:
    """Aliases of aliases: a kilobyte that stands for a billion nodes."""
    lines = ["openapi: 3.0.3", "info: {title: b, version: '1'}", "x-0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        lines.append(f"x-{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]")
    return "\n".join([*lines, "paths: {}", ""])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(bomb(), "alias", id="alias bomb"),
        pytest.param("openapi: 3.0.3\nx: " + "[" * 20_000 + "]" * 20_000, "nesting", id="nested lists"),
        pytest.param('{"openapi": "3.0.3", "x": ' + "[" * 20_000 + "]" * 20_000 + "}", "deep", id="nested JSON"),
        pytest.param("openapi: 3.0.3\nx: " + "{a: " * 5_000 + "}" * 5_000, "deep", id="nested maps"),
        pytest.param("openapi: 3.0.3\nx: &a [*a]\n", "", id="alias of itself"),
        pytest.param(b"openapi: 3.0.3\ntitle: \xff\xfe\n", "UTF-8", id="no Unicode"),
        pytest.param("openapi: 3.0.3\npaths: {" + "a" * 70_000 + "\n", "", id="a very long key"),
    ],
)
@pytest.mark.parametrize("where", ["specification", "manifest", "configuration"])
def test_bombs(check: Guardian, repo: Repo, text: str | bytes, said: str, where: str):
    """What explodes when it is read is refused before it does, in every file that is read; never a fault, never a pass."""
    file = {"specification": "specs/users.yaml", "manifest": "consumers/billing.yaml", "configuration": "guardian.yaml"}
    if where == "manifest" and isinstance(text, str):
        text = text.replace("openapi: 3.0.3", "consumer: billing")
    repo.write(file[where], text)
    outcome = check(repo)
    assert outcome.code == (2 if where == "configuration" else 3), outcome.err
    assert outcome.out == ""
    assert said in outcome.err or where != "specification"


def test_a_tag_runs_nothing(check: Guardian, repo: Repo, tmp_path: Path):
    """YAML's tags make nothing but plain data."""
    mark = tmp_path / "ran"
    tag = f"x-run: !!python/object/apply:os.system ['touch {mark}']\n"
    for file in ("specs/users.yaml", "consumers/billing.yaml", "guardian.yaml"):
        repo.write(file, (repo.folder / file).read_text() + tag)
        assert check(repo).code in (0, 2, 3)
    assert not mark.exists()


def test_a_huge_file(check: Guardian, repo: Repo):
    """A file past the limit is refused by its size, not read into memory first."""
    with open(repo.folder / "specs/users.yaml", "wb") as file:
        file.write(b"openapi: 3.0.3\n#")
        file.seek(MAX_BYTES * 3)
        file.write(b"\n")
    outcome = check(repo)
    assert (outcome.code, outcome.out) == (3, "")
    assert "guardian reads at most" in outcome.err


def test_a_file_of_git_lfs(check: Guardian, repo: Repo):
    """A pointer that Git LFS left behind is told as that."""
    repo.write("specs/users.yaml", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    outcome = check(repo)
    assert outcome.code == 3
    assert "git lfs pull" in outcome.err


# --- programs -----------------------------------------------------------------------------------------------------


def test_git_runs_no_program_of_the_repository(check: Guardian, repo: Repo, tmp_path: Path):
    """A repository's own configuration, attributes and hooks make git run nothing."""
    mark = tmp_path / "ran"
    program = repo.write("../program.sh", f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    repo.write(".gitattributes", "*.yaml diff=evil filter=evil\n")
    for key in ("core.fsmonitor", "diff.external", "diff.evil.command", "diff.evil.textconv", "core.pager"):
        repo.git("config", key, str(program))
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"):
        repo.write(f".git/hooks/{hook}", program.read_bytes()).chmod(0o755)
    (repo.folder / "api").mkdir()
    repo.write("api/users.yaml", USERS_RENAMED)
    repo.remove("specs/users.yaml")
    repo.replace("guardian.yaml", "specs/", "api/")
    mark.unlink(missing_ok=True)
    assert check(repo).code == 1
    assert not mark.exists()


def test_paths_of_the_configuration_stay_inside(check: Guardian, repo: Repo, secret: Path):
    """A service whose specification lies outside of the repository is none; its path is not followed."""
    secret.with_name("users.yaml").write_text(USERS)
    for path in ("../users.yaml", str(secret.with_name("users.yaml")), "specs/../../users.yaml", "../*.yaml"):
        repo.write("guardian.yaml", CONFIG.replace("specs/users.yaml", json.dumps(path)))
        repo.git("checkout", "--quiet", "-B", "main")
        repo.commit()
        outcome = check(repo)
        assert (outcome.code, outcome.out) == (3, ""), path
        assert "there is no" in outcome.err
