"""The operator places what is there; the controllers of others run beside the control plane."""

import os
from collections.abc import Iterator

import pytest

from e2e.cluster import Cluster
from e2e.clusters import RealCluster
from e2e.installed import installed
from e2e.release import Release
from sandbox import Sandbox

SOURCES = "sources={mpijob,podgroup}"

# Its image is large.
collect_ignore = [] if os.environ.get("LOCKSTEP_E2E_TORCH") else ["test_pytorchjob.py"]


@pytest.fixture(scope="session")
def release(cluster: Cluster) -> Iterator[Release]:
    """The chart, installed before the kinds of others."""
    with installed(cluster, (SOURCES,)) as release:
        yield release


@pytest.fixture(scope="session")
def sandbox(machine: RealCluster, offers: None) -> Sandbox:
    """The control plane, once the operator works and nodes have room."""
    del offers
    return machine.sandbox
