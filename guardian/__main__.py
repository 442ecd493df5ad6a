"""The command ``guardian``: the installed script, and ``python -m guardian``."""

from __future__ import annotations

import gc


def main() -> None:
    """Run the command line, and end the process."""
    # What is being imported stays: looking for garbage in it again and again would be a good part of the time.
    gc.disable()
    from guardian.cli.main import main as command_line

    gc.freeze()
    gc.enable()
    command_line()


if __name__ == "__main__":
    main()
