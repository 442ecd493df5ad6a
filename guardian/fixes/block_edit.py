"""From two states of plain data to splices in the text that says the first of them.

`BlockEditor` walks where the two differ and edits YAML's block style line by line; what stands inside brackets is left
to `guardian.fixes.flow_edit`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

from guardian.fixes import flow_edit, writing
from guardian.fixes.json_patch import equal, failed, get, has, pointer
from guardian.fixes.source import Entry, Place, Source, is_merge
from guardian.fixes.splices import Splice

Path = tuple[str, ...]


class BlockEditor:
    """One edit of one text.

    Args:
        source: the places of the text.
        before, after: what it says, and what it is to say.
        place_after: for the pointer of a new member, the key of the member that it should follow.
        apart: where an alias is to say something else than its anchor from now on, what it says is written out.

    Attributes:
        shared: the anchors whose text was edited although an alias led there.
    """

    def __init__(
        self, source: Source, before: Any, after: Any, place_after: Mapping[str, str], *, apart: bool = False
    ) -> None:
        self.source = source
        self.text = source.text
        self.habits = source.habits
        self.before = before
        self.after = after
        self.place_after = place_after
        self.apart = apart
        self.shared: set[str] = set()
        self.splices: list[Splice] = []
        self.gone: set[int] = set()  # the entries that are taken out, by identity
        self._edited: set[Path] = set()
        self._anchored = {path: name for name, path in source.anchors.items()} if source.root else {}

    def run(self) -> list[Splice]:
        """The splices, in an order in which those at one place belong.

        Raises:
            PatchError: there is a place that cannot be edited.
        """
        self._value(self.source.root, (), self.before, self.after, None, None)
        if self.apart:
            self._write_out()
        return self._ordered()

    def put(self, start: int, end: int, text: str) -> None:
        """Exchange a piece of the text."""
        self.splices.append(Splice(start, end, text))

    def _ordered(self) -> list[Splice]:
        """By place, those that touch made one; what is put in at a place goes before what is taken out there."""
        ordered: list[Splice] = []
        for each in sorted(self.splices, key=lambda each: (each.start, each.end > each.start)):
            if ordered and ordered[-1].end == each.start:
                each = Splice(ordered[-1].start, each.end, ordered.pop().text + each.text)
            ordered.append(each)
        if ordered and not self.text.endswith("\n") and self._ends_a_line(ordered[-1]):
            # A text that did not end with a line end still does not: the last line's is taken away.
            start, end, text = ordered[-1]
            ordered[-1] = Splice(start - (0 if text else len(self._break_before(start))), end, text.rstrip("\r\n"))
        return ordered

    def _ends_a_line(self, last: Splice) -> bool:
        """Whether the text ends with a line end after its last splice."""
        return last.end == len(self.text) and (last.text or self.text[last.start - 1 : last.start]).endswith("\n")

    # --- any value ------------------------------------------------------------------------------------------------

    def _value(
        self, place: Place, path: Path, before: Any, after: Any, holder: Place | None, entry: Entry | None
    ) -> None:
        if equal(before, after):
            return
        if path in self._anchored:
            self.shared.add(self._anchored[path])
        if place.kind == "alias" and self._parts(path, place.alias):
            self._exchange(place, after, holder, entry)
        elif place.kind == "alias":
            self._behind_alias(place.alias, before, after)
        elif place.kind == "map" and isinstance(before, dict) and isinstance(after, dict) and before and after:
            self._members(place, path, before, after, holder, entry)
        elif place.kind == "seq" and isinstance(before, list) and isinstance(after, list) and before and after:
            self._items(place, path, before, after, holder, entry)
        else:
            self._exchange(place, after, holder, entry)

    def _parts(self, path: Path, anchor: str) -> bool:
        """Whether an alias is to say something else than its anchor, and may."""
        target = self.source.anchors.get(anchor)
        if not self.apart or target is None:
            return False
        here, there = pointer(*path), pointer(*target)
        return not has(self.after, there) or not equal(get(self.after, here), get(self.after, there))

    def _write_out(self) -> None:
        """Write out the aliases that say what they said, where their anchors do not."""
        for path, anchor in self.source.aliases.items():
            at = pointer(*path)
            stays = has(self.after, at) and equal(get(self.before, at), get(self.after, at))
            if stays and self._parts(path, anchor):
                place, holder, entry = self._found(path, anchor)
                self._exchange(place, get(self.after, at), holder, entry)

    def _behind_alias(self, anchor: str, before: Any, after: Any) -> None:
        """An alias says something else if the text at its anchor does; whether others may is found on reading back."""
        path = self.source.anchors.get(anchor)
        if path is None:
            raise failed(f"the alias *{anchor} leads nowhere", file=self.source.file)
        self.shared.add(anchor)
        at = pointer(*path)
        if not equal(get(self.before, at), get(self.after, at)) or path in self._edited:
            return  # edited on its own way
        self._edited.add(path)
        place, holder, entry = self._found(path, anchor)
        self._value(place, path, before, after, holder, entry)

    def _found(self, path: Path, anchor: str) -> tuple[Place, Place | None, Entry | None]:
        """The value at a path, what holds it, and as which entry."""
        place, holder, entry = self.source.root, None, None
        for step in path:
            found = place.entry(step)
            if found is None:
                raise failed(
                    f"the anchor &{anchor} stands where it cannot be edited", pointer(*path), file=self.source.file
                )
            holder, entry, place = place, found, found.value
        return place, holder, entry

    def _members(
        self, place: Place, path: Path, before: dict[str, Any], after: dict[str, Any],
        holder: Place | None, entry: Entry | None,
    ) -> None:  # fmt: skip
        own = {each.key: each for each in place.entries if not is_merge(each)}
        merges = [each for each in place.entries if is_merge(each)]
        removed = [key for key in own if key not in after]
        for key in before:
            if key not in own and key not in after:
                raise failed("it comes from a merge key, so it cannot be removed here alone", pointer(*path, key),
                             file=self.source.file)  # fmt: skip
        if len(removed) == len(own) and not merges:
            self._exchange(place, after, holder, entry)
            return
        self._remove(place, [each for each in place.entries if each.key in set(removed) and not is_merge(each)])
        for key, each in own.items():
            if key in after and before[key] is not after[key]:
                self._value(each.value, (*path, key), before[key], after[key], place, each)
        added = [key for key in after if key not in before]
        # A member that a merge key brings is overridden beside it, which concerns nobody else.
        added += [
            key
            for key in before
            if key not in own and key in after and not equal(before[key], after[key])
            and not self._brought(merges, path, key, after[key])
        ]  # fmt: skip
        staying = [each for each in place.entries if is_merge(each) or each.key in after]
        for key in added:
            anchor = self._anchor(staying, own, self.place_after.get(pointer(*path, key)))
            self._insert(place, anchor, key, after[key])

    def _brought(self, merges: Sequence[Entry], path: Path, key: str, wanted: Any) -> bool:
        """Whether what a merge key brings will be what is wanted anyway, because it changes where it is written."""
        for each in merges:
            sources = each.value.entries if each.value.kind == "seq" else [Entry("", 0, 0, each.value)]
            for source in sources:
                target = self.source.anchors.get(source.value.alias) if source.value.kind == "alias" else None
                if target is not None and equal(get(self.after, pointer(*target, key)), wanted):
                    self.shared.add(source.value.alias)
                    return True
        return False

    @staticmethod
    def _anchor(staying: Sequence[Entry], own: Mapping[str, Entry], wanted: str | None) -> Entry:
        """The member behind which a new one goes: the one asked for, else the last."""
        if wanted is not None and any(each.key == wanted for each in staying):
            return own[wanted]
        return staying[-1]

    def _items(
        self, place: Place, path: Path, before: list[Any], after: list[Any], holder: Place | None, entry: Entry | None
    ) -> None:
        entries = place.entries
        if len(entries) != len(before):
            raise failed("the list is not written as it reads", pointer(*path), file=self.source.file)
        kept: list[tuple[int, int]] = []
        removed: list[int] = []
        added: list[tuple[int, int]] = []  # (position in before, position in after)
        for kind, b0, b1, a0, a1 in _aligned(before, after):
            paired = b1 - b0 if kind == "equal" else min(b1 - b0, a1 - a0) if kind == "replace" else 0
            kept += [(b0 + each, a0 + each) for each in range(paired)]
            removed += range(b0 + paired, b1)
            added += [(b0 + paired, each) for each in range(a0 + paired, a1)]
        if not kept:
            self._exchange(place, after, holder, entry)
            return
        self._remove(place, [entries[each] for each in removed])
        for one, other in kept:
            self._value(entries[one].value, (*path, str(one)), before[one], after[other], place, entries[one])
        gone = set(removed)
        for at, index in added:
            previous = next((each for each in range(at - 1, -1, -1) if each not in gone), None)
            self._insert(place, entries[previous] if previous is not None else None, None, after[index])

    # --- what stands in a block -------------------------------------------------------------------------------------

    def _remove(self, place: Place, entries: Sequence[Entry]) -> None:
        self.gone.update(map(id, entries))
        if place.flow:
            flow_edit.remove(self, place)
            return
        order = place.entries
        covered = 0
        for each in entries:
            if each.start < covered:
                continue
            start, end = self._line_start(each.start), self._line_end(each.value.end)
            if not self.text[start : each.start].strip(" \t"):
                self.put(start, end, "")
                continue
            # It shares its line with a dash, as the first member of an item does.
            run = order[order.index(each) :]
            following = next((other for other in run if id(other) not in self.gone), None)
            if following is None:
                raise failed("it shares its line with something else", file=self.source.file)
            run = run[: run.index(following) + 1]
            if any(self.text[one.value.end : other.start].strip() for one, other in pairwise(run)):
                raise failed("a comment stands in the way of the edit", file=self.source.file)
            self.put(each.start, following.start, "")
            covered = following.start

    def _insert(self, place: Place, after: Entry | None, key: str | None, value: Any) -> None:
        """Put a member, or with ``key`` None an item, behind an entry, or before the first one."""
        if place.flow:
            flow_edit.insert(self, place, after, key, value)
            return
        lines = writing.item(value, self.habits) if key is None else writing.member(
            key, value, self.habits, self._key_quote(place)
        )  # fmt: skip
        margin = " " * place.column
        text = [f"{margin}{line}" if line else line for line in lines]
        if after is None:  # before the first one, which may share its line with another dash
            first, newline = place.entries[0].start, self.habits.newline
            self.put(first, first, f"{newline.join(text)}{newline}{margin}"[len(margin) :])
            return
        self._insert_lines(self._line_end(after.value.end), text)

    def _insert_lines(self, at: int, lines: Iterable[str]) -> None:
        newline = self.habits.newline
        if at == len(self.text) and not self.text.endswith("\n"):
            self.put(at, at, "".join(f"{newline}{line}" for line in lines))
        else:
            self.put(at, at, "".join(f"{line}{newline}" for line in lines))

    def _exchange(self, place: Place, after: Any, holder: Place | None, entry: Entry | None) -> None:
        """Write a value anew that cannot be edited into the other one."""
        if place.flow and (self.source.json or holder is None or holder.flow):
            self.put(place.bare, place.end, flow_edit.written(self, place.bare, after))
        elif holder is None or entry is None:
            raise failed("the whole document would have to be written anew", file=self.source.file)
        elif holder.flow:
            blank = "" if place.end > place.start or self.text[entry.key_end : place.start].endswith(" ") else " "
            self.put(place.bare, place.end, blank + writing.flow(after, self.habits))
        else:
            self._exchange_block(place, after, holder, entry)

    def _exchange_block(self, place: Place, after: Any, holder: Place, entry: Entry) -> None:
        colon = self._behind_colon(entry, holder)
        on_one_line = "\n" not in self.text[colon : place.bare]
        prose = place.style in ("|", ">")
        short = writing.on_one_line(after, self.habits, entry.key_end - entry.start)
        if short is not None or not writing.is_block(after):
            literal = writing.literal(after) if prose and holder.kind == "map" else None
            if literal is not None:
                margin = " " * (holder.column + self.habits.indent)
                body = [f"{margin}{line}" if line else line for line in literal[1]]
                self.put(place.bare, place.end, self.habits.newline.join([literal[0], *body]))
                return
            text = short if short is not None else writing.inline(after, self.habits, "" if prose else place.style)
            named = self._behind_properties(place)
            if on_one_line or (named is not None and "\n" not in self.text[named : place.bare]):
                blank = " " if place.bare == colon else ""
                self.put(place.bare, place.end, blank + text)
            else:
                at = colon if named is None else named
                self.put(at, at, f" {text}")
                self._drop_lines(place)
            return
        if holder.kind == "seq" and on_one_line:
            margin = " " * (place.bare - self._line_start(entry.start))
            lines = list(writing.block(after, self.habits))
            joined = self.habits.newline.join([lines[0], *(f"{margin}{line}" if line else line for line in lines[1:])])
            blank = " " if place.bare == colon else ""
            self.put(place.bare, place.end, blank + joined)
            return
        below = self.habits.dash if isinstance(after, list) else self.habits.indent
        margin = " " * (holder.column + (2 if holder.kind == "seq" else below))
        lines = [f"{margin}{line}" if line else line for line in writing.block(after, self.habits)]
        if on_one_line:
            self.put(self._blanks_before(place.bare, colon), place.end, "")
            self._insert_lines(self._line_end(place.end), lines)
        else:
            at = self._line_start(place.bare)
            self._drop_lines(place)
            self._insert_lines(min(len(self.text), at), lines)

    def _drop_lines(self, place: Place) -> None:
        self.put(self._line_start(place.bare), self._line_end(place.end), "")

    # --- lines ------------------------------------------------------------------------------------------------------

    def _key_quote(self, place: Place) -> str:
        """How the keys of a mapping are quoted, if all of them are."""
        marks = {self.text[each.start] for each in place.entries if not is_merge(each)}
        return marks.pop() if len(marks) == 1 and marks <= {"'", '"'} and not self._all_digits(place) else ""

    @staticmethod
    def _all_digits(place: Place) -> bool:
        return all(each.key.isdigit() for each in place.entries)

    def _behind_colon(self, entry: Entry, holder: Place) -> int:
        if holder.kind == "seq":
            return entry.key_end
        colon = self.text.find(":", entry.key_end)
        if colon < 0 or self.text[entry.key_end : colon].strip():
            raise failed(f"the key {entry.key!r} is not written as usual", file=self.source.file)
        return colon + 1

    def _behind_properties(self, place: Place) -> int | None:
        """Where the anchor or tag of a value ends, which stay in front of whatever takes its place."""
        if place.start == place.bare:
            return None
        return place.start + len(self.text[place.start : place.bare].split(" #")[0].rstrip())

    def _blanks_before(self, at: int, limit: int) -> int:
        while at > limit and self.text[at - 1] in " \t":
            at -= 1
        return at

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        """Behind the line end of the line that holds the last character before an offset."""
        if at > 0 and self.text[at - 1] == "\n":
            return at
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end + 1

    def _break_before(self, at: int) -> str:
        return "\r\n" if self.text[:at].endswith("\r\n") else "\n"


def _aligned(before: list[Any], after: list[Any]) -> list[tuple[str, int, int, int, int]]:
    if len(before) == len(after) and sum(not equal(a, b) for a, b in zip(before, after, strict=True)) == 1:
        size = len(before)
        return [("replace", 0, size, 0, size)]  # one item changed: no need to look for moves
    one, other = ([json.dumps(each, sort_keys=True) for each in side] for side in (before, after))
    return list(SequenceMatcher(None, one, other, autojunk=False).get_opcodes())
