"""Every way in which an attempt can end: whatever it held is ended, tries come with growing pauses, others go on."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import NEVER_ARRIVED, REFUSED, Refusal
from fake_cluster.jumping import until
from fake_cluster.rig import event_reasons, gang_place, is_placed, operator_over, pods_of, status_of
from lockstep.act.ending import release
from lockstep.act.ending import undo as undoing
from lockstep.act.members import making
from lockstep.act.requests.deletions import Deletions
from lockstep.report.status.writer import StatusWriter

pytestmark = pytest.mark.asyncio

RESERVING, CREATING, BINDING = ("PATCH", "gangjobs/status"), ("POST", "pods"), ("POST", "pods/binding")
TROUBLED_SECONDS = 100
# Pauses of 1, 2, 4, 8, 16, 32 and 60 seconds: a seventh try begins after 63 seconds.
MOST_TRIES = 7


def at(request_kind, fault):
    """That fault at every such request about gang or pods of g."""

    def decide(request):
        concerns = request.name in ("", "g") or request.name.startswith("g-")
        return fault if concerns and (request.verb, request.resource) == request_kind else None

    return decide


def tries(api, request_kind):
    return sum((request.verb, request.resource) == request_kind for request in api.writes)


REFUSALS = [
    pytest.param(RESERVING, REFUSED, id="reservation forbidden"),
    pytest.param(RESERVING, Refusal(code=422), id="reservation invalid"),
    pytest.param(RESERVING, Refusal(code=400), id="reservation denied by a webhook"),
    pytest.param(RESERVING, Refusal(code=409), id="reservation conflicts with nothing new"),
    pytest.param(RESERVING, Refusal(code=404), id="reservation not found, though the gang is there"),
    pytest.param(CREATING, REFUSED, id="pod forbidden"),
    pytest.param(BINDING, REFUSED, id="binding forbidden"),
    pytest.param(BINDING, Refusal(code=404), id="pod to bind not found"),
]


@pytest.mark.parametrize(("kind", "fault"), REFUSALS)
async def test_refusal_is_tried_again_with_growing_pauses_and_holds_nothing_meanwhile(kind, fault):
    async with operator_over(node("n1", cpu="8")) as (api, parts):
        api.fault = at(kind, fault)
        api.store.create("gangjobs", gang("g", size=2, cpu="4"))
        await asyncio.sleep(TROUBLED_SECONDS)

        assert 3 <= tries(api, kind) <= 3 * MOST_TRIES
        assert parts.state.reservations == {}
        assert pods_of(api, "g") == []
        api.fault = lambda _: None
        await until(lambda: is_placed(api))


@pytest.mark.parametrize("code", [403, 422, 400, 404])
async def test_refused_reservation_is_reported_each_time(code, caplog):
    async with operator_over() as (api, parts):
        api.fault = at(RESERVING, Refusal(code=code, message="denied by a policy"))
        api.store.create("gangjobs", gang("g", size=2))
        await asyncio.sleep(TROUBLED_SECONDS)

        count = tries(api, RESERVING)
        assert parts.metric("lockstep_statuses_refused_total", write="reservation") == count <= MOST_TRIES
        assert caplog.text.count("refuses the gang's reservation: denied by a policy") == count
        assert event_reasons(api) == ["StatusRefused"] * count


async def test_gang_that_exists_in_belief_only_is_forgotten():
    async with operator_over() as (api, parts):
        api.store._objects.pop(gang_place("ghost"), None)
        ghost = gang("ghost", size=2)
        api.store.create("gangjobs", ghost)
        del api.store._objects[gang_place("ghost")]

        await until(lambda: tries(api, RESERVING))
        await until(lambda: not parts.state.gangs)
        await asyncio.sleep(60)
        assert (tries(api, RESERVING), parts.state.reservations, parts.state.ledger.assumed) == (1, {}, 0)


@pytest.mark.parametrize("code", [403, 422, 400])
async def test_refused_report_causes_an_event_and_is_tried_again_with_growing_pauses(code):
    async with operator_over() as (api, parts):
        api.fault = at(RESERVING, Refusal(code=code))
        api.store.create("gangjobs", gang("g", size=90))
        await asyncio.sleep(TROUBLED_SECONDS)

        count = tries(api, RESERVING)
        assert parts.metric("lockstep_statuses_refused_total", write="report") == count <= MOST_TRIES
        assert event_reasons(api) == ["StatusRefused"] * count
        api.fault = lambda _: None
        await until(lambda: status_of(api))


async def test_refused_release_is_tried_again_with_growing_pauses_until_it_is_taken():
    async with operator_over() as (api, parts):
        # The first write reserves, those after it would release.
        seen = []
        refuse_release = at(RESERVING, REFUSED)

        def decide(request):
            if request.resource == "gangjobs/status":
                seen.append(request)
            return at(BINDING, REFUSED)(request) or (refuse_release(request) if len(seen) > 1 else None)

        api.fault = decide
        api.store.create("gangjobs", gang("g", size=2))
        await asyncio.sleep(TROUBLED_SECONDS)
        # Once that it is being undone, then that it is.
        assert parts.metric("lockstep_statuses_refused_total", write="release") <= 1 + MOST_TRIES

        api.fault = lambda _: None
        await until(lambda: is_placed(api))
        assert status_of(api)["attempt"] == 2


# Everything that an attempt calls, and what has to happen for it to be called.
STEPS = [
    pytest.param(StatusWriter, "write", None, id="reserving"),
    pytest.param(making.Creator, "create_missing", None, id="creating"),
    pytest.param(making.Binder, "bind_all", None, id="binding"),
    pytest.param(making, "progress", None, id="counting"),
    pytest.param(undoing, "mark_undoing", BINDING, id="reporting that it is torn down"),
    pytest.param(undoing, "refresh_members", BINDING, id="listing what to undo"),
    pytest.param(Deletions, "delete", BINDING, id="deleting"),
    pytest.param(release, "mark_released", BINDING, id="releasing"),
]


@pytest.mark.parametrize(("holder", "step", "refused"), STEPS)
async def test_attempt_that_breaks_off_is_taken_up_again_and_no_other_gang_notices(monkeypatch, holder, step, refused):
    broken = Breaking(monkeypatch, holder, step, times=3)
    async with operator_over(node("n1", cpu="8")) as (api, parts):
        refusals = iter([REFUSED] if refused else [])
        api.fault = lambda request: next(refusals, None) if (request.verb, request.resource) == refused else None
        api.store.create("gangjobs", gang("g", size=2, cpu="4"))
        await until(lambda: broken.times < 3)
        api.store.create("nodes", node("n2"))
        api.store.create("gangjobs", gang("other", size=2, cpu="4"))

        await until(lambda: is_placed(api, "other"), seconds=20)
        await until(lambda: is_placed(api), seconds=60)
        assert broken.times < 3
        assert len(pods_of(api, "g")) == 2
        assert parts.state.ledger.assumed == 0


async def test_outage_in_the_middle_of_an_attempt_leaves_nothing_held():
    async with operator_over(node("n1", cpu="8")) as (api, parts):
        api.fault = at(CREATING, NEVER_ARRIVED)
        api.store.create("gangjobs", gang("g", size=2, cpu="4"))
        await until(lambda: parts.metric("lockstep_attempts_undone_total", reason="ApiUnavailable"))
        assert (parts.state.reservations, parts.state.ledger.assumed) == ({}, 0)


class Breaking:
    """Makes one function that attempts call raise for so many times, for gangs of that name."""

    def __init__(self, monkeypatch, holder, name, *, times):
        self.times = times
        real = getattr(holder, name)

        def broken(*args, **kwargs):
            if self.times and "other" not in repr(args)[:100_000]:
                self.times -= 1
                raise ZeroDivisionError("a promise of ours is broken")
            return real(*args, **kwargs)

        monkeypatch.setattr(holder, name, broken)
