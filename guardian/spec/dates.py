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
        if not re.match(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d", text):
            return None
        moment = datetime.fromisoformat(re.sub(r"\.\d+", "", text.upper()))  # no fraction of a second moves a day
        return (moment.astimezone(UTC) if moment.tzinfo else moment).date()
    except (ValueError, OverflowError):
        return None
