"""The files as modules: what an import means here, and what every module's names are worth."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from guardian.graph.consumers.code import syntax as s

_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")


class Program:
    """Finds the file that an import names."""

    def __init__(self, sources: Iterable[s.Source]) -> None:
        self.sources = sorted(sources, key=lambda source: source.path)
        self._by_path = {source.path: source for source in self.sources}
        self._python: dict[tuple[str, ...], list[s.Source]] = {}
        for source in self.sources:
            if source.language == "python":
                parts = source.path.removesuffix(".py").removesuffix("/__init__").split("/")
                for start in range(len(parts)):
                    self._python.setdefault(tuple(parts[start:]), []).append(source)

    def find(self, source: s.Source, module: str) -> s.Source | None:
        """The file that ``module`` is, imported by another file; ``None`` if it is not among these."""
        if source.language == "python":
            return self._find_python(source, module)
        return self._find_script(source, module)

    def _find_python(self, source: s.Source, module: str) -> s.Source | None:
        folder = posixpath.dirname(source.path)
        if module.startswith("."):
            rest = module.lstrip(".")
            for _ in range(len(module) - len(rest) - 1):
                folder = posixpath.dirname(folder)
            return self._python_file(posixpath.join(folder, *rest.split(".")) if rest else folder)
        parts = tuple(module.split("."))
        if len(parts) == 1:  # beside it, or at the top: a file deep below that is called `requests` is another one
            return self._python_file(posixpath.join(folder, module)) or self._python_file(module)
        found = self._python.get(parts, [])
        return min(found, key=lambda each: (len(each.path), each.path), default=None)

    def _python_file(self, stem: str) -> s.Source | None:
        return self._by_path.get(f"{stem}.py") or self._by_path.get(posixpath.join(stem, "__init__.py"))

    def _find_script(self, source: s.Source, module: str) -> s.Source | None:
        if module.startswith("."):
            return self._script(posixpath.normpath(posixpath.join(posixpath.dirname(source.path), module)))
        if module.startswith(("@/", "~/")):  # what bundlers are told to take for the source folder
            rest = module[2:]
            return self._script(posixpath.join("src", rest)) or self._script(rest)
        return None

    def _script(self, stem: str) -> s.Source | None:
        plain, ending = posixpath.splitext(stem)
        stems = [stem, plain] if ending in {".js", ".mjs", ".cjs", ".jsx"} else [stem]
        for each in stems:
            candidates = [each, *(each + end for end in _ENDINGS), *(f"{each}/index{end}" for end in _ENDINGS)]
            for candidate in candidates:
                if candidate in self._by_path:
                    return self._by_path[candidate]
        return None
