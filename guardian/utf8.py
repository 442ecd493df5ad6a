"""Names of files as UTF-8, whatever the locale: as git and specifications have them."""

from __future__ import annotations

import os
import sys


def start_again_in_utf8() -> None:
    """Have Python begin once more in its UTF-8 mode, where the locale says that files are named otherwise.

    A path from git or guardian.yaml would be looked for under other bytes, and a specification taken for removed.
    """
    if sys.getfilesystemencoding().lower().replace("-", "") != "utf8" and not sys.flags.utf8_mode and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
