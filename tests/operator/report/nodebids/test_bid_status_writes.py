"""Agents read what the planner makes of their bids: it is written when it has changed, and to no other bid."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import bid, node, owned_by, pod
from fake_cluster.api import FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import end, running_operator, watching_operator
from fake_cluster.store import Place
from lockstep.belief.nodes.shared_capacities import SETTLED_SECONDS
from lockstep.report.nodebids.bid_status_writes import keep_bid_plans_written

pytestmark = pytest.mark.asyncio

PLACE = Place("nodebids", "", "n1")


def measured(name="n1", **spec):
    """A bid that an agent writes."""
    return {**bid(name, **spec), "status": {"measured": {"message": "Idle."}}}


@asynccontextmanager
async def reporting(*bids, operator=watching_operator):
    """An API server with these bids and a node, and an operator that watches and writes statuses, or that runs too."""
    async with FakeApi(now) as api:
        api.store.create("nodes", node("n1"))
        for one in bids:
            api.store.create("nodebids", one)
        async with operator(api) as parts:
            task = asyncio.create_task(keep_bid_plans_written(parts.client, parts.state, now))
            try:
                yield api
            finally:
                await end([task])


def planned(api):
    return api.store.get(PLACE)["status"].get("planned", {})


async def test_agent_reads_what_the_planner_makes_of_its_bid():
    async with reporting(measured(dutyCycle="250m")) as api:
        await until(lambda: planned(api))

        assert planned(api) == {
            "state": "Offered",
            "slowdown": "1250m",
            "members": 0,
            "memberUids": [],
            "othersRequest": "0m",
            "message": "Members may start. They take 1.25 times as long as on an idle reference node.",
        }
        assert api.store.get(PLACE)["status"]["measured"] == {"message": "Idle."}


async def test_status_for_the_agent_is_written_once():
    async with reporting(measured()) as api:
        await asyncio.sleep(1000)

        assert len(api.writes) == 1


async def test_agent_learns_of_each_member_and_of_its_end():
    async with reporting(measured()) as api:
        await until(lambda: planned(api))

        api.store.create("pods", pod("heat-1-0", node="n1", **owned_by("heat")))
        await until(lambda: planned(api)["memberUids"] == ["uid-of-heat-1-0"])
        api.store.create("pods", pod("other", node="n1", cpu="1500m"))
        await until(lambda: planned(api)["othersRequest"] == "1500m")

        api.store.change(Place("pods", "default", "heat-1-0"), status={"phase": "Succeeded"})
        await until(lambda: planned(api)["memberUids"] == [])
        assert len(api.writes) <= 4


async def test_agent_that_has_measured_no_speed_gets_that_of_the_same_hardware():
    slow, unmeasured = (measured(name, **spec) for name, spec in (("slow", {"capacity": "500m"}), ("n1", {})))
    for one, known in ((slow, {"capacity": "500m"}), (unmeasured, {})):
        one["status"]["measured"] |= {"processor": "EPYC 9, Python 3.11", **known}
    async with reporting(slow, unmeasured, operator=running_operator) as api:
        await until(lambda: planned(api).get("slowdown") == "2000m")

        assert "The capacity 0.50 was measured on a node with the same processor" in planned(api)["message"]


async def test_agent_gets_another_speed_of_its_hardware_ten_minutes_after_the_last_one():
    slow, unmeasured = (measured(name, **spec) for name, spec in (("slow", {"capacity": "500m"}), ("n1", {})))
    for one, known in ((slow, {"capacity": "500m"}), (unmeasured, {})):
        one["status"]["measured"] |= {"processor": "EPYC 9, Python 3.11", **known}
    began = now()
    async with reporting(slow, unmeasured, operator=running_operator) as api:
        await until(lambda: planned(api).get("slowdown") == "2000m")
        api.store.change(Place("nodebids", "", "slow"), status={"measured": {"capacity": "1"}})
        await asyncio.sleep(began + SETTLED_SECONDS - 10 - now())
        assert planned(api)["slowdown"] == "2000m"

        await asyncio.sleep(60)
        assert planned(api)["slowdown"] == "1000m", "nothing was written"


async def test_bids_of_people_cause_no_write():
    async with reporting(bid("n1", capacity="2")) as api:
        await asyncio.sleep(1000)

        assert api.writes == []


async def test_refusal_is_logged_and_tried_again(caplog):
    async with reporting(measured()) as api:
        api.fault = lambda request: Refusal(code=422, message="no") if request.is_write else None
        await until(lambda: caplog.messages)
        assert caplog.messages[0] == "the API server refuses the status of bid n1: no"

        api.fault = lambda _: None
        await until(lambda: planned(api))


async def test_bid_that_is_gone_gets_no_write(caplog):
    async with reporting(measured()) as api:
        api.fault = lambda request: (
            Refusal(code=404, message="gone", details={"name": "n1"}) if request.is_write else None
        )
        await until(lambda: api.writes)
        await asyncio.sleep(100)

        assert caplog.messages == []
