"""Documents on the network, from hosts that were allowed by name and from no other, redirects included."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Collection
from typing import IO
from urllib.parse import urlsplit

from guardian.errors import RefError

TIMEOUT_S = 10.0
#: Largest document that is fetched, in bytes.
MAX_BYTES = 32 * 1024 * 1024


def host_of(url: str) -> str | None:
    """The host of an http(s) URL, with the port where one is written; None for anything else."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
        return None
    return parts.hostname if port is None else f"{parts.hostname}:{port}"


def is_allowed(url: str, hosts: Collection[str]) -> bool:
    """Whether a URL is on an allowed host; a host without a port allows every port."""
    host = host_of(url)
    return host is not None and (host in hosts or host.rpartition(":")[0] in hosts)


def fetch(url: str, hosts: Collection[str]) -> bytes:
    """The bytes at an http(s) URL.

    Args:
        url: the address.
        hosts: lower-case hosts that may be asked and redirected to.

    Raises:
        RefError: the host is not allowed, it does not answer within ``TIMEOUT_S`` seconds, or answers with an
            error, a redirect elsewhere or more than ``MAX_BYTES``.
    """
    if not is_allowed(url, hosts):
        raise _refused(url, url)
    opener = urllib.request.build_opener(_Redirects(hosts, url))
    request = urllib.request.Request(url, headers={"Accept": "application/json, application/yaml, */*"})
    try:
        with opener.open(request, timeout=TIMEOUT_S) as answer:
            data: bytes = answer.read(MAX_BYTES + 1)
    except urllib.error.HTTPError as error:
        error.close()
        raise RefError(f"the server answered {error.code} {error.reason}", file=url) from None
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise RefError(
            f"could not be fetched: {reason}", file=url, hint="keep a copy of the file in the tree"
        ) from None
    if len(data) > MAX_BYTES:
        raise RefError(f"the document is larger than {MAX_BYTES:,} bytes", file=url)
    return data


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to allowed hosts alone."""

    def __init__(self, hosts: Collection[str], url: str) -> None:
        self._hosts = hosts
        self._url = url

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if not is_allowed(newurl, self._hosts):
            fp.close()
            raise _refused(self._url, newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _refused(url: str, target: str) -> RefError:
    host = host_of(target)
    redirected = "" if target == url else f"redirects to {target}, which "
    return RefError(
        f"{redirected}leads to the network, which is not allowed",
        file=url,
        hint=f"allow it with --allow-remote-refs {host}, or keep a copy of the file in the tree" if host else None,
    )
