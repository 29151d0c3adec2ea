"""What PodGroups can do from Kubernetes 1.37 on: their count may change, and each Job has one."""

import pytest

from builders.manifests import gang, priority_class
from eventually import eventually

pytestmark = pytest.mark.usefixtures("operator")


def policy(**says):
    """The field of a Job that says how its pods are scheduled."""
    return {"scheduling": {"schedulingPolicy": says}}


def size(groups, group):
    return groups.gangs.spec(f"schedulinggroup.{group}")["size"]


def test_count_that_changes_while_pods_wait_is_followed(arena, groups):
    arena.add_nodes(1, cpu="4")
    groups.create("heat", 2)
    groups.create_pods("heat", "a")
    eventually(lambda: groups.gangs.exists("schedulinggroup.heat"))

    groups.change_count("heat", 3)
    groups.create_pods("heat", "b")
    eventually(lambda: size(groups, "heat") == {"min": 3})
    assert groups.bound("heat") == 0

    groups.change_count("heat", 2)
    groups.until("heat", "True")
    assert groups.bound("heat") == 2


def test_count_that_changes_while_pods_run_changes_nothing_for_these(arena, groups):
    arena.add_nodes(1, cpu="4")
    groups.create("heat", 2)
    groups.create_pods("heat", "a", "b")
    groups.until("heat", "True")
    before = groups.places("heat")

    groups.change_count("heat", 4)
    groups.create_pods("heat", "c")

    eventually(lambda: groups.bound("heat") == 3)
    assert {*before.items()} <= {*groups.places("heat").items()}


def test_jobs_of_any_kind_have_a_group_and_are_placed_whole(arena, groups):
    arena.add_nodes(1, cpu="3")
    groups.gangs.create_job("", 4, name="heat", completions=8, completionMode="NonIndexed")
    group = groups.of_job("heat")

    groups.until(group, "False", "It needs 4 members, and 3 fit")
    assert groups.bound(group) == 0

    arena.add_nodes(1, cpu="1")
    groups.until(group, "True")
    assert groups.bound(group) == 4


def test_job_that_asks_for_no_gang_gets_none(arena, groups):
    arena.add_nodes(1, cpu="3")

    groups.gangs.create_job("", 4, name="heat", **policy(basic={}))

    group = groups.of_job("heat")
    groups.until(group, "True")
    eventually(lambda: groups.bound(group) == 3)
    assert size(groups, group) == {"min": 1}


def test_job_says_how_many_of_its_pods_need_each_other(arena, groups):
    arena.add_nodes(1, cpu="2")
    groups.gangs.create_job("", 4, name="heat", **policy(gang={"minCount": 3}))
    group = groups.of_job("heat")
    groups.until(group, "False", "It needs 3 members, and 2 fit")

    arena.add_nodes(1, cpu="1")

    groups.until(group, "True")
    eventually(lambda: groups.bound(group) == 3)


def test_job_that_waits_for_a_size_gets_it_though_it_has_a_group(arena, groups):
    arena.add_nodes(3, cpu="1")

    groups.gangs.create_job("", 1, name="heat", suspend=True, annotations={"lockstep.dev/size": "2-6"})

    groups.gangs.until("job.heat", "Placed")
    assert groups.gangs.bound("job.heat") == 3
    assert [pod["spec"]["schedulingGroup"]["podGroupName"] for pod in groups.gangs.pods("job.heat")] == [
        groups.of_job("heat")
    ] * 3


def test_jobs_last_pod_does_not_wait_for_others(arena, groups):
    arena.add_nodes(1, cpu="2")

    groups.gangs.create_job("", 2, name="heat", completions=3, template=groups.short_lived())

    path = f"{groups.gangs.jobs}/heat"
    eventually(lambda: groups.api.request("GET", path)["status"].get("succeeded") == 3)


def test_group_that_is_a_part_of_another_is_refused(arena, groups):
    arena.add_nodes(1, cpu="2")
    part = {"parentCompositePodGroupName": "all", "workloadRef": {"workloadName": "all", "templateName": "one"}}
    groups.create("heat", 2, **part)

    groups.create_pods("heat", "a", "b")

    groups.until("heat", "False", "Lockstep places each PodGroup by itself")


def test_nothing_gives_way_to_a_group_that_says_never(arena, groups):
    patient, urgent, most_urgent = (f"{arena.namespace}-{name}" for name in ("patient", "urgent", "most-urgent"))
    arena.create(priority_class(patient, 1000))
    for name, value in ((urgent, 1000), (most_urgent, 2000)):
        arena.create(priority_class(name, value, policy="PreemptLowerPriority"))
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("cold", size=2))
    arena.until("cold", "Placed")
    groups.create("heat", 2, priorityClassName=patient, preemptionPolicy="Never")

    groups.create_pods("heat", "a", "b", priorityClassName=urgent)

    groups.until("heat", "False", "It needs 2 members, and 0 fit")
    assert groups.gangs.spec("schedulinggroup.heat")["preemptionPolicy"] == "Never"
    assert arena.condition("cold", "Placed")["status"] == "True"

    groups.create("hot", 2, priorityClassName=most_urgent)
    groups.create_pods("hot", "c", "d", priorityClassName=most_urgent)

    groups.until("hot", "True")


@pytest.mark.parametrize("mode", ["single", "all"])
def test_group_of_either_disruption_mode_is_placed(arena, groups, mode):
    arena.add_nodes(1, cpu="2")
    groups.create("heat", 2, disruptionMode={mode: {}})

    groups.create_pods("heat", "a", "b")

    groups.until("heat", "True")
