"""Reports to write: the rename of one field in a small company, a clean run, a hostile one, a big one."""

from __future__ import annotations

import hashlib
from typing import Any

from guardian.model import (
    AcceptedBy,
    Change,
    Confidence,
    ConsumerImpact,
    Direction,
    Edge,
    Effect,
    Fix,
    Impact,
    Location,
    Note,
    Patch,
    Report,
    Severity,
    Strategy,
    Summary,
    Verdict,
    Verification,
    Witness,
)

SPEC = "services/users/openapi.yaml"

DIFF = """\
--- a/services/users/openapi.yaml
+++ b/services/users/openapi.yaml
@@ -36,5 +36,9 @@
       properties:
         id: {type: string}
         email_address:
           type: string
+        email:
+          type: string
+          deprecated: true
+          x-sunset: "2027-03-01"
         name: {type: string}
"""


def fingerprint(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def change(rule: str, operation: str, field: str, **given: Any) -> Change:
    """A removed response field unless told otherwise."""
    settled: dict[str, Any] = {
        "service": "users",
        "direction": Direction.RESPONSE,
        "place": "response 200 application/json",
        "effect": Effect.WIDENED,
        "severity": Severity.BREAKING,
        "confidence": Confidence.PROVED,
        "message": f"the response property {field} is gone",
        "why": "It was always there; whoever reads it now finds nothing.",
        "base": None,
        "head": None,
    } | given
    settled.setdefault("fingerprint", fingerprint(rule, operation, field, settled["service"]))
    return Change(rule=rule, operation=operation, field=field, **settled)


def hit(consumer: str, because: str | tuple[str, ...], *, line: int = 9, **given: Any) -> ConsumerImpact:
    settled: dict[str, Any] = {
        "impact": Impact.BROKEN,
        "hops": 1,
        "confidence": "declared",
        "manifest": Location(f"consumers/{consumer}.yaml", "/uses/0/reads/1", line, 14),
        "owner": f"@acme/{consumer}",
        "contact": f"#{consumer}",
    } | given
    return ConsumerImpact(consumer=consumer, because=(because,) if isinstance(because, str) else because, **settled)


BILLING = hit("billing", "billing reads email of GET /users/{id}")
ORDERS = hit("orders", "orders reads email of GET /users/{id}", line=12, owner="team-orders")
NOTIFICATIONS = hit("notifications", "notifications reads items[].email of GET /users", confidence="asserted", line=31)
ANALYTICS = hit(
    "analytics",
    (
        "billing reads email of GET /users/{id}",
        "billing exposes it as customer.email of GET /invoices/{id}",
        "analytics reads customer.email of GET /invoices/{id}",
    ),
    hops=2,
    owner=None,
    contact="data@acme.example",
)

_BASE = Location(SPEC, "/components/schemas/User/properties/email", 39, 9)
_HEAD = Location(SPEC, "/components/schemas/User/properties", 36, 7)

EMAIL = change(
    "property-removed",
    "GET /users/{id}",
    "email",
    base=_BASE,
    head=_HEAD,
    counts_as=Severity.BREAKING,
    renamed_to="email_address",
    witness=Witness({"id": "1", "email_address": "", "name": ""}, False, True, "Head may send this; it has no email."),
    consumers=(ANALYTICS, ORDERS, BILLING),
    aliases={"oasdiff": "response-required-property-removed"},
)
EMAIL_IN_LIST = EMAIL._replace(
    operation="GET /users",
    field="items[].email",
    fingerprint=fingerprint("list"),
    consumers=(NOTIFICATIONS,),
    witness=Witness({"items": [{"id": "1", "email_address": "", "name": ""}]}, False, True),
)
TENANT = change(
    "parameter-required",
    "POST /orders",
    "header:X-Tenant",
    service="orders",
    direction=Direction.REQUEST,
    place="header X-Tenant",
    effect=Effect.NARROWED,
    message="the header X-Tenant is required now",
    why="A caller that does not send it is refused.",
    base=Location("services/orders/openapi.yaml", "/paths/~1orders/post/parameters/0", 20, 11),
    head=Location("services/orders/openapi.yaml", "/paths/~1orders/post/parameters/0/required", 24, 13),
    counts_as=Severity.BREAKING,
    confidence=Confidence.CERTAIN,
    consumers=(
        hit("storefront", "storefront calls POST /orders without header:X-Tenant", line=17),
        hit("billing", "billing calls POST /orders; what it sends is not known", impact=Impact.POSSIBLE, line=21),
    ),
)
ENUM = change(
    "enum-value-added",
    "GET /users/{id}",
    "status",
    severity=Severity.WARNING,
    counts_as=Severity.WARNING,
    message="the response property status can now be `suspended`",
    why="A reader that knows only the former values has no branch for it.",
    base=Location(SPEC, "/components/schemas/User/properties/status/enum", 50, 11),
    head=Location(SPEC, "/components/schemas/User/properties/status/enum", 51, 11),
    witness=Witness("suspended", False, True),
    consumers=(hit("billing", "billing reads status of GET /users/{id}", impact=Impact.POSSIBLE, line=10),),
)
PATTERN = change(
    "pattern-changed",
    "POST /users",
    "body.phone",
    direction=Direction.REQUEST,
    place="request application/json",
    effect=Effect.CHANGED,
    severity=Severity.WARNING,
    counts_as=Severity.WARNING,
    confidence=Confidence.POSSIBLE,
    message="the pattern of the request property phone changed",
    why="Which of the two accepts more cannot be decided.",
    base=Location(SPEC, "/components/schemas/NewUser/properties/phone/pattern", 71, 11),
    head=Location(SPEC, "/components/schemas/NewUser/properties/phone/pattern", 74, 11),
    unproved="The head pattern has a back-reference: it is not a regular language.",
)
NICKNAME = change(
    "property-removed",
    "GET /users/{id}",
    "nickname",
    base=Location(SPEC, "/components/schemas/User/properties/nickname", 45, 9),
    head=_HEAD,
    counts_as=Severity.INFO,
    consumers=(hit("mobile", "mobile reads nickname of GET /users/{id}", line=8),),
    exception=AcceptedBy(
        "agreed with the mobile team, RFC 112",
        "team-identity",
        "2027-01-31",
        ("team-mobile",),
        Location("guardian.exceptions.yaml", "/0", 1, 1),
    ),
)
FAX = change(
    "property-removed",
    "GET /users/{id}",
    "fax",
    base=Location(SPEC, "/components/schemas/User/properties/fax", 47, 9),
    head=_HEAD,
    counts_as=Severity.INFO,
)
DESCRIPTION = change(
    "property-added",
    "GET /users/{id}",
    "email_address",
    severity=Severity.INFO,
    counts_as=Severity.INFO,
    confidence=Confidence.CERTAIN,
    message="the response property email_address is new",
    why="Readers that ignore unknown fields do not notice.",
    base=Location(SPEC, "/components/schemas/User/properties", 36, 7),
    head=Location(SPEC, "/components/schemas/User/properties/email_address", 38, 9),
)

DUAL_WRITE = Fix(
    "F1",
    Strategy.DUAL_WRITE,
    "rules",
    (EMAIL.fingerprint, EMAIL_IN_LIST.fingerprint),
    (
        Patch(
            SPEC,
            "spec",
            (
                {
                    "op": "add",
                    "path": "/components/schemas/User/properties/email",
                    "value": {"type": "string", "deprecated": True, "x-sunset": "2027-03-01"},
                },
            ),
            {"overlay": "1.0.0", "info": {"title": "dual write of email", "version": "1"}, "actions": []},
            DIFF,
        ),
    ),
    Verification(
        True,
        0,
        {"analytics": "pass", "billing": "pass", "notifications": "pass", "orders": "pass"},
        True,
        (
            "Compared with base again: no breaking change of email is left.",
            "All 4 consumers that broke read what they read before.",
            "The new name email_address is still there.",
        ),
    ),
    "The response carries both names until every reader has moved to email_address.",
    (
        "Ship users with both names.",
        "Move billing, notifications, orders, then analytics.",
        "Remove email after 2027-03-01.",
    ),
)
WINDOW = DUAL_WRITE._replace(
    id="F2",
    strategy=Strategy.DEPRECATION_WINDOW,
    proposed_by="guardian-1b",
    rationale="Email stays for 90 days, marked as deprecated with a sunset date.",
)

EDGES = (
    Edge("billing", "users", "manifest", Impact.BROKEN),
    Edge("orders", "users", "manifest", Impact.BROKEN),
    Edge("notifications", "users", "pact", Impact.BROKEN),
    Edge("analytics", "billing", "manifest", Impact.BROKEN),
    Edge("storefront", "orders", "manifest", Impact.BROKEN),
    Edge("billing", "orders", "manifest", Impact.POSSIBLE),
    Edge("mobile", "users", "manifest", Impact.SAFE),
    Edge("search", "catalog", "manifest", Impact.SAFE),
    Edge("storefront", "catalog", "pact", Impact.SAFE),
    Edge("support", "users", "manifest", Impact.SAFE),
)


def friday_rename() -> Report:
    """``email`` became ``email_address``: four consumers break, one of them in a second hop."""
    changes = (DESCRIPTION, FAX, EMAIL_IN_LIST, NICKNAME, EMAIL, PATTERN, TENANT, ENUM)
    excerpts: dict[Location, tuple[int, tuple[str, ...]]] = {
        _BASE: (37, ("      properties:", "        id: {type: string}", "        email:", "          type: string")),
        _HEAD: (
            35,
            ("      required: [id, name]", "      properties:", "        id: {type: string}", "        email_address:"),
        ),
    }
    manifest = Location("consumers/billing.yaml", "/uses/0/reads/1", 9, 14)
    excerpts[manifest] = (8, ("    operation: GET /users/{id}", "    reads: [id, email]"))
    return Report(
        "0.1.0",
        Verdict.FAIL,
        Summary(3, len(changes), 3, 2, 1, 1, 8, ("storefront", "billing", "notifications", "orders", "analytics"), 87),
        changes,
        (DUAL_WRITE, WINDOW),
        (
            Note(
                "warning",
                "billing declares GET /users/{id}/avatar, which users does not have",
                "consumers/billing.yaml",
                30,
            ),
            Note(
                "info",
                "services/legacy/swagger.json is new: nothing to compare it with",
                "services/legacy/swagger.json",
            ),
        ),
        EDGES,
        excerpts=excerpts,
    )


def clean() -> Report:
    """Nothing changed."""
    return Report("0.1.0", Verdict.PASS, Summary(3, 0, 0, 0, 0, 0, 8, (), 87), (), edges=EDGES[6:])


def many(operations: int = 12, consumers: int = 30, edits: int = 1) -> Report:
    """Edits of shared components, each seen in many operations and read by many consumers."""
    changes = []
    for edit in range(edits):
        for number in range(operations):
            place = Location(SPEC, f"/components/schemas/S{edit}/properties/id", 10 + edit, 9)
            impacts = tuple(hit(f"consumer-{n:03}", f"consumer-{n:03} reads id of it") for n in range(consumers))
            changes.append(
                change(
                    "type-changed",
                    f"GET /things{number:04}/{edit:04}",
                    "id",
                    message=f"the type of S{edit}.id changed from string to integer",
                    base=place,
                    head=place._replace(line=12 + edit),
                    counts_as=Severity.BREAKING,
                    consumers=impacts,
                )
            )
    edges = tuple(Edge(f"consumer-{n:03}", f"service-{n % 30:02}", "manifest") for n in range(consumers))
    broken = tuple(f"consumer-{n:03}" for n in range(consumers))
    edges += tuple(Edge(name, "users", "manifest", Impact.BROKEN) for name in broken[::7])
    summary = Summary(1, len(changes), len(changes), 0, 0, 0, consumers, broken, consumers * 3)
    return Report("0.1.0", Verdict.FAIL, summary, tuple(changes), edges=edges)


#: Everything a specification may hold to harm a medium that shows it.
HOSTILE = (
    "\x1b[31mred\x1b]8;;https://evil.example\x07 \x9b2J [bold red]x[/] </script><script>alert(1)</script> "
    '"><img src=x onerror=alert(1)> | a ](javascript:alert(1)) ![i](https://evil.example/i.png) '
    "@everyone @acme/all #1 https://evil.example www.evil.example ```\n# heading\n::error::injected\n"
    "::set-output name=a::b\r\n##[error]x ##vso[task.x]y ]]> <!-- guardian:key --> &amp; \x00 "
    "\u202egnp\u2066 \u2028 \ud800 "
    "{{7*7}} ${x} <!--{findings}--> %0A::error::y $a$ \u200b"
)
LONG = HOSTILE + "y" * 100_000


def hostile() -> Report:
    """Every text of every value is hostile, some are very long."""
    report = friday_rename()
    place = Location(f"specs/{HOSTILE}.yaml", f"/components/{HOSTILE}", 3, 4)
    accepted = AcceptedBy(HOSTILE, "@everyone", "2027-01-31", (HOSTILE,), place)
    impact = ConsumerImpact(HOSTILE, Impact.BROKEN, 1, HOSTILE, (HOSTILE, LONG), place, HOSTILE, HOSTILE)
    mention = impact._replace(consumer="mention", owner="@all", because=())
    bad = change(
        f"rule {HOSTILE}",
        f"GET /{HOSTILE}",
        LONG,
        service=HOSTILE,
        place=HOSTILE,
        message=LONG,
        why=HOSTILE,
        base=place,
        head=place._replace(pointer="/components"),
        counts_as=Severity.BREAKING,
        renamed_to=HOSTILE,
        witness=Witness({HOSTILE: [LONG, float("nan"), 1 << 20_000]}, True, False, HOSTILE),
        consumers=(impact, mention),
        aliases={HOSTILE: HOSTILE},
    )
    patch = Patch(
        place.file, "spec", ({"op": "add", "path": HOSTILE, "value": HOSTILE},), {HOSTILE: HOSTILE}, f"+{HOSTILE}\n" * 9
    )
    checked = Verification(True, 0, {HOSTILE: "pass"}, True, (HOSTILE,))
    return report._replace(
        changes=(
            bad,
            bad._replace(exception=accepted, fingerprint=fingerprint("accepted")),
            bad._replace(witness=None, unproved=LONG, operation="x", fingerprint=fingerprint("unproved")),
        ),
        summary=report.summary._replace(
            changes=3, breaking=2, warnings=0, accepted=1, unread=0, consumers_broken=(HOSTILE, LONG)
        ),
        fixes=(Fix("F1", Strategy.FIELD_ALIAS, HOSTILE, (bad.fingerprint,), (patch,), checked, LONG, (HOSTILE,)),),
        notes=(Note("error", LONG, HOSTILE, 1), Note("info", HOSTILE)),
        edges=(Edge(HOSTILE, HOSTILE + "s", HOSTILE, Impact.BROKEN), Edge("mention", HOSTILE, "pact")),
        excerpts={place: (1, (HOSTILE, LONG, HOSTILE))},
    )
