"""Requests that ask for access: what an operation demands, as a schema of the request's credentials and a policy.

What is demanded comes from the specification's own security requirements (OAuth 2.0 scopes, API keys); around it a
policy is drawn: second factor, addresses, lifetimes, rate limits.
"""

from __future__ import annotations

from random import Random
from typing import Any

from guardian.learn.contract.constraints import KEY, phrase
from guardian.learn.contract.mutations.sites import operations

Json = dict[str, Any]

NAME = "AccessRequest"


def access_document(document: Json, rng: Random) -> Json:
    """The specification of one operation's access: what a request for it carries, and what holds between that.

    The document has operations.
    """
    path, method, operation = rng.choice(operations(document))
    requirements = operation.get("security", document.get("security")) or [{}]
    schemes = (document.get("components") or {}).get("securitySchemes") or {}
    scopes = sorted({scope for scheme in requirements[0].values() for scope in scheme})
    keys = [schemes[name]["name"] for name in requirements[0] if _is_key(schemes.get(name))]
    network = f"10.{rng.randint(0, 9)}.0.0/16"
    text = {"type": "string", "minLength": 1}
    moment = {"type": "string", "format": "date-time"}
    token: Json = {
        "type": "object",
        "required": ["subject", "audience", "grant", "scopes", "issued_at", "expires_at"],
        "properties": {
            "subject": {"type": "string", "format": "uuid"},
            "audience": {"type": "string", "enum": [str((document.get("info") or {}).get("title", "api"))]},
            "grant": {"type": "string", "enum": ["authorization_code", "client_credentials"]},
            "scopes": {
                "type": "array",
                "items": text,
                "minItems": 1,
                "allOf": [{"contains": {"const": scope}} for scope in scopes] or [{}],
            },
            "issued_at": moment,
            "expires_at": moment,
        },
    }
    schema: Json = {
        "type": "object",
        "required": ["request", "credentials", "token", "mfa", "client", "rate_limit"],
        "properties": {
            "request": _object(
                method={"type": "string", "enum": [method.upper()]},
                sent_at=moment,
                id={"type": "string", "format": "uuid"},
            ),
            "credentials": _object(
                scheme={"type": "string", "enum": ["Bearer"]},
                api_key={"type": "string", "pattern": "^key_[a-z0-9]{8}$"},
                key_header={"type": "string", "enum": [keys[0] if keys else "X-Api-Key"]},
                rotated_on={"type": "string", "format": "date"},
            ),
            "token": token,
            "mfa": _object(
                method={"type": "string", "enum": ["totp", "webauthn"]},
                verified_at=moment,
                remembered={"type": "boolean"},
            ),
            "client": _object(
                address={"type": "string", "format": "ipv4"},
                agent=text,
                country={"type": "string", "pattern": "^[A-Z]{2}$"},
            ),
            "rate_limit": _object(
                limit={"type": "integer", "minimum": 1, "maximum": 1000},
                used={"type": "integer", "minimum": 0},
                window_seconds={"type": "integer", "enum": [1, 60, 3600]},
            ),
        },
        KEY: [
            phrase("after", "token.expires_at", rng, a="token.issued_at").to_json(),
            phrase("not_before", "request.sent_at", rng, a="token.issued_at").to_json(),
            phrase("not_before", "mfa.verified_at", rng, a="token.issued_at").to_json(),
            phrase("at_most", "rate_limit.used", rng, a="rate_limit.limit").to_json(),
            phrase("in_network", "client.address", rng, value=network).to_json(),
        ],
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Access to {method.upper()} {path}", "version": "1.0.0"},
        "paths": {},
        "components": {"schemas": {NAME: schema}},
        "x-operation": f"{method.upper()} {path}",
        "x-scopes": scopes,
    }


def _is_key(scheme: Any) -> bool:
    return isinstance(scheme, dict) and scheme.get("type") == "apiKey" and isinstance(scheme.get("name"), str)


def _object(**properties: Json) -> Json:
    return {"type": "object", "required": list(properties), "properties": properties}


def complete(payload: Any, document: Json) -> None:
    """Give a sampled request the scopes that are demanded."""
    payload["token"]["scopes"] = [*document["x-scopes"], "profile"]


def drop_scope(payload: Any, rng: Random) -> bool:
    """Take a scope off the token, or something else off the request."""
    token = payload.get("token")
    scopes = token.get("scopes") if isinstance(token, dict) else None
    if isinstance(scopes, list) and len(scopes) > 1 and rng.random() < 0.4:
        scopes.pop(0)
        return True
    parts = [each for each in payload.values() if isinstance(each, dict) and each]
    if not parts:
        return False
    holder = rng.choice(parts)
    del holder[rng.choice(sorted(holder))]
    return True
