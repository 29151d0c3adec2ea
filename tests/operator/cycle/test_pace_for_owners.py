"""Members on nodes whose owners are back: they get a tenth of their CPU, until the owner has left."""

import asyncio

import pytest

from builders.served import bid, gang, role
from fake_cluster.jumping import until
from fake_cluster.paced import (
    BIDS,
    NODES,
    OUT_OF_THE_WAY,
    PACED,
    TURN,
    UNPACED,
    change_bid,
    cpu_by_node,
    pace_of,
    paced_gang,
    resizes,
    run_all,
    until_paced,
)
from fake_cluster.rig import operator_over

pytestmark = pytest.mark.asyncio

OWNED = [bid("n1", capacity="2", onReturn="Pace"), *BIDS[1:]]
A_TENTH = ("400m", "440m")


async def test_owner_who_is_back_has_most_of_the_node_until_he_leaves():
    async with operator_over(*NODES, gangs=[paced_gang(spec={})], bids=OWNED) as (api, _):
        await run_all(api)
        change_bid(api, "n1", ownerPresent=True)
        await until_paced(api, UNPACED | {"n1": A_TENTH})
        assert pace_of(api)["message"] == (
            "1 of 3 members is paced, which gives back 3.6 cores. "
            "The owner of n1 is back: members there have a tenth of their CPU."
        )

        change_bid(api, "n1", ownerPresent=False)
        await until(lambda: cpu_by_node(api) == UNPACED | {"n1": OUT_OF_THE_WAY["n1"]})
        await until(lambda: not pace_of(api))


async def test_owner_who_is_back_has_most_of_the_node_of_a_gang_that_is_paced():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=OWNED) as (api, _):
        await run_all(api)
        await until_paced(api)
        change_bid(api, "n1", ownerPresent=True)
        await until_paced(api, PACED | {"n1": A_TENTH})

        change_bid(api, "n1", ownerPresent=False)
        await until_paced(api)


async def test_owner_who_keeps_members_paces_none():
    async with operator_over(*NODES, gangs=[paced_gang(spec={})], bids=BIDS) as (api, _):
        await run_all(api)
        change_bid(api, "n1", ownerPresent=True)
        await asyncio.sleep(3 * TURN)

    assert not resizes(api)
    assert not pace_of(api)


async def test_members_that_do_not_wait_are_paced_for_an_owner_too():
    roles = [role("lead", load="None", cpu="4"), role("work", size=2, cpu="4")]
    async with operator_over(*NODES, gangs=[gang("g", roles=roles)], bids=OWNED) as (api, _):
        await run_all(api)
        for name in ("n1", "n2", "n3"):
            change_bid(api, name, onReturn="Pace", ownerPresent=True)
        await until(lambda: set(cpu_by_node(api).values()) == {A_TENTH})

        await until(lambda: pace_of(api)["paced"] == 3)
        assert "The owners of n1…n3 are back" in pace_of(api)["message"]
