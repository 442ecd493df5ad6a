"""Questions to a model on behalf of the gate: answers remembered by content, checked against their schema, in parallel.

A model may be away, slow, or talk nonsense. Nothing of that reaches the verdict: it becomes one sentence.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from guardian.adapter.endpoint import RefusedError
from guardian.adapter.prompts import Prompt
from guardian.errors import GuardianError

Json = dict[str, Any]
Ask = Callable[[list[Json], Json], str]

_PARALLEL = 8
#: Days for which an answer is remembered: a server may have been given another model under the same name.
KEPT_DAYS = 14
#: Stands in what is remembered for the day that a question is asked with.
_DAY = "{guardian:day}"
#: What reasoning models write behind what they think aloud.
_THOUGHT = "</think>"


class Asker:
    """Asks a model and remembers what it said.

    Args:
        ask: messages and schema to the answer's text.
        model: who is asked; a part of what an answer is remembered by. What has to be looked up first is so when the first
            question is asked; it may raise a ``GuardianError``, and then nobody is there.
        cache: the folder of answers; ``None`` remembers nothing.
        within_s: seconds for all questions of a run together.
    """

    def __init__(
        self, ask: Ask, model: str | Callable[[], str], *, cache: Path | None = None, within_s: float = 120.0
    ) -> None:
        self._ask = ask
        self._model = model
        self._cache = cache
        self._deadline = time.monotonic() + within_s
        self._lock = threading.Lock()
        self._away = False
        self._trouble: str | None = None
        self._refused: list[str] = []
        self._answered = False

    @property
    def trouble(self) -> str | None:
        """Why answers are missing, in a sentence: that nobody answers before what is said of single questions."""
        with self._lock:
            if self._trouble is None and self._refused:
                many = len(self._refused)
                return f"the model did not take {f'{many} questions' if many > 1 else 'a question'}: {self._refused[0]}"
            return self._trouble

    def answers(self, prompts: Sequence[Prompt]) -> list[Json | None]:
        """An answer to each question, in order; ``None`` where there is none that keeps to its schema."""
        if not prompts:
            return []
        if callable(self._model):
            try:
                self._model = self._model()
            except GuardianError as error:
                self._say(f"the model cannot be asked: {error.message}")
                return [None] * len(prompts)
        with ThreadPoolExecutor(min(_PARALLEL, len(prompts))) as pool:
            return list(pool.map(self._answer, prompts))

    def _answer(self, prompt: Prompt) -> Json | None:
        key = self._key(prompt)
        known = self._remembered(key, prompt)
        if known is not None:
            return known
        with self._lock:
            if self._away:
                return None  # there is no use in waiting for it once for every question
            if time.monotonic() > self._deadline:
                self._away = True
                self._trouble = self._trouble or "the model is too slow, so some questions were not asked"
                return None
        try:
            text = self._ask(prompt.messages(), prompt.schema)
        except RefusedError as error:
            with self._lock:
                self._refused.append(error.message)
            return None
        except GuardianError as error:
            self._away = True
            self._say(f"the model cannot be asked{' any more' if self._answered else ''}: {error.message}")
            return None
        self._answered = True
        answer = _read(text, prompt.schema)
        if answer is None:
            self._say("the model says nothing that keeps to the asked form")
            return None
        self._remember(key, answer, prompt)
        return answer

    def _say(self, trouble: str) -> None:
        with self._lock:
            self._trouble = self._trouble or trouble

    def _key(self, prompt: Prompt) -> str:
        said = json.dumps([self._model, prompt.messages(), prompt.schema], sort_keys=True)
        return hashlib.sha256(_any_day(said, prompt).encode()).hexdigest()

    def _remembered(self, key: str, prompt: Prompt) -> Json | None:
        """What was said before, if that is not too long ago: a file that somebody else wrote is no answer."""
        if self._cache is None:
            return None
        file = self._cache / f"{key}.json"
        try:
            if time.time() - file.stat().st_mtime > KEPT_DAYS * 86_400:
                return None
            return _read(_today(file.read_text(encoding="utf-8"), prompt), prompt.schema)
        except (OSError, ValueError):
            return None

    def _remember(self, key: str, answer: Json, prompt: Prompt) -> None:
        if self._cache is None:
            return
        try:
            self._cache.mkdir(parents=True, exist_ok=True)
            part = self._cache / f"{key}.{os.getpid()}.{threading.get_ident()}.part"
            part.write_text(_any_day(json.dumps(answer), prompt), encoding="utf-8")
            part.replace(self._cache / f"{key}.json")
        except OSError:
            self._cache = None  # a cache that cannot be written is none


def _any_day(text: str, prompt: Prompt) -> str:
    """A question or an answer as it is remembered: without the day that will be another one tomorrow."""
    return text.replace(prompt.day, _DAY) if prompt.day else text


def _today(text: str, prompt: Prompt) -> str:
    """A remembered answer with the day of the question that is asked now."""
    return text.replace(_DAY, prompt.day) if prompt.day else text


def _read(text: str, schema: Json) -> Json | None:
    """The answer, if it is JSON that keeps to its schema. Whole numbers are integers, as they are to the schema."""
    import jsonschema_rs

    try:
        value = _DECODER.raw_decode(_told(text))[0]
        # Half of a character pair is JSON, and no text that could be written anywhere.
        json.dumps(value, ensure_ascii=False).encode()
        return value if isinstance(value, dict) and jsonschema_rs.is_valid(schema, value) else None
    except (ValueError, RecursionError):
        return None


def _told(text: str) -> str:
    """The answer in what a model says: from its first object on, behind what it thought aloud."""
    said = text.rpartition(_THOUGHT)[2]
    return said[max(said.find("{"), 0) :]


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


_DECODER = json.JSONDecoder(parse_float=_number, parse_constant=_no_number)


def answer_cache() -> Path:
    """Where answers are remembered (XDG base directories)."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "guardian" / "answers"
