"""Follows values through the program: from calls of HTTP libraries to the fields that are read of what came back.

Every function is run once for its own sake, with arguments that are not known, and once more wherever another function
of these files calls it, with what is known there. Branches are all taken; loops are run once. What a function gives
back to callers that are not among these files is handed on: what is read of it there is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from guardian.graph.consumers.code import attributes, functions, hooks, http, models, moves, types
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.callbacks import call_back
from guardian.graph.consumers.code.expressions import arguments, evaluate
from guardian.graph.consumers.code.generated import plain
from guardian.graph.consumers.code.program import Program
from guardian.graph.consumers.code.relevance import Relevance
from guardian.graph.consumers.code.values import (
    ANYTHING,
    NOTHING,
    ClassRef,
    Client,
    Closure,
    Data,
    Foreign,
    Given,
    HttpCall,
    Instance,
    Listing,
    Module,
    Nothing,
    Record,
    Reply,
    Scope,
    Trigger,
    Value,
    View,
    Words,
    join,
    text_of,
)
from guardian.model import Location

# How many functions deep a call is followed, and how many calls a function and all of them may cost.
_DEEPEST = 5
_STEPS = 3_000
_ALL_STEPS = 300_000


class Exhausted(Exception):
    """A function makes too many calls to be followed to its end."""


class Flow:
    """Runs a program.

    ``calls`` are the HTTP calls that were met, ``strays`` the calls that URLs are given to and that are not known to
    send anything, ``crowded`` the functions that cost too much; ``exhausted``: all of it together did, and the last of
    them is where it ended.
    """

    def __init__(self, program: Program, operation_ids: Iterable[str] = ()) -> None:
        self.calls: list[HttpCall] = []
        self.strays: list[HttpCall] = []
        self.crowded: list[Location] = []
        self.operation_ids = {plain(each): each for each in operation_ids}
        self._relevance = Relevance(program.sources, self.operation_ids)
        self._program = program
        self._modules: dict[str, Scope] = {}
        # The functions that are yet to be run, each with those whose own runs led to it.
        self._pending: list[tuple[Closure, frozenset[s.Function]]] = []
        self._above: frozenset[s.Function] = frozenset()
        self._applied: set[s.Function] = set()
        # Those of them that led to a request when others called them.
        self._led: set[s.Function] = set()
        self._returned: list[tuple[s.Function, Value, View | None, Location]] = []
        self._instances: dict[ClassRef, Instance] = {}
        self._shared: dict[str, Client] = {}
        self._cut: dict[s.Function, Location] = {}
        self.states = hooks.States()
        #: the functions of hooks that were called, and those that may never be, with what they give and where
        self.pulled: set[Trigger] = set()
        self.offered: list[tuple[tuple[Trigger, ...], Value, Location]] = []
        self.running: Closure | None = None
        self._stack: list[s.Function] = []
        self._alone: s.Function | None = None
        self._steps = 0
        self._all_steps = 0
        self.exhausted = False

    def run(self) -> None:
        """Run every module, and every function for its own sake."""
        for source in self._program.sources:
            self._bounded(partial(self.module, source), Location(source.file, "", 1))
        followed = self._run_pending()
        for closure in followed:
            if closure.function in self._cut or self._is_missed(closure.function):
                self._bounded(partial(self._run_alone, closure), closure.scope.at(closure.function))
        while stale := self.states.stale():
            for closure in stale:
                self._bounded(partial(self._run_alone, closure), closure.scope.at(closure.function))
            self._run_pending()
        for triggers, value, at in self.offered:
            if self.pulled.isdisjoint(triggers):
                moves.hand_on(value, at)
        for function, value, view, at in self._returned:
            if function not in self._applied or self._is_missed(function):
                moves.hand_on(moves.typed(value, view), at)

    def _run_pending(self) -> list[Closure]:
        """Run the functions that nobody called, and give back those that somebody did."""
        followed: list[Closure] = []
        while self._pending:
            closure, above = self._pending.pop(0)
            # A function that is made anew whenever it is run (polling) has been run.
            if closure.function in above or not self._relevance.sends(closure.function):
                continue
            self._above = above | {closure.function}
            if closure.function in self._applied:
                followed.append(closure)
            else:
                self._bounded(partial(self._run_alone, closure), closure.scope.at(closure.function))
        self._above = frozenset()
        return followed

    def evaluate(self, node: s.Expr, scope: Scope) -> Value:
        """What an expression may be."""
        return evaluate(self, node, scope)

    def arguments(self, node: s.Call, scope: Scope) -> Given:
        """The arguments of a call, each looked at once."""
        return arguments(self, node, scope)

    def count_call(self) -> None:
        """Keep an eye on what a function costs."""
        self._steps += 1
        self._all_steps += 1
        if self._steps > _STEPS or self._all_steps > _ALL_STEPS:
            raise Exhausted

    def settled_calls(self) -> list[HttpCall]:
        """The calls, without those of functions run for their own sake that others were then seen to call."""
        for call in self.calls:
            if call.entry in self._cut:
                call.cut = self._cut[call.entry]
        known = {call.node for call in self.calls if call.entry not in self._applied}
        return [call for call in self.calls if call.node not in known or call.entry not in self._applied or call.cut]

    def shared_client(self, module: str, style: str) -> Client:
        """The client that the functions of a library's module share."""
        return self._shared.setdefault(f"{module} {style}", Client(style))

    def note_call(self, call: HttpCall) -> None:
        """Keep a call, with the function whose run led to it."""
        call.entry = self._alone
        self._led.update(each for each in self._stack if each is not self._alone)
        self.calls.append(call)

    def _is_missed(self, function: s.Function) -> bool:
        """Whether a function requests something, and did not where others called it: the client was not seen there."""
        return self._relevance.requests(function) and function not in self._led

    def _bounded(self, run: Callable[[], object], place: Location) -> None:
        self._steps = 0
        self._stack.clear()
        self._alone = None
        self.running = None
        try:
            run()
        except (Exhausted, RecursionError):
            if self._all_steps <= _ALL_STEPS or not self.exhausted:
                self.crowded.append(place)
            self.exhausted = self._all_steps > _ALL_STEPS

    # -- modules and functions -------------------------------------------------------------------------------------------

    def module(self, source: s.Source) -> Scope:
        """The names of a module, which is run when they are first asked for."""
        scope = self._modules.get(source.path)
        if scope is None:
            scope = self._modules[source.path] = Scope(source)
            steps, self._steps = self._steps, 0
            try:
                self.execute(source.body, scope)
            except (Exhausted, RecursionError):
                self.crowded.append(Location(source.file, "", 1))
            self._steps = steps
        return scope

    def _run_alone(self, closure: Closure) -> None:
        """Run a function with arguments that are not known."""
        if closure.owner is not None and closure.this is None:
            closure = replace(closure, this=self.instance(closure.owner))
        function = closure.function
        around, self._alone = self._alone, function
        outside, self.running = self.running, closure
        scope = self._scope_of(closure)
        for param in self._params(closure, scope):
            value: Value = ANYTHING
            if param.type is not None:
                value = self.instance_of(View(param.type, closure.scope))
            if param.default is not None:
                known = self.evaluate(param.default, closure.scope)
                value = join(value, (each for each in known if isinstance(each, Words | Closure)))
            if param.kind == "keywords":
                value = (Record(open=param.line),)
            self.assign(param.target, value, scope)
        self._stack.append(function)
        try:
            self.execute(function.body, scope)
        finally:
            self._stack.pop()
            self._alone = around
            self.running = outside
        view = View(function.returns, closure.scope) if function.returns is not None else None
        for value, line in scope.results:
            self._returned.append((function, value, view, Location(scope.file, "", line)))

    def apply(self, closure: Closure, given: Given) -> Value:
        """Call a function of these files."""
        function = closure.function
        if function in self._stack or len(self._stack) >= _DEEPEST:
            place = closure.scope.at(function)
            functions.hand_on_all(self, given, place)
            if function not in self._stack:  # what comes of it goes to callers that are not followed
                self._cut[function] = place
            return ANYTHING
        if not self._relevance.sends(function) and not self._relevance.is_small(function) and not moves.carries(given):
            return ANYTHING
        self._applied.add(function)
        scope = self._scope_of(closure)
        self._bind(closure, given, scope)
        self._stack.append(function)
        try:
            self.execute(function.body, scope)
        finally:
            self._stack.pop()
        result = join(*(value for value, _ in scope.results)) if scope.results else NOTHING
        if scope.yields:
            result = (Listing([result]),)
        return moves.typed(result, View(function.returns, closure.scope) if function.returns is not None else None)

    def call_back(self, value: Value, at: Location, *arguments: Value) -> Value:
        """Call what was given as a callback."""
        return call_back(self, value, at, *arguments)

    def _scope_of(self, closure: Closure) -> Scope:
        source = closure.scope.source
        this = closure.this
        if this is None and not closure.function.bound:
            this = closure.scope.this
        owner = closure.owner or closure.scope.owner
        return Scope(source, closure.scope, this=this, owner=owner)

    def _params(self, closure: Closure, scope: Scope) -> Sequence[s.Param]:
        """The parameters that are given by callers, once the instance has its name."""
        params = closure.function.params
        this: Value = (closure.this,) if closure.this is not None else ANYTHING
        if closure.function.bound and params:
            self.assign(params[0].target, this, scope)
            return params[1:]
        if closure.this is not None:
            scope.names["this"] = this
        return params

    def _bind(self, closure: Closure, given: Given, scope: Scope) -> None:
        positional = list(given.positional)
        keywords = dict(given.keywords.entries)
        for param in self._params(closure, scope):
            name = param.target.id if isinstance(param.target, s.Name) else ""
            value: Value | None = None
            if param.kind == "rest":
                value = (Listing(positional, exact=not given.open),)
                positional = []
            elif param.kind == "keywords":
                record = Record(open=given.keywords.open, spread=given.keywords.spread)
                for key, each in keywords.items():
                    record.put(key, each, given.keywords.lines.get(key, given.node.line))
                value = (record,)
            elif positional and param.positional:
                value = positional.pop(0)
            elif name in keywords:
                value = keywords.pop(name)
            elif given.keywords.spread:
                value = attributes.pick(self, given.keywords.spread, name, scope.at(param))
            elif given.open or given.keywords.open:
                value = ANYTHING
            if param.default is not None and (value is None or value == NOTHING):
                value = self.evaluate(param.default, closure.scope)
            value = NOTHING if value is None else value
            if param.type is not None:
                view = View(param.type, closure.scope)
                value = moves.typed(value, view) if value else self.instance_of(view)
            self.assign(param.target, value, scope)

    # -- classes ---------------------------------------------------------------------------------------------------------

    def instance_of(self, view: View) -> Value:
        """Something of a type that is not known any further."""
        settled = types.settled(view)
        if settled is None:
            return ANYTHING
        found = types.named(settled)
        if isinstance(found, Foreign):
            client = http.client_by_type(found.way)
            return (client,) if client is not None else ANYTHING
        if isinstance(found, ClassRef) and (found.node.methods or not found.node.members) and not found.node.validates:
            return (self.instance(found),) if found.node.methods else ANYTHING
        return models.example(settled)

    def instance(self, kind: ClassRef) -> Instance:
        """The instance of a class that stands for all that are made where it is not seen."""
        found = self._instances.get(kind)
        if found is None:
            found = self._instances[kind] = self._blank(kind)
            init = types.method_of(kind, "__init__") or types.method_of(kind, "constructor")
            if init is not None:
                self._run_alone(Closure(init[0], init[1].scope, found, init[1]))
        return found

    def construct(self, kind: ClassRef, given: Given) -> Value:
        """Make an instance; one that is made of a message reads all of it that must be there."""
        if kind.node.validates or not kind.node.methods:
            made = models.parsed(self, kind, given)
            if made is not None:
                return made
        instance = self._blank(kind)
        init = types.method_of(kind, "__init__") or types.method_of(kind, "constructor")
        if init is not None:
            self.apply(Closure(init[0], init[1].scope, instance, init[1]), given)
            return (instance,)
        members = [member for member, _, _ in (types.known(View(s.TypeName(kind.node.line, kind.node.name), kind.scope))
                                               or types.Known("object")).members]  # fmt: skip
        for member, value in zip(members, given.positional, strict=False):
            instance.attrs[member.name] = value
        for member in members:
            for name in (member.name, member.wire):
                if name in given.keywords.entries:
                    instance.attrs[member.name] = given.keywords.entries[name]
        return (instance,)

    def _blank(self, kind: ClassRef) -> Instance:
        instance = Instance(kind)
        for each in reversed(list(types.lineage(kind))):
            scope = Scope(each.scope.source, each.scope, this=instance, owner=each)
            scope.names["this"] = (instance,)
            self.execute(each.node.body, scope)
            instance.attrs.update({name: value for name, value in scope.names.items() if name != "this"})
        return instance

    def base_method(self, scope: Scope, name: str) -> Closure | None:
        """What ``super`` means in a method."""
        owner, this = scope.owner, scope.this
        if owner is None or this is None:
            return None
        for each in list(types.lineage(owner))[1:]:
            found = types.method_of(each, name)
            if found is not None:
                return Closure(found[0], found[1].scope, this, found[1])
        return None

    # -- statements ------------------------------------------------------------------------------------------------------

    def execute(self, body: Iterable[s.Statement], scope: Scope) -> None:
        """Run statements."""
        for each in body:
            self._execute(each, scope)

    def _execute(self, node: s.Statement, scope: Scope) -> None:
        match node:
            case s.Assign():
                value = self.evaluate(node.value, scope)
                if node.type is not None:
                    value = moves.typed(value, View(node.type, scope))
                self.assign(node.target, value, scope, declares=node.declares)
            case s.Return():
                value = self.evaluate(node.value, scope) if node.value is not None else NOTHING
                scope.results.append((value, node.line))
                scope.yields = scope.yields or node.each
            case s.Do():
                self.evaluate(node.value, scope)
            case s.Block():
                scope.branches += 1
                self.execute(node.body, scope)
                scope.branches -= 1
            case s.Loop():
                items = moves.items(self.evaluate(node.iterable, scope), scope.at(node))
                scope.branches += 1
                self.assign(node.target, ANYTHING if node.keys else items, scope)
                self.execute(node.body, scope)
                scope.branches -= 1
            case s.Define():
                scope.set(node.function.name, (self._closure(node.function, scope),))
            case s.Class():
                self._define(node, scope)
            case s.Import():
                self._import(node, scope)

    def _closure(self, function: s.Function, scope: Scope) -> Closure:
        closure = Closure(function, scope)
        self._pending.append((closure, self._above))
        return closure

    def _define(self, node: s.Class, scope: Scope) -> None:
        kind = ClassRef(node, scope)
        scope.set(node.name, (kind,))
        for method in node.methods:
            self._pending.append((Closure(method, scope, None, kind), self._above))  # bound when it is run

    def _import(self, node: s.Import, scope: Scope) -> None:
        source = self._program.find(scope.source, node.module)
        if source is None and scope.source.language == "python" and node.name is not None:
            # `from app import clients`: a module within a package.
            inner = self._program.find(scope.source, f"{node.module.rstrip('.') or ''}.{node.name}"
                                       if node.module.strip(".") else node.module + node.name)  # fmt: skip
            if inner is not None:
                scope.set(node.binding, (Module(self.module(inner)),))
                return
        if source is None:
            way = (*node.module.lstrip(".").split("."), node.name) if scope.source.language == "python" else (
                node.module, *((node.name,) if node.name is not None else ()))  # fmt: skip
            scope.set(node.binding, (Foreign(tuple(part for part in way if part)),))
            return
        module = self.module(source)
        if node.name is None:
            scope.set(node.binding, (Module(module),))
        elif node.name == "*":
            for name, value in list(module.names.items()):
                scope.names.setdefault(name, value)
        else:
            found = module.names.get(node.name)
            if found is None and scope.source.language == "python":
                inner = self._program.find(source, f".{node.name}")
                found = (Module(self.module(inner)),) if inner is not None else None
            scope.set(node.binding, found if found is not None else ANYTHING)

    # -- assignment ------------------------------------------------------------------------------------------------------

    def assign(self, target: s.Expr, value: Value, scope: Scope, *, declares: bool = True) -> None:
        """Take a value apart by a pattern."""
        match target:
            case s.Name():
                scope.set(target.id, value, declares=declares)
            case s.Typed():
                self.assign(target.value, value, scope, declares=declares)
            case s.Default():
                if not value or any(isinstance(each, Nothing) for each in value):
                    rest = tuple(each for each in value if not isinstance(each, Nothing))
                    value = join(rest, self.evaluate(target.value, scope))
                self.assign(target.target, value, scope, declares=declares)
            case s.Object():
                for entry in target.entries:
                    name = text_of(self.evaluate(entry.key, scope)) if entry.key is not None else None
                    part = value if entry.key is None else attributes.pick(self, value, name, scope.at(entry))
                    self.assign(entry.value, part, scope, declares=declares)
            case s.Array():
                for index, item in enumerate(target.items):
                    part = value if item.spread else moves.position(value, index, scope.at(item))
                    self.assign(item.value, part, scope, declares=declares)
            case s.Attr() | s.Index():
                self._store(target, value, scope)
            case s.Opaque(passes=True):
                moves.hand_on(value, scope.at(target))
            case _:
                return

    def _store(self, target: s.Attr | s.Index, value: Value, scope: Scope) -> None:
        owners = self.evaluate(target.obj, scope)
        if isinstance(target, s.Attr):
            name: str | None = target.name
        else:
            name = text_of(self.evaluate(target.key, scope)) if target.key is not None else None
        for owner in owners:
            if isinstance(owner, Instance) and name is not None:
                owner.attrs[name] = join(owner.attrs.get(name, ANYTHING), value)
                moves.hand_on(tuple(each for each in value if isinstance(each, Data | Reply)), scope.at(target))
            elif isinstance(owner, Record):
                owner.put(name if name is not None else "*", value, target.line)
            elif isinstance(owner, Client) and name is not None:
                http.configure(owner, name, value)
            elif isinstance(owner, Listing):
                owner.items.append(value)
            else:
                moves.hand_on(value, scope.at(target))
        if not owners:
            moves.hand_on(value, scope.at(target))

    # -- expressions -----------------------------------------------------------------------------------------------------

    # -- data ------------------------------------------------------------------------------------------------------------
