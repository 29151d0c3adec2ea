"""Work for gangs, a few at once: one that takes long, or raises, keeps no other waiting."""

import asyncio
from collections import Counter

import pytest

from coschedule import GangKey
from fake_cluster.jumping import until
from lockstep.act.requests.workers import Workers
from lockstep.belief.common.fair_queue import FairQueue, Rank

pytestmark = pytest.mark.asyncio

USUAL = Rank(group=0, minus_priority=0)


class Working:
    """Three workers, two of a namespace at most; ``work`` is what they do."""

    def __init__(self, work):
        self.work = work
        self.queue = FairQueue()
        self.begun, self.most = [], Counter()
        self.under_way = Counter()
        self.workers = Workers(self.queue.take, self._work, at_once=3, of_namespace=2)

    def ask(self, namespace, *names):
        for name in names:
            self.queue.put(GangKey(namespace, name), USUAL)
        self.workers.wake()

    async def _work(self, gang):
        self.begun.append((gang.namespace, gang.name))
        self.under_way.update([gang.namespace, "all"])
        self.most |= self.under_way
        try:
            await self.work(gang)
        finally:
            self.under_way.subtract([gang.namespace, "all"])


async def take_a_second(_):
    await asyncio.sleep(1)


async def test_so_many_are_at_work_at_once_and_fewer_of_one_namespace():
    working = Working(take_a_second)

    working.ask("many", *"12345678")
    working.ask("few", "1")
    await until(lambda: len(working.begun) == 9 and not working.under_way.total())

    assert working.most == {"many": 2, "few": 1, "all": 3}
    assert working.begun[:3] == [("many", "1"), ("many", "2"), ("few", "1")]


async def test_gang_whose_work_never_ends_keeps_others_of_its_namespace_from_one_worker_only():
    async def work(gang):
        await asyncio.sleep(1e6 if gang.name == "stuck" else 1)

    working = Working(work)
    working.ask("n", "stuck", *"1234")

    await until(lambda: len(working.begun) == 5, seconds=10)

    await working.workers.stop()
    assert not working.under_way.total()


async def test_exception_costs_no_other_gang_its_turn():
    async def work(gang):
        await asyncio.sleep(1)
        if gang.name == "1":
            raise ValueError("no")

    working = Working(work)
    working.ask("n", *"1234")

    await until(lambda: len(working.begun) == 4 and not working.under_way.total())


async def test_gang_that_is_cancelled_makes_way_for_the_next():
    working = Working(take_a_second)
    working.ask("n", *"123")
    await until(lambda: len(working.begun) == 2)
    stuck = GangKey("n", "1")

    assert working.workers.is_at_work(stuck)
    working.workers.cancel(stuck)
    assert not working.workers.is_at_work(stuck)

    await until(lambda: len(working.begun) == 3, seconds=0.5)
    await working.workers.stop()


async def test_nothing_begins_after_stop():
    working = Working(take_a_second)
    working.ask("n", "1")
    await working.workers.stop()

    working.ask("n", "2")
    await asyncio.sleep(5)

    assert working.begun == []
