"""The agent's time is the API server's, whatever the node's own clock says."""

import pytest

from lockstep.agent.bid.clock import Clock


class Clocks:
    """A steady clock, and one that a user sets."""

    def __init__(self):
        self.steady = 100.0
        self.own = 1_000_000.0
        self.clock = Clock(steady=lambda: self.steady, own=lambda: self.own)


def test_clock_begins_with_the_nodes_own_time():
    clocks = Clocks()

    clocks.steady += 50

    assert (clocks.clock.now(), clocks.clock.wall()) == (150.0, 1_000_050.0)


@pytest.mark.parametrize("step", [-1e9, 3600.0, 1e12])
def test_clock_does_not_follow_who_sets_the_nodes_own(step):
    clocks = Clocks()

    clocks.own += step

    assert clocks.clock.wall() == 1_000_000.0


def test_clock_says_what_the_nodes_own_says_beside():
    clocks = Clocks()

    clocks.own += 3600

    assert clocks.clock.own() == 1_003_600.0


@pytest.mark.parametrize(("heard", "want"), [(1_000_004.0, 1_000_000.0), (2_000_000.0, 2_000_000.0), (7.0, 7.0)])
def test_clock_follows_the_server_but_not_each_delay_of_it(heard, want):
    clocks = Clocks()

    clocks.clock.hear(heard)

    assert clocks.clock.wall() == want
