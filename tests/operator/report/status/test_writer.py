"""The status writer: an attempt's writes go first, reports give way, and behind the fence nothing goes out."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from builders.facts import take_changed
from builders.served import gang
from coschedule import GangKey, Reason, Spelled, Unplaceable
from fake_cluster.api import NEVER_ARRIVED, FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import Parts, status_of, watching_operator
from lockstep.api.client.turns import Urgency
from lockstep.report.status import events, plan_marks
from lockstep.report.status.status import Written
from lockstep.report.status.writer import StatusReport, StatusWriter

pytestmark = pytest.mark.asyncio

KEY = GangKey("default", "g")


@dataclass(slots=True)
class Writing:
    """A writer, and what it was asked to report of gang g: that it does not fit."""

    api: FakeApi
    parts: Parts
    writer: StatusWriter
    asked: list = field(default_factory=list)
    written: list = field(default_factory=list)

    @property
    def gang(self):
        return self.parts.state.gangs[KEY]

    @property
    def status(self):
        refusal = Spelled(reason=Reason.NOT_ENOUGH_ROOM, sentence="it needs 3 members, and 1 fit")
        decision = Unplaceable(gang=KEY, refusal=refusal)
        return plan_marks.mark_unplaceable(self.gang, decision, now=now())

    def report(self, event=None, key=KEY):
        def make():
            self.asked.append(now())
            return StatusReport(status=self.status, event=event, written=lambda: self.written.append(now()))

        return self.writer.report(self.parts.state.gangs[key], make)

    @property
    def statuses(self):
        """Every try to write a status."""
        return [write for write in self.api.writes if write.resource == "gangjobs/status"]

    async def sending(self):
        """Wait until a status is being sent, of which the first try never arrives."""
        tries = [NEVER_ARRIVED]
        self.api.fault = lambda request: tries.pop() if request.resource == "gangjobs/status" and tries else None
        await until(lambda: self.api.writes)

    async def until_changed(self):
        """Wait until the gang is to be reconciled again."""
        await until(lambda: KEY in self.parts.state.changes.gangs)
        take_changed(self.parts.state)


@asynccontextmanager
async def writing():
    async with FakeApi(now) as api:
        api.store.add("gangjobs", gang("g", size=3))
        async with watching_operator(api) as parts:
            await until(lambda: KEY in parts.state.gangs)
            take_changed(parts.state)
            parts.state.changes.begin_plan()
            yield Writing(api, parts, parts.services.writer)


async def test_report_waits_while_pods_are_bound():
    async with writing() as it:
        async with it.parts.client._writes.turn(Urgency.ACT):
            assert it.report()
            await asyncio.sleep(1)
            assert it.api.writes == []

        await it.until_changed()
        assert len(it.statuses) == len(it.written) == 1


async def test_report_does_not_wait_for_ever():
    async with writing() as it, it.parts.client._writes.turn(Urgency.ACT):
        it.report()
        await it.until_changed()

        assert len(it.statuses) == 1


async def test_gang_that_holds_nodes_is_reported_before_others_that_asked_earlier():
    async with writing() as it:
        others = [f"other-{number}" for number in range(20)]
        for name in others:
            it.api.store.add("gangjobs", gang(name, size=3))
        await until(lambda: len(it.parts.state.gangs) == 21)
        it.parts.state.reservations[KEY] = object()
        async with AsyncExitStack() as stack:
            for _ in range(4):
                await stack.enter_async_context(it.writer._at_once.turn(Urgency.ACT))
            for name in [*others, KEY.name]:
                it.report(key=GangKey("default", name))
            await asyncio.sleep(1)
        await until(lambda: len(it.statuses) == 21)

        assert KEY.name in [write.name for write in it.statuses[:5]]


async def test_nothing_is_asked_for_while_another_report_waits_or_is_sent():
    async with writing() as it:
        assert it.report()
        assert not it.report()
        await it.sending()
        assert not it.report()
        await it.until_changed()

        assert len(it.asked) == 1
        assert it.report()


async def test_nothing_to_report_writes_nothing():
    async with writing() as it:
        assert it.writer.report(it.gang, lambda: None)
        assert it.report()


async def test_report_that_waits_makes_way_for_an_attempt():
    async with writing() as it:
        async with it.parts.client._writes.turn(Urgency.ACT):
            it.report()
            await asyncio.sleep(1)
            assert it.writer.make_way(KEY)
        await asyncio.sleep(30)

        assert (it.api.writes, it.written, it.parts.state.changes.is_plan_due) == ([], [], False)
        assert it.report()


async def test_report_that_is_sent_holds_an_attempt_up_and_its_end_leads_to_a_plan():
    async with writing() as it:
        it.report()
        await it.sending()
        assert not it.writer.make_way(KEY)
        await it.until_changed()

        assert it.parts.state.changes.is_plan_due
        assert it.writer.make_way(KEY)


async def test_report_that_delayed_no_gang_leads_to_no_plan():
    async with writing() as it:
        it.report()
        await it.until_changed()

        assert not it.parts.state.changes.is_plan_due


async def test_attempt_writes_at_once_and_instead_of_a_report_that_waits():
    async with writing() as it:
        it.writer._client.wait_until_idle = forever
        it.report()
        await asyncio.sleep(1)
        status = replace(it.status, attempt=7)
        written, _ = await it.writer.write(it.gang, status)

        assert written is Written.DONE
        assert (len(it.statuses), it.written, status_of(it.api)["attempt"]) == (1, [], 7)
        assert it.report()


async def test_attempt_writes_after_a_report_that_is_being_sent_and_does_not_wait_for_its_event():
    async with writing() as it:
        it.report(events.gang_unplaceable("it does not fit"))
        await it.sending()
        it.writer._client.wait_until_idle = forever
        written, _ = await it.writer.write(it.gang, it.status)

        assert (len(it.statuses), len(it.written)) == (3, 1)
        assert written in (Written.DONE, Written.CONFLICT)


async def test_no_report_goes_out_while_an_attempt_writes():
    async with writing() as it:
        write = asyncio.create_task(it.writer.write(it.gang, it.status))
        await it.sending()
        assert not it.report()
        await write
        assert it.report()


async def test_attempt_writes_instead_of_a_report_that_rests_since_it_was_refused():
    async with writing() as it:
        answers = [Refusal(code=422), NEVER_ARRIVED]
        it.api.fault = lambda request: answers.pop() if request.resource == "gangjobs/status" and answers else None
        it.report()
        await until(lambda: it.statuses)
        written, _ = await it.writer.write(it.gang, it.status)
        assert written is Written.DONE

        it.writer._client.wait_until_idle = forever
        assert it.report()
        # Longer than the rest of the one before.
        await asyncio.sleep(30)
        assert not it.report()


async def test_end_of_a_write_that_was_called_off_is_a_change_of_its_gang():
    async with writing() as it:
        write = asyncio.create_task(it.writer.write(it.gang, it.status))
        await it.sending()
        write.cancel()
        assert not it.report()
        await it.until_changed()

        assert it.report()


async def test_unreadable_answer_costs_a_pause():
    async with writing() as it:
        answers = [Refusal(code=200, message="hello")]
        it.api.fault = lambda request: answers.pop() if request.resource == "gangjobs/status" and answers else None
        it.report()
        await it.until_changed()

        assert it.written == []
        assert it.report()


async def test_after_a_stop_nothing_goes_out_not_even_what_waits():
    async with writing() as it:
        async with it.parts.client._writes.turn(Urgency.ACT):
            it.report()
            it.writer.post(it.gang, events.gang_unplaceable("it does not fit"))
            await asyncio.sleep(1)
            it.writer.stop()
        it.writer.post(it.gang, events.gang_unplaceable("it does not fit"))
        assert not it.report()
        await asyncio.sleep(60)

        assert (it.api.writes, it.written) == ([], [])


async def forever(**_):
    """Never return."""
    await asyncio.Event().wait()
