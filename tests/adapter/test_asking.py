from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from guardian.adapter.asking import KEPT_DAYS, Asker
from guardian.adapter.connect import connect
from guardian.adapter.consult import asker_for
from guardian.adapter.endpoint import Endpoint, RefusedError
from guardian.adapter.local import base_of
from guardian.adapter.prompts import Prompt
from guardian.adapter.serving import serving
from guardian.adapter.weights import fetch
from guardian.errors import ReadError, UsageError

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


def _prompt(text: str) -> Prompt:
    return Prompt(text, SCHEMA)


def test_answers_are_remembered_by_content(tmp_path: Path) -> None:
    """The same question to the same model is asked once, ever; to another model it is another question."""
    asked: list[str] = []

    def ask(messages: list[Any], schema: Any) -> str:
        asked.append(messages[-1]["content"])
        return '{"n":1}'

    for model, count in (("a", 2), ("a", 2), ("b", 4)):
        asker = Asker(ask, model, cache=tmp_path)
        assert asker.answers([_prompt("x"), _prompt("y")]) == [{"n": 1}, {"n": 1}]
        assert len(asked) == count


@pytest.mark.parametrize(
    "said",
    ["", "no", "[1]", '{"n":"1"}', '{"n":1,"m":2}', '{"n":1', "[" * 100_000, '{"\\ud800":1}', '{"n":NaN}', '{"n":1e999}',
     '{"n":1.5}'],
)  # fmt: skip
def test_nonsense_is_no_answer(said: str, tmp_path: Path) -> None:
    """What keeps not to its schema is no answer, is said in one sentence and is not remembered."""
    asker = Asker(lambda messages, schema: said, "m", cache=tmp_path)
    assert asker.answers([_prompt("x"), _prompt("y")]) == [None, None]
    assert asker.trouble == "the model says nothing that keeps to the asked form"
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_are_integers() -> None:
    """What JSON Schema calls an integer may be written 1.0, and is one wherever it is used."""
    (answer,) = Asker(lambda messages, schema: '{"n":1.0}', "m").answers([_prompt("x")])
    assert answer == {"n": 1}
    assert type(answer["n"]) is int


def test_half_a_character_is_no_answer() -> None:
    """Nor where the schema lets any value through: it could be written nowhere."""
    asker = Asker(lambda messages, schema: '{"a":["\\udc00"]}', "m")
    assert asker.answers([Prompt("x", {"type": "object"})]) == [None]


@pytest.mark.parametrize("said", ["{}", '{"n":"1"}', "[]", "", "[" * 100_000, "\udc80"])
def test_what_is_remembered_keeps_to_its_schema(said: str, tmp_path: Path) -> None:
    """A file of the cache that is no answer is asked again, and written anew."""
    Asker(lambda messages, schema: '{"n":1}', "m", cache=tmp_path).answers([_prompt("x")])
    (file,) = tmp_path.iterdir()
    file.write_bytes(said.encode(errors="surrogateescape"))
    assert Asker(lambda messages, schema: '{"n":2}', "m", cache=tmp_path).answers([_prompt("x")]) == [{"n": 2}]
    assert json.loads(file.read_text()) == {"n": 2}


def test_a_question_of_tomorrow_is_the_same_but_for_its_day(tmp_path: Path) -> None:
    """What was answered for one day is remembered for the next, with that day in it; braces of paths stay what they are."""
    asked: list[str] = []

    def ask(messages: list[Any], schema: Any) -> str:
        asked.append(messages[-1]["content"])
        return json.dumps({"path": "/users/{day}", "until": asked[-1].rpartition(" ")[2]})

    def answered(day: str, text: str = "until") -> Any:
        prompt = Prompt(f"{text} {day}", {"type": "object"}, day=day)
        return Asker(ask, "m", cache=tmp_path).answers([prompt])

    for day in ("2027-02-28", "2027-03-01"):
        assert answered(day) == [{"path": "/users/{day}", "until": day}]
    assert asked == ["until 2027-02-28"]
    answered("2027-03-01", "not after")
    assert len(asked) == 2


def test_what_is_remembered_ends(tmp_path: Path) -> None:
    """After some days a question is asked again: another model may have come under the old name."""
    Asker(lambda messages, schema: '{"n":1}', "m", cache=tmp_path).answers([_prompt("x")])
    (file,) = tmp_path.iterdir()
    for days, expected in ((KEPT_DAYS - 1, 1), (KEPT_DAYS + 1, 2)):
        then = time.time() - days * 86_400
        os.utime(file, (then, then))
        asker = Asker(lambda messages, schema: '{"n":2}', "m", cache=tmp_path)
        assert asker.answers([_prompt("x")]) == [{"n": expected}]


def test_who_is_asked_is_looked_up_when_something_is_asked(tmp_path: Path) -> None:
    """Once for a run, and not where there is no question; another model has other answers."""
    looked: list[str] = []

    def who(name: str) -> Callable[[], str]:
        return lambda: looked.append(name) or name  # type: ignore[func-returns-value]

    def asker(name: str, number: int) -> Asker:
        return Asker(lambda messages, schema: json.dumps({"n": number}), who(name), cache=tmp_path)

    assert asker("a", 1).answers([]) == []
    assert looked == []
    first = asker("a", 1)
    assert first.answers([_prompt("x"), _prompt("y")]) == [{"n": 1}] * 2
    assert first.answers([_prompt("x")]) == [{"n": 1}]
    assert looked == ["a"]
    assert asker("a", 2).answers([_prompt("x")]) == [{"n": 1}]
    assert asker("b", 2).answers([_prompt("x")]) == [{"n": 2}]


def test_nobody_to_look_up_is_nobody_to_ask() -> None:
    """Where the server does not say who it is in time, no question waits for it."""

    def away() -> str:
        raise ReadError("nothing comes")

    asker = Asker(lambda messages, schema: '{"n":1}', away)
    assert asker.answers([_prompt("x"), _prompt("y")]) == [None, None]
    assert asker.trouble == "the model cannot be asked: nothing comes"


def test_the_server_s_words_decide_nothing() -> None:
    """That a server is away is told by what happened, whatever words it says so with."""
    asked: list[int] = []

    def ask(messages: list[Any], schema: Any) -> str:
        asked.append(1)
        raise ReadError("the queue keeps growing")

    asker = Asker(ask, "m")
    for _ in range(3):
        assert asker.answers([_prompt("x")]) == [None]
    assert len(asked) == 1


def test_a_model_that_is_away_is_asked_once() -> None:
    """After the first failure no further question waits for the same one."""
    asked: list[int] = []

    def ask(messages: list[Any], schema: Any) -> str:
        asked.append(1)
        raise ReadError("nobody there")

    asker = Asker(ask, "m")
    assert asker.answers([_prompt("x")]) == [None]
    assert asker.answers([_prompt(str(number)) for number in range(20)]) == [None] * 20
    assert len(asked) == 1
    assert asker.trouble == "the model cannot be asked: nobody there"


def test_time_is_bounded_for_all_questions_together() -> None:
    """Once the time of a run is over, nothing more is asked."""
    asker = Asker(lambda messages, schema: '{"n":1}', "m", within_s=-1.0)
    assert asker.answers([_prompt("x")]) == [None]
    assert asker.trouble is not None
    assert "too slow" in asker.trouble


@pytest.mark.parametrize(
    "said",
    [
        '<think>perhaps {"n": 2}?</think>\n{"n":1}',
        'Here it is:\n```json\n{"n": 1}\n```\nI hope it helps.',
    ],
)
def test_an_answer_may_stand_in_other_words(said: str) -> None:
    """Where a server holds nobody to the form, the answer is the first object behind what was thought aloud."""
    assert Asker(lambda messages, schema: said, "m").answers([_prompt("x")]) == [{"n": 1}]


def test_a_question_that_is_not_taken_is_lost_alone() -> None:
    """One that is too long says nothing of the others; how many were lost is said."""

    def ask(messages: list[Any], schema: Any) -> str:
        if "long" in messages[-1]["content"]:
            raise RefusedError("too many tokens")
        return '{"n":1}'

    asker = Asker(ask, "m")
    assert asker.answers([_prompt("long"), _prompt("x"), _prompt("longer"), _prompt("y")]) == [
        None,
        {"n": 1},
        None,
        {"n": 1},
    ]
    assert asker.trouble == "the model did not take 2 questions: too many tokens"


def test_that_somebody_goes_away_is_said_of_one_who_was_there() -> None:
    """After answers the sentence does not deny them."""

    def ask(messages: list[Any], schema: Any) -> str:
        if "last" in messages[-1]["content"]:
            raise ReadError("nobody there")
        return '{"n":1}'

    asker = Asker(ask, "m")
    assert asker.answers([_prompt("x")]) == [{"n": 1}]
    assert asker.answers([_prompt("last")]) == [None]
    assert asker.trouble == "the model cannot be asked any more: nobody there"


@pytest.fixture
def server() -> Any:
    """A server that answers what ``replies`` says next, and keeps the requests, the headers of each under ``headers``."""
    seen: list[Any] = []
    replies: list[Callable[[], tuple[Any, ...]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append({**asked, "headers": self.headers})
            status, body, *headers = replies.pop(0)()
            self.send_response(status)
            for header in headers:
                self.send_header(*header)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    http = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}/v1", seen, replies
    http.shutdown()
    thread.join()
    http.server_close()


def _said(text: str) -> tuple[int, bytes]:
    return 200, json.dumps({"choices": [{"message": {"content": text}}]}).encode()


def test_an_endpoint_is_asked_in_the_schema_s_form(server: Any) -> None:
    """The adapter's name, the messages and the JSON schema go out; a fault of the server is tried again."""
    url, seen, replies = server
    replies += [lambda: (503, b"busy"), lambda: _said('{"n":2}')]
    assert Endpoint(url, "guardian", retries=1).ask([{"role": "user", "content": "x"}], SCHEMA) == '{"n":2}'
    assert len(seen) == 2
    assert seen[1]["model"] == "guardian"
    assert seen[1]["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b'{"choices":[]}', b'{"choices":[{"message":null}]}', b"[" * 200_000, b" " * 5_000_000],
)
def test_a_server_that_is_no_model_is_a_read_error(body: bytes, server: Any) -> None:
    """Whatever it answers, it is one expected error, not a fault."""
    url, _, replies = server
    replies += [lambda: (200, body)]
    with pytest.raises(ReadError):
        Endpoint(url, "guardian", retries=0).ask([], SCHEMA)


def test_a_server_that_is_asked_too_much_is_asked_later(server: Any) -> None:
    """429 says when to come again; where that is after all the time there is, nobody waits for it."""
    url, seen, replies = server
    busy = (429, b"slow down", ("Retry-After", "0"))
    replies += [lambda: busy, lambda: busy, lambda: busy, lambda: _said("{}")]
    assert Endpoint(url, "guardian", retries=1).ask([], SCHEMA) == "{}"
    assert len(seen) == 4
    replies += [lambda: (429, b"slow down", ("Retry-After", "900"))]
    with pytest.raises(ReadError, match="refuses: 429 slow down"):
        Endpoint(url, "guardian").ask([], SCHEMA)
    assert len(seen) == 5


def test_a_server_without_forms_is_asked_without(server: Any) -> None:
    """It is told the form in words anyway; it is not asked twice for every question."""
    url, seen, replies = server
    replies += [lambda: (400, b'{"error":"unknown field response_format"}')] + [lambda: _said("{}")] * 2
    endpoint = Endpoint(url, "guardian")
    assert [endpoint.ask([], SCHEMA), endpoint.ask([], SCHEMA)] == ["{}", "{}"]
    assert ["response_format" in each for each in seen] == [True, False, False]


def test_a_question_that_is_too_long_is_told_apart(server: Any) -> None:
    """From a server that takes no questions at all."""
    url, _, replies = server
    replies += [lambda: (400, b"maximum context length"), lambda: (401, b"who are you?")]
    with pytest.raises(RefusedError, match="maximum context length"):
        Endpoint(url, "guardian").ask([], SCHEMA)
    with pytest.raises(ReadError, match="who are you") as refused:
        Endpoint(url, "guardian").ask([], SCHEMA)
    assert not isinstance(refused.value, RefusedError)


def test_a_key_goes_in_a_header(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes from the environment, where it is in nobody's report."""
    url, seen, replies = server
    replies += [lambda: _said("{}")] * 2
    Endpoint(url, "guardian").ask([], SCHEMA)
    monkeypatch.setenv("GUARDIAN_MODEL_KEY", "s3cr3t")
    Endpoint(url, "guardian").ask([], SCHEMA)
    assert [each["headers"]["Authorization"] for each in seen] == [None, "Bearer s3cr3t"]


def test_a_key_is_sent_without_its_line_end(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As secrets from files have one."""
    url, seen, replies = server
    replies += [lambda: _said("{}")]
    monkeypatch.setenv("GUARDIAN_MODEL_KEY", "s3cr3t\r\n")
    Endpoint(url, "guardian").ask([], SCHEMA)
    assert [each["headers"]["Authorization"] for each in seen] == ["Bearer s3cr3t"]


@pytest.mark.parametrize("key", ["s3cr3t\nX-More: 1", "s3cr3t\u2013", "s3cr3t\x7f"])
def test_a_key_that_no_header_takes_is_refused_and_not_shown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own words for it show the whole header, and would go into reports."""
    monkeypatch.setenv("GUARDIAN_MODEL_KEY", key)
    with pytest.raises(UsageError, match="GUARDIAN_MODEL_KEY") as refused:
        Endpoint("http://localhost:1/v1", "guardian")
    assert "s3cr3t" not in f"{refused.value} {refused.value.hint}"


@pytest.mark.parametrize(
    "url", ["http://me:s3cr3t@host/v1", "http://host/v1?key=s3cr3t", "http://s3cr3t@host:0/v1", "http://host/#s3cr3t"]
)
def test_a_secret_in_the_address_is_refused_and_not_shown(url: str) -> None:
    """An address is printed in reports and commands."""
    with pytest.raises(UsageError) as refused:
        Endpoint(url, "guardian")
    assert "s3cr3t" not in f"{refused.value} {refused.value.hint}"
    assert "GUARDIAN_MODEL_KEY" in str(refused.value.hint)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    """Neither a URL nor a folder, or a folder without an adapter: wrong usage, not a silent pass."""
    with pytest.raises(UsageError, match="no URL and no folder"):
        connect(str(tmp_path / "none"))
    with pytest.raises(UsageError, match="no http address"):
        connect("ftp://host/v1")
    with pytest.raises(UsageError, match="no adapter"):
        asker_for(str(tmp_path))
    with pytest.raises(UsageError, match="no packaged model"):
        fetch("gpt")


def _adapter(folder: Path) -> Path:
    settings = {"base_model_name_or_path": "Qwen/Qwen2.5-7B-Instruct", "r": 12}
    (folder / "adapter_config.json").write_text(json.dumps(settings))
    return folder


def test_the_serving_command_fits_the_machine(tmp_path: Path) -> None:
    """The adapter under its name, a rank that holds it, JSON without white space; on a CPU its memory is set."""
    adapter = _adapter(tmp_path)
    assert base_of(adapter) == "Qwen/Qwen2.5-7B-Instruct"
    cpu = serving(adapter, cpu=True, port=9)
    words = " ".join(cpu.command)
    assert "vllm.entrypoints.openai.api_server --model Qwen/Qwen2.5-7B-Instruct" in words
    assert f"--enable-lora --max-lora-rank 16 --lora-modules guardian={adapter}" in words
    assert '"disable_any_whitespace":true' in words
    assert cpu.environment["VLLM_CPU_KVCACHE_SPACE"] == "2"
    assert "VLLM_CPU_KVCACHE_SPACE" not in serving(adapter, cpu=False).environment
