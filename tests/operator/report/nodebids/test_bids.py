"""The condition of a bid that does not count says why, once; all other bids cause no write."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import at, bid, node
from fake_cluster.api import FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import end, watching_operator
from fake_cluster.store import Place
from lockstep.report.nodebids.bids import keep_bid_conditions_written

pytestmark = pytest.mark.asyncio

PLACE = Place("nodebids", "", "n1")
NODE = Place("nodes", "", "n1")


@asynccontextmanager
async def answering(*bids):
    """An API server with these bids and their nodes, and an operator that watches and answers them."""
    async with FakeApi(now) as api:
        for one in bids:
            api.store.create("nodebids", one)
            api.store.create("nodes", node(one["metadata"]["name"]))
        async with watching_operator(api) as parts:
            task = asyncio.create_task(keep_bid_conditions_written(parts.client, parts.state, now))
            try:
                yield api, parts
            finally:
                await end([task])


def conditions(api):
    return api.store.get(PLACE).get("status", {}).get("conditions", [])


async def test_condition_says_what_cannot_be_understood():
    async with answering(bid("n1", capacity="0")) as (api, _):
        began = now()
        await until(lambda: conditions(api))

        [accepted] = conditions(api)
        assert accepted["lastTransitionTime"] in {at(began + seconds) for seconds in range(5)}
        assert {key: accepted[key] for key in ("type", "status", "reason", "message")} == {
            "type": "Accepted",
            "status": "False",
            "reason": "InvalidSpec",
            "message": "The bid can't be understood, so its node is not offered to gangs: "
            "dutyCycle must not be negative, and is 0; capacity must be above 0, and is 0.",
        }


async def test_condition_warns_once_of_a_duty_cycle_that_seems_a_percentage():
    async with answering(bid("n1", dutyCycle="25")) as (api, parts):
        await until(lambda: conditions(api))
        api.store.change(PLACE, spec={"dutyCycle": "26"})
        await asyncio.sleep(10)

        [accepted] = conditions(api)
        assert (accepted["status"], accepted["reason"], len(api.writes)) == ("True", "SpecUnderstood", 1)
        assert accepted["message"].endswith(
            "above 10, so a member takes more than 11 times as long as on the idle node. If you meant a percentage, "
            "write 250m for 25 %."
        )
        assert parts.state.bids["n1"].slowdown == 27


async def test_bid_of_much_but_likely_load_is_not_reported():
    async with answering(bid("n1", dutyCycle="10")) as (api, _):
        await asyncio.sleep(10)

        assert not api.writes


async def test_condition_says_that_a_node_is_not_there_until_it_is():
    async with answering(bid("n1", capacity="2")) as (api, _):
        api.store.remove(NODE)
        await until(lambda: conditions(api))
        [accepted] = conditions(api)
        assert (accepted["status"], accepted["reason"], accepted["message"]) == (
            "False",
            "NodeNotFound",
            "There is no node n1. A bid has the name of its node, and counts as soon as that node exists.",
        )

        api.store.create("nodes", node("n1"))
        await until(lambda: conditions(api)[0]["status"] == "True")
        await asyncio.sleep(100)

        assert (conditions(api)[0]["reason"], len(api.writes)) == ("SpecUnderstood", 2)


async def test_node_that_comes_back_at_once_is_not_reported():
    async with answering(bid("n1", capacity="2")) as (api, parts):
        api.store.remove(NODE)
        await until(lambda: "n1" not in parts.state.nodes)
        api.store.create("nodes", node("n1"))
        await asyncio.sleep(100)

        assert not api.writes


async def test_condition_is_written_once():
    async with answering(bid("n1", capacity="0")) as (api, _):
        await asyncio.sleep(100)

        assert len(api.writes) == 1


async def test_condition_says_that_the_bid_is_understood_again():
    async with answering(bid("n1", capacity="0")) as (api, _):
        await until(lambda: conditions(api))
        api.store.change(PLACE, spec={"capacity": "2"})
        await until(lambda: conditions(api)[0]["status"] == "True")
        await asyncio.sleep(100)

        assert (conditions(api)[0]["reason"], len(api.writes)) == ("SpecUnderstood", 2)


async def test_bids_that_are_understood_cause_no_write():
    async with answering(*[bid(f"n{number}", capacity="2") for number in range(50)]) as (api, _):
        await asyncio.sleep(100)

        assert api.writes == []


async def test_refused_answer_is_not_repeated(caplog):
    async with answering(bid("n1", capacity="0")) as (api, _):
        api.fault = lambda request: Refusal(code=403, message="denied by a policy") if request.is_write else None
        await asyncio.sleep(100)

        assert len(api.writes) == 1
        assert "refuses the status of bid n1: denied by a policy" in caplog.text


async def test_answer_waits_for_an_api_server_that_is_away():
    async with answering(bid("n1", capacity="0")) as (api, _):
        api.fault = lambda request: Refusal(code=503) if request.is_write else None
        await asyncio.sleep(100)
        api.fault = lambda _: None

        await until(lambda: conditions(api))
