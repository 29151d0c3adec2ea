"""Pods that name a PodGroup of Kubernetes' own are placed as it asks, and its condition says so."""

from functools import partial

import pytest

from builders.manifests import bid
from eventually import eventually
from live.places import are_bound_anew

pytestmark = pytest.mark.usefixtures("operator")
RACK = "example.com/rack"


def within(domain):
    return {"schedulingConstraints": {"topology": [{"key": domain}]}}


def priority_class(arena, value):
    """Create a class that admission knows; returns the field by which pods and groups name it."""
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    name = f"{arena.namespace}-{abs(value)}"
    arena.create({**kind, "metadata": {"name": name}, "value": value})
    named = {"priorityClassName": name}
    eventually(lambda: arena.dry_run({"containers": [{"name": "main", "image": "registry.k8s.io/pause"}], **named}))
    return named


def is_suspended(groups, job):
    return groups.api.request("GET", f"{groups.gangs.jobs}/{job}")["spec"]["suspend"]


def test_pods_of_a_group_are_placed_together_and_its_condition_says_so(arena, groups):
    arena.add_nodes(1, cpu="2")
    groups.create("heat", 3)
    groups.create_pods("heat", "a", "b", "c")

    waits = groups.until("heat", "False", "It needs 3 members, and 2 fit")
    assert (waits["reason"], groups.bound("heat")) == ("Unschedulable", 0)

    arena.add_nodes(1, cpu="1")
    assert groups.until("heat", "True")["reason"] == "Scheduled"
    assert groups.bound("heat") == 3
    table = groups.api.kubectl("get", "podgroups", "--namespace", arena.namespace)
    assert "Scheduled" in table


def test_job_gets_its_group_from_the_job_controller_and_is_placed_whole(arena, groups):
    arena.add_nodes(2, cpu="2")

    groups.gangs.create_job("", 4, name="heat")

    group = groups.of_job("heat")
    groups.until(group, "True")
    assert groups.bound(group) == 4
    assert groups.gangs.spec(f"schedulinggroup.{group}") == {"size": {"min": 4}}
    assert not groups.gangs.exists("job.heat")


def test_job_that_does_not_fit_has_no_pod_on_a_node(arena, groups):
    arena.add_nodes(1, cpu="3")

    groups.gangs.create_job("", 4, name="heat")

    group = groups.of_job("heat")
    groups.until(group, "False", "It needs 4 members, and 3 fit")
    assert groups.bound(group) == 0


def test_kube_scheduler_places_its_own_groups_and_leaves_ours_alone(arena, groups):
    arena.add_nodes(1, cpu="4")
    groups.create("theirs", 2)
    groups.create_pods("theirs", "a", "b", schedulerName="default-scheduler")
    groups.create("ours", 3)
    groups.create_pods("ours", "c", "d")

    groups.until("theirs", "True")
    said = partial(groups.gangs.condition, "schedulinggroup.ours", "Planned")
    eventually(lambda: "2 of the 3 needed pods" in said().get("message", ""))
    assert (groups.bound("theirs"), groups.bound("ours")) == (2, 0)
    assert groups.condition("ours") == {}
    assert not groups.gangs.exists("schedulinggroup.theirs")


def test_group_that_requires_one_domain_is_placed_in_one(arena, groups):
    arena.add_nodes(1, cpu="3", labels={RACK: "narrow"})
    arena.add_nodes(2, cpu="2", labels={RACK: "wide"})
    groups.create("heat", 4, **within(RACK))

    groups.create_pods("heat", *"abcd")

    groups.until("heat", "True")
    assert groups.gangs.spec("schedulinggroup.heat")["placement"] == {"allIn": RACK}
    assert set(groups.nodes_of("heat").values()) == set(arena.nodes[1:])


def test_group_more_urgent_than_its_pods_is_refused_until_these_are_as_urgent(arena, groups):
    arena.add_nodes(1, cpu="2")
    urgent = priority_class(arena, 1000)
    groups.create("heat", 2, **urgent)
    groups.create_pods("heat", "a", "b")

    assert "pod a has 0" in groups.until("heat", "False", "the group has the priority 1000")["message"]

    for name in "ab":
        arena.delete_pod(name)
    groups.create_pods("heat", "c", "d", **urgent)
    groups.until("heat", "True")


def test_group_without_a_class_says_nothing_of_the_priority_of_its_pods(arena, groups):
    arena.add_nodes(1, cpu="2")
    low = priority_class(arena, -1000)
    written = groups.create("heat", 2)
    groups.create_pods("heat", "a", "b", **low)

    groups.until("heat", "True")
    assert written["spec"]["priority"] == 0


def test_pods_of_a_basic_group_need_no_others(arena, groups):
    arena.add_nodes(1, cpu="2")
    groups.create("web", None)

    groups.create_pods("web", "large", cpu="3")
    groups.create_pods("web", "small", "other")

    eventually(lambda: groups.bound("web") == 2)
    assert groups.nodes_of("web")["large"] == ""
    groups.until("web", "True")
    groups.create_pods("web", "later")
    arena.add_nodes(1, cpu="4")
    eventually(lambda: groups.nodes_of("web")["large"] != "")


def test_group_that_comes_after_its_pods_is_obeyed(arena, groups):
    arena.add_nodes(1, cpu="4")
    groups.create_pods("heat", "a", "b")
    eventually(lambda: "can't be read" in " ".join(event["note"] for event in arena.events("a")))

    groups.create("heat", 2)

    groups.until("heat", "True")


def test_group_that_is_made_anew_larger_is_never_placed_in_part(arena, groups):
    arena.add_nodes(1, cpu="2")
    groups.create("heat", 2)
    groups.create_pods("heat", "a", "b")
    groups.until("heat", "True")
    for name in "ab":
        arena.delete_pod(name)
    groups.delete("heat")
    eventually(lambda: not groups.exists("heat"))

    groups.create("heat", 4)
    groups.create_pods("heat", *"cdef")

    groups.until("heat", "False", "It needs 4 members, and 2 fit")
    assert groups.bound("heat") == 0
    arena.add_nodes(1, cpu="2")
    groups.until("heat", "True")


def test_users_own_label_counts_before_the_group(arena, groups):
    arena.add_nodes(1, cpu="2")
    groups.create("heat", 2)
    groups.gangs.submit("mine", 1)

    groups.gangs.create_pods("mine", "a", schedulingGroup={"podGroupName": "heat"})

    groups.gangs.until("mine", "Placed")
    assert not groups.gangs.exists("schedulinggroup.heat")


def test_job_above_a_group_is_suspended_until_its_pods_have_left_a_node_whose_owner_is_back(arena, groups):
    nodes = arena.add_nodes(3, cpu="1")
    groups.gangs.create_job("", 2, name="heat")
    group = groups.of_job("heat")
    groups.until(group, "True")
    before = groups.places(group)
    [back, _] = groups.nodes_of(group).values()

    arena.create(bid(back, onReturn="Evict", gracePeriodSeconds=0, ownerPresent=True))

    eventually(lambda: are_bound_anew(groups.places(group), before, 2))
    assert set(groups.nodes_of(group).values()) == set(nodes) - {back}
    assert not is_suspended(groups, "heat")
    assert "failed" not in groups.api.request("GET", f"{groups.gangs.jobs}/heat")["status"]


def test_annotation_of_a_job_counts_for_its_group(arena, groups):
    arena.add_nodes(1, cpu="2")

    groups.gangs.create_job("", 2, name="heat", annotations={"lockstep.dev/serial-time": "1h"})

    group = groups.of_job("heat")
    groups.until(group, "True")
    assert groups.gangs.spec(f"schedulinggroup.{group}")["work"] == {"serialTime": "1h"}


def test_job_that_is_made_anew_while_its_pods_are_bound_is_placed_whole(arena, groups):
    arena.add_nodes(1, cpu="4")
    groups.gangs.create_job("", 4, name="heat")
    first = groups.of_job("heat")
    eventually(lambda: groups.bound(first) > 0)
    groups.api.request("DELETE", f"{groups.gangs.jobs}/heat?propagationPolicy=Background")

    groups.gangs.create_job("", 3, name="heat")

    eventually(lambda: not groups.pods(first) and not groups.gangs.exists(f"schedulinggroup.{first}"))
    # In 1.36 the second one gets no group while the Workload of the first one is there.
    eventually(lambda: groups.gangs.bound("job.heat") == 3)


def test_group_that_is_deleted_is_obeyed_until_its_pods_have_ended(arena, groups):
    arena.add_nodes(1, cpu="4")
    groups.create("heat", 2)
    groups.create_pods("heat", "a", "b")
    groups.until("heat", "True")

    groups.delete("heat")
    groups.create_pods("heat", "c")
    eventually(lambda: groups.bound("heat") == 3)
    assert groups.exists("heat")

    for name in "abc":
        arena.delete_pod(name)
    eventually(lambda: not groups.exists("heat") and not groups.gangs.exists("schedulinggroup.heat"))


def test_name_that_is_too_long_for_a_gang_is_said_about_a_pod(arena, groups):
    arena.add_nodes(1, cpu="2")
    name = ".".join(["a" * 60] * 4)
    groups.create(name, 1)
    groups.create_pods(name, "long")

    notes = partial(arena.events, "long")
    eventually(lambda: "must be no more than 253" in " ".join(event["note"] for event in notes()))


def test_odd_groups_say_why_and_cost_the_others_nothing(arena, groups):
    arena.add_nodes(1, cpu="2")
    groups.create("huge", 2**31 - 1)
    groups.create_pods("huge", "a")
    groups.create("nowhere", 1, **within("example.com/nowhere"))
    groups.create_pods("nowhere", "b")

    groups.create("heat", 2)
    groups.create_pods("heat", "c", "d")

    groups.until("heat", "True")
    assert "example.com/nowhere" in groups.until("nowhere", "False")["message"]
    assert groups.bound("huge") == 0


def test_example_is_placed(arena, groups):
    arena.add_nodes(1, cpu="4")

    groups.apply_example()

    groups.until("heat", "True")
    assert groups.bound("heat") == 3
