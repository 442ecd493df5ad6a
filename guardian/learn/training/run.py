"""The run: base model, warm start, GRPO on episodes, evaluation on held-out seeds, the best adapter kept."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardian.errors import UsageError
from guardian.learn import apart, folders
from guardian.learn.training import card, loading
from guardian.learn.training.chat import Chat
from guardian.learn.training.curriculum import Course
from guardian.learn.training.episodes import ContractEpisode, Make, maker, signals_of
from guardian.learn.training.generation import by_transformers
from guardian.learn.training.keeping import newest_checkpoint, step_of
from guardian.learn.training.metrics import Metrics, told, write_curve
from guardian.learn.training.needs import check_plan
from guardian.learn.training.presets import Plan
from guardian.learn.training.rewards import aggregation, reward_functions
from guardian.learn.training.rollout import Draw, Trajectory, by_trl, rollout
from guardian.learn.training.warmstart import demonstrations, warm_start

if TYPE_CHECKING:
    from guardian.learn.training.callbacks import Watch

Json = dict[str, Any]
Tell = Callable[[str], None]

#: Warm-start episodes are drawn from a course of its own.
_WARM_SEED = 7_919


def train(plan: Plan, *, resume: bool = False, tell: Tell = lambda step: None, report_to: tuple[str, ...] = ()) -> Path:
    """Train, and give the folder of the adapter.

    Args:
        resume: continue what lies in the plan's output folder.
        tell: is told, in words, how far it is.
        report_to: trackers of transformers: ``tensorboard``, ``wandb``, ``trackio``.

    Raises:
        UsageError: the plan does not agree with itself, something that it needs is not there, the folder holds another
            run, or nothing to resume. Nothing was written then.
        KeyboardInterrupt: it was interrupted; what there was is saved.
    """
    check_plan(plan, report_to)
    output = plan.output
    checkpoint = _start(plan, resume=resume)
    make = _maker(plan)
    loading.prepare(plan, report_to)
    tell("loading the base model")
    model, tokenizer = loading.load(plan)
    if _is_main():
        folders.mark_training(output, plan.identity)
    metrics = Metrics(output, step_of(checkpoint) if checkpoint else 0, writes=_is_main())
    if checkpoint is None and _is_main():
        shutil.rmtree(output / "best", ignore_errors=True)  # of an attempt that came to no checkpoint
    warmed = output / "warmstart"
    if checkpoint is None and plan.preset.warm_steps:
        if (warmed / "adapter_config.json").is_file():
            loading.load_adapter(model, warmed)
        else:
            _warm(plan, model, tokenizer, make, metrics, tell)
            if _is_main():
                part = output / "warmstart.part"
                model.save_pretrained(part)
                part.rename(warmed)  # whole or not at all: an interrupted run and other processes look for it
    trainer, watch = _trainer(plan, model, tokenizer, make, metrics, tell, report_to)
    started = time.monotonic()
    try:
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    finally:
        if trainer.accelerator.is_main_process:
            _finish(plan, trainer, metrics, time.monotonic() - started)
    if watch.interrupted:
        raise KeyboardInterrupt
    return output / "adapter"


def _is_main() -> bool:
    """Whether this is the process that writes, of those that a launcher started."""
    return os.environ.get("RANK", "0") == "0"


def _start(plan: Plan, *, resume: bool) -> Path | None:
    """The checkpoint to continue from, if any, in a folder that is this plan's or free."""
    folders.check_training(plan.output, plan.identity, resume=resume)
    found = newest_checkpoint(plan.output / "checkpoints")
    if found is not None and not resume:
        raise UsageError("a run lies there already", file=str(plan.output), hint="--resume continues it")
    return found


def _maker(plan: Plan, split: str = apart.TRAIN) -> Make:
    """What makes the plan's episodes; in a user's company those of evaluation are none of training's.

    Raises:
        UsageError: the company has nothing to make a task of.
        GuardianError: it cannot be read.
    """
    if plan.graph is None:
        return maker(plan.env, split=split)
    scenarios = apart.ApartScenarios(plan.graph, split)
    apart.check_material(scenarios, plan.tasks, "easy")
    return lambda task, seed, difficulty: ContractEpisode(scenarios, task, seed, difficulty)


def _warm(plan: Plan, model: Any, tokenizer: Any, make: Make, metrics: Metrics, tell: Tell) -> None:
    preset = plan.preset
    tell("warm start: playing the engine's episodes")
    course = Course(plan.tasks, preset.warm_steps * preset.warm_batch, plan.seed + _WARM_SEED, until=(0.6, 1.0))
    shown = demonstrations(course.draws(), make, Chat(tokenizer))

    def heard(line: Json) -> None:
        metrics.add(line)
        tell(f"warm start: step {line['step']}, loss {line['loss']:.3f}, entropy {line['entropy']:.3f}")

    warm_start(
        model, shown, steps=preset.warm_steps, batch=preset.warm_batch, rate=preset.warm_rate,
        floor=plan.warm_entropy_floor, tell=heard, pad=tokenizer.pad_token_id, micro=min(4, preset.batch),
    )  # fmt: skip


def _trainer(
    plan: Plan, model: Any, tokenizer: Any, make: Make, metrics: Metrics, tell: Tell, report_to: tuple[str, ...]
) -> tuple[Any, Watch]:
    from accelerate.utils import gather_object
    from datasets import Dataset
    from transformers import PrinterCallback
    from trl import GRPOTrainer

    from guardian.learn.training.callbacks import Watch

    signals = signals_of(plan.env)
    arguments = loading.arguments(plan, report_to, aggregation(separate=plan.separate))
    draws = Course(plan.tasks, plan.steps * plan.preset.draws * arguments.world_size, plan.seed).draws()
    shared = in_training(plan)
    if shared:
        tell(f"held out: {shared} of {len(held_out(plan))} episodes may be among training's, the company has too few")
    watch = Watch(plan, metrics, held_out(plan), _maker(plan, apart.HELD_OUT), tokenizer, tell, shared)

    def seen(played: list[Trajectory]) -> None:
        watch.played(gather_object(told(played)))

    by = by_trl if plan.preset.vllm or loading.by_unsloth(plan.preset) else by_transformers
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward_functions(signals, separate=plan.separate),
        args=arguments,
        processing_class=tokenizer,
        rollout_func=rollout(make, signals, seen, by),
        train_dataset=Dataset.from_list([{"prompt": draw.line()} for draw in draws]),
        callbacks=[watch],
    )
    trainer.remove_callback(PrinterCallback)  # the run tells its own progress
    return trainer, watch


def held_out(plan: Plan) -> list[Draw]:
    """The episodes that the run evaluates itself on; no training run and no ``guardian eval --seed 0`` plays them."""
    if plan.env == "workflow":
        from guardian.learn.workflow.curriculum import held_out_seeds

        seeds = list(held_out_seeds(plan.evaluate_episodes, 9))
    else:
        from guardian.learn.evaluate import episode_seed

        seeds = [episode_seed(9, index) for index in range(plan.evaluate_episodes)]
    return [Draw(task, seed, "easy") for task in plan.tasks for seed in seeds]


def in_training(plan: Plan) -> int:
    """How many of those training may play too: none, but in a user's company that has too few of a task."""
    if plan.graph is None or not plan.evaluate_every:
        return 0
    scenarios = apart.ApartScenarios(plan.graph, apart.HELD_OUT)
    return sum(scenarios.in_training(draw.task, draw.seed, draw.difficulty) for draw in held_out(plan))


def _finish(plan: Plan, trainer: Any, metrics: Metrics, took_s: float) -> None:
    """The best adapter, the curve and the card; also of a run that was interrupted."""
    final = plan.output / "final"
    trainer.save_model(str(final))
    best = plan.output / "best"
    adapter = plan.output / "adapter"
    shutil.rmtree(adapter, ignore_errors=True)
    loading.export_adapter(best if (best / "adapter_config.json").is_file() else final, adapter, plan)
    with contextlib.suppress(FileNotFoundError):
        (final / "training_args.bin").unlink()
    write_curve(metrics.steps(), plan.tasks, signals_of(plan.env), plan.output)
    text = card.model_card(plan, metrics.lines(), trainer.state.global_step, took_s)
    for folder in (plan.output, adapter):
        (folder / "README.md").write_text(text, encoding="utf-8")


def describe(plan: Plan, prompts: int = 3) -> str:
    """What a run would do, and its first prompts; loads no weights.

    Raises:
        UsageError: the company has nothing to make a task of.
        GuardianError: it cannot be read.
    """
    make = _maker(plan)
    preset = plan.preset
    world = int(os.environ.get("WORLD_SIZE", "1"))
    course = Course(plan.tasks, plan.steps * preset.draws * world, plan.seed)
    draws = course.draws()
    counts = {level: sum(draw.difficulty == level for draw in draws) for level in ("easy", "medium", "hard")}
    lines = [
        f"base        {plan.base} ({preset.dtype}{', 4-bit' if preset.four_bit else ''})",
        f"adapter     LoRA r={plan.rank} alpha={plan.alpha} on all linear layers",
        f"environment {plan.env}: {', '.join(plan.tasks)}",
        f"warm start  {preset.warm_steps} steps of {preset.warm_batch} episodes, to an entropy of {plan.warm_entropy_floor}",
        (
            f"GRPO        {plan.steps} steps of {preset.draws * world} seeds in groups of {preset.group}, "
            f"{plan.steps * preset.draws * preset.group * world} episodes ({counts})"
        ),
        (
            f"rewards     {'each signal normalised by itself (GDPO)' if plan.separate else 'sum of the signals'}: "
            f"{', '.join(signals_of(plan.env))}"
        ),
        f"generation  {'vLLM, ' + preset.vllm if preset.vllm else 'transformers'}, {preset.answer} tokens an answer",
        _held_out_line(plan),
        f"output      {plan.output}",
    ]
    for draw in draws[:prompts]:
        episode = make(draw.task, draw.seed, draw.difficulty)
        lines += ["", f"--- {draw.task}, seed {draw.seed}, {draw.difficulty}"]
        lines += [f"[{message['role']}] {message['content']}" for message in episode.question()]
        lines += [f"[the engine] {episode.teacher()}"]
    return "\n".join(lines) + "\n"


def _held_out_line(plan: Plan) -> str:
    if not plan.evaluate_every:
        return "held out    none"
    shared = in_training(plan)
    line = f"held out    {len(held_out(plan))} episodes every {plan.evaluate_every} steps"
    return f"{line}, of which {shared} may be among training's" if shared else line
