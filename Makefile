# Needs python3 (3.11 or later) and nothing else; the rest is put into .venv.
.DEFAULT_GOAL := help
PYTHON ?= python3
UV_VERSION := 0.13.9
BOOK ?= examples/book
PORT ?= 8000
WORKERS ?= 2
DATA ?= ../shared/data/reader
MINUTES ?= 60
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv/bin
SYNC := UV_PROJECT_ENVIRONMENT=.venv $(VENV)/uv sync --frozen --inexact --quiet --python $(VENV)/python

CHECKOV := checkov==3.3.30

.PHONY: help demo test check checkov eval reader bench pictures build wheel rehearse soak load chaos clean
help: ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/uv: Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Quoth needs Python 3.11 or later; set PYTHON=…"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' \
		|| { echo "Python's venv module is missing (on Debian: apt install python3-venv)"; exit 1; }
	@test -x $(VENV)/python || $(PYTHON) -m venv .venv
	@$(VENV)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

.venv/local: .venv/uv uv.lock pyproject.toml
	@echo "Installing Quoth …"
	@$(SYNC)
	@touch $@

.venv/dev: .venv/uv uv.lock pyproject.toml
	@echo "Installing Quoth and its test tools …"
	@$(SYNC) --group dev
	@touch $@ .venv/local

demo: .venv/local ## Serve the sample book at http://127.0.0.1:8000; CHECK=1 asks it four questions
ifdef CHECK
	@$(VENV)/quoth check-demo
else
	@$(VENV)/quoth up $(BOOK) --port $(PORT)
endif

test: .venv/dev ## Run the tests
	@$(VENV)/pytest -q -m "not soak" -n $(WORKERS) --dist loadfile $(ARGS)

check: .venv/dev ## Lint, types, import rules, generated files, templates
	@$(VENV)/ruff check .
	@$(VENV)/ruff format --check --quiet .
	@$(VENV)/mypy
	@$(VENV)/lint-imports --no-cache
	@$(VENV)/cfn-lint
	@$(VENV)/python -m tools.build.expanded
	@$(VENV)/quoth openapi --check
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory -C widget check; \
		else echo "npm is not here: the widget was not checked"; fi
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory -C dashboard check; fi
	@if command -v npm >/dev/null; then cd infra/workflows && npm ci --silent && npm run --silent lint; \
		else echo "npm is not here: the workflows were not checked"; fi

checkov: .venv/uv ## Check the templates with checkov, in an environment of its own
	@$(VENV)/uv tool run --quiet --from $(CHECKOV) checkov --config-file infra/checkov.yaml

eval: .venv/dev ## Measure quality on ../shared, when it is there; WRITE=1 writes docs/measurements.md
	@$(VENV)/quoth eval all ../shared $(if $(WRITE),--write docs/measurements.md)

reader: .venv/dev ## Train the reader on DATA for MINUTES, export its weights and measure them
	@$(SYNC) --group dev --group reader
	@$(VENV)/python -m tools.reader prepare $(DATA)
	@$(VENV)/python -m tools.reader train --minutes $(MINUTES)
	@$(VENV)/python -m tools.reader export quoth/reader/reader.onnx
	@$(VENV)/python -m tools.reader report quoth/reader/reader.onnx

bench: .venv/uv uv.lock pyproject.toml ## Measure speed beside other libraries, same run
	@# NLTK, inside LlamaIndex, refuses files that are links into a cache.
	@$(SYNC) --group dev --group bench --link-mode copy --reinstall-package llama-index-core
	@$(VENV)/python -m tools.bench

pictures: .venv/dev ## Take the pictures of the panel in docs/images
	@PYTHONPATH=. $(VENV)/python tests/browser/pictures.py $(ARGS)

build: .venv/dev ## Build the functions with SAM and measure them; WRITER=agents adds the Agents SDK
	@PATH="$$PWD/$(VENV):$$PATH" $(VENV)/python -m tools.build --report build/report.md \
		$(if $(filter agents,$(WRITER)),--extra agents)

wheel: .venv/uv ## Build the wheel, install it into an empty environment and use it
	@$(VENV)/python -m tools.check_wheel

rehearse: .venv/dev ## Build, deploy to a local AWS, and use what was deployed (3 minutes)
	@PATH="$$PWD/$(VENV):$$PATH" $(VENV)/python -m tools.rehearse --report .aws-sam/rehearsal.md

soak: .venv/dev ## Run the long tests
	@$(SYNC) --group dev --group bench
	@$(VENV)/pytest -q -m soak $(ARGS)
	@$(MAKE) --no-print-directory load chaos

load: .venv/dev ## Ask with 200 and 750 readers at once, over processes
	@$(VENV)/python -m tests.load $(ARGS)

chaos: .venv/dev ## Kill each part and bring it back while readers ask
	@$(VENV)/python -m tests.load.chaos

clean: ## Remove what make made
	rm -rf .venv .aws-sam build
