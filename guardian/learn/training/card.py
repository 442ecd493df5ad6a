"""The model card: what the adapter is, how it was made, and what it scores."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from guardian.adapter.weights import MODELS, title_of
from guardian.learn.training.presets import Plan

Json = dict[str, Any]
_PARTS = ("torch", "transformers", "trl", "peft", "accelerate", "datasets")


def command(plan: Plan) -> str:
    """The command that makes this run."""
    named = {model.title: name for name, model in MODELS.items()}
    base = title_of(plan.base)
    words = ["guardian", "train", "--env", plan.env, "--base", named.get(base, base), "--preset", plan.preset.name]
    words += ["--steps", str(plan.steps), "--seed", str(plan.seed), "--output", plan.output.name]
    if plan.graph:
        words += ["--graph", str(plan.graph)]
    if not plan.separate:
        words += ["--sum"]
    return shlex.join(words)


def model_card(plan: Plan, lines: Sequence[Json], steps: int, took_s: float) -> str:
    """The card in Markdown, with the metadata that model hubs read."""
    warm = [each for each in lines if each.get("phase") == "warm start"]
    evaluations = [each for each in lines if each.get("phase") == "evaluation"]
    found = [
        "---",
        f"base_model: {title_of(plan.base)}",
        "library_name: peft",
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
        "## How it was made",
        "",
        f"    {command(plan)}",
        "",
        "- Data: episodes that the environment generates; training seeds and vocabularies are apart from evaluation's.",
        f"- Warm start: {len(warm)} supervised steps of {plan.preset.warm_batch} episodes played by the engine"
        + (f", entropy {warm[0]['entropy']:.2f} to {warm[-1]['entropy']:.2f} nats." if warm else "."),
        (
            f"- GRPO: {steps} steps, {plan.preset.draws} seeds in groups of {plan.preset.group}, learning rate {plan.preset.rate:g}, "
            f"{'each signal normalised by itself' if plan.separate else 'the signals summed'}; the last part took {took_s / 60:.0f} minutes."
        ),
        f"- Versions: {', '.join(_versions())}.",
        "",
    ]
    if evaluations:
        found += [
            "## Held-out scores during training",
            "",
            "Mean of the tasks' scores, greedy, easy episodes.",
            "",
            "| step | mean |",
            "| --- | --- |",
        ]
        found += [f"| {each['step']} | {each['mean']:.3f} |" for each in evaluations]
        found += [""]
    found += [
        "## Use",
        "",
        "    guardian model serve ADAPTER",
        "    guardian check --model http://127.0.0.1:8000/v1",
        "",
        "What it says is advice: the gate's verdict never depends on it.",
    ]
    return "\n".join(found) + "\n"


def _versions() -> list[str]:
    found = []
    for name in _PARTS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return found
