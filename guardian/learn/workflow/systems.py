"""The systems of the office: APIs that serve and accept records by their actual specification, and nothing else.

A ``Version`` is one state of a specification with its judges; a ``System`` holds the records of an episode and
answers by whichever version is in production. Every answer served is checked against the specification before it
leaves, and every refusal is the JSON Schema judge's own sentence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from guardian.errors import GuardianError, ReadError
from guardian.learn.workflow.records import converted, sample
from guardian.model import Change
from guardian.spec import text


def specification_folder() -> Path:
    """Where the scenarios' specifications lie: beside this module once installed, in fixtures/ in the sources.

    Raises:
        ReadError: at neither.
    """
    here = Path(__file__).parent
    for folder in (here / "specifications", here.parents[2] / "fixtures" / "workflow"):
        if folder.is_dir():
            return folder
    raise ReadError("the specifications of the workflow scenarios are not installed", file=str(here))


@cache
def load_document(service: str) -> Mapping[str, Any]:
    """The service's specification as it is before anything is shipped.

    Raises:
        ReadError: it cannot be read.
    """
    path = specification_folder() / f"{service}.yaml"
    try:
        document: Mapping[str, Any] = text.load(path.read_bytes(), path.name)
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror}", file=path.name) from error
    return document


class Contract:
    """One resource of one version: what ``GET`` answers and what ``PUT`` accepts.

    Args:
        document: the whole specification.
        path: the resource's path, such as ``/deals/{id}``.
    """

    def __init__(self, document: Mapping[str, Any], path: str) -> None:
        import jsonschema_rs

        item = document["paths"][path]
        body = item["put"]["requestBody"]["content"]["application/json"]["schema"]
        answer = item["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        self.body = _resolved(document, body)
        self.answer = _resolved(document, answer)
        components = document.get("components", {})
        self.accepts = jsonschema_rs.Draft202012Validator({**body, "components": components}, validate_formats=True)
        self.answers = jsonschema_rs.Draft202012Validator({**answer, "components": components}, validate_formats=True)

        self._components = components
        self._fields: dict[str, Any] = {}

    def field_judge(self, name: str) -> Any:
        """The judge of one field of the answer."""
        import jsonschema_rs

        if name not in self._fields:
            schema = {**self.served[name], "components": self._components}
            self._fields[name] = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
        return self._fields[name]

    @property
    def sent(self) -> Mapping[str, Any]:
        """The properties of the request body, by name."""
        properties: Mapping[str, Any] = self.body.get("properties", {})
        return properties

    @property
    def served(self) -> Mapping[str, Any]:
        """The properties of the answer, by name."""
        properties: Mapping[str, Any] = self.answer.get("properties", {})
        return properties


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    for _ in range(8):
        reference = schema.get("$ref")
        if reference is None:
            return schema
        place: Any = document
        for step in reference.removeprefix("#/").split("/"):
            place = place[step.replace("~1", "/").replace("~0", "~")]
        schema = place
    raise GuardianError("a schema refers to itself without saying anything")


@dataclass(frozen=True, eq=False)
class Version:
    """One state of a service's specification.

    ``sent_names`` and ``served_names`` say what became of a field of the first version in requests and in answers:
    (path, field) to its name now, or None where it is gone; what is not listed kept its name. ``changes`` are the
    engine's findings against the version before, with the consumers they hit; ``operator`` says how it was made.
    """

    service: str
    number: int
    document: Mapping[str, Any]
    sent_names: Mapping[tuple[str, str], str | None] = field(default_factory=dict)
    served_names: Mapping[tuple[str, str], str | None] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    operator: str = ""
    _contracts: dict[str, Contract] = field(default_factory=dict, repr=False)

    def contract(self, path: str) -> Contract:
        """The judges of one resource, built when first asked for."""
        if path not in self._contracts:
            self._contracts[path] = Contract(self.document, path)
        return self._contracts[path]

    def served_name(self, path: str, base_field: str) -> str | None:
        """What the first version's field is called in answers of this one; None: it is gone."""
        return self.served_names.get((path, base_field), base_field)

    def sent_name(self, path: str, base_field: str) -> str | None:
        """The same for requests."""
        return self.sent_names.get((path, base_field), base_field)

    def names(self, path: str) -> frozenset[str]:
        """Every field that requests or answers of a resource have."""
        contract = self.contract(path)
        return frozenset(contract.sent) | frozenset(contract.served)

    def readable(self, path: str, base_field: str, record: Mapping[str, Any]) -> str | None:
        """Why a client written against this version cannot read its field from a record; None: it can."""
        name = self.served_name(path, base_field)
        if name is None:
            return None
        if name not in record:
            return f"the record has no {name}"
        if not self.contract(path).field_judge(name).is_valid(record[name]):
            return f"{name} is not what it was: {json.dumps(record[name])}"
        return None

    def compose(self, path: str, filed: Mapping[str, Any], rng: Random) -> dict[str, Any]:
        """The request body that a client written against this version sends for a record, as first filed."""
        contract = self.contract(path)
        first = {self.sent_name(path, name): name for name in filed}
        body: dict[str, Any] = {}
        for name, schema in contract.sent.items():
            schema = _resolved(self.document, schema)
            base = first.get(name)
            body[name] = sample(schema, rng) if base is None else converted(filed[base], schema, rng)
        return body


@cache
def first_version(service: str) -> Version:
    """The version that is in production when an episode starts."""
    return Version(service, 0, load_document(service))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system said to one request."""

    operation: str
    status: int
    body: Any
    errors: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.status < 400

    def as_dict(self) -> dict[str, Any]:
        return {"operation": self.operation, "status": self.status, "body": self.body}


class System:
    """One service in one episode: its records, and the version that answers.

    Args:
        service: its name.
        seed: text that its records are drawn from.
    """

    def __init__(self, service: str, seed: str) -> None:
        self.version = first_version(service)
        self._seed = seed
        self._filed: dict[tuple[str, str], dict[str, Any]] = {}  # as the first version would serve them
        self._served: dict[tuple[str, str], dict[str, Any]] = {}

    def create(self, path: str, key: str) -> str:
        """File a new record for ``key`` and say its id."""
        rng = Random(f"{self._seed}:{path}:{key}")
        record = sample(first_version(self.version.service).contract(path).answer, rng)
        self._filed[path, record["id"]] = record
        return str(record["id"])

    def ship(self, version: Version) -> None:
        """Put another version into production, unannounced."""
        self.version = version
        self._served.clear()

    def read(self, path: str, record: str) -> Answer:
        """``GET`` one record.

        Raises:
            GuardianError: the record that would be served is not what the specification promises; a fault of the
                environment.
        """
        operation = f"GET {path}"
        if (path, record) not in self._filed:
            return Answer(operation, 404, {"title": "Not found", "errors": [f"no record {record}"]})
        return Answer(operation, 200, dict(self._serve(path, record)))

    def write(self, path: str, body: Mapping[str, Any]) -> Answer:
        """``PUT`` one record; refused where the specification in production refuses the body."""
        operation = f"PUT {path}"
        judge = self.version.contract(path).accepts
        if judge.is_valid(body):
            return Answer(operation, 200, body)
        errors = tuple(sorted({error.message for error in judge.iter_errors(body)}))[:4]
        return Answer(operation, 422, {"title": "Unprocessable", "errors": list(errors)}, errors)

    def filed(self, path: str, record: str) -> Mapping[str, Any]:
        """The record as the first version would serve it: what a client's code has in mind."""
        return self._filed[path, record]

    def _serve(self, path: str, record: str) -> dict[str, Any]:
        found = self._served.get((path, record))
        if found is None:
            filed = self._filed[path, record]
            found = filed if self.version.number == 0 else self._conformed(path, record, filed)
            if not self.version.contract(path).answers.is_valid(found):
                raise GuardianError(f"{self.version.service} would serve what it does not promise: {json.dumps(found)}")
            self._served[path, record] = found
        return found

    def _conformed(self, path: str, record: str, filed: Mapping[str, Any]) -> dict[str, Any]:
        names = {self.version.served_name(path, name): name for name in filed}
        rng = Random(f"{self._seed}:{path}:{record}:{self.version.operator}")
        contract = self.version.contract(path)
        conformed: dict[str, Any] = {}
        for name, schema in contract.served.items():
            schema = _resolved(self.version.document, schema)
            base = names.get(name)
            conformed[name] = sample(schema, rng) if base is None else converted(filed[base], schema, rng)
        return conformed
