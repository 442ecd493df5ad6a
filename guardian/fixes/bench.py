"""The bench that a fix is tried on: both sides of a check, and head again with files of it patched, in memory alone.

A trial edits the files' own text, reads the patched side as a check would, compares it with base and traces every
consumer again. Nothing is written, and what a patch does not touch is neither read nor compared a second time.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, cast

from guardian.fixes.draft import Draft
from guardian.fixes.findings import Findings, Key, key
from guardian.fixes.json_patch import failed
from guardian.fixes.moves import Moves
from guardian.fixes.patch import PatchedFile, patch_file
from guardian.fixes.text_edit import TextEditor
from guardian.fixes.touched import References, Touched
from guardian.graph.aliases import Aliases
from guardian.graph.consumers.routes import Routes
from guardian.lazy import cached_property
from guardian.model import Change, Confidence, Mode, Severity
from guardian.rules.compare import Options, compare
from guardian.rules.walk import Same
from guardian.spec.api import Api, Node
from guardian.spec.document import Document
from guardian.spec.locate import locate
from guardian.spec.normalise import Rereader
from guardian.spec.references import refs_in
from guardian.spec.refs import Documents, is_inside
from guardian.spec.sameness import Sameness
from guardian.spec.scopes import join
from guardian.spec.trees import OverlayTree

if TYPE_CHECKING:
    from guardian.graph.uses import Consumer

# A reference to another file, in a document that has not been parsed.
_REFERS_OUT = re.compile(rb"""["']?\$ref["']?\s*:\s*["']?[^#"'\s]""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a check has found out, as far as fixes need it.

    Attributes:
        base, head: the APIs by service; a service is missing on the side that does not have it.
        base_consumers: what is deployed.
        head_consumers: the same as head declares them; ``None`` where declarations have one state only.
        declarations: the bytes of manifests and contract tests by the name that reports give the file.
        elsewhere: the repository of those that are in another one, by the same name.
        paths: where head has the entry document of a service, in its tree. A service that is named here need not be read
            to know that a fix does not concern it.
        public: the services with readers that nobody declared.
        naming: a consumer as its manifest has it, with its uses as uses of services by their own names.
        lowered: whether the user has said how severe a change is (see ``guardian.graph.settle``).
        as_of: the day of the check: windows start on it.
        deprecation_days: how long a window is open.
    """

    base: Mapping[str, Api]
    head: Mapping[str, Api]
    as_of: date
    base_consumers: Sequence[Consumer] = ()
    head_consumers: Sequence[Consumer] | None = None
    declarations: Mapping[str, bytes] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    mode: Mode = Mode.BOTH
    public: frozenset[str] = frozenset()
    lowered: Callable[[Change], bool] = lambda change: False
    deprecation_days: int = 90
    naming: Callable[[Consumer], Consumer] = lambda consumer: consumer

    @property
    def consumers(self) -> Sequence[Consumer]:
        """The consumers as head declares them."""
        return self.base_consumers if self.head_consumers is None else self.head_consumers

    @property
    def everybody(self) -> Sequence[Consumer]:
        """Every consumer once: head's word, and base's for those that head does not mention."""
        known = {each.name for each in self.consumers}
        return [*self.consumers, *(each for each in self.base_consumers if each.name not in known)]

    @property
    def sunset(self) -> date:
        """The last day of a window that opens with this change."""
        return self.as_of + timedelta(days=self.deprecation_days)


class PatchedDocuments(Documents):
    """One side with some files exchanged; what has been read of the others is not read again."""

    def __init__(self, side: Documents, changed: Mapping[str, PatchedFile]) -> None:
        super().__init__(
            OverlayTree(side.tree, {address: file.data for address, file in changed.items()}),
            allow_hosts=side.allow_hosts,
            load=side._load,
        )
        patched = {address: (file.data, file.patch.file, file.says) for address, file in changed.items()}
        self._sources = {**side._sources, **patched}


def document_named(side: Documents, file: str) -> Document | None:
    """The document that reports call by this name, among those that have been read."""
    return next((each for each in side._opened.values() if each.file == file), None)


def documents_read(side: Documents) -> list[Document]:
    """Every document of a side that has been read, once."""
    return list({id(each): each for each in side._opened.values()}.values())


@dataclass(frozen=True, slots=True)
class Trial:
    """Head with a draft applied: its files, its APIs, its consumers, and what differs from base then.

    Attributes:
        files: the patched files by address in head's tree; manifests by shown name.
        heads: the APIs of the patched head by service, the untouched ones included.
        routes: finds the operations of base and of the patched head.
        services: the services that the patch touches.
        touched: the operations that it touches by service; None once everything has been traced again.
        fresh: the changes of the operations that it touches, found again; traced once `Bench.trace` has run.
        findings: those of the check.
    """

    draft: Draft
    files: tuple[PatchedFile, ...]
    heads: Mapping[str, Api]
    routes: Routes
    services: frozenset[str]
    consumers: Sequence[Consumer]
    touched: Mapping[str, Touched] | None
    fresh: tuple[Change, ...]
    findings: Findings

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every change from base to the patched head, of every service: the fresh ones and all others as they were."""
        rest = () if self.touched is None else self.findings.all
        return (*self.fresh, *(each for each in rest if not self.touches(each.service, each.operation)))

    def touches(self, service: str, operation: str) -> bool:
        """Whether an operation was compared, or its changes were traced, again."""
        return self.touched is None or (service in self.touched and self.touched[service].holds(operation))

    def before(self) -> list[Change]:
        """The changes of the check that the fresh ones stand for."""
        known = self.findings
        if self.touched is None:
            return list(known.all)
        return known.of(
            (service, operation)
            for service, touched in self.touched.items()
            for operation in (known.operations(service) if touched.names is None else touched.names)
        )

    def judged(self, keys: Collection[Key]) -> list[Change]:
        """The changes that are fresh or have one of these keys: all others are as they were."""
        asked = [] if self.touched is None else self.findings.said(keys)
        return [*self.fresh, *(each for each in asked if not self.touches(each.service, each.operation))]


class Bench:
    """Tries drafts in one situation.

    Args:
        situation: both sides.
        changes: what the check found, traced and settled.

    Attributes:
        findings: those of the check.
        known: the same by what makes them the same change in another comparison.
        routes: finds the operations of both sides.
        moves: where operations went from base to head.
        pairs_compared: how many pairs of places the trials have looked at: what they cost, the same on every machine.
    """

    def __init__(self, situation: Situation, changes: Iterable[Change]) -> None:
        self.situation = situation
        self.findings = Findings(changes)
        self.known: Mapping[Key, Change] = {key(change): change for change in self.changes}
        self.routes = Routes(situation.base, situation.head)
        self.moves = Moves(self.routes)
        self._accepted = {said: change for said, change in self.known.items() if change.exception is not None}
        self._editors: dict[str, TextEditor] = {}
        self._users: dict[str, frozenset[str]] = {}
        self._references: dict[str, References] = {}
        self._rereaders: dict[str, Rereader] = {}
        self._harmless: dict[str, Findings] = {}
        self._operation_ids: dict[str, frozenset[str]] = {}
        self.pairs_compared = 0

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that the check found."""
        return self.findings.all

    @cached_property
    def aliases(self) -> Aliases:
        """Finds the places that describe one field."""
        return Aliases(self.routes)

    @cached_property
    def breaking(self) -> Findings:
        """What breaks somebody, and nobody has accepted."""
        return Findings(each for each in self.changes if each.counts_as is Severity.BREAKING and each.exception is None)

    def harmless(self, service: str) -> Findings:
        """What breaks nobody by the contract of a service."""
        known = self._harmless.get(service)
        if known is None:
            known = self._harmless[service] = Findings(
                each for each in self.changes if each.service == service and each.severity is not Severity.BREAKING
            )
        return known

    def operation_ids(self, service: str) -> frozenset[str]:
        """Every ``operationId`` of a service on head."""
        known = self._operation_ids.get(service)
        if known is None:
            operations = self.situation.head[service].operations.values()
            known = frozenset(each.operation_id for each in operations if each.operation_id)
            self._operation_ids[service] = known
        return known

    def documents(self, service: str) -> Documents:
        """Head's side of a service."""
        return self.situation.head[service].document.documents

    def editor(self, document: Document) -> TextEditor:
        """The editor of one of head's files."""
        editor = self._editors.get(document.address)
        if editor is None:
            editor = TextEditor(document.data, document.file, document.root, document.written)
            self._editors[document.address] = editor
        return editor

    def shares(self, draft: Draft) -> bool:
        """Whether a specification that a draft edits has aliases."""
        dialect = self.situation.head[draft.service].dialect
        return any(
            self.editor(self.documents(draft.service).open(address, dialect)).has_aliases for address in draft.specs
        )

    def manifest_editor(self, file: str) -> TextEditor:
        """The editor of one manifest.

        Raises:
            PatchError: there is no such file.
        """
        editor = self._editors.get(f"manifest {file}")
        if editor is None:
            data = self.situation.declarations.get(file)
            if data is None:
                raise failed("there is no such manifest", file=file)
            editor = self._editors[f"manifest {file}"] = TextEditor(data, file)
        return editor

    # --- a trial ------------------------------------------------------------------------------------------------------

    def compare(self, draft: Draft) -> Trial:
        """Apply a draft and compare; what comes anew of it is not traced to consumers yet.

        Raises:
            PatchError: it cannot be applied.
            ReadError: the patched side cannot be read.
        """
        files = self._patched(draft)
        read: dict[str, Api] = {}
        touched: dict[str, Touched] = {}
        fresh: list[Change] = []
        if files:
            side = self.documents(draft.service)
            patched = PatchedDocuments(side, files)
            for name in sorted({name for address in files for name in self.users_of(address, draft.service)}):
                read[name] = self._rereader(name).read(patched)
                base = self.routes.on_base(name)
                if base is not None:
                    touched[name] = self._references_of(name).touched(base, read[name])
                    fresh += self._compared(base.api, read[name], touched[name])
        manifests = [
            patch_file(self.manifest_editor(file), operations, "manifest", elsewhere=self.situation.elsewhere.get(file))
            for file, operations in draft.manifests.items()
        ]
        heads = ChainMap(read, cast("dict[str, Api]", self.situation.head))  # the others are read on demand
        return Trial(
            draft=draft,
            files=(*files.values(), *manifests),
            heads=heads,
            routes=Routes(self.situation.base, heads, like=self.routes),
            services=frozenset(read),
            consumers=self._consumers(manifests),
            touched=touched,
            fresh=tuple(fresh),
            findings=self.findings,
        )

    def _rereader(self, service: str) -> Rereader:
        known = self._rereaders.get(service)
        if known is None:
            known = self._rereaders[service] = Rereader(self.situation.head[service])
        return known

    def _references_of(self, service: str) -> References:
        known = self._references.get(service)
        if known is None:
            known = self._references[service] = References(self.situation.head[service])
        return known

    def _compared(self, base: Api, patched: Api, touched: Touched) -> list[Change]:
        """The changes of the touched operations; what the check has proved already is not proved again."""
        options = self.situation.options
        same = self._counting(Sameness(base.document.documents, patched.document.documents).same)
        sides = touched.part(base), touched.part(patched)
        known = self.known
        found = compare(*sides, same=same, options=options._replace(prove=False))
        if options.prove and any(
            change.confidence is Confidence.POSSIBLE
            and change.severity is not Severity.INFO
            and key(change) not in known
            for change in found
        ):
            found = compare(*sides, same=same, options=options)
        else:
            found = [_as_known(each, known.get(key(each))) for each in found]
        return [each for each in found if touched.holds(each.operation)]

    def _counting(self, same: Same) -> Same:
        def counted(base: Node, head: Node) -> bool:
            self.pairs_compared += 1
            return same(base, head)

        return counted

    def trace(self, trial: Trial) -> Trial:
        """The trial with what came anew traced to its consumers and settled; with other manifests, everything is."""
        from guardian.graph.settle import settle

        moved = trial.consumers is not self.situation.consumers
        fresh = [each._replace(consumers=()) for each in (trial.changes if moved else trial.fresh)]
        everybody = self.situation.everybody
        if everybody:
            from guardian.graph.blast import blast

            head = trial.consumers if moved or self.situation.head_consumers is not None else None
            fresh = list(blast(fresh, trial.routes, self.situation.base_consumers, head).changes)
        settled = settle(fresh, self.situation.mode, everybody, self.situation.public, self.situation.lowered)
        return replace(trial, fresh=tuple(self._with_exceptions(settled)), touched=None if moved else trial.touched)

    def users_of(self, address: str, service: str) -> frozenset[str]:
        """The services whose documents hold a file of the side that ``service`` is on."""
        known = self._users.get(address)
        if known is None:
            side = self.documents(service)
            found = {name for name in self.situation.head if self._may_hold(side, name, address)}
            known = self._users[address] = frozenset(found | {service})
        return known

    def _may_hold(self, side: Documents, name: str, address: str) -> bool:
        path = self.situation.paths.get(name)
        if path is not None and (path == address or not _REFERS_OUT.search(side.tree.read(path))):
            return path == address
        api = self.situation.head[name]
        return api.document.documents is side and address in reachable(api)

    def _patched(self, draft: Draft) -> dict[str, PatchedFile]:
        files: dict[str, PatchedFile] = {}
        for address, operations in sorted(draft.specs.items()):
            document = self.documents(draft.service).open(address, self.situation.head[draft.service].dialect)
            files[address] = patch_file(
                self.editor(document),
                operations,
                "spec",
                place_after=draft.place_after.get(address),
                title=draft.title,
                elsewhere=_host(address),
                apart=draft.apart,
            )
        return files

    def _consumers(self, manifests: Sequence[PatchedFile]) -> Sequence[Consumer]:
        """Head's consumers, those whose manifests are patched as they say then."""
        from guardian.graph.consumers.manifest import load_manifest

        consumers = self.situation.consumers
        for file in manifests:
            name = file.patch.file
            said = self.situation.naming(load_manifest(file.says, name, partial(_line, file.data)))
            consumers = [
                each
                if each.name != said.name
                else replace(
                    each,
                    strict=said.strict,
                    uses=(*(use for use in each.uses if use.origin.file != name), *said.uses),
                )
                for each in consumers
            ]
        return consumers

    def _with_exceptions(self, changes: Iterable[Change]) -> list[Change]:
        return [
            change._replace(exception=found.exception, counts_as=found.counts_as)
            if self._accepted and (found := self._accepted.get(key(change))) is not None
            else change
            for change in changes
        ]


def _as_known(found: Change, known: Change | None) -> Change:
    """A change as the check has judged it already, where it is the same one and no better now."""
    if known is None:
        return found
    if found.confidence is Confidence.POSSIBLE:
        return known._replace(base=found.base, head=found.head)
    severity = min(found.severity, known.severity, key=lambda each: each.rank)  # a window may have lowered it
    return found._replace(severity=severity, counts_as=severity, fingerprint=known.fingerprint)


def _host(address: str) -> str | None:
    """The host that a file is on, if it is none of the tree."""
    if "://" not in address:
        return None
    from guardian.spec.remote import host_of  # the network's imports, only where there is one

    return host_of(address)


def _line(data: bytes, at: str) -> tuple[int, int]:
    return locate(data, [at])[at]


def reachable(api: Api) -> set[str]:
    """The addresses of all files that an API's document leads to, itself among them."""
    side = api.document.documents
    found = {api.document.address}
    pending = [api.document]
    while pending:
        document = pending.pop()
        for ref in refs_in(document.root):
            target = join(document.address, ref.partition("#")[0]) if not ref.startswith("#") else ""
            if target and target not in found and is_inside(target) and side.tree.exists(target):
                found.add(target)
                pending.append(side.open(target, document.dialect))
    return found
