"""Turns: a few at a time, and namespaces alternate."""

import asyncio

import pytest

from lockstep.cycle.kueue.alternating_turns import AlternatingTurns

pytestmark = pytest.mark.asyncio


class Crowd:
    """Takes turns and records in which order they came; each lasts until ``end`` is called."""

    def __init__(self, at_once):
        self.came = []
        self._turns = AlternatingTurns(at_once)
        self._ends = []

    def ask(self, namespace):
        return asyncio.create_task(self._have(namespace))

    async def end(self):
        self.begin_to_end()
        await settled()

    def begin_to_end(self):
        self._ends.pop(0).set()

    async def _have(self, namespace):
        async with self._turns.turn(namespace):
            self.came.append(namespace)
            self._ends.append(end := asyncio.Event())
            await end.wait()


async def settled():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_namespace_with_one_waits_for_one_turn_of_a_crowd():
    crowd = Crowd(at_once=2)
    tasks = [crowd.ask("crowd") for _ in range(6)]
    await settled()
    tasks.append(crowd.ask("alone"))
    await settled()
    assert crowd.came == ["crowd"] * 2

    for _ in tasks:
        await crowd.end()

    assert crowd.came == ["crowd", "crowd", "crowd", "alone", "crowd", "crowd", "crowd"]
    await asyncio.gather(*tasks)


async def test_turn_that_is_cancelled_when_it_comes_goes_to_the_next():
    crowd = Crowd(at_once=1)
    first, waits, given, last = (crowd.ask(name) for name in ("a", "b", "c", "d"))
    await settled()
    waits.cancel()
    await settled()

    crowd.begin_to_end()
    await asyncio.sleep(0)
    assert first.done()
    # Its turn has come, and it has not run yet.
    given.cancel()
    await settled()
    assert crowd.came == ["a", "d"]

    await crowd.end()
    await last
    again = crowd.ask("e")
    await settled()
    assert crowd.came == ["a", "d", "e"]
    await crowd.end()
    await again
