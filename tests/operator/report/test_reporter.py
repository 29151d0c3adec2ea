"""Reports give way: to requests that make gangs run, and to better news of the same gang."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from coschedule.cluster.decision import Reason, Unplaceable
from coschedule.cluster.snapshot import GangKey
from fake_cluster.api import FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.manifests import gang
from fake_cluster.rig import watching_operator
from lockstep.api.turns import Urgency
from lockstep.report import conditions
from lockstep.report.reporter import Reporter

pytestmark = pytest.mark.asyncio

KEY = GangKey("default", "g")


@asynccontextmanager
async def reporter_of_waiting_gang():
    """A reporter, and a call that makes it report that gang g does not fit."""
    async with FakeApi(now) as api:
        api.store.add("gangjobs", gang("g", size=3))
        async with watching_operator(api) as parts:
            await until(lambda: KEY in parts.state.gangs)
            done = []
            reporter = Reporter(
                parts.client,
                parts.state,
                instance="test",
                now=now,
                done=lambda key, _: done.append(key),
                refused=lambda _: None,
            )
            fact = parts.state.gangs[KEY]
            decision = Unplaceable(gang=KEY, reason=Reason.NOT_ENOUGH_ROOM, detail="needs 3 members, 1 fits")
            status = conditions.unplaceable(fact, decision, now=now())
            yield api, parts, reporter, done, lambda: reporter.report(fact, status, None)


async def test_report_waits_while_pods_are_bound():
    async with reporter_of_waiting_gang() as (api, parts, reporter, done, report):
        async with parts.client._writes.turn(Urgency.ACT):
            report()
            await asyncio.sleep(1)
            assert (reporter.is_writing(KEY), api.writes) == (True, [])

        await until(lambda: done == [KEY])
        assert [write.resource for write in api.writes] == ["gangjobs/status"]


async def test_report_does_not_wait_for_ever():
    async with reporter_of_waiting_gang() as (api, parts, _, done, report), parts.client._writes.turn(Urgency.ACT):
        report()
        await until(lambda: done == [KEY])

        assert [write.resource for write in api.writes] == ["gangjobs/status"]


async def test_report_that_waits_can_be_withdrawn():
    async with reporter_of_waiting_gang() as (api, parts, reporter, done, report):
        async with parts.client._writes.turn(Urgency.ACT):
            report()
            await asyncio.sleep(1)
            assert reporter.withdraw(KEY)
            assert not reporter.is_writing(KEY)
        await asyncio.sleep(30)

        assert (api.writes, done) == ([], [])
        assert not reporter.withdraw(KEY)


async def test_report_on_its_way_cannot_be_withdrawn():
    async with reporter_of_waiting_gang() as (api, _, reporter, done, report):
        report()
        await until(lambda: api.writes)
        assert not reporter.withdraw(KEY)
        await until(lambda: done == [KEY])


async def test_answer_that_nobody_understands_costs_a_pause():
    async with reporter_of_waiting_gang() as (api, _, reporter, done, report):
        answers = [Refusal(code=200, message="hello")]
        api.fault = lambda request: answers.pop() if request.resource == "gangjobs/status" and answers else None
        report()
        await until(lambda: done == [KEY])

        assert not reporter.is_writing(KEY)
