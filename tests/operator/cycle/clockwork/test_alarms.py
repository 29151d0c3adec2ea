"""Times of day at which gangs are reconciled again."""

import asyncio

import pytest

from coschedule import GangKey
from fake_cluster.jumping import now
from lockstep.cycle.clockwork.alarms import Alarms

pytestmark = pytest.mark.asyncio

GANG, OTHER = GangKey("default", "g"), GangKey("default", "h")


def alarms():
    """Alarms, and which gangs they woke, after how many seconds."""
    rung, began = [], now()
    return Alarms(now, due=lambda gang: rung.append((gang.name, round(now() - began, 3)))), rung


async def test_each_gang_gets_an_alarm_at_its_own_time_once():
    made, rung = alarms()
    made.set(GANG, now() + 20)
    made.set(OTHER, now() + 10)
    await asyncio.sleep(3600)

    assert rung == [("h", 10), ("g", 20)]


async def test_later_word_replaces_the_earlier_one():
    made, rung = alarms()
    made.set(GANG, now() + 20)
    made.set(GANG, now() + 30)
    made.set(OTHER, now() + 20)
    made.set(OTHER, None)
    await asyncio.sleep(3600)

    assert rung == [("g", 30)]


async def test_time_that_has_passed_meanwhile_is_due_at_once():
    made, rung = alarms()
    made.set(GANG, now())
    made.set(OTHER, now() - 100)
    await asyncio.sleep(3600)

    assert rung == [("g", 0), ("h", 0)]


async def test_no_alarm_goes_off_after_the_end():
    made, rung = alarms()
    made.set(GANG, now() + 20)
    made.stop()
    await asyncio.sleep(3600)

    assert rung == []
