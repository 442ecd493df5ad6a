"""A Pact Broker, spoken to over the HTTP and HAL that it speaks; here by a small one on this machine."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from guardian.errors import ReadError
from guardian.graph.consumers import broker
from guardian.graph.consumers.load import load_consumers


def pact(consumer: str, field: str, version: str | None = None) -> dict[str, Any]:
    links: dict[str, Any] = {"pb:consumer-version": {"name": version}} if version else {}
    return {
        "consumer": {"name": consumer},
        "provider": {"name": "Users API"},
        "interactions": [
            {
                "description": "a user",
                "request": {"method": "GET", "path": "/users/1"},
                "response": {"status": 200, "body": {field: "x"}},
            }
        ],
        "metadata": {"pactSpecification": {"version": "2.0.0"}},
        "_links": links,
    }


class Broker:
    """What the server holds, and what it was asked."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.pacts = {"web": pact("web", "email", "1.0"), "app": pact("app", "name"), "job": pact("job", "id")}
        self.by_selector: dict[str, list[str]] = {
            '{"branch": "main"}': ["web", "app"],
            '{"environment": "production"}': ["web"],
            '{"mainBranch": true}': ["web"],
            '{"deployedOrReleased": true}': ["web", "job"],
        }
        self.asked: list[tuple[str, str, Mapping[str, str], Any]] = []
        self.failures: list[int] = []
        self.selects = True
        self.elsewhere: str | None = None
        self.redirect: str | None = None

    def link(self, path: str) -> dict[str, Any]:
        return {"href": f"{self.url}{path}", "title": "x"}

    def answer(self, method: str, path: str, asked: Any) -> tuple[int, Any]:
        if self.failures:
            return self.failures.pop(0), {}
        if path in {"", "/"}:
            links = {"pb:latest-provider-pacts": self.templated("/pacts/provider/{provider}/latest")}
            if self.selects:
                place = "/pacts/provider/{provider}/for-verification"
                links["pb:provider-pacts-for-verification"] = self.templated(place)
            return 200, {"_links": links}
        if path.startswith("/pact/"):
            return 200, self.pacts[path.removeprefix("/pact/")]
        if not path.startswith("/pacts/provider/Users%20API/"):
            return 404, {"error": "no such pacticipant"}
        if path.endswith("/for-verification") and method == "POST":
            chosen = [name for each in asked["consumerVersionSelectors"] for name in self.by_selector[json.dumps(each)]]
            found = list(dict.fromkeys(chosen))
            embedded = [{"_links": {"self": {"href": self.elsewhere or f"{self.url}/pact/{name}"}}} for name in found]
            return 200, {"_embedded": {"pacts": embedded}}
        # The list of older brokers, a page for each pact.
        names = sorted(self.pacts)
        number = int(path.partition("?page=")[2] or 0)
        links = {"pb:pacts": [self.link(f"/pact/{names[number]}")]}
        following = {"next": self.link(f"/pacts/provider/Users%20API/latest?page={number + 1}")}
        return 200, {"_links": {**links, **(following if number + 1 < len(names) else {})}}

    def templated(self, path: str) -> dict[str, Any]:
        return {"href": f"{self.url}{path}", "templated": True}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Broker]:
    class Handler(BaseHTTPRequestHandler):
        def reply(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            asked = json.loads(self.rfile.read(length)) if length else None
            held.asked.append((self.command, self.path, dict(self.headers), asked))
            if held.redirect:
                self.send_response(302)
                self.send_header("Location", held.redirect)
                self.end_headers()
                return
            code, data = held.answer(self.command, self.path, asked)
            body = json.dumps(data).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/hal+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = reply  # noqa: N815 - the names that the server looks for

        def log_message(self, format: str, *args: Any) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    held = Broker(listening.server_port)
    monkeypatch.setattr(broker, "RETRY_AFTER_S", (0.0, 0.0))
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield held
    listening.shutdown()
    listening.server_close()
    thread.join()


def names(server: Broker, fragment: str, cache: Path, environ: Mapping[str, str] | None = None) -> list[str]:
    tree, notes = broker.open_broker(f"{server.url}#{fragment}", cache, environ or {})
    assert notes == ()
    return [each.name for each in load_consumers([(tree, ".")], ["users"]).consumers]


@pytest.mark.parametrize(
    ("fragment", "found"),
    [
        ("provider=Users%20API", ["job", "web"]),
        ("provider=Users+API&branch=main", ["app", "web"]),
        ("provider=Users+API&environment=production", ["web"]),
        ("provider=Users+API&environment=production&branch=main", ["app", "web"]),
    ],
)
def test_pacts_are_selected(server: Broker, tmp_path: Path, fragment: str, found: list[str]) -> None:
    """By branch, by environment, or by what Pact recommends; each pact once."""
    assert names(server, fragment, tmp_path) == found


def test_a_pact_becomes_uses(server: Broker, tmp_path: Path) -> None:
    """A pact from the broker is read like one from a file, and named by broker, provider, consumer and version."""
    tree, _ = broker.open_broker(f"{server.url}#provider=Users+API&environment=production", tmp_path, {})
    (web,) = load_consumers([(tree, ".")], ["users"]).consumers
    (use,) = web.uses
    assert (use.service, use.operation, use.confidence) == ("users", "GET /users/1", "asserted")
    assert use.origin.file == f"{server.url.removeprefix('http://')}/Users-API/web@1.0.json"


def test_older_brokers_list_in_pages(server: Broker, tmp_path: Path) -> None:
    """Without selection there is only the latest of everybody, and every page of it is read."""
    server.selects = False
    assert names(server, "provider=Users+API", tmp_path) == ["app", "job", "web"]
    with pytest.raises(ReadError, match="can select"):
        names(server, "provider=Users+API&branch=main", tmp_path)


@pytest.mark.parametrize(
    ("environ", "sent"),
    [
        ({"PACT_BROKER_TOKEN": "t0k"}, "Bearer t0k"),
        (
            {"PACT_BROKER_USERNAME": "ada", "PACT_BROKER_PASSWORD": "pw"},
            "Basic " + base64.b64encode(b"ada:pw").decode(),
        ),
        ({"PACT_BROKER_TOKEN": "t0k", "PACT_BROKER_BASE_URL": "https://broker.example"}, None),
        ({}, None),
    ],
)
def test_credentials_come_from_the_environment(
    server: Broker, tmp_path: Path, environ: Mapping[str, str], sent: str | None
) -> None:
    """They are sent with every question, and to no host but the one that the environment names."""
    names(server, "provider=Users+API", tmp_path, environ)
    assert {headers.get("Authorization") for _, _, headers, _ in server.asked} == {sent}


def test_credentials_travel_over_https_alone() -> None:
    """Plain HTTP is for this machine."""
    environ = {"PACT_BROKER_TOKEN": "t"}
    assert broker._credentials("http://broker.example", environ) == {}
    assert broker._credentials("https://broker.example", environ) == {"Authorization": "Bearer t"}


def test_a_passing_fault_is_tried_again(server: Broker, tmp_path: Path) -> None:
    """An overloaded broker is asked three times."""
    server.failures = [503, 429]
    assert names(server, "provider=Users+API&branch=main", tmp_path) == ["app", "web"]


def test_the_cache_answers_when_the_broker_does_not(server: Broker, tmp_path: Path) -> None:
    """With a note; without a copy it is an error, and a refusal always is."""
    entry = f"{server.url}#provider=Users+API"
    server.failures = [503] * 3
    with pytest.raises(ReadError, match="there is no copy"):
        broker.open_broker(entry, tmp_path, {})
    assert names(server, "provider=Users+API", tmp_path) == ["job", "web"]
    server.failures = [503] * 3
    tree, (note,) = broker.open_broker(entry, tmp_path, {})
    assert (note.level, "503" in note.message) == ("warning", True)
    assert len(tree.files()) == 2
    server.failures = [401]
    with pytest.raises(ReadError, match="credentials") as raised:
        broker.open_broker(entry, tmp_path, {})
    assert "PACT_BROKER_TOKEN" in (raised.value.hint or "")


def test_an_unknown_provider_is_named(server: Broker, tmp_path: Path) -> None:
    """The name in the entry is the one that pacts use."""
    with pytest.raises(ReadError, match="knows no provider Nobody"):
        names(server, "provider=Nobody", tmp_path)


def test_links_to_other_hosts_are_refused(server: Broker, tmp_path: Path) -> None:
    """Neither a link nor a redirect takes credentials elsewhere."""
    server.elsewhere = "http://127.0.0.2:9/pact"
    with pytest.raises(ReadError, match="another host"):
        names(server, "provider=Users+API", tmp_path)
    server.redirect = "http://127.0.0.2:9/"
    with pytest.raises(ReadError, match="another host"):
        names(server, "provider=Users+API", tmp_path)


@pytest.mark.parametrize(
    "entry",
    [
        "https://h",
        "https://h#branch=main",
        "https://h#provider=a&brunch=main",
        "https://h#provider=",
        "ftp://h#provider=a",
        "https://u:p@h#provider=a",
    ],
)
def test_an_entry_that_cannot_be_meant_is_refused(entry: str) -> None:
    """With how to write it; a password in it is not repeated."""
    with pytest.raises(ReadError) as raised:
        broker.parse_broker(entry)
    assert raised.value.hint
    assert "u:p" not in str(raised.value)


def test_the_index_may_lie_below_a_path() -> None:
    """A broker behind a gateway is named with its path in reports."""
    assert broker.parse_broker("https://h:8443/pacts/#provider=a").name == "h:8443/pacts"
