"""Which services a check is about, and where each one's specification is on either side."""

from __future__ import annotations

import fnmatch
import os
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from guardian.config import CheckRequest, Config
from guardian.errors import ReadError, UsageError
from guardian.spec import git
from guardian.spec.discover import discover, pair, service_name
from guardian.spec.sources import DirectoryTree, GitTree, Side, Tree, WorkTree, open_side

_EXTERNAL_REF = re.compile(rb"""\$ref["']?\s*:\s*["']?[^#"'\s]""")
_GLOB = re.compile(r"[*?\[]")

ReadConfig = Callable[[bytes, str], Config]


@dataclass(frozen=True, slots=True, order=True)
class Service:
    """One service of the check; a path is ``None`` on the side that does not have it."""

    name: str
    base_path: str | None
    head_path: str | None
    owner: str | None = None
    public: bool = False


@dataclass(frozen=True, slots=True)
class Sides:
    """Both trees, and where guardian.yaml's folder is in each (a path in the tree, empty for its root)."""

    base: Side
    head: Side
    base_folder: str = ""
    head_folder: str = ""


def open_sides(request: CheckRequest) -> Sides:
    """Open what ``--base`` and ``--head`` name, or the defaults.

    Raises:
        ReadError: a side cannot be read.
        UsageError: one side is a file and the other one can have no such file.
    """
    base = open_side(request.base, cwd=request.cwd, role="base")
    if (
        request.head is None
        and base.path is not None
        and request.base is not None
        and isinstance(base.tree, DirectoryTree)
    ):
        raise UsageError(
            f"--base {request.base} is a single specification, so there is nothing to compare it with",
            hint="name the other one: --head NEW.yaml",
        )
    head = open_side(request.head, cwd=request.cwd, role="head")
    if base.path is None and head.path is not None:
        base = _same_file(base, head, request)
    elif head.path is None and base.path is not None:
        head = _same_file(head, base, request)
    folder = request.config_folder
    return Sides(base, head, _folder_in(base.tree, folder), _folder_in(head.tree, folder))


def _same_file(tree_side: Side, file_side: Side, request: CheckRequest) -> Side:
    """The file that one side names, on the other side."""
    path = file_side.path or ""
    if isinstance(file_side.tree, DirectoryTree) and isinstance(tree_side.tree, GitTree):
        path = Path(os.path.relpath(file_side.tree.root / path, tree_side.tree.repo)).as_posix()
    elif isinstance(file_side.tree, GitTree) and isinstance(tree_side.tree, DirectoryTree):
        path = Path(os.path.relpath(file_side.tree.repo / path, tree_side.tree.root)).as_posix()
    tree_side.tree.read(path)  # says at once what is missing and what is close to it
    return Side(tree_side.tree, path)


def _folder_in(tree: Tree, folder: Path) -> str:
    """Where guardian.yaml's folder is in a tree; the root of a tree that it does not lie in."""
    if isinstance(tree, GitTree):
        root = tree.repo / tree.prefix
    elif isinstance(tree, DirectoryTree):
        root = tree.root
    else:
        return ""
    root, folder = root.resolve(), folder.resolve()
    return "" if not folder.is_relative_to(root) or folder == root else folder.relative_to(root).as_posix()


def select(sides: Sides, request: CheckRequest, read_config: ReadConfig) -> list[Service]:
    """The services to check, by name.

    In the two-file form there is one, named after the head file or by ``--service``. Else those of guardian.yaml,
    head's and what only base's had; without any, every OpenAPI document found on either side.

    Raises:
        UsageError: ``--service`` names one that there is not; no specification is found at all.
    """
    if sides.base.path is not None and sides.head.path is not None:
        return [_single(sides, request)]
    declared = request.config.services
    services = _declared(sides, request, read_config) if declared else _discovered(sides, request)
    if not services:
        raise UsageError(
            f"no OpenAPI document found in {sides.base.label} or {sides.head.label}",
            hint="name them: --base OLD.yaml --head NEW.yaml, or write a guardian.yaml with `guardian init`",
        )
    if not request.services:
        return services
    unknown = sorted(set(request.services) - {service.name for service in services})
    if unknown:
        names = ", ".join(service.name for service in services[:10])
        raise UsageError(f"--service {unknown[0]}: there is no such service", hint=f"there are {names}")
    return [service for service in services if service.name in request.services]


def _single(sides: Sides, request: CheckRequest) -> Service:
    head_path = sides.head.path or ""
    if len(request.services) > 1:
        raise UsageError("--service may be given once where --base and --head are single files")
    for name, service in request.config.services.items():
        if posixpath.normpath(posixpath.join(sides.head_folder, service.spec)) == head_path and not request.services:
            return _service(name, sides.base.path, head_path, request.config)
    name = request.services[0] if request.services else posixpath.basename(service_name(head_path))
    return _service(name, sides.base.path, head_path, request.config)


def _service(name: str, base: str | None, head: str | None, *configs: Config) -> Service:
    for config in configs:
        known = config.services.get(name)
        if known is not None:
            return Service(name, base, head, known.owner, known.visibility == "public")
    return Service(name, base, head)


def _declared(sides: Sides, request: CheckRequest, read_config: ReadConfig) -> list[Service]:
    head_config = request.config
    base_config = _base_config(sides, request, read_config) or head_config
    head = _find_specs(head_config, sides.head.tree, sides.head_folder)
    base = _find_specs(base_config, sides.base.tree, sides.base_folder)
    # A service that is new in guardian.yaml may have a specification that is not new at all.
    for name, path in _find_specs(head_config, sides.base.tree, sides.base_folder).items():
        base.setdefault(name, path)
    renames = {c.head: c.base for c in _changes(sides) if c.renamed}
    for name, path in head.items():
        was = renames.get(path)
        if name not in base and was is not None and was not in base.values():
            base[name] = was
    missing = sorted(name for name in head_config.services if not any(_belongs(each, name) for each in (*head, *base)))
    if missing:
        spec = head_config.services[missing[0]].spec
        raise ReadError(
            f"service {missing[0]}: there is no {spec} in {sides.head.label} nor in {sides.base.label}",
            file=_config_name(request),
            hint="correct `spec`, which is relative to this file, or remove the service",
        )
    names = sorted(head.keys() | base.keys())
    return [_service(name, base.get(name), head.get(name), head_config, base_config) for name in names]


def _belongs(found: str, name: str) -> bool:
    return found == name or found.startswith(f"{name}/")


def _config_name(request: CheckRequest) -> str | None:
    return os.path.relpath(request.config_file, request.cwd) if request.config_file else None


def _base_config(sides: Sides, request: CheckRequest, read_config: ReadConfig) -> Config | None:
    """guardian.yaml as base has it: a service that was deleted with its entry still has readers."""
    if request.config_file is None:
        return None
    path = posixpath.join(sides.base_folder, request.config_file.name)
    tree = sides.base.tree
    if not isinstance(tree, GitTree) or not tree.exists(path):
        return None
    return read_config(tree.read(path), f"{tree.display(path)} at {tree.label}")


def _find_specs(config: Config, tree: Tree, folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    files: list[str] | None = None
    for name, service in config.services.items():
        path = posixpath.normpath(posixpath.join(folder, service.spec))
        if not _GLOB.search(service.spec):
            if tree.exists(path):
                found[name] = path
            continue
        files = tree.files() if files is None else files
        matches = [each for each in files if fnmatch.fnmatchcase(each, path)]
        for match in matches:
            found[name if len(matches) == 1 else f"{name}/{service_name(match)}"] = match
    return found


def _discovered(sides: Sides, request: CheckRequest) -> list[Service]:
    def title(role: str, path: str) -> str | None:
        from guardian.spec.text import load

        tree = sides.base.tree if role == "base" else sides.head.tree
        root = load(tree.read(path), tree.display(path))
        info = root.get("info") if isinstance(root, dict) else None
        text = info.get("title") if isinstance(info, dict) else None
        return text if isinstance(text, str) else None

    pairs = pair(discover(sides.base), discover(sides.head), _changes(sides), title)
    return [Service(each.service, each.base_path, each.head_path) for each in pairs]


def _changes(sides: Sides) -> list[git.FileChange]:
    """git's own view of what changed, where both sides are of one repository."""
    base, head = sides.base.tree, sides.head.tree
    if not isinstance(base, GitTree) or base.prefix:
        return []
    if isinstance(head, GitTree) and head.repo == base.repo and not head.prefix:
        return git.changed_files(base.repo, base.commit, head.commit)
    if isinstance(head, WorkTree):
        return git.changed_files(base.repo, base.commit)
    return []


def untouched(service: Service, sides: Sides) -> bool:
    """True if a service is the same bytes on both sides and refers to no other file: nothing needs to be parsed."""
    if service.base_path is None or service.head_path is None:
        return False
    base = sides.base.tree.read(service.base_path)
    return base == sides.head.tree.read(service.head_path) and not _EXTERNAL_REF.search(base)
