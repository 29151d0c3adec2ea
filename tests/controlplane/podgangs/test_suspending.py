"""A Gang that is bound in part: its owner is suspended until its pods are gone, and all of them are placed anew."""

import itertools

import pytest

from eventually import eventually
from live.pod_gangs import SEAT
from live.proxy import Injected
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running

MARK = "lockstep.dev/suspended-by"

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(suspending, proxy, tmp_path_factory):
    """An operator that may suspend owners and talks to the proxy; one for all tests of a file."""
    assert suspending
    log = tmp_path_factory.mktemp("operator") / "log"
    with running(OperatorProcess(proxy.kubeconfig, log, "--sources=pods,job", spawn=Forked)) as process:
        yield process


@pytest.fixture(autouse=True)
def undisturbed(proxy):
    """Disturb nothing after the test."""
    yield
    proxy.reset()


def refuses_bindings_after(count):
    """That many bindings arrive; dry runs are not counted."""
    numbers = itertools.count(1)
    return lambda verb, resource: (
        Injected(403) if (verb, resource) == ("POST", "pods/binding") and next(numbers) > count else None
    )


def job(gangs, name="heat"):
    return gangs.api.request("GET", f"{gangs.jobs}/{name}")


def bind_in_part(arena, gangs, proxy, name="heat"):
    """Two of the four pods of a Job are bound; then the nodes of the others go."""
    proxy.fault = refuses_bindings_after(2)
    nodes = arena.add_nodes(4, cpu="1")
    gangs.create_job("", 4, name=name)
    eventually(lambda: gangs.bound(f"job.{name}") == 2)
    old = {pod["metadata"]["uid"] for pod in gangs.pods(f"job.{name}")}
    for node in set(nodes) - set(gangs.nodes_of(f"job.{name}")):
        arena.api.request("DELETE", f"/api/v1/nodes/{node}")
        arena.nodes.remove(node)
    return old


def attempts(gangs, name):
    return {(pod["metadata"].get("annotations") or {}).get(SEAT, "//").split("/")[1] for pod in gangs.pods(name)}


def test_job_that_is_bound_in_part_is_suspended_and_placed_whole(arena, gangs, proxy):
    old = bind_in_part(arena, gangs, proxy)

    eventually(
        lambda: len(gangs.pods("job.heat")) == 4 and not old & {p["metadata"]["uid"] for p in gangs.pods("job.heat")}
    )
    assert gangs.bound("job.heat") == 0
    proxy.reset()
    arena.add_nodes(2, cpu="1")
    eventually(lambda: gangs.bound("job.heat") == 4)

    gangs.until("job.heat", "Placed")
    assert len(attempts(gangs, "job.heat")) == 1
    found = job(gangs)
    assert found["spec"]["suspend"] is False
    assert MARK not in found["metadata"].get("labels", {})
    assert found["status"].get("failed", 0) == 0
    said = {event["reason"]: event["note"] for event in arena.events("heat") if event["regarding"]["kind"] == "Job"}
    assert "Gang job.heat was bound in part" in said["OwnerSuspended"]
