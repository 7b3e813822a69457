# The front door. Every target sets the machine up first (scripts/setup: a no-op when nothing is
# missing); TACET_SETUP=skip leaves the machine alone.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Minutes that each fuzz target runs.
MINUTES ?= 1
PREFIX ?= /usr/local
# The modules whose lines `make coverage` counts.
COVERED = accounting ledger mechanism optimize
SPACE = $(subst ,, )

.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-long test-browser sanitize tsan coverage python \
  python-engines python-long wheel deb reproduce release-check docs audit audit-faults bench bench-utility fuzz format \
  check-format check-floors check-seeds install clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | \
	  awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'
	@echo "  JOBS=n, MINUTES=n (fuzz), PREFIX=dir (install), TACET_DATA=dir (large public data sets)"

setup: ## install the distribution packages that are missing
	@scripts/setup build

build: setup ## build/release/tacet, the libraries and the tests
	@scripts/build release $(JOBS)

demo: setup ## train on the bundled data and print the result
	@scripts/build release $(JOBS) tacet_program
	@scripts/demo

test: build ## the quick tests
	@scripts/setup test || echo 'make: without NumPy, SciPy and sqlite3 some tests are skipped'
	@scripts/run_tests release quick $(JOBS)

test-long: build ## the heavy tests: statistical counts, reference precision, audits
	@scripts/setup test || echo 'make: without NumPy and SciPy one test is skipped'
	@scripts/setup long || echo 'make: without PostgreSQL its tests are skipped'
	@scripts/build release $(JOBS) tacet_long_tests
	@scripts/run_tests release long $(JOBS)

audit: setup ## attack every release that the program knows; writes docs/audit.md, takes up to an hour
	@scripts/build release $(JOBS) tacet_program audit_power
	@scripts/audit build/release/tacet --power build/release/tests/audit_power

audit-faults: setup ## plant every fault of tests/faults; prints fault, test, p-value and runs
	@scripts/build release $(JOBS) tacet_faults

test-browser: setup ## reports in Chromium; pictures and printed pages stay in build/browser
	@scripts/build release $(JOBS) tacet_program
	@scripts/setup browser || echo 'make: the browser is missing; its tests are skipped'
	@scripts/browser

sanitize: setup ## the quick tests with address and undefined-behaviour sanitizers
	@scripts/build sanitize $(JOBS)
	@scripts/run_tests sanitize quick $(JOBS)

tsan: setup ## the quick tests with the thread sanitizer
	@scripts/build tsan $(JOBS)
	@scripts/run_tests tsan quick $(JOBS)

# By their own tests alone: what a command happens to run as well proves nothing.
coverage: setup ## lines of what decides privacy that the tests beside them run
	@scripts/build coverage $(JOBS) $(addsuffix _test,$(COVERED))
	@find build/coverage -name "*.gcda" -delete
	@ctest --test-dir build/coverage --output-on-failure --parallel $(JOBS) \
	  --tests-regex "^($(subst $(SPACE),|,$(COVERED)))$$"
	@scripts/coverage build/coverage

python: build ## the Python package in build/python/venv, and its tests (needs a package index)
	@scripts/setup python
	@scripts/python $(JOBS)

python-engines: ## records in parts over processes, MPI and Dask (after `make python`)
	@scripts/setup engines || echo 'make: without Open MPI its tests are skipped'
	@scripts/python --engines $(JOBS)

python-long: build ## its long tests, a wheel alone with the oldest scikit-learn, pip install from sources, the site
	@scripts/setup python wheel
	@scripts/setup cluster || echo 'make: without Open MPI and Java their tests are skipped'
	@scripts/python --long $(JOBS)
	@scripts/setup docs
	@scripts/docs

wheel: build ## a wheel of the Python package in build/python/wheels that needs nothing of the distribution
	@scripts/setup python wheel
	@scripts/python --wheel $(JOBS)

deb: build ## packages for Debian in build/packages, checked by lintian
	@scripts/setup package
	@scripts/deb

reproduce: ## build everything twice in different places and compare the bytes (half an hour)
	@scripts/setup build package python wheel
	@scripts/reproduce --jobs $(JOBS)

release-check: ## walk the checklist of a release: versions, documents, tests, packages (some hours)
	@scripts/release_check

docs: ## the site of the documentation in build/docs (after `make python`; needs a package index)
	@scripts/setup docs
	@scripts/docs

bench: ## run the benchmarks of speed, renew bench/speed/tables, print them; fails when a bar is missed
	@scripts/setup bench
	@scripts/build bench $(JOBS)
	@bench/speed/memory.py --program build/bench/tacet
	@bench/speed/gram.py --build build/bench
	@bench/speed/scaling.py
	@bench/speed/readers.py
	@bench/speed/run

bench-utility: ## measure models on the data sets below TACET_DATA; fails when a bar is missed
	@scripts/setup bench
	@scripts/build release $(JOBS) tacet_program
	@bench/utility/utility.py
	@bench/utility/objective.py
	@bench/utility/describe.py
	@bench/utility/noise.py
	@bench/utility/holder.py

fuzz: ## fuzz every reader, MINUTES each
	@scripts/setup fuzz
	@scripts/build fuzz $(JOBS)
	@scripts/fuzz $(MINUTES)

format: ## format the sources in place
	@scripts/setup format
	@scripts/format

check-format: ## fail when a source is not formatted
	@scripts/setup format
	@scripts/format --check

check-floors: setup ## fail when an include climbs the floors
	@scripts/check_floors

check-seeds: setup ## fail when a test of the command line depends on noise without a seed
	@scripts/check_seeds

install: build ## install program, libraries, headers and CMake package below PREFIX
	@cmake --install build/release --prefix "$(PREFIX)"

clean: ## remove build/
	rm -rf build
