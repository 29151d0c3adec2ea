"""Work in turns: whatever else is due does not wait for all of it."""

import asyncio

import pytest

from lockstep.cycle.clockwork.turns import in_turns

pytestmark = pytest.mark.asyncio


def steps(done, number):
    for step in range(number):
        done.append(step)
        yield
    return sum(done)


async def test_it_gives_what_the_work_returns_and_says_once_how_long_that_took():
    took = []

    assert await in_turns(steps([], 4), took.append) == 6
    [seconds] = took
    assert seconds >= 0


async def test_the_first_turn_is_taken_at_once():
    done = []
    under_way = in_turns(steps(done, 2))

    with pytest.raises(StopIteration):
        under_way.send(None)

    assert done == [0, 1]


async def test_others_have_turns_while_long_work_is_done():
    others_turns = []

    def others():
        others_turns.append(1)
        asyncio.get_running_loop().call_soon(others)

    def endless_until_others_had_turns():
        while len(others_turns) < 3:
            yield

    asyncio.get_running_loop().call_soon(others)
    await asyncio.wait_for(in_turns(endless_until_others_had_turns()), timeout=300)

    assert len(others_turns) >= 3


async def test_what_the_work_raises_is_raised():
    def broken():
        yield
        raise LookupError("the third gang")

    with pytest.raises(LookupError, match="the third gang"):
        await in_turns(broken())
