"""Pods that others create are placed as one gang: whole, on the nodes that were planned, and never deleted."""

import pytest

from builders.manifests import gang, priority_class
from eventually import eventually
from live.places import are_bound
from live.pod_gangs import RANK, SIZE

pytestmark = pytest.mark.usefixtures("operator")


def test_job_is_placed_whole_and_its_pods_know_their_rank(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.submit("heat", 4)
    gangs.create_job("heat", 4)

    gangs.until("heat", "Placed")

    assert gangs.bound("heat") == 4
    annotations = [pod["metadata"]["annotations"] for pod in gangs.pods("heat")]
    index = "batch.kubernetes.io/job-completion-index"
    assert sorted(int(one[RANK]) for one in annotations) == [0, 1, 2, 3]
    assert all(one[RANK] == one[index] for one in annotations)
    assert {one[SIZE] for one in annotations} == {"4"}
    assert gangs.status("heat")["state"] == "Running"
    eventually(lambda: "GangPlaced" in gangs.events("heat"))


def test_pods_that_come_before_their_gang_wait_for_it(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.create_pods("heat", "a", "b", "c")
    gangs.submit("heat", 3)

    gangs.until("heat", "Placed")

    assert gangs.bound("heat") == 3


def test_nothing_is_bound_before_all_pods_are_there(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.submit("heat", 3)
    gangs.create_pods("heat", "a", "b")

    says = gangs.until("heat", "Planned", "False", "AwaitsPods")
    eventually(lambda: "2 of the 3" in gangs.condition("heat", "Planned")["message"])

    assert gangs.bound("heat") == 0, says
    gangs.create_pods("heat", "c")
    gangs.until("heat", "Placed")


def test_gang_that_is_too_large_binds_nothing_and_others_pass(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.submit("large", 5)
    gangs.create_job("large", 5)
    eventually(lambda: "It needs 5 members, and 4 fit" in gangs.condition("large", "Planned").get("message", ""))

    gangs.submit("small", 4)
    gangs.create_job("small", 4)

    gangs.until("small", "Placed")


def test_two_gangs_of_which_one_fits_never_share_its_room(arena, gangs):
    arena.add_nodes(2, cpu="2")
    for name in ("left", "right"):
        gangs.submit(name, 3)
        gangs.create_job(name, 3)

    eventually(lambda: sorted(gangs.bound(name) for name in ("left", "right")) == [0, 3])
    placed, other = sorted(("left", "right"), key=gangs.bound, reverse=True)
    gangs.api.request("DELETE", f"{gangs.jobs}/{placed}?propagationPolicy=Background")

    eventually(lambda: (gangs.bound(placed), gangs.bound(other)) == (0, 3))


def test_gang_job_and_gang_of_one_name_never_meet(arena, gangs):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=2))
    gangs.submit("heat", 2)
    gangs.create_pods("heat", "a", "b")

    arena.until_placed("heat")
    gangs.until("heat", "Placed")

    assert (len(arena.pods("heat")), gangs.bound("heat")) == (2, 2)


def test_pods_of_several_shapes_are_one_gang(arena, gangs):
    small, large = arena.add_nodes(1, cpu="1") + arena.add_nodes(1, cpu="3")
    gangs.submit("heat", 2)
    gangs.create_pods("heat", "launcher", cpu="1")
    gangs.create_pods("heat", "worker", cpu="3")

    gangs.until("heat", "Placed")

    assert [pod["spec"]["nodeName"] for pod in gangs.pods("heat")] == [small, large]


def test_gang_with_a_range_takes_what_fits_and_the_rest_comes_later(arena, gangs):
    arena.add_nodes(1, cpu="3")
    gangs.submit("heat", 2)
    gangs.create_pods("heat", *"abcd")

    gangs.until("heat", "Placed")
    eventually(lambda: gangs.bound("heat") == 3)
    arena.add_nodes(1, cpu="1")

    eventually(lambda: gangs.bound("heat") == 4)


def test_replacement_is_placed_beside_the_others(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.submit("heat", 4)
    gangs.create_job("heat", 4, backoffLimit=4)
    gangs.until("heat", "Placed")

    before = gangs.places("heat")
    arena.delete_pod(gangs.pods("heat")[1]["metadata"]["name"])

    eventually(lambda: is_replaced(gangs.places("heat"), before))
    assert gangs.status("heat")["state"] == "Running"


def test_job_that_is_suspended_and_resumed_is_placed_whole_again(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.submit("heat", 4)
    gangs.create_job("heat", 4)
    gangs.until("heat", "Placed")
    job = f"{gangs.jobs}/heat"

    gangs.api.request("PATCH", job, {"spec": {"suspend": True}})
    gangs.until("heat", "Placed", "False", "AwaitsPods")
    gangs.api.request("PATCH", job, {"spec": {"suspend": False}})

    gangs.until("heat", "Placed")
    assert gangs.bound("heat") == 4
    assert "failed" not in gangs.api.request("GET", job)["status"]


def test_pod_with_a_gate_is_not_bound_before_its_owner_opens_the_gate(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.submit("heat", 2)
    gangs.create_pods("heat", "a")
    gangs.create_pods("heat", "b", schedulingGates=[{"name": "example.com/hold"}])
    eventually(lambda: "1 of the 2" in gangs.condition("heat", "Planned").get("message", ""))

    arena.api.request("PATCH", f"{arena.core}/pods/b", {"spec": {"schedulingGates": None}})

    gangs.until("heat", "Placed")


def test_pods_with_different_priorities_are_refused_with_both_names(arena, gangs):
    arena.add_nodes(2, cpu="2")
    arena.create(priority_class("pod-gangs-high", 5))
    gangs.submit("heat", 2)
    gangs.create_pods("heat", "a")
    gangs.create_pods("heat", "b", priorityClassName="pod-gangs-high")

    says = gangs.until("heat", "Accepted", "False", "InvalidSpec")

    assert "pod a" in says["message"]
    assert "pod-gangs-high" in says["message"]
    arena.delete_pod("b")
    gangs.create_pods("heat", "c")
    gangs.until("heat", "Placed")


def test_pod_that_asks_for_what_cannot_be_planned_is_named(arena, gangs):
    arena.add_nodes(1)
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    gangs.submit("heat", 1)
    gangs.create_pods("heat", "odd", topologySpreadConstraints=[spread])

    says = gangs.until("heat", "Accepted", "False", "UnsupportedField")

    assert says["message"].startswith("pod odd.spec.topologySpreadConstraints[0]")


def test_deleted_gang_leaves_its_pods_alone(arena, gangs):
    arena.add_nodes(1, cpu="2")
    gangs.submit("heat", 2)
    gangs.create_pods("heat", "a", "b")
    gangs.until("heat", "Placed")
    before = [pod["metadata"]["uid"] for pod in gangs.pods("heat")]

    gangs.delete("heat")
    gangs.submit("heat", 1)
    gangs.until("heat", "Planned", "False", "AwaitsPods")

    assert [pod["metadata"]["uid"] for pod in gangs.pods("heat")] == before
    assert not any("deletionTimestamp" in pod["metadata"] for pod in gangs.pods("heat"))


@pytest.mark.search("gangs of pods that the next process goes on with")
def test_operator_that_is_killed_and_starts_again_binds_the_rest(arena, gangs, operator):
    arena.add_nodes(2, cpu="2")
    gangs.submit("heat", 4)
    operator.kill()
    gangs.create_job("heat", 4)
    operator.start()

    gangs.until("heat", "Placed")

    assert gangs.bound("heat") == 4


def is_replaced(places, before):
    """Whether four pods are on nodes, of which one is new."""
    return are_bound(places, 4) and len(places.keys() - before) == 1


def replace_one(arena, gangs):
    """Have a Gang of four placed, and the pod of rank 2 replaced."""
    arena.add_nodes(2, cpu="2")
    gangs.submit("heat", 4)
    gangs.create_job("heat", 4, backoffLimit=4)
    gangs.until("heat", "Placed")
    before = gangs.places("heat")
    arena.delete_pod(gangs.pods("heat")[2]["metadata"]["name"])
    eventually(lambda: is_replaced(gangs.places("heat"), before))


def test_replacement_has_the_rank_of_the_pod_that_it_replaces(arena, gangs):
    replace_one(arena, gangs)

    assert sorted(int(pod["metadata"]["annotations"][RANK]) for pod in gangs.pods("heat")) == [0, 1, 2, 3]


def test_status_shows_all_pods_after_one_was_replaced(arena, gangs):
    replace_one(arena, gangs)

    eventually(lambda: gangs.status("heat").get("size") == 4)


def test_gang_without_pods_is_not_blamed_for_what_they_request(arena, gangs):
    arena.add_nodes(1)
    gangs.submit("heat", 1)

    says = gangs.until("heat", "Accepted")["message"]

    assert "request no resources" not in says


def test_gang_whose_pods_run_does_not_wait_for_one_beyond_its_minimum(arena, gangs):
    arena.add_nodes(1, cpu="2")
    gangs.submit("heat", 2)
    gangs.create_pods("heat", "a", "b")
    gangs.until("heat", "Placed")

    gangs.create_pods("heat", "c")
    eventually(lambda: "0 fit" in gangs.condition("heat", "Planned")["message"])

    assert gangs.condition("heat", "Placed")["status"] == "True"


def test_gang_that_is_deleted_and_created_again_says_that_its_pods_run(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.submit("heat", 4)
    gangs.create_job("heat", 4)
    gangs.until("heat", "Placed")
    gangs.delete("heat")
    gangs.submit("heat", 4)

    says = gangs.until("heat", "Placed")

    assert says["message"] == "4 pods of the Gang are on nodes."
    assert (gangs.status("heat")["state"], gangs.status("heat")["size"]) == ("Running", 4)


def test_gang_job_gives_way_to_a_job_of_higher_priority(arena, gangs):
    arena.add_nodes(1, cpu="2")
    arena.create(priority_class(f"{arena.namespace}-urgent", 1000, policy="PreemptLowerPriority"))
    arena.submit(gang("patient", size=2))
    arena.until("patient", "Placed")

    template = gangs.template("", priorityClassName=f"{arena.namespace}-urgent")
    gangs.create_job("", 2, name="urgent", template=template)

    gangs.until("job.urgent", "Placed")
    assert gangs.bound("job.urgent") == 2
    eventually(lambda: "gang/job.urgent" in arena.condition("patient", "Preempted")["message"])
