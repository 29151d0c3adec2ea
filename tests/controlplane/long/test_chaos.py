"""A minute of a random walk with faults, always the same; ``make chaos`` walks others, for longer."""

from itertools import islice

import pytest

from chaos.run import STEPS_A_SECOND, fresh_cluster, paced, walk
from chaos.walk import Walk

SECONDS = 60
SEED = 1


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A control plane of the walk's own: everything on it is troubled."""
    with fresh_cluster(tmp_path_factory.mktemp("chaos")) as api:
        yield api


def test_walk_with_faults_breaks_no_promise(cluster, tmp_path):
    steps = list(islice(Walk(SEED, can_restart=False), SECONDS * STEPS_A_SECOND))

    result = walk(cluster, tmp_path, paced(steps, SECONDS))

    assert result.violations == []
    assert result.faults.total() >= SECONDS
