"""RTK Query: an API that is described once, and the hooks that are named after its endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardian.graph.consumers.code import hooks, http
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import (
    ANYTHING,
    Client,
    Foreign,
    Given,
    Listing,
    Record,
    Scope,
    Trigger,
    Value,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

# A builder's functions give what they are given.
_SAME = Foreign(("Object", "freeze"))


def api(flow: Flow, given: Given, at: Location) -> Value | None:
    """What ``createApi`` gives: the hooks of its endpoints by name; ``None`` where it describes none that are seen."""
    options = hooks.join_records(given.first())
    if "endpoints" not in options.entries:
        return None
    clients = [each for each in options.entries.get("baseQuery", ANYTHING) if isinstance(each, Client)]
    client = clients[0] if clients else Client("observable", sure=False)
    builder = Record()
    for name in ("query", "mutation", "infiniteQuery"):
        builder.put(name, (_SAME,), given.node.line)
    described = hooks.join_records(flow.call_back(options.entries["endpoints"], at, (builder,)))
    made = Record(open=given.node.line)
    for name, value in described.entries.items():
        _offer(flow, made, name, hooks.join_records(value), client, at, described.lines[name])
    return (made,)


def _offer(flow: Flow, made: Record, name: str, endpoint: Record, client: Client, at: Location, line: int) -> None:
    """Add the hooks of one endpoint."""
    if "query" not in endpoint.entries:
        return
    call = s.Call(line, s.Opaque(line), ())
    request = flow.call_back(endpoint.entries["query"], Location(at.file, "", line), ANYTHING)
    scope = Scope(s.Source(at.file, at.file, "typescript", ()))
    value = http.sent(flow, client, "__call__", Given([request], Record(), False, call), scope) or ANYTHING
    if "transformResponse" in endpoint.entries:
        value = flow.call_back(endpoint.entries["transformResponse"], Location(at.file, "", line), value)
    title = f"{name[:1].upper()}{name[1:]}"
    trigger = Trigger(None, value=value)
    state = hooks.result(value, trigger=trigger)
    pair: Value = (Listing([(trigger,), state], exact=True),)
    offered = []
    for hook, result in ((f"use{title}Query", state), (f"useLazy{title}Query", pair), (f"use{title}Mutation", pair)):
        offered.append(Trigger(None, value=result))
        made.put(hook, (offered[-1],), line)
    flow.offered.append((tuple(offered), value, Location(at.file, "", line)))
