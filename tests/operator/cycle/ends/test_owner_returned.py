"""Gangs that are interrupted by owners of their nodes: when, what is reported, and what comes next."""

import asyncio

import pytest

from builders.served import at, bid, gang, node
from fake_cluster.jumping import now, until
from fake_cluster.rig import condition, event_reasons, is_placed, operator_over, pods_of, set_phases, status_of
from fake_cluster.store import Place
from lockstep.belief.nodes.owners import QUIET_SECONDS

pytestmark = pytest.mark.asyncio

TWO_NODES = (node("n1", cpu="2"), node("n2", cpu="2"))
EVICT = {"onReturn": "Evict", "gracePeriodSeconds": 30}
BID = Place("nodebids", "", "n1")


async def running(api):
    """Place a gang that fills n1, as n2 is slow."""
    api.store.create("gangjobs", gang("g", size=1, cpu="2"))
    await until(lambda: is_placed(api))
    set_phases(api, "g", "Running")
    await until(lambda: status_of(api).get("startedAt"))


def nodes_of(api):
    return {pod["spec"].get("nodeName") for pod in pods_of(api, "g")}


def says(api, kind):
    return next(one["message"] for one in status_of(api)["conditions"] if one["type"] == kind)


def bids(**owner):
    return (bid("n1", **owner), bid("n2", dutyCycle="1"))


async def test_gang_is_interrupted_after_the_grace_and_goes_elsewhere():
    async with operator_over(*TWO_NODES, bids=bids(**EVICT)) as (api, parts):
        await running(api)
        assert nodes_of(api) == {"n1"}

        api.store.change(BID, spec={"ownerPresent": True})
        came = now()
        await asyncio.sleep(29)
        assert nodes_of(api) == {"n1"}
        await until(lambda: is_placed(api) and nodes_of(api) == {"n2"})

        assert now() - came < 40
        assert status_of(api)["attempt"] == 2
        assert status_of(api).get("restarts") is None
        assert parts.metric("lockstep_attempts_undone_total", reason="OwnerReturned") == 1
        assert "OwnerReturned" in event_reasons(api)
        assert "BindInterrupted" not in event_reasons(api)


async def test_condition_and_event_name_the_node_and_when_its_owner_came():
    async with operator_over(TWO_NODES[0], bids=bids(**EVICT)) as (api, _):
        await running(api)
        api.lingers = True
        why = f"the owner of node n1 has been back since {at(now())}"
        api.store.change(BID, spec={"ownerPresent": True})
        await until(lambda: condition(api, "g", "Planned") == ("False", "OwnerReturned"))
        await until(lambda: "OwnerReturned" in event_reasons(api))

        assert why in says(api, "Planned")
        [note] = [one["note"] for one in api.store.objects("events") if one["reason"] == "OwnerReturned"]
        assert why in note.replace("The owner", "the owner")


@pytest.mark.parametrize("on_return", ["Keep", "Pace"])
async def test_members_stay_where_the_owner_lets_them_but_no_others_come(on_return):
    async with operator_over(TWO_NODES[0], bids=bids(onReturn=on_return, gracePeriodSeconds=0)) as (api, _):
        api.store.create("gangjobs", gang("g", size=1, cpu="1"))
        await until(lambda: is_placed(api))
        api.store.change(BID, spec={"ownerPresent": True})
        await asyncio.sleep(1)
        api.store.create("gangjobs", gang("other", size=1, cpu="1"))
        await asyncio.sleep(1000)

        assert is_placed(api)
        assert not is_placed(api, "other")
        api.store.change(BID, spec={"ownerPresent": False})
        await until(lambda: is_placed(api, "other"))


async def test_owner_who_comes_and_goes_within_the_grace_period_interrupts_no_gang():
    async with operator_over(*TWO_NODES, bids=bids(**EVICT)) as (api, _):
        await running(api)
        for present in [True, False] * 20:
            api.store.change(BID, spec={"ownerPresent": present})
            await asyncio.sleep(20)

        assert (nodes_of(api), status_of(api)["attempt"]) == ({"n1"}, 1)


async def test_owner_who_comes_and_goes_interrupts_a_gang_once_in_ten_minutes_at_most():
    async with operator_over(TWO_NODES[0], bids=bids(onReturn="Evict", gracePeriodSeconds=0)) as (api, _):
        await running(api)
        began = now()
        for present in [True, False] * 60:
            api.store.change(BID, spec={"ownerPresent": present})
            await asyncio.sleep(15)

        interruptions = status_of(api)["attempt"]
        assert interruptions <= 1 + (now() - began) / QUIET_SECONDS
        await until(lambda: is_placed(api))


async def test_node_that_is_taken_back_at_a_time_is_given_back_then():
    async with operator_over(*TWO_NODES, bids=bids(**EVICT)) as (api, _):
        await running(api)
        api.store.change(BID, spec={"availableUntil": at(now() + 100)})
        await asyncio.sleep(120)
        assert nodes_of(api) == {"n1"}
        await until(lambda: nodes_of(api) == {"n2"})

        assert condition(api, "g", "Planned")[0] == "True"


async def test_members_that_have_ended_keep_no_owner_from_the_node():
    async with operator_over(*TWO_NODES, bids=bids(**EVICT)) as (api, _):
        await running(api)
        set_phases(api, "g", "Succeeded")
        api.store.change(BID, spec={"ownerPresent": True})
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))
        await asyncio.sleep(100)

        assert "OwnerReturned" not in event_reasons(api)
