# Python 3.11 or newer and make are all that is needed; everything else goes into .venv.
# Once that is set up, no target needs a network until pyproject.toml changes.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# What `make test` installs. Tests of libraries that are not there are skipped: to run all of them,
# make test EXTRAS=test,test-browser,interop,peers,viz
EXTRAS ?= test
# Tests run in two processes. Those that ARGS asks for win: -n4; -n0 for one process, which --pdb and
# -s need; without the plugin (-p no:xdist) there is one too.
PROCESSES = $(if $(findstring no:xdist,$(ARGS)),,-n 2 --dist worksteal)
# A virtual environment that has a file constraints.txt obeys it (see test-lowest).
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	$(addprefix --constraint ,$(wildcard $(VENV)/constraints.txt)) --editable

.NOTPARALLEL:
.PHONY: help demo test test-lowest fuzz fuzz-atheris format benchmark notebooks data clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' Makefile
	@echo
	@echo 'ARGS="..." passes options on (demo, test, fuzz, benchmark); PYTHON=python3.13 chooses the Python.'
	@echo 'make test ARGS="-m '"'not slow'"'" leaves out what takes long; ARGS="-n0" runs in one process.'

demo: $(VENV)/.installed-core ## run the main job on the bundled collection
	@$(BIN)/lexiframe demo --out .demo $(ARGS)

test: $(VENV)/.installed-$(EXTRAS) ## check format, style and types, run all tests
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/python -m pytest $(PROCESSES) $(ARGS)

# Without mypy: types are checked against the newest stubs, and those of old numpy differ.
test-lowest: ## run all tests with the lowest allowed dependencies, in .venv-lowest
	@$(MAKE) --no-print-directory VENV=.venv-lowest .venv-lowest/constraints.txt
	@$(MAKE) --no-print-directory VENV=.venv-lowest .venv-lowest/.installed-test
	.venv-lowest/bin/python -m pytest $(PROCESSES) $(ARGS)

fuzz: $(VENV)/.installed-test ## hold the readers against a strict one on 100,000 mutated files
	$(BIN)/python tests/fuzz/mutants.py $(ARGS)

fuzz-atheris: $(VENV)/.installed-fuzz ## look for input that breaks a reader, for five minutes, with atheris
	$(BIN)/python tests/fuzz/readers.py $(ARGS)

format: $(VENV)/.installed-test ## format the code and mend its style where that is safe
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

benchmark: $(VENV)/.installed-test,peers ## measure time and memory beside other libraries
	$(BIN)/python tests/benchmarks/run.py $(ARGS)

notebooks: $(VENV)/.installed-test,interop,peers,viz ## execute the notebooks anew and store their outputs
	$(BIN)/python tests/test_notebooks.py

data: $(VENV)/.installed-peers ## rebuild the bundled collection with scikit-learn
	$(BIN)/python data/make_digits.py

clean: ## remove virtual environments, caches and built files
	rm -rf .demo .fuzz .venv .venv-lowest .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	find lexiframe tests data -type d -name __pycache__ -prune -exec rm -rf {} +

# pip comes last when a virtual environment is made, so one that failed half-way is made again.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'lexiframe needs Python 3.11 or newer, which "$(PYTHON)" is not;' \
			'name one that is: make $(MAKECMDGOALS) PYTHON=python3.13' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-core: pyproject.toml | $(BIN)/pip
	@echo 'Installing lexiframe into $(VENV) (once) ...' >&2
	@$(INSTALL) .
	@touch $@

$(VENV)/.installed-%: pyproject.toml | $(BIN)/pip
	@echo 'Installing lexiframe[$*] into $(VENV) (once) ...' >&2
	@$(INSTALL) '.[$*]'
	@touch $(VENV)/.installed-core $@

.venv-lowest/constraints.txt: pyproject.toml | $(BIN)/pip
	@$(BIN)/python -c 'import tomllib; \
		project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
		print(*project["dependencies"], sep="\n")' | sed 's/>=/==/' > $@
