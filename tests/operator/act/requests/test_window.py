"""How many members are on their way at once: in order, as many as are soon done, and no gang waits for ever."""

import asyncio
import random

import pytest

from fake_cluster.jumping import now
from fake_cluster.rig import end
from lockstep.act.requests.window import LEAST_MEMBERS, LONGEST_STAY_SECONDS, AttemptWindow

pytestmark = pytest.mark.asyncio

HALF = LEAST_MEMBERS // 2


class Burst:
    """Gangs that enter one window at once; ``entered`` has (name, when) in the order of their entry."""

    def __init__(self):
        self.window = AttemptWindow(now)
        self.entered = []
        self.inside = 0
        self.most_inside = 0

    def begin(self, name, members, seconds=0.5, *, leaves=True, priority=0):
        return asyncio.create_task(self._go(name, members, seconds, leaves=leaves, priority=priority))

    async def _go(self, name, members, seconds, *, leaves, priority):
        stay = self.window.stay(members, priority)
        await stay.enter()
        self.entered.append((name, now()))
        self.inside += members
        self.most_inside = max(self.most_inside, self.inside)
        try:
            await asyncio.sleep(seconds)
            self.inside -= members
            if leaves:
                stay.done()
        finally:
            stay.leave()

    @property
    def names(self):
        return [name for name, _ in self.entered]


async def test_gangs_enter_in_the_order_of_asking():
    burst = Burst()
    await asyncio.gather(*(burst.begin(number, HALF) for number in range(20)))

    assert burst.names == list(range(20))


async def test_more_urgent_gangs_that_come_later_enter_before_those_that_wait():
    burst = Burst()
    waiting = [burst.begin(number, HALF) for number in range(6)]
    await asyncio.sleep(0.1)
    urgent = [burst.begin(f"urgent {number}", HALF, priority=10) for number in range(2)]
    await asyncio.gather(*waiting, *urgent)

    assert burst.names == [0, 1, "urgent 0", "urgent 1", 2, 3, 4, 5]


async def test_urgent_gangs_that_come_again_and_again_do_not_keep_another_gang_outside_for_ever():
    burst = Burst()
    urgent = [asyncio.create_task(again_and_again(burst, f"urgent {number}")) for number in range(3)]
    await asyncio.sleep(1)
    usual = burst.begin("usual", HALF)
    await asyncio.wait([usual], timeout=100)

    assert "usual" in burst.names
    await end([*urgent, usual])


async def again_and_again(burst, name):
    """Enter the window with a gang that takes long, and whose next attempt follows soon."""
    while True:
        await burst.begin(name, LEAST_MEMBERS, seconds=4.0, priority=10)
        await asyncio.sleep(1)


async def test_small_gang_does_not_pass_a_large_one_that_waits():
    burst = Burst()
    await asyncio.gather(burst.begin("first", HALF), burst.begin("large", 10 * LEAST_MEMBERS), burst.begin("small", 1))

    assert burst.names == ["first", "large", "small"]


async def test_no_more_are_inside_than_there_is_room_for():
    burst = Burst()
    await asyncio.gather(*(burst.begin(number, 16, seconds=4.0) for number in range(30)))

    assert burst.most_inside == LEAST_MEMBERS


async def test_gang_that_is_larger_than_the_window_enters_alone():
    burst = Burst()
    await asyncio.gather(burst.begin("large", 1600, seconds=3.0), burst.begin("next", 1))

    assert burst.most_inside == 1600
    assert burst.names == ["large", "next"]


async def test_window_grows_while_gangs_are_soon_done_and_others_wait():
    burst = Burst()
    await asyncio.gather(*(burst.begin(number, 16, seconds=0.2) for number in range(100)))

    assert burst.window.width > 2 * LEAST_MEMBERS


async def test_window_without_waiters_stays_as_it_is():
    burst = Burst()
    for number in range(20):
        await burst.begin(number, 16, seconds=0.2)

    assert burst.window.width == LEAST_MEMBERS


async def test_window_shrinks_when_gangs_take_long():
    burst = Burst()
    await asyncio.gather(*(burst.begin(number, 16, seconds=0.2) for number in range(100)))
    grown = burst.window.width
    await asyncio.gather(*(burst.begin(number, 16, seconds=2.0) for number in range(400)))

    assert LEAST_MEMBERS <= burst.window.width < grown


async def test_gang_that_takes_for_ever_keeps_others_waiting_for_a_while_only():
    burst, began = Burst(), now()
    stuck = burst.begin("stuck", LEAST_MEMBERS, seconds=1e6)
    await burst.begin("next", 1)

    assert burst.entered[-1] == ("next", pytest.approx(began + LONGEST_STAY_SECONDS, abs=0.01))
    await end([stuck])


async def test_gang_that_gives_up_waiting_keeps_no_other_waiting():
    burst = Burst()
    tasks = [burst.begin("first", LEAST_MEMBERS), burst.begin("gone", LEAST_MEMBERS), burst.begin("next", 1)]
    await asyncio.sleep(0.1)
    await end([tasks.pop(1)])
    await asyncio.gather(*tasks)

    assert burst.names == ["first", "next"]


async def test_gang_that_is_let_in_while_it_gives_up_leaves_its_room():
    burst = Burst()
    first = burst.window.stay(LEAST_MEMBERS)
    await first.enter()
    gone = burst.begin("gone", LEAST_MEMBERS)
    await asyncio.sleep(0)
    first.leave()
    await end([gone])

    assert not await asyncio.wait_for(burst.window.stay(LEAST_MEMBERS).enter(), 0.1)


@pytest.mark.parametrize("seed", range(20))
async def test_no_gang_waits_for_ever(seed):
    rnd, burst = random.Random(seed), Burst()  # noqa: S311 - a test of orders, not of secrets
    sizes = [rnd.choice([1, 16, 100, 128, 129, 1600]) for _ in range(60)]
    tasks = [
        burst.begin(number, size, rnd.choice([0.0, 0.3, 2.0, 9.0, 1e6]), leaves=rnd.random() < 0.8)
        for number, size in enumerate(sizes)
    ]
    dropped = {number for number in range(60) if rnd.random() < 0.2}
    await asyncio.sleep(rnd.choice([0.0, 1.0]))
    await end([tasks[number] for number in dropped])
    await asyncio.sleep(LONGEST_STAY_SECONDS * len(sizes))

    assert set(burst.names) >= set(range(60)) - dropped
    assert burst.names == sorted(burst.names)
    await end(tasks)
    assert not burst.window._inside
