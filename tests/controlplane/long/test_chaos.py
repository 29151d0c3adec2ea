"""A minute of a random walk with faults, or its beginning; ``make chaos`` walks others, for longer."""

from itertools import islice

import pytest

from chaos.run import STEPS_A_SECOND, fresh_cluster, paced, walk
from chaos.walk import Walk
from searches import sample

SECONDS = range(60)
LEAST_SECONDS = 10
SEED = 1


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A control plane of the walk's own: everything on it is troubled."""
    with fresh_cluster(tmp_path_factory.mktemp("chaos")) as api:
        yield api


def test_walk_with_faults_breaks_no_promise(cluster, tmp_path, pytestconfig):
    seconds = len(sample(pytestconfig, "chaos", SECONDS, least=LEAST_SECONDS))
    steps = list(islice(Walk(SEED, can_restart=False), seconds * STEPS_A_SECOND))

    result = walk(cluster, tmp_path, paced(steps))

    assert result.violations == []
    assert result.faults.total() >= seconds
