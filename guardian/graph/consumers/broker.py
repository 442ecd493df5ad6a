"""Pacts from a Pact Broker: the latest ones for a provider, by branch or environment of their consumers.

An entry is ``URL#provider=NAME[&branch=NAME][&environment=NAME]``; each may be said several times. Without branch and
environment it is what Pact recommends for verification: main branches, and whatever is deployed or released. The
address of everything is taken from the broker's own links (HAL, draft-kelly-json-hal-11), the selection from its
relation ``pb:provider-pacts-for-verification``.

Credentials come from the environment, under the names that Pact's own tools use: ``PACT_BROKER_TOKEN``, or
``PACT_BROKER_USERNAME`` and ``PACT_BROKER_PASSWORD``. They are sent to the host of ``PACT_BROKER_BASE_URL`` where that
is set, else to the host of the entry; over plain HTTP to this machine alone; and to no host that a link or a redirect
leads to.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qsl, quote, urljoin, urlsplit

from guardian.errors import ReadError
from guardian.model import Note
from guardian.spec.remote import host_of
from guardian.spec.remote_git import redacted
from guardian.spec.trees import MemoryTree

#: Seconds that one answer may take.
TIMEOUT_S = 10.0
#: Seconds before each further try, where a broker does not answer or is overloaded.
RETRY_AFTER_S = (0.5, 1.5)
#: Largest answer that is read, in bytes.
MAX_BYTES = 32 * 1024 * 1024
#: Pages of one list, and pacts of one provider, that are followed at most.
MAX_PAGES = 1_000

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_FOR_VERIFICATION = "pb:provider-pacts-for-verification"
_LATEST = "pb:latest-provider-pacts"
_PASSING = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class BrokerPlace:
    """Which pacts of which broker."""

    url: str
    providers: tuple[str, ...]
    branches: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How reports call the broker."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path.rstrip('/')}"

    @property
    def selectors(self) -> list[dict[str, Any]]:
        """The consumer version selectors, as the broker takes them."""
        chosen: list[dict[str, Any]] = [{"branch": each} for each in self.branches]
        chosen += [{"environment": each} for each in self.environments]
        return chosen or [{"mainBranch": True}, {"deployedOrReleased": True}]


class _Unreachable(Exception):
    """The broker does not answer, which a copy in the cache may make up for."""


def open_broker(
    entry: str, cache: Path, environ: Mapping[str, str] = os.environ
) -> tuple[MemoryTree, tuple[Note, ...]]:
    """The pacts that an entry means, as a tree of files.

    Args:
        entry: ``URL#provider=NAME&...``.
        cache: where the last answer is kept, for when the broker is not there.
        environ: holds the credentials.

    Raises:
        ReadError: the entry cannot be understood, the broker refuses, or it cannot be reached and there is no copy.
    """
    place = parse_broker(entry)
    kept = cache / "pact-broker" / f"{hashlib.sha256(entry.encode()).hexdigest()[:24]}.json"
    try:
        files = _Broker(place, environ).pacts()
    except _Unreachable as problem:
        copy = _kept(kept)
        if copy is None:
            raise ReadError(
                f"cannot be reached, and there is no copy of its pacts in the cache: {problem}",
                file=place.name,
                hint="check the URL and the network",
            ) from None
        text = f"cannot be reached ({problem}), so the pacts of its last answer are used"
        return MemoryTree(copy, place.name), (Note("warning", text, place.name),)
    _keep(kept, files)
    return MemoryTree(files, place.name), ()


def parse_broker(entry: str) -> BrokerPlace:
    """The parts of an entry.

    Raises:
        ReadError: it has no URL, names no provider, or says something else.
    """
    url, _, fragment = entry.partition("#")
    said: dict[str, list[str]] = {}
    for name, value in parse_qsl(fragment, keep_blank_values=True):
        said.setdefault(name, []).append(value)
    unknown = said.keys() - {"provider", "branch", "environment"}
    shown = redacted(entry)
    form = "write pact-broker+https://HOST#provider=NAME&branch=NAME, or environment=NAME"
    if host_of(url) is None:
        raise ReadError(f"{shown} is no URL of a Pact Broker", hint=form)
    if "@" in urlsplit(url).netloc:
        hint = "set PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD"
        raise ReadError(f"{shown}: credentials do not belong in a configuration file", hint=hint)
    if unknown or not all(value for values in said.values() for value in values):
        raise ReadError(f"{shown}: `{', '.join(sorted(unknown)) or fragment}` cannot be meant", hint=form)
    if "provider" not in said:
        raise ReadError(f"{shown} names no provider", hint=form)
    return BrokerPlace(
        url, *(tuple(dict.fromkeys(said.get(each, ()))) for each in ("provider", "branch", "environment"))
    )


class _Broker:
    """One broker, asked for one entry."""

    def __init__(self, place: BrokerPlace, environ: Mapping[str, str]) -> None:
        self._place = place
        self._host = host_of(place.url)
        self._credentials = _credentials(place.url, environ)
        self._opener = urllib.request.build_opener(_SameHost(self._host))

    def pacts(self) -> dict[str, bytes]:
        """Every pact, by a name that tells provider and consumer."""
        index = self._get(self._place.url)
        found: dict[str, bytes] = {}
        for provider in self._place.providers:
            for link in self._of(index, provider):
                data, text = self._read(link)
                consumer = data.get("consumer")
                name = consumer.get("name") if isinstance(consumer, Mapping) else None
                if not isinstance(name, str):
                    raise self._wrong(link, "is no pact: it names no consumer")
                found.setdefault(self._file(provider, name, data, found), text)
        return found

    def _file(self, provider: str, consumer: str, data: Mapping[str, Any], taken: Mapping[str, bytes]) -> str:
        """A name for a pact. A consumer has several where several of its versions are selected."""
        plain = f"{self._place.name}/{_segment(provider)}/{_segment(consumer)}"
        links = data.get("_links")
        version = links.get("pb:consumer-version") if isinstance(links, Mapping) else None
        number = version.get("name") if isinstance(version, Mapping) else None
        name = f"{plain}@{_segment(number)}.json" if isinstance(number, str) and number else f"{plain}.json"
        count = 2
        while name in taken:
            name = f"{plain}-{count}.json"
            count += 1
        return name

    def _of(self, index: Mapping[str, Any], provider: str) -> list[str]:
        """The addresses of a provider's pacts, each once, in the broker's order."""
        address = _link(index, _FOR_VERIFICATION)
        if address is not None:
            asked = {"consumerVersionSelectors": self._place.selectors, "includePendingStatus": False}
            first = self._get(_filled(address, provider), asked, provider=provider)
            listed = [each for page in self._pages(first) for each in _embedded(page, "pacts")]
        else:
            address = _link(index, _LATEST)
            if address is None or self._place.branches or self._place.environments:
                hint = "it needs the relation pb:provider-pacts-for-verification, of Pact Broker 2.45 and later"
                raise ReadError("is no Pact Broker that can select pacts", file=self._place.name, hint=hint)
            first = self._get(_filled(address, provider), provider=provider)
            listed = [
                each
                for page in self._pages(first)
                for each in [*_embedded(page, "pacts"), *_linked(page, "pb:pacts"), *_linked(page, "pacts")]
            ]
        links = (_link(each, "self") or each.get("href") for each in listed)
        return list(dict.fromkeys(link for link in links if isinstance(link, str)))

    def _pages(self, page: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        seen: set[str] = set()
        yield page
        while (following := _link(page, "next")) and following not in seen and len(seen) < MAX_PAGES:
            seen.add(following)
            page = self._get(following)
            yield page

    # -- one exchange --------------------------------------------------------------------------------------------------

    def _get(self, address: str, asked: Any = None, provider: str | None = None) -> Mapping[str, Any]:
        return self._read(address, asked, provider)[0]

    def _read(self, address: str, asked: Any = None, provider: str | None = None) -> tuple[Mapping[str, Any], bytes]:
        url = urljoin(self._place.url.rstrip("/") + "/", address)
        if host_of(url) != self._host or urlsplit(url).scheme != urlsplit(self._place.url).scheme:
            hint = "correct the URL in `consumers`, or the broker's own base URL"
            raise ReadError(f"links to {redacted(url)}, which is another host", file=self._place.name, hint=hint)
        text = self._patiently(url, asked, provider)
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, Mapping):
            raise self._wrong(url, "is no JSON object")
        return data, text

    def _patiently(self, url: str, asked: Any, provider: str | None) -> bytes:
        for wait in (*RETRY_AFTER_S, None):
            try:
                return self._once(url, asked)
            except urllib.error.HTTPError as error:
                error.close()
                if error.code not in _PASSING:
                    raise self._refused(error.code, provider) from None
                problem = f"it answers {error.code} {error.reason}"
            except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
                problem = str(getattr(error, "reason", None) or error)
            if wait is None:
                raise _Unreachable(redacted(problem))
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _once(self, url: str, asked: Any) -> bytes:
        headers = {"Accept": "application/hal+json, application/json", **self._credentials}
        body = None
        if asked is not None:
            body = json.dumps(asked).encode()
            headers["Content-Type"] = "application/json"
        with self._opener.open(urllib.request.Request(url, body, headers), timeout=TIMEOUT_S) as answer:
            data: bytes = answer.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise self._wrong(url, f"is larger than {MAX_BYTES:,} bytes")
        return data

    def _refused(self, code: int, provider: str | None) -> ReadError:
        if code in {401, 403}:
            hint = "set PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD"
            if not self._credentials:
                hint += "; where PACT_BROKER_BASE_URL is set, they go to that host alone, and only over HTTPS"
            return ReadError(f"answers {code}: the credentials do not suffice", file=self._place.name, hint=hint)
        if code == 404 and provider is not None:
            hint = "`provider` is the name that the pacts call it by"
            return ReadError(f"knows no provider {provider}", file=self._place.name, hint=hint)
        return ReadError(f"answers {code}", file=self._place.name)

    def _wrong(self, address: str, what: str) -> ReadError:
        return ReadError(f"an answer of the broker {what}", file=redacted(address))


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows redirects within one host alone, so that no credentials travel."""

    def __init__(self, host: str | None) -> None:
        self._host = host

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if host_of(newurl) != self._host or urlsplit(newurl).scheme != urlsplit(req.full_url).scheme:
            fp.close()
            raise ReadError(f"redirects to {redacted(newurl)}, which is another host", file=self._host)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _credentials(url: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The header that says who asks; empty where nothing may be said to this host."""
    named = environ.get("PACT_BROKER_BASE_URL")
    if named and host_of(named) != host_of(url):
        return {}
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in _LOCAL:
        return {}
    if environ.get("PACT_BROKER_TOKEN"):
        return {"Authorization": f"Bearer {environ['PACT_BROKER_TOKEN']}"}
    if environ.get("PACT_BROKER_USERNAME"):
        pair = f"{environ['PACT_BROKER_USERNAME']}:{environ.get('PACT_BROKER_PASSWORD', '')}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    return {}


def _link(resource: Mapping[str, Any], relation: str) -> str | None:
    """Where a relation of a HAL resource leads; the first of several."""
    links = resource.get("_links")
    found = links.get(relation) if isinstance(links, Mapping) else None
    found = found[0] if isinstance(found, list) and found else found
    href = found.get("href") if isinstance(found, Mapping) else None
    return href if isinstance(href, str) else None


def _linked(resource: Mapping[str, Any], relation: str) -> list[Mapping[str, Any]]:
    links = resource.get("_links")
    found = links.get(relation) if isinstance(links, Mapping) else None
    return _mappings(found)


def _embedded(resource: Mapping[str, Any], relation: str) -> list[Mapping[str, Any]]:
    inside = resource.get("_embedded")
    return _mappings(inside.get(relation) if isinstance(inside, Mapping) else None)


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, Sequence) else []


def _filled(template: str, provider: str) -> str:
    """A templated link for a provider (RFC 6570, level 1)."""
    return template.replace("{provider}", quote(provider, safe=""))


def _segment(text: str) -> str:
    """A name as one segment of a path."""
    return re.sub(r"[^\w.@+-]+", "-", text).strip("-.") or "-"


def _kept(file: Path) -> dict[str, bytes] | None:
    try:
        data = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    return {str(name): str(text).encode() for name, text in data.items()} if isinstance(data, dict) else None


def _keep(file: Path, files: Mapping[str, bytes]) -> None:
    """Keep an answer; a cache that cannot be written to is no reason to fail."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = file.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps({name: data.decode("utf-8", "replace") for name, data in files.items()}))
        part.replace(file)
    except OSError:
        return
