"""Indexed Jobs that the operator has given a size get more pods, or fewer, while the others run."""

import pytest

from builders.manifests import gang
from eventually import eventually
from live.examples import apply_example

ELASTIC = {
    "lockstep.dev/size": "2-6",
    "lockstep.dev/elastic": "Members",
    "lockstep.dev/restart-time": "1s",
    "lockstep.dev/min-interval": "1s",
}
WITH_HOSTS = {"lockstep.dev/hosts": "ConfigMap"}

pytestmark = pytest.mark.usefixtures("operator")
# It may size Jobs.
SOURCES = "job,sizedjob"


def create_job(gangs, *, failures=0, **annotations):
    """Create a suspended Job that may have any size of the range, also while it runs, and so many ``failures``."""
    says = {"annotations": ELASTIC | annotations, "suspend": True, "backoffLimit": failures}
    gangs.create_job("", 1, name="heat", cpu="1", **says)


def until_size(gangs, size):
    """Wait until the Job has so many pods on nodes and its Gang says so; return where they are."""
    return gangs.until_size("job.heat", size)


def listed(gangs):
    """The rank and the node of each pod in the list of hosts."""
    data = gangs.api.request("GET", f"{gangs.arena.core}/configmaps/job.heat.hosts")["data"]
    return {int(rank): node for rank, _, node in map(str.split, data["members"].splitlines())}


def on_nodes(gangs):
    """The rank and the node of each pod."""
    pods = gangs.pods("job.heat")
    return {int(one["metadata"]["annotations"]["lockstep.dev/rank"]): one["spec"]["nodeName"] for one in pods}


def drain(gangs, node):
    """Close a node, and evict the Job's pods on it."""
    gangs.api.request("PATCH", f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}})
    for name in [one["metadata"]["name"] for one in gangs.pods("job.heat") if one["spec"]["nodeName"] == node]:
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
        gangs.api.request("POST", f"{gangs.arena.core}/pods/{name}/eviction", eviction)


def test_job_grows_into_a_new_node_and_gives_it_back(arena, gangs):
    arena.add_nodes(2, cpu="2")
    create_job(gangs, **WITH_HOSTS)
    first = until_size(gangs, 4)

    arena.add_nodes(1, cpu="2")
    grown = until_size(gangs, 6)
    assert first.items() <= grown.items()
    indexes = {one["metadata"]["annotations"]["lockstep.dev/rank"] for one in gangs.pods("job.heat")}
    assert indexes == {str(index) for index in range(6)}
    assert listed(gangs) == on_nodes(gangs)

    arena.submit(gang("waits", size=2, cpu="1"))
    arena.until_placed("waits")
    assert until_size(gangs, 4) == first
    job = gangs.api.request("GET", f"{gangs.jobs}/heat")
    assert listed(gangs) == on_nodes(gangs)
    assert job["status"].get("failed", 0) == 0
    assert job["metadata"]["annotations"]["lockstep.dev/sized"] == "4"


@pytest.mark.search("waits of a minute")
def test_job_whose_node_is_drained_goes_on_with_fewer_pods(arena, gangs):
    arena.add_nodes(2, cpu="2")
    # A Job counts pods that are evicted.
    create_job(gangs, failures=4, **WITH_HOSTS)
    until_size(gangs, 4)
    lost = on_nodes(gangs)[0]

    drain(gangs, lost)

    until_size(gangs, 2)
    found = on_nodes(gangs)
    assert found.keys() == {0, 1}
    assert lost not in found.values()
    eventually(lambda: listed(gangs) == on_nodes(gangs))
    assert gangs.api.request("GET", f"{gangs.jobs}/heat")["spec"]["completions"] == 2


@pytest.mark.search("gangs of pods that the next process goes on with")
def test_next_process_finishes_a_growth(arena, gangs, operator):
    arena.add_nodes(2, cpu="2")
    create_job(gangs)
    first = until_size(gangs, 4)
    arena.add_nodes(1, cpu="2")
    # A growth may be over before it is seen.
    eventually(lambda: "next" in (status := gangs.status("job.heat")) or status.get("size") == 6)
    operator.kill()
    operator.start()

    assert first.items() <= until_size(gangs, 6).items()


def test_job_whose_gang_is_made_anew_still_gives_back_what_it_has_grown_into(arena, gangs):
    arena.add_nodes(2, cpu="2")
    create_job(gangs)
    first = until_size(gangs, 4)
    arena.add_nodes(1, cpu="2")
    until_size(gangs, 6)
    gangs.delete("job.heat")
    assert first.items() <= until_size(gangs, 6).items()

    arena.submit(gang("waits", size=2, cpu="1"))
    arena.until_placed("waits")
    assert until_size(gangs, 4) == first


def test_example_grows(arena, gangs):
    arena.add_nodes(1, cpu="2")
    apply_example(arena, "elasticjob")
    first = until_size(gangs, 2)
    arena.add_nodes(1, cpu="4")

    assert first.items() <= until_size(gangs, 6).items()
