"""What a run is: its plan, and what each kind of machine needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

Json = dict[str, Any]

BASE = "Qwen/Qwen2.5-7B-Instruct"


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of machine.

    Attributes:
        dtype: of the base model's weights; LoRA's own are float32.
        four_bit: load the base model in 4-bit (NF4), QLoRA's way.
        batch: sequences of one forward pass on one device.
        accumulation: passes before a gradient step.
        group: episodes of the same seed, which are compared with one another.
        answer: tokens of one answer, at most.
        window: tokens of a whole conversation, at most; what vLLM reserves memory for.
        vllm: ``colocate``, ``server``, or generation by transformers where empty.
        vllm_memory: share of the device's memory for vLLM.
        recompute: gradient checkpointing, which trades time for memory.
        warm_steps: gradient steps of the warm start, ``warm_batch`` episodes each.
        threads: of torch on a CPU; 0 for its own choice.
    """

    name: str
    dtype: str
    four_bit: bool
    batch: int
    accumulation: int
    group: int
    answer: int
    window: int
    rate: float
    vllm: str
    vllm_memory: float
    recompute: bool
    warm_steps: int
    warm_batch: int
    warm_rate: float
    threads: int = 0

    @property
    def draws(self) -> int:
        """Episodes' seeds of one gradient step on one device."""
        return self.batch * self.accumulation // self.group


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            Preset("cpu", "bfloat16", False, 2, 4, 4, 512, 4096, 1e-4, "", 0.0, False, 16, 4, 8e-4, 2),
            Preset("l4", "bfloat16", True, 2, 16, 8, 512, 6144, 2e-5, "", 0.0, True, 10, 8, 1e-4),
            Preset("h100", "bfloat16", False, 8, 8, 8, 512, 6144, 2e-5, "colocate", 0.3, True, 10, 16, 1e-4),
        )
    }
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A training run, whole.

    Attributes:
        base: a folder or the name of a model.
        separate: each rubric signal is a reward function of its own, normalised by itself; else their sum is.
        evaluate_every: steps between evaluations on held-out seeds; 0 for none.
        evaluate_episodes: of each task at such an evaluation.
        patience: logged steps of collapse in a row, after which the run ends.
    """

    env: str
    tasks: tuple[str, ...]
    base: str
    steps: int
    seed: int
    output: Path
    preset: Preset
    graph: Path | None = None
    separate: bool = True
    evaluate_every: int = 25
    evaluate_episodes: int = 2
    save_every: int = 10
    patience: int = 10
    entropy_floor: float = 0.02
    warm_entropy_floor: float = 0.12
    rank: int = 16
    alpha: int = 32

    def to_json(self) -> Json:
        """As plain data; paths as they were given."""
        found = asdict(self)
        found["output"] = str(self.output)
        found["graph"] = str(self.graph) if self.graph else None
        found["tasks"] = list(self.tasks)
        return found

    @property
    def identity(self) -> Json:
        """What a continued run must have in common with the run that it continues."""
        apart = {"output", "save_every", "patience"}
        return {key: value for key, value in self.to_json().items() if key not in apart}
