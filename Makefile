# `make help` lists the targets. Everything runs in .venv, which is made from requirements.lock and from nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
SOURCES := engine operator sandbox demo tests crds charts docs image release

# Tests start hundreds of processes: none has to compile again what another has imported.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## Show this list of targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What a distribution has to give comes first, so that nothing long begins in vain.
.PHONY: needs
needs:
	@sh sandbox/needs.sh $(PYTHON)

# After the other needs: two installations at a time would hinder each other.
.PHONY: needs-of-tests
needs-of-tests: needs ## Install the Debian packages that tests need, or print the command that installs them
	@sh sandbox/needs.sh $(PYTHON) tests

.PHONY: demo
demo: $(INSTALLED) ## Start a control plane and the operator, place gangs, and show what happens
	@$(BIN)/python -m lockstep_demo

# Tests of a control plane wait for half of their time: two processes for each of two cores, and one that computes meanwhile
# what needs no server. A control plane costs 3 CPU seconds to start, and 3 % of a core while it is idle.
PROCESSES ?= 5
# Of long searches a sample is asked, drawn by this seed.
SAMPLE ?= 1

# What control planes allocate lives for seconds: they look for garbage seldom, but for those that have much. There are
# more of them than processors: threads of one that search for work would keep others from theirs.
SHARED_PROCESSORS := GOGC=400 GOMEMLIMIT=1GiB GOMAXPROCS=1

.PHONY: test
test: needs-of-tests lint type $(INSTALLED) ## Check lint, types and imports, and run the tests, with a sample of each long search: SAMPLE=1 is its seed
	$(BIN)/python -m sandbox fetch
	$(SHARED_PROCESSORS) $(BIN)/pytest -n $(PROCESSES) --sample $(SAMPLE)

# On a fresh clone each process of a run would compile all tests itself. Mypy leaves a processor for that meanwhile.
.PHONY: test-bytecode
test-bytecode: needs-of-tests $(INSTALLED)
	$(BIN)/pytest --quiet --collect-only >/dev/null

.PHONY: test-whole
test-whole: needs-of-tests lint type $(INSTALLED) ## Do the same as test, with all cases of long searches
	$(BIN)/python -m sandbox fetch
	$(SHARED_PROCESSORS) $(BIN)/pytest -n $(PROCESSES) --whole

# Those beside the usual one, which make test runs.
RELEASES ?= 1.35 1.37

.PHONY: test-versions
test-versions: TESTS = tests/controlplane
test-versions: needs-of-tests $(INSTALLED) ## Run tests of the control plane with Kubernetes 1.35 and 1.37: RELEASES=1.35 TESTS=tests/controlplane/test_releases.py
	set -e; for release in $(RELEASES); do export LOCKSTEP_SANDBOX_KUBERNETES=$$release; \
	  $(BIN)/python -m sandbox fetch etcd kube-apiserver kube-controller-manager kube-scheduler kwok kubectl; \
	  $(SHARED_PROCESSORS) $(BIN)/pytest -n $(PROCESSES) --sample $(SAMPLE) $(TESTS); done

.PHONY: test-unit
test-unit: $(INSTALLED) ## Run the tests that need no server, without the exhaustive tests, in a few minutes
	$(BIN)/pytest -n $(PROCESSES) -m unit

.PHONY: lint
lint: $(INSTALLED) ## Check formatting, lint rules and import contracts
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/lint-imports

.PHONY: type
type: $(INSTALLED) ## Check types with mypy --strict
	# In one process: on a busy machine, workers of mypy are not ready in the three seconds that it gives them.
	$(BIN)/mypy

.PHONY: bench
bench: $(INSTALLED) ## Compare the speed with the limit of the API server and with gangs of kube-scheduler; it never fails
	PYTHONPATH=tests $(BIN)/python tests/perf/bench.py

LOADS ?= ABCDEF
NODES ?= 5000
SCALE_ROUNDS ?= 3
SHARE ?= 1.0
LABEL ?= performance

.PHONY: scale
scale: $(INSTALLED) ## Compare Lockstep with kube-scheduler's gangs and Kueue at 5,000 nodes, for four hours at most: LOADS=AC NODES=200 SCALE_ROUNDS=1 SHARE=0.05
	PYTHONPATH=tests:tests/perf $(BIN)/python -m scale --loads $(LOADS) --nodes $(NODES) --rounds $(SCALE_ROUNDS) --share $(SHARE)

.PHONY: scale-upstream
scale-upstream: $(INSTALLED) ## Run the gang cases of upstream's scheduler_perf, unchanged, of the newest release of Kubernetes: LABEL=short
	$(BIN)/python -m sandbox fetch etcd
	PYTHONPATH=tests:tests/perf $(BIN)/python -m scale.upstream --label $(LABEL)

.PHONY: papers
papers: $(INSTALLED) ## Compute the results of the four papers, and compare them with the printed numbers
	@$(BIN)/lockstep papers

.PHONY: bench-engine
bench-engine: $(INSTALLED) ## Compare the speed of the engine's problems with numpy.sort; it never fails
	$(BIN)/python tests/perf/engine_bench.py

STRIKE ?= operator
ONE_IN ?= 1
FROM ?= 1
SEED ?= 1

.PHONY: crashes
crashes: $(INSTALLED) ## Kill a process at every request in the life of a gang: STRIKE=operator, api-server or set-back; ONE_IN=12 SEED=1
	PYTHONPATH=tests $(BIN)/python -m crashes --strike $(STRIKE) --one-in $(ONE_IN) --seed $(SEED)

SECONDS ?= 600

.PHONY: chaos
chaos: $(INSTALLED) ## Run random steps and faults: SECONDS=600 SEED=1; print violations, and shorten the walk that found one
	PYTHONPATH=tests $(BIN)/python -m chaos --seconds $(SECONDS) --seed $(SEED) --shrink-seconds $(SECONDS)

.PHONY: load
load: $(INSTALLED) ## Submit 10,000 GangJobs at once, a tenth of them invalid; print time, memory and the slowest answers
	PYTHONPATH=tests $(BIN)/python tests/perf/load.py

KIND ?=
FIELD ?=
COUNTED ?=

.PHONY: tenants
tenants: $(INSTALLED) ## Measure what the objects of one tenant cost other tenants: KIND=pods, FIELD=affinity, ONE_IN=20, FROM=7; COUNTED=1 only counts
	PYTHONPATH=tests $(BIN)/python -m tenants --kind "$(KIND)" --field "$(FIELD)" --one-in $(ONE_IN) --seed $(SEED) \
	  --first $(FROM) $(if $(COUNTED),--counted)

.PHONY: sandbox-up
sandbox-up: $(INSTALLED) ## Start a control plane on this machine, with 12 nodes on which pods pretend to run
	@$(BIN)/python -m sandbox up --nodes 12 --with kwok,controller-manager,scheduler

.PHONY: sandbox-down
sandbox-down: $(INSTALLED) ## Stop the control plane of sandbox-up
	@$(BIN)/python -m sandbox down

VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"$$/\1/p' operator/lockstep/__init__.py)
REVISION = $(shell git rev-parse HEAD)
# Of the commit, in seconds since 1970.
MADE = $(shell git log -1 --format=%ct)
IMAGE ?= lockstep:$(VERSION)
PLATFORMS ?= linux/amd64,linux/arm64

# What the Dockerfile's steps install, for these platforms; they themselves need no network.
wheels = $(BIN)/python -m image.make.wheels build/wheels $(addprefix --platform=,$(subst $(comma), ,$(1)))
comma := ,

.PHONY: image
image: $(INSTALLED) ## Build the operator's image with Docker for amd64 and arm64, as the archive build/lockstep-image.tar
	$(call wheels,$(PLATFORMS))
	docker buildx build --file image/Dockerfile --platform $(PLATFORMS) --tag $(IMAGE) \
	  --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) --output type=oci,dest=build/lockstep-image.tar .

KIND_CLUSTER := lockstep

.PHONY: kind-up
kind-up: ## Create a kind cluster: a control plane, a worker, and three nodes for gangs
	kind create cluster --config kind-config.yaml --name $(KIND_CLUSTER)

.PHONY: kind-down
kind-down: ## Delete the kind cluster
	kind delete cluster --name $(KIND_CLUSTER)

# Of Docker's two builders either will do, and a base that Docker has already: BASE=NAME.
BASE ?=
define build_here
docker build --file image/Dockerfile --tag $(IMAGE) $(addprefix --build-arg=BASE=,$(1)) \
  --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) .
endef

.PHONY: image-here
image-here: $(INSTALLED) ## Build the image with Docker for this machine only; DOCKER_BUILDKIT=0 works too
	$(call wheels,linux/$(shell docker version --format '{{.Server.Arch}}'))
	$(call build_here,$(BASE))

.PHONY: kind-image
kind-image: image-here ## Build the image with Docker for this machine, and load it into the kind cluster
	kind load docker-image $(IMAGE) --name $(KIND_CLUSTER)

.PHONY: e2e-kind
e2e-kind: $(INSTALLED) kind-image ## In the kind cluster, install the chart, run the examples, kill the leader, upgrade and uninstall
	$(on_kind)

on_kind = LOCKSTEP_E2E=kind LOCKSTEP_E2E_IMAGE=$(IMAGE) $(BIN)/pytest --whole $(KIND_TESTS)
KIND_TESTS ?= tests/e2e

# A Docker with a network of its own reaches no registry, so all is there before: bases, programs, wheels. What it keeps
# makes the next run shorter.
KIND_HERE := $(CURDIR)/build/kind-here
NODE_IMAGE := lockstep-node:e2e

.PHONY: e2e-kind-here
e2e-kind-here: e2e-needs ## Do the same as e2e-kind without a registry, with a Docker daemon and a kind cluster of its own; as root
	$(BIN)/python -m sandbox fetch kind kubeadm kube-proxy
	sh tests/e2e/kind/bases.sh $(KIND_HERE)
	PYTHONPATH=tests $(BIN)/python -m e2e.kind.docker_programs $(KIND_HERE)/programs
	$(call wheels,linux/$(shell dpkg --print-architecture))
	DOCKER_BUILDKIT=0 sh tests/e2e/kind/own_docker.sh $(KIND_HERE) $(MAKE) --no-print-directory e2e-kind-inside

# What happens beside that Docker. Its end is the end of all that is started here.
.PHONY: e2e-kind-inside
e2e-kind-inside: export KUBECONFIG = $(KIND_HERE)/kubeconfig
e2e-kind-inside: export PYTHONPATH = tests
# The images of two examples are in registries only.
e2e-kind-inside: KIND_TESTS = tests/e2e -k 'not 13-torchrun and not 14-mpirun'
e2e-kind-inside:
	@for base in python node; do docker image inspect lockstep-base/$$base >/dev/null 2>&1 || \
	  docker import $(KIND_HERE)/$$base.tar lockstep-base/$$base; done
	$(call build_here,lockstep-base/python)
	$(BIN)/python -m e2e.kind.node_image $(NODE_IMAGE)
	$(BIN)/python -m e2e.kind.own_cluster $(NODE_IMAGE) $(IMAGE)
	$(on_kind)

# Each process has namespaces of its own, with which all ends that it starts; but the control groups are the machine's, and
# so is the disk. Nothing in them is loaded from anywhere: what they need is there before.
define on_kubelets
folder=$$(mktemp -d) && \
  $(SHARED_PROCESSORS) LOCKSTEP_E2E=kubelets LOCKSTEP_E2E_IMAGE=$(IMAGE) LOCKSTEP_E2E_ARCHIVE=build/lockstep-rootfs.tar \
  LOCKSTEP_E2E_MEMBERS='$(MEMBERS)' LOCKSTEP_E2E_TORCH=$(TORCH) LOCKSTEP_E2E_LONG=$(LONG) LOCKSTEP_E2E_ROUNDS=$(ROUNDS) \
  $(BIN)/pytest --basetemp=$$folder/e2e --dist=load --tx='$(2)*popen//python=sh tests/e2e/own_namespaces.sh' $(1); code=$$?; \
  rm -rf $$folder; find /sys/fs/cgroup/*/lockstep-e2e -depth -type d -exec rmdir {} +; exit $$code
endef
TORCH ?=
LONG ?=
ROUNDS ?=
MEMBERS := build/members.tar $(if $(TORCH),build/members-torch.tar)

.PHONY: e2e-needs
e2e-needs: $(INSTALLED) ## Install what tests on real nodes need, or print what this machine lacks
	@sh sandbox/needs.sh $(PYTHON) nodes
	@PYTHONPATH=tests $(BIN)/python -m e2e.needs
	$(BIN)/python -m sandbox fetch etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kubelet helm coredns \
	  local-path-provisioner

.PHONY: e2e-kubelets
e2e-kubelets: e2e-needs image-rootfs ## Do the same as e2e-kind on real kubelets of this machine: as root, with containerd, runc, CNI and busybox
	$(call on_kubelets,--whole tests/e2e,1)

TESTS ?= tests/e2e/nodes
# Each process has three nodes and a control plane. On two processors, members of one starve the control plane of another.
NODE_PROCESSES ?= 1
# Scenes of one kind are a search here too: WHOLE=--whole asks all of them.
WHOLE ?=

# While packages for one image are downloaded, the other is built.
.PHONY: e2e-nodes
e2e-nodes: e2e-needs ## Run real programs on real kubelets, as root; TORCH=1 adds PyTorch, LONG=1 adds long tests, WHOLE=--whole runs all cases
	@$(MAKE) --no-print-directory --jobs=2 image-rootfs $(MEMBERS)
	$(call on_kubelets,--sample $(SAMPLE) $(WHOLE) $(TESTS),$(NODE_PROCESSES))

$(MEMBERS): build/%.tar: $(wildcard tests/e2e/members/*.py tests/e2e/members/programs/*) $(INSTALLED)
	PYTHONPATH=tests $(BIN)/python -m e2e.members.image $@ --name $*:e2e

# Controllers that make pods. Each is built once, in minutes, so they are no part of make test.
CONTROLLERS := jobset-controller mpi-operator lws-controller ray-operator trainer-controller-manager training-operator kueue
# Each process has a control plane of its own.
CONTROLLER_PROCESSES ?= 3
# With "each", the operator is killed at each write of a life with each controller, for which an hour is needed.
KILLS ?=

define beside_controllers
$(BIN)/python -m sandbox fetch etcd kube-apiserver kube-controller-manager kwok kubectl $(1)
LOCKSTEP_E2E_KILLS=$(KILLS) $(SHARED_PROCESSORS) $(BIN)/pytest --whole -n $(CONTROLLER_PROCESSES) $(2)
endef

.PHONY: e2e-controllers
e2e-controllers: TESTS = tests/e2e/controllers
e2e-controllers: $(INSTALLED) ## Place pods of JobSets, MPIJobs, RayClusters and other kinds as gangs, with their real controllers
	$(call beside_controllers,$(CONTROLLERS),$(TESTS))

# Controllers whose jobs compute on real kubelets. Each is built in minutes, for which CI has no time. Their kinds are in their modules.
UNCHANGED := mpi-operator $(if $(TORCH),training-operator)

.PHONY: e2e-unchanged
e2e-unchanged: TESTS = tests/e2e/nodes/unchanged
e2e-unchanged: e2e-unchanged-needs ## Run an MPIJob with the MPI operator on real kubelets, as root; TORCH=1 adds a PyTorchJob
	@$(MAKE) --no-print-directory --jobs=2 image-rootfs $(MEMBERS)
	$(call on_kubelets,$(TESTS),1)

.PHONY: e2e-unchanged-needs
e2e-unchanged-needs: e2e-needs
	$(BIN)/python -m sandbox fetch $(UNCHANGED)
	PYTHONPATH=tests $(BIN)/python -m e2e.controllers.kubeflow.modules

# Jobs need no controller of others, and that of JobSets is built in two minutes.
JOB_CONTROLLERS := jobset-controller
JOB_TESTS := tests/e2e/controllers/test_jobs.py tests/e2e/controllers/test_jobsets.py

.PHONY: e2e-jobs
e2e-jobs: $(INSTALLED) ## Run the part of e2e-controllers that CI runs: Jobs and JobSets
	$(call beside_controllers,$(JOB_CONTROLLERS),$(JOB_TESTS))

# Tests that run meanwhile go first.
.PHONY: e2e-jobs-needs
e2e-jobs-needs: $(INSTALLED) ## Build the programs that e2e-jobs needs, at low priority
	nice -n 19 $(BIN)/python -m sandbox fetch $(JOB_CONTROLLERS)

.PHONY: image-rootfs
image-rootfs: $(INSTALLED) ## Build the image without Docker, with this machine's Python, for containerd: build/lockstep-rootfs.tar
	$(BIN)/python -m image.make.rootfs build/lockstep-rootfs.tar \
	  --name $(IMAGE) --version $(VERSION) --revision $(REVISION)

.PHONY: sbom
sbom: $(INSTALLED) ## Write the bill of materials of the image, in CycloneDX: build/lockstep.cdx.json
	$(BIN)/python -m image.make.sbom build/lockstep.cdx.json --version $(VERSION) --made $(MADE)

# Where the files of a release will be, for the manifest of the plug-in.
RELEASE_URL ?= https://downloads.example.com/lockstep/$(VERSION)
# Docker's buildx builds the image for all platforms; without it there is an image for this machine's.
HAS_BUILDX = $(shell docker buildx inspect >/dev/null 2>&1 && docker info >/dev/null 2>&1 && echo yes)

.PHONY: release
release: RELEASE_IMAGE = $(if $(HAS_BUILDX),image build/lockstep-image.tar,image-rootfs build/lockstep-rootfs.tar)
release: $(INSTALLED) ## Write all files of a release into build/release: chart, image, command line, plug-in, bill of materials, notes, checksums
	@$(MAKE) --no-print-directory $(firstword $(RELEASE_IMAGE))
	$(BIN)/python -m sandbox fetch helm
	$(BIN)/python -m release.make build/release --version $(VERSION) --made $(MADE) --image $(lastword $(RELEASE_IMAGE)) \
	  --address $(RELEASE_URL)

.PHONY: generate
generate: $(INSTALLED) ## Write all generated files again
	$(BIN)/python -m crds.make
	$(BIN)/python -m charts.make
	$(BIN)/python -m image.make
	$(BIN)/python docs/make_metrics.py
	$(BIN)/python docs/make_papers.py
	$(BIN)/python -m charts.make.dashboard
	$(BIN)/python docs/make_pictures.py

.PHONY: record-demo
record-demo: $(INSTALLED) ## Record the terminal of the demo; make generate then draws it for the README
	$(BIN)/python docs/record_demo.py

.PHONY: record-timeline
record-timeline: $(INSTALLED) ## Take the pictures of the timeline for the docs, with Chromium
	PYTHONPATH=tests $(BIN)/python docs/record_timeline.py

SUITE ?= bookworm
CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/lockstep
SELECT ?=

.PHONY: fresh
fresh: ## Run make demo and make test in an empty Debian, as root: SUITE=trixie; CACHE= builds all programs again; SELECT=tests/docs
	@sh tests/fresh.sh "$(SUITE)" "$(CACHE)" "make demo" "PYTEST_ADDOPTS='$(SELECT)' make test PROCESSES=$(PROCESSES)"

# Before the hours that verify takes, and not after them.
.PHONY: needs-of-fresh
needs-of-fresh:
	@sh tests/fresh.sh needs

.PHONY: verify
verify: needs-of-fresh e2e-needs test-whole generate ## Check everything before a release: all tests, whole long searches, generated files, real controllers, real kubelets, kind, and make fresh
	git diff --exit-code
	$(MAKE) test-versions
	$(MAKE) e2e-controllers
	$(MAKE) e2e-unchanged TORCH=1
	$(MAKE) e2e-nodes LONG=1 WHOLE=--whole
	$(MAKE) e2e-kind-here
	$(MAKE) fresh

# A third of the time would go into compiling 6,000 modules, of which one in six is ever imported, and compiled then.
$(INSTALLED): requirements.lock pyproject.toml | needs
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Lockstep needs Python 3.11 or newer.")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked dependencies into $(VENV) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes --requirement requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
