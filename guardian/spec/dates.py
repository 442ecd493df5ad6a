"""Days as specifications write them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime


def read_date(text: object) -> date | None:
    """The day that ``x-sunset`` names: an RFC 3339 full-date or date-time, the latter taken to UTC; else ``None``."""
    if not isinstance(text, str):
        return None
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text) if re.match(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d", text) else None
    except ValueError:
        return None
    return None if moment is None else (moment.astimezone(UTC) if moment.tzinfo else moment).date()
