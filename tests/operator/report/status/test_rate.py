"""So many reports a second and no more, the urgent ones first."""

import asyncio

import pytest

from fake_cluster.jumping import now
from fake_cluster.rig import end
from lockstep.report.status.rate import Rate

pytestmark = pytest.mark.asyncio


async def times(asking, count):
    """When each of so many that ask at once may pass."""
    began, passed = now(), []

    async def one():
        await asking()
        passed.append(now() - began)

    await asyncio.gather(*(one() for _ in range(count)))
    return passed


async def test_urgent_ones_pass_at_once_up_to_the_burst_and_at_the_rate_then():
    rate = Rate(per_second=10, burst=20)
    passed = await times(rate.urgent, 40)

    assert passed[19] < 0.1
    assert passed[39] == pytest.approx(2, abs=0.1)


async def test_others_leave_half_of_the_burst_to_the_urgent_ones():
    rate = Rate(per_second=10, burst=20)
    waiting = asyncio.create_task(times(rate.other, 40))
    await asyncio.sleep(1)
    urgent = await times(rate.urgent, 10)
    others = await waiting

    assert urgent[-1] < 0.1
    assert others[9] < 0.1
    assert others[-1] == pytest.approx(4, abs=0.2)


async def test_other_one_passes_though_urgent_ones_take_the_whole_rate_for_ever():
    rate = Rate(per_second=10, burst=20)
    urgent = [asyncio.create_task(again_and_again(rate)) for _ in range(5)]
    await asyncio.sleep(10)
    others = asyncio.create_task(times(rate.other, 5))
    await asyncio.wait([others], timeout=60)

    assert others.done()
    await end([*urgent, others])


async def again_and_again(rate):
    while True:
        await rate.urgent()
