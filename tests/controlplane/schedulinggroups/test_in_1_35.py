"""In Kubernetes 1.35 there are no PodGroups, but parts of a Workload, which Lockstep does not place."""

import pytest

from eventually import eventually

pytestmark = pytest.mark.usefixtures("operator")


def test_pods_of_a_workload_are_left_alone_and_others_are_placed(arena, gangs):
    arena.add_nodes(1, cpu="4")
    gangs.create_pods("", "part", workloadRef={"name": "heat", "podGroup": "workers"})

    gangs.create_pods("", "single")

    pods = f"{arena.core}/pods"
    eventually(lambda: arena.api.request("GET", f"{pods}/single")["spec"].get("nodeName"))
    assert "nodeName" not in arena.api.request("GET", f"{pods}/part")["spec"]


def test_source_of_pod_groups_does_no_harm_where_there_are_none(arena, gangs):
    arena.add_nodes(1, cpu="2")

    gangs.create_job("", 2, name="heat", completions=2)

    gangs.until("job.heat", "Placed")
    assert gangs.bound("job.heat") == 2
