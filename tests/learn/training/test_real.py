"""Real runs of a few steps with a model of a few thousand weights: needs the extra ``train`` (make test-train)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from guardian.errors import UsageError
from guardian.learn.training.episodes import maker, tasks_of
from guardian.learn.training.presets import PRESETS, Plan
from guardian.learn.training.run import train

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]

TASKS = ("find_type_mismatches", "multi_service_cascade_fix")


def _prompts() -> list[str]:
    """Some of what there is to read, so that it is read in a quarter of the tokens."""
    episodes = [maker(env)(task, 1, "easy") for env in ("contract", "workflow") for task in tasks_of(env)]
    return [each["content"] for episode in episodes for each in episode.question()]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A llama of two narrow layers, with a tokenizer made of the environments' own prompts and a ChatML template."""
    torch = pytest.importorskip("torch")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("base")
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.train_from_iterator(
        _prompts(),
        trainers.BpeTrainer(
            vocab_size=1024,
            special_tokens=["<|im_start|>", "<|im_end|>"],
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        ),
    )
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|im_end|>", bos_token="<|im_start|>"
    )
    tokenizer.chat_template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=raw.get_vocab_size(), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        max_position_embeddings=16384, eos_token_id=1, pad_token_id=1, bos_token_id=0,
    )  # fmt: skip
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _plan(base: Path, output: Path, **changes: Any) -> Plan:
    """Three steps of one group of two."""
    preset = replace(PRESETS["cpu"], batch=2, accumulation=1, group=2, answer=16, warm_steps=1, warm_batch=2)
    plan = Plan("contract", TASKS, str(base), 3, 0, output, preset, evaluate_every=2, evaluate_episodes=1, save_every=1)
    return replace(plan, **changes)


def _told(folder: Path) -> list[dict[str, Any]]:
    """metrics.jsonl without what a clock says."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{key: value for key, value in line.items() if key not in ("time_s", "step_time")} for line in lines]


def _interrupting(at: str) -> Callable[[str], None]:
    """Presses Ctrl-C when a step is told."""

    def tell(step: str) -> None:
        if step.startswith(at):
            os.kill(os.getpid(), signal.SIGINT)

    return tell


def test_a_continued_run_gives_the_same_curve(base: Path, tmp_path: Path) -> None:
    """Ctrl-C saves, --resume continues: metrics and adapter are those of a run that nobody interrupted."""
    from safetensors.torch import load_file

    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train(_plan(base, whole))
    with pytest.raises(KeyboardInterrupt):
        train(_plan(base, parts), tell=_interrupting("step 1/3"))
    assert [each["step"] for each in _told(parts) if each["phase"] == "train"] == [1]
    train(_plan(base, parts), resume=True)
    assert _told(parts) == _told(whole)
    one, other = (load_file(folder / "final" / "adapter_model.safetensors") for folder in (whole, parts))
    assert one.keys() == other.keys()
    assert all((one[name] == other[name]).all() for name in one)


def test_a_run_leaves_what_was_promised(base: Path, tmp_path: Path) -> None:
    """Adapter, metrics, curve, card and checkpoints; the adapter names no folder of this machine; the warm start learned."""
    adapter = train(_plan(base, tmp_path, steps=1, evaluate_every=1, separate=False), report_to=())
    names = {"metrics.jsonl", "reward_curve.csv", "reward_curve.png", "README.md", "checkpoints", "adapter"}
    assert names <= {each.name for each in tmp_path.iterdir()}
    assert {each.name for each in adapter.iterdir()} == {
        "adapter_config.json",
        "adapter_model.safetensors",
        "README.md",
    }
    told = _told(tmp_path)
    assert [each["phase"] for each in told].count("evaluation") == 1
    columns = (tmp_path / "reward_curve.csv").read_text(encoding="utf-8").splitlines()
    assert len(columns) == 2
    with pytest.raises(UsageError, match="lies there already"):
        train(_plan(base, tmp_path, steps=1, evaluate_every=1, separate=False))


def test_two_processes_train_together(base: Path, tmp_path: Path) -> None:
    """``accelerate launch`` on two processes: the episodes of both are counted, one of them writes."""
    command = [
        sys.executable, "-m", "accelerate.commands.launch", "--num_processes", "2", "--num_machines", "1", "--multi_gpu",
        "--mixed_precision", "no", "--dynamo_backend", "no", "--main_process_port", "0", "-m", "guardian", "train", "--preset", "cpu",
        "--base", str(base), "--steps", "1", "--batch", "2", "--group", "2", "--answer", "16", "--warm-steps", "1",
        "--warm-batch", "1", "--evaluate-every", "0", "--tasks", ",".join(TASKS), "--output", str(tmp_path / "run"),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    steps = [each for each in _told(tmp_path / "run") if each["phase"] == "train"]
    assert [each["step"] for each in steps] == [1]
    assert (tmp_path / "run" / "adapter" / "adapter_model.safetensors").is_file()


def test_the_workflow_environment_trains_too(base: Path, tmp_path: Path) -> None:
    """Conversations of many turns, one action an answer."""
    plan = _plan(base, tmp_path, env="workflow", tasks=("it_incident",), steps=1, evaluate_every=0)
    train(replace(plan, preset=replace(plan.preset, warm_batch=1)))
    step = next(each for each in _told(tmp_path) if each["phase"] == "train")
    assert step["signal/malformed"] < 0


def test_the_notebook_runs_from_top_to_bottom(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every code cell, in order, with tiny settings."""
    notebook = Path(__file__).resolve().parents[3] / "docs" / "training" / "notebook.ipynb"
    monkeypatch.setenv("GUARDIAN_TINY", "1")
    monkeypatch.setenv("GUARDIAN_BASE", str(base))
    monkeypatch.setenv("GUARDIAN_OUTPUT", str(tmp_path / "run"))
    names: dict[str, Any] = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), str(notebook), "exec"), names)
    assert (tmp_path / "run" / "before_after.png").is_file()
    assert (tmp_path / "run" / "adapter" / "adapter_config.json").is_file()
