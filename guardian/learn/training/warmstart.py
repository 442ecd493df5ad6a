"""A short warm start: a few gradient steps on episodes that the environment's own engine plays.

Reinforcement learning needs a policy that answers in the asked form and is right now and then; more than that would
freeze what it is to explore. So the steps are few, and end early once the answers' entropy falls below a floor.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from guardian.learn.training.chat import Chat
from guardian.learn.training.episodes import Make
from guardian.learn.training.rollout import Draw, Trajectory

Json = dict[str, Any]

#: A step sees a few episodes, some of which are nothing but routine; so many steps together say how sure a policy is.
_SETTLED = 5


def demonstrations(draws: Sequence[Draw], make: Make, chat: Chat) -> list[Trajectory]:
    """The engine's episodes as conversations."""
    found: list[Trajectory] = []
    for draw in draws:
        episode = make(draw.task, draw.seed, draw.difficulty)
        each = Trajectory(episode, chat.opening(episode.question()))
        while not episode.done:
            text = episode.teacher()
            tokens = chat.answer(text)
            each.add(tokens, own=True)
            episode.answer(text)
            if not episode.done:
                each.add(chat.following(tokens, episode.question()), own=False)
        found.append(each)
    return found


def warm_start(
    model: Any,
    shown: Sequence[Trajectory],
    *,
    steps: int,
    batch: int,
    rate: float,
    floor: float,
    tell: Callable[[Json], None],
    pad: int = 0,
    micro: int = 4,
) -> None:
    """Supervised steps on what the engine answered; the questions are not learned.

    Args:
        model: a PEFT model, on its device.
        shown: the engine's episodes; steps go through them in order, again from the front where they run out.
        floor: the entropy in nats, in the mean of the last few steps, below which no further step is taken.
        micro: sequences of one forward pass.
    """
    import torch

    weights = [each for each in model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=rate, weight_decay=0.0)
    model.train()
    entropies: deque[float] = deque(maxlen=_SETTLED)
    for step in range(steps):
        picked = [shown[(step * batch + index) % len(shown)] for index in range(batch)]
        picked.sort(key=lambda each: len(each.prompt) + len(each.completion))
        learned = sum(sum(each.mask) for each in picked)
        loss, entropy = 0.0, 0.0
        for start in range(0, batch, micro):
            nll, spread = _pass(model, picked[start : start + micro], pad)
            (nll / learned).backward()
            loss += float(nll.detach()) / learned
            entropy += spread / learned
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 3) * (1.0 - 0.8 * step / steps)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        tell({"phase": "warm start", "step": step + 1, "loss": round(loss, 4), "entropy": round(entropy, 4)})
        entropies.append(entropy)
        if len(entropies) == _SETTLED and sum(entropies) / _SETTLED < floor:
            return


def _pass(model: Any, picked: Sequence[Trajectory], pad: int) -> tuple[Any, float]:
    """Summed negative log-likelihood and entropy of the learned tokens; logits are computed for those alone."""
    import torch

    device = next(model.parameters()).device
    longest = max(len(each.prompt) + len(each.completion) for each in picked)
    ids = torch.full((len(picked), longest), pad, dtype=torch.long)
    attention = torch.zeros_like(ids)
    learned = torch.zeros_like(ids, dtype=torch.bool)
    for row, each in enumerate(picked):
        tokens = each.prompt + each.completion
        ids[row, : len(tokens)] = torch.tensor(tokens)
        attention[row, : len(tokens)] = 1
        learned[row, len(each.prompt) : len(tokens)] = torch.tensor(each.mask, dtype=torch.bool)
    ids, attention, learned = ids.to(device), attention.to(device), learned.to(device)
    causal = model.get_base_model()
    hidden = causal.model(input_ids=ids, attention_mask=attention, use_cache=False).last_hidden_state
    logits = causal.get_output_embeddings()(hidden[:, :-1][learned[:, 1:]]).float()
    log_probabilities = torch.log_softmax(logits, dim=-1)
    nll = -log_probabilities.gather(-1, ids[:, 1:][learned[:, 1:]].unsqueeze(-1)).sum()
    with torch.no_grad():
        entropy = float(-(log_probabilities.exp() * log_probabilities).sum())
    return nll, entropy
