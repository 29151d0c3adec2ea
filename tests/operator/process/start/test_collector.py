"""What Python's garbage collector traverses in the operator, and what it doesn't."""

import asyncio
import gc
import weakref

import pytest

from lockstep.process.start.collector import collect_little, collect_what_stayed, find_what_became_garbage

HOUR = 3600.5


class Cycle:
    """Garbage that only the collector finds."""

    def __init__(self):
        self.me = self


@pytest.fixture(autouse=True)
def collector_as_before():
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    # What the process had put aside is put aside again: the collected tests are half a million objects.
    gc.freeze()


async def collecting(seconds):
    task = asyncio.create_task(collect_what_stayed())
    await asyncio.sleep(seconds)
    task.cancel()


def collect_the_young(times):
    for _ in range(times):
        gc.collect(1)


def is_traversed(one):
    """Whether the collector may traverse an object: none that was put aside is listed."""
    return any(each is one for each in gc.get_objects())


def test_what_is_there_is_not_traversed_by_itself_again():
    collect_little()

    assert gc.get_threshold()[2] > 10**9


def test_what_is_there_from_the_start_is_put_aside():
    there = Cycle()
    collect_little()

    assert not is_traversed(there)


@pytest.mark.asyncio
async def test_cycles_that_are_young_are_found():
    collect_little()
    young = weakref.ref(Cycle())
    collect_the_young(2)
    await collecting(seconds=1)

    assert young() is None


@pytest.mark.asyncio
async def test_what_stayed_is_put_aside_and_then_goes_by_itself():
    collect_little()
    stays = Cycle()
    task = asyncio.create_task(collect_what_stayed())
    await asyncio.sleep(1)
    assert is_traversed(stays)

    collect_the_young(2)
    await asyncio.sleep(1)
    task.cancel()
    assert not is_traversed(stays)

    alive, stays.me = weakref.ref(stays), None
    del stays
    assert alive() is None


@pytest.mark.asyncio
@pytest.mark.parametrize("is_much_more", [True, False])
async def test_what_became_garbage_is_found_once_much_more_has_been_put_aside(is_much_more):
    collect_little()
    task = asyncio.create_task(find_what_became_garbage())
    await asyncio.sleep(HOUR)
    lost = Cycle()
    more = [[] for _ in range(gc.get_freeze_count() if is_much_more else 1)]
    gc.freeze()
    alive = weakref.ref(lost)
    del lost

    await asyncio.sleep(HOUR / 2)
    assert alive() is not None
    await asyncio.sleep(2 * HOUR)
    task.cancel()
    assert (alive() is None) == is_much_more
    del more
