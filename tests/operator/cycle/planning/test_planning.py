"""The plan beside the cycle: one gang that makes it raise costs no other its turn, and old changes start nothing."""

import asyncio

import pytest

from builders.served import gang, node, pod
from coschedule import GangKey
from fake_cluster.api import Refusal
from fake_cluster.jumping import until
from fake_cluster.rig import bound, condition, gang_place, is_placed, operator_over, pod_place, pods_of, status_of
from fake_cluster.store import Place
from lockstep.cycle.planning import plan_thread as making
from lockstep.cycle.planning import standing
from lockstep.cycle.planning.holds import HoldPolicy
from lockstep.cycle.planning.planning import PlanOptions
from lockstep.facts.gang import gang as facts
from lockstep.facts.reasons import Reason
from lockstep.snapshot import snapshots

INVALID = Refusal(code=422, message='Pod "x" is invalid: no')

pytestmark = pytest.mark.asyncio


@pytest.fixture
def poison(monkeypatch):
    """Make what the returned function gets raise for gangs named ``poison``."""

    def spoil(owner, name, gang_of):
        real = getattr(owner, name)

        def spoilt(*args, **kwargs):
            if gang_of(*args).key.name == "poison" and spoilt.raises:
                message = "no such number"
                raise ArithmeticError(message)
            return real(*args, **kwargs)

        spoilt.raises = True
        monkeypatch.setattr(owner, name, spoilt)
        return spoilt

    return spoil


def in_snapshot(poison):
    return poison(snapshots, "pending_gang", lambda _state, one, *_: one.gang)


def in_planner(poison):
    return poison(making.plan.__globals__["Planner"], "_decide", lambda _self, one: one)


def in_waiting(poison):
    return poison(standing.Standing, "waits", lambda _self, one: one)


@pytest.mark.parametrize("where", [in_snapshot, in_planner])
async def test_gang_that_raises_is_quarantined_and_reported_and_the_others_are_placed(where, poison):
    where(poison)
    async with operator_over(gangs=[gang("poison"), gang("g")]) as (api, parts):
        await until(lambda: is_placed(api))
        await until(lambda: condition(api, "poison", "Planned") == ("False", "PlanningFailed"))
        message = next(it["message"] for it in status_of(api, "poison")["conditions"] if it["type"] == "Planned")
        assert "ArithmeticError: the operator's log says more" in message
        assert parts.metric("lockstep_gang_errors_total", stage="plan") == 1


@pytest.mark.parametrize("where", [in_snapshot, in_planner, in_waiting])
async def test_gang_that_raises_is_not_part_of_every_plan(where, poison):
    where(poison)
    async with operator_over(gangs=[gang("poison"), gang("g", size=90)]) as (_, parts):
        await until(lambda: parts.metric("lockstep_gang_errors_total", stage="plan"))
        for _ in range(300):
            parts.state.changes.record_change(needs_plan=True)
            await asyncio.sleep(1)

        assert 3 <= parts.metric("lockstep_gang_errors_total", stage="plan") <= 6
        assert parts.metric("lockstep_cycles_total", result="error") == 0


@pytest.mark.parametrize("where", [in_snapshot, in_planner, in_waiting])
async def test_gang_that_raises_no_more_is_placed(where, poison):
    spoilt = where(poison)
    async with operator_over(gangs=[gang("poison")]) as (api, parts):
        await until(lambda: parts.metric("lockstep_gang_errors_total", stage="plan"))
        spoilt.raises = False
        await until(lambda: is_placed(api, "poison"), seconds=60)


def node_place(name):
    return Place("nodes", "", name)


class Held:
    """Runs plans when the test says so, as a slow thread would."""

    def __init__(self):
        self.gate = asyncio.Event()
        self.plans = 0

    async def __call__(self, work):
        made = work()
        self.plans += 1
        await self.gate.wait()
        return made


@pytest.fixture
def slow():
    """Plans that are not carried out before ``gate`` is set."""
    return Held()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda api: api.store.create("pods", pod("p", node="n1", cpu="8")), id="a node is full"),
        pytest.param(lambda api: api.store.change(node_place("n1"), spec={"unschedulable": True}), id="cordoned"),
        pytest.param(lambda api: api.store.remove(node_place("n1")), id="gone"),
    ],
)
async def test_placement_that_no_longer_fits_is_planned_again_at_once(change, slow):
    plans = PlanOptions(run=slow, holds=HoldPolicy(seconds=0))
    async with operator_over(gangs=[gang("g", size=2, cpu="8"), gang("small", cpu="1", size=1)], plans=plans) as (
        api,
        parts,
    ):
        await until(lambda: slow.plans)
        change(api)
        await parts.quiet()
        slow.gate.set()
        await until(lambda: (condition(api, "g", "Planned") or "?")[0] == "False", seconds=30)

        assert pods_of(api, "g") == []
        await until(lambda: bound(pods_of(api, "small")) == ["n2"], seconds=30)


async def test_gang_that_is_gone_meanwhile_is_not_started(slow):
    async with operator_over(gangs=[gang("g")], plans=PlanOptions(run=slow)) as (api, parts):
        await until(lambda: slow.plans)
        api.store.remove(gang_place("g"))
        another = gang("g", size=1)
        another["metadata"]["uid"] = "uid-of-another"
        api.store.create("gangjobs", another)
        await parts.quiet()
        slow.gate.set()
        await until(lambda: is_placed(api))

        assert len(pods_of(api, "g")) == 1


async def test_gang_that_is_refused_meanwhile_gets_no_status_of_the_plan(slow):
    async with operator_over(gangs=[gang("g", size=90), gang("small", size=1)], plans=PlanOptions(run=slow)) as (
        api,
        parts,
    ):
        await until(lambda: slow.plans)
        # As the answer to a dry run says it, which later ones say again.
        api.admit = lambda it: INVALID if it["metadata"]["name"].startswith("g-") else it
        key = GangKey("default", "g")
        parts.state.apply_verdict(parts.state.gangs[key], facts.Refusal(Reason.TEMPLATE_REFUSED, "no such thing"))
        slow.gate.set()
        await until(lambda: is_placed(api, "small"))
        await until(lambda: condition(api, "g", "Accepted") == ("False", "TemplateRefused"))

        assert parts.metric("lockstep_gang_errors_total", stage="plan") == 0
        assert condition(api, "g", "Planned") == ("False", "NotPlanned")


async def test_world_that_always_changes_holds_up_no_gang(slow):
    async with operator_over(
        gangs=[gang(f"g{number}", size=1) for number in range(6)], plans=PlanOptions(run=slow)
    ) as (api, _):
        for number in range(20):
            api.store.create("pods", pod(f"p{number}", node="n2", cpu="1m"))
            await asyncio.sleep(0.5)
            slow.gate.set()
            await asyncio.sleep(0.5)
            slow.gate.clear()

        assert all(is_placed(api, f"g{number}") for number in range(6))


async def test_only_one_plan_is_made_at_a_time(slow):
    async with operator_over(gangs=[gang("g")], plans=PlanOptions(run=slow)) as (_, parts):
        await until(lambda: slow.plans)
        for _ in range(10):
            parts.state.changes.record_change(needs_plan=True)
            await asyncio.sleep(1)

        assert slow.plans == 1


async def test_what_runs_is_followed_while_a_plan_is_made(slow):
    slow.gate.set()
    async with operator_over(gangs=[gang("g")], plans=PlanOptions(run=slow)) as (api, _):
        await until(lambda: is_placed(api))
        slow.gate.clear()
        api.store.create("gangjobs", gang("waits", size=90))
        await until(lambda: slow.plans > 1)
        for it in pods_of(api, "g"):
            api.store.change(pod_place(it["metadata"]["name"]), status={"phase": "Succeeded"})
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"), seconds=30)


async def test_gang_in_back_off_keeps_its_place():
    """A gang of lower priority, or a younger one, does not get the nodes of one that was undone and rests."""
    async with operator_over(node("n1", cpu="2")) as (api, _):
        api.fault = once(lambda request: request.resource == "pods/binding")
        api.store.create("gangjobs", gang("a-front", size=2))
        await until(lambda: condition(api, "a-front", "Planned") == ("False", "ReservationReleased"))
        api.store.create("gangjobs", gang("behind", size=1))
        await until(lambda: is_placed(api, "a-front"))

        assert pods_of(api, "behind") == []
        assert condition(api, "behind", "Placed")[0] == "False"


async def test_gang_in_back_off_is_not_reported_in_every_plan():
    async with operator_over(node("n1", cpu="2")) as (api, parts):
        api.fault = lambda request: Refusal(code=403) if request.resource == "pods/binding" else None
        api.store.create("gangjobs", gang("g", size=2))
        await until(lambda: status_of(api).get("attempt") == 5)
        await until(lambda: condition(api, "g", "Planned") == ("False", "ReservationReleased"))
        count = len(api.writes)
        for _ in range(10):
            parts.state.changes.record_change(needs_plan=True)
            await asyncio.sleep(1)

        assert len(api.writes) == count
        assert condition(api, "g", "Placed") == ("False", "BindInterrupted")


def once(concerns):
    """A refusal of the first request that concerns."""
    refusals = iter([Refusal(code=403)])
    return lambda request: next(refusals, None) if concerns(request) else None
