"""Going on with what a status says is reserved: only where it would be planned now; who runs already is left alone."""

import asyncio

import pytest

from builders.served import at, bid, gang, node, pod
from fake_cluster.api import NEVER_ARRIVED, FakeApi
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    bound,
    gang_place,
    is_placed,
    leave_before,
    pods_of,
    running_operator,
    set_phase,
    set_phases,
    status_of,
)
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

TAINT = {"key": "mine", "value": "only", "effect": "NoSchedule"}


def change_node(**spec):
    return lambda api: api.store.change(Place("nodes", "", "n1"), spec=spec)


CHANGES = [
    pytest.param(change_node(unschedulable=True), id="cordoned"),
    pytest.param(change_node(taints=[TAINT]), id="tainted"),
    pytest.param(lambda api: api.store.remove(Place("nodes", "", "n1")), id="gone"),
    pytest.param(lambda api: api.store.add("pods", pod("foreign", node="n1", cpu="8")), id="full"),
    pytest.param(lambda api: api.store.add("nodebids", bid("n1", availableFrom=at(now() + 3600))), id="not open"),
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    "moment", [pytest.param(("POST", "pods"), id="reserved"), pytest.param(("POST", "pods/binding"), id="created")]
)
async def test_members_go_where_they_would_be_planned_now(moment, change):
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"))
        api.store.add("gangjobs", gang("g", size=3))
        await leave_before(api, moment)
        assert status_of(api)["members"] == [{"node": "n1", "count": 3}]
        change(api)
        api.store.add("nodes", node("n2"))
        seen = []
        api.fault = lambda request: seen.extend(bound(pods_of(api, "g")))
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert bound(pods_of(api, "g")) == ["n2"] * 3
        assert set(seen) <= {"n2"}
        assert status_of(api)["attempt"] == 2


async def test_members_that_run_on_a_cordoned_node_are_left_alone():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1", cpu="2"), node("n2", cpu="2"))
        api.store.add("gangjobs", gang("g", size=4))
        async with running_operator(api):
            await until(lambda: is_placed(api))
            set_phases(api, "g", "Running")
        change_node(unschedulable=True)(api)
        api.requests.clear()
        async with running_operator(api):
            await until(lambda: "startedAt" in status_of(api))
            await asyncio.sleep(60)

        assert status_of(api)["attempt"] == 1
        assert [request for request in api.requests if request.verb in ("DELETE", "POST")] == []


async def test_members_that_are_bound_on_a_cordoned_node_do_not_keep_the_others_from_being_bound():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1", cpu="2"), node("n2", cpu="2"))
        api.store.add("gangjobs", gang("g", size=4))
        count = []

        def third_binding_is_lost(request):
            if request[:2] == ("POST", "pods/binding"):
                count.append(request)
            return NEVER_ARRIVED if len(count) > 2 and request.is_write else None

        api.fault = third_binding_is_lost
        async with running_operator(api):
            await until(lambda: len(count) > 2)
        api.fault = lambda _: None
        on = set(bound(pods_of(api, "g")))
        if on == {"n1"}:
            change_node(unschedulable=True)(api)
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert on == {"n1"}
        assert status_of(api)["attempt"] == 1


def forged(**fields):
    """A status as a user with the right to write it might write it."""
    return {"attempt": 7, "reservedAt": at(now()), "members": [{"node": "n1", "count": 3}], **fields}


FORGERIES = [
    pytest.param({}, id="a node that is cordoned"),
    pytest.param({"members": [{"node": "nowhere", "count": 3}]}, id="a node that is not there"),
    pytest.param({"members": [{"node": "n1", "count": 10_000}] * 10_000}, id="more members than there can be"),
    pytest.param({"members": [{"node": "n2", "count": 1}]}, id="fewer than the spec allows"),
    pytest.param({"members": None}, id="no members"),
    pytest.param({"attempt": 2_147_483_647}, id="the largest attempt"),
    pytest.param({"attempt": 2_147_483_647, "reservedAt": None}, id="the largest attempt, and nothing reserved"),
    pytest.param(
        {
            "conditions": [
                {"type": kind, "status": status, "reason": "Undoing", "message": "", "lastTransitionTime": at(0)}
                for kind, status in (("Placed", "False"), ("Planned", "True"))
            ]
        },
        id="being undone for no reason",
    ),
    pytest.param(
        {
            "conditions": [
                {"type": "Placed", "status": "True", "reason": "Bound", "message": "", "lastTransitionTime": at(0)}
            ]
        },
        id="placed",
    ),
]


@pytest.mark.parametrize("fields", FORGERIES)
@pytest.mark.parametrize("is_running", [pytest.param(True, id="while it runs"), pytest.param(False, id="before")])
async def test_forged_status_binds_nothing_where_it_would_not_be_planned(fields, is_running):
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1", cordoned=True))
        api.store.add("gangjobs", gang("g", size=3))
        status = {name: value for name, value in forged(**fields).items() if value is not None}
        seen = []
        api.fault = lambda _: seen.extend(bound(pods_of(api, "g")))
        if not is_running:
            api.store.change(gang_place("g"), status=status)
        async with running_operator(api) as parts:
            if is_running:
                await until(lambda: "conditions" in status_of(api))
                api.store.change(gang_place("g"), status=status)
            await asyncio.sleep(30)
            api.store.add("nodes", node("n2"))
            await until(lambda: is_placed(api), seconds=200)
            assert parts.metric("lockstep_cycles_total", result="error") == 0
            assert parts.metric("lockstep_gang_errors_total", stage="follow") == 0

        assert bound(pods_of(api, "g")) == ["n2"] * 3
        assert set(seen) <= {"n2"}
        assert 1 <= status_of(api)["attempt"] <= 2_147_483_647


async def test_status_forged_while_the_operator_runs_gains_no_place_in_the_queue():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1", cpu="4"))
        api.store.add("gangjobs", gang("front", size=1, cpu="4"), gang("g", size=1, cpu="4"))
        made = []
        api.fault = lambda _: made.extend(it["metadata"]["name"] for it in pods_of(api, "g"))
        async with running_operator(api):
            await until(lambda: is_placed(api, "front") and "conditions" in status_of(api))
            for it in pods_of(api, "front"):
                set_phase(api, it, "Succeeded")
            api.store.change(gang_place("g"), status=forged(members=[{"node": "n1", "count": 1}]))
            await until(lambda: is_placed(api))

        assert status_of(api)["attempt"] == 8
        assert set(made) == {"g-8-0"}


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def term(key, **labels):
    return {REQUIRED: [{"topologyKey": key, "labelSelector": {"matchLabels": labels}}]}


AMONG_PODS = [
    pytest.param(
        {"podAntiAffinity": term("host", app="noisy")},
        lambda api: api.store.add("pods", pod("noisy", node="n1", labels={"app": "noisy"})),
        id="a pod that they avoid has come",
    ),
    pytest.param(
        {"podAffinity": term("host", app="cache")},
        lambda api: api.store.change(Place("pods", "default", "cache"), status={"phase": "Succeeded"}),
        id="the pod near which they have to be has ended",
    ),
]


@pytest.mark.parametrize(("affinity", "change"), AMONG_PODS)
@pytest.mark.parametrize(
    "moment", [pytest.param(("POST", "pods"), id="reserved"), pytest.param(("POST", "pods/binding"), id="created")]
)
async def test_members_go_only_among_the_pods_among_which_they_would_be_planned_now(moment, affinity, change):
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1", labels={"host": "n1"}))
        api.store.add("pods", pod("cache", node="n1", labels={"app": "cache"}))
        api.store.add("gangjobs", gang("g", size=3, pod_spec={"affinity": affinity}))
        await leave_before(api, moment)
        assert status_of(api)["members"] == [{"node": "n1", "count": 3}]
        change(api)
        api.store.add("nodes", node("n2", labels={"host": "n2"}))
        api.store.add("pods", pod("another-cache", node="n2", labels={"app": "cache"}))
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert bound(pods_of(api, "g")) == ["n2"] * 3
        assert status_of(api)["attempt"] == 2


async def test_members_that_are_apart_from_each_other_go_on_when_some_are_bound():
    async with FakeApi(now) as api:
        api.store.add("nodes", *(node(name, labels={"host": name}) for name in ("n1", "n2", "n3")))
        api.store.add("gangjobs", gang("g", size=3, spec={"placement": {"onePer": "host"}}))
        count = []

        def second_binding_is_lost(request):
            if request[:2] == ("POST", "pods/binding"):
                count.append(request)
            return NEVER_ARRIVED if len(count) > 1 and request.is_write else None

        api.fault = second_binding_is_lost
        async with running_operator(api):
            await until(lambda: len(count) > 1)
        api.fault = lambda _: None
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert bound(pods_of(api, "g")) == ["n1", "n2", "n3"]
        assert status_of(api)["attempt"] == 1


async def test_two_gangs_that_avoid_each_other_land_apart_though_one_plan_has_both():
    async with FakeApi(now) as api:
        api.store.add("nodes", *(node(name, labels={"host": name}) for name in ("n1", "n2")))
        others = {
            "topologyKey": "host",
            "labelSelector": {"matchExpressions": [{"key": "lockstep.dev/gang", "operator": "Exists"}]},
            "mismatchLabelKeys": ["lockstep.dev/gang"],
        }
        affinity = {"affinity": {"podAntiAffinity": {REQUIRED: [others]}}}
        api.store.add("gangjobs", *(gang(name, size=2, pod_spec=affinity) for name in ("a", "b")))
        async with running_operator(api):
            await until(lambda: is_placed(api, "a") and is_placed(api, "b"))

        assert not {*bound(pods_of(api, "a"))} & {*bound(pods_of(api, "b"))}
        assert [status_of(api, name)["attempt"] for name in ("a", "b")] == [1, 1]
