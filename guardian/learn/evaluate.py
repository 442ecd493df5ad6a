"""Evaluation: policies over tasks and held-out seeds, a score table with intervals, tables and pictures of several.

An environment takes part by a function that plays one episode and returns its record; ``contract`` is here, others
bring theirs. Records go to ``episodes.jsonl`` as they come, so that an interrupted evaluation goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from guardian import __version__
from guardian.errors import UsageError
from guardian.learn import folders

Json = dict[str, Any]
Play = Callable[[str, int], Json]
"""Plays one episode of a task and seed, and returns its record."""

Record = TypeVar("Record")

#: Seeds from here on are evaluation's; training draws below.
HELD_OUT_SEEDS = 2**31
_RESAMPLES = 1000
_EPISODES = "episodes.jsonl"
#: Keys of a record that are summed up by their own rules; what else is a number becomes a mean of the same name.
_OWN = frozenset({"task", "seed", "score", "signals", "phases", "in_training"})


@dataclass(frozen=True, slots=True)
class Run:
    """What is evaluated; two runs that differ in it do not share records."""

    env: str
    policy: str
    tasks: tuple[str, ...]
    episodes: int
    seed: int = 0
    difficulty: str = "medium"
    split: str = "heldout"
    graph: str | None = None
    model: str | None = None
    model_name: str = "guardian"
    temperature: float = 0.0
    services: int | None = None
    weights: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> Json:
        found = asdict(self)
        found["tasks"] = list(self.tasks)
        return found

    @property
    def identity(self) -> Json:
        """All that decides a record. More tasks or episodes of the same run are a continuation."""
        found = {key: value for key, value in self.to_json().items() if key not in ("tasks", "episodes")}
        found |= folders.asked(self.model, self.model_name, self.temperature)
        if self.graph:
            found["company"] = _scenarios(self.graph, self.split, self.services).digest
        return found | {"guardian": __version__}


def episode_seed(seed: int, index: int) -> int:
    """The seed of an evaluation's episode; no training seed is among them."""
    return HELD_OUT_SEEDS + seed * 1_000_003 + index


def evaluate(
    run: Run,
    output: Path,
    *,
    play: Play | None = None,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda step: None,
    tell: Callable[[str], None] = lambda text: None,
) -> Json:
    """Play every task's episodes and write ``scores.json``, ``scores.md`` and ``episodes.jsonl``.

    Args:
        run: what to evaluate.
        output: the folder; an evaluation of the same run that is there already is continued.
        play: plays one episode; that of the contract environment where not given.
        jobs: episodes at a time; processes for the engine's policies, threads for a model.
        progress: is told in words how far it is.
        tell: is told what there is to know of the results: that they lay there, or what training may have seen.

    Returns:
        What ``scores.json`` says.

    Raises:
        UsageError: the folder holds another run, or something of the run does not exist.
    """
    if play is None:
        _check(run)
    identity = run.identity
    folders.check_evaluation(output, identity)
    wanted = [(task, episode_seed(run.seed, index)) for task in run.tasks for index in range(run.episodes)]
    records = _records(output)
    missing = [key for key in wanted if key not in records]
    if len(missing) < len(wanted):
        tell(folders.resumed(output, len(wanted) - len(missing), len(wanted)))
    folders.mark_evaluation(output, identity)
    play = play or partial(play_contract, run)
    done = len(wanted) - len(missing)
    with folders.appending(output / _EPISODES) as log:
        for record in played(play, missing, jobs, threads=run.policy == "model"):
            records[record["task"], record["seed"]] = record
            log.write(folders.line(record))
            log.flush()
            done += 1
            progress(f"{record['task']}: {done} of {len(wanted)} episodes")
    ordered = [records[key] for key in wanted]
    # What a longer evaluation has played here stays, behind what this one counts.
    counted = set(wanted)
    others = [record for key, record in records.items() if key not in counted]
    folders.write_records(output / _EPISODES, [*ordered, *others])
    scores = summarise(run, ordered)
    if scores.get("in_training"):
        tell(_not_apart(scores))
    folders.mark_evaluation(output, identity, {key: scores[key] for key in ("in_training",) if key in scores})
    (output / "scores.json").write_text(json.dumps(scores, indent=2) + "\n", encoding="utf-8")
    (output / "scores.md").write_text(table([scores]), encoding="utf-8")
    return scores


def _check(run: Run) -> None:
    """See that there is everything that the run names, before anything is written or played.

    Raises:
        UsageError: there is not.
        GuardianError: the company cannot be read.
    """
    from guardian.learn.contract.environment import ContractEnv
    from guardian.learn.contract.tasks import TASKS
    from guardian.learn.policies import make_policy

    unknown = sorted(set(run.tasks) - set(TASKS))
    if unknown:
        raise UsageError(f"there is no task {unknown[0]}", hint=f"there are {', '.join(TASKS)}")
    if run.episodes < 1 or not run.tasks:
        raise UsageError("there is nothing to evaluate", hint="give at least one episode and one task")
    make_policy(run.policy, model=run.model, model_name=run.model_name, temperature=run.temperature)
    scenarios = _scenarios(run.graph, run.split, run.services)
    ContractEnv(scenarios, difficulty=run.difficulty, weights=run.weights)
    if run.graph:
        from guardian.learn.apart import check_material

        check_material(scenarios, run.tasks, run.difficulty)


def _records(output: Path) -> dict[tuple[str, int], Json]:
    """The records that are there already; a line that was cut short is none."""
    return {
        (record["task"], record["seed"]): record
        for record in folders.records(output / _EPISODES)
        if isinstance(record.get("task"), str)
        and isinstance(record.get("seed"), int)
        and _is_number(record.get("score"))
    }


def played(
    play: Callable[..., Record], keys: Sequence[tuple[Any, ...]], jobs: int, *, threads: bool
) -> Iterator[Record]:
    """Records as they come; what was finished beside an episode that fails comes before its exception."""
    if jobs <= 1 or len(keys) <= 1:
        yield from (play(*key) for key in keys)
        return
    pool: Executor = ThreadPoolExecutor(jobs) if threads else ProcessPoolExecutor(jobs)
    try:
        running = {pool.submit(play, *key) for key in keys}
        trouble: BaseException | None = None
        for each in as_completed(tuple(running)):
            running.discard(each)
            trouble = each.exception()
            if trouble is not None:
                break
            yield each.result()
        if trouble is None:
            return
        pool.shutdown(cancel_futures=True)  # what is under way comes to its end, and is not played again
        yield from (each.result() for each in running if not each.cancelled() and each.exception() is None)
        raise trouble
    finally:
        pool.shutdown(cancel_futures=True)


# -- the contract environment ----------------------------------------------------------------------------------------------


def play_contract(run: Run, task: str, seed: int) -> Json:
    """One episode of the contract environment, with the oracle's return on it beside."""
    from guardian.learn.contract.environment import ContractEnv
    from guardian.learn.policies import make_policy

    scenarios = _scenarios(run.graph, run.split, run.services)
    env = ContractEnv(scenarios, difficulty=run.difficulty, weights=run.weights)
    policy = make_policy(run.policy, model=run.model, model_name=run.model_name, temperature=run.temperature)
    observation = env.reset(task, seed)
    policy.begin(env, observation, seed)
    signals: dict[str, float] = {}
    invalid = 0
    while not observation.done:
        observation = env.step(policy.act(observation))
        invalid += "malformed_action" in observation.rewards
        for name, value in observation.rewards.items():
            signals[name] = round(signals.get(name, 0.0) + value, 6)
    score, reward, steps = env.score(), env.state.total_reward, env.state.step_count
    phases = {name: round(value, 6) for name, value in env.phase_rewards.items()}
    record = {
        "task": task,
        "seed": seed,
        "score": round(score, 6),
        "reward": reward,
        "steps": steps,
        "invalid": invalid,
        "success": float(score >= 0.999),
        "oracle_reward": reward if run.policy == "oracle" else _oracle_reward(env, task, seed),
        "signals": signals,
        "phases": phases,
    }
    if run.graph:
        record["in_training"] = scenarios.in_training(task, seed, run.difficulty)
    return record


_SCENARIOS: dict[tuple[str | None, str, int | None], Any] = {}


def _scenarios(graph: str | None, split: str, services: int | None) -> Any:
    """One source of scenarios for a process: reading a user's company takes time."""
    from guardian.learn.apart import scenarios_of

    key = (graph, split, services)
    if key not in _SCENARIOS:
        _SCENARIOS[key] = scenarios_of(Path(graph) if graph else None, split, services)
    return _SCENARIOS[key]


def _oracle_reward(env: Any, task: str, seed: int) -> float:
    from guardian.learn.policies import OraclePolicy

    oracle = OraclePolicy()
    observation = env.reset(task, seed)
    oracle.begin(env, observation, seed)
    while not observation.done:
        observation = env.step(oracle.act(observation))
    return float(env.state.total_reward)


# -- tables and pictures ---------------------------------------------------------------------------------------------------


def summarise(run: Run, records: Sequence[Json]) -> Json:
    """What ``scores.json`` says."""
    tasks: Json = {}
    for task in run.tasks:
        mine = [record for record in records if record["task"] == task]
        tasks[task] = _task_summary(mine)
    mean = sum(each["score"]["mean"] for each in tasks.values()) / len(tasks) if tasks else 0.0
    scores: Json = {
        "env": run.env,
        "policy": run.policy,
        "seed": run.seed,
        "mean": round(mean, 4),
        "run": run.identity | {"tasks": list(run.tasks), "episodes": run.episodes},
        "tasks": tasks,
    }
    if run.graph:
        scores["in_training"] = sum(each.get("in_training", 0) for each in tasks.values())
    return scores


def _not_apart(scores: Json) -> str:
    """What is said of episodes that evaluation shares with training."""
    tasks = scores["tasks"]
    counts = [
        f"{each['in_training']} of {each['episodes']} of {task}"
        for task, each in tasks.items()
        if each.get("in_training")
    ]
    return (
        f"{scores['in_training']} of {sum(each['episodes'] for each in tasks.values())} episodes may be among those that training "
        f"in this company plays ({', '.join(counts)}): they are not held out"
    )


def _task_summary(records: Sequence[Json]) -> Json:
    scores = [record["score"] for record in records]
    low, high = interval(scores)
    summary: Json = {
        "episodes": len(records),
        "score": {"mean": round(_mean(scores), 4), "low": round(low, 4), "high": round(high, 4)},
    }
    numbers = sorted({key for each in records for key, value in each.items() if _is_number(value)} - _OWN)
    for name in numbers:
        summary[name] = round(_mean([record[name] for record in records if name in record]), 4)
    for group in ("signals", "phases"):
        names = sorted({name for record in records for name in record.get(group, ())})
        if names or group == "signals":
            summary[group] = {
                name: round(_mean([record[group].get(name, 0.0) for record in records]), 4) for name in names
            }
    if any("in_training" in record for record in records):
        summary["in_training"] = sum(bool(record.get("in_training")) for record in records)
    if summary.get("oracle_reward"):
        summary["relative_reward"] = round(summary["reward"] / summary["oracle_reward"], 4)
    return summary


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95% bootstrap interval of a mean (percentile method, 1,000 resamples, always the same ones)."""
    if len(set(values)) <= 1:
        mean = _mean(values)
        return mean, mean
    rng = Random(0)
    means = sorted(_mean(rng.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return means[int(_RESAMPLES * 0.025)], means[int(_RESAMPLES * 0.975) - 1]


def table(results: Sequence[Json], names: Sequence[str] | None = None) -> str:
    """Markdown: one row a task, the mean score with its interval; one column a result."""
    names = names or [result["policy"] for result in results]
    tasks = list(dict.fromkeys(task for result in results for task in result["tasks"]))
    lines = [f"| task | {' | '.join(names)} |", f"| --- |{' --- |' * len(names)}"]
    for task in tasks:
        cells = [_cell(result["tasks"].get(task)) for result in results]
        lines.append(f"| {task} | {' | '.join(cells)} |")
    means = [f"**{result['mean']:.3f}**" for result in results]
    lines.append(f"| **mean** | {' | '.join(means)} |")
    if len(results) == 1:
        lines += [
            "",
            "| task | episodes | reward | of the oracle's | success | steps | invalid |",
            "| --- |" + " --- |" * 6,
        ]
        for task, each in results[0]["tasks"].items():
            relative = f"{each['relative_reward']:.2f}" if "relative_reward" in each else ""
            lines.append(
                f"| {task} | {each['episodes']} | {each.get('reward', 0):.2f} | {relative} | {each.get('success', 0):.2f} "
                f"| {each.get('steps', 0):.1f} | {each.get('invalid', 0):.2f} |"
            )
        if results[0].get("in_training"):
            lines += ["", f"{_not_apart(results[0])}."]
    return "\n".join(lines) + "\n"


def _cell(task: Json | None) -> str:
    if task is None:
        return ""
    score = task["score"]
    return f"{score['mean']:.3f} [{score['low']:.3f}, {score['high']:.3f}]"


def draw(results: Sequence[Json], names: Sequence[str], file: Path) -> None:
    """A bar for each result at each task, with its interval.

    Raises:
        UsageError: matplotlib is not there.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("the picture needs matplotlib", hint="pip install 'contract-guardian[train]'") from None
    tasks = list(dict.fromkeys(task for result in results for task in result["tasks"]))
    figure = Figure(figsize=(max(7.0, 1.3 * len(tasks)), 4.5), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(results)
    for index, (result, name) in enumerate(zip(results, names, strict=True)):
        found = [result["tasks"].get(task, {}).get("score", {"mean": 0, "low": 0, "high": 0}) for task in tasks]
        middle = [position + (index - (len(results) - 1) / 2) * width for position in range(len(tasks))]
        means = [score["mean"] for score in found]
        below = [score["mean"] - score["low"] for score in found]
        above = [score["high"] - score["mean"] for score in found]
        axes.bar(middle, means, width * 0.95, label=f"{name} ({result['mean']:.2f})", yerr=[below, above], capsize=2)
    axes.set_xticks(range(len(tasks)), [task.replace("_", "\n") for task in tasks], fontsize=7)
    axes.set_ylim(0, 1.05)
    axes.set_ylabel("mean score, 95% interval")
    axes.legend(fontsize=8)
    figure.savefig(file, dpi=150, metadata={"Software": None})
