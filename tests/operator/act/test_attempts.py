"""What is remembered of a gang between its attempts."""

import asyncio
import gc
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, reservation
from builders.statuses import PLACEMENT
from fake_cluster.jumping import now, until
from fake_cluster.rig import services_with
from lockstep.act.attempt_history import AttemptHistory
from lockstep.act.attempts import Attempts
from lockstep.act.requests.outcome import Ending
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.belief.state import State
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.snapshot.attempt_start import AttemptStart

pytestmark = pytest.mark.asyncio

GANG = gang_fact("g", spec=gang_spec(size=2))
HELD = reservation("g")
START = AttemptStart(reservation=HELD, placement=PLACEMENT)
LOST = Failure(reason=Reason.POD_LOST, message="pod g-1-0 was deleted")


class BrokenClient:
    """Every request raises what a broken promise of ours, or an outage, would."""

    def __init__(self, error):
        self._error = error

    async def patch(self, *_):
        raise self._error


@asynccontextmanager
async def attempts(error=None):
    """Attempts whose requests raise; gives them and the list of (time, outcome) of those that ended."""
    ended = []
    services = services_with(BrokenClient(error), State(lambda: None))
    due = []
    made = Attempts(
        services,
        ended=lambda _, outcome: ended.append((now(), outcome)),
        due=due.append,
        takes_long=lambda *_: None,
        reported=lambda *_: None,
    )
    made.due = due
    yield made, ended
    await made.stop()


async def test_nothing_is_remembered_of_an_unknown_gang():
    async with attempts() as (made, _):
        assert not made.is_under_way(GANG.key)
        assert made.retry_at(GANG.key) == 0.0
        assert made.next_retry(now()) == float("inf")
        made.wake(GANG.key)
        made.drop(GANG.key)
        made.forgive(GANG.key)


async def test_attempt_that_breaks_off_is_reported_at_once_and_rests():
    async with attempts(ZeroDivisionError("ours")) as (made, ended):
        began = now()
        made.begin(GANG, START)
        assert made.is_under_way(GANG.key)
        await until(lambda: ended)

        [(time, outcome)] = ended
        assert outcome.ending is Ending.BROKEN_OFF
        assert time == began
        assert not made.is_under_way(GANG.key)
        assert made.is_resting(GANG.key)
        await until(lambda: not made.is_resting(GANG.key))
        assert (now() - began, made.due) == (pytest.approx(1, abs=0.6), [GANG.key])


async def test_failure_after_thousands_of_them_is_one_more_failure():
    async with attempts(ZeroDivisionError("ours")) as (made, ended):
        made._by_gang[GANG.key] = AttemptHistory(gang_uid=GANG.uid, failures=2000)
        made.begin(GANG, START)
        await until(lambda: ended)

        assert made.retry_at(GANG.key) - now() == pytest.approx(60, abs=1)


async def test_step_of_the_time_of_day_moves_no_retry():
    step = 0.0
    async with attempts(ZeroDivisionError("ours")) as (made, ended):
        made._services = replace(made._services, now=lambda: now() + step)
        made.begin(GANG, START)
        await until(lambda: ended)
        began, step = now(), 86_400.0

        assert made.retry_at(GANG.key) - (now() + step) <= 1.0
        await until(lambda: made.due)
        assert now() - began < 2.0


async def test_dropped_attempt_is_stopped_without_a_word():
    async with attempts(ZeroDivisionError("ours")) as (made, ended):
        made.begin(GANG, START)
        made.drop(GANG.key)
        await asyncio.sleep(120)

        assert (ended, made.due) == ([], [])
        assert not made.is_under_way(GANG.key)


async def test_one_attempt_a_gang_at_a_time():
    async with attempts(ZeroDivisionError("ours")) as (made, _):
        made.begin(GANG, START)
        with pytest.raises(AssertionError, match="one attempt"):
            made.begin(GANG, START)


async def test_pause_after_failures_doubles_up_to_a_minute_and_is_forgotten_after_a_success():
    async with attempts() as (made, ended):
        made._services = services_with(GoneClient(), State(lambda: None))
        pauses = []
        for number in range(8):
            made.interrupt(GANG, HELD, LOST)
            await until(lambda number=number: len(ended) > number)
            pauses.append(made.retry_at(GANG.key) - ended[-1][0])
            assert made.next_retry(now()) == made.retry_at(GANG.key)
        made.forgive(GANG.key)

        assert pauses == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60], abs=0.01)
        assert made.retry_at(GANG.key) == 0.0


class GoneClient:
    """An API server on which nothing is left."""

    async def get(self, *_):
        return Answer(200, {"items": []})


async def test_attempt_that_is_stopped_before_it_began_leaves_nothing_behind():
    async with attempts(ApiUnavailableError("down")) as (made, ended):
        made.begin(GANG, START)
        await made.stop()
        # A coroutine that was never awaited warns when it is collected.
        gc.collect()

        assert ended == []
