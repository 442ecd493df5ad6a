"""The command ``guardian``: the installed script, and ``python -m guardian``."""

from __future__ import annotations

import gc

from guardian.utf8 import start_again_in_utf8

INTERRUPTED = 130
"""Exit code of what Ctrl-C ended, as shells expect."""


def main() -> None:
    """Run the command line, and end the process."""
    try:
        _main()
    except KeyboardInterrupt:  # before there is a command to be interrupted, or after it
        raise SystemExit(INTERRUPTED) from None


def _main() -> None:
    # What is being imported stays: looking for garbage in it again and again would be a good part of the time.
    gc.disable()
    start_again_in_utf8()
    from guardian.cli.main import main as command_line

    gc.freeze()
    gc.enable()
    command_line()


if __name__ == "__main__":
    main()
