"""For how long a gang is kept off nodes on which its attempts have failed."""

import pytest

from lockstep.belief.failed_nodes import AVOID_SECONDS, FailedNodes, Trouble


@pytest.fixture
def failed():
    changes = []
    made = FailedNodes(lambda: changes.append(1))
    made.changes = changes
    return made


def test_node_without_volumes_is_avoided_at_once(failed):
    failed.note_without_volumes("g", ["n1"], 0.0)

    assert failed.of("g", Trouble.VOLUMES) == {"n1"}
    assert failed.of("g", Trouble.TURNED_AWAY) == failed.of("h", Trouble.VOLUMES) == set()


def test_node_that_turns_a_gang_away_is_avoided_from_the_second_time_on(failed):
    assert failed.note_turned_away("g", {"n1", "n2"}, 0.0) == []
    assert failed.of("g", Trouble.TURNED_AWAY) == set()

    assert failed.note_turned_away("g", {"n2", "n3"}, AVOID_SECONDS - 1) == ["n2"]
    assert failed.of("g", Trouble.TURNED_AWAY) == {"n2"}
    assert failed.next_end() == 2 * AVOID_SECONDS - 1


def test_node_that_turns_a_gang_away_now_and_then_is_not_avoided(failed):
    for number in range(3):
        assert failed.note_turned_away("g", ["n1"], number * AVOID_SECONDS) == []


def test_what_a_gang_met_is_forgotten_with_it_and_in_time(failed):
    for uid in ("g", "h"):
        failed.note_turned_away(uid, ["n1"], 0.0)
        failed.note_turned_away(uid, ["n1"], 1.0)
    failed.forget("g")
    assert failed.of("g", Trouble.TURNED_AWAY) == set()
    assert failed.note_turned_away("g", ["n1"], 2.0) == []

    failed.expire(AVOID_SECONDS)
    assert (failed.of("h", Trouble.TURNED_AWAY), failed.changes) == ({"n1"}, [])
    failed.expire(AVOID_SECONDS + 1)
    assert (failed.of("h", Trouble.TURNED_AWAY), failed.changes) == (set(), [1])
    assert failed.next_end() == float("inf")
