"""CODEOWNERS as GitHub reads it; the rows are those of its documentation and of .gitignore's rules."""

from __future__ import annotations

import pytest

from guardian.config.codeowners import parse_codeowners


@pytest.mark.parametrize(
    ("pattern", "owned", "free"),
    [
        ("*", ["a", "a/b/c.js"], []),
        ("*.js", ["a.js", "a/b.js"], ["a.jsx"]),
        ("/build/logs/", ["build/logs/a", "build/logs/a/b"], ["x/build/logs/a", "build/logs"]),
        ("docs/*", ["docs/a.md"], ["docs/a/b.md", "x/docs/a.md"]),
        ("apps/", ["apps/a", "x/apps/a/b"], ["apps"]),
        ("/docs", ["docs", "docs/a/b"], ["x/docs/a"]),
        ("/scripts/*/x", ["scripts/a/x", "scripts/a/x/y"], ["scripts/a/b/x"]),
        ("**/logs", ["logs/a", "a/b/logs/c"], ["alogs/a"]),
        ("/a/**/z.yaml", ["a/z.yaml", "a/b/c/z.yaml"], ["b/z.yaml"]),
        ("a.yaml", ["a.yaml", "x/a.yaml"], ["axyaml"]),
        (r"with\ space/*", ["with space/a"], ["with/a"]),
        ("file?.txt", ["file1.txt"], ["file/.txt", "file.txt"]),
    ],
)
def test_patterns(pattern: str, owned: list[str], free: list[str]):
    """A pattern owns just these files."""
    owners = parse_codeowners(f"{pattern} @acme/team\n")
    assert [path for path in owned + free if owners.of(path)] == owned


def test_the_last_match_decides():
    """Later lines go before earlier ones, also where they name nobody; comments and sections are no lines."""
    owners = parse_codeowners("# all\n*  @acme/all @bob # rest\n[Section] @x\n/a/ @acme/a\n/a/free\n")
    assert owners.of("b") == ("@acme/all", "@bob")
    assert owners.of("a/x") == ("@acme/a",)
    assert owners.of("a/free") == ()
