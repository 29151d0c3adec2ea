"""A Gang that is bound in part: its owner is suspended until its pods are gone, and all of them are placed anew."""

import itertools
import json

import pytest

from eventually import eventually
from live.places import are_anew
from live.pod_gangs import SEAT
from live.proxy import Injected

MARK = "lockstep.dev/suspended-by"

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(suspending, behind_proxy):
    """An operator that may suspend owners and talks to the proxy; one for all tests of a file."""
    assert suspending
    with behind_proxy("pods,job") as process:
        yield process


def refuses_bindings_after(count):
    """That many bindings arrive; dry runs are not counted."""
    numbers = itertools.count(1)
    return lambda verb, resource: (
        Injected(403) if (verb, resource) == ("POST", "pods/binding") and next(numbers) > count else None
    )


def job(gangs, name="heat"):
    return gangs.api.request("GET", f"{gangs.jobs}/{name}")


def bind_in_part(arena, gangs, proxy, fault):
    """Two of the four pods of a Job are bound, as the fault has it; then the nodes of the others go."""
    proxy.fault = fault
    nodes = arena.add_nodes(4, cpu="1")
    gangs.create_job("", 4, name="heat")
    eventually(lambda: gangs.bound("job.heat") == 2)
    old = gangs.places("job.heat")
    for node in set(nodes) - set(old.values()):
        arena.api.request("DELETE", f"/api/v1/nodes/{node}")
        arena.nodes.remove(node)
    return old


def is_marked(gangs, name="heat"):
    return MARK in job(gangs, name)["metadata"].get("labels", {})


def refuses_to_resume(gangs):
    """As ``refuses_bindings_after`` two, and a Job that the operator has suspended stays so."""
    refuses = refuses_bindings_after(2)
    return lambda verb, resource: (
        Injected(422) if (verb, resource) == ("PATCH", "jobs") and is_marked(gangs) else refuses(verb, resource)
    )


def suspend_and_hold(arena, gangs, proxy):
    """The Job is suspended by the operator, all its pods are gone, and it can't be resumed."""
    bind_in_part(arena, gangs, proxy, refuses_to_resume(gangs))
    eventually(lambda: "can't resume it yet" in " ".join(notes(arena, "heat")))
    # The Job controller may create a pod that it had decided on before it saw the suspension. It deletes it then.
    eventually(lambda: not gangs.pods("job.heat"))


def notes(arena, name):
    """What events of a Job say."""
    return [event["note"] for event in arena.events(name) if event["regarding"]["kind"] == "Job"]


def set_suspend(gangs, *, to):
    """A user sets ``suspend``."""
    gangs.api.request("PATCH", f"{gangs.jobs}/heat", {"spec": {"suspend": to}})


def attempts(gangs, name):
    return {(pod["metadata"].get("annotations") or {}).get(SEAT, "//").split("/")[1] for pod in gangs.pods(name)}


def test_job_that_is_bound_in_part_is_suspended_and_placed_whole(arena, gangs, proxy):
    old = bind_in_part(arena, gangs, proxy, refuses_bindings_after(2))

    eventually(lambda: are_anew(gangs.places("job.heat"), old, 4))
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
    assert "Gang job.heat is bound only in part" in said["OwnerSuspended"]


def test_job_that_a_user_suspends_meanwhile_stays_suspended(arena, gangs, proxy):
    suspend_and_hold(arena, gangs, proxy)
    set_suspend(gangs, to=False)
    set_suspend(gangs, to=True)
    proxy.reset()

    eventually(lambda: not is_marked(gangs))
    assert job(gangs)["spec"]["suspend"] is True


def test_job_that_a_user_applies_as_suspended_meanwhile_stays_suspended(arena, gangs, proxy):
    suspend_and_hold(arena, gangs, proxy)
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "heat", "namespace": arena.namespace},
        "spec": {"suspend": True},
    }
    arena.api.kubectl("apply", "--server-side", "--filename=-", stdin=json.dumps(manifest))
    proxy.reset()

    eventually(lambda: not is_marked(gangs))
    assert job(gangs)["spec"]["suspend"] is True


def test_job_that_a_user_resumes_meanwhile_is_placed(arena, gangs, proxy):
    suspend_and_hold(arena, gangs, proxy)
    set_suspend(gangs, to=False)
    arena.add_nodes(2, cpu="1")
    proxy.reset()

    eventually(lambda: gangs.bound("job.heat") == 4)
    gangs.until("job.heat", "Placed")
    eventually(lambda: not is_marked(gangs))


def test_copy_of_a_suspended_job_is_left_alone_by_the_next_process(arena, gangs, proxy, operator):
    suspend_and_hold(arena, gangs, proxy)
    found = job(gangs)
    marks = {key: found["metadata"][key] for key in ("labels", "annotations")}
    copy = {"parallelism": 4, "completions": 4, "suspend": True, "template": gangs.template("")}
    gangs.api.request("POST", gangs.jobs, {"metadata": {"name": "copy", **marks}, "spec": copy})
    operator.kill()
    proxy.reset()
    operator.launch()
    arena.add_nodes(2, cpu="1")

    eventually(lambda: gangs.bound("job.heat") == 4)
    assert job(gangs, "copy")["spec"]["suspend"] is True
    assert is_marked(gangs, "copy")


def test_gang_holds_no_node_while_its_job_cannot_be_resumed(arena, gangs, proxy):
    suspend_and_hold(arena, gangs, proxy)
    eventually(lambda: "reservedAt" not in gangs.status("job.heat"))

    found = gangs.until("job.heat", "Planned", "False", "AwaitsPods")
    assert found["message"] == "No pod of the Gang waits for a node. It needs 4 together."
