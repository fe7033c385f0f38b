# Each target does its own set-up. Settings: PORT, BASE_IMAGE, FORCE=1 (clean), ARGS (test).
PORT ?= 8000
export PORT BASE_IMAGE FORCE

.DEFAULT_GOAL := help
.PHONY: help setup run test check bench soak compose-test load image accounts lock clean

help: ## This list
	@sed -n 's/^\([a-z-]*\): ## /  make \1\t/p' Makefile | expand -t 22

run: ## Set up and serve the site on 127.0.0.1:8000 (PORT=…)
	@bin/run

setup: ## Only set up what `make run` needs
	@bin/preflight
	@bin/setup run

test: ## Checks and all tests (ARGS='-k name' for some)
	@bin/test $(ARGS)

check: ## Form, types, import contracts, Django's checks
	@bin/ensure-venv dev
	@bin/check

bench: ## Benchmarks, as ratios to plain `docker exec`
	@bin/preflight
	@bin/setup test
	@bin/with-services .venv/bin/python -m tests.bench

soak: ## Kill parts of a site in use for ten minutes, then count (SOAK_S=…)
	@bin/preflight
	@bin/setup test
	@bin/soak

compose-test: ## Bring the whole composition up with TLS and walk through it in Chromium
	@bin/preflight
	@bin/setup test
	@bin/try-compose

load: ## A school in small, timed (LOAD_STUDENTS=… LOAD_S=…)
	@bin/preflight
	@bin/setup test
	@bin/load

image: ## Build the agent image (BASE_IMAGE=…)
	@bin/ensure-docker
	@bin/build-image

accounts: ## Show the demo accounts
	@bin/ensure-venv base
	@.venv/bin/python bin/prepare_site.py migrate seed_demo

lock: ## Pin the dependencies anew
	@bin/lock

clean: ## Remove this checkout's labs, environment and data (FORCE=1: don't ask)
	@bin/clean
