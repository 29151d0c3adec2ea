"""A control plane on which Helm really installs, and releases on it."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from release.make.chart import package_chart

from charts.cluster import Release, define, delete_kinds, nodes_of_zones
from live.definitions import definitions_that_end
from sandbox import Component, Options, Sandbox, start

NUMBERS = itertools.count(1)


@pytest.fixture(scope="package")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A control plane of these tests' own, with a scheduler, whose pods run: releases change what a cluster has."""
    addons = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER, Component.SCHEDULER})
    options = Options(name="charts", addons=addons, state=tmp_path_factory.mktemp("sandboxes"))
    with start(options) as sandbox, definitions_that_end(sandbox):
        sandbox.create_nodes(nodes_of_zones("a", "b", "c"))
        yield sandbox


@pytest.fixture(scope="package")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The chart as the one file that `make release` makes of it."""
    return package_chart(tmp_path_factory.mktemp("chart"), made=1_700_000_000)


@pytest.fixture
def new_release(cluster: Sandbox, chart: Path) -> Iterator[Callable[..., Release]]:
    """Makes releases that are not installed yet, each in a namespace of its own; nothing of them is left afterwards."""
    made: list[Release] = []

    def new(name: str = "lockstep") -> Release:
        made.append(Release(cluster, chart, f"release-{next(NUMBERS)}", name))
        return made[-1]

    yield new
    for release in reversed(made):
        release.close()


@pytest.fixture
def release(new_release: Callable[..., Release]) -> Release:
    """A release that is not installed yet."""
    return new_release()


@pytest.fixture
def monitored(cluster: Sandbox) -> Iterator[Sandbox]:
    """The control plane, which knows the kinds of the Prometheus operator during the test."""
    names = define(cluster, "ServiceMonitor", "PrometheusRule")
    yield cluster
    delete_kinds(cluster, names)
