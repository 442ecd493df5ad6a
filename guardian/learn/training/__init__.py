"""``guardian train``: GRPO with LoRA on whole episodes of the learning environments."""
