"""Attempts that take long to undo: what the status says meanwhile, and when a gang goes on without a lost member."""

import asyncio

import pytest

from builders.served import at, gang, node
from fake_cluster.api import Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    event_reasons,
    gang_place,
    is_placed,
    messages_of,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phase,
    set_phases,
    status_of,
)
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

DELETED_AT = "2027-01-15T08:00:00Z"
OUT_OF_SERVICE = {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}
UNREACHABLE = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}


def three_nodes():
    return [node(name, cpu="2") for name in ("n1", "n2", "n3")]


def message(api, kind="Placed"):
    return next(it["message"] for it in status_of(api)["conditions"] if it["type"] == kind)


def taint(api, name, *taints):
    api.store.change(Place("nodes", "", name), spec={"taints": list(taints)})


def lose(api, name):
    """Say of a node what the node controller does of one that no longer answers."""
    known = api.store.get(Place("nodes", "", name))
    ready = [{"type": "Ready", "status": "Unknown"}]
    api.store.change(Place("nodes", "", name), status={**known["status"], "conditions": ready})


def members_left(api, attempt):
    return sorted(it["metadata"]["name"] for it in pods_of(api, "g") if f"g-{attempt}-" in it["metadata"]["name"])


async def until_two_of_three_are_stuck(api):
    """Place a gang of four on n1 and n2, and evict it while both pods of n1 hang; returns when that began."""
    api.store.create("gangjobs", gang("g", size=4))
    await until(lambda: is_placed(api))
    set_phases(api, "g", "Running")
    await until(lambda: "startedAt" in status_of(api))
    api.lingers = True
    began = now()
    api.store.change(pod_place("g-1-0"), metadata={"deletionTimestamp": DELETED_AT})
    await until(lambda: condition(api, "g", "Placed") == ("False", "Undoing"))
    for it in pods_of(api, "g"):
        if it["spec"]["nodeName"] == "n2":
            await until(
                lambda it=it: "deletionTimestamp" in api.store.get(pod_place(it["metadata"]["name"]))["metadata"]
            )
            api.store.remove(pod_place(it["metadata"]["name"]))
    return began


async def test_status_says_what_is_undone_since_when_and_what_it_waits_for():
    async with operator_over(*three_nodes()) as (api, _):
        began = await until_two_of_three_are_stuck(api)
        await asyncio.sleep(60)

        assert condition(api, "g", "Planned") == ("False", "PodLost")
        assert f"began at {at(int(began))}" in message(api)
        assert message(api).startswith(
            "Attempt 1 is being torn down; it waits for g-1-0 on n1, g-1-1 on n1. If node n1 is dead, delete the pods "
            "there or taint the node node.kubernetes.io/out-of-service. The teardown began at "
        )
        assert event_reasons(api).count("GangUndoing") == 1
        assert status_of(api)["reservedAt"]


async def test_status_says_what_is_waited_for_as_soon_as_an_attempt_is_taken_back():
    async with operator_over(*three_nodes(), gangs=[gang("g", size=4)]) as (api, _):
        await until(lambda: is_placed(api))
        api.lingers = True
        api.store.change(pod_place("g-1-0"), metadata={"deletionTimestamp": DELETED_AT})
        await until(lambda: condition(api, "g", "Placed") == ("False", "Undoing"))

        assert "torn down; it waits for g-1-0 on n1, g-1-1 on n1, g-1-2 on n2, g-1-3 on n2" in message(api)
        # It is cut off, so that what to do is said first.
        assert status_of(api)["summary"].startswith("If node n1 is dead, delete the pods there or taint the node ")
        assert "GangUndoing" not in event_reasons(api)


async def test_status_of_a_stuck_gang_is_not_written_again_and_again_nor_its_pods_deleted():
    async with operator_over(*three_nodes()) as (api, _):
        await until_two_of_three_are_stuck(api)
        await asyncio.sleep(60)
        api.requests.clear()
        await asyncio.sleep(3600)

        assert api.writes == []
        assert len(api.requests) <= 3600 / 60 + 2


LOSSES = [
    pytest.param(lambda api: taint(api, "n1", OUT_OF_SERVICE), 0, id="out of service"),
    pytest.param(lambda api: taint(api, "n1", UNREACHABLE), 300, id="unreachable"),
    pytest.param(lambda api: lose(api, "n1"), 300, id="not ready"),
    pytest.param(lambda api: api.store.remove(Place("nodes", "", "n1")), 40, id="gone"),
]


@pytest.mark.parametrize(("lose_it", "want_seconds"), LOSSES)
async def test_gang_is_planned_anew_when_the_node_of_a_stuck_member_is_lost(lose_it, want_seconds):
    async with operator_over(*three_nodes()) as (api, parts):
        await until_two_of_three_are_stuck(api)
        began = now()
        lose_it(api)
        await until(lambda: is_placed(api), seconds=1000)

        assert want_seconds <= now() - began <= want_seconds + 70
        assert status_of(api)["attempt"] == 2
        assert members_left(api, 1) == ["g-1-0", "g-1-1"]
        assert sorted(bound(pods_of(api, "g")))[-4:] == ["n2", "n2", "n3", "n3"]
        # Their room stays taken.
        rows = parts.state.ledger.rows(("n1",))
        assert parts.state.ledger.committed(rows, parts.state.ledger.columns(("cpu",)))[0, 0] == 2000


async def test_stuck_members_of_an_earlier_attempt_count_for_nothing_and_are_left_alone():
    async with operator_over(*three_nodes()) as (api, _):
        await until_two_of_three_are_stuck(api)
        taint(api, "n1", OUT_OF_SERVICE)
        await until(lambda: is_placed(api))
        api.requests.clear()
        for name in members_left(api, 2):
            set_phase(api, name, "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))

        assert [request for request in api.requests if request.verb == "DELETE"] == []
        assert members_left(api, 1) == ["g-1-0", "g-1-1"]


@pytest.mark.parametrize(("lose_it", "want_seconds"), LOSSES)
async def test_member_that_runs_on_a_lost_node_undoes_its_gang(lose_it, want_seconds):
    async with operator_over(*three_nodes(), gangs=[gang("g", size=4)]) as (api, _):
        await until(lambda: is_placed(api))
        set_phases(api, "g", "Running")
        await until(lambda: "startedAt" in status_of(api))
        api.lingers = True
        began = now()
        lose_it(api)
        await until(lambda: condition(api, "g", "Placed") == ("False", "Undoing"), seconds=1000)

        assert want_seconds <= now() - began <= want_seconds + 5
        assert "node n1" in message(api, "Planned")


async def test_node_that_comes_back_in_time_costs_nothing():
    async with operator_over(*three_nodes(), gangs=[gang("g", size=4)]) as (api, _):
        await until(lambda: is_placed(api))
        taint(api, "n1", UNREACHABLE)
        await asyncio.sleep(200)
        taint(api, "n1")
        await asyncio.sleep(200)
        taint(api, "n1", UNREACHABLE)
        await asyncio.sleep(200)

        assert is_placed(api)
        assert status_of(api)["attempt"] == 1


async def test_next_process_goes_on_undoing():
    async with api_with(*three_nodes()) as api:
        async with running_operator(api):
            await until_two_of_three_are_stuck(api)
        async with running_operator(api):
            await asyncio.sleep(100)
            assert condition(api, "g", "Placed") == ("False", "Undoing")
            assert members_left(api, 1) == ["g-1-0", "g-1-1"]
            for name in members_left(api, 1):
                api.store.remove(pod_place(name))
            await until(lambda: is_placed(api))
        assert status_of(api)["attempt"] == 2


async def test_next_process_leaves_stuck_members_alone_and_remembers_their_room():
    async with api_with(*three_nodes()) as api:
        async with running_operator(api):
            await until_two_of_three_are_stuck(api)
            taint(api, "n1", OUT_OF_SERVICE)
            await until(lambda: is_placed(api))
        api.requests.clear()
        async with running_operator(api):
            taint(api, "n1")
            api.store.create("gangjobs", gang("next", size=1, cpu="2"))
            await asyncio.sleep(60)
            # n1 has no room before they are gone.
            assert condition(api, "next", "Placed")[0] == "False"
            assert [request for request in api.requests if request.verb == "DELETE"] == []
            for name in members_left(api, 1):
                api.store.remove(pod_place(name))
            await until(lambda: is_placed(api, "next"))


# Members that have ended, and are kept by a foreign finalizer.


def keep(api, name, phase):
    """Have a pod deleted whose containers are in that state, and which a finalizer keeps."""
    ended = {"exitCode": 143, "finishedAt": DELETED_AT}
    state = {"running": {}} if phase == "Running" else {"terminated": ended}
    api.store.change(
        pod_place(name),
        metadata={"deletionTimestamp": DELETED_AT, "finalizers": ["example.com/hold"]},
        status={"phase": phase, "containerStatuses": [{"name": "main", "state": state}]},
    )


async def until_kept(api, *phases):
    """Place a gang of two, and have both of its pods deleted and kept in these phases."""
    api.store.create("gangjobs", gang("g", size=2))
    await until(lambda: is_placed(api))
    set_phases(api, "g", "Running")
    await until(lambda: "startedAt" in status_of(api))
    api.lingers = True
    for rank, phase in enumerate(phases):
        keep(api, f"g-1-{rank}", phase)


async def test_next_attempt_does_not_wait_for_members_that_have_ended_and_names_what_keeps_them():
    async with operator_over(*three_nodes()) as (api, _):
        await until_kept(api, "Failed", "Succeeded")
        await until(lambda: status_of(api)["attempt"] == 2 and is_placed(api))

        assert members_left(api, 1) == ["g-1-0", "g-1-1"]
        said = " ".join(messages_of(api))
        want = "Still there: g-1-0 on n1, kept by the finalizer example.com/hold, g-1-1 on n1, kept by the finalizer"
        assert want in said
        assert "dead" not in said


async def test_next_attempt_waits_for_a_member_that_runs_and_names_what_may_keep_it():
    async with operator_over(*three_nodes()) as (api, _):
        await until_kept(api, "Failed", "Running")
        await asyncio.sleep(60)

        assert status_of(api)["attempt"] == 1
        assert "torn down; it waits for g-1-1 on n1, kept by the finalizer example.com/hold." in message(api)
        keep(api, "g-1-1", "Failed")
        await until(lambda: status_of(api)["attempt"] == 2 and is_placed(api))


# Deleted, and kept by a foreign finalizer.


def delete_kept(api, name="g"):
    api.store.change(gang_place(name), metadata={"deletionTimestamp": DELETED_AT, "finalizers": ["example.com/keeps"]})


BEFORE = [
    pytest.param(("POST", "pods"), id="while it is created"),
    pytest.param(("POST", "pods/binding"), id="while it is bound"),
    pytest.param(None, id="once it is placed"),
]


@pytest.mark.parametrize("moment", BEFORE)
async def test_gang_that_is_deleted_but_kept_is_undone_whole(moment):
    async with operator_over(*three_nodes()) as (api, parts):
        deleted = []

        def delete_at(request):
            if request[:2] == moment and not deleted:
                deleted.append(request)
                delete_kept(api)

        api.fault = delete_at
        api.store.create("gangjobs", gang("g", size=4))
        if moment is None:
            await until(lambda: is_placed(api))
            delete_kept(api)
        await until(lambda: condition(api, "g", "Placed") == ("False", "GangDeleted"))
        await asyncio.sleep(60)

        assert pods_of(api, "g") == []
        assert "reservedAt" not in status_of(api)
        assert condition(api, "g", "Planned") == ("False", "GangDeleted")
        assert (parts.state.reservations, parts.state.ledger.assumed) == ({}, 0)
        api.store.remove(gang_place("g"))
        await until(lambda: not parts.state.gangs)


async def test_gang_that_waits_and_is_deleted_but_kept_says_so():
    async with operator_over(node("n1", cpu="1")) as (api, _):
        api.store.create("gangjobs", gang("g", size=4))
        await until(lambda: condition(api, "g", "Planned"))
        delete_kept(api)
        await until(lambda: condition(api, "g", "Planned") == ("False", "GangDeleted"))
        api.requests.clear()
        await asyncio.sleep(60)

        assert api.writes == []


async def test_gang_that_is_deleted_but_kept_while_its_reservation_is_tried_again_says_so():
    async with operator_over(*three_nodes()) as (api, _):
        tries = []

        def fail(request):
            if request[:2] != ("PATCH", "gangjobs/status") or tries[2:]:
                return None
            if not tries:
                delete_kept(api)
            tries.append(request)
            return Refusal(code=503)

        api.fault = fail
        api.store.create("gangjobs", gang("g", size=4))
        await asyncio.sleep(60)

        assert condition(api, "g", "Planned") == ("False", "GangDeleted")


async def test_attempt_of_a_gang_that_another_has_replaced_is_stopped():
    async with operator_over(*three_nodes()) as (api, _):
        replaced = []

        def replace(request):
            if request[:2] == ("POST", "pods/binding") and not replaced:
                replaced.append(api.store.remove(gang_place("g")))
                api.store.create("gangjobs", gang("g", size=2, uid="second"))

        api.fault = replace
        api.store.create("gangjobs", gang("g", size=4, uid="first"))
        await until(lambda: replaced and is_placed(api))
        await asyncio.sleep(120)

        assert {it["metadata"]["ownerReferences"][0]["uid"] for it in pods_of(api, "g")} == {"second"}
        assert len(pods_of(api, "g")) == 2
