"""What a policy, a model or a client may say that is neither right nor polite."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

HALF = "\ud800"


def nested(levels: int, *, inside: str | None = None) -> Any:
    """Lists in lists, or objects in objects under one key."""
    value: Any = []
    for _ in range(levels):
        value = [value] if inside is None else {inside: value}
    return value


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**30, -1, 2**53, float("nan"), float("inf"), 0.5])
    | st.sampled_from(["", " ", "\0", HALF, "DONE", "HINT", "$", "GET /", "GET /a.b", "{" * 500, "a." * 500, "\u2028"])
    | st.text(max_size=8)
)
KEYS = st.text(max_size=4) | st.sampled_from([HALF, "op", "path", "value", "breaking", "affected", "strategy", "patch"])
PLAIN = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=10
)
#: In process there is more that can be said: keys of several types, sets, objects.
ANY = st.recursive(
    SCALARS | st.sampled_from([object(), b"x", {1, 2}, 1j, nested(300), nested(300, inside="a")]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.integers(), inner, max_size=4),
    max_leaves=10,
)
