"""Plays recorded exchanges against an API: does this request, does this response still fit?

openapi-core judges: parameters, bodies, statuses, media types, headers. It knows OpenAPI 3.0 and later; where it cannot
judge (2.0, a schema that it overflows on) guardian's own judge looks at the bodies. What no validator of schemas can
see is added: a response's key that the schema does not declare is not sent by that side (INTERFACE, section 5).

A contract test says of a response what its consumer needs, not all that comes: what it leaves out is no problem. Nor
are missing credentials, which recordings do not keep.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from guardian.errors import ReadError
from guardian.fieldpath import ROOT, Path, Wild, write, write_sent
from guardian.fixes.replay_media import body_of, readers, schema_of
from guardian.graph.consumers.routes import decoded, template_shape
from guardian.graph.recordings import Exchange
from guardian.model import Direction
from guardian.rules.judge import Judge
from guardian.rules.rewrite import Role
from guardian.rules.validator import Unjudgeable
from guardian.spec.api import Operation, Schema
from guardian.spec.scopes import has_scheme
from guardian.spec.shaper import Shaper

if TYPE_CHECKING:
    from openapi_core.validation.validators import BaseValidator

_VERSIONS = {"3.0": "V30", "3.1": "V31", "3.2": "V32"}
_ROOT = "file:///"  # as openapi-core sees a side; nothing is read from there

# What an excerpt may lack without being wrong.
_ABSENCES = frozenset({"required", "minProperties", "minItems", "dependentRequired", "contains", "minContains"})


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an exchange does not fit: in which message, at which field (the whole message is the root), and how."""

    direction: Direction
    path: Path
    message: str


class Player:
    """Plays exchanges against the operations of one side; keeps what it has prepared for each of them."""

    def __init__(self) -> None:
        self._shapers = Shaper()
        self._cores: dict[tuple[str, str], _Core | None] = {}

    def problems(self, operation: Operation, exchange: Exchange) -> tuple[Problem, ...]:
        """What does not fit, the request's problems first; empty if all does."""
        found: list[Problem] = []
        refused = exchange.status is not None and exchange.status >= 400
        if not refused:  # a request that is refused is meant to be wrong, more often than not
            found += self._request(operation, exchange)
        if exchange.status is not None:
            found += self._response(operation, _as_answered(operation, exchange))
        return tuple(dict.fromkeys(found))

    def _request(self, operation: Operation, exchange: Exchange) -> Iterator[Problem]:
        core = self._core(operation)
        judged = core.request(exchange) if core is not None else None
        if judged is not None:
            yield from judged
            return
        schema = schema_of(operation.parts.body.content if operation.parts.body else (), exchange.request)
        if schema is not None and not _accepts(schema, Direction.REQUEST, Role.RECEIVER, exchange.request.body):
            yield Problem(Direction.REQUEST, ROOT, "the request body does not fit its schema")

    def _response(self, operation: Operation, exchange: Exchange) -> Iterator[Problem]:
        core = self._core(operation)
        judged = core.response(exchange) if core is not None else None
        status = str(exchange.status)
        responses = operation.parts.responses
        response = responses.get(status) or responses.get(f"{status[0]}XX") or responses.get("default")
        schema = schema_of(response.content if response is not None else (), exchange.response)
        if judged is not None:
            yield from judged
        elif response is None:
            yield Problem(Direction.RESPONSE, ROOT, f"no response {status} is declared")
        elif schema is not None and not exchange.is_excerpt:
            if not _accepts(schema, Direction.RESPONSE, Role.SENDER, exchange.response.body):
                yield Problem(Direction.RESPONSE, ROOT, "the response body does not fit its schema")
        if schema is not None:
            for path in self._undeclared((schema,), exchange.response.body, ROOT):
                text = f"{write(path)} is in the response and is not declared"
                yield Problem(Direction.RESPONSE, path, text)

    def _undeclared(self, schemas: tuple[Schema, ...], value: Any, path: Path) -> Iterator[Path]:
        """The fields of a value that no alternative of its schemas declares."""
        atoms = [each for schema in schemas for each in self._shapers.shape(schema, Direction.RESPONSE).atoms]
        if isinstance(value, dict):
            objects = [atom for atom in atoms if atom.kind == "object"]
            if not objects or any(
                not atom.properties
                and not atom.pattern_properties
                and (atom.additional is None or not atom.additional.nodes)
                for atom in objects
            ):
                return  # free-form, or of another kind, which is a problem of its own
            for key, child in value.items():
                below = tuple(
                    schema
                    for atom in objects
                    for schema in (
                        [atom.properties[key]]
                        if key in atom.properties
                        else [
                            *atom.pattern_properties.values(),
                            *([atom.additional] if atom.additional and atom.additional.nodes else []),
                        ]
                    )
                )
                if below:
                    yield from self._undeclared(below, child, path.below(key))
                else:
                    yield path.below(key)
        elif isinstance(value, list):
            below = tuple(
                schema
                for atom in atoms
                if atom.kind == "array"
                for schema in (*atom.prefix, atom.items)
                if schema.nodes
            )
            for child in value:
                if below:
                    yield from self._undeclared(below, child, path.below(Wild.ITEM))

    def _core(self, operation: Operation) -> _Core | None:
        key = operation.node.key
        if key not in self._cores:
            version = _VERSIONS.get(operation.node.document.dialect)
            self._cores[key] = _Core(operation, version) if version is not None else None
        return self._cores[key]


def _as_answered(operation: Operation, exchange: Exchange) -> Exchange:
    """The exchange with a status that the operation has, where the recorded one is only an example of several."""
    declared = operation.parts.responses
    status = str(exchange.status)
    if status in declared or f"{status[0]}XX" in declared or "default" in declared:
        return exchange
    taken = (each for each in declared if each.isdigit() and not {each, f"{each[0]}XX"}.isdisjoint(exchange.handled))
    other = next(taken, None)
    return exchange if other is None else replace(exchange, status=int(other))


def _accepts(schema: Schema, direction: Direction, role: Role, body: Any) -> bool:
    try:
        return Judge(schema, direction, role).accepts(body)
    except (Unjudgeable, ReadError):
        return False


# --- openapi-core -----------------------------------------------------------------------------------------------------


class _Core:
    """openapi-core, set up for one operation of one side.

    It sees a document with this operation alone, whose references lead into the documents of the side; credentials,
    servers and the rest of the specification are not asked about.
    """

    def __init__(self, operation: Operation, version: str) -> None:
        from jsonschema_path import SchemaPath
        from openapi_core.validation.request import validators as requests
        from openapi_core.validation.response import validators as responses

        self._operation = operation
        documents = operation.node.document.documents
        where = operation.path_node
        address = where.document.address
        uri = address if has_scheme(address) else _ROOT + quote(address)
        root = {
            "openapi": f"{operation.node.document.dialect}.0",
            "paths": {operation.path: {"$ref": f"{uri}#{quote(where.pointer, safe='/~')}"}},
        }

        def read(address: str) -> Any:
            address = unquote(address.removeprefix(_ROOT)) if address.startswith(_ROOT) else address
            return documents.open(address, operation.node.document.dialect).root

        # From here on the library is at work, whose types are open.
        spec: Any = SchemaPath.from_dict(root, base_uri=_ROOT, handlers=dict.fromkeys(("file", "http", "https"), read))
        found = _finder(spec, operation)
        names = ("RequestParametersValidator", "RequestBodyValidator")
        known: Any = {"path_finder_cls": found, "extra_media_type_deserializers": readers(operation)}
        self._requests: list[BaseValidator] = [getattr(requests, version + name)(spec, **known) for name in names]
        self._responses: BaseValidator = getattr(responses, f"{version}ResponseValidator")(spec, **known)

    def request(self, exchange: Exchange) -> list[Problem] | None:
        """The problems of a request; ``None`` if openapi-core cannot say."""
        request = _request(self._operation, exchange)
        problems: list[Problem] = []
        for validator in self._requests:
            errors = _run(validator, request)
            if errors is None:
                return None
            for error in errors:
                if not _is_left_out(error, exchange):
                    problems += _problems(error, Direction.REQUEST, excerpt=False)
        return problems

    def response(self, exchange: Exchange) -> list[Problem] | None:
        """The problems of a response; ``None`` if openapi-core cannot say."""
        errors = _run(self._responses, _request(self._operation, exchange), _response(self._operation, exchange))
        if errors is None:
            return None
        return [
            problem for error in errors for problem in _problems(error, Direction.RESPONSE, excerpt=exchange.is_excerpt)
        ]


def _finder(spec: Any, operation: Operation) -> Any:
    """What openapi-core asks for the operation of a request: always this one."""
    from openapi_core.templating.datatypes import TemplateResult
    from openapi_core.templating.paths.datatypes import PathOperationServer

    path = spec / "paths" / operation.path
    known = PathOperationServer(
        path, path / operation.method.lower(), spec, TemplateResult(operation.path, {}), TemplateResult("", {})
    )

    class Finder:
        def __init__(self, *_args: Any, **_keywords: Any) -> None: ...

        def find(self, *_args: Any) -> PathOperationServer:
            return known

    return Finder


def _run(validator: Any, *messages: Any) -> list[Exception] | None:
    """The errors that a validator finds; ``None`` if it fails itself."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is deprecated in a specification
            return list(validator.iter_errors(*messages))
    except Exception:  # noqa: BLE001 - whatever a library makes of legal and illegal documents, the gate has its own judge
        return None


def _request(operation: Operation, exchange: Exchange) -> Any:
    from openapi_core.datatypes import RequestParameters
    from openapi_core.testing import MockRequest
    from werkzeug.datastructures import Headers, ImmutableMultiDict

    body, media_type = body_of(exchange.request, operation.parts.body.content if operation.parts.body else ())
    request = MockRequest("http://localhost", operation.method, operation.path, data=body, content_type=media_type)
    request.parameters = RequestParameters(
        path=_variables(operation.path, exchange.path),
        query=ImmutableMultiDict(exchange.query),
        header=Headers(dict(exchange.request.headers)),
        cookie=ImmutableMultiDict(exchange.cookies),
    )
    return request


def _response(operation: Operation, exchange: Exchange) -> Any:
    from openapi_core.testing import MockResponse

    status = str(exchange.status)
    responses = operation.parts.responses
    known = responses.get(status) or responses.get(f"{status[0]}XX") or responses.get("default")
    body, media_type = body_of(exchange.response, known.content if known is not None else ())
    return MockResponse(body, exchange.status or 0, dict(exchange.response.headers), media_type)


def _variables(template: str, path: str) -> dict[str, str]:
    """The values of a template's variables in a path, which may have a server's base path before it."""
    names = re.findall(r"\{([^{}]*)\}", template)
    pattern = "([^/]+)".join(re.escape(decoded(each)) for each in re.split(r"\{[^{}]*\}", template.rstrip("/")))
    found = re.search(f"{pattern}/?$", decoded(path))
    if found is None:
        return dict.fromkeys(names, template_shape(template))
    return dict(zip(names, map(unquote, found.groups()), strict=True))


def _is_left_out(error: Exception, exchange: Exchange) -> bool:
    """Whether only a cookie is missing in a recording that shows none: browsers do not write them down."""
    from openapi_core.validation.request.exceptions import MissingParameterError

    is_cookie = isinstance(error, MissingParameterError) and error.location == "cookie"
    return is_cookie and not exchange.is_excerpt and not exchange.cookies


def _problems(error: Exception, direction: Direction, *, excerpt: bool) -> Iterator[Problem]:
    """What an error of openapi-core says, in guardian's words."""
    from openapi_core.validation.request.exceptions import ParameterValidationError
    from openapi_core.validation.response.exceptions import MissingData, MissingRequiredHeader
    from openapi_core.validation.schemas.exceptions import InvalidSchemaValue

    if isinstance(error, MissingData) or (excerpt and isinstance(error, MissingRequiredHeader)):
        return  # a recording need not have kept it
    parameter = Path((error.name,), error.location) if isinstance(error, ParameterValidationError) else None
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, InvalidSchemaValue):
        cause = cause.__cause__
    if cause is None:
        text = str(error.__cause__ or error).strip() or type(error).__name__
        yield Problem(direction, parameter or ROOT, _sentence(text))
        return
    for each in cause.schema_errors:
        if excerpt and _is_absence(each):
            continue
        path = parameter or _path_of(each)
        field = write(path) if direction is Direction.RESPONSE else write_sent(path)
        yield Problem(direction, path, _sentence(f"{field}: {getattr(each, 'message', each)}"))


def _is_absence(error: Any) -> bool:
    """Whether an error only says that something is not there; of alternatives, whether one lacks nothing else."""
    if error.validator in {"anyOf", "oneOf"} and error.context:
        branches: dict[Any, list[Any]] = {}
        for each in error.context:
            branches.setdefault(each.schema_path[0] if each.schema_path else None, []).append(each)
        return any(all(map(_is_absence, errors)) for errors in branches.values())
    return error.validator in _ABSENCES


def _path_of(error: Any) -> Path:
    """The field that an error is about: for what is missing, the first that is."""
    steps = [Wild.ITEM if isinstance(step, int) else str(step) for step in error.absolute_path]
    if error.validator == "required" and isinstance(error.instance, Mapping):
        steps += [str(name) for name in error.validator_value if name not in error.instance][:1]
    return Path(tuple(steps))


def _sentence(text: str) -> str:
    """One line of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:197]}..."
