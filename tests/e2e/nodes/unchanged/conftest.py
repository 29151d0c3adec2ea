"""The operator places what is there; the controllers of others run beside the control plane."""

import os
from collections.abc import Iterator

import pytest

from e2e.cluster import Cluster
from e2e.clusters import RealCluster
from e2e.installed import installed
from e2e.release import Release
from sandbox import Sandbox

VALUES = ("sources={mpijob,podgroup}", "suspends={mpijob}", "operator.unreachableAfter=5s")

# Its image is large.
collect_ignore = [] if os.environ.get("LOCKSTEP_E2E_TORCH") else ["test_pytorchjob.py"]


@pytest.fixture(scope="session")
def release(cluster: Cluster) -> Iterator[Release]:
    """The chart, installed before the kinds of others; pods on a node that is lost are given up soon after."""
    with installed(cluster, VALUES) as release:
        yield release


@pytest.fixture(scope="session")
def sandbox(machine: RealCluster, offers: None) -> Sandbox:
    """The control plane, once the operator works and nodes have room."""
    del offers
    return machine.sandbox
