# `make test` and `make demo` work on a fresh machine that has git and Python 3.11 or later: each makes its own
# virtual environment and asks nothing. PYTHON chooses another interpreter, VENV another place.

PYTHON ?= $(shell for each in python3.13 python3.12 python3.11 python3 python; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help demo test lint test-slow bench docs clean

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

test-slow: $(VENV)/.dev ## The slow suites: benchmarks' laws, real documents, a browser where there is one
	$(PY) -m pytest -n 2 -m "slow or soak or browser"

bench: $(VENV)/.dev ## Measure time and memory
	$(PY) benchmarks/run.py

docs: $(VENV)/.dev ## Write what is generated: the README's output and the rules' pages
	$(PY) docs/generate.py

clean: ## Remove what was made here, the virtual environment included
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
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
