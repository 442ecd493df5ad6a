"""``guardian train``: reinforcement learning on the graph that the gate checks."""

from __future__ import annotations

import os
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from guardian.cli.app import new_app
from guardian.cli.given import names_of
from guardian.cli.output import remark, write_stderr, write_stdout
from guardian.errors import UsageError

app = new_app()

INTERRUPTED = 130


class EnvName(StrEnum):
    """The environments."""

    CONTRACT = "contract"
    WORKFLOW = "workflow"


class PresetName(StrEnum):
    """Kinds of machines."""

    CPU = "cpu"
    L4 = "l4"
    H100 = "h100"


@app.command()
def train(
    env: Annotated[EnvName, typer.Option(help="Which environment.")] = EnvName.CONTRACT,
    base: Annotated[
        str, typer.Option(help="The base model: a folder, a name, or smollm2.")
    ] = "Qwen/Qwen2.5-7B-Instruct",
    steps: Annotated[int, typer.Option(min=1, help="Gradient steps.")] = 300,
    preset: Annotated[PresetName, typer.Option(help="The kind of machine.")] = PresetName.L4,
    tasks: Annotated[str, typer.Option(help="Tasks or scenarios, joined by commas; all where not given.")] = "",
    graph: Annotated[Path | None, typer.Option(help="contract: train in the company of this guardian.yaml.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is drawn.")] = 0,
    output: Annotated[Path, typer.Option(help="The folder of the run.")] = Path("training"),
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run that lies in the folder.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and the first prompts; load no weights.")
    ] = False,
    summed: Annotated[
        bool, typer.Option("--sum", help="Reward the sum of the signals instead of each by itself.")
    ] = False,
    batch: Annotated[int | None, typer.Option(min=1, help="Sequences of one forward pass.")] = None,
    group: Annotated[int | None, typer.Option(min=2, help="Episodes that are compared with one another.")] = None,
    answer: Annotated[int | None, typer.Option(min=16, help="Tokens of one answer, at most.")] = None,
    rate: Annotated[float | None, typer.Option(min=0, help="Learning rate.")] = None,
    warm_steps: Annotated[int | None, typer.Option(min=0, help="Steps of the warm start; 0 for none.")] = None,
    warm_batch: Annotated[int | None, typer.Option(min=1, help="Episodes of a step of the warm start.")] = None,
    evaluate_every: Annotated[int, typer.Option(min=0, help="Steps between held-out evaluations; 0: none.")] = 25,
    evaluate_episodes: Annotated[int, typer.Option(min=1, help="Episodes of each task then.")] = 2,
    save_every: Annotated[int, typer.Option(min=1, help="Steps between checkpoints.")] = 10,
    report_to: Annotated[list[str] | None, typer.Option(help="tensorboard, wandb or trackio (repeatable).")] = None,
    push: Annotated[str | None, typer.Option(help="Upload the adapter to this repository of a model hub.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Train a LoRA adapter by GRPO on whole episodes of an environment; the rewards are its rubrics."""
    from guardian.learn.training.episodes import tasks_of
    from guardian.learn.training.presets import PRESETS, Plan

    known = tasks_of(env.value)
    chosen = names_of(tasks) or known
    unknown = sorted(set(chosen) - set(known))
    if unknown:
        raise UsageError(f"there is no task {unknown[0]}", hint=f"there are {', '.join(known)}")
    given: dict[str, Any] = {
        "batch": batch,
        "group": group,
        "answer": answer,
        "rate": rate,
        "warm_steps": warm_steps,
        "warm_batch": warm_batch,
    }
    machine = replace(PRESETS[preset.value], **{key: value for key, value in given.items() if value is not None})
    plan = Plan(
        env.value, chosen, base, steps, seed, output, machine, graph, not summed, evaluate_every, evaluate_episodes,
        save_every,
    )  # fmt: skip
    from guardian.learn.training.needs import check_plan
    from guardian.learn.training.run import describe

    check_plan(plan, report_to or ())
    plan = replace(plan, base=_base(base))
    if dry_run:
        write_stdout(describe(plan))
        return
    if push:
        from guardian.learn.training.hub import check_upload

        check_upload(push)
    main = os.environ.get("RANK", "0") == "0"

    def tell(step: str) -> None:
        if main and not quiet:
            write_stderr(step)

    from guardian.learn.training.run import train as run

    try:
        adapter = run(plan, resume=resume, tell=tell, report_to=tuple(report_to or ()))
    except KeyboardInterrupt:
        remark("warning", f"interrupted; --resume --output {output} goes on from here")
        raise typer.Exit(INTERRUPTED) from None
    if push:
        from guardian.learn.training.hub import upload

        upload(adapter, push)
    if main:
        remark("info", f"the adapter is in {adapter}")


def _base(name: str) -> str:
    """A packaged model by its short name, else as it is."""
    from guardian.adapter.weights import MODELS, fetch

    return str(fetch(name)) if name in MODELS else name
