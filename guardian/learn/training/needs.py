"""What a run needs, seen before anything long begins or anything is written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from guardian.errors import UsageError
from guardian.learn.training.presets import Plan, Preset

#: Trackers by the name that transformers has for them, with the package of each.
TRACKERS = {"tensorboard": "tensorboard", "wandb": "wandb", "trackio": "trackio"}


def check_plan(plan: Plan, report_to: Sequence[str] = ()) -> None:
    """See that a plan agrees with itself; needs no extra.

    Raises:
        UsageError: it does not.
    """
    preset = plan.preset
    if plan.env == "workflow" and plan.graph is not None:
        raise UsageError("--graph belongs to the contract environment")
    if preset.batch * preset.accumulation % preset.group:
        raise UsageError(
            f"a batch of {preset.batch} x {preset.accumulation} is no multiple of groups of {preset.group}"
        )
    if preset.answer >= preset.window:
        raise UsageError(
            f"an answer of {preset.answer} tokens leaves no room for the question in a conversation of {preset.window}",
            hint=f"--answer {preset.window // 8}",
        )
    if not 0 < preset.rate < math.inf:
        raise UsageError(f"at a learning rate of {preset.rate:g} nothing is learned", hint="--rate 2e-5")
    unknown = [name for name in report_to if name not in TRACKERS]
    if unknown:
        raise UsageError(f"there is no tracker {unknown[0]}", hint=f"there are {', '.join(TRACKERS)}")


def check_machine(preset: Preset, report_to: Sequence[str] = ()) -> None:
    """See that the machine and what is installed on it are of the preset's kind; torch is there.

    Raises:
        UsageError: they are not.
    """
    for name in report_to:
        if not find_spec(TRACKERS[name]):
            raise UsageError(f"the tracker {name} is not installed", hint=f"pip install {TRACKERS[name]}")
    if preset.name == "cpu":
        return
    import torch

    if not torch.accelerator.is_available():
        raise UsageError(
            f"the preset {preset.name} needs a GPU, and torch finds none",
            hint="--preset cpu, with a small --base; or install the torch of this machine's GPU",
        )
    if preset.four_bit and not find_spec("bitsandbytes"):
        raise UsageError(f"the preset {preset.name} loads the base in 4-bit", hint="pip install bitsandbytes")
    if preset.vllm and not find_spec("vllm"):
        raise UsageError(f"the preset {preset.name} generates by vLLM", hint="pip install 'trl[vllm]'")


def check_base(base: str) -> None:
    """See that there is a base model of this name that can hold a conversation; its weights are not read.

    Raises:
        UsageError: there is not.
    """
    from transformers import AutoConfig, AutoTokenizer

    if _is_path(base) and not Path(base).is_dir():
        raise no_base(base, FileNotFoundError("there is no such folder"))
    try:
        AutoConfig.from_pretrained(base)
        tokenizer: Any = AutoTokenizer.from_pretrained(base)
    except (OSError, ValueError) as error:
        raise no_base(base, error) from None
    if not tokenizer.chat_template:
        raise UsageError(
            f"the base model {base} has no chat template", hint="take one that is trained to chat, an -Instruct"
        )


def _is_path(base: str) -> bool:
    """Whether it can only be a path: names on a hub are ``name`` or ``owner/name``."""
    return base.startswith((".", "/", "~")) or base.count("/") > 1 or "\\" in base


def no_base(base: str, error: Exception) -> UsageError:
    """That a base model cannot be loaded, and what there could be instead."""
    why = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".:")
    return UsageError(
        f"the base model {base} cannot be loaded: {why}",
        hint="--base takes a folder with config.json, tokenizer and weights; the name of a model on a hub that this "
        "machine reaches; or smollm2",
    )
