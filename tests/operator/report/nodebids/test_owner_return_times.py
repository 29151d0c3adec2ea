"""Since when owners are back is kept in the status of their bids, and the next process goes on from there."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import at, bid, gang, node
from fake_cluster.api import NEVER_ARRIVED, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import api_with, end, is_placed, pods_of, running_operator, set_phases, status_of
from fake_cluster.store import Place
from lockstep.report.nodebids.owner_return_times import keep_owner_returns_written

pytestmark = pytest.mark.asyncio

BID = Place("nodebids", "", "n1")
EVICT = {"onReturn": "Evict", "gracePeriodSeconds": 60}


@asynccontextmanager
async def leader(api):
    """An operator that leads."""
    async with running_operator(api) as parts:
        task = asyncio.create_task(keep_owner_returns_written(parts.client, parts.state, now))
        try:
            yield parts
        finally:
            await end([task])


def kept(api):
    return api.store.get(BID).get("status", {}).get("ownerBackSince")


def writes(api):
    return [request for request in api.writes if request.resource == "nodebids/status"]


async def test_owner_is_noted_once_while_he_is_there():
    async with api_with(node("n1"), bids=[bid("n1", **EVICT)]) as api, leader(api):
        came = now()
        api.store.change(BID, spec={"ownerPresent": True})
        await until(lambda: kept(api))
        assert kept(api) in {at(came), at(came + 1)}
        await asyncio.sleep(600)
        assert len(writes(api)) == 1

        api.store.change(BID, spec={"ownerPresent": False})
        await until(lambda: kept(api) is None)
        await asyncio.sleep(600)
        assert len(writes(api)) == 2


@pytest.mark.parametrize("spec", [{"ownerPresent": True}, {**EVICT}, {**EVICT, "ownerPresent": False}])
async def test_owner_who_interrupts_no_gang_or_is_away_causes_no_write(spec):
    async with api_with(node("n1"), bids=[bid("n1", **spec)]) as api, leader(api):
        await asyncio.sleep(600)

        assert not writes(api)


async def test_next_leader_goes_on_with_the_grace_period():
    async with api_with(node("n1", cpu="2"), gangs=[gang("g", size=1, cpu="2")], bids=[bid("n1", **EVICT)]) as api:
        async with leader(api):
            await until(lambda: is_placed(api))
            set_phases(api, "g", "Running")
            await until(lambda: status_of(api).get("startedAt"))
            came = now()
            api.store.change(BID, spec={"ownerPresent": True})
            await until(lambda: kept(api))
            await asyncio.sleep(30)

        async with leader(api):
            await asyncio.sleep(came + 55 - now())
            assert pods_of(api, "g")
            await until(lambda: not pods_of(api, "g"))

            assert now() - came < 65


async def test_owner_whose_bid_has_expired_is_noted_no_longer():
    offered = bid("n1", **EVICT, ownerPresent=True, expiresAt=at(now() + 60))
    async with api_with(node("n1"), bids=[offered]) as api, leader(api):
        await until(lambda: kept(api))

        await until(lambda: kept(api) is None)


@pytest.mark.parametrize("fault", [NEVER_ARRIVED, Refusal(code=403, message="no")])
async def test_refusal_is_logged_and_tried_again(caplog, fault):
    async with api_with(node("n1"), bids=[bid("n1", **EVICT, ownerPresent=True)]) as api, leader(api):
        api.fault = lambda request: fault if request.resource == "nodebids/status" else None
        await until(lambda: "status of bid n1" in caplog.text)

        api.fault = lambda _: None
        await until(lambda: kept(api))
