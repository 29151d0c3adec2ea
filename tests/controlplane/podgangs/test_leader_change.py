"""Another operator leads in the middle of a suspension: it resumes the Job, whose pods are placed whole."""

import pytest

from eventually import eventually
from live.electorate import Voter, until_one_leads
from live.pod_gangs import SEAT
from live.proxy import Injected
from lockstep_demo.operator_process import OperatorProcess

MARK = "lockstep.dev/suspended-by"


@pytest.fixture
def voters(suspending, proxy, tmp_path):
    """Two operators that may suspend owners, one of which leads; both talk to the proxy."""
    assert suspending
    voters = [Voter(proxy.kubeconfig, tmp_path, "--sources=job") for _ in range(2)]
    yield voters
    proxy.reset()
    for voter in voters:
        voter.process.end()


def job(gangs):
    return gangs.api.request("GET", f"{gangs.jobs}/heat")


def is_marked(gangs):
    return MARK in job(gangs)["metadata"].get("labels", {})


def binds_two_and_never_resumes(gangs):
    """Two bindings arrive, and a Job that has our mark stays suspended."""
    bound = []

    def fault(verb, resource):
        if (verb, resource) == ("POST", "pods/binding"):
            bound.append(resource)
            return Injected(403) if len(bound) > 2 else None
        return Injected(422) if (verb, resource) == ("PATCH", "jobs") and is_marked(gangs) else None

    return fault


def lose_nodes_without_pods(arena, gangs):
    for node in {*arena.nodes} - {*gangs.nodes_of("job.heat")}:
        arena.api.request("DELETE", f"/api/v1/nodes/{node}")
        arena.nodes.remove(node)


@pytest.mark.parametrize("end", [OperatorProcess.kill, OperatorProcess.stop], ids=["is killed", "hands over"])
def test_job_that_a_leader_has_suspended_is_resumed_by_the_next(arena, gangs, proxy, voters, end):
    leader = until_one_leads(voters)
    [other] = [voter for voter in voters if voter is not leader]
    proxy.fault = binds_two_and_never_resumes(gangs)
    arena.add_nodes(4, cpu="1")
    gangs.create_job("", 4, name="heat")
    eventually(lambda: gangs.bound("job.heat") == 2)
    old = {pod["metadata"]["uid"] for pod in gangs.pods("job.heat")}
    lose_nodes_without_pods(arena, gangs)
    eventually(lambda: is_marked(gangs) and not gangs.pods("job.heat"))

    end(leader.process)
    assert until_one_leads([other]) is other
    assert is_marked(gangs)
    proxy.reset()
    arena.add_nodes(2, cpu="1")

    eventually(lambda: not is_marked(gangs) and gangs.bound("job.heat") == 4)
    gangs.until("job.heat", "Placed")
    pods = gangs.pods("job.heat")
    assert not old & {pod["metadata"]["uid"] for pod in pods}
    assert len({pod["metadata"]["annotations"][SEAT].split("/")[1] for pod in pods}) == 1
    assert job(gangs)["status"].get("failed", 0) == 0
