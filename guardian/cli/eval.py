"""``guardian eval``: the score table of a policy, and several of them compared."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.given import names_of, refuse
from guardian.cli.output import remark, write_stdout
from guardian.cli.progress import Progress

app = new_app()


class EnvName(StrEnum):
    """The environments."""

    CONTRACT = "contract"
    WORKFLOW = "workflow"


_CONTRACT = ("graph", "split", "services")
_MODEL = ("model", "model_name", "temperature")
_PLAYING = ("env", "policy", "tasks", "episodes", "seed", "difficulty", "jobs", *_CONTRACT, *_MODEL)


@app.command("eval")
def evaluate(
    context: typer.Context,
    env: Annotated[EnvName, typer.Option(help="Which environment.")] = EnvName.CONTRACT,
    policy: Annotated[
        str,
        typer.Option(
            help="random, everything, constant, rules, oracle, model; workflow: greedy, adaptive.",
            show_default="rules; adaptive",
        ),
    ] = "",
    tasks: Annotated[str, typer.Option(help="Tasks or scenarios, joined by commas; all where not given.")] = "",
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of each task.")] = 50,
    seed: Annotated[int, typer.Option(min=0, help="Which held-out seeds.")] = 0,
    output: Annotated[Path, typer.Option(help="The folder for scores.json, scores.md and episodes.jsonl.")] = Path(
        "evaluation"
    ),
    difficulty: Annotated[str, typer.Option(help="easy, medium or hard; workflow: mixed too.")] = "",
    split: Annotated[str, typer.Option(help="contract: vocabularies, train or heldout.")] = "heldout",
    graph: Annotated[Path | None, typer.Option(help="contract: play in the company of this guardian.yaml.")] = None,
    services: Annotated[
        int | None, typer.Option(min=1, max=50, help="contract: services of a generated company.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The endpoint of the policy model: http://host:8000/v1.")] = None,
    model_name: Annotated[
        str, typer.Option(help="The model, or its LoRA adapter, as the server lists it.")
    ] = "guardian",
    temperature: Annotated[float, typer.Option(min=0, max=2, help="The model's temperature.")] = 0.0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Episodes at a time; the number of processors.")] = None,
    compare: Annotated[
        list[Path] | None, typer.Option(help="Compare these evaluations instead of playing (repeatable).")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Play held-out episodes by a policy and write its score table; or compare several tables."""
    from guardian.learn import evaluate as evaluation

    if compare:
        from guardian.learn.comparing import compare as compare_all

        refuse(context, _PLAYING, "changes nothing of evaluations that --compare compares")
        write_stdout(compare_all(compare, output))
        return
    if env is EnvName.WORKFLOW:
        refuse(context, _CONTRACT, "belongs to the contract environment")
    if policy != "model":
        refuse(context, _MODEL, "belongs to --policy model")
    if policy == "model" and model is not None and "://" not in model and Path(model).is_dir():
        from guardian.adapter.description import check_description

        check_description(Path(model))
    if graph is not None:
        refuse(context, ["services"], "belongs to generated companies; --graph names one that is there")
    chosen = names_of(tasks)
    told: list[str] = []
    with Progress(quiet=quiet) as progress:
        if env is EnvName.WORKFLOW:
            from guardian.learn.folders import asked
            from guardian.learn.workflow.evaluate import evaluate_workflow
            from guardian.learn.workflow.policies import make_policy
            from guardian.learn.workflow.scenarios import SCENARIOS

            evaluate_workflow(
                make_policy(policy or "adaptive", model=model, model_name=model_name, temperature=temperature),
                scenarios=chosen or tuple(SCENARIOS),
                episodes=episodes,
                seed=seed,
                difficulty=difficulty or "mixed",
                output=output,
                jobs=jobs or 1,
                asked=asked(model, model_name, temperature) if policy == "model" else None,
                progress=progress,
                tell=told.append,
            )
        else:
            from guardian.learn.contract.tasks import TASKS

            run = evaluation.Run(
                "contract", policy or "rules", chosen or tuple(TASKS), episodes, seed, difficulty or "medium", split,
                str(graph) if graph else None, model, model_name, temperature, services,
            )  # fmt: skip
            evaluation.evaluate(run, output, jobs=jobs or os.cpu_count() or 1, progress=progress, tell=told.append)
    for text in told:
        remark("info", text)
    write_stdout((output / "scores.md").read_text(encoding="utf-8"))
