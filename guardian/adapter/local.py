"""A model in this process: a PEFT adapter's folder on its base model, by vLLM where it is installed, else by transformers."""

from __future__ import annotations

import json
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from guardian.adapter.weights import located
from guardian.errors import UsageError

Json = dict[str, Any]


def base_of(adapter: Path) -> str:
    """The base model that an adapter's adapter_config.json names, or the folder where it was fetched to.

    Raises:
        UsageError: the folder holds no adapter.
    """
    try:
        settings = json.loads((adapter / "adapter_config.json").read_text(encoding="utf-8"))
        base = settings["base_model_name_or_path"]
    except (OSError, ValueError, KeyError):
        raise UsageError(
            "holds no adapter: adapter_config.json is missing or names no base model", file=str(adapter)
        ) from None
    return located(str(base))


class Local:
    """Answers as an endpoint does.

    Args:
        adapter: the folder.
        base: the base model where it is not the one that adapter_config.json names.
        max_tokens: of an answer.
        temperature: of its answers; 0 for the likeliest.

    Raises:
        UsageError: it is no adapter, or nothing that could run it is installed.
    """

    def __init__(
        self, adapter: Path, *, base: str | None = None, max_tokens: int = 512, temperature: float = 0.0
    ) -> None:
        self._temperature = temperature
        self._base = base or base_of(adapter)
        self._adapter = adapter
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._loaded: Any = None
        if not (find_spec("vllm") or (find_spec("transformers") and find_spec("peft"))):
            raise UsageError(
                "an adapter's folder needs vLLM or transformers",
                hint="pip install 'contract-guardian[vllm]', or serve it elsewhere and give --model its URL",
            )

    def ask(self, messages: list[Json], schema: Json) -> str:
        """The text of the answer; with vLLM constrained to the schema."""
        with self._lock:  # one model, one question at a time
            if find_spec("vllm"):
                return self._by_vllm(messages, schema)
            return self._by_transformers(messages)

    def _by_vllm(self, messages: list[Json], schema: Json) -> str:
        from vllm import LLM, SamplingParams
        from vllm.lora.request import LoRARequest
        from vllm.sampling_params import StructuredOutputsParams

        if self._loaded is None:
            self._loaded = LLM(
                self._base, enable_lora=True, max_lora_rank=16, max_model_len=4096, seed=0,
                structured_outputs_config={"backend": "xgrammar", "disable_any_whitespace": True},
            )  # fmt: skip
        sampling = SamplingParams(
            temperature=self._temperature,
            max_tokens=self._max_tokens,
            structured_outputs=StructuredOutputsParams(json=schema),
        )
        adapter = LoRARequest("guardian", 1, str(self._adapter))
        return str(self._loaded.chat([messages], sampling, lora_request=adapter, use_tqdm=False)[0].outputs[0].text)

    def _by_transformers(self, messages: list[Json]) -> str:
        import torch
        from peft import PeftModel
        from transformers import AutoModelForCausalLM, AutoTokenizer

        if self._loaded is None:
            tokenizer = AutoTokenizer.from_pretrained(self._base)
            model = AutoModelForCausalLM.from_pretrained(self._base, dtype=torch.bfloat16)
            self._loaded = tokenizer, PeftModel.from_pretrained(model, str(self._adapter)).eval()
        tokenizer, model = self._loaded
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        given = tokenizer(text, return_tensors="pt", add_special_tokens=False)
        sampled = {"do_sample": True, "temperature": self._temperature} if self._temperature else {"do_sample": False}
        with torch.no_grad():
            said = model.generate(
                **given, max_new_tokens=self._max_tokens, **sampled, pad_token_id=tokenizer.eos_token_id
            )
        return str(tokenizer.decode(said[0, given["input_ids"].shape[1] :], skip_special_tokens=True)).strip()
