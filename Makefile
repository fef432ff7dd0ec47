PYTHON ?= python3

.PHONY: help setup test check demo bench docs notebooks studio
.DEFAULT_GOAL := help

help:  ## show these targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup:  ## install everything that development needs into .venv
	@$(PYTHON) bootstrap.py setup

test: setup  ## run all tests, those with a real model too
	@.venv/bin/pytest

check: setup  ## run the linter, the formatter's check, the type checker and the tests without a real model
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy --strict
	@.venv/bin/pytest -m "not model"

demo:  ## solve the example task with the embedded model, showing every step
	@$(PYTHON) bootstrap.py run --example

bench: setup  ## measure the example variants with and without the secretary (resumes where it stopped)
	@.venv/bin/python benchmarks/onoff.py

docs: setup  ## fill the generated parts of README and docs in: picture, settings, figures, sizes, faults
	@.venv/bin/python docs/generate.py

notebooks: setup  ## run the notebooks and store their outputs (some minutes with the embedded model)
	@.venv/bin/python notebooks/execute.py

studio: setup  ## serve the graphs for LangGraph Studio on http://127.0.0.1:2024
	@LANGGRAPH_CLI_NO_ANALYTICS=1 .venv/bin/langgraph dev --no-browser
