"""Gangs with ``pace: Share``: members on faster nodes request less, keep their limits, and keep their room."""

import asyncio

import pytest

from builders.served import bid, container, gang, node
from fake_cluster.api import Refusal
from fake_cluster.jumping import until
from fake_cluster.paced import (
    BIDS,
    LOCAL,
    NODES,
    OUT_OF_THE_WAY,
    PACED,
    TURN,
    UNPACED,
    change_bid,
    change_gang,
    cpu_by_node,
    pace_of,
    paced_gang,
    resizes,
    run_all,
    until_paced,
)
from fake_cluster.rig import (
    api_with,
    event_reasons,
    is_placed,
    operator_over,
    pods_of,
    running_operator,
    set_phase,
    status_of,
)

pytestmark = pytest.mark.asyncio

SHARE = {"pace": "Share"}
SHARED = {"n1": ("2000m", None), "n2": ("1000m", None), "n3": ("4", None)}
BACK = {"n1": ("4000m", None), "n2": ("4000m", None), "n3": ("4", None)}
OTHER = gang("other", size=1, cpu="1")
SAME = {"cpu": "4", "memory": "1Gi"}


def sharing_gang(**more):
    return paced_gang(spec=SHARE, **more)


def condition(api, kind, name="g"):
    return next((one for one in status_of(api, name).get("conditions", ()) if one["type"] == kind), {})


async def has_to_wait(api, name="other"):
    """Whether a gang is still not placed after plans and checks of the pace have come and gone."""
    await until(lambda: status_of(api, name).get("conditions"))
    await asyncio.sleep(3 * TURN)
    return not is_placed(api, name)


async def test_members_on_faster_nodes_request_what_keeps_up_and_keep_their_limits():
    limited = container(requests={"cpu": "3"}, limits={"cpu": "4"})
    async with operator_over(*NODES, gangs=[sharing_gang(containers=[limited])], bids=BIDS) as (api, parts):
        await run_all(api)
        await until(lambda: cpu_by_node(api) == {"n1": ("2000m", "4000m"), "n2": ("1000m", "4000m"), "n3": ("3", "4")})
        await until(lambda: pace_of(api).get("paced") == 2)

        assert pace_of(api)["givenBack"] == "3000m"
        want = "2 of 3 members are paced, which lowers requests by 3.0 cores, and keeps limits. The slowest node is n3."
        assert pace_of(api)["message"] == want
        assert pace_of(api)["unpaced"] == [{"container": "main", "request": "3000m", "limit": "4000m"}]
        assert parts.metric("lockstep_resizes_total", result="done") == 2
        assert event_reasons(api).count("GangPaced") == 1


async def test_container_without_a_limit_gets_none():
    async with operator_over(*NODES, gangs=[sharing_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api, SHARED)
        change_gang(api, pace="None")

        await until(lambda: cpu_by_node(api) == BACK)
        await until(lambda: "pace" not in status_of(api))


async def test_other_gangs_do_not_get_the_room():
    async with operator_over(*NODES, gangs=[sharing_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api, SHARED)
        api.store.add("gangjobs", OTHER)

        assert await has_to_wait(api)


async def test_other_gangs_do_not_get_the_room_from_the_next_process_either():
    async with api_with(*NODES, gangs=[sharing_gang()], bids=BIDS) as api:
        async with running_operator(api):
            await run_all(api)
            await until_paced(api, SHARED)
        api.store.add("gangjobs", OTHER)
        async with running_operator(api):
            assert await has_to_wait(api)
            change_gang(api, pace="None")

            await until(lambda: cpu_by_node(api) == BACK)
            assert not is_placed(api, "other")


async def test_other_gangs_get_the_room_once_the_gang_gives_it_back():
    async with operator_over(*NODES, gangs=[sharing_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api, SHARED)
        api.store.add("gangjobs", OTHER)
        await until(lambda: status_of(api, "other").get("conditions"))
        change_gang(api, **LOCAL)

        await until_paced(api)
        await until(lambda: is_placed(api, "other"))


async def test_limits_come_back_when_the_gang_shares_after_it_gave_back():
    """A limit that was added can't be removed: it is as much as the node has."""
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api, PACED)
        change_gang(api, **SHARE)
        await until(lambda: cpu_by_node(api)["n1"] == ("2000m", "4000m"))
        await until(lambda: cpu_by_node(api)["n2"] == ("1000m", "4000m"))
        api.store.add("gangjobs", OTHER)

        assert await has_to_wait(api)


async def test_room_is_kept_by_the_pace_of_now_though_no_member_could_be_resized():
    refusal = Refusal(code=403, message='pods "g-1-0" is forbidden: exceeded quota: q, requested: limits.cpu=2')
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api, PACED)
        api.admit_resize = lambda _: refusal
        change_gang(api, **SHARE)
        await until(lambda: "exceeded quota: q" in pace_of(api).get("message", ""))
        api.store.add("gangjobs", OTHER)

        assert await has_to_wait(api)
        assert cpu_by_node(api) == PACED


async def test_share_follows_the_bids():
    async with operator_over(*NODES, gangs=[sharing_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api, SHARED)
        change_bid(api, "n3", dutyCycle="1")
        await until(lambda: cpu_by_node(api)["n1"] == ("1000m", None))

        change_bid(api, "n1", capacity="250m")
        await until(lambda: cpu_by_node(api)["n1"] == ("4000m", None))


async def test_small_changes_of_a_share_are_none():
    async with operator_over(*NODES, gangs=[sharing_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api, SHARED)
        change_bid(api, "n3", dutyCycle="90m")
        await asyncio.sleep(3 * TURN)

        assert cpu_by_node(api) == SHARED


async def test_owner_who_is_back_has_most_of_the_node_of_a_gang_that_shares():
    bids = [bid("n1", capacity="2", onReturn="Pace"), *BIDS[1:]]
    async with operator_over(*NODES, gangs=[sharing_gang()], bids=bids) as (api, _):
        await run_all(api)
        await until_paced(api, SHARED)
        change_bid(api, "n1", ownerPresent=True)
        await until_paced(api, SHARED | {"n1": ("400m", "440m")})

        change_bid(api, "n1", ownerPresent=False)
        await until(lambda: cpu_by_node(api) == SHARED | {"n1": ("2000m", "4000m")})


async def test_request_that_a_node_has_no_room_for_is_asked_back():
    async with operator_over(*NODES, gangs=[sharing_gang()], bids=BIDS) as (api, parts):
        await run_all(api)
        await until_paced(api, SHARED)
        change_gang(api, pace="None")
        await until(lambda: cpu_by_node(api)["n1"] == BACK["n1"])
        name = next(it["metadata"]["name"] for it in pods_of(api, "g") if it["spec"]["nodeName"] == "n1")
        in_force = [{"name": "main", "resources": {"requests": {"cpu": "2"}}}]
        pending = [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}]
        set_phase(api, name, "Running", conditions=pending, containerStatuses=in_force)

        await until(lambda: cpu_by_node(api)["n1"] == SHARED["n1"])
        assert parts.metric("lockstep_resizes_total", result="withdrawn") == 1


async def test_gang_of_guaranteed_members_is_refused_before_it_runs():
    same = [container(requests=SAME, limits=SAME)]
    async with operator_over(*NODES, gangs=[sharing_gang(containers=same)], bids=BIDS) as (api, _):
        await until(lambda: condition(api, "Accepted").get("status") == "False")

        assert condition(api, "Accepted")["reason"] == "UnsupportedField"
        assert condition(api, "Accepted")["message"] == (
            "pace: Share can't lower the requests of pods of the class Guaranteed. template makes such pods: each "
            "container requests its limits of cpu and memory. Request less than a limit, or write pace: Local."
        )
        change_gang(api, **LOCAL)
        await until(lambda: is_placed(api))


async def test_guaranteed_members_that_run_stay_as_they_are():
    same = [container(requests=SAME, limits=SAME)]
    async with operator_over(*NODES, gangs=[paced_gang(spec={}, containers=same)], bids=BIDS) as (api, _):
        await run_all(api)
        change_gang(api, **SHARE)
        await until(lambda: pace_of(api))
        await asyncio.sleep(3 * TURN)

        want = (
            "3 members can't be paced: their pods are of the class Guaranteed, where no request can be below its limit."
        )
        assert want in pace_of(api)["message"]
        assert resizes(api) == []
        assert is_placed(api)


async def test_members_without_requests_are_counted():
    async with operator_over(*NODES, gangs=[sharing_gang(containers=[container()])], bids=BIDS) as (api, _):
        await run_all(api)
        await until(lambda: pace_of(api))

        assert "3 members can't be paced: none of their containers requests cpu." in pace_of(api)["message"]


async def test_room_of_members_that_are_not_paced_is_counted_as_it_is():
    nodes = [node(name, cpu="5") for name in ("n1", "n2", "n3")]
    async with operator_over(*nodes, gangs=[sharing_gang(), OTHER], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api, SHARED)

        await until(lambda: is_placed(api, "other"))
        assert UNPACED["n3"] == OUT_OF_THE_WAY["n3"] == cpu_by_node(api)["n3"]
