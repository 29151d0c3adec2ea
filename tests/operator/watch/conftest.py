"""A cache that counts how often it wakes the cycle, and lists that take as long as the clock says that jumps."""

import pytest

from fake_cluster.jumping import now
from lockstep.belief.state import State
from lockstep.watch import own_lists


@pytest.fixture(autouse=True)
def _one_clock(monkeypatch):
    """Lists take as long as the clock says that jumps."""
    monkeypatch.setattr(own_lists, "monotonic", now)


@pytest.fixture
def wakes():
    return []


@pytest.fixture
def state(wakes):
    return State(lambda: wakes.append(1))
