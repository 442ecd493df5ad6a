from __future__ import annotations

from typing import Any

import pytest

from guardian.errors import ReadError
from guardian.spec.dialects import DIALECTS, dialect_of

WRONG_SWAGGER: list[Any] = ["1.2", "3.0", True, None, [], "2"]
WRONG_OPENAPI: list[Any] = ["4.0.0", "2.0", "3.3.0", "three", "", {}, True, 31]


@pytest.mark.parametrize(
    ("root", "version"),
    [
        ({"swagger": "2.0"}, "2.0"),
        ({"swagger": 2.0}, "2.0"),
        ({"swagger": 2}, "2.0"),
        ({"openapi": "3.0.4"}, "3.0"),
        ({"openapi": 3.0}, "3.0"),
        ({"openapi": "3.1.0-rc1"}, "3.1"),
        ({"openapi": 3.1}, "3.1"),
        ({"openapi": " 3.2.0 "}, "3.2"),
    ],
)
def test_a_document_says_its_dialect(root: Any, version: str) -> None:
    """Patch versions mean the same, and a number is read as it is written."""
    assert dialect_of(root, "a.yaml") is DIALECTS[version]


@pytest.mark.parametrize(
    "root",
    [
        *[{"swagger": written} for written in WRONG_SWAGGER],
        *[{"openapi": written} for written in WRONG_OPENAPI],
    ],
)
def test_other_versions_are_refused(root: Any) -> None:
    """The error names the field, what it says and what is supported."""
    with pytest.raises(ReadError) as caught:
        dialect_of(root, "a.yaml")
    (marker,) = root
    assert caught.value.pointer == f"/{marker}"
    assert f"`{marker}: {root[marker]}`" in caught.value.message
    assert "3.2" in (caught.value.hint or "")


@pytest.mark.parametrize("root", [None, [], "text", 3, True, {}, {"info": {}}, {"asyncapi": "3.0.0"}])
def test_what_is_not_openapi_is_refused(root: Any) -> None:
    """An empty file, a list and another format are no API without operations; they are errors."""
    with pytest.raises(ReadError, match="not an OpenAPI document"):
        dialect_of(root, "a.yaml")


def test_a_neighbouring_format_is_named() -> None:
    """Whoever gives an AsyncAPI file is told so."""
    with pytest.raises(ReadError) as caught:
        dialect_of({"asyncapi": "3.0.0"}, "a.yaml")
    assert "AsyncAPI" in (caught.value.hint or "")
