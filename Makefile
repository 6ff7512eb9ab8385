# One command each; `make run` needs nothing but Python and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PAGE := backend/signalbox/web/dist/index.html
PAGE_SOURCES := $(shell find frontend -type f -not -path '*/node_modules/*' -not -path '*/test/*' -not -path '*/dist/*' 2>/dev/null)

.PHONY: install run chat web test check bench chaos costs drill screenshots clean

install: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Signalbox needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[embedded,dev]'
	@touch $(STAMP)

# Builds the web page if Node.js is there; the server says what to do if it is not.
web: $(PAGE)

$(PAGE): $(PAGE_SOURCES)
	@scripts/web
	@test ! -d $(@D) || touch $@

run: install
	@$(MAKE) --no-print-directory web || echo "The web page could not be built (see above); all else runs without it."
	@$(BIN)/signalbox serve

chat: install
	@$(BIN)/signalbox chat

test: install web
	@scripts/test

check: install web
	@scripts/check

bench: install
	@$(BIN)/python scripts/bench.py

# Kills workers N times at every point of a run; CI does a few dozen.
N ?= 200
chaos: install
	@CHAOS_KILLS=$(N) $(BIN)/python -m pytest -q -s tests/chaos/test_kills.py

# What a scripted day of 200 conversations costs, with and without tiers and prefix caching.
costs: install
	@$(BIN)/python scripts/cost_table.py

# Breaks a model's provider in every way and prints what a client sees.
drill: install
	@$(BIN)/python scripts/fallback_drill.py

# Plays a conversation in a real browser and takes the README's pictures of it.
screenshots: install web
	@$(BIN)/python scripts/screenshots.py

clean:
	rm -rf $(VENV) .data frontend/node_modules backend/signalbox/web/dist
