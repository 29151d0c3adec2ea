"""The Workload of a GangJob: its name, what it asks for, what it has quota for, and what is given back."""

import pytest

from builders.served import gang, role
from fake_cluster.kueue import in_queue
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.kueue.check_entries import CheckEntry
from lockstep.api.kueue.gang_workload import asks_for, gang_workload, parse_gang_workload, workload_name
from lockstep.api.kueue.gang_workload_status import GangEnd, QuotaUse, use_patch
from lockstep.facts.gang.workload import CheckState, Quota

ROLES = [role("launcher"), role("workers", size=2, most=6), role("readers", size=1, most=3)]
USE = QuotaUse(end=None, runs=True, holds_nothing=False, most={}, entry=None)
TIME = "2027-01-15T07:00:00Z"


def parsed(**more):
    return parse_gang(in_queue(gang("g", **more)), None)


def served(workload, **status):
    metadata = {**workload["metadata"], "uid": "w", "resourceVersion": "7"}
    return {**workload, "metadata": metadata, "status": status}


def conditions(**values):
    """Conditions of these types: each True, or False where its value is."""
    return [
        {"type": kind, "status": str(value), "reason": "Preempted", "message": "", "lastTransitionTime": TIME}
        for kind, value in values.items()
    ]


def with_quota(size=6, **status):
    """The Workload of an admitted gang of one role."""
    assigned = [{"name": "main", "count": size, "flavors": {"cpu": "plain"}}]
    workload = gang_workload(parsed(size=1, most=6), 0, "")
    held = conditions(QuotaReserved=True, Admitted=True)
    return served(workload, **{"admission": {"podSetAssignments": assigned}, "conditions": held, **status})


def counts(patch):
    return [one["count"] for one in patch["status"]["reclaimablePods"]]


@pytest.mark.parametrize("gang", ["g", "a" * 52])
def test_name_is_a_label_and_another_one_for_the_next_gang_of_that_name(gang):
    assert len(workload_name(gang, "uid-1")) <= 63
    assert workload_name(gang, "uid-1") != workload_name(gang, "uid-2")


def test_one_part_at_most_may_be_admitted_with_fewer_pods():
    pod_sets = gang_workload(parsed(roles=ROLES), 0, "")["spec"]["podSets"]
    assert [(one["name"], one["count"], one.get("minCount")) for one in pod_sets] == [
        ("launcher", 1, None),
        ("workers", 6, 2),
        ("readers", 3, None),
    ]


def test_numbers_are_sizes_that_the_role_may_have():
    spec = {"size": {"min": 3, "max": 11, "multipleOf": 4}}
    [pods] = gang_workload(parsed(spec=spec), 0, "")["spec"]["podSets"]
    assert (pods["count"], pods["minCount"]) == (8, 4)


def test_fewer_pods_than_a_profile_has_times_for_are_of_no_use():
    work = {"profile": [{"members": 4, "time": "1h"}, {"members": 8, "time": "40m"}]}
    [pods] = gang_workload(parsed(size=1, most=8, spec={"work": work}), 0, "")["spec"]["podSets"]
    assert (pods["count"], pods["minCount"]) == (8, 4)


def test_priority_and_its_class_are_those_of_the_gang():
    spec = gang_workload(parsed(), 7, "urgent")["spec"]
    assert (spec["priority"], spec["priorityClassRef"]["name"]) == (7, "urgent")
    assert "priorityClassRef" not in gang_workload(parsed(), 0, "")["spec"]


def test_workload_that_was_not_made_by_the_operator_is_not_its_gangs():
    made = served(gang_workload(parsed(), 0, ""))
    assert parse_gang_workload(made) is not None
    assert parse_gang_workload({**made, "metadata": {**made["metadata"], "name": "other"}}) is None
    assert parse_gang_workload({**made, "metadata": {**made["metadata"], "ownerReferences": []}}) is None


def test_quota_is_for_what_was_admitted_without_what_was_given_back():
    def quota(**status):
        return parse_gang_workload(with_quota(**status)).quotas

    assert quota(size=4) == {"main": Quota(4, ("plain",))}
    assert quota(size=4, reclaimablePods=[{"name": "main", "count": 3}]) == {"main": Quota(3, ("plain",))}


def test_other_queue_or_size_is_asked_for_anew():
    gang_of_four = parsed(size=1, most=4)
    workload = gang_workload(gang_of_four, 0, "")
    assert asks_for(workload, gang_of_four)
    assert not asks_for(workload, parsed(size=1, most=5))
    assert not asks_for(workload, parse_gang(in_queue(gang("g", size=1, most=4), "other"), None))


def test_pods_that_are_given_back_never_become_fewer():
    assert counts(use_patch(with_quota(), USE._replace(most={"main": 4}), (), 0.0)) == [2]

    given = [{"name": "main", "count": 2}]
    patch = use_patch(with_quota(reclaimablePods=given), USE._replace(runs=False, most={"main": 5}), (), 0.0)
    assert patch is None


def test_what_was_given_back_is_asked_for_again_with_the_next_quota():
    held = conditions(QuotaReserved=True, Admitted=True, Evicted=True, PodsReady=True)
    evicted = with_quota(conditions=held, reclaimablePods=[{"name": "main", "count": 2}])
    assert use_patch(evicted, USE, (), 0.0) is None

    patch = use_patch(evicted, USE._replace(holds_nothing=True), (), 0.0)["status"]
    assert (patch["admission"], patch["reclaimablePods"]) == (None, None)
    stated = {one["type"]: one["status"] for one in patch["conditions"]}
    assert stated == {
        "QuotaReserved": "False",
        "Admitted": "False",
        "Evicted": "True",
        "PodsReady": "False",
        "Requeued": "True",
    }


@pytest.mark.parametrize(
    ("held", "want"),
    [
        pytest.param({"QuotaReserved": True}, "Ready", id="with quota"),
        pytest.param({"QuotaReserved": True, "Evicted": True}, None, id="evicted"),
        pytest.param({}, None, id="without quota"),
    ],
)
def test_check_is_answered_only_with_quota_that_is_not_taken_back(held, want):
    entry = {"name": "placement", "state": "Pending", "message": "", "lastTransitionTime": TIME}
    workload = with_quota(conditions=conditions(**held), admissionChecks=[entry])
    patch = use_patch(workload, USE._replace(entry=CheckEntry(CheckState.READY, "")), ["placement"], 0.0) or {}
    [state] = [one["state"] for one in patch.get("status", {}).get("admissionChecks", [])] or [None]
    assert state == want


def test_members_that_are_missing_are_said_and_that_they_are_there_again():
    held = conditions(QuotaReserved=True, Admitted=True)
    ready = use_patch(with_quota(), USE, (), 0.0)["status"]["conditions"]
    lost = use_patch(with_quota(conditions=ready), USE._replace(runs=False), (), 0.0)["status"]["conditions"]
    again = use_patch(with_quota(conditions=lost), USE, (), 0.0)["status"]["conditions"]
    reasons = [one["reason"] for said in (ready, lost, again) for one in said if one["type"] == "PodsReady"]
    assert reasons == ["Started", "WaitForRecovery", "Recovered"]
    assert use_patch(with_quota(conditions=held), USE._replace(runs=False), (), 0.0) is None


@pytest.mark.parametrize(("has_succeeded", "reason"), [(True, "Succeeded"), (False, "Failed")])
def test_end_finishes_the_workload_once(has_succeeded, reason):
    use = USE._replace(end=GangEnd(has_succeeded, "It is over."))
    *_, finished = use_patch(with_quota(), use, (), 0.0)["status"]["conditions"]
    assert (finished["type"], finished["reason"]) == ("Finished", reason)
    assert use_patch(with_quota(conditions=[finished]), use, (), 0.0) is None
