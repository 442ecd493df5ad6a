"""Which services a check is about, and where each one's specification is on either side."""

from __future__ import annotations

import os
import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from guardian.check.apart import Declared, of_their_own, told_apart
from guardian.check.before import Before, ReadConfig, config_before, is_standing_in
from guardian.check.discovered import discovered
from guardian.check.names import other_names, same_document
from guardian.check.newness import REMEDY, ignored_matches, not_checked, nothing_to_compare, why_never
from guardian.check.service import Selection, Service, listed
from guardian.check.setting import line_of, name_of, said_of
from guardian.check.sides import Sides, holds, in_tree, renames, root_of
from guardian.config import CheckRequest, Config
from guardian.errors import ConfigError, ReadError, UsageError
from guardian.model import Note
from guardian.spec.checkout import passed_over
from guardian.spec.globs import fixed_folder, is_glob, literal, matches_glob
from guardian.spec.pointers import escape
from guardian.spec.service_names import service_name
from guardian.spec.submodules import not_looked_into
from guardian.spec.trees import Tree

_CORRECT = "correct `spec`, which is relative to this file, or remove the service"


def survey(sides: Sides, request: CheckRequest, read_config: ReadConfig) -> Selection:
    """Find all services, and those to check.

    In the two-file form there is one, named after the head file or by ``--service``. Else those of guardian.yaml,
    head's and what only base's had; without any, every OpenAPI document found on either side.

    Raises:
        ConfigError: two entries of guardian.yaml call two documents the same.
        ReadError: a specification that guardian.yaml names is not there, or cannot be compared; with ``--service``, one
            of those.
        UsageError: ``--service`` names one that there is not; no specification is found at all.
    """
    before = config_before(sides, request, read_config)
    if sides.single:
        only = (_single(sides, request),)
        return Selection(only, only, before.notes, other_names(only), before.config)
    declared = _Declared(sides, request, before) if request.config_file else None
    found = tuple(declared.services() if declared else ())
    notes = (*before.notes, *declared.notes) if declared else ()
    problems = declared.problems if declared else []
    if not found:
        for _, problem in problems:
            raise problem
        found, remarks = discovered(sides)
        notes = (*notes, *remarks)
    if not found:
        remedy = "\n".join([f"name them: {_how_to_name(request)}", *(note.message for note in notes)])
        raise UsageError(f"no OpenAPI document found in {_labels(sides)}", hint=remedy)
    known = other_names(found)

    def asked_for(each: Service, wanted: str) -> bool:
        return _belongs(each.name, wanted) or each.name in known.get(wanted, ())

    missing = [wanted for wanted in request.services if not any(asked_for(each, wanted) for each in found)]
    chosen = found
    if request.services:
        chosen = tuple(each for each in found if any(asked_for(each, wanted) for wanted in request.services))
    for name, problem in problems:
        if not request.services or _concerned(name, chosen, request.services, missing):
            raise problem
    for wanted in missing:
        names = listed([each.name for each in found])
        with said_of(request, "only_services", at=f"/{request.services.index(wanted)}"):
            raise UsageError(f"--service {wanted}: there is no such service", hint=f"there is {names}")
    return Selection(found, chosen, notes, known, before.config)


def _concerned(name: str, chosen: Sequence[Service], wanted: Collection[str], missing: Collection[str]) -> bool:
    """Whether what is wrong with a service, or with an entry that has none, is in the way of those that are asked for."""
    return (
        any(each.name == name for each in chosen)
        or any(_belongs(name, each) for each in wanted)
        or any(_belongs(each, name) for each in missing)
    )


def _how_to_name(request: CheckRequest) -> str:
    files = "--base OLD.yaml --head NEW.yaml"
    if request.config_file is None:
        return f"{files}, or write a guardian.yaml with `guardian init`"
    name = os.path.relpath(request.config_file, request.cwd)
    return f"{files}, or under `services` in {name}, such as `users: {{spec: path/to/openapi.yaml}}`"


def _labels(sides: Sides) -> str:
    labels = dict.fromkeys((sides.base.label, sides.head.label))
    return " or ".join("the working directory" if label == "." else label for label in labels)


def _belongs(found: str, name: str) -> bool:
    """Whether a service is the one of this name, or one of several that its glob matches."""
    return found == name or found.startswith(f"{name}/")


# --- the two-file form --------------------------------------------------------------------------------------------


def _single(sides: Sides, request: CheckRequest) -> Service:
    if len(request.services) > 1:
        raise UsageError("--service may be given once where --base and --head are single files")
    base, head = _pair_of_files(sides)
    never = why_never(sides, [head]) if base is None and head is not None else {}
    for path, reason in never.items():
        raise nothing_to_compare(sides, path, reason)
    for name, service in request.config.services.items():
        called = (
            name if request.services == (name,) else _entry_of(name, service.spec, head or base or "", sides, request)
        )
        if called is not None and request.services in ((), (called,)):
            also = (name,) if called != name else ()
            return Service(called, base, head, service.owner, service.visibility == "public", also=also)
    if request.services:
        return Service(request.services[0], base, head)
    now, was = (posixpath.basename(service_name(path)) for path in (head or base or "", base or head or ""))
    return Service(now, base, head, formerly=(was,) if was != now else ())


def _entry_of(name: str, spec: str, path: str, sides: Sides, request: CheckRequest) -> str | None:
    """What a file is called by an entry of guardian.yaml, wherever guardian runs; ``None`` where the entry does not mean it."""
    if in_tree(sides, sides.head.tree, request.config_folder, spec) == path:
        return name
    root = root_of(sides.head.tree)
    if root is None or not path:
        return None
    written = os.path.relpath(root / path, os.path.realpath(request.config_folder)).replace(os.sep, "/")
    clean = posixpath.normpath(spec)
    if written == clean:
        return name
    return f"{name}/{told_apart(written, clean)}" if is_glob(clean) and matches_glob(written, clean) else None


def _pair_of_files(sides: Sides) -> tuple[str | None, str | None]:
    """The paths of both files. A revision or work tree that does not have the other's by this name may by another."""
    base, head = sides.base.path, sides.head.path
    assert base is not None and head is not None, "both sides are single files"
    if not sides.base.tree.exists(base):
        return next((each.base for each in renames(sides) if each.head == head), None), head
    if not sides.head.tree.exists(head):
        return base, next((each.head for each in renames(sides) if each.base == base), None)
    return base, head


# --- guardian.yaml ------------------------------------------------------------------------------------------------


class _Declared:
    """The services that guardian.yaml names, on head and on base."""

    def __init__(self, sides: Sides, request: CheckRequest, before: Before) -> None:
        self._sides = sides
        self._request = request
        self._config = request.config
        self._folder = request.config_folder
        self.notes: list[Note] = []
        self.problems: list[tuple[str, ReadError]] = []
        self._renames: dict[str, str] | None = None
        self._files: dict[tuple[int, str], list[str]] = {}
        self._places: dict[tuple[int, str], str | None] = {}
        # A service that was deleted with its entry still has readers.
        self._own = before.config if holds(sides, self._folder) else None
        self._base_config = self._own or self._config

    def services(self) -> list[Service]:
        """All of them; none where guardian.yaml has nothing to do with either side.

        What is wrong with single ones is kept in ``problems``: whoever asks for others is not concerned.

        Raises:
            ConfigError: two entries call two documents the same.
        """
        families = [(name, each) for name in sorted(self._names()) for each in self._family(name)]
        found = [each for _, each in families]
        for name, service in self._config.services.items() if holds(self._sides, self._folder) else ():
            if not any(_belongs(each.name, name) for each in found):
                missing = f"there is no {service.spec} in {_labels(self._sides)}"
                why, hint = self._misnamed(service.spec) or (missing, self._not_looked_into(service.spec) or _CORRECT)
                self._cannot(name, why, hint)
        for each in found:
            listed = self._config.services.get(each.name)
            there = each.base_path is not None and self._sides.head.tree.exists(each.base_path)
            if listed is not None and each.head_path is None and there:
                why, hint = self._misnamed(listed.spec) or (f"there is no {listed.spec}", _CORRECT)
                self._cannot(each.name, f"{why}, though {each.base_path} is still there", hint)
        specs = dict.fromkeys(each.spec for each in self._config.services.values() if is_glob(each.spec))
        remarks = filter(None, map(self._not_looked_into, specs))
        self.notes += (Note("warning", remark, self._config_name()) for remark in remarks)
        new = [(each.name, each.head_path) for each in found if each.base_path is None and each.head_path is not None]
        never = why_never(self._sides, [path for _, path in new])
        for name, path in new:
            self._look_at_new(name, path, never.get(path))
        if not found and self._names():
            message = "names no specification that is there, so every OpenAPI document was looked for"
            self.notes.append(Note("info", f"{self._config_name()} {message}"))
        kept = [
            (name, self._followed(name, each, each.base_path, found) if each.base_path and not each.head_path else each)
            for name, each in self._without_renamed(families)
        ]
        return [each for _, each in of_their_own(kept, self._clash)]

    def _misnamed(self, spec: str) -> tuple[str, str] | None:
        """Why a ``spec`` means no file though there is something of this name, and what to do."""
        path = self._place(spec, self._sides.head.tree)
        if not spec.strip():
            return "`spec` is empty", _CORRECT
        if path and is_glob(spec) and self._sides.head.tree.exists(path):
            return (
                f"{spec} is a glob, in which [ begins a set of characters",
                f"for the file of that name write {literal(spec)}",
            )
        if path and self._sides.head.tree.is_directory(path):
            return (
                f"{spec} is a folder",
                f"name the specification in it, or all of them, such as {spec.rstrip('/')}/*.yaml",
            )
        return None

    def _cannot(self, name: str, why: str, hint: str) -> None:
        """Keep what is wrong with a service."""
        error = ReadError(f"service {name}: {why}", file=self._config_name(), line=self._line_of(name), hint=hint)
        self.problems.append((name, error))

    def _clash(self, one: Declared, other: Declared) -> ConfigError:
        """What to say of two documents that two entries call the same; the first may be the entry of that name itself."""
        (entry, service), (glob, member) = one, other
        specs = self._config.services
        whose = specs[entry].spec if entry == service.name else f"{service.head_path} ({specs[entry].spec} of {entry})"
        return ConfigError(
            f"both {whose} and {member.head_path} ({specs[glob].spec} of {glob}) are called {service.name}",
            file=self._config_name(),
            line=self._line_at(entry),
            hint=f"give the entry {entry} another name, or {glob} a `spec` that does not match {member.head_path}",
        )

    def _look_at_new(self, name: str, path: str, never: str | None) -> None:
        """Note what is odd about a service that base does not have, and never will though its guardian.yaml names it."""
        own = self._own.services if self._own is not None else {}
        known = next((own[entry] for entry in own if _belongs(name, entry)), None)
        label = self._sides.base.tree.label
        shown = self._sides.head.tree.display(path)
        if never is not None and known is not None:
            self._cannot(name, f"{label} has no {shown}, as {never}, so its changes cannot be seen", REMEDY)
        elif never is not None:
            message = (
                f"{label} has no such file and never will, as {never}: later checks of {name} will end with an error"
            )
            self.notes.append(Note("warning", f"{message}; {REMEDY}", shown))
        elif known is not None and not is_glob(known.spec):
            message = f"{label} names {name} in its guardian.yaml, but has no {known.spec}: nothing is compared with it"
            self.notes.append(Note("warning", message, shown))

    def _line_of(self, name: str) -> int | None:
        """Where head's guardian.yaml says what the specification of a service is."""
        entry = next((each for each in self._config.services if _belongs(name, each)), None)
        return self._line_at(name if name in self._config.services else entry)

    def _line_at(self, entry: str | None) -> int | None:
        return line_of(self._request, f"/services/{escape(entry)}/spec") if entry is not None else None

    def _names(self) -> set[str]:
        return self._config.services.keys() | self._base_config.services.keys()

    def _family(self, name: str) -> Iterator[Service]:
        """The services of one entry: one, or as many as its glob matches."""
        # A service that is new in guardian.yaml may have a specification that is not new at all.
        bases = self._find(self._base_config, name, self._sides.base.tree) or self._find(
            self._config, name, self._sides.base.tree
        )
        heads = self._heads(name, bases)
        # What only one side can look into is on the other as well, for all that is known: reading it says why it cannot be.
        bases += self._hidden(self._base_config, name, self._sides.base.tree, heads)
        heads += self._hidden(self._config, name, self._sides.head.tree, bases)
        several = len(heads) > 1 or len(bases) > 1
        members: list[Service] = []
        for base, head in self._pairs(bases, heads, several):
            was = self._as_one_of_several(self._base_config, name, base, self._sides.base.tree)
            now = self._as_one_of_several(self._config, name, head, self._sides.head.tree)
            label = (now or was or name) if several else name
            also = tuple(each for each in (name, now) if each is not None and each != label)
            formerly = (was,) if was is not None and was not in (label, *also) else ()
            if head is None and (twin := _newcomer(members, label)) is not None:
                members[twin] = members[twin]._replace(base_path=base)  # the glob itself was changed
            else:
                members.append(self._service(label, name, base, head)._replace(also=also, formerly=formerly))
        yield from members

    def _as_one_of_several(self, config: Config, name: str, path: str | None, tree: Tree) -> str | None:
        """What a document of an entry is called where that has several; ``None`` where it cannot have."""
        for known in (each.services.get(name) for each in (config, self._config, self._base_config)):
            if path is None or known is None or not is_glob(known.spec):
                continue
            glob = self._place(known.spec, tree)
            if glob is not None and matches_glob(path, glob):
                return f"{name}/{told_apart(path, glob)}"
        return None

    def _pairs(self, bases: list[str], heads: list[str], several: bool) -> Iterator[tuple[str | None, str | None]]:
        if len(bases) == len(heads) == 1 and not several:
            yield bases[0], heads[0]
            return
        left = dict.fromkeys(bases)
        for head in heads:
            was: str | None = head if head in left else None
            if was is None:
                was = self._moved().get(head)
                was = was if was is not None and self._sides.base.tree.exists(was) else None
            left.pop(was or "", None)
            yield was, head
        yield from ((base, None) for base in left)

    def _find(self, config: Config, name: str, tree: Tree) -> list[str]:
        """The paths that an entry means on one side."""
        service = config.services.get(name)
        path = self._place(service.spec, tree) if service is not None else None
        if path is None:
            return []
        if not is_glob(path):
            return [path] if tree.exists(path) else []
        key = id(tree), path
        if key not in self._files:
            self._files[key] = tree.files(complete_below=fixed_folder(path), meant=path)
        return [each for each in self._files[key] if matches_glob(each, path)]

    def _heads(self, name: str, bases: list[str]) -> list[str]:
        """What an entry means on head; what git ignores counts if base has it too, or if there is nothing else."""
        tree = self._sides.head.tree
        found = self._find(self._config, name, tree)
        service = self._config.services.get(name)
        path = self._place(service.spec, tree) if service is not None else None
        if service is None or path is None or not is_glob(path):
            return found
        ignored = ignored_matches(tree, path, found)
        if not found and not bases:
            return ignored
        left = [each for each in ignored if each not in bases]
        if left:
            file = self._config_name() if holds(self._sides, self._folder) else None
            self.notes.append(not_checked(name, service.spec, [tree.display(each) for each in left], file))
        return sorted({*found, *ignored} - {*left})

    def _place(self, spec: str, tree: Tree) -> str | None:
        key = id(tree), spec
        if key not in self._places:
            self._places[key] = in_tree(self._sides, tree, self._folder, spec)
        return self._places[key]

    def _hidden(self, config: Config, name: str, tree: Tree, known: list[str]) -> list[str]:
        """Of what the other side has those that an entry means on this one too, in a submodule that is not here."""
        service = config.services.get(name) or self._config.services.get(name)
        path = self._place(service.spec, tree) if service is not None else None
        folders = tuple(f"{folder}/" for folder in passed_over(tree, path)) if path is not None else ()
        return [each for each in known if folders and each.startswith(folders) and matches_glob(each, path or "")]

    def _not_looked_into(self, spec: str) -> str | None:
        """What to say of the submodules that a glob may match something in, but that are not here."""
        folders: set[str] = set()
        for tree in (self._sides.base.tree, self._sides.head.tree):
            path = self._place(spec, tree)
            folders.update(map(tree.display, passed_over(tree, path) if path is not None else ()))
        return not_looked_into(sorted(folders), spec) if folders else None

    def _moved(self) -> dict[str, str]:
        if self._renames is None:
            self._renames = {each.head: each.base for each in renames(self._sides) if each.head and each.base}
        return self._renames

    def _service(self, label: str, name: str, base: str | None, head: str | None) -> Service:
        known = self._config.services.get(name) or self._base_config.services[name]
        return Service(label, base, head, known.owner, known.visibility == "public")

    def _without_renamed(self, found: list[tuple[str, Service]]) -> list[tuple[str, Service]]:
        """Without the services that head knows by another name: their specification is compared under that one."""
        known = {each.base_path: each.name for _, each in found if each.head_path is not None}
        kept, formerly = [], defaultdict[str, list[str]](list)
        # One that is no part of what is checked, as the action writes one for `specs`, is no file that a reader could open.
        file = self._config_name() if holds(self._sides, self._folder) else None
        for entry, each in found:
            other = known.get(each.base_path) if each.head_path is None else None
            if other is None:
                kept.append((entry, each))
                continue
            formerly[other] += (each.name, *each.also, *each.formerly)
            if other == each.name:
                continue
            message = f"{each.name} is called {other} now; consumers who still name it {each.name} count as its readers"
            self.notes.append(Note("info", message, file))
        return [
            (entry, each._replace(formerly=(*each.formerly, *formerly[each.name])) if each.name in formerly else each)
            for entry, each in kept
        ]

    def _followed(self, name: str, gone: Service, was: str, found: list[Service]) -> Service:
        """A service without a specification on head, with the reason why.

        One that moved away from where its entry looks is a mistake in guardian.yaml: nobody would see its changes any more.
        """
        listed = self._config.services.get(name)
        if self._sides.head.tree.exists(was):
            return gone._replace(gone=f"guardian.yaml no longer names its specification, though {was} is still there")
        now = next((head for head, base in self._moved().items() if base == was), None)
        if now is None or any(each.head_path == now for each in found) or not self._sides.head.tree.exists(now):
            named = listed and not is_glob(listed.spec) and not is_standing_in(self._request)
            still = ", and guardian.yaml still names it" if named else ""
            return gone._replace(gone=f"{gone.gone}{still}")
        # Where an entry has other documents, what has left it is meant to be gone.
        if listed is None or self._find(self._config, name, self._sides.head.tree):
            return gone._replace(gone=f"guardian.yaml no longer names it; its specification is {now} now")
        if not same_document(self._sides, was, now):
            return gone._replace(gone=f"{gone.gone}; if it is {now} now, which is much like it, correct `spec`")
        hint = f"correct `spec` to {self._from_config(now)}, or remove the service if it is retired"
        if is_standing_in(self._request):  # nothing that anybody could correct
            return gone._replace(head_path=now)
        self._cannot(gone.name, f"there is no {listed.spec}, as the specification has moved to {now}", hint)
        return gone._replace(head_path=now)

    def _from_config(self, path: str) -> str:
        """A path of head's tree as guardian.yaml would write it."""
        root = root_of(self._sides.head.tree)
        if root is None or not holds(self._sides, self._folder):
            return path
        return Path(os.path.relpath(root / path, os.path.realpath(self._folder))).as_posix()

    def _config_name(self) -> str | None:
        return name_of(self._request)


def _newcomer(members: list[Service], label: str) -> int | None:
    """Where among the services of an entry the one of a name is that base does not have."""
    return next((at for at, each in enumerate(members) if each.name == label and each.base_path is None), None)
