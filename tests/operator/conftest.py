"""Tests of the operator run on a clock that jumps: no pause of it is ever waited for."""

from fake_cluster.jumping import JumpingLoop


def pytest_asyncio_loop_factories():
    """Run every test of this folder that is asynchronous on such a loop."""
    return {"jumping": JumpingLoop}
