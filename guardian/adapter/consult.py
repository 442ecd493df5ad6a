"""The gate asks a model: what new words mean, what became what, whom a coarse dependency concerns, how to mend it.

What it says is a hint. The engine looks into it, and what it finds itself becomes a finding: a rename, a consumer that
its own code shows to be broken, a fix that was verified. All the rest is advice. Nothing is ever lowered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from guardian import fieldpath
from guardian.adapter.advice import Advice, Case, Question
from guardian.adapter.asking import Asker, answer_cache
from guardian.adapter.claims import Remark, claims_of, remark_of
from guardian.adapter.connect import connect
from guardian.adapter.endpoint import Endpoint
from guardian.adapter.hygiene import inert
from guardian.adapter.mending import mending_questions
from guardian.adapter.renames import rename_questions
from guardian.adapter.tracing import trace_questions
from guardian.adapter.wording import Wording, reworded
from guardian.adapter.wording_prompt import AT_ONCE, wording_prompt
from guardian.graph.consumers.routes import template_shape
from guardian.graph.uses import Consumer
from guardian.model import Direction

Json = dict[str, Any]

#: Questions of one run at most; what is left out is said.
MOST_QUESTIONS = 60


def consult(case: Case, asker: Asker) -> Advice:
    """What a model has to say to a finished check, looked into.

    Args:
        case: the check.
        asker: who asks the model.

    Returns:
        The check's findings and fixes with what was gained. Without a usable answer: with one remark that says why.

    Raises:
        ReadError: a specification cannot be read.
    """
    advice = Advice.of(case)
    kinds: tuple[Callable[[Case, Advice], Iterator[Question]], ...] = (
        _wording_questions, rename_questions, trace_questions, mending_questions,
    )  # fmt: skip
    questions = list(chain.from_iterable(kind(case, advice) for kind in kinds))
    asked = questions[:MOST_QUESTIONS]
    for (_, heard), answer in zip(asked, asker.answers([prompt for prompt, _ in asked]), strict=True):
        if answer is not None:
            heard(answer)
    advice.remarks = _in_order(advice.remarks)
    if advice.failed:
        what = "a patch" if advice.failed == 1 else f"{advice.failed} patches"
        one = "it does not pass and is" if advice.failed == 1 else "they do not pass and are"
        advice.remarks.append(Remark(f"the model ({inert(case.model, 60)}) wrote {what}: {one} not listed"))
    if asker.trouble is not None:
        advice.remarks.append(Remark(inert(asker.trouble, 300)))
    if len(questions) > MOST_QUESTIONS:
        advice.remarks.append(Remark(f"the model was asked {MOST_QUESTIONS} of {len(questions)} questions"))
    return advice


def asker_for(model: str, name: str = "guardian", timeout_s: float = 30.0, *, cache: Path | None = None) -> Asker:
    """Asks the model that ``--model`` names: an endpoint's URL, or the folder of an adapter.

    Raises:
        UsageError: it is neither, or nothing that could run the adapter is installed.
    """
    cache = cache or answer_cache()
    if "://" in model:
        endpoint = Endpoint(model, name, timeout_s=timeout_s)
        return Asker(endpoint.ask, endpoint.who, cache=cache, within_s=4 * timeout_s)
    ask = connect(model, name, timeout_s=timeout_s)
    folder = Path(model)
    weights = folder / "adapter_model.safetensors"
    version = f"{weights.stat().st_size}-{weights.stat().st_mtime_ns}" if weights.is_file() else ""
    return Asker(ask, f"{folder.resolve()} {version}", cache=cache, within_s=600.0)


def _wording_questions(case: Case, advice: Advice) -> Iterator[Question]:
    """Asks which texts changed their meaning."""
    for service in sorted(case.services):
        both = case.both(service)
        texts = reworded(*both) if both is not None else []
        for start in range(0, len(texts), AT_ONCE):
            batch = texts[start : start + AT_ONCE]

            def heard(answer: Json, service: str = service, batch: Sequence[Wording] = batch) -> None:
                for claim in claims_of(answer, batch):
                    users = _users(case.consumers, service, claim.text)
                    advice.remarks.append(remark_of(claim, case.model, users))

            yield wording_prompt(batch), heard


def _users(consumers: Iterable[Consumer], service: str, text: Wording) -> list[str]:
    """Who is known to use what a text is about."""
    if not text.operation:
        return sorted({each.name for each in consumers if any(use.service == service for use in each.uses)})
    shape = template_shape(text.operation)
    path = fieldpath.parse(text.field.removeprefix("body.")) if text.field != "body" else fieldpath.ROOT
    found = set()
    for consumer in consumers:
        for use in consumer.uses:
            if use.service != service or use.operation is None or template_shape(use.operation) != shape:
                continue
            fields = use.sends if text.direction is Direction.REQUEST else use.reads
            if not text.field or any(fieldpath.touches(each.path, path) for each in fields or ()):
                found.add(consumer.name)
    return sorted(found)


def _in_order(remarks: Iterable[Remark]) -> list[Remark]:
    """Each once, by place."""
    return sorted(
        set(remarks),
        key=lambda each: (each.at.file if each.at else "", each.at.pointer if each.at else "", each.message),
    )
