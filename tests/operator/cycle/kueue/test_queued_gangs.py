"""GangJobs in queues of Kueue: they wait for quota, run with it, give it back, and never take more."""

import asyncio
import itertools
from contextlib import asynccontextmanager

import pytest

from builders.served import gang, node
from fake_cluster.api import REFUSED, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.kueue import (
    WORKLOADS,
    admit,
    create_check,
    evict,
    has_quota,
    in_queue,
    is_true,
    place_of,
    set_conditions,
    state_of,
    workload_of,
)
from fake_cluster.rig import (
    QUOTA_WAIT,
    api_with,
    bound,
    condition,
    gang_place,
    is_placed,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)
from fake_cluster.sweeps import counts, ending, status, sweep
from lockstep.act.queues.workload_writes import make_workload
from lockstep.cycle.kueue import queued_gangs

pytestmark = pytest.mark.asyncio

NODES = (node("n1", cpu="2"), node("n2", cpu="2"))


@asynccontextmanager
async def queued(*gangs, nodes=NODES, sources=WORKLOADS, **flavor):
    """An operator that obeys Kueue, with these gangs, and the kind of all quota."""
    async with api_with(*nodes, gangs=gangs) as api:
        api.store.create("resourceflavors", {"metadata": {"name": "plain"}, "spec": flavor})
        async with running_operator(api, sources=sources):
            yield api


async def has_workload(api, name="g"):
    await until(lambda: workload_of(api, name))
    return api.store.get(place_of(workload_of(api, name)))


async def run(api, name="g", **admitted):
    await has_workload(api, name)
    admit(api, name, **admitted)
    await until(lambda: is_placed(api, name))
    set_phases(api, name, "Running")
    await until(lambda: is_true(api, name, "PodsReady"))


def message(api, kind, name="g"):
    return next((it["message"] for it in status_of(api, name).get("conditions", []) if it["type"] == kind), "")


async def test_gang_waits_for_quota_says_so_and_runs_with_it():
    async with queued(in_queue(gang("g", size=3))) as api:
        workload = await has_workload(api)
        assert workload["spec"]["queueName"] == "team"
        assert [(it["name"], it["count"]) for it in workload["spec"]["podSets"]] == [("main", 3)]
        assert workload["metadata"]["ownerReferences"][0]["uid"] == api.store.get(gang_place("g"))["metadata"]["uid"]

        await until(lambda: "queue team" in message(api, "Planned"))
        assert condition(api, "g", "Planned") == ("False", "AwaitsQuota")
        assert pods_of(api, "g") == []

        await run(api)
        assert len(bound(pods_of(api, "g"))) == 3


@pytest.mark.parametrize(("reason", "is_queued_at_once"), [("Preempted", True), ("PodsReadyTimeout", False)])
async def test_gang_that_is_evicted_leaves_gives_quota_back_and_runs_again_with_quota(reason, is_queued_at_once):
    async with queued(in_queue(gang("g", size=2))) as api:
        await run(api)
        evict(api, reason=reason)
        await until(lambda: not has_quota(api))

        assert pods_of(api, "g") == []
        assert is_true(api, "g", "Requeued") == is_queued_at_once
        assert api.store.get(place_of(workload_of(api)))["status"].get("admission") is None
        await until(lambda: condition(api, "g", "Suspended") == ("True", "AwaitsQuota"))
        await run(api)


async def test_quota_is_kept_until_the_last_member_is_gone():
    async with queued(in_queue(gang("g", size=2))) as api:
        await run(api)
        api.store.change(place_of(workload_of(api)), spec={"active": False})
        gone = []

        def member_stays(request):
            gone.append(request) if request[:2] == ("DELETE", "pods") else None
            return REFUSED if request[:2] == ("DELETE", "pods") else None

        api.fault = member_stays
        evict(api, reason="Deactivated")
        await until(lambda: gone)
        await asyncio.sleep(5)
        assert has_quota(api)

        api.fault = lambda _: None
        await until(lambda: not has_quota(api))
        assert not is_true(api, "g", "Requeued")


async def test_gang_that_has_ended_finishes_its_workload():
    async with queued(in_queue(gang("g", size=2))) as api:
        await run(api)
        set_phases(api, "g", "Succeeded")
        await until(lambda: is_true(api, "g", "Finished"))


async def test_gang_admitted_in_part_has_no_more_members_than_quota():
    async with queued(in_queue(gang("g", size=1, most=4))) as api:
        workload = await has_workload(api)
        assert [(it["count"], it["minCount"]) for it in workload["spec"]["podSets"]] == [(4, 1)]
        await run(api, main=2)
        assert len(pods_of(api, "g")) == 2


async def test_members_go_where_the_flavor_has_its_nodes():
    spot = node("spot", cpu="2", labels={"kind": "spot"})
    async with queued(in_queue(gang("g", size=2)), nodes=(node("n1"), spot), nodeLabels={"kind": "spot"}) as api:
        await run(api)
        assert set(bound(pods_of(api, "g"))) == {"spot"}


async def test_gang_with_quota_starts_once_its_flavor_is_there():
    async with api_with(*NODES, gangs=[in_queue(gang("g"))]) as api, running_operator(api, sources=WORKLOADS):
        await has_workload(api)
        admit(api)
        await until(lambda: "which does not exist" in message(api, "Planned"))
        api.store.create("resourceflavors", {"metadata": {"name": "plain"}, "spec": {}})

        await until(lambda: is_placed(api))


async def test_spec_suspend_is_kueues():
    suspended = gang("g", size=2)
    suspended["spec"]["suspend"] = True
    async with queued(in_queue(suspended)) as api:
        await run(api)


async def test_label_of_queue_means_nothing_without_the_source():
    async with queued(in_queue(gang("g", size=2)), sources=frozenset()) as api:
        await until(lambda: is_placed(api))
        assert api.store.objects("workloads") == []


async def test_gang_that_leaves_its_queue_is_planned_as_any_other():
    async with queued(in_queue(gang("g", size=2))) as api:
        await has_workload(api)
        api.store.change(gang_place("g"), metadata={"labels": {}})
        await until(lambda: is_placed(api))
        await until(lambda: not api.store.objects("workloads"))


async def test_gang_without_quota_can_change_its_queue():
    async with queued(in_queue(gang("g", size=2))) as api:
        await has_workload(api)
        api.store.change(gang_place("g"), metadata={"labels": {"kueue.x-k8s.io/queue-name": "other"}})
        await until(lambda: api.store.get(place_of(workload_of(api)))["spec"]["queueName"] == "other")


async def test_workload_that_is_deleted_takes_the_members_and_is_made_again():
    async with queued(in_queue(gang("g", size=2))) as api:
        await run(api)
        api.store.remove(place_of(workload_of(api)))
        await until(lambda: pods_of(api, "g") == [])
        await until(lambda: workload_of(api))
        await run(api)


async def test_one_plan_answers_our_check_and_places_the_gang():
    async with queued(in_queue(gang("g", size=4)), nodes=(node("n1", cpu="2"),)) as api:
        create_check(api)
        await has_workload(api)
        admit(api, checks=("placement",))
        await until(lambda: "4 members" in message(api, "Planned"))
        await until(lambda: state_of(api, workload_of(api)) == "Pending")
        assert pods_of(api, "g") == []

        api.store.add("nodes", node("n2", cpu="2"))
        await until(lambda: state_of(api, workload_of(api)) == "Ready")
        await until(lambda: is_placed(api))
        # Kueue takes a moment to see the answer.
        await asyncio.sleep(5)
        set_conditions(api, workload_of(api), Admitted=True)
        await asyncio.sleep(5)
        assert (is_placed(api), status_of(api)["attempt"]) == (True, 1)


async def test_quota_without_a_start_in_sight_is_given_back_by_our_check():
    async with queued(in_queue(gang("g", size=4)), nodes=(node("n1", cpu="2"),)) as api:
        create_check(api)
        await has_workload(api)
        admit(api, checks=("placement",))
        await until(lambda: state_of(api, workload_of(api)) == "Retry", seconds=2 * QUOTA_WAIT)


async def test_gang_that_waits_for_others_asks_for_no_quota():
    later = gang("later", size=1)
    later["spec"]["after"] = [{"name": "g", "when": "Succeeded"}]
    async with queued(in_queue(gang("g", size=1)), in_queue(later)) as api:
        await run(api)
        assert workload_of(api, "later") == ""
        set_phases(api, "g", "Succeeded")
        await run(api, "later")


async def test_next_process_leaves_gangs_with_quota_alone_and_finishes_what_was_begun():
    async with api_with(*NODES, gangs=[in_queue(gang("g", size=2))]) as api:
        api.store.create("resourceflavors", {"metadata": {"name": "plain"}, "spec": {}})
        async with running_operator(api, sources=WORKLOADS):
            await run(api)
        members = {it["metadata"]["uid"] for it in pods_of(api, "g")}
        async with running_operator(api, sources=WORKLOADS):
            await asyncio.sleep(5)
            assert {it["metadata"]["uid"] for it in pods_of(api, "g")} == members
        evict(api)
        async with running_operator(api, sources=WORKLOADS):
            await until(lambda: not has_quota(api))
            assert pods_of(api, "g") == []


async def test_workload_that_is_refused_is_tried_again():
    async with api_with(*NODES, gangs=[in_queue(gang("g", size=2))]) as api:
        api.fault = lambda request: Refusal(code=500) if request[:2] == ("POST", "workloads") else None
        async with running_operator(api, sources=WORKLOADS):
            await asyncio.sleep(5)
            assert pods_of(api, "g") == []
            api.fault = lambda _: None
            await until(lambda: workload_of(api))


async def test_each_run_of_a_sweep_in_a_queue_waits_for_quota_of_its_own():
    async with api_with(*NODES) as api:
        api.store.create("resourceflavors", {"metadata": {"name": "plain"}, "spec": {}})
        async with running_operator(api, sources=WORKLOADS, sweeps=True), ending(api):
            api.store.create("gangsweeps", in_queue(sweep(runs=2)))
            await until(lambda: workload_of(api, "s-0") and workload_of(api, "s-1"))
            admit(api, "s-1")
            await until(lambda: counts(api) == (1, 0))
            assert pods_of(api, "s-0") == []

            admit(api, "s-0")
            await until(lambda: status(api).get("state") == "Complete")


async def test_elastic_gang_grows_within_its_quota_and_no_further():
    elastic = {"elastic": {"mode": "Members", "minInterval": "1s"}}
    async with queued(in_queue(gang("g", size=1, most=6, spec=elastic)), nodes=(node("n1", cpu="2"),)) as api:
        await run(api, main=4)
        assert status_of(api)["size"] == 2

        api.store.add("nodes", node("n2", cpu="8"))
        await until(lambda: _runs_with(api, 4), seconds=3600)
        await asyncio.sleep(60)
        assert _runs_with(api, 4)
        assert "reclaimablePods" not in given_back(api)


async def test_gang_that_keeps_its_size_gives_back_what_it_does_not_use():
    async with queued(in_queue(gang("g", size=1, most=6)), nodes=(node("n1", cpu="2"),)) as api:
        await run(api, main=4)
        assert status_of(api)["size"] == 2
        await until(lambda: given_back(api).get("reclaimablePods") == [{"name": "main", "count": 4}])


def given_back(api):
    return api.store.get(place_of(workload_of(api)))["status"]


def _runs_with(api, size):
    """Whether so many members run: new ones are said to run."""
    set_phases(api, "g", "Running")
    return is_placed(api) and status_of(api)["size"] == size and len(pods_of(api, "g")) == size


async def test_write_that_raises_an_error_is_tried_again_after_a_pause(monkeypatch, caplog):
    tries = []

    async def make_or_raise(*asked):
        tries.append(now())
        if len(tries) < 3:
            raise KeyError("metadata")
        return await make_workload(*asked)

    monkeypatch.setattr(queued_gangs, "make_workload", make_or_raise)
    async with queued(in_queue(gang("g"))) as api:
        await has_workload(api)

    assert [round(later - earlier) for earlier, later in itertools.pairwise(tries)] == [1, 2]
    assert {record.gang for record in caplog.records if record.exc_info} == {"default/g"}
