"""What guardian.yaml asks for and is wrong is told at its line, and never of a flag that nobody gave."""

from __future__ import annotations

import pytest

from tests.check.conftest import Guardian
from tests.check.repo import CONFIG, Repo


@pytest.mark.parametrize(
    ("written", "said", "flag"),
    [
        ("base: mian", "`base` names mian: no such file, directory or revision", ("--base", "main")),
        ("base: main:nope.yaml", "`base`: nope.yaml: no such file in main", ("--base", "main")),
        ("head: nope", "`head` names nope: no such file, directory or revision", ("--head", ".")),
        (
            "only_services: [users, usrs]",
            "`only_services` names usrs: there is no such service",
            ("--service", "users"),
        ),
        (
            "only_consumers: [bilings]",
            "`only_consumers` names bilings: nobody of this name declares anything",
            ("--consumer", "billing"),
        ),
        ("model: {endpoint: nowhere}", "`model.endpoint`: nowhere is no URL and no folder", ()),
        ("model: {endpoint: 'ftp://box/v1'}", "`model.endpoint`: ftp://box/v1 is no http address", ()),
    ],
)
def test_a_setting_is_told_at_its_line(check: Guardian, repo: Repo, written: str, said: str, flag: tuple[str, ...]):
    repo.write("guardian.yaml", f"{CONFIG}{written}\n")
    line = len(CONFIG.splitlines()) + 1
    outcome = check(repo)
    assert f"error: guardian.yaml:{line}: {said}\n" in outcome.err
    assert " --" not in outcome.err
    if flag:  # goes before the key, so that nothing is wrong
        assert check(repo, *flag).err == ""


def test_an_address_with_a_secret_is_told_without_it(check: Guardian, repo: Repo):
    repo.write("guardian.yaml", CONFIG + "model: {endpoint: 'http://user:hunter2@box/v1'}\n")
    outcome = check(repo)
    assert "`model.endpoint`: the model's address has a user's name, a password or a query in it" in outcome.err
    assert "hunter2" not in outcome.err


def test_an_entry_of_consumers_elsewhere_is_told_at_its_line(check: Guardian, repo: Repo):
    repo.write("guardian.yaml", CONFIG.replace("consumers: [", "consumers: ['git+https://x', "))
    line = next(at for at, text in enumerate(CONFIG.splitlines(), start=1) if text.startswith("consumers"))
    assert f"error: guardian.yaml:{line}: `consumers`: https://x is no URL of a git repository\n" in check(repo).err


def test_a_flag_is_told_as_the_flag(check: Guardian, repo: Repo):
    repo.write("guardian.yaml", CONFIG + "base: main\n")
    assert check(repo, "--base", "mian").err.startswith("error: --base mian: no such file")
