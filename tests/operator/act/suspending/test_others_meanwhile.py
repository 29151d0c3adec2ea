"""What others do to an owner that is suspended is theirs: it is not undone, it holds up no Gang, and it is said."""

import asyncio
from functools import partial

import pytest

from fake_cluster.api import Refusal
from fake_cluster.bound_in_part import (
    HEAT,
    JOB,
    MARK,
    MARKED_FOR,
    job_bound_in_part,
    mark_of,
    message,
    operator,
    placed,
    refuses,
)
from fake_cluster.jumping import until
from fake_cluster.owners import controlled, create_owner, group_pod, is_suspended, reference
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT, api_with
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

JOB_SET_UID = "jobset.sigs.k8s.io/jobset-uid"


def mark(uid, gang="job.heat"):
    """The metadata of an object that has a mark which was made for the object with that UID."""
    return {"labels": {MARK: "lockstep"}, "annotations": {MARKED_FOR: f"{uid}/{gang}"}}


def set_by(manager, *, operation="Update", policy=""):
    """The entry of managedFields of one who has set ``suspend`` last."""
    field = {"f:suspend": {}}
    fields = {"f:spec": {f"f:{policy}": field} if policy else field}
    return {"manager": manager, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields}


def given_up(parts):
    return {
        result: parts.metric("lockstep_gangs_given_up_total", result=result) or 0 for result in ("suspended", "kept")
    }


@pytest.mark.parametrize("is_suspended_too", [True, False], ids=["suspended", "not suspended"])
async def test_copied_mark_is_none_of_ours(is_suspended_too):
    async with api_with() as api:
        spec = {"parallelism": 3, "suspend": is_suspended_too}
        place = create_owner(api, "jobs", "heat", spec=spec)
        api.store.change(place, metadata=mark("uid-of-another"))
        async with operator(api):
            await asyncio.sleep(200)

            assert is_suspended(api, place) is is_suspended_too
            assert [it for it in api.writes if it.resource == "jobs"] == []


async def test_forged_mark_of_a_job_that_runs_is_removed_and_its_gang_is_placed():
    async with api_with() as api:
        place = create_owner(api, "jobs", "heat", spec={"parallelism": 2})
        api.store.change(place, metadata=mark("uid-of-heat"))
        async with controlled(api, place, partial(group_pod, owner=JOB), 2) as made, operator(api):
            await until(lambda: placed(api))
            await until(lambda: mark_of(api, place) is None)

            assert len(made) == 2


async def test_job_that_is_marked_and_runs_can_still_be_suspended():
    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        api.store.change(HEAT, metadata=mark("uid-of-heat"))
        await until(lambda: len(made) == 6)
        api.fault = lambda _: None
        await until(lambda: placed(api) and mark_of(api, HEAT) is None)


async def test_answer_that_is_out_of_date_leaves_no_owner_suspended():
    async with api_with() as api, operator(api), job_bound_in_part(api):
        await until(lambda: is_suspended(api, HEAT))
        answers = iter([{MARK: None}, {MARK: "lockstep"}])

        def fault(it):
            labels = next(answers, None) if (it.verb, it.resource) == ("GET", "jobs") else None
            if labels:
                api.store.change(HEAT, metadata={"labels": labels})

        api.fault = fault
        await until(lambda: placed(api))

        assert next(answers, None) is None
        assert not is_suspended(api, HEAT)
        assert mark_of(api, HEAT) is None


@pytest.mark.parametrize("part", ["labels", "annotations"])
async def test_owner_on_which_others_let_no_mark_stay_is_never_suspended(part):
    def without_mark(place, wanted):
        return {**wanted, "metadata": {**wanted["metadata"], part: {}}} if place == HEAT else wanted

    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        api.admit_patch = without_mark
        await until(
            lambda: (
                "another program changes its lockstep.dev/suspended-by or lockstep.dev/suspended-for" in message(api)
            )
        )
        api.fault = lambda _: None
        await until(lambda: placed(api))

        assert not is_suspended(api, HEAT)
        assert [it for it in api.writes if it.resource == "jobs"] == []
        assert len(made) == len(bound(api)) == 3


async def test_user_who_resumes_meanwhile_keeps_no_gang_from_being_placed():
    async with api_with() as api, operator(api):
        api.fault = refuses("heat-1")
        create_owner(api, "jobs", "heat", spec={"parallelism": 3})
        for number in range(3):
            api.store.create("pods", group_pod(f"heat-{number}", owner=JOB))
        await until(lambda: is_suspended(api, HEAT))
        api.store.change(HEAT, spec={"suspend": False})
        await until(lambda: mark_of(api, HEAT) is None)

        assert not is_suspended(api, HEAT)
        await until(lambda: "because Job heat was suspended, and another program has resumed it" in message(api))
        api.fault = lambda _: None
        await until(lambda: len(bound(api)) == 3)


async def test_webhook_that_resumes_at_once_is_named_and_pods_stay():
    def resumed(place, changed):
        is_job = place == HEAT
        return {**changed, "spec": {**changed["spec"], "suspend": False}} if is_job else changed

    async with api_with() as api, operator(api) as parts, job_bound_in_part(api) as made:
        api.admit_patch = resumed
        await until(lambda: "because Job heat was suspended, and another program has resumed it" in message(api))
        api.fault = lambda _: None
        await until(lambda: len(bound(api)) == 3)

        assert len(made) == 3
        assert given_up(parts) == {"suspended": 0, "kept": 1}


@pytest.mark.parametrize("operation", ["Update", "Apply"])
async def test_what_a_user_suspends_meanwhile_stays_suspended(operation):
    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        api.store.change(HEAT, metadata={"managedFields": [set_by("lockstep")]})
        await until(lambda: is_suspended(api, HEAT))
        both = [set_by("lockstep"), set_by("kubectl", operation=operation)]
        api.store.change(HEAT, metadata={"managedFields": both})
        await until(lambda: mark_of(api, HEAT) is None)
        await asyncio.sleep(200)

        assert is_suspended(api, HEAT)
        assert len(made) == 3


async def test_user_who_suspends_first_is_waited_for_and_no_pod_is_said_to_stay():
    async with api_with() as api, operator(api) as parts:
        api.fault = refuses("heat-1")
        create_owner(api, "jobs", "heat", spec={"parallelism": 3, "suspend": True})
        for number in range(3):
            api.store.create("pods", group_pod(f"heat-{number}", owner=JOB))
        await until(lambda: len(bound(api)) == 2)
        await asyncio.sleep(90)
        for number in range(3):
            api.store.remove(Place("pods", DEFAULT, f"heat-{number}"))
        await until(lambda: not parts.services.suspensions.is_under_way(next(iter(parts.state.gangs))))
        await asyncio.sleep(30)

        assert "stay" not in message(api)
        assert is_suspended(api, HEAT)
        assert given_up(parts) == {"suspended": 0, "kept": 0}


async def test_pod_that_stays_keeps_no_owner_suspended_for_ever():
    async with api_with() as api, operator(api), job_bound_in_part(api):
        api.store.create("pods", group_pod("left-over", owner=JOB, cpu="1"))
        await until(lambda: is_suspended(api, HEAT))
        await until(lambda: not is_suspended(api, HEAT), seconds=1000)

        assert mark_of(api, HEAT) is None


@pytest.mark.parametrize("is_lost", [False, True], ids=["node runs", "node is lost"])
async def test_owner_is_resumed_when_no_pod_runs_any_more_where_a_kubelet_can_say_so(is_lost):
    async with api_with() as api, operator(api):
        api.fault = refuses("heat-1")
        create_owner(api, "jobs", "heat", spec={"parallelism": 3})
        for number in range(3):
            api.store.create("pods", group_pod(f"heat-{number}", owner=JOB))
        await until(lambda: is_suspended(api, HEAT))
        for number in range(3):
            api.store.change(
                Place("pods", DEFAULT, f"heat-{number}"), metadata={"deletionTimestamp": "2027-01-15T09:00:00Z"}
            )
        if is_lost:
            for name in ("n1", "n2"):
                taint = {"key": "node.kubernetes.io/out-of-service", "value": "", "effect": "NoExecute"}
                api.store.change(Place("nodes", "", name), spec={"taints": [taint]})
        await asyncio.sleep(120)
        assert is_suspended(api, HEAT) is not is_lost
        for number in range(3):
            api.store.remove(Place("pods", DEFAULT, f"heat-{number}"))
        await until(lambda: not is_suspended(api, HEAT), seconds=100)


async def test_refusal_to_resume_is_said_about_the_owner_and_tried_again():
    def fault(it):
        is_resumed = (it.verb, it.resource) == ("PATCH", "jobs") and is_suspended(api, HEAT)
        return Refusal(code=422, message="frozen") if is_resumed and is_frozen else refuses("heat-1")(it)

    is_frozen = True
    async with api_with() as api, operator(api), job_bound_in_part(api) as made:
        api.fault = fault
        await until(lambda: [it for it in api.store.objects("events") if "can't resume it yet: frozen" in it["note"]])
        await until(lambda: "reservedAt" not in api.store.objects("gangs")[0]["status"])
        assert "stay" not in message(api)
        await asyncio.sleep(500)
        assert len(made) == 3
        is_frozen = False
        await until(lambda: len(made) == 6)


async def test_status_says_what_it_waits_for_while_its_owner_is_suspended():
    async with api_with() as api, operator(api):
        api.fault = refuses("heat-1")
        create_owner(api, "jobs", "heat", spec={"parallelism": 3})
        for number in range(3):
            api.store.create("pods", group_pod(f"heat-{number}", owner=JOB))
        await until(lambda: is_suspended(api, HEAT))

        assert "Attempt 1 is being torn down; its pods must leave their nodes" in message(api)


async def test_jobs_of_a_job_set_that_are_gangs_of_their_own_do_not_suspend_it():
    owners = [reference("jobset.x-k8s.io/v1alpha2", "JobSet", "set")]
    async with api_with() as api, operator(api, frozenset({Source.JOB})):
        create_owner(api, "jobsets", "set")
        async with job_bound_in_part(api, owners=owners) as made:
            await until(lambda: "it belongs to JobSet set, which may have other Gangs" in message(api))
            await asyncio.sleep(100)

            assert len(made) == 3
            assert [it for it in api.writes if it.resource == "jobsets"] == []


async def test_kind_that_cannot_be_listed_holds_up_no_other_kind():
    def fault(it):
        return Refusal(code=500) if it.resource == "trainjobs" else refuses("heat-1")(it)

    async with api_with() as api, job_bound_in_part(api) as made:
        api.fault = fault
        async with operator(api):
            await until(lambda: len(made) == 6)
            await until(lambda: placed(api))


async def test_kind_that_cannot_be_listed_for_long_does_not_hold_up_its_own_gangs():
    async with api_with() as api, operator(api):
        api.fault = lambda it: Refusal(code=500) if it.resource == "trainjobs" else None
        place = create_owner(api, "jobsets", "heat", spec={"replicatedJobs": [{"template": {"spec": {}}}] * 2})
        labels = {"jobset.sigs.k8s.io/jobset-name": "heat"}
        async with controlled(api, place, partial(group_pod, labels=labels), 2):
            await until(lambda: placed(api), seconds=1000)


async def test_owner_without_a_spec_is_understood():
    async with api_with() as api, operator(api):
        api.fault = refuses("heat-1")
        train = create_owner(api, "trainjobs", "train")
        api.store.replace(train, {"metadata": api.store.get(train)["metadata"]})
        owners = [reference("trainer.kubeflow.org/v1alpha1", "TrainJob", "train")]
        create_owner(api, "jobsets", "heat", owners=owners, spec={"replicatedJobs": [{"template": {"spec": {}}}] * 3})
        for number in range(3):
            labels = {"jobset.sigs.k8s.io/jobset-name": "heat", JOB_SET_UID: "uid-of-heat"}
            api.store.create("pods", group_pod(f"heat-{number}", labels=labels))
        await until(lambda: mark_of(api, train))

        assert is_suspended(api, train)


async def test_next_process_resumes_many_jobs_by_two_requests_each():
    async with api_with() as api:
        for number in range(200):
            place = create_owner(api, "jobs", f"heat-{number}", spec={"parallelism": 2, "suspend": True})
            api.store.change(place, metadata=mark(f"uid-of-heat-{number}", gang=f"job.heat-{number}"))
        async with operator(api):
            await until(lambda: not [it for it in api.store.objects("jobs") if it["spec"]["suspend"]])

        of_jobs = [it for it in api.requests if it.resource == "jobs" and it.name]
        assert len(of_jobs) == 2 * 200


async def test_owner_that_cannot_be_understood_keeps_no_attempt_from_its_end():
    async with api_with() as api, operator(api), job_bound_in_part(api, owners=[{"controller": True}]) as made:
        await until(lambda: "because its owner can't be understood: KeyError" in message(api))
        api.fault = lambda _: None
        await until(lambda: len(bound(api)) == 3)

        assert len(made) == 3
