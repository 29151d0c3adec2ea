"""Gangs whose members fail, whose end is long past, and whose size is changed: as users see them."""

import pytest

from builders.manifests import failed_status, gang
from eventually import eventually
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.usefixtures("operator")


def test_member_that_fails_restarts_its_gang(arena, pods_seen):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=4, failurePolicy={"maxRestarts": 1, "backoff": "1s"}))
    eventually(lambda: "startedAt" in arena.status("heat"))

    arena.patch_pod_status("heat-1-2", failed_status(3))

    eventually(lambda: arena.status("heat")["attempt"] == 2)
    arena.until_placed("heat")
    assert arena.status("heat")["restarts"] == 1
    for pods in pods_seen.history:
        assert len({pod.attempt for pod in pods.values()}) <= 1
    eventually(lambda: "startedAt" in arena.status("heat"))
    arena.patch_pod_status("heat-2-0", failed_status(3))
    arena.until("heat", "Failed", reason="ReachedMaxRestarts")
    arena.until_events("heat", "GangRestarting", "GangFailed")


def test_member_that_fails_by_an_ignored_exit_code_costs_no_restart(arena):
    rules = [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [3], "containerName": "main"}}]
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=4, failurePolicy={"backoff": "1s", "rules": rules}))
    eventually(lambda: "startedAt" in arena.status("heat"))

    arena.patch_pod_status("heat-1-2", failed_status(3))

    eventually(lambda: arena.status("heat")["attempt"] == 2)
    assert "restarts" not in arena.status("heat")


def test_member_that_fails_while_others_have_finished_restarts_them_too(arena):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=4, run_for="1s", exit_code="3", failurePolicy={"maxRestarts": 1, "backoff": "1s"}))

    arena.until("heat", "Failed", reason="ReachedMaxRestarts")

    assert arena.status("heat")["attempt"] == 2


@pytest.mark.parametrize("exit_code", ["0", "3"], ids=["well", "badly"])
def test_gang_that_has_ended_is_deleted_in_time(arena, exit_code):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=4, run_for="300ms", exit_code=exit_code, ttlSecondsAfterFinished=1))

    eventually(lambda: arena.is_gone("heat"))
    arena.until_no_pods("heat")


def test_size_of_a_suspended_gang_is_changed_and_obeyed(arena):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=4, suspend=True))
    arena.until("heat", "Suspended")

    arena.change_gang("heat", suspend=False, size={"min": 2, "max": 2})

    arena.until_placed("heat")
    assert len(arena.pods("heat")) == 2


def test_size_of_a_gang_that_waits_is_changed_and_obeyed(arena):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=5))
    arena.until("heat", "Placed", "False", "NotEnoughRoom")

    arena.change_gang("heat", size={"min": 4, "max": 4})

    arena.until_placed("heat")
    assert len(arena.pods("heat")) == 4


def test_work_that_is_done_is_not_planned_again(arena):
    arena.add_nodes(1, cpu="4")
    arena.submit(gang("heat", size=4, work={"serialTime": "4000s"}, failurePolicy={"maxRestarts": 1, "backoff": "1s"}))
    eventually(lambda: "startedAt" in arena.status("heat"))
    arena.patch_pod("heat-1-0", annotations={"lockstep.dev/progress": "0.5"})

    arena.patch_pod_status("heat-1-2", failed_status(3))

    eventually(lambda: arena.status("heat")["attempt"] == 2)
    assert arena.status("heat")["progress"] == "0.5"
    status = arena.status("heat")
    # A quarter of 4000 s each, and half of that is left.
    assert epoch_seconds(status["expectedFinish"]) - epoch_seconds(status["start"]) == 500
