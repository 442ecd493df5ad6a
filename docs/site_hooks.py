"""What the site needs beside the pages: links that leave docs/ lead to the repository, and what they name must be there."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

_LINK = re.compile(r"\]\((?P<target>(?:\.\./)+[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """The page with its links out of docs/ made absolute."""
    folder = (Path(config.docs_dir) / page.file.src_path).parent

    def moved(link: re.Match[str]) -> str:
        path = Path(os.path.normpath(folder / link["target"]))
        if path.is_relative_to(config.docs_dir):
            return link[0]
        if not path.is_relative_to(ROOT) or not path.exists():
            from mkdocs.exceptions import PluginError

            raise PluginError(f"{page.file.src_path} links to {link['target']}, which is not there")
        kind = "tree" if path.is_dir() else "blob"
        return f"]({config.repo_url}/{kind}/main/{path.relative_to(ROOT).as_posix()}{link['anchor'] or ''})"

    return _LINK.sub(moved, markdown)
