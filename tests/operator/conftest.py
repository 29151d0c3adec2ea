"""Tests of the operator run on a clock that jumps: no pause of it is ever waited for."""

import random

import pytest

from fake_cluster.jumping import JumpingLoop


@pytest.fixture(autouse=True)
def _same_jitter():
    """The operator's pauses are the same in every run."""
    random.seed(1)


def pytest_asyncio_loop_factories():
    """Run every test of this folder that is asynchronous on such a loop."""
    return {"jumping": JumpingLoop}
