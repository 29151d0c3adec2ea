"""The owner of pods that were bound in part is suspended until they are gone, and then resumed, by any process."""

import asyncio
from functools import partial

import pytest

from fake_cluster.api import Refusal
from fake_cluster.bound_in_part import HEAT, JOB, job_bound_in_part, mark_of, message, operator, placed, refuses
from fake_cluster.jumping import until
from fake_cluster.owners import controlled, create_owner, group_pod, is_suspended, reference
from fake_cluster.pod_gangs import bound, changes_of_pods
from fake_cluster.rig import DEFAULT, api_with
from fake_cluster.store import Place
from lockstep.api.suspending.suspendable import SUSPENDABLE_KINDS
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

ABOVE = {
    "Job": (Source.JOB, "jobs", {}),
    "JobSet": (Source.JOB_SET, "jobsets", {"jobset.sigs.k8s.io/jobset-name": "heat"}),
    "RayCluster": (Source.RAY_CLUSTER, "rayclusters", {"ray.io/cluster": "heat"}),
}
GROUPED = {"scheduling.x-k8s.io/pod-group": "heat"}


def create_heat(api, kind):
    """An object of a kind, with what is between it and its pods; returns its place, and how a pod of it is made."""
    if kind.kind in ABOVE:
        source, plural, labels = ABOVE[kind.kind]
        place = create_owner(api, plural, "heat", spec={"parallelism": 3})
        owner = JOB if source is Source.JOB else reference(kind.api_version, kind.kind, "heat")
        return place, partial(group_pod, labels=labels, owner=owner if source is not Source.JOB_SET else None)
    place = create_owner(api, kind.plural, "heat")
    create_owner(
        api, "podgroups", "heat", owners=[reference(kind.api_version, kind.kind, "heat")], spec={"minMember": 3}
    )
    return place, partial(group_pod, labels=GROUPED)


@pytest.mark.parametrize("kind", SUSPENDABLE_KINDS, ids=lambda kind: kind.kind)
async def test_each_kind_is_suspended_until_its_pods_are_gone_and_then_placed_whole(kind):
    async with api_with() as api, operator(api):
        api.fault = refuses("heat-1")
        place, make_pod = create_heat(api, kind)
        async with controlled(api, place, make_pod, 3, policy=kind.policy) as made:
            await until(lambda: len(made) == 6)
            api.fault = lambda _: None
            await until(lambda: placed(api))

            assert sorted(it["metadata"]["name"] for it in bound(api)) == ["heat-3", "heat-4", "heat-5"]
            assert mark_of(api, place) is None
            assert not is_suspended(api, place, kind.policy)
            assert changes_of_pods(api) == []
            [said] = [it for it in api.store.objects("events") if it["reason"] == "OwnerSuspended"]
            assert (said["regarding"]["kind"], said["regarding"]["name"]) == (kind.kind, "heat")


@pytest.mark.parametrize(
    ("job", "says"),
    [
        pytest.param({"labels": {"kueue.x-k8s.io/queue-name": "q"}}, "Kueue has queued Job heat", id="queued"),
        pytest.param(
            {"owners": [reference("argoproj.io/v1alpha1", "Workflow", "flow")]},
            "it belongs to Workflow flow, and a Workflow can't be suspended",
            id="unknown controller",
        ),
    ],
)
async def test_pods_stay_where_their_owner_is_not_to_be_suspended(job, says):
    async with api_with() as api, operator(api), job_bound_in_part(api, **job) as made:
        await until(lambda: says in message(api))
        await asyncio.sleep(100)

        assert len(made) == 3
        assert mark_of(api, HEAT) is None


async def test_job_is_suspended_although_no_watch_has_shown_what_is_bound():
    def fault(it):
        if it.resource == "pods/binding":
            api.store.silent.add("pods")
        return refuses("heat-1")(it)

    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        api.fault = fault
        await until(lambda: is_suspended(api, HEAT))
        api.fault = lambda _: None
        api.store.silent.clear()
        await until(lambda: len(made) == 6)


async def test_job_of_a_cron_job_is_suspended():
    owners = [reference("batch/v1", "CronJob", "nightly")]
    async with api_with() as api, operator(api), job_bound_in_part(api, owners=owners) as made:
        await until(lambda: len(made) == 6)


async def test_only_the_owner_at_the_top_is_suspended():
    async with api_with() as api, operator(api):
        api.fault = refuses("train-1")
        train = create_owner(api, "trainjobs", "train")
        owners = [reference("trainer.kubeflow.org/v1alpha1", "TrainJob", "train")]
        create_owner(api, "jobsets", "heat", owners=owners, spec={"replicatedJobs": [{"template": {"spec": {}}}] * 3})
        labels = {"jobset.sigs.k8s.io/jobset-name": "heat"}
        async with controlled(api, train, partial(group_pod, labels=labels), 3) as made:
            await until(lambda: len(made) == 6)

        assert [it for it in api.writes if it.resource == "jobsets"] == []


async def test_pods_stay_where_what_is_above_their_owner_is_gone():
    async with api_with() as api, operator(api):
        api.fault = refuses("heat-1")
        owners = [reference("trainer.kubeflow.org/v1alpha1", "TrainJob", "none")]
        place = create_owner(
            api, "jobsets", "heat", owners=owners, spec={"replicatedJobs": [{"template": {"spec": {}}}] * 3}
        )
        labels = {"jobset.sigs.k8s.io/jobset-name": "heat"}
        async with controlled(api, place, partial(group_pod, labels=labels), 3) as made:
            await until(lambda: "TrainJob none can't be read" in message(api))

            assert len(made) == 3
            assert mark_of(api, place) is None


async def test_pods_stay_without_the_right_to_suspend():
    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        api.may_write_statuses = False
        await until(lambda: "2 pods on nodes, because the operator may not patch jobs" in message(api))
        await asyncio.sleep(100)

        assert len(made) == 3


async def test_right_that_comes_later_is_used():
    async with api_with() as api:
        api.may_write_statuses = False
        async with operator(api), job_bound_in_part(api) as made:
            await asyncio.sleep(30)
            api.may_write_statuses = True
            await until(lambda: len(made) == 6)


async def test_refusal_to_suspend_is_said_and_pods_stay():
    def fault(it):
        return (
            Refusal(code=422, message="frozen")
            if (it.verb, it.resource) == ("PATCH", "jobs")
            else refuses("heat-1")(it)
        )

    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        api.fault = fault
        await until(lambda: "Job heat can't be suspended: frozen" in message(api))

        assert len(made) == 3


async def test_later_pods_that_fail_end_none_that_run():
    async with api_with() as api, operator(api):
        place = create_owner(api, "jobs", "heat", spec={"parallelism": 2})
        async with controlled(api, place, partial(group_pod, owner=JOB, cpu="1"), 2):
            await until(lambda: placed(api))
            api.fault = refuses("late-1", "late-2")
            for name in ("late-1", "late-2", "late-3"):
                api.store.create("pods", group_pod(name, owner=JOB, cpu="1"))
            await until(lambda: len(bound(api)) == 3)
            await asyncio.sleep(200)

            assert mark_of(api, place) is None
            assert len(bound(api)) == 3


@pytest.mark.parametrize("is_gang_deleted", [False, True], ids=["Gang is there", "Gang is deleted"])
async def test_next_process_resumes_what_one_has_suspended(is_gang_deleted):
    async with api_with() as api, job_bound_in_part(api) as made:
        # Pods stay, as where their kubelets are slow: the first process can't resume the Job.
        blocked = True

        def fault(it):
            is_resumed = (it.verb, it.resource) == ("PATCH", "jobs") and is_suspended(api, HEAT)
            return Refusal(code=500) if blocked and is_resumed else refuses("heat-1")(it)

        api.fault = fault
        async with operator(api):
            await until(lambda: is_suspended(api, HEAT) and not bound(api))
        if is_gang_deleted:
            api.store.remove(Place("gangs", DEFAULT, "job.heat"))
        await asyncio.sleep(10)
        assert is_suspended(api, HEAT)
        blocked = False
        async with operator(api):
            await until(lambda: len(made) == 6 and placed(api))

        assert mark_of(api, HEAT) is None
        assert len(bound(api)) == 3


async def test_gang_that_is_deleted_meanwhile_keeps_its_owner_from_no_resumption():
    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        await until(lambda: is_suspended(api, HEAT))
        api.store.remove(Place("gangs", DEFAULT, "job.heat"))
        await until(lambda: len(made) == 6)
        api.fault = lambda _: None
        await until(lambda: len(bound(api)) == 3)

        assert mark_of(api, HEAT) is None


async def test_owner_that_is_deleted_meanwhile_is_waited_for_no_longer():
    async with api_with() as api, operator(api) as parts, job_bound_in_part(api) as made:
        await until(lambda: is_suspended(api, HEAT))
        api.store.remove(HEAT)
        await asyncio.sleep(100)

        assert len(made) == 3
        assert not parts.services.suspensions.is_under_way(next(iter(parts.state.gangs)))


async def test_owner_whose_mark_others_remove_stays_suspended():
    async with api_with() as api, operator(api) as parts:
        api.fault = refuses("heat-1")
        create_owner(api, "jobs", "heat", spec={"parallelism": 3})
        for number in range(3):
            api.store.create("pods", group_pod(f"heat-{number}", owner=JOB))
        await until(lambda: is_suspended(api, HEAT))
        api.store.change(HEAT, metadata={"labels": {}})
        await until(lambda: not parts.services.suspensions.is_under_way(next(iter(parts.state.gangs))))

        assert is_suspended(api, HEAT)


async def test_what_others_have_suspended_is_not_resumed():
    async with api_with() as api, operator(api):
        place = create_owner(api, "jobs", "heat", spec={"parallelism": 3, "suspend": True})
        await asyncio.sleep(200)

        assert is_suspended(api, place)
        assert [it for it in api.writes if it.resource == "jobs"] == []


async def test_next_process_holds_gangs_back_while_the_api_server_denies_every_right():
    async with api_with() as api, job_bound_in_part(api):
        async with operator(api):
            await until(lambda: is_suspended(api, HEAT))
        review = "selfsubjectaccessreviews.authorization.k8s.io"
        denied = Refusal(code=403, message=f'{review} is forbidden: User "lockstep" cannot create resource "x"')
        api.fault = lambda it: denied if it.resource == "selfsubjectaccessreviews" else None
        async with operator(api) as parts:
            for _ in range(9):
                await asyncio.sleep(1)
                assert parts.services.suspensions.is_under_way(pod_gang_key(DEFAULT, "job.heat"))
            api.fault = lambda _: None
            await until(lambda: placed(api))

        assert mark_of(api, HEAT) is None


async def test_next_process_resumes_an_owner_though_it_has_no_right_to_for_long():
    async with api_with() as api, job_bound_in_part(api):
        async with operator(api):
            await until(lambda: is_suspended(api, HEAT))
        denied = Refusal(code=403, message="the authorizer does not answer")
        api.fault = lambda it: denied if it.resource == "selfsubjectaccessreviews" else None
        async with operator(api):
            await asyncio.sleep(600)
            assert is_suspended(api, HEAT)
            api.fault = lambda _: None
            await until(lambda: placed(api), seconds=700)

        assert mark_of(api, HEAT) is None
