"""An operator with the source single alone: pods of other sources wait, and bindings meet trouble."""

import pytest

from builders.manifests import member_container
from eventually import eventually
from live.proxy import Injected
from live.workloads import Workloads

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
APART = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {}}

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(sources, behind_proxy):
    """An operator that talks to the proxy; one for all tests of a file."""
    assert sources
    with behind_proxy("single") as process:
        yield process


def test_pods_of_a_job_are_not_placed_one_by_one_where_jobs_are_no_source(arena, gangs):
    arena.add_nodes(1, cpu="4")
    gangs.create_job("", 2, name="heat")
    eventually(lambda: len(gangs.pods("job.heat")) == 2)
    gangs.create_pods("", "later")

    gangs.until("single.later", "Placed")

    assert gangs.nodes_of("job.heat") == ["", ""]


def test_pod_that_is_deleted_before_its_binding_leaves_nothing_behind(arena, gangs, proxy):
    def delete(_verb, resource):
        if resource == "pods/binding":
            gangs.api.request("DELETE", f"{arena.core}/pods/short?gracePeriodSeconds=0")
            proxy.reset()

    arena.add_nodes(1, cpu="1")
    proxy.fault = delete
    gangs.create_pods("", "short")
    eventually(lambda: not gangs.pods("single.short"))

    gangs.create_pods("", "next")

    gangs.until("single.next", "Placed")
    eventually(lambda: Workloads(gangs).made() == {"single.next"})


def test_bindings_without_an_answer_are_sent_until_the_pod_is_bound(arena, gangs, proxy):
    sent = []

    def fault(_verb, resource):
        if resource != "pods/binding" or len(sent) >= 3:
            return None
        sent.append(resource)
        return Injected(0, is_lost=len(sent) == 1)

    proxy.fault = fault
    arena.add_nodes(1, cpu="1")
    gangs.create_pods("", "web")

    gangs.until("single.web", "Placed")

    assert len(sent) == 3
    assert gangs.bound("single.web") == 1


def test_process_that_ends_between_reservation_and_binding_leaves_the_pod_to_the_next(arena, gangs, proxy, operator):
    proxy.fault = lambda _verb, resource: Injected(0) if resource == "pods/binding" else None
    arena.add_nodes(2, cpu="1")
    gangs.create_pods("", "web")
    eventually(lambda: "reservedAt" in gangs.status("single.web"))
    operator.kill()
    proxy.reset()

    operator.start()

    gangs.until("single.web", "Placed")
    assert gangs.status("single.web")["attempt"] == 1


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"containers": [{"name": "main", "image": "work:1"}]}, id="no requests"),
        pytest.param({"initContainers": [{**member_container("2"), "name": "first"}]}, id="a larger init container"),
        pytest.param({"hostNetwork": True}, id="the network of the node"),
        pytest.param({"priorityClassName": "system-node-critical"}, id="a priority class of the system"),
        pytest.param({"affinity": {"podAntiAffinity": {REQUIRED: [APART]}}}, id="alone on its node"),
        pytest.param({"activeDeadlineSeconds": 3600}, id="a deadline"),
    ],
)
def test_legal_pod_is_placed(arena, gangs, spec):
    arena.add_nodes(1, cpu="4")
    gangs.create_pods("", "odd", **spec)

    gangs.until("single.odd", "Placed")
