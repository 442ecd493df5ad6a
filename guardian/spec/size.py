"""How large a file may be: known to whoever lists and reads files, the action among them, without any parser."""

from __future__ import annotations

#: Largest file that is read, in bytes.
MAX_BYTES = 64 * 1024 * 1024
