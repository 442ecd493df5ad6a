"""The HTTP libraries that are known, by the dotted ways of what they offer, and the style that each is called in.

The styles are explained in ``http``.
"""

from __future__ import annotations

CLIENTS: dict[tuple[str, ...], str] = {
    ("httpx", "Client"): "python",
    ("httpx", "AsyncClient"): "python",
    ("requests", "Session"): "python",
    ("requests", "session"): "python",
    ("requests", "sessions", "Session"): "python",
    ("requests_toolbelt", "BaseUrlSession"): "python",
    ("requests_toolbelt", "sessions", "BaseUrlSession"): "python",
    ("niquests", "Session"): "python",
    ("niquests", "AsyncSession"): "python",
    ("aiohttp", "ClientSession"): "python",
    ("axios", "default", "create"): "axios",
    ("axios", "create"): "axios",
    ("axios", "Axios"): "axios",
    ("ky", "default", "create"): "fetch",
    ("ky", "default", "extend"): "fetch",
    ("got", "default", "create"): "fetch",
    ("got", "default", "extend"): "fetch",
    ("got", "got", "extend"): "fetch",
    ("ofetch", "ofetch", "create"): "ofetch",
    ("ofetch", "$fetch", "create"): "ofetch",
    ("$fetch", "create"): "ofetch",
    ("openapi-fetch", "default"): "openapi",
    ("openapi-react-query", "default"): "openapi",
    ("@reduxjs/toolkit/query", "fetchBaseQuery"): "observable",
    ("@reduxjs/toolkit/query/react", "fetchBaseQuery"): "observable",
}
TYPES: dict[tuple[str, ...], str] = {
    ("axios", "AxiosInstance"): "axios",
    ("axios", "AxiosStatic"): "axios",
    ("axios", "Axios"): "axios",
    ("ky", "KyInstance"): "fetch",
    ("got", "Got"): "fetch",
    ("@angular/common/http", "HttpClient"): "observable",
    ("@nestjs/axios", "HttpService"): "axios",
}
MODULES: dict[tuple[str, ...], str] = {
    ("httpx",): "python",
    ("requests",): "python",
    ("requests", "api"): "python",
    ("niquests",): "python",
    ("axios",): "axios",
    ("axios", "default"): "axios",
    ("ky", "default"): "fetch",
    ("got", "default"): "fetch",
    ("got", "got"): "fetch",
    ("$fetch",): "ofetch",
    ("ofetch", "ofetch"): "ofetch",
    ("ofetch", "$fetch"): "ofetch",
}
FUNCTIONS: dict[tuple[str, ...], str] = {
    ("fetch",): "fetch",
    ("window", "fetch"): "fetch",
    ("globalThis", "fetch"): "fetch",
    ("node-fetch", "default"): "fetch",
    ("cross-fetch", "default"): "fetch",
    ("cross-fetch", "fetch"): "fetch",
    ("undici", "fetch"): "fetch",
    ("undici", "request"): "fetch",
    ("axios",): "axios",
    ("axios", "default"): "axios",
    ("axios", "request"): "axios",
    ("axios", "default", "request"): "axios",
    ("ky", "default"): "fetch",
    ("got", "default"): "fetch",
    ("got", "got"): "fetch",
    ("$fetch",): "ofetch",
    ("ofetch", "ofetch"): "ofetch",
    ("ofetch", "$fetch"): "ofetch",
    ("urllib", "request", "urlopen"): "urllib",
    ("urllib", "request", "Request"): "urllib",
    ("httpx", "request"): "python",
    ("httpx", "stream"): "python",
    ("requests", "request"): "python",
    ("aiohttp", "request"): "python",
    ("httpx", "Request"): "python",
    ("requests", "Request"): "python",
    ("requests", "models", "Request"): "python",
    ("niquests", "Request"): "python",
    ("Request",): "fetch",
    ("undici", "Request"): "fetch",
    ("node-fetch", "Request"): "fetch",
}
#: The functions that send a request by themselves.
FUNCTION_NAMES = frozenset(way[-1] for way in FUNCTIONS if way[-1] != "default") | {
    "axios", "ky", "got", "build_request", "prepare_request",
}  # fmt: skip
DIRECT = frozenset({"observable", "ofetch", "unknown"})
