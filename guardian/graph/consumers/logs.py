"""Access logs: the Common and Combined Log Formats, and JSON lines as gateways write them.

The caller is the authenticated user, else the product at the head of the user agent (RFC 9110, section 10.1.5);
browsers and unnamed callers are counted and left out. The service is the virtual host where there is one, else the one
that the file is named after (``users.access.log``), else the only one with such a route.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from guardian.graph.consumers.bodies import NOT_JSON, parse_json
from guardian.graph.consumers.calls import Calls
from guardian.graph.consumers.endpoints import Answer, Endpoints
from guardian.graph.uses import Found
from guardian.model import Location

_COMMON = re.compile(
    r"(?:(?P<host>\S{1,255}?)(?::\d+)? )?\S{1,255} \S{1,255} (?P<user>.{1,255}?) \[(?P<time>[^\]]{1,99})\] "
    r"\"(?P<method>[A-Z]+) (?P<target>\S+)(?: HTTP/[\d.]+)?\" (?P<status>\d{3}) \S+"
    r"(?: \"[^\"]*\" \"(?P<agent>[^\"]*)\")?"
)
_PRODUCT = re.compile(r"([A-Za-z][\w.-]*)(?:/\S*)?")
# Tools and browsers, which say what somebody calls with and not who calls.
_GENERIC = re.compile(
    r"mozilla|curl|wget|python-requests|python-urllib|python-httpx|httpx|aiohttp|axios|node-fetch|node|undici|okhttp"
    r"|java|go-http-client|apache-httpclient|dart|ruby|postmanruntime|kube-probe|prometheus|elb-healthchecker|.*bot",
    re.IGNORECASE,
)
_JSON_NAMES = {
    "method": ("method", "request_method", "http_method", "verb"),
    "target": ("uri", "request_uri", "path", "url", "request_path"),
    "status": ("status", "status_code", "response_code"),
    "agent": ("user_agent", "http_user_agent", "userAgent"),
    "user": ("remote_user", "user", "client", "consumer", "caller"),
    "host": ("host", "server_name", "authority", "vhost"),
    "time": ("time_iso8601", "time", "timestamp", "@timestamp", "time_local", "ts"),
}
_SAMPLE = 4_096  # bytes, of which the first line has to be a log's


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    target: str
    status: str
    caller: str | None
    host: str | None
    date: str | None


def is_log(data: bytes) -> bool:
    """Whether a file is an access log, by its first line."""
    first = data[:_SAMPLE].decode("utf-8", "replace").lstrip("\ufeff").splitlines()[:1]
    return bool(first) and _parsed(first[0]) is not None


def read_log(
    text: str, file: str, endpoints: Endpoints, service: str | None = None, caller: str | None = None
) -> Found:
    """The calls in an access log. What cannot be used is counted in notes, never raised.

    Args:
        text: the whole log.
        file: its name.
        endpoints: finds who was called.
        service: whose log it is, if the file's name does not tell.
        caller: who calls where a line does not say.
    """
    owner = service or endpoints.named(PurePosixPath(file).name.split(".")[0])
    calls = Calls("access log")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        request = _parsed(line)
        if request is None:
            calls.leave_out(file, "the line is in no known format")
            continue
        who = request.caller or caller
        if who is None:
            calls.leave_out(file, "nothing says who calls (a browser, a tool, nobody)")
            continue
        if not request.status.startswith(("2", "3")):
            calls.leave_out(file, "the request was refused or failed")
            continue
        answer = _answer(request, owner, endpoints)
        if answer is None or answer.operation is None:
            calls.leave_out(
                file, f"{answer.service} has no such operation" if answer else "no service answers this path"
            )
            continue
        calls.add(who, answer.service, answer.operation, Location(file, "", number), date=request.date)
    return calls.found()


def _answer(request: _Request, owner: str | None, endpoints: Endpoints) -> Answer | None:
    service = (endpoints.service(request.host) if request.host else None) or owner
    if service is not None:
        return endpoints.within(service, request.method, request.target)
    return endpoints.find(request.method, request.target)


def _parsed(line: str) -> _Request | None:
    if line.lstrip().startswith("{"):
        return _from_json(line)
    found = _COMMON.match(line)
    if not found:
        return None
    caller = found["user"] if found["user"] != "-" else _product(found["agent"])
    return _Request(found["method"], found["target"], found["status"], caller, found["host"], _day(found["time"]))


def _from_json(line: str) -> _Request | None:
    value = parse_json(line)
    if value is NOT_JSON or not isinstance(value, Mapping):
        return None
    fields = dict(_known(value))
    if isinstance(value.get("request"), str):  # nginx: "GET /users/1 HTTP/1.1"
        parts = value["request"].split(" ")
        if len(parts) >= 2:
            fields.setdefault("method", parts[0])
            fields.setdefault("target", parts[1])
    if not {"method", "target", "status"} <= fields.keys() or not re.fullmatch(r"\d{3}", fields["status"]):
        return None
    user = fields.get("user", "-")
    caller = user if user not in {"-", ""} else _product(fields.get("agent"))
    host = re.sub(r":\d+$", "", fields["host"]) if fields.get("host") else None
    return _Request(
        fields["method"].upper(), fields["target"], fields["status"], caller, host, _day(fields.get("time", ""))
    )


def _known(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for field, names in _JSON_NAMES.items():
        for name in names:
            found = value.get(name)
            if isinstance(found, str | int) and not isinstance(found, bool) and str(found):
                yield field, str(found)
                break


def _product(agent: str | None) -> str | None:
    found = _PRODUCT.match(agent or "")
    return found[1] if found and not _GENERIC.fullmatch(found[1]) else None


def _day(time: str) -> str | None:
    """The day of a timestamp, ISO 8601 or as the Common Log Format has it."""
    if re.match(r"\d{4}-\d{2}-\d{2}", time):
        return time[:10]
    try:
        return datetime.strptime(time.split(":", maxsplit=1)[0], "%d/%b/%Y").date().isoformat()
    except ValueError:
        return None
