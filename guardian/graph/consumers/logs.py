"""Access logs: the Common and Combined Log Formats, AWS's load balancers, and JSON lines as gateways write them.

The JSON is that of nginx, Envoy, Traefik, Caddy, Kong, AWS API Gateway and Google's load balancers, and the Elastic Common
Schema, with whatever names of these it mixes. The caller is the authenticated user, else the product at the head of the
user agent (RFC 9110, section 10.1.5); browsers and unnamed callers are counted and left out. The service is the one that
a line names, else the virtual host's, else the one that the file is named after (``users.access.log``), else the only one
with such a route.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
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
# AWS's load balancers: ten fields in front of the request, of which the seventh is the status that was answered; the newer
# ones begin with the protocol.
_BALANCER = re.compile(
    r"(?:(?:https?|h2|wss?|grpcs?) )?(?P<time>\d{4}-\d\d-\d\dT\S{1,40}) \S+ \S+ \S+ (?:\S+ ){3}(?P<status>\d{3}) \S+ \S+ \S+ "
    r"\"(?P<method>[A-Z]+) (?P<target>\S+)(?: HTTP/[\d.]+)?\" \"(?P<agent>[^\"]*)\""
)
_PRODUCT = re.compile(r"([A-Za-z][\w.-]*)(?:/\S*)?")
# Tools and browsers, which say what somebody calls with and not who calls.
_GENERIC = re.compile(
    r"mozilla|curl|wget|python-requests|python-urllib|python-httpx|httpx|aiohttp|axios|node-fetch|node|undici|okhttp"
    r"|java|go-http-client|apache-httpclient|dart|ruby|postmanruntime|kube-probe|prometheus|elb-healthchecker|.*bot",
    re.IGNORECASE,
)
# Names of what lies deeper are joined by dots; case and `-` do not matter (`request_User-Agent`, `headers.User-Agent`).
_JSON_NAMES = {
    "method": (
        "method", "request_method", "http_method", "verb", "requestmethod", "httpmethod", "request.method",
        "http.request.method", "httprequest.requestmethod",
    ),
    "target": (
        "upstream_uri", "uri", "request_uri", "path", "url", "request_path", "requestpath", "resourcepath", "request.uri",
        "request.url", "url.original", "url.path", "url.full", "httprequest.requesturl",
    ),
    "status": (
        "status", "status_code", "response_code", "downstreamstatus", "response.status", "http.response.status_code",
        "httprequest.status",
    ),
    "agent": (
        "user_agent", "http_user_agent", "useragent", "request_user_agent", "request.headers.user_agent",
        "user_agent.original", "httprequest.useragent",
    ),
    "user": (
        "remote_user", "user", "client", "consumer", "caller", "clientusername", "user_id", "consumer.username",
        "consumer.custom_id", "authenticated_entity.consumer.username", "user.name", "client.user.name",
    ),
    "host": (
        "host", "server_name", "authority", "vhost", "requesthost", "request.host", "request.headers.host", "url.domain",
        "domainname",
    ),
    "service": ("service.name", "servicename", "service"),
    "time": (
        "time_iso8601", "time", "timestamp", "@timestamp", "time_local", "ts", "start_time", "startutc", "requesttime",
        "started_at",
    ),
}  # fmt: skip
_SECONDS = re.compile(r"1\d{9}(?:\.\d+)?(?:e\d+)?|1\d{12}")  # Caddy's times, and Kong's in milliseconds
_MILLISECONDS = 13  # digits
_DEEPEST = 4
_LOOKED_AT = 20
_SAMPLE = 65_536  # bytes, of which the first line has to be a log's


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    target: str
    status: str
    caller: str | None
    host: str | None
    date: str | None
    service: str | None = None


def is_log(data: bytes) -> bool:
    """Whether a file is an access log, by its first line; among JSON lines others may come first (Caddy's start)."""
    first, *rest = data[:_SAMPLE].decode("utf-8", "replace").lstrip("\ufeff").splitlines()[:_LOOKED_AT] or [""]
    lines = [first, *rest] if isinstance(parse_json(first), Mapping) else [first]
    return any(_parsed(line) is not None for line in lines if line is first or line.startswith("{"))


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
    said = endpoints.named(request.service) if request.service else None
    service = said or (endpoints.service(request.host) if request.host else None) or owner
    if service is not None:
        return endpoints.within(service, request.method, request.target)
    return endpoints.find(request.method, request.target)


def _parsed(line: str) -> _Request | None:
    if line.lstrip().startswith("{"):
        return _from_json(line)
    balanced = _BALANCER.match(line)
    if balanced:
        host, target = _apart(balanced["target"])
        date = _day(balanced["time"])
        return _Request(balanced["method"], target, balanced["status"], _product(balanced["agent"]), host, date)
    found = _COMMON.match(line)
    if not found:
        return None
    caller = found["user"] if found["user"] != "-" else _product(found["agent"])
    return _Request(found["method"], found["target"], found["status"], caller, found["host"], _day(found["time"]))


def _apart(url: str) -> tuple[str | None, str]:
    """A URL's host without its port, and what is called there; a path alone has no host."""
    found = re.match(r"\w+://([^/?#:]+)(?::\d+)?", url)
    return (found[1], url[found.end() :] or "/") if found else (None, url)


def _from_json(line: str) -> _Request | None:
    value = parse_json(line)
    if value is NOT_JSON or not isinstance(value, Mapping):
        return None
    flat = dict(_flat(value))
    fields = dict(_known(flat))
    for name in ("request", "routekey"):  # nginx: "GET /users/1 HTTP/1.1"; API Gateway: "GET /users/{id}"
        parts = flat[name].split(" ") if isinstance(flat.get(name), str) else []
        if len(parts) >= 2:
            fields.setdefault("method", parts[0])
            fields.setdefault("target", parts[1])
    if not {"method", "target", "status"} <= fields.keys() or not re.fullmatch(r"\d{3}", fields["status"]):
        return None
    user = fields.get("user", "-")
    caller = user if user not in {"-", ""} else _product(fields.get("agent"))
    named, target = _apart(fields["target"])
    host = re.sub(r":\d+$", "", fields["host"]) if fields.get("host") else named
    service = fields["service"].partition("@")[0] if fields.get("service") else None  # Traefik: `users@docker`
    date = _day(fields.get("time", ""))
    return _Request(fields["method"].upper(), target, fields["status"], caller, host, date, service)


def _flat(value: Mapping[str, Any], above: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """What a line says, however deep, by names joined with dots; of several values the first."""
    for key, each in value.items():
        name = f"{above}{key}".lower().replace("-", "_")
        one = each[0] if isinstance(each, list) and each else each
        if isinstance(one, Mapping) and depth < _DEEPEST:
            yield from _flat(one, f"{name}.", depth + 1)
        else:
            yield name, one


def _known(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for field, names in _JSON_NAMES.items():
        for name in names:
            found = value.get(name)
            if isinstance(found, str | int | float) and not isinstance(found, bool) and str(found):
                yield field, str(found)
                break


def _product(agent: str | None) -> str | None:
    found = _PRODUCT.match(agent or "")
    return found[1] if found and not _GENERIC.fullmatch(found[1]) else None


def _day(time: str) -> str | None:
    """The day of a timestamp, ISO 8601 or as the Common Log Format has it."""
    if re.match(r"\d{4}-\d{2}-\d{2}", time):
        return time[:10]
    if _SECONDS.fullmatch(time):
        seconds = float(time) if len(time.partition(".")[0]) < _MILLISECONDS else float(time) / 1000
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    try:
        return datetime.strptime(time.split(":", maxsplit=1)[0], "%d/%b/%Y").date().isoformat()
    except ValueError:
        return None
