"""What becomes of a gang when one of its members ends, goes, or is turned away."""

import pytest

from builders.manifests import gang
from eventually import eventually
from sandbox import KubectlError

pytestmark = pytest.mark.usefixtures("operator")


def test_gang_fails_with_its_member(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", run_for="1s", exit_code="1"))

    ended = arena.until("heat", "Failed", reason="MemberFailed")

    assert "container main exited with 1" in ended["message"]
    [event] = arena.until_events("heat", "GangFailed")
    assert event["type"] == "Warning"


def test_who_waits_for_success_does_not_take_a_failure_for_it(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", run_for="1s", exit_code="1"))
    wait = ("wait", "--namespace", arena.namespace, "gj/heat")

    assert "condition met" in arena.api.kubectl(*wait, "--for=condition=Failed", "--timeout=90s")
    with pytest.raises(KubectlError, match="timed out"):
        arena.api.kubectl(*wait, "--for=condition=Complete", "--timeout=1s")


def test_failed_member_has_the_others_stopped_and_all_stay_for_their_logs(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=3))
    arena.until_placed("heat")
    until_running(arena, "heat", 3)

    arena.patch_pod_status("heat-1-1", {"phase": "Failed", "containerStatuses": None})

    arena.until("heat", "Failed", reason="MemberFailed")
    eventually(lambda: [pod["status"]["phase"] for pod in arena.pods("heat")] == ["Failed"] * 3)


def test_members_of_a_failed_gang_are_deleted_when_they_were_kept_long_enough(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=3, failurePolicy={"keepMembers": "2s"}))
    arena.until_placed("heat")
    until_running(arena, "heat", 3)

    arena.patch_pod_status("heat-1-1", {"phase": "Failed", "containerStatuses": None})

    eventually(lambda: [pod["status"]["phase"] for pod in arena.pods("heat")] == ["Failed"] * 3)
    arena.until_no_pods("heat")


def test_failed_gang_gives_its_room_back(arena):
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("heat", run_for="1s", exit_code="1"))
    arena.until("heat", "Failed", reason="MemberFailed")

    arena.submit(gang("next"))

    arena.until_placed("next")


def test_gang_that_loses_a_member_is_planned_again(arena, pods_seen):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=3))
    arena.until_placed("heat")

    arena.delete_pod("heat-1-1")

    until_attempt_placed(arena, "heat", 2)
    assert [pod["metadata"]["name"] for pod in arena.pods("heat")] == ["heat-2-0", "heat-2-1", "heat-2-2"]
    assert len(pods_seen.uids("heat")) == 6


def test_lost_member_is_reported_before_the_gang_is_planned_again(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=3))
    arena.until_placed("heat")

    arena.delete_pod("heat-1-1")

    [event] = arena.until_events("heat", "PodLost")
    assert event["note"].startswith("Pod heat-1-1 ")


def test_member_turned_away_by_its_node_is_no_failure_of_the_gang(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat"))
    arena.until_placed("heat")

    arena.patch_pod_status("heat-1-0", {"phase": "Failed", "reason": "OutOfcpu", "message": "Node had no CPU left"})

    until_attempt_placed(arena, "heat", 2)
    [event] = arena.until_events("heat", "PodRejected")
    assert "heat-1-0" in event["note"]
    assert "OutOfcpu: Node had no CPU left" in event["note"]


def test_gang_that_a_node_turns_away_again_and_again_goes_elsewhere(arena):
    arena.add_nodes(2)
    arena.submit(gang("heat", size=1))
    tried = []
    for attempt in (1, 2):
        until_attempt_placed(arena, "heat", attempt)
        tried += arena.nodes_of("heat")
        arena.patch_pod_status(f"heat-{attempt}-0", {"phase": "Failed", "reason": "OutOfcpu", "message": "no CPU left"})

    until_attempt_placed(arena, "heat", 3)

    first, again = tried
    assert first == again
    assert arena.nodes_of("heat") != [first]
    notes = [event["note"] for event in arena.until_events("heat", "PodRejected")]
    assert any(f"Lockstep keeps the gang off {first} for 5 minutes" in note for note in notes), notes


def test_attempt_that_lost_a_member_never_mixes_with_the_next(arena, pods_seen):
    arena.add_nodes(1, cpu="3")
    arena.submit(gang("heat", size=3))
    arena.until_placed("heat")

    arena.delete_pod("heat-1-0")

    until_attempt_placed(arena, "heat", 2)
    for pods in pods_seen.history:
        assert len({pod.attempt for pod in pods.values()}) <= 1


def until_running(arena, gang_name, count):
    eventually(lambda: [pod["status"]["phase"] for pod in arena.pods(gang_name)] == ["Running"] * count)


def until_attempt_placed(arena, gang_name, attempt):
    """Wait until that attempt, and no earlier one, is placed."""
    eventually(lambda: arena.status(gang_name).get("attempt") == attempt)
    arena.until_placed(gang_name)
