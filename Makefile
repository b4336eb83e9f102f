# Two commands do everything: `make demo` and `make test`. They need Python ≥ 3.11, venv, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WARM := $(VENV)/.warm
SEED := $(or $(SEED),$(shell od -An -N3 -tu4 /dev/urandom | tr -d ' '))
# a worker for each core, so that no library needs threads of its own; rewritten tests are kept for the next run
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n logical --dist worksteal

.PHONY: demo lab test test-all test-matrix test-properties test-bounds test-interpreted test-browser test-wheel mutants lint tables fuzz torture cli-reference docs bench clean help

help:  ## show what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/'

$(STAMP): pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(STAMP)  ## learn from real data and print the report
	$(BIN)/rosenblatt demo
	@test -f $(WARM) || { echo 'The first use of a rule or a kind of file compiles its loop. The usual ones now, once:'; \
	$(BIN)/rosenblatt warm-up && touch $(WARM); }

lab: $(STAMP)  ## open the lab: see it learn, in a browser
	$(BIN)/rosenblatt lab

test: $(STAMP) lint  ## all tests but the long matrix; lint, types and layers first; in a browser where there is chromium
	$(PYTEST) -m 'not matrix and not browser and not site and not wheel'
	@if command -v chromium > /dev/null || command -v chromium-browser > /dev/null; then $(MAKE) --no-print-directory test-browser; \
	else echo "no chromium here: the tests in a browser were left out"; fi

test-browser: $(STAMP)  ## the lab and the replay in Debian's chromium; ROSENBLATT_SCREENSHOTS=folder keeps pictures
	$(PYTEST) tests/browser -m browser

test-wheel: $(STAMP)  ## build the wheel, install it alone for each Python from 3.11 to 3.13 that is here, and run every command
	$(PYTEST) tests/installed -m wheel -rs

test-all: test-matrix test-properties test-bounds test-interpreted  ## the full matrix, many examples of each property, bounds checked, interpreted

test-matrix: $(STAMP)  ## every rule with every keeper, layout, type and order: hours of compiling from an empty cache
	$(PYTEST) -m matrix

test-properties: $(STAMP)  ## 300 fresh examples of each property instead of 25 fixed ones; SEED=n repeats a run
	@echo "make test-properties SEED=$(SEED) repeats this run"
	$(PYTEST) -m 'hypothesis and not matrix' --hypothesis-profile thorough --hypothesis-seed=$(SEED)

test-bounds: $(STAMP)  ## compiled code with the bounds of its arrays checked
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/bounds $(PYTEST) tests/loops tests/averaging tests/kernels tests/budgets tests/training/dual tests/training/many tests/numeric tests/exactness tests/proof/test_nearest_points.py tests/data/sources tests/storage -m 'not matrix'

test-interpreted: $(STAMP)  ## compiled code as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) tests/rules tests/numeric -m 'not matrix'

mutants: $(STAMP)  ## put faults in, one by one: which of them do the tests notice?
	$(BIN)/python -m tests.mutants

lint: $(STAMP)  ## ruff, mypy, import-linter, numpydoc
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest tests/docs/test_numpydoc.py

fuzz: $(STAMP)  ## a million inputs for the parsers and a hundred thousand for the loader, with bounds checked
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/bounds $(BIN)/python -m fuzz.parsers 1000000
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/bounds $(BIN)/python -m fuzz.models 100000

torture: $(STAMP)  ## kill -9 at a hundred random moments, and fifty workers of a cluster: nothing lost, the same bits
	$(BIN)/python -m fuzz.torture 100
	$(BIN)/python -m fuzz.cluster 50

cli-reference: $(STAMP)  ## write docs/cli.md anew from what --help says
	$(BIN)/python docs/_ext/cli_reference.py > docs/cli.md

docs: $(STAMP)  ## build the documentation site in build/docs, and look through it
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs
	$(BIN)/python -m pytest tests/docs -m site
	@echo "the site is in build/docs/index.html"

bench: $(STAMP)  ## run every benchmark beside its peer, write benchmarks/results.json, tables and picture
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m benchmarks

tables: $(STAMP)  ## write the tables of README and docs from benchmarks/results.json
	$(BIN)/python -m benchmarks.tables

clean:  ## forget everything that was made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
