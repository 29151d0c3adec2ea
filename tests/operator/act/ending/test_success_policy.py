"""When a gang has succeeded: by all of its members, or by those of one role."""

import pytest

from builders.facts import member_fact, reservation
from lockstep.act.ending.success_policy import has_succeeded
from lockstep.act.requests.progress import progress
from lockstep.facts.gang.policies import Policies
from lockstep.facts.pods.pod import PodPhase
from lockstep.facts.ranks import ranks_from

HELD = reservation("g", members=(("n1", 1, None, "launcher"), ("n1", 2, None, "worker")))
RUNNING, SUCCEEDED, FAILED = PodPhase.RUNNING, PodPhase.SUCCEEDED, PodPhase.FAILED


def is_over(role, *phases, remembered=0):
    pods = [member_fact("g", rank=rank, node="n1", phase=phase) for rank, phase in enumerate(phases)]
    counts = progress(HELD, {pod.key: pod for pod in pods}, {}, succeeded_ranks=remembered)
    return has_succeeded(Policies(success_role=role), counts, HELD)


@pytest.mark.parametrize(
    ("role", "phases", "want"),
    [
        pytest.param(None, (SUCCEEDED, SUCCEEDED, SUCCEEDED), True, id="all members have"),
        pytest.param(None, (SUCCEEDED, SUCCEEDED, RUNNING), False, id="one still runs"),
        pytest.param("launcher", (SUCCEEDED, RUNNING, RUNNING), True, id="the launcher has"),
        pytest.param("launcher", (SUCCEEDED, FAILED, RUNNING), True, id="a worker failed as the launcher left"),
        pytest.param("launcher", (RUNNING, SUCCEEDED, SUCCEEDED), False, id="only the others have"),
        pytest.param("worker", (RUNNING, SUCCEEDED, SUCCEEDED), True, id="all workers have"),
        pytest.param("worker", (SUCCEEDED, SUCCEEDED, RUNNING), False, id="one worker has"),
        pytest.param("empty", (SUCCEEDED, SUCCEEDED, SUCCEEDED), False, id="a role without members"),
    ],
)
def test_gang_has_succeeded(role, phases, want):
    assert is_over(role, *phases) is want


def test_member_that_is_remembered_counts_though_its_pod_is_gone():
    assert is_over("launcher", remembered=ranks_from([0]))
