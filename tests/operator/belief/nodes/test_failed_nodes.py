"""For how long a gang is kept off nodes on which its attempts have failed."""

import pytest

from lockstep.belief.nodes.failed_nodes import AVOID_SECONDS, FailedNodes, NodeFailure
from lockstep.facts.pods.failure import LostOn
from lockstep.facts.pods.pod_outcome import PodOutcome


@pytest.fixture
def failed():
    changes = []
    made = FailedNodes(lambda: changes.append(1))
    made.changes = changes
    return made


def test_node_without_volumes_is_avoided_at_once(failed):
    failed.record_without_volumes("g", ["n1"], 0.0)

    assert failed.of("g", NodeFailure.VOLUMES) == {"n1"}
    assert failed.of("g", NodeFailure.TURNED_AWAY) == failed.of("h", NodeFailure.VOLUMES) == set()


def test_node_where_members_could_not_join_is_avoided_when_the_gang_grows_again(failed):
    failed.record_not_joined("g", ["n1"], 600.0)

    assert failed.of("g", NodeFailure.NOT_JOINED) == {"n1"}
    assert failed.next_end() == 600 + AVOID_SECONDS


@pytest.mark.parametrize(
    ("outcome", "trouble"),
    [
        (PodOutcome.REJECTED, NodeFailure.TURNED_AWAY),
        (PodOutcome.DISRUPTED, NodeFailure.TURNED_AWAY),
        (PodOutcome.DELETED, NodeFailure.DELETED),
    ],
)
def test_node_from_which_members_are_lost_is_avoided_from_the_second_attempt_on(failed, outcome, trouble):
    assert lose(failed, 1, "n1", "n2", outcome=outcome) == []
    assert failed.of("g", trouble) == set()

    assert lose(failed, 2, "n2", "n3", outcome=outcome, now=AVOID_SECONDS - 1) == ["n2"]
    assert failed.of("g", trouble) == {"n2"}
    assert failed.next_end() == 2 * AVOID_SECONDS - 1


def test_what_is_said_of_one_attempt_again_changes_nothing(failed):
    lose(failed, 1, "n1")

    assert lose(failed, 1, "n1", now=1.0) == []
    assert failed.of("g", NodeFailure.TURNED_AWAY) == set()


def test_losses_of_different_kinds_are_counted_apart(failed):
    lose(failed, 1, "n1", outcome=PodOutcome.REJECTED)

    assert lose(failed, 2, "n1", outcome=PodOutcome.DELETED) == []


def test_node_that_turns_a_gang_away_now_and_then_is_not_avoided(failed):
    for number in range(3):
        assert lose(failed, number, "n1", now=number * AVOID_SECONDS) == []


def test_what_a_gang_met_is_forgotten_with_it_and_in_time(failed):
    for gang in ("g", "h"):
        lose(failed, 1, "n1", gang=gang)
        lose(failed, 2, "n1", gang=gang, now=1.0)
    failed.forget("g")
    assert failed.of("g", NodeFailure.TURNED_AWAY) == set()
    assert lose(failed, 3, "n1", now=2.0) == []

    failed.expire(AVOID_SECONDS)
    assert (failed.of("h", NodeFailure.TURNED_AWAY), failed.changes) == ({"n1"}, [])
    failed.expire(AVOID_SECONDS + 1)
    assert (failed.of("h", NodeFailure.TURNED_AWAY), failed.changes) == (set(), [1])
    assert failed.next_end() == float("inf")


def lose(failed, attempt, *nodes, gang="g", outcome=PodOutcome.REJECTED, now=0.0):
    """Lose a member on each of these nodes."""
    return failed.record_lost(gang, attempt, [LostOn(node, outcome) for node in nodes], now)


def test_failures_from_before_the_clock_was_set_back_are_forgotten(failed):
    failed.record_without_volumes("g", ["n1"], 86_400.0)
    failed.record_not_joined("g", ["n2"], 86_400.0)
    lose(failed, 1, "n3", now=86_400.0)
    failed.expire(0.0)

    assert failed.of("g", NodeFailure.VOLUMES) == set()
    assert failed.of("g", NodeFailure.NOT_JOINED) == {"n2"}
    assert lose(failed, 2, "n3", now=10.0) == []
    assert failed.changes == [1]
