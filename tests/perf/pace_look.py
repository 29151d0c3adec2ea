"""For how long a check of the pace of a gang of 10,000 members holds the event loop: prints the longest turns.

In processor time of this process, so that it says the same while others use the machine.
"""

import asyncio
import gc
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from rich.console import Console

from builders.facts import bid_fact, gang_fact, gang_spec, member_fact, node_fact, reservation
from lockstep.belief.state import State
from lockstep.cycle.pace.pace_checks import find_resizes, find_status
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pace import ContainerCpu, Cpu, MemberCpu, Pace
from lockstep.facts.pods.pod import PodFact, PodPhase

MEMBERS = 10_000
ROUNDS = 5
WHOLE = Cpu(4000, None)


def node_name(rank: int) -> str:
    """Each member has a node of its own."""
    return f"n{rank:05}"


RESERVED = reservation(members=[(node_name(rank), 1) for rank in range(MEMBERS)])


def with_cpu(pod: PodFact, cpu: Cpu) -> PodFact:
    """The member with so much CPU."""
    return replace(pod, cpu=MemberCpu(containers=(ContainerCpu("main", cpu),)))


def cluster() -> State:
    """Nodes of many speeds, each with a member that is not paced yet."""
    state, rnd = State(lambda: None), random.Random(1)  # noqa: S311 - speeds are no secrets
    state.apply_gang(gang())
    for rank in range(MEMBERS):
        name = node_name(rank)
        state.nodes.apply(node_fact(name))
        state.bids.apply(bid_fact(name, slowdown=rnd.uniform(0.2, 1), duty_cycle=rnd.uniform(0, 1)))
        state.apply_pod(with_cpu(member_fact(rank=rank, node=name, phase=PodPhase.RUNNING), WHOLE))
    return state


def gang(status: GangStatus | None = None) -> AcceptedGang:
    """A gang that wants to be paced."""
    return gang_fact("g", spec=replace(gang_spec(size=MEMBERS), pace=Pace.LOCAL), status=status)


async def turns(check: Callable[[], Awaitable[object]]) -> list[float]:
    """How long each turn of the event loop took while that was found, in milliseconds."""
    task, found = asyncio.ensure_future(check()), []
    while not task.done():
        began = time.process_time()
        await asyncio.sleep(0)
        found.append(1000 * (time.process_time() - began))
    await task
    return found


async def print_turns(what: str, check: Callable[[], Awaitable[object]]) -> None:
    """Print the medians of some rounds."""
    rounds = sorted([await turns(check) for _ in range(ROUNDS)], key=max)
    middle = rounds[ROUNDS // 2]
    Console().print(f"{what}: {len(middle)} turns, {sum(middle):.0f} ms together, the longest {max(middle):.0f} ms")


async def main() -> None:
    """Check a gang before it is paced, when all are to be resized, and when all have been."""
    state, plain = cluster(), gang()
    # As the operator does when it is ready, so that facts are not traversed again and again.
    gc.collect()
    gc.freeze()
    await print_turns("first status", lambda: find_status(state, plain, RESERVED, refusal=""))
    first = await find_status(state, plain, RESERVED, refusal="")
    paced = gang(GangStatus(pace=first))
    await print_turns("all to be resized", lambda: find_resizes(state, paced, RESERVED))
    for resize in await find_resizes(state, paced, RESERVED):
        state.apply_pod(with_cpu(resize.pod, resize.amounts["main"]))
    await print_turns("none to be resized", lambda: find_resizes(state, paced, RESERVED))
    await print_turns("status", lambda: find_status(state, paced, RESERVED, refusal=""))


if __name__ == "__main__":
    asyncio.run(main())
