"""Three real nodes: one for the operator, and two for gangs, whose members run real programs."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from e2e.cluster import POOL, SPEED_LABEL, Cluster
from e2e.clusters import RealCluster, real_cluster
from e2e.gangs import bids
from e2e.installed import installed
from e2e.kubelet_node import KubeletNode
from e2e.nodes.agents import VALUES, Agents
from e2e.nodes.jobs import Jobs
from e2e.nodes.measured import Measured, all_measured
from e2e.release import Release
from failure_sections import show_beside
from sandbox import Node, Taint, TaintEffect

POOL_KEY, _, POOL_VALUE = POOL.partition("=")
POOL_TAINT = Taint(key=POOL_KEY, value=POOL_VALUE, effect=TaintEffect.NO_SCHEDULE)
SYSTEM, FAST, SLOW = "system", "fast", "slow"
# A gang that has the choice goes to the fast one.
SPEEDS = {FAST: "2", SLOW: "1"}
# On the fast node a member needs four fifths of what one on the slow node needs, until a load makes that the faster.
WITH_AGENTS = {FAST: "1.25", SLOW: "1"}
SLOTS = 3

# The image of PyTorch is large, and some scenes take minutes. Both are there for those who ask.
ASKED_FOR = {
    "test_torchrun.py": "LOCKSTEP_E2E_TORCH",
    "test_agents_long.py": "LOCKSTEP_E2E_LONG",
    "test_dealing_long.py": "LOCKSTEP_E2E_LONG",
}
collect_ignore = [file for file, variable in ASKED_FOR.items() if not os.environ.get(variable)]


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """The cluster, and its nodes as those see them who can enter them."""
    pool = [
        Node(name=name, labels={POOL_KEY: POOL_VALUE, SPEED_LABEL: speed}, taints=(POOL_TAINT,))
        for name, speed in SPEEDS.items()
    ]
    members = [Path(archive) for archive in os.environ["LOCKSTEP_E2E_MEMBERS"].split()]
    with real_cluster(tmp_path_factory.mktemp("nodes"), [Node(name=SYSTEM), *pool], members=members) as made:
        yield made


@pytest.fixture(scope="session")
def cluster(machine: RealCluster) -> Cluster:
    """The cluster that the tests run on."""
    return machine.cluster


@pytest.fixture(scope="session")
def nodes(machine: RealCluster) -> Mapping[str, KubeletNode]:
    """Its nodes by name."""
    return machine.nodes


@pytest.fixture(scope="session")
def release(cluster: Cluster) -> Iterator[Release]:
    """The chart, installed once for all tests; members on a node that is lost are given up soon after."""
    with installed(cluster, ("operator.unreachableAfter=5s",)) as release:
        yield release


@pytest.fixture(scope="session")
def offers(cluster: Cluster, release: Release) -> None:
    """Room for three members on each node of the pool."""
    del release
    cluster.apply(*bids(SPEEDS.items(), slots=SLOTS))


@pytest.fixture
def equal_nodes(cluster: Cluster, offers: None) -> Iterator[None]:
    """Both nodes are as fast, so that members on both are worth a change of size."""
    del offers
    cluster.apply(*bids([(name, "1") for name in SPEEDS], slots=SLOTS))
    yield
    cluster.apply(*bids(SPEEDS.items(), slots=SLOTS))


@pytest.fixture
def jobs(cluster: Cluster, offers: None) -> Iterator[Jobs]:
    """GangJobs in a namespace of the tests' own; none is left after a test."""
    del offers
    jobs = Jobs(cluster)
    yield jobs
    jobs.delete_all()


@pytest.fixture(scope="module")
def agents(cluster: Cluster, nodes: Mapping[str, KubeletNode], release: Release, offers: None) -> Iterator[Agents]:
    """Agents on both nodes for gangs, which bid beside what people have set there: capacities and slots."""
    del offers
    cluster.delete("nodebids", "--all")
    cluster.apply(*bids(WITH_AGENTS.items(), slots=SLOTS))
    release.upgrade_beside_the_operator(*VALUES)
    agents = Agents(cluster, nodes)
    for node in WITH_AGENTS:
        agents.until_quiet(node)
    yield agents
    release.upgrade_beside_the_operator()
    cluster.delete("nodebids", "--all")
    cluster.apply(*bids(SPEEDS.items(), slots=SLOTS))


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Measured:
    """Where a test leaves what it has measured."""
    return Measured(request.node)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show what the members and the agents have written beside a test that failed."""
    report = yield
    made = getattr(item, "funcargs", {})
    for fixture, title in (("jobs", "The members"), ("agents", "The agents")):
        if report.when == "call" and report.failed and fixture in made:
            show_beside(report, title, made[fixture].last_words)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was measured."""
    if lines := all_measured([*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]):
        terminalreporter.section("Measured on real kubelets")
        for line in lines:
            terminalreporter.write_line(line)
