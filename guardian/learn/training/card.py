"""The model card: what the adapter is, the data and the command that made it, what it scores, and what it is not."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from statistics import fmean
from typing import Any

from guardian import __version__
from guardian.adapter.weights import MODELS, title_of
from guardian.learn.training.curriculum import LEVELS, SEEDS, Course
from guardian.learn.training.episodes import tasks_of
from guardian.learn.training.presets import PRESETS, Plan

Json = dict[str, Any]
_PARTS = ("torch", "transformers", "trl", "peft", "accelerate", "datasets", "vllm", "unsloth", "bitsandbytes")
_MEAN_OF = 10  # steps at either end of training

# What `guardian train` calls what a plan or its preset may have otherwise.
_PRESET_FLAGS = {
    "batch": "--batch",
    "group": "--group",
    "answer": "--answer",
    "rate": "--rate",
    "warm_steps": "--warm-steps",
    "warm_batch": "--warm-batch",
}
_PLAN_FLAGS = {
    "evaluate_every": "--evaluate-every",
    "evaluate_episodes": "--evaluate-episodes",
    "save_every": "--save-every",
}


def command(plan: Plan) -> str:
    """The command that makes this run: every setting that is not the default."""
    named = {model.title: name for name, model in MODELS.items()}
    base = title_of(plan.base)
    processes = _processes()
    words = ["guardian", "train"]
    if processes > 1:
        words = ["accelerate", "launch", "--num_processes", str(processes), "-m", *words]
    words += ["--env", plan.env, "--base", named.get(base, base), "--preset", plan.preset.name]
    words += ["--steps", str(plan.steps), "--seed", str(plan.seed), "--output", plan.output.name]
    if plan.tasks != tasks_of(plan.env):
        words += ["--tasks", ",".join(plan.tasks)]
    if plan.graph:
        words += ["--graph", plan.graph.name]
    if not plan.separate:
        words += ["--sum"]
    usual = PRESETS.get(plan.preset.name)
    for name, flag in _PRESET_FLAGS.items():
        value = getattr(plan.preset, name)
        if usual is None or value != getattr(usual, name):
            words += [flag, f"{value:g}"]
    fields = Plan.__dataclass_fields__
    for name, flag in _PLAN_FLAGS.items():
        value = getattr(plan, name)
        if value != fields[name].default:
            words += [flag, str(value)]
    return shlex.join(words)


def model_card(plan: Plan, lines: Sequence[Json], steps: int, took_s: float) -> str:
    """The card in Markdown, with the metadata that model hubs read.

    Args:
        plan: of the run.
        lines: its metrics.
        steps: how many gradient steps were made.
        took_s: seconds of the last part of the run.
    """
    found = [
        "---",
        f"base_model: {title_of(plan.base)}",
        "library_name: peft",
        "pipeline_tag: text-generation",
        "license: apache-2.0",
        "tags: [openapi, grpo, lora]",
        "---",
        "",
        f"# Contract guardian adapter ({plan.env})",
        "",
        (
            f"A LoRA adapter (r={plan.rank}, alpha={plan.alpha}, all linear layers) of `{title_of(plan.base)}`, trained by reinforcement "
            "learning in the environment whose rubric is the gate's own engine."
        ),
        "",
        *_data(plan),
        *_made(plan, lines, steps, took_s),
        *_results(lines),
        "## Use",
        "",
        "    guardian model serve ADAPTER",
        "    guardian check --model http://127.0.0.1:8000/v1",
        "",
        (
            "What it says is a hint: what the engine does not confirm stays advice, and nothing that it says lowers a verdict. It was trained "
            "on generated episodes alone, in English; real specifications are longer. The base model's licence applies to the base model."
        ),
    ]
    return "\n".join(found) + "\n"


def _data(plan: Plan) -> list[str]:
    preset, processes = plan.preset, _processes()
    draws = Course(plan.tasks, plan.steps * preset.draws * processes, plan.seed).draws()
    levels = ", ".join(f"{sum(draw.difficulty == level for draw in draws)} {level}" for level in LEVELS)
    company = f"the company of `{plan.graph.name}`" if plan.graph else "companies that the environment generates"
    return [
        "## Data",
        "",
        f"- Nobody's data: episodes in {company}, made from their seeds and judged by the engine.",
        f"- Tasks: {', '.join(plan.tasks)}.",
        f"- {len(draws)} different episodes ({levels}), each played {preset.group} times; every task as often as the others.",
        f"- Training draws seeds below {SEEDS:,}; evaluation draws seeds above{_apart(plan)}.",
        "",
    ]


def _apart(plan: Plan) -> str:
    if plan.env == "workflow":
        return ""
    if plan.graph:
        return ", and in the same company scenarios that training does not play, as far as there are enough"
    return ", and names of services and fields that training does not use"


def _made(plan: Plan, lines: Sequence[Json], steps: int, took_s: float) -> list[str]:
    preset = plan.preset
    warm = [each for each in lines if each.get("phase") == "warm start"]
    stopped = next((each for each in lines if each.get("phase") == "stop"), None)
    weights = f"{preset.dtype}{', 4-bit (NF4)' if preset.four_bit else ''}"
    end = f", stopped early by {stopped['why']}" if stopped else "" if steps >= plan.steps else ", interrupted"
    return [
        "## How it was made",
        "",
        f"    {command(plan)}",
        "",
        f"- Warm start: {len(warm)} supervised steps of {preset.warm_batch} episodes played by the engine, learning rate {preset.warm_rate:g}"
        + (f", entropy {warm[0]['entropy']:.2f} to {warm[-1]['entropy']:.2f} nats." if warm else "."),
        (
            f"- GRPO: {steps} of {plan.steps} steps{end}; {preset.draws * _processes()} seeds a step in groups of {preset.group}, learning rate "
            f"{preset.rate:g}, {'each signal normalised by itself' if plan.separate else 'the signals summed'}, base in {weights}; "
            f"the last part took {took_s / 60:.0f} minutes."
        ),
        f"- Versions: {', '.join(_versions())}.",
        "",
    ]


def _results(lines: Sequence[Json]) -> list[str]:
    found: list[str] = []
    evaluations = [each for each in lines if each.get("phase") == "evaluation"]
    if evaluations:
        kept = max(evaluations, key=lambda each: (each["mean"], each["step"]))
        found += [
            "## Held-out scores during training",
            "",
            f"Mean of the tasks' scores, greedy, easy episodes. The adapter is that of step {kept['step']}.{_shared(kept)}",
            "",
            "| step | mean |",
            "| --- | --- |",
            *(f"| {each['step']} | {each['mean']:.3f} |" for each in evaluations),
            "",
        ]
        first = evaluations[0]
        tasks = kept.get("tasks") or {}
        if tasks:
            found += [f"| task | step {first['step']} | step {kept['step']} |", "| --- | --- | --- |"]
            found += [f"| {name} | {first['tasks'].get(name, 0.0):.3f} | {tasks[name]:.3f} |" for name in sorted(tasks)]
            found += [""]
    trained = [each for each in lines if each.get("phase") == "train"]
    if trained:
        begin, end = (fmean(each["reward"] for each in part) for part in (trained[:_MEAN_OF], trained[-_MEAN_OF:]))
        found += [
            (
                f"Return of the sampled training episodes, as a share of the perfect player's: {begin:.3f} in the first "
                f"{min(_MEAN_OF, len(trained))} steps, {end:.3f} in the last. The curve by task and signal is `reward_curve.png` of the run."
            ),
            "",
        ]
    return found


def _shared(evaluation: Json) -> str:
    count = evaluation.get("in_training")
    return f" {count} of the episodes may be among training's: the company has too few others." if count else ""


def _processes() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


def _versions() -> list[str]:
    found = [f"guardian {__version__}", f"Python {platform.python_version()}"]
    for name in _PARTS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return found
