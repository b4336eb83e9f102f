# Two commands do everything: `make demo` and `make test`. They need Python ≥ 3.11, venv, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WARM := $(VENV)/.warm
# pip 25.1 and later read dependency groups
EXTRAS := cluster,docs,notebook,onnx,plots,report,serve
SEED := $(or $(SEED),$(shell od -An -N3 -tu4 /dev/urandom | tr -d ' '))
# one worker per core, so no library needs its own threads; pytest's rewritten tests are cached for the next run
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n logical --dist worksteal

.PHONY: demo lab test test-all test-matrix test-properties test-bounds test-interpreted test-engine test-browser test-wheel test-lowest mutants lint tables fuzz torture cli-reference presets lab-pictures docs bench bench-table bench-compare release clean help

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/'

$(STAMP): pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]' --group dev
	touch $@

demo: $(STAMP)  ## train on real data and print a report
	$(BIN)/rosenblatt demo
	@test -f $(WARM) || { echo 'The first use of a rule or a kind of file compiles its loop. The usual ones now, once:'; \
	$(BIN)/rosenblatt warm-up && touch $(WARM); }

lab: $(STAMP)  ## open the lab, an interactive course, in a browser
	$(BIN)/rosenblatt lab

test: $(STAMP) lint  ## run make lint and all tests except the long matrix; the browser tests only if chromium is installed
	$(PYTEST) -m 'not matrix and not browser and not site and not wheel'
	@if command -v chromium > /dev/null || command -v chromium-browser > /dev/null; then $(MAKE) --no-print-directory test-browser; \
	else echo "chromium is not installed: the browser tests were skipped"; fi

test-engine: $(STAMP)  ## compare the lab's JavaScript with the package on 10,000 random cases of each algorithm
	ROSENBLATT_ENGINE_CASES=10000 $(PYTEST) tests/course/lab/engine

test-browser: $(STAMP)  ## test the lab and the replay in Debian's chromium; ROSENBLATT_SCREENSHOTS=folder saves screenshots
	$(PYTEST) tests/browser -m browser

test-wheel: $(STAMP)  ## build the wheel, install it for each installed Python from 3.11 to 3.14, and run every command
	$(PYTEST) tests/installed -m wheel -rs

test-all: test-matrix test-properties test-bounds test-interpreted  ## run test-matrix, test-properties, test-bounds and test-interpreted

test-matrix: $(STAMP)  ## test every rule with every averaging strategy, layout, type and order (hours, if nothing is compiled)
	$(PYTEST) -m matrix

test-properties: $(STAMP)  ## test 300 new examples of each property instead of 25 fixed ones; SEED=n repeats a run
	@echo "make test-properties SEED=$(SEED) repeats this run"
	$(PYTEST) -m 'hypothesis and not matrix' --hypothesis-profile thorough --hypothesis-seed=$(SEED)

test-bounds: $(STAMP)  ## test compiled code with array bounds checks
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/bounds $(PYTEST) tests/loops tests/averaging tests/kernels tests/budgets tests/training/dual tests/training/many tests/numeric tests/exactness tests/proof/test_nearest_points.py tests/data/sources tests/storage -m 'not matrix'

test-interpreted: $(STAMP)  ## test the compiled code as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) tests/rules tests/numeric -m 'not matrix'

test-lowest:  ## run the tests with the lowest stated version of every dependency, in build/lowest
	test -d build/lowest || $(PYTHON) -m venv build/lowest
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	build/lowest/bin/python scripts/lowest_versions.py > build/lowest/constraints.txt
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check --constraint build/lowest/constraints.txt \
	  --editable '.[cluster,notebook,onnx,plots,report,serve]' --group test
	build/lowest/bin/python -m pytest -W default -n logical --dist worksteal -m 'not matrix and not browser and not site and not wheel' $(TESTS)

mutants: $(STAMP)  ## insert faults one by one, and report which of them the tests find
	$(BIN)/python -m tests.mutants

lint: $(STAMP)  ## run ruff, mypy, import-linter and numpydoc
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest tests/docs/test_numpydoc.py

fuzz: $(STAMP)  ## run a million inputs through the parsers and a hundred thousand through the loader, with bounds checks
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/bounds $(BIN)/python -m fuzz.parsers 1000000
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/bounds $(BIN)/python -m fuzz.models 100000

torture: $(STAMP)  ## kill a run at a hundred random moments, and fifty cluster workers: the results must not change
	$(BIN)/python -m fuzz.torture 100
	$(BIN)/python -m fuzz.cluster 50

cli-reference: $(STAMP)  ## generate docs/cli.md from the help texts
	$(BIN)/python docs/_ext/cli_reference.py > docs/cli.md

presets: $(STAMP)  ## generate the worked examples of the lab from those of the package
	$(BIN)/python -m rosenblatt.course.lab.presets

lab-pictures: $(STAMP)  ## draw the picture of each chapter of the lab with chromium
	$(BIN)/python docs/_ext/lab_pictures.py

docs: $(STAMP)  ## build the documentation in build/docs and check it
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs
	$(BIN)/python -m pytest tests/docs -m site
	@echo "the site is in build/docs/index.html"

bench: $(STAMP)  ## run every benchmark with its peer; write benchmarks/results.json, the tables and the chart
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m benchmarks

bench-table: $(STAMP)  ## print each job with our figure, the peer's, their ratio and the machine, from results.json
	$(BIN)/python -m benchmarks.tables speeds

bench-compare: $(STAMP)  ## compare two files of results: make bench-compare A=old.json B=benchmarks/results.json
	$(BIN)/python -m benchmarks.compare $(A) $(or $(B),benchmarks/results.json)

tables: $(STAMP)  ## write the tables, numbers and chart of README and docs from benchmarks/results.json
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m benchmarks.ratios

release: $(STAMP)  ## build sdist and wheel twice, check them, run the README in a new environment, write checksums
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group release
	$(BIN)/python scripts/release.py

clean:  ## delete everything that was built
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
