# Every word does its own set-up: .venv is filled from uv.lock whenever pyproject.toml or uv.lock is newer than it.
# Needs Python 3.11+, pip, git and make. uv is used where it is on PATH, and otherwise put under .cache by pip.

.DELETE_ON_ERROR:
.PHONY: setup demo test lint bench torture soak docs

PYTHON     ?= python3
JOBS       ?= 2
UV_VERSION := 0.13.9
READY      := .venv/.ready
RUN        := .venv/bin/python
PYTEST      = $(RUN) -m pytest -n $(JOBS)
TYPED       = src $(wildcard docs/*.py docs_src examples)
DEMO_HOME  := .conspectus
MANIFEST   := $(DEMO_HOME)/demo.json
export UV_PYTHON_DOWNLOADS := never

setup: $(READY)

$(READY): pyproject.toml uv.lock
	@set -e; \
	uv=uv; \
	if ! uv --version >/dev/null 2>&1; then \
	    uv=.cache/uv/bin/uv; \
	    [ -x "$$uv" ] || $(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
	--target .cache/uv "uv==$(UV_VERSION)"; \
	fi; \
	"$$uv" sync --quiet --locked --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')"
	@touch $@

demo: $(READY)
	@mkdir -p $(DEMO_HOME)
	.venv/bin/conspectus assemble "Where do conflicts stand in the payload, and what is named when evidence is missing?" --in . --input-limit 6000 \
	    --home $(DEMO_HOME) --manifest $(MANIFEST)
	.venv/bin/conspectus why $(MANIFEST) docs/layout.md --home $(DEMO_HOME)
	.venv/bin/conspectus quality $(MANIFEST) --home $(DEMO_HOME)

# tests/contract holds the invariants: at least 1,000 generated cases each (see tests/conftest.py).
test: $(READY)
	$(PYTEST) -m "not soak"

# One tool a target, so that --keep-going shows what every tool has to say.
lint: .lint-ruff .lint-format .lint-mypy .lint-pyright .lint-imports

.PHONY: .lint-ruff .lint-format .lint-mypy .lint-pyright .lint-imports
.lint-ruff: $(READY)
	.venv/bin/ruff check .
.lint-format: $(READY)
	.venv/bin/ruff format --check .
.lint-mypy: $(READY)
	.venv/bin/mypy $(TYPED)
.lint-pyright: $(READY)
	.venv/bin/pyright $(TYPED)
.lint-imports: $(READY)
	.venv/bin/lint-imports

bench: $(READY)
	$(RUN) -m bench

torture: $(READY)
	$(RUN) -m torture

soak: $(READY)
	$(PYTEST) --hypothesis-profile=soak -m "soak or contract"

docs: $(READY)
	$(RUN) -m docs.build
