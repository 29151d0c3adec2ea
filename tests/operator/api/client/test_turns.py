"""Whose turn it is: by urgency, then in the order of asking; no request starves, and nothing is lost by giving up."""

import asyncio

import pytest

from fake_cluster.rig import end
from lockstep.api.client.turns import PLACING, Urgency, WriteTurns

pytestmark = pytest.mark.asyncio

BIND, ACT, DELETE, REPORT, PREPARE = Urgency


class Queue:
    """Tasks that wait for one turn at a time; ``served`` is the order in which they got it."""

    def __init__(self):
        self.turns = WriteTurns(1)
        self.served = []

    def ask(self, urgency, name):
        return asyncio.create_task(self._wait(urgency, name))

    async def _wait(self, urgency, name):
        async with self.turns.turn(urgency):
            self.served.append(name)
            await asyncio.sleep(1)


async def asked(*wanted):
    """A queue in which these (urgency, name) have asked, while another has the turn."""
    queue = Queue()
    tasks = [queue.ask(ACT, "first")]
    await asyncio.sleep(0)
    for urgency, name in wanted:
        tasks.append(queue.ask(urgency, name))
        await asyncio.sleep(0)
    return queue, tasks


async def test_urgent_goes_before_what_asked_earlier():
    queue, tasks = await asked((REPORT, "report"), (DELETE, "delete"), (ACT, "create"), (BIND, "bind"))
    await asyncio.gather(*tasks)

    assert queue.served == ["first", "bind", "create", "delete", "report"]


async def test_equally_urgent_go_in_the_order_of_asking():
    queue, tasks = await asked(*[(DELETE, number) for number in range(20)])
    await asyncio.gather(*tasks)

    assert queue.served == ["first", *range(20)]


@pytest.mark.parametrize("urgency", [DELETE, REPORT])
async def test_least_urgent_is_not_kept_for_ever(urgency):
    queue, tasks = await asked((urgency, "patient"), *[(ACT, number) for number in range(40)])
    await asyncio.gather(*tasks)

    assert queue.served.index("patient") <= 8


async def test_request_that_gives_up_costs_no_other_a_turn():
    queue, tasks = await asked((ACT, "gives up"), (ACT, "stays"))
    await end([tasks[1]])
    await asyncio.gather(tasks[0], tasks[2])

    assert queue.served == ["first", "stays"]


async def test_who_gives_up_in_the_moment_of_getting_a_turn_passes_it_on():
    turns, given = WriteTurns(1), []

    async def take(name):
        async with turns.turn(ACT):
            given.append(name)

    async with turns.turn(ACT):
        quitter, patient = asyncio.create_task(take("quitter")), asyncio.create_task(take("patient"))
        await asyncio.sleep(0)
    # The turn is the quitter's now, who has not run since.
    quitter.cancel()
    await asyncio.wait([quitter, patient], timeout=5)

    assert given == ["patient"]
    assert turns._free == 1


async def test_idleness_comes_without_requests():
    queue, tasks = await asked((DELETE, "delete"))
    began = asyncio.get_running_loop().time()
    await queue.turns.wait_until_idle(60)

    assert asyncio.get_running_loop().time() - began == pytest.approx(2, abs=0.1)
    await asyncio.gather(*tasks)


async def test_idleness_of_what_places_does_not_wait_for_reports():
    queue, tasks = await asked((DELETE, "delete"), *[(REPORT, number) for number in range(20)])
    began = asyncio.get_running_loop().time()
    assert await queue.turns.wait_until_idle(60, PLACING)

    assert asyncio.get_running_loop().time() - began <= 4
    assert not await queue.turns.wait_until_idle(1)
    await asyncio.gather(*tasks)


async def test_what_no_gang_waits_for_goes_after_all_else_but_is_not_left_out():
    queue, tasks = await asked(*((PREPARE, f"run {number}") for number in range(3)), *((REPORT, n) for n in range(20)))
    await asyncio.gather(*tasks)

    prepared = [place for place, name in enumerate(queue.served) if str(name).startswith("run")]
    assert prepared[0] > 1
    assert prepared[-1] > 16
    assert len(prepared) == 3
