"""How far the members of a reservation are, counted from pods."""

import pytest

from builders.facts import member_fact, reservation
from lockstep.act.requests.progress import progress
from lockstep.facts.pods.failure import LostOn
from lockstep.facts.pods.pod import PodPhase
from lockstep.facts.pods.pod_outcome import PodOutcome
from lockstep.facts.reasons import Reason

RUNNING, SUCCEEDED, FAILED = PodPhase.RUNNING, PodPhase.SUCCEEDED, PodPhase.FAILED
HELD = reservation("g", members=(("n1", 2),))


def member(rank=0, **more):
    return member_fact("g", rank=rank, **{"node": "n1", **more})


def counted(*there, gone=()):
    return progress(HELD, {pod.key: pod for pod in there}, {pod.key: pod for pod in gone})


@pytest.mark.parametrize(
    ("pods", "want"),
    [
        pytest.param([], (0, 0, 0, 2), id="none is there"),
        pytest.param([member(0, node=""), member(1, node="")], (0, 0, 0, 0), id="none is bound"),
        pytest.param([member(0), member(1, node="")], (1, 0, 0, 0), id="one is bound"),
        pytest.param([member(0, phase=RUNNING), member(1)], (2, 1, 0, 0), id="one runs"),
        pytest.param([member(0, phase=SUCCEEDED), member(1, phase=RUNNING)], (2, 2, 1, 0), id="one has succeeded"),
        pytest.param([member(0, phase=SUCCEEDED), member(1, phase=SUCCEEDED)], (2, 2, 2, 0), id="all have succeeded"),
    ],
)
def test_counts(pods, want):
    counts = counted(*pods)

    assert (counts.bound, counts.running, counts.succeeded, counts.unseen) == want
    assert (counts.is_bound, counts.is_running, counts.has_succeeded) == tuple(count == 2 for count in want[:3])
    assert (counts.losses, counts.disrupted) == ([], None)


def test_pod_of_another_attempt_does_not_count():
    other = member_fact("g", attempt=2, node="n1")

    assert counted(other).unseen == 2


def test_pod_that_succeeded_and_was_cleaned_up_has_succeeded():
    counts = counted(member(0, phase=SUCCEEDED), gone=[member(1, phase=SUCCEEDED)])

    assert counts.has_succeeded
    assert counts.disrupted is None


@pytest.mark.parametrize(
    ("counts", "want"),
    [
        pytest.param(counted(member(0, deleting=True)), "pod g-1-0 is being deleted before its end", id="deleting"),
        pytest.param(counted(gone=[member(0, phase=RUNNING)]), "pod g-1-0 was deleted before its end", id="gone"),
    ],
)
def test_deleted_member_is_lost(counts, want):
    assert (counts.disrupted.reason, counts.disrupted.message) == (Reason.POD_LOST, want)
    assert not counts.is_bound


def test_member_turned_away_is_rejected():
    because = "OutOfcpu: Pod was rejected: no room"
    counts = counted(
        member(0, phase=FAILED, outcome=PodOutcome.REJECTED, because=because, rejected_for="OutOfcpu"),
        member(1, phase=RUNNING),
    )

    assert counts.disrupted.reason is Reason.POD_REJECTED
    assert counts.disrupted.message == f"pod g-1-0 on node n1 was rejected: {because}"
    assert counts.disrupted.lost_on == {LostOn("n1", PodOutcome.REJECTED, "OutOfcpu", because)}
    assert [loss.is_own_failure for loss in counts.losses] == [False]


@pytest.mark.parametrize("phase", [FAILED, SUCCEEDED])
def test_member_that_the_cluster_ended_is_lost_however_it_ended(phase):
    counts = counted(member(0, phase=phase, outcome=PodOutcome.DISRUPTED, because="Evicted: no memory"), member(1))

    assert counts.disrupted.reason is Reason.POD_REJECTED
    assert counts.disrupted.message == "pod g-1-0 on node n1 was ended by Kubernetes: Evicted: no memory"
    assert counts.disrupted.lost_on == {LostOn("n1", PodOutcome.DISRUPTED)}
    assert (counts.succeeded, counts.losses[0].is_own_failure) == (0, False)


@pytest.mark.parametrize("gone", [False, True])
def test_member_that_was_deleted_before_it_ended_is_lost_whatever_its_phase(gone):
    pod = member(0, phase=SUCCEEDED, deleting=True, outcome=PodOutcome.DELETED)
    counts = counted(gone=[pod]) if gone else counted(pod)

    assert counts.disrupted.reason is Reason.POD_LOST
    assert counts.disrupted.lost_on == {LostOn("n1", PodOutcome.DELETED)}
    assert (counts.succeeded, counts.is_bound) == (0, False)


def test_member_that_is_remembered_to_have_succeeded_has_whatever_its_pod_shows():
    pod = member(0, phase=SUCCEEDED, deleting=True, outcome=PodOutcome.DELETED)
    counts = progress(HELD, {pod.key: pod}, {}, succeeded_ranks=0b01)

    assert (counts.succeeded, counts.disrupted) == (1, None)


@pytest.mark.parametrize("gone", [False, True])
def test_member_that_failed_by_itself_has_failed(gone):
    pod = member(0, phase=FAILED, because="container main exited with 3")
    counts = counted(gone=[pod]) if gone else counted(pod)

    [loss] = counts.losses
    assert (loss.rank, loss.why) == (0, "pod g-1-0 failed: container main exited with 3")
    assert loss.is_own_failure
    assert counts.disrupted is None


def test_member_that_ended_before_it_was_deleted_is_not_lost():
    pod = member(0, phase=SUCCEEDED, deleting=True, outcome=PodOutcome.SUCCEEDED)
    counts = counted(pod, member(1, phase=SUCCEEDED))

    assert counts.has_succeeded
