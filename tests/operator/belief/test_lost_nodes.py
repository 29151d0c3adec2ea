"""When a node that is gone counts as lost, and that its gangs are reconciled then."""

import asyncio

import pytest

from builders.facts import member_fact, node_fact, take_changed
from coschedule import GangKey
from fake_cluster.jumping import now, until
from lockstep.belief.lost_nodes import LostNodes
from lockstep.belief.state import State

GANG = GangKey("default", "g")
HOUR = 3600.0


@pytest.fixture
def state():
    """A node, and a member on another one that is gone."""
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    state.apply_pod(member_fact("g", node="gone"))
    take_changed(state)
    return state


async def is_lost_in_time(state, lost_nodes):
    """Whether the node is found lost some time after it is asked about, and its gang is reconciled then."""
    since = now()
    assert lost_nodes.why_lost("gone") is None
    await until(lambda: GANG in take_changed(state), seconds=60)
    assert 40 <= now() - since < 41
    return lost_nodes.why_lost("gone") == "is gone"


@pytest.mark.asyncio
async def test_gang_on_a_node_that_was_never_seen_is_reconciled_once_the_node_is_lost(state):
    lost_nodes = LostNodes(state, unreachable_after=300, monotonic=now)
    lost_nodes.update()

    assert await is_lost_in_time(state, lost_nodes)
    lost_nodes.stop()


@pytest.mark.asyncio
async def test_gang_on_a_node_that_went_an_hour_ago_is_reconciled_once_the_node_is_lost_again(state):
    lost_nodes = LostNodes(state, unreachable_after=300, monotonic=now)
    assert await is_lost_in_time(state, lost_nodes)
    await asyncio.sleep(HOUR)
    state.nodes.apply(node_fact("another"))
    lost_nodes.update()

    assert await is_lost_in_time(state, lost_nodes)
    lost_nodes.stop()


@pytest.mark.asyncio
async def test_nodes_that_are_lost_at_the_same_time_are_checked_once():
    woken = []
    state = State(lambda: woken.append(now()))
    state.apply_pod(member_fact("g", node="n0"))
    lost_nodes = LostNodes(state, unreachable_after=300, monotonic=now)
    assert [lost_nodes.why_lost(f"n{number}") for number in range(1_000)] == [None] * 1_000
    woken.clear()

    await asyncio.sleep(60)

    assert len(woken) == 1
    lost_nodes.stop()
