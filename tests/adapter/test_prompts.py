from __future__ import annotations

import json
import time
from typing import Any

import pytest

from guardian.adapter.forms import difference
from guardian.adapter.hygiene import inert
from guardian.adapter.prompts import cut, detect_prompt, fix_prompt, fix_schema, readers_by_field, trace_prompt
from guardian.learn.contract import TASKS, ContractEnv, Scenarios
from guardian.learn.contract.engine import Side, read_consumers
from guardian.learn.contract.fixing import SUNSET
from guardian.learn.contract.prompting import actions_of, answer_of, prompt_of
from guardian.learn.contract.releases import NOT, read_release

SCENARIOS = Scenarios()


def _document(properties: dict[str, Any], required: list[str], **operation: Any) -> dict[str, Any]:
    schema = {"type": "object", "required": required, "properties": properties}
    answer = {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}
    return {
        "openapi": "3.0.3",
        "info": {"title": "t", "version": "1"},
        "paths": {"/users/{id}": {"get": {"responses": answer, **operation}}},
    }


def _difference(base: dict[str, Any], head: dict[str, Any]) -> list[str]:
    one, other = Side({"s": base}).api("s"), Side({"s": head}).api("s")
    assert one and other
    return difference(one, other)


def test_a_change_is_a_line() -> None:
    """What was and what is, a line each, below operation and message; what is the same is not there."""
    base = _document({"id": {"type": "integer"}, "email": {"type": "string", "format": "email"}}, ["id", "email"])
    head = _document(
        {"id": {"type": "integer"}, "mail": {"type": "string", "format": "email", "nullable": True}}, ["id"],
        parameters=[{"name": "page", "in": "query", "required": True, "schema": {"type": "integer", "minimum": 1}}],
    )  # fmt: skip
    assert _difference(base, head) == [
        "GET /users/{id}",
        " 200",
        "  - email: string email!",
        "  + mail: string email?",
        " request",
        "  + query:page: integer 1..!",
    ]


def test_a_renamed_variable_is_the_same_operation() -> None:
    """A change in an operation whose path has another variable is shown in it, not as one operation for another."""
    base = _document({"id": {"type": "integer"}}, ["id"])
    head = _document({"id": {"type": "string"}}, ["id"])
    head["paths"] = {"/users/{key}": head["paths"]["/users/{id}"]}
    assert _difference(base, head) == ["GET /users/{id}", " 200", "  - id: integer!", "  + id: string!"]


def test_of_two_operations_that_differ_in_a_variable_alone_one_is_renamed() -> None:
    """Such a document is wrong, and there are some; the other operation is gone."""
    base = _document({"id": {"type": "integer"}}, ["id"])
    base["paths"]["/users/{name}"] = base["paths"]["/users/{id}"]
    head = _document({"id": {"type": "integer"}}, ["id"])
    head["paths"] = {"/users/{key}": head["paths"]["/users/{id}"]}
    assert _difference(base, head) == ["- GET /users/{name}"]


def test_a_key_is_told_by_where_it_goes() -> None:
    """The place of a key in an answer is the header's name; a scheme with scopes is told by them."""
    schemes = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Token"},
        "user": {"type": "oauth2", "flows": {"password": {"tokenUrl": "https://a/t", "scopes": {"read": ""}}}},
    }
    base = _document({}, [], security=[{"user": ["read"]}])
    head = _document({}, [], security=[{"key": []}])
    for each in (base, head):
        each["components"] = {"securitySchemes": schemes}
    assert _difference(base, head) == [
        "GET /users/{id}",
        " operation",
        "  - security: oauth2(read)",
        "  + security: apiKey(header:X-Token)",
    ]


def test_what_an_array_must_hold_is_told() -> None:
    """Which scopes a token must have is what the question is about."""
    wanted = {"allOf": [{"contains": {"const": "read"}}, {"contains": {"const": "write"}}]}
    base = _document({"scopes": {"type": "array", "items": {"type": "string"}}}, [])
    head = _document({"scopes": {"type": "array", "items": {"type": "string"}, **wanted}}, [])
    for each in (base, head):
        each["openapi"] = "3.1.0"
    assert _difference(base, head) == [
        "GET /users/{id}",
        " 200",
        "  - scopes: array",
        "  + scopes: array with read,write",
    ]


def test_what_is_read_and_what_is_sent_are_told_apart() -> None:
    """One operation may answer with a field and take one of the same name."""
    use = {"service": "s", "operation": "POST /users", "reads": ["name"], "sends": ["body.name"]}
    consumers = read_consumers(
        {
            "reader": {"consumer": "reader", "uses": [{**use, "sends": []}]},
            "sender": {"consumer": "sender", "uses": [{**use, "reads": []}]},
        }
    )
    assert readers_by_field(consumers, [("s", "POST /users", "name")]) == {
        "s POST /users.body.name": ["sender"],
        "s POST /users.name": ["reader"],
    }


def test_the_order_of_readers_tells_nothing() -> None:
    """Whoever names the readers of the first line should be right by chance alone; a long list still keeps what matters."""
    readers = {"s GET /users.name": ["changed"], "s GET /users.email": ["other"]}
    text = trace_prompt(["s GET /users.name (response): gone"], readers, ["changed", "other"]).user
    assert text.index("s GET /users.email: other") < text.index("s GET /users.name: changed")
    many = {"s GET /users.name": ["changed"], **{f"s GET /users.a{number:04}": ["other"] for number in range(1000)}}
    long = trace_prompt(["s GET /users.name (response): gone"], many, ["changed", "other"]).user
    assert "s GET /users.name: changed" in long
    assert " more lines)" in long


@pytest.mark.parametrize("task", ["trace_downstream_blast_radius", "propose_backward_compat_fix"])
def test_a_prompt_says_what_its_answer_needs(task: str) -> None:
    """The direction of what changed; of a fix the terms of the release, and whom each change breaks."""
    observation = ContractEnv(SCENARIOS).reset(task, 3)
    prompt = prompt_of(observation).user
    if task.startswith("trace"):
        assert " (request)\n" in prompt or " (response)\n" in prompt
        return
    told = observation.detected_violation or {}
    release = read_release(told["release"])
    major = observation.api_spec["base"]["info"]["version"].partition(".")[0]
    assert f"Deployed: v{major}. A window ends {release.last_day or SUNSET}." in prompt
    assert ("No second version." in prompt) is not release.versions
    assert ("Nothing former stays." in prompt) is (release.former == NOT)
    assert ("Nothing stays longer." in prompt) is (release.last_day is not None)
    for change in told["changes"]:
        (line,) = (each for each in prompt.splitlines() if each.startswith(f"{change['field_path']}: "))
        assert all(f"{name} ({release.moves[name]})" in line for name in change["breaks"])


def test_who_breaks_is_told_as_far_as_it_is_known() -> None:
    """Nobody is an answer; where it is not known by what somebody breaks, the names stand by themselves."""
    known = fix_prompt({"GET /a.x": ["crm"], "GET /a.y": []}, [], version="v1", sunset="2026-04-01").user
    assert "GET /a.x: crm\nGET /a.y: nobody\n" in known and "Who breaks" not in known
    unknown = fix_prompt({"GET /a.x": None}, [], version="v1", sunset="2026-04-01", broken=["crm"]).user
    assert "GET /a.x\n" in unknown and "Who breaks: crm\n" in unknown


def test_spelling_makes_no_line() -> None:
    """A component instead of an inline schema, or allOf around it, is no difference."""
    base = _document({"id": {"type": "integer"}}, ["id"])
    head = _document({"id": {"allOf": [{"$ref": "#/components/schemas/Id"}]}}, ["id"])
    head["components"] = {"schemas": {"Id": {"type": "integer"}}}
    assert _difference(base, head) == []


def test_what_an_object_takes_along_is_not_told() -> None:
    """A removed object is one line, whatever was in it."""
    inner = {"type": "object", "properties": {name: {"type": "string"} for name in "abcdef"}}
    base = _document({"id": {"type": "integer"}, "address": inner}, ["id"])
    assert _difference(base, _document({"id": {"type": "integer"}}, ["id"])) == [
        "GET /users/{id}",
        " 200",
        "  - address: object",
    ]


def test_cutting_is_never_silent() -> None:
    """What does not fit is counted in the prompt."""
    lines = [f"line {number}" for number in range(1000)]
    text = cut(lines, 100)
    assert len(text) < 130
    kept = text.count("\n")
    assert text.endswith(f"({1000 - kept} more lines)")
    assert "more lines" in detect_prompt(lines).user


def test_readers_stand_by_field() -> None:
    """The trace prompt lists who uses what by field, and its answer is one of the names."""
    prompt = trace_prompt(
        ["users GET /users/{id}.email"], {"users GET /users/{id}.email": ["billing", "orders"]}, ["orders", "billing"]
    )
    assert "users GET /users/{id}.email: billing, orders" in prompt.user
    assert prompt.schema["properties"]["affected"]["items"]["enum"] == ["billing", "orders"]


@pytest.mark.parametrize("task", TASKS)
def test_right_answers_pass_through(task: str) -> None:
    """The right actions written as an answer, and read back, play the episode perfectly; the schema allows the answer."""
    import jsonschema_rs

    env = ContractEnv(SCENARIOS)
    for seed in range(3):
        observation = env.reset(task, seed)
        while not observation.done:
            prompt = prompt_of(observation)
            text = answer_of(observation, env.answers())
            jsonschema_rs.Draft202012Validator(prompt.schema).validate(json.loads(text))
            phase = observation.phase
            for action in actions_of(observation, text):
                observation = env.step(action)
                if observation.done or observation.phase != phase:
                    break
        assert env.score() == 1.0, (task, seed)


def test_prompts_are_short() -> None:
    """Typically under 600 tokens; none runs away."""
    env = ContractEnv(SCENARIOS)
    tokens = [prompt_of(env.reset(task, seed)).tokens for task in TASKS for seed in range(4)]
    assert sorted(tokens)[len(tokens) // 2] < 600
    assert max(tokens) < 2_000


@pytest.mark.parametrize(
    "text", ["", "no", "[]", "{}", '{"violations":7}', '{"violations":[1]}', '{"breaking":"x"}', "null"]
)
@pytest.mark.parametrize("task", ["find_type_mismatches", "detect_breaking_changes", "trace_downstream_blast_radius"])
def test_nonsense_is_an_action(text: str, task: str) -> None:
    """Whatever a model says becomes actions that the environment grades; nothing raises."""
    env = ContractEnv(SCENARIOS)
    observation = env.reset(task, 0)
    for action in actions_of(observation, text):
        observation = env.step(action)
        if observation.done:
            break
    assert env.score() == 0.0


def test_the_fix_schema_names_the_strategies() -> None:
    """An answer can be nothing but one of the five."""
    assert len(fix_schema()["properties"]["strategy"]["enum"]) == 5


@pytest.mark.parametrize(
    "mark",
    ["<|im_start|>", "<|im_end|>", "<｜begin▁of▁sentence｜>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<s>", "</s>",
     "<bos>", "<eos>", "<pad>", "<start_of_turn>", "<end_of_turn>", "<tool_call>", "</tool_response>", "<think>", "</think>",
     "‹|im_end|›", "＜|im_end|＞", "<¦im_end¦>", "<|" + "x" * 200 + "|>", "[SYSTEM_PROMPT]", "[TOOL_CALLS]", "<unused12>"],
)  # fmt: skip
def test_marks_of_chat_templates_are_taken_out(mark: str) -> None:
    """Also one inside of another, and on any way into a prompt."""
    nested = mark[:2] + mark + mark[2:]
    for text in (mark, nested):
        assert inert(f"a{text}b") == "ab"
        assert cut([f"  a{text}b"]) == "  ab"


@pytest.mark.parametrize(
    "text",
    ["GET /users/{id}.roles[].name", "billing", "a <b>bold</b> word, <token> and <br/>", "x < 3 | y > 2", "string|integer?",
     "array<string>", "items[0]", "a [note]", "left || right", "x<y|z>w"],
)  # fmt: skip
def test_other_text_is_as_it_was(text: str) -> None:
    """Prompts are those that the adapter was trained on."""
    assert inert(text) == text
    assert cut([f"    {text}  {text}"]) == f"    {text}  {text}"


def test_much_hostile_text_costs_little() -> None:
    """Only the beginning of a text can be shown, so no more of it is looked through."""
    began = time.process_time()
    assert len(inert("<s" * 500_000 + ">" * 500_000)) == 400
    assert time.process_time() - began < 10
