"""Everything that touches torch, transformers, PEFT and TRL before a run: threads, weights, adapters, arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from guardian.adapter.weights import title_of
from guardian.errors import UsageError
from guardian.learn.training.needs import check_base, check_machine, no_base
from guardian.learn.training.presets import Plan, Preset

Json = dict[str, Any]

#: Every linear layer of the llama family (Qwen, SmolLM), by the names that unsloth wants instead of "all-linear".
_LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def prepare(plan: Plan, report_to: Sequence[str] = ()) -> None:
    """Settings that count only before torch is imported, and then all that can be seen before weights are loaded.

    Raises:
        UsageError: the extra ``train`` is not installed, or the machine, a tracker or the base model is not there.
    """
    preset = plan.preset
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")  # rollout_func is experimental; its version is pinned
    if preset.name == "cpu":
        # Spinning threads starve one another as soon as anything else runs on the machine.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        os.environ.setdefault("OMP_NUM_THREADS", str(preset.threads or 1))
    missing = [name for name in ("torch", "datasets", "peft", "trl") if not find_spec(name)]
    if missing:
        raise UsageError(f"guardian train needs {missing[0]}", hint="pip install 'contract-guardian[train]'")
    check_machine(preset, report_to)
    if by_unsloth(preset):
        import_module("unsloth")  # it patches what is imported after it
    try:
        import datasets  # noqa: F401
        import peft  # noqa: F401
        import trl  # noqa: F401
    except ImportError as error:
        raise UsageError(f"guardian train needs {error.name}", hint="pip install 'contract-guardian[train]'") from None
    check_base(plan.base)


def by_unsloth(preset: Preset) -> bool:
    """Whether unsloth loads the model: where it is installed, on one GPU that also generates.

    It brings a vLLM of its own, which TRL does not know how to give new weights, so presets with vLLM do without it.
    """
    alone = int(os.environ.get("WORLD_SIZE", "1")) == 1
    return preset.name != "cpu" and not preset.vllm and alone and find_spec("unsloth") is not None


def load(plan: Plan) -> tuple[Any, Any]:
    """The base model with a fresh LoRA adapter, and its tokenizer.

    Raises:
        UsageError: its weights cannot be read.
    """
    try:
        model, tokenizer = _loaded_by_unsloth(plan) if by_unsloth(plan.preset) else _loaded(plan)
    except OSError as error:
        raise no_base(plan.base, error) from None
    tokenizer.padding_side = "left"
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return model, tokenizer


def _loaded_by_unsloth(plan: Plan) -> tuple[Any, Any]:
    fast = import_module("unsloth").FastLanguageModel
    import_module("transformers").set_seed(plan.seed)
    preset = plan.preset
    # Its own choice of dtype is bfloat16 wherever the device has it.
    model, tokenizer = fast.from_pretrained(
        model_name=plan.base, max_seq_length=preset.window, dtype=None, load_in_4bit=preset.four_bit
    )
    model = fast.get_peft_model(
        model,
        r=plan.rank,
        lora_alpha=plan.alpha,
        lora_dropout=0,
        bias="none",
        target_modules=list(_LINEAR),
        use_gradient_checkpointing="unsloth" if preset.recompute else False,
        random_state=plan.seed,
    )
    return model, tokenizer


def _loaded(plan: Plan) -> tuple[Any, Any]:
    import torch
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
    from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed

    set_seed(plan.seed)
    preset = plan.preset
    tokenizer = AutoTokenizer.from_pretrained(plan.base)
    quantised: Json = {}
    if preset.four_bit:
        from transformers import BitsAndBytesConfig

        quantised["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
        )
    if preset.name != "cpu":
        quantised["device_map"] = {"": int(os.environ.get("LOCAL_RANK", "0"))}
    model = AutoModelForCausalLM.from_pretrained(plan.base, dtype=getattr(torch, preset.dtype), **quantised)
    if preset.four_bit:
        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=preset.recompute)
    lora = LoraConfig(r=plan.rank, lora_alpha=plan.alpha, target_modules="all-linear", task_type="CAUSAL_LM")
    return get_peft_model(model, lora), tokenizer


def load_adapter(model: Any, folder: Path) -> None:
    """Put saved LoRA weights into a PEFT model."""
    from peft import load_peft_weights, set_peft_model_state_dict

    set_peft_model_state_dict(model, load_peft_weights(str(folder), device=str(next(model.parameters()).device)))


def arguments(plan: Plan, report_to: tuple[str, ...], combined: str) -> Any:
    """TRL's settings of a run."""
    from trl import GRPOConfig

    preset = plan.preset
    os.environ.setdefault("TENSORBOARD_LOGGING_DIR", str(plan.output / "tensorboard"))
    cpu = preset.name == "cpu"
    vllm: Json = {}
    if preset.vllm:
        vllm = {
            "use_vllm": True,
            "vllm_mode": preset.vllm,
            "vllm_max_model_length": preset.window,
        }
        if preset.vllm == "colocate":
            vllm |= {"vllm_gpu_memory_utilization": preset.vllm_memory, "vllm_enable_sleep_mode": True}
    return GRPOConfig(
        output_dir=str(plan.output / "checkpoints"),
        max_steps=plan.steps,
        per_device_train_batch_size=preset.batch,
        gradient_accumulation_steps=preset.accumulation,
        num_generations=preset.group,
        max_completion_length=preset.answer,
        learning_rate=preset.rate,
        lr_scheduler_type="constant",
        temperature=1.0,
        beta=0.0,
        multi_objective_aggregation=combined,
        shuffle_dataset=False,  # the course is in order, and balanced
        use_cpu=cpu,
        bf16=not cpu,
        gradient_checkpointing=preset.recompute,
        dataloader_pin_memory=False,
        ddp_find_unused_parameters=False,
        logging_steps=1,
        save_steps=plan.save_every,
        save_total_limit=2,
        report_to=list(report_to) or "none",
        run_name=plan.output.name,
        seed=plan.seed,
        disable_tqdm=True,
        remove_unused_columns=False,
        **vllm,
    )


def export_adapter(source: Path, target: Path, plan: Plan) -> None:
    """An adapter as it is kept and served: its two files, the weights in bf16, which halves them."""
    import torch
    from safetensors.torch import load_file, save_file  # type: ignore[import-not-found, unused-ignore]

    target.mkdir(parents=True, exist_ok=True)
    weights = {
        name: value.to(torch.bfloat16) for name, value in load_file(source / "adapter_model.safetensors").items()
    }
    save_file(weights, target / "adapter_model.safetensors", metadata={"format": "pt"})
    (target / "adapter_model.safetensors").chmod(0o644)  # it is written for its owner alone
    settings = json.loads((source / "adapter_config.json").read_text(encoding="utf-8"))
    settings["base_model_name_or_path"] = title_of(plan.base)
    (target / "adapter_config.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
