"""The event loop is held by a callback: a metric and the log say for how long."""

import asyncio

import pytest

from fake_cluster.jumping import now
from fake_cluster.rig import end
from lockstep.process.start.loop_watch import PERIOD_SECONDS, watch_loop

pytestmark = pytest.mark.asyncio


async def seen_of(*, held, after):
    """What is observed in the first three turns of the watch while a callback holds the loop once."""
    seen, loop = [], asyncio.get_running_loop()
    watching = asyncio.create_task(watch_loop(seen.append, now))
    loop.call_later(after, loop.hold, held)
    await asyncio.sleep(3.5 * PERIOD_SECONDS + held)
    await end([watching])
    return seen[:3]


@pytest.mark.parametrize(
    ("held", "after", "want"),
    [
        pytest.param(2.0, PERIOD_SECONDS, 2.0, id="when a turn is due: whole"),
        pytest.param(2.0, 0.0, 2.0 - PERIOD_SECONDS, id="before: less the time until one is due"),
        pytest.param(PERIOD_SECONDS / 2, 0.0, 0.0, id="over before one is due: not at all"),
        pytest.param(0.0, PERIOD_SECONDS, 0.0, id="a callback that ends at once: not at all"),
    ],
)
async def test_loop_that_is_held_is_seen(held, after, want):
    assert await seen_of(held=held, after=after) == pytest.approx([want, 0.0, 0.0], abs=1e-3)
