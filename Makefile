# Python 3.11 or newer and make are all that is needed; everything else goes into .venv.
# Once that is set up, no target needs a network until pyproject.toml changes.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# What `make test` installs. Tests of libraries that are not there are skipped: to run all of them,
# make test EXTRAS=test,test-browser,interop,peers,spark,viz
EXTRAS ?= test
# Which tests: those marked as slow take three times as long as all others; `make test TESTS=` runs
# them, too. A -m in ARGS comes later and wins.
TESTS ?= not slow
# Tests run in two processes. Those that ARGS asks for win: -n4; -n0 for one process, which --pdb and
# -s need; without the plugin (-p no:xdist) there is one too.
PROCESSES = $(if $(findstring no:xdist,$(ARGS)),,-n 2 --dist worksteal)
# A virtual environment that has a file constraints.txt obeys it (see test-lowest).
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	$(addprefix --constraint ,$(wildcard $(VENV)/constraints.txt)) --editable

# Where Python may not keep compiled modules, each process of a test compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

.NOTPARALLEL:
.PHONY: help demo test test-lowest docs build fuzz fuzz-atheris mutants format benchmark notebooks data clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' Makefile
	@echo
	@echo 'ARGS="..." passes options on (demo, test, fuzz, benchmark); PYTHON=python3.13 chooses the Python.'
	@echo 'make test TESTS= runs the slow tests, too; ARGS="-n0" runs in one process.'

demo: $(VENV)/.installed-core ## run the main job on the bundled collection
	@$(BIN)/lexiframe demo --out .demo $(ARGS)

test: $(VENV)/.installed-$(EXTRAS) ## check format, style and types, run the quick tests
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/python -m pytest $(PROCESSES) -m '$(TESTS)' $(ARGS)

# Without mypy: types are checked against the newest stubs, and those of old numpy differ.
test-lowest: ## run all tests with the lowest allowed dependencies, in .venv-lowest
	@$(MAKE) --no-print-directory VENV=.venv-lowest .venv-lowest/constraints.txt
	@$(MAKE) --no-print-directory VENV=.venv-lowest .venv-lowest/.installed-test
	.venv-lowest/bin/python -m pytest $(PROCESSES) $(ARGS)

docs: ## build the documentation in .site/html (in .venv-docs)
	@$(MAKE) --no-print-directory VENV=.venv-docs .venv-docs/.installed-docs
	@.venv-docs/bin/python .docs/build.py

# .venv-wheel holds the wheel and what it requires, and nothing else; -I hides the folder at hand.
build: .venv-build/.installed ## make wheel and sdist in dist/, and run the demo from the wheel
	@rm -rf dist
	@.venv-build/bin/python -m build --no-isolation >.venv-build/log 2>&1 || { cat .venv-build/log >&2; exit 1; }
	@.venv-build/bin/python .ci/packed.py dist/*
	@$(MAKE) --no-print-directory VENV=.venv-wheel .venv-wheel/.installed-core
	@.venv-wheel/bin/python -m pip install --quiet --disable-pip-version-check \
		--no-deps --force-reinstall dist/*.whl
	@.venv-wheel/bin/python -m pip check --disable-pip-version-check
	@wheel=$$PWD/.venv-wheel/bin; place=$$(mktemp -d); cd "$$place" && \
		"$$wheel/python" -I -c 'import lexiframe; print(lexiframe.__file__)' && \
		"$$wheel/lexiframe" demo --out demo; status=$$?; rm -rf "$$place"; exit $$status

fuzz: $(VENV)/.installed-test ## hold the readers against a strict one on 100,000 mutated files
	$(BIN)/python tests/fuzz/mutants.py $(ARGS)

fuzz-atheris: $(VENV)/.installed-fuzz ## look for input that breaks a reader, for five minutes, with atheris
	$(BIN)/python tests/fuzz/readers.py $(ARGS)

mutants: ## plant 40 faults in a room (ROOM=core/projection) and print those that no quick test sees
	@$(MAKE) --no-print-directory VENV=.venv-mutants .venv-mutants/.installed-test,mutants
	@.venv-mutants/bin/python .ci/mutants.py $(ROOM) $(ARGS)

format: $(VENV)/.installed-test ## format the code and mend its style where that is safe
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

benchmark: $(VENV)/.installed-test,peers ## print CPU times beside other libraries and the limit, and keep them
	$(BIN)/python tests/benchmarks/table.py $(ARGS)

notebooks: $(VENV)/.installed-test,interop,peers,viz ## execute the notebooks anew and store their outputs
	$(BIN)/python tests/test_notebooks.py

data: $(VENV)/.installed-peers ## rebuild the bundled collection with scikit-learn
	$(BIN)/python data/make_digits.py
	$(BIN)/python data/make_votes.py

clean: ## remove virtual environments, caches and built files
	rm -rf .demo .fuzz .site .venv .venv-* .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	find .ci .docs lexiframe tests data -type d -name __pycache__ -prune -exec rm -rf {} +

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

.venv-build/.installed: pyproject.toml
	@$(MAKE) --no-print-directory VENV=.venv-build .venv-build/bin/pip
	@echo 'Installing what builds wheels into .venv-build (once) ...' >&2
	@.venv-build/bin/python -c 'import tomllib; \
		groups = tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]; \
		print(*groups["build"], sep="\n")' >.venv-build/requirements.txt
	@.venv-build/bin/python -m pip install --quiet --disable-pip-version-check \
		--requirement .venv-build/requirements.txt
	@touch $@

.venv-lowest/constraints.txt: pyproject.toml | $(BIN)/pip
	@$(BIN)/python -c 'import tomllib; \
		project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
		print(*project["dependencies"], sep="\n")' | sed 's/>=/==/' > $@
