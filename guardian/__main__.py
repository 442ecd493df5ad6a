"""``python -m guardian`` is the command ``guardian``."""

from guardian.cli.main import run

if __name__ == "__main__":
    run()
