"""Gangs whose members wait for the slowest: who is resized, when, to what, and that nothing of it remains."""

import asyncio

import pytest

from builders.served import bid, container, gang, node, role
from fake_cluster.jumping import now, until
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
    event_reasons,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    set_phase,
    set_phases,
    status_of,
)
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio


async def test_members_on_faster_nodes_get_what_keeps_up_with_the_slowest():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, parts):
        await run_all(api)
        await until_paced(api)

        pace = pace_of(api)
        assert (pace["members"], pace["paced"], pace["givenBack"]) == (3, 2, "5000m")
        assert pace["message"] == "2 of 3 members are paced, which gives back 5.0 cores. The slowest node is n3."
        assert pace["unpaced"] == [{"container": "main", "request": "4000m"}]
        assert parts.metric("lockstep_resizes_total", result="done") == 2
        assert event_reasons(api).count("GangPaced") == 1


async def test_what_is_given_back_is_room_for_others():
    """No node has two cores left for it until members have given some back."""
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        api.store.add("gangjobs", gang("other", size=1, cpu="2"))
        await until(lambda: is_placed(api, "other"))

        [pod] = pods_of(api, "other")
        assert pod["spec"]["nodeName"] in ("n1", "n2")
        bound = [(one.resource, one.name) for one in api.requests].index(("pods/binding", pod["metadata"]["name"]))
        assert any(one.resource == "pods/resize" for one in api.requests[:bound])


@pytest.mark.parametrize("spec", [{}, {"pace": "None"}])
async def test_who_does_not_ask_is_not_paced(spec):
    async with operator_over(*NODES, gangs=[paced_gang(spec=spec)], bids=BIDS) as (api, _):
        await run_all(api)
        await asyncio.sleep(3 * TURN)

        assert resizes(api) == []
        assert "pace" not in status_of(api)


async def test_no_member_is_paced_before_all_run():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await until(lambda: is_placed(api))
        for name in ("g-1-0", "g-1-1"):
            set_phase(api, name, "Running")
        await asyncio.sleep(3 * TURN)
        assert resizes(api) == []

        set_phase(api, "g-1-2", "Running")
        await until_paced(api)


async def test_members_that_still_run_stay_as_they_are_once_others_have_ended():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        set_phase(api, "g-1-0", "Succeeded")
        change_bid(api, "n3", capacity="4")
        await asyncio.sleep(3 * TURN)

        assert len(resizes(api)) == 2


async def test_nothing_remains_when_the_gang_has_ended():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        set_phases(api, "g", "Succeeded")
        await until(lambda: status_of(api).get("finishedAt"))
        asked = len(resizes(api))
        await asyncio.sleep(3 * TURN)

        assert "pace" not in status_of(api)
        assert len(resizes(api)) == asked


async def test_next_attempt_begins_without_pace():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        api.store.remove(pod_place("g-1-0"))
        await until(lambda: is_placed(api) and status_of(api)["attempt"] == 2)

        assert cpu_by_node(api) == UNPACED
        assert "pace" not in status_of(api)


async def test_pace_follows_the_bids():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        change_bid(api, "n3", dutyCycle="1")

        await until(lambda: cpu_by_node(api)["n1"] == ("1000m", "1100m"))
        await until(lambda: cpu_by_node(api)["n2"] == ("500m", "550m"))
        await until(lambda: event_reasons(api).count("GangPaced") == 2)


async def test_who_becomes_the_slowest_gets_all_back():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        change_bid(api, "n1", capacity="500m")

        # It needs all that it had; n3 is twice as fast as n1 by now, and n2 eight times.
        await until(lambda: cpu_by_node(api)["n1"] == OUT_OF_THE_WAY["n1"])
        await until(lambda: cpu_by_node(api)["n3"] == ("2000m", "2200m"))


async def test_who_becomes_the_slowest_gets_a_limit_back_that_its_owners_work_hides():
    whole = [container(requests={"cpu": "2500m"}, limits={"cpu": "4"})]
    bids = [bid("n1", capacity="1250m"), bid("n2")]
    gangs = [paced_gang(size=2, containers=whole)]
    async with operator_over(*NODES[:2], gangs=gangs, bids=bids) as (api, _):
        await run_all(api)
        await until(lambda: cpu_by_node(api) == {"n1": ("2500m", "3520m"), "n2": ("2500m", "4")})
        # Half of n1 is left, 2 cores: a limit of 3.52 would bind no member while that lasts.
        change_bid(api, "n1", dutyCycle="1")

        await until(lambda: cpu_by_node(api) == {"n1": ("2500m", "4000m"), "n2": ("2500m", "2750m")})


async def test_small_changes_are_none():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        change_bid(api, "n3", dutyCycle="90m")
        await asyncio.sleep(3 * TURN)

        assert cpu_by_node(api) == PACED


async def test_bids_that_flap_resize_a_gang_once_in_half_a_minute():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        began, before = now(), len(resizes(api))
        for number in range(600):
            change_bid(api, "n3", dutyCycle="1" if number % 2 else "0")
            await asyncio.sleep(0.7)

        assert len(resizes(api)) - before <= 2 * ((now() - began) / TURN + 1)


async def test_two_changes_within_a_second_end_in_the_second():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        change_bid(api, "n3", dutyCycle="3")
        await asyncio.sleep(0.5)
        change_bid(api, "n3", dutyCycle="1")

        await until(lambda: cpu_by_node(api)["n1"] == ("1000m", "1100m"))


@pytest.mark.parametrize("how", ["deleted", "expired"])
async def test_no_member_is_paced_by_guesses(how):
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        if how == "deleted":
            api.store.remove(Place("nodebids", "", "n2"))
        else:
            change_bid(api, "n2", expiresAt="2027-01-15T08:00:01Z")

        await until(lambda: cpu_by_node(api) == OUT_OF_THE_WAY)
        await until(lambda: pace_of(api)["paced"] == 0)
        want = "No member is paced, since n2 has no NodeBid that is readable and was renewed in time."
        assert want in pace_of(api)["message"]


async def test_owner_who_wants_it_no_more_gets_all_back():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        change_gang(api, pace="None")

        await until(lambda: cpu_by_node(api) == OUT_OF_THE_WAY)
        await until(lambda: "pace" not in status_of(api))


async def test_limits_and_further_containers_get_back_what_they_had():
    limited = container(requests={"cpu": "2"}, limits={"cpu": "4"})
    side, idle = container("side", requests={"cpu": "1"}), container("idle")
    async with operator_over(*NODES, gangs=[paced_gang(containers=[limited, side, idle])], bids=BIDS) as (api, _):
        await run_all(api)
        await until(lambda: cpu_by_node(api)["n1"] == ("2000m", "2200m"))
        on_n2 = next(it for it in pods_of(api, "g") if it["spec"]["nodeName"] == "n2")
        assert [one.get("resources") for one in on_n2["spec"]["containers"]] == [
            {"requests": {"cpu": "1000m"}, "limits": {"cpu": "1100m"}},
            {"requests": {"cpu": "250m"}, "limits": {"cpu": "275m"}},
            None,
        ]
        change_gang(api, pace="None")

        await until(lambda: cpu_by_node(api)["n1"] == ("2000m", "4000m"))
        await until(lambda: cpu_by_node(api)["n2"] == ("2000m", "4000m"))


async def test_guaranteed_members_stay_so():
    same = {"cpu": "4", "memory": "1Gi"}
    async with operator_over(
        *NODES, gangs=[paced_gang(containers=[container(requests=same, limits=same)])], bids=BIDS
    ) as (api, _):
        await run_all(api)
        await until(lambda: cpu_by_node(api) == {"n1": ("2200m", "2200m"), "n2": ("1100m", "1100m"), "n3": ("4", "4")})


@pytest.mark.parametrize(
    ("pod_spec", "why"),
    [
        pytest.param({"containers": [container()]}, "none of their containers requests cpu", id="best effort"),
        pytest.param(
            {
                "containers": [
                    container(
                        requests={"cpu": "4"},
                        resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
                    )
                ]
            },
            "their resizePolicy restarts a container that gets another amount of cpu",
            id="restarts",
        ),
        pytest.param(
            {"resources": {"requests": {"cpu": "4"}}},
            "they request cpu for the whole pod, not for containers",
            id="whole pods",
        ),
    ],
)
async def test_members_that_can_not_be_resized_are_reported(pod_spec, why):
    async with operator_over(*NODES, gangs=[paced_gang(**pod_spec)], bids=BIDS) as (api, _):
        await run_all(api)
        await until(lambda: pace_of(api))
        await asyncio.sleep(3 * TURN)

        assert resizes(api) == []
        assert f"3 members can't be paced: {why}." in pace_of(api)["message"]


async def test_members_of_other_loads_do_not_wait_and_are_not_paced():
    roles = [role("lead", load="None", cpu="1"), role("work", size=2, cpu="3")]
    described = gang("g", roles=roles, spec=LOCAL)
    async with operator_over(*NODES[:2], gangs=[described], bids=BIDS[:2]) as (api, _):
        await run_all(api)
        await until(lambda: pace_of(api).get("paced") == 1)

        assert pace_of(api)["members"] == 2
        lead = next(it for it in pods_of(api, "g") if it["metadata"]["labels"]["lockstep.dev/role"] == "lead")
        assert lead["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "1"}}
        assert pace_of(api)["unpaced"] == [{"role": "work", "container": "main", "request": "3000m"}]


async def test_large_gang_is_resized_little_by_little():
    many = [node(f"n{number:03}", cpu="1") for number in range(150)]
    offers = [bid(it["metadata"]["name"], capacity="1" if number == 0 else "2") for number, it in enumerate(many)]
    described = gang("g", size=150, cpu="1", spec=LOCAL)
    async with operator_over(*many, gangs=[described], bids=offers) as (api, _):
        await run_all(api)
        await until(lambda: resizes(api))
        began = now()
        await until(lambda: pace_of(api).get("paced") == 149)

        # 50 a second, after a burst of 25.
        assert now() - began >= (149 - 25) / 50
        assert event_reasons(api).count("GangPaced") == 1
        assert len(resizes(api)) == 149
