# One command each; `make run` needs nothing but Python and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install run chat test check bench chaos clean

install: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Signalbox needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[embedded,dev]'
	@touch $(STAMP)

run: install
	@$(BIN)/signalbox serve

chat: install
	@$(BIN)/signalbox chat

test: install
	@scripts/test

check: install
	@scripts/check

bench: install
	@$(BIN)/python scripts/bench.py

# Kills workers N times at every point of a run; CI does a few dozen.
N ?= 200
chaos: install
	@CHAOS_KILLS=$(N) $(BIN)/python -m pytest -q -s tests/chaos/test_kills.py

clean:
	rm -rf $(VENV) .data
