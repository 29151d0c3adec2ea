"""Pods for which room is made: gangs behind them leave it to them."""

import pytest

from coschedule.queue.problem.refusals import HeldByGangsInFront, Reason
from engine.builders import FOUR, NOW, decisions, gang, in_front, node, nodes_taken, only, release


@pytest.mark.parametrize(
    ("priority", "want_node"),
    [
        pytest.param(4, "n2", id="a less urgent gang"),
        pytest.param(5, "n2", id="an equally urgent gang"),
        pytest.param(6, "n1", id="a more urgent gang"),
    ],
)
def test_room_that_is_made_for_a_pod_is_left_to_it_by(priority, want_node):
    placement = only(FOUR, gang(priority=priority), nominated=[in_front(0, priority=5)])

    assert nodes_taken(placement) == ((want_node, 1),)


def test_gang_behind_a_more_urgent_one_leaves_room_to_pods_between_them():
    urgent, other = gang("urgent", priority=9), gang("other", priority=1)

    placed = decisions(FOUR[:3], urgent, other, nominated=[in_front(1, priority=5), in_front(2, priority=0)])

    assert (nodes_taken(placed["urgent"]), nodes_taken(placed["other"])) == ((("n1", 1),), (("n3", 1),))


def test_room_is_made_where_there_is_none_yet():
    refused = only([node("n1", free=0)], gang(), releases=[release(0, NOW + 5)], nominated=[in_front(0, priority=3)])

    assert refused.reason is Reason.HELD_BY_GANGS_IN_FRONT
    assert refused.refusal == HeldByGangsInFront(needed=1, nominated=True)
