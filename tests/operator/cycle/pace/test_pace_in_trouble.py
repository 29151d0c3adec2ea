"""Gangs that are paced while something goes wrong: refusals, admission, pods and gangs that go, processes that end."""

import asyncio
import copy

import pytest

from builders.served import bid, node
from fake_cluster.api import NEVER_ARRIVED, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.paced import (
    BIDS,
    NODES,
    OUT_OF_THE_WAY,
    TURN,
    UNPACED,
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
    gang_place,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phase,
)
from lockstep.cycle.pace import paces
from lockstep.cycle.pace.pace_checks import find_resizes

pytestmark = pytest.mark.asyncio


async def test_members_that_admission_makes_different_are_reported():
    async with api_with(*NODES, gangs=[paced_gang()], bids=BIDS) as api:

        def admit(pod):
            is_second = pod["metadata"]["name"].endswith("-1")
            resources = pod["spec"]["containers"][0]["resources"]
            return pod if not is_second else with_resources(pod, {**resources, "limits": {"cpu": "4"}})

        api.admit = admit
        async with running_operator(api):
            await run_all(api)
            await until(lambda: pace_of(api))

            assert "3 members can't be paced: they have different amounts of cpu" in pace_of(api)["message"]
            assert resizes(api) == []


def with_resources(pod, resources):
    pod = copy.deepcopy(pod)
    pod["spec"]["containers"][0]["resources"] = resources
    return pod


async def test_next_process_goes_on_from_what_pods_have_and_had():
    async with api_with(*NODES, gangs=[paced_gang()], bids=BIDS) as api:
        async with running_operator(api):
            await run_all(api)
            await until_paced(api)
        asked = len(resizes(api))
        async with running_operator(api):
            await asyncio.sleep(3 * TURN)
            assert len(resizes(api)) == asked
            change_gang(api, pace="None")

            await until(lambda: cpu_by_node(api) == OUT_OF_THE_WAY)


async def test_process_that_ends_in_the_midst_of_it_is_followed_by_one_that_goes_on():
    async with api_with(*NODES, gangs=[paced_gang()], bids=BIDS) as api:
        async with running_operator(api):
            api.fault = lambda request: NEVER_ARRIVED if request == ("PATCH", "pods/resize", "g-1-1") else None
            await run_all(api)
            await until(lambda: sum(it != UNPACED[name] for name, it in cpu_by_node(api).items()) == 1)
        api.fault = lambda _: None
        async with running_operator(api):
            await until_paced(api)
            assert pace_of(api)["unpaced"] == [{"container": "main", "request": "4000m"}]


QUOTA = Refusal(code=403, message='pods "g-1-0" is forbidden: exceeded quota: q, requested: requests.cpu=2')


async def test_refusal_is_reported_and_rests():
    async with api_with(*NODES, gangs=[paced_gang()], bids=BIDS) as api:
        api.admit_resize = lambda _: QUOTA
        async with running_operator(api) as parts:
            await run_all(api)
            await until(lambda: "exceeded quota: q" in pace_of(api).get("message", ""))
            await asyncio.sleep(200)
            assert cpu_by_node(api) == UNPACED
            assert len(resizes(api)) == 2
            assert parts.metric("lockstep_resizes_total", result="refused") == 2

            api.admit_resize = lambda pod: pod
            await until_paced(api)


async def test_who_may_not_request_more_again_gets_the_limit_at_least():
    """Others have taken the room that was given back: no member is slowed for it where no other load is there."""
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until_paced(api)
        requested = {it["metadata"]["name"]: request_of(it) for it in pods_of(api, "g")}
        api.admit_resize = lambda pod: pod if request_of(pod) == requested[pod["metadata"]["name"]] else QUOTA
        change_gang(api, pace="None")

        await until(lambda: cpu_by_node(api)["n1"] == ("2000m", "4000m"))
        await until(lambda: cpu_by_node(api)["n2"] == ("1000m", "4000m"))

        api.admit_resize = lambda pod: pod
        await until(lambda: cpu_by_node(api) == OUT_OF_THE_WAY)


def request_of(pod):
    return pod["spec"]["containers"][0]["resources"]["requests"]["cpu"]


@pytest.mark.parametrize(
    ("reason", "want"),
    [
        pytest.param("Deferred", ("2000m", "4000m"), id="no room"),
        pytest.param("Infeasible", ("2000m", "2200m"), id="never"),
    ],
)
async def test_what_a_node_can_not_give_is_asked_back(reason, want):
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, parts):
        await run_all(api)
        await until_paced(api)
        change_gang(api, pace="None")
        await until(lambda: cpu_by_node(api)["n1"] == OUT_OF_THE_WAY["n1"])
        name = next(it["metadata"]["name"] for it in pods_of(api, "g") if it["spec"]["nodeName"] == "n1")
        in_force = {"requests": {"cpu": "2"}, "limits": {"cpu": "2200m"}}
        pending = [{"type": "PodResizePending", "status": "True", "reason": reason}]
        set_phase(api, name, "Running", conditions=pending, containerStatuses=[{"name": "main", "resources": in_force}])

        await until(lambda: cpu_by_node(api)["n1"] == want)
        assert parts.metric("lockstep_resizes_total", result="withdrawn") == 1


async def test_admission_that_changes_a_resize_is_no_endless_quarrel():
    async with api_with(*NODES, gangs=[paced_gang()], bids=BIDS) as api:
        api.admit_resize = lambda pod: with_resources(pod, {"requests": {"cpu": "3"}, "limits": {"cpu": "3500m"}})
        async with running_operator(api):
            await run_all(api)
            await until(lambda: pace_of(api).get("paced") == 2)
            began, asked = now(), len(resizes(api))
            await asyncio.sleep(20 * TURN)

            assert len(resizes(api)) - asked <= 2 * ((now() - began) / TURN + 1)
            assert pace_of(api)["givenBack"] == "2000m"


async def test_pod_of_the_same_name_that_is_another_one_is_left_alone():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, parts):
        replaced = []

        def replace_first(request):
            if request.resource == "pods/resize" and not replaced:
                replaced.append(api.store.remove(pod_place(request.name)))
                stranger = {**replaced[0], "metadata": {"name": request.name, "namespace": "default"}}
                api.store.add("pods", {**stranger, "spec": copy.deepcopy(replaced[0]["spec"])})

        api.fault = replace_first
        await run_all(api)
        await until(lambda: replaced)
        await asyncio.sleep(1)

        left = api.store.get(pod_place(replaced[0]["metadata"]["name"]))
        assert left["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "4"}}
        assert parts.metric("lockstep_resizes_total", result="refused") == 0
        assert "refused" not in pace_of(api).get("message", "")


async def test_gang_deleted_in_the_midst_of_it_goes_as_any_other():
    async with operator_over(*NODES, gangs=[paced_gang()], bids=BIDS) as (api, _):
        await run_all(api)
        await until(lambda: resizes(api))
        api.store.remove(gang_place("g"))

        await until(lambda: not pods_of(api, "g"))


async def test_check_that_raises_costs_no_other_gang_anything(caplog, monkeypatch):
    gangs = [paced_gang(), paced_gang("odd")]
    nodes = [*NODES, *(node(name, cpu="4") for name in ("m1", "m2", "m3"))]
    offers = [bid(one["metadata"]["name"], capacity=str(2**number)) for number, one in enumerate(nodes)]
    broken = {"odd"}

    async def check(state, gang, reservation):
        if gang.key.name in broken:
            raise ZeroDivisionError
        return await find_resizes(state, gang, reservation)

    monkeypatch.setattr(paces, "find_resizes", check)
    async with operator_over(*nodes, gangs=gangs, bids=offers) as (api, parts):
        for name in ("g", "odd"):
            await run_all(api, name)
        await until(lambda: pace_of(api).get("paced") == 2)
        await until(lambda: parts.metric("lockstep_gang_errors_total", stage="follow"))
        assert pace_of(api, "odd")["paced"] == 0
        assert "the gang's pace could not be checked" in caplog.text

        broken.clear()
        await until(lambda: pace_of(api, "odd")["paced"] == 2)
