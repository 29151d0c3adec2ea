"""Another operator leads in the middle of a suspension: it resumes the Job, whose pods are placed whole."""

import pytest

from live.bound_in_part import GANG, create_bound_in_part, have_it_suspended, is_marked, until_placed_whole
from live.electorate import Voter, until_one_leads
from lockstep_demo.operator_process import OperatorProcess


@pytest.fixture
def voters(suspending, proxy, tmp_path):
    """Two operators that may suspend owners, one of which leads; both talk to the proxy."""
    assert suspending
    voters = [Voter(proxy.kubeconfig, tmp_path, "--sources=job") for _ in range(2)]
    yield voters
    proxy.reset()
    for voter in voters:
        voter.process.end()


@pytest.mark.parametrize("end", [OperatorProcess.kill, OperatorProcess.stop], ids=["is killed", "hands over"])
def test_job_that_a_leader_has_suspended_is_resumed_by_the_next(arena, gangs, proxy, voters, end):
    leader = until_one_leads(voters)
    [other] = [voter for voter in voters if voter is not leader]
    create_bound_in_part(arena, gangs, proxy)
    old = {pod["metadata"]["uid"] for pod in gangs.pods(GANG)}
    have_it_suspended(arena, gangs)

    end(leader.process)
    assert until_one_leads([other]) is other
    assert is_marked(gangs)
    proxy.reset()
    arena.add_nodes(2, cpu="1")

    until_placed_whole(gangs)
    assert not old & {pod["metadata"]["uid"] for pod in gangs.pods(GANG)}
