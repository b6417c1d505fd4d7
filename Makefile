# Each routine has a target; `make help` lists them.
PYTHON ?= python3
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help run class site test browsers quick lint format check bench words

help: ## List these targets
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile

run: $(VENV)/.run ## Start the app and print its address
	@$(BIN)/python -c 'import socket; socket.create_server(("", $(PORT)))' 2>/dev/null || { \
		echo "Port $(PORT) is taken, perhaps by this app already. Take another: make run PORT=$$(($(PORT) + 1))"; exit 1; }
	@$(BIN)/python -m ui.launcher --server.port $(PORT)

class: $(VENV)/.run ## Serve a class on this network: address, QR code, what is missing
	@$(BIN)/python scripts/serve_class.py --port $(PORT)

site: $(VENV)/.run ## Write the static page, which needs no server, to build/site
	@$(BIN)/python scripts/build_site.py

test: $(VENV)/.dev ## Run every test, also those in a browser
	$(BIN)/python scripts/install_chromium.py
	$(BIN)/python -m pytest --ignore tests/browsers --numprocesses 2 --dist loadfile --no-loadscope-reorder

browsers: $(VENV)/.dev ## Run the journeys in Chromium, Firefox and WebKit
	$(BIN)/python scripts/install_chromium.py
	$(BIN)/python scripts/install_browsers.py
	BROWSERS="chromium firefox webkit" $(BIN)/python -m pytest tests/browsers

quick: $(VENV)/.dev ## Run the first case of each test that needs no browser and little time
	TESTS=quick $(BIN)/python -m pytest -m "not slow" --ignore tests/e2e --ignore tests/browsers --numprocesses 2 --dist loadfile

lint: $(VENV)/.dev ## Check the code for errors and format
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

format: $(VENV)/.dev ## Format the code
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

words: $(VENV)/.dev ## Update the catalogues of all languages from the code
	$(BIN)/python scripts/words.py $(LANGUAGE)

check: lint test ## Lint and test, as the workflow does

bench: $(VENV)/.dev ## Run every benchmark
	@for script in benchmarks/[!_]*.py; do \
		[ -e "$$script" ] || { echo "No benchmarks yet."; exit 0; }; \
		echo "== $$script"; PYTHONPATH=. $(BIN)/python "$$script" || exit 1; \
	done

# The stamps: requirements are installed again only when their file changed.
$(VENV)/.run: requirements.txt requirements-core.txt requirements-app.txt | $(BIN)/pip
	$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.dev: $(wildcard requirements*.txt) | $(BIN)/pip
	$(PIP) -r requirements-dev.txt
	@touch $@ $(VENV)/.run

$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || { \
		echo "No $(PYTHON) here. Install Python 3.11 or newer, or name it: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$$($(PYTHON) --version) is too old: Tokenloupe needs 3.11 or newer. Name another: make PYTHON=python3.13"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make a virtual environment. On Debian or Ubuntu: sudo apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
