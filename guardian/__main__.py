"""``python -m guardian`` is the command ``guardian``."""

from guardian.cli.main import main

if __name__ == "__main__":
    main()
