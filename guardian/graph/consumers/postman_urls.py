"""URLs as collections have them: the variables of an environment stand for hosts, ports, versions, or all of them."""

from __future__ import annotations

import re

from guardian.graph.consumers.endpoints import Answer, Endpoints

_SCHEME = re.compile(r"\{\{[^{}]*\}\}://")
# A variable, with whatever else belongs to the host before the path: `{{host}}:{{port}}`, `{{tenant}}.example.com`.
_ORIGIN = re.compile(r"(\{\{[^{}]*\}\})((?:\.[\w.-]+)?(?::(?:\d+|\{\{[^{}]*\}\}))?)(?=$|[/?#{\w])")
_BARE_HOST = re.compile(
    r"(?:localhost|(?:[\w-]+\.)+[A-Za-z]{2,}|\d+(?:\.\d+){3}|[\w.-]+(?=:))(?::(?:\d+|\{\{[^{}]*\}\}))?(?=/)"
)
_LEADING = re.compile(r"(?P<origin>\{\{[^{}]*\}\}|[a-z]+://[^/?#]*)/\{\{[^{}]*\}\}(?=/)")


def whole_url(text: str) -> str:
    """A URL with a scheme, or with one variable in place of its origin, however it is put together."""
    text = _SCHEME.sub("http://", text, count=1) if _SCHEME.match(text) else text
    origin = _ORIGIN.match(text)
    if origin:
        path = text[origin.end() :]
        between = "" if path[:1] in ("", "/", "?", "#") else "/"
        return f"http://{origin[0]}{between}{path}" if origin[2] else f"{origin[0]}{between}{path}"
    return f"http://{text}" if _BARE_HOST.match(text) else text


def answering(endpoints: Endpoints, method: str, url: str) -> Answer | None:
    """Who answers a request; where nobody does, a variable before the path may be a version, ``{{host}}/{{version}}``."""
    answer = endpoints.find(method, url)
    if answer is None or answer.operation is None:
        leading = _LEADING.match(url)
        if leading:
            return endpoints.find(method, leading["origin"] + url[leading.end() :]) or answer
    return answer
