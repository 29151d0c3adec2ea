"""A check of the pace of thousands of members leaves the event loop to others again and again."""

import asyncio
from dataclasses import replace

import pytest

from builders.facts import bid_fact, gang_fact, gang_spec, member_fact, node_fact, reservation
from lockstep.belief.state import State
from lockstep.cycle.pace.pace_checks import find_resizes, find_status
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pace import ContainerCpu, Cpu, MemberCpu, Pace
from lockstep.facts.pods.pod import PodPhase

MEMBERS = 3000
FAST = MEMBERS - 1
SPEC = replace(gang_spec(size=MEMBERS), pace=Pace.LOCAL)
NAMES = [f"n{rank:04}" for rank in range(MEMBERS)]
RESERVED = reservation(members=[(name, 1) for name in NAMES])
CPU = MemberCpu(containers=(ContainerCpu("main", Cpu(4000, None)),))


@pytest.fixture
def state():
    """All nodes but the last are twice as fast as that."""
    state = State(lambda: None)
    for rank, name in enumerate(NAMES):
        state.nodes.apply(node_fact(name))
        state.bids.apply(bid_fact(name, slowdown=0.5 if rank < FAST else 1.0))
        state.apply_pod(replace(member_fact(rank=rank, node=name, phase=PodPhase.RUNNING), cpu=CPU))
    return state


async def found_in_turns(check):
    """What is found, and how often the event loop turned meanwhile."""
    task, turns = asyncio.create_task(check), 0
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    return task.result(), turns


@pytest.mark.asyncio
async def test_event_loop_turns_after_every_few_hundred_members(state):
    plain = gang_fact("g", spec=SPEC)

    status, turns = await found_in_turns(find_status(state, plain, RESERVED, refusal=""))

    assert (status.members, status.paced, status.given_back) == (MEMBERS, 0, 0)
    assert turns >= MEMBERS / 500
    paced = gang_fact("g", spec=SPEC, status=GangStatus(pace=status))
    resizes, turns = await found_in_turns(find_resizes(state, paced, RESERVED))
    assert {one.pod.node for one in resizes} == set(NAMES[:FAST])
    assert {one.amounts["main"] for one in resizes} == {Cpu(2000, 2200)}
    assert turns >= MEMBERS / 500
