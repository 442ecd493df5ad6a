"""Two APIs in, judged changes out: every rule run on every aligned pair, placed, worded and given its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from guardian.model import Change, Confidence, Direction, Hit, Impact, Location, Note, Severity
from guardian.rules import aliases
from guardian.rules.align import Aligner
from guardian.rules.below import Child
from guardian.rules.facts import STABILITY
from guardian.rules.identity import fingerprint_of, number_twins, order
from guardian.rules.matching import Matched, either
from guardian.rules.other_ways import steps_of
from guardian.rules.pairs import Delta, OperationPair, Placed, SchemaRoot, XmlPair
from guardian.rules.registry import Rule, all_rules
from guardian.rules.urls import shape_of
from guardian.rules.verdict import judge
from guardian.rules.walk import Found, Same, Walker, said_of
from guardian.rules.walk_paths import write_path
from guardian.spec.api import Api, Node, Operation, looking_at
from guardian.spec.dialects import DIALECTS
from guardian.spec.shape import meant
from guardian.spread import MOST_PARTS, spread

# The stability levels that promise nothing: what happens to them stays in the report and out of the verdict.
UNSTABLE = frozenset({"alpha", "draft"})
# Operations and components that are not written the same from which on more than one process compares them: so many take
# some tenths of a second, and a process some hundredths.
WORTH_A_PROCESS = 100
# A portion is this part of a process's share of what is left. The first ones are large, for what one process computes of a
# component another may compute again; the last ones are small, so that all processes end at about the same time.
_PART_OF_WHAT_IS_LEFT = 4


class Options(NamedTuple):
    """What of a comparison a user can set.

    ``severity`` maps a rule, or ``rule@request`` / ``rule@response``, to a level; the narrower entry wins. An alias may
    stand for the rule: it means the changes that go by it, and wins over the rule.
    ``stability`` names the extension that carries a stability level.
    """

    severity: Mapping[str, Severity] | None = None
    stability: str = "x-stability-level"
    prove: bool = True


class Comparison(NamedTuple):
    """All changes of one service, in the order of reports, and what a reader should know besides."""

    changes: tuple[Change, ...]
    notes: tuple[Note, ...]


def compare(
    base: Api | None, head: Api | None, *, same: Same | None = None, options: Options | None = None
) -> list[Change]:
    """All changes of one service; see ``compare_fully``."""
    with looking_at(base, head):
        return _Comparer(base, head, same, options or Options()).run(jobs=1)


def compare_fully(
    base: Api | None, head: Api | None, *, same: Same | None = None, options: Options | None = None, jobs: int = 1
) -> Comparison:
    """All changes of one service, sorted by operation, place, field and rule, with notes.

    Args:
        base: the API before; ``None`` if the service is new.
        head: the API after; ``None`` if it is gone.
        same: says cheaply that two nodes mean the same (``guardian.spec.sameness``) in these two APIs; without it
            equal subtrees are walked.
        jobs: processes at most.

    Raises:
        RefError: a reference that the comparison needs leads nowhere.
        RuleError: a rule failed; its id is in the message.
    """
    with looking_at(base, head):
        comparer = _Comparer(base, head, same, options or Options())
        return Comparison(tuple(comparer.run(jobs)), tuple(comparer.notes()))


def compare_operations(
    base: tuple[Api, Operation],
    head: tuple[Api, Operation],
    *,
    same: Same | None = None,
    options: Options | None = None,
) -> list[Change]:
    """All changes between two operations that are no pair by their names; named as base's is."""
    with looking_at(base[0], head[0]):
        return _Comparer(base[0], head[0], same, options or Options()).run_one((base[1], head[1]))


def _never(base: Node, head: Node) -> bool:
    return False


class _Portion(NamedTuple):
    """What one process finds in some of the operations.

    Attributes:
        changes: in the order of the walk; what other operations show too may be found again by another process.
        hangs_on_order: whether another order of operations might say something else.
    """

    changes: list[Change]
    hangs_on_order: bool


# What one process is asked for at a time, and gives.
_Part = Callable[[], "_Portion | list[str]"]


class _Comparer:
    def __init__(self, base: Api | None, head: Api | None, same: Same | None, options: Options) -> None:
        self.base = base
        self.head = head
        self.options = options
        self._same = same or _never
        self.walker = Walker(self._same)
        self._unreached: list[str] | None = None
        self._stability: dict[str, tuple[Node, ...]] = {}
        self._head_paths: frozenset[str] | None = None
        self._locations: dict[tuple[str, str], Location] = {}
        self.title = (base or head).title if base or head else ""  # type: ignore[union-attr]
        self.service = (head or base).service if base or head else ""  # type: ignore[union-attr]

    def run(self, jobs: int) -> list[Change]:
        token = STABILITY.set(self.options.stability)
        try:
            return self._together(self._found(jobs))
        finally:
            STABILITY.reset(token)

    def run_one(self, matched: Matched) -> list[Change]:
        """What one pair of operations says."""
        token = STABILITY.set(self.options.stability)
        try:
            return self._together([self._portion(Aligner(self.base, self.head, self._same), [matched])])
        finally:
            STABILITY.reset(token)

    def _found(self, jobs: int) -> list[_Portion]:
        """What there is to tell, in portions that may have been found by several processes."""
        aligner = Aligner(self.base, self.head, self._same)
        parts: list[_Part] = [
            partial(self._portion, aligner, matches) for matches in self._portions(aligner.matches, jobs)
        ]
        if len(parts) > 1:
            parts.insert(0, self._find_unreached)  # it takes long: not when all else is done
            self._prepare()
        found = spread(lambda part: part(), parts, jobs)
        portions = [each for each in found if isinstance(each, _Portion)]
        self._unreached = next((each for each in found if not isinstance(each, _Portion)), None)
        if len(portions) > 1 and any(each.hangs_on_order for each in portions):
            # Another number of processes would ask in another order: in one process the order is always the same.
            self.walker = Walker(self._same)
            aligner = Aligner(self.base, self.head, self._same)
            portions = [self._portion(aligner, aligner.matches)]
        service = [change for each in aligner.service() for change in self._changes(each, set())]
        return [_Portion(service, False), *portions]

    def _prepare(self) -> None:
        """Load and find what every process needs before they part, rather than in each of them."""
        all_rules()
        if self.options.prove:
            import guardian.rules.witness  # noqa: F401
            from guardian.rules.validator import compiled

            compiled(True)
        for api in (self.base, self.head):
            if api is not None:
                api.document.prepare()

    def _portions(self, matches: Sequence[Matched], jobs: int) -> list[Sequence[Matched]]:
        """Operations in portions of whole paths, for several processes where there is enough to compare."""
        if jobs < 2 or sum(1 for _ in islice(self._differing(matches), WORTH_A_PROCESS)) < WORTH_A_PROCESS:
            return [matches]
        least = len(matches) // (MOST_PARTS - 1) + 1
        starts = [0]
        for at in range(1, len(matches)):
            size = max((len(matches) - starts[-1]) // (jobs * _PART_OF_WHAT_IS_LEFT), least)
            if at - starts[-1] >= size and either(matches[at]).path != either(matches[at - 1]).path:
                starts.append(at)
        return [matches[start:end] for start, end in zip(starts, [*starts[1:], len(matches)], strict=True)]

    def _differing(self, matches: Iterable[Matched]) -> Iterator[str]:
        """The operations and components that are not written the same, wherever their references lead."""
        for base, head in matches:
            if base is None or head is None or base.node.value != head.node.value:
                yield either((base, head)).name
        ours, theirs = (_schemas(api) for api in (self.base, self.head))
        yield from (name for name, value in ours.items() if name in theirs and theirs[name] != value)

    def _portion(self, aligner: Aligner, matches: Sequence[Matched]) -> _Portion:
        """What all pairs of some operations say."""
        told: set[object] = set()
        placed = (each for matched in matches for each in aligner.operation(matched))
        changes = [change for each in placed for change in self._changes(each, told)]
        return _Portion(changes, self.walker.hangs_on_order)

    def _together(self, portions: Iterable[_Portion]) -> list[Change]:
        """What all portions say, each thing once, in the order of reports."""
        changes: dict[object, Change] = {}
        for change in (each for portion in portions for each in portion.changes):
            changes.setdefault((change.fingerprint, change.base, change.head), change)
        return number_twins(sorted(changes.values(), key=order))

    def notes(self) -> list[Note]:
        """One note on the components that changed and that no operation reaches: nothing on the wire did."""
        names = self._find_unreached() if self._unreached is None else self._unreached
        if not names:
            return []
        listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        words = (
            "component that no operation reaches has"
            if len(names) == 1
            else "components that no operation reaches have"
        )
        assert self.head is not None, "of a service that is gone no component changed"
        return [Note("info", f"{self.service}: {len(names)} {words} changed: {listed}", self.head.file)]

    def _find_unreached(self) -> list[str]:
        if self.base is None or self.head is None:
            return []
        from guardian.rules.reach import changed_unreached

        return changed_unreached(self.base, self.head, self._same)

    def _changes(self, placed: Placed, told: set[object]) -> Iterator[Change]:
        if isinstance(placed.pair, SchemaRoot):
            # One schema under several media types of one part is one contract, told once; of forms, once for all that
            # are written alike.
            root = placed.pair
            key = (placed.operation, root.place.partition("/")[0].rpartition(" ")[0], root.field, meant(root.base).key,
                   meant(root.head).key, root.direction)  # fmt: skip
            form = (key, root.form.fields) if root.form else key
            if (key in told or form in told) and not root.xml:
                return
            again = key in told  # then only what XML alone shows is left to tell
            told.add(form)
            found = [
                self._where_promised(placed, each)
                for each in self.walker.walk(root)
                if not again or each.rule.pair is XmlPair
            ]
            yield from self._proved(placed, [(each, self._schema_change(placed, each)) for each in found])
            return
        for rule, delta in said_of(placed.pair):
            yield self._place(rule, delta, placed, placed.place, delta.field, ())

    def _schema_change(self, placed: Placed, found: Found) -> Change:
        field = write_path(found.root.field, steps_of(found.path), found.delta.field)
        change = self._place(found.rule, _with_places(found), placed, found.root.place, field, found.path)
        if not found.also:
            return change
        ways = map(steps_of, found.also)
        also = dict.fromkeys(write_path(found.root.field, way, found.delta.field) for way in ways)
        also.pop(field, None)
        return change._replace(also=tuple(also))

    def _where_promised(self, placed: Placed, found: Found) -> Found:
        """A finding at the first of its places that base promises something of: the others are out of the verdict."""
        if not found.also:
            return found
        ways = [way for way in (found.path, *found.also) if self._is_promised(placed, found.delta, way)]
        return found._replace(path=ways[0], also=tuple(ways[1:])) if ways else found

    def _proved(self, placed: Placed, told: list[tuple[Found, Change]]) -> Iterator[Change]:
        """The findings of one root, those that a reader should look at with their witnesses."""
        open_ones = [
            found
            for found, change in told
            if self.options.prove and change.severity.rank >= Severity.WARNING.rank and found.rule.pair is not XmlPair
        ]
        if not open_ones:
            yield from (change for _, change in told)
            return
        from guardian.rules.witness import SOUGHT_IN_VAIN, witnesses

        proofs = dict(zip(map(id, open_ones), witnesses(open_ones, self.walker), strict=True))
        for found, change in told:
            proof = proofs.get(id(found))
            if proof is None:
                yield change
            elif not isinstance(proof, str):
                # Where the documents could not decide, the judge did.
                severity = self._regraded(change, placed, found, Confidence.PROVED)
                yield change._replace(
                    witness=proof,
                    unproved=None,
                    confidence=Confidence.PROVED,
                    severity=severity,
                    counts_as=severity,
                )
            elif proof in SOUGHT_IN_VAIN and "contentMediaType" not in found.rule.claims:
                # A value that only one side accepts would have been found, were it that simple; what a text contains is
                # another matter, of which the judge takes no notice.
                severity = self._regraded(change, placed, found, Confidence.POSSIBLE)
                yield change._replace(
                    unproved=change.unproved or proof,
                    confidence=Confidence.POSSIBLE,
                    severity=severity,
                    counts_as=severity,
                )
            else:
                yield change._replace(unproved=change.unproved or proof)

    def _regraded(self, change: Change, placed: Placed, found: Found, confidence: Confidence) -> Severity:
        """The severity that goes with how sure the search for a witness has made the change."""
        severity = self._severity(found.rule, found.delta, change.direction, change.aliases.get("oasdiff"), confidence)
        return severity if change.promised else _noted(severity)

    def _place(
        self, rule: Rule, delta: Delta, placed: Placed, place: str, field: str, path: tuple[Child, ...]
    ) -> Change:
        direction = placed.pair.direction if isinstance(placed.pair, SchemaRoot) else placed.direction
        words = aliases.words_of(placed, delta, below=bool(path))
        alias = aliases.pick(rule.id, words | {"path"} if self._path_is_gone(placed.pair) else words)
        confidence = delta.confidence or Confidence.CERTAIN
        severity = self._severity(rule, delta, direction, alias, confidence)
        promised = self._is_promised(placed, delta, path)
        if not promised:
            severity = _noted(severity)
        message = worded(delta.message, field, place) if isinstance(placed.pair, SchemaRoot) else delta.message
        hit = _turned(delta.hit or rule.hit, direction)
        harmless = (delta.severity or judge(delta.effect, direction, Confidence.CERTAIN)) is Severity.INFO
        if harmless and hit is not Hit.DECODER:
            hit = Hit.NOBODY  # whoever used it is served as before
        place = delta.place or place
        return Change(
            rule=rule.id,
            service=self.service,
            operation=placed.operation,
            direction=direction,
            place=place,
            field=field,
            effect=delta.effect,
            severity=severity,
            counts_as=severity,
            confidence=confidence,
            message=message,
            why=delta.why or rule.why,
            base=self._location(delta.base, self.base),
            head=self._location(delta.head, self.head),
            fingerprint=fingerprint_of(rule.id, self.title, placed.operation, direction, place, field, message),
            renamed_to=write_path("", [(c.step, c.literal) for c in path], delta.renamed_to)
            if delta.renamed_to
            else None,
            aliases={"oasdiff": alias} if alias else {},
            hit=hit,
            impact=delta.impact or rule.impact,
            strict_impact=delta.strict_impact or _strict(rule, delta),
            unless=delta.unless,
            promised=promised,
            unproved=delta.unproved,
        )

    def _location(self, node: Node | None, api: Api | None) -> Location | None:
        """Where a side says it: one value for all operations that show it, which is the less to send to another process."""
        if node is None:
            return Location(api.file, "") if api is not None else None
        key = (node.document.file, node.pointer)
        found = self._locations.get(key)
        if found is None:
            found = self._locations[key] = node.location
        return found

    def _path_is_gone(self, pair: object) -> bool:
        """Whether an operation was removed together with all others of its path."""
        if not isinstance(pair, OperationPair) or pair.base is None or pair.head is not None or self.head is None:
            return False
        if self._head_paths is None:
            self._head_paths = frozenset(shape_of(each.path) for each in self.head.operations.values())
        return shape_of(pair.base.path) not in self._head_paths

    def _is_promised(self, placed: Placed, delta: Delta, path: tuple[Child, ...]) -> bool:
        """False where base marked the place as promising nothing."""
        extension = self.options.stability
        return not any(
            unstable(node, extension)
            for node in (*self._operation_nodes(placed.operation), *_trail(placed, delta, path))
        )

    def _operation_nodes(self, name: str) -> tuple[Node, ...]:
        """Where base could say how stable the operation is: on it, its path, and what it is a callback of."""
        found = self._stability.get(name)
        if found is None:
            parent = name.rpartition(" of ")[2] if name.startswith("callback ") else name
            operation = self.base.operations.get(parent) if self.base else None
            found = self._stability[name] = (operation.node, operation.path_node) if operation else ()
        return found

    def _severity(
        self, rule: Rule, delta: Delta, direction: Direction, alias: str | None, confidence: Confidence
    ) -> Severity:
        chosen = self.options.severity
        if chosen:
            # An alias says less than its rule: it speaks of changes that go by this name, and of no others.
            for name in (alias, rule.id) if alias else (rule.id,):
                for key in (f"{name}@{direction.value}", name):
                    if key in chosen:
                        return chosen[key]
        if delta.severity is not None:
            return delta.severity
        return judge(delta.effect, direction, confidence)


def _with_places(found: Found) -> Delta:
    """What a finding says, with the nearest place above where a side has no schema to point at."""
    delta, root = found.delta, found.root
    if delta.base is None:
        above = (child.base.node for child in reversed(found.path))
        delta = delta._replace(base=next(filter(None, above), root.base.node or root.base_holder))
    if delta.head is None:
        above = (child.head.node for child in reversed(found.path))
        delta = delta._replace(head=next(filter(None, above), root.head.node or root.head_holder))
    return delta


def _schemas(api: Api | None) -> Mapping[str, Any]:
    """The values of a document's own schemas."""
    pointer = DIALECTS[api.dialect].components["schemas"] if api else None
    node = api.document.node().find(pointer) if api and pointer is not None else None
    return node.value if node is not None and isinstance(node.value, dict) else {}


def _turned(hit: Hit, direction: Direction) -> Hit:
    """Rules name the reader; of a request it is the sender who is concerned, and the other way round."""
    if direction is Direction.REQUEST:
        return {Hit.READER: Hit.SENDER, Hit.DECODER: Hit.NOBODY}.get(hit, hit)
    return {Hit.NON_SENDER: Hit.NOBODY, Hit.SENDER: Hit.READER}.get(hit, hit)


def _strict(rule: Rule, delta: Delta) -> Impact:
    """What strict consumers suffer: the rule's word where it sets them apart, else the same as all others."""
    return rule.strict_impact if delta.impact is None or rule.strict_impact is not rule.impact else delta.impact


def _trail(placed: Placed, delta: Delta, path: Iterable[Child]) -> Iterator[Node]:
    for side in (getattr(placed.pair, "base", None), getattr(placed.pair, "base_parent", None)):
        node = side if isinstance(side, Node) else getattr(side, "node", None)
        if isinstance(node, Node):
            yield node
    if delta.base is not None:
        yield delta.base
    for child in path:
        yield from child.base.nodes


def _noted(severity: Severity) -> Severity:
    """No more than a note."""
    return severity if severity.rank <= Severity.INFO.rank else Severity.INFO


def unstable(node: Node, extension: str) -> bool:
    """True if this place is marked as promising nothing."""
    return isinstance(node.value, dict) and str(node.value.get(extension)).lower() in UNSTABLE


def worded(message: str, field: str, place: str) -> str:
    """A sentence from a rule's predicate: what the predicate is said of comes first."""
    return f"`{field}` {message}" if field else f"the {place} {message}"
