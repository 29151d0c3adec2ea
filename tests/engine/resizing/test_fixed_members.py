"""Members of an elastic gang whose number never changes: they keep their nodes, and bound its pace and its end."""

from collections import Counter
from dataclasses import replace

import pytest

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.nodes import Release
from coschedule.resizing.gangs.sized_run import FixedMembers, SeatKind
from coschedule.resizing.resize import resize
from engine.builders import FOUR, NOW, gang, node, snapshot
from engine.resizing.four_nodes import elastic, planned, sizes


def with_launcher(run, node_index, *, is_work=False, **constraints):
    """Give a run a fixed member on a node, which takes two of the three slots there."""
    return replace(run, fixed=(FixedMembers(SeatKind(Constraints(**constraints), (2,)), (node_index,), is_work),))


def beside_launcher(run, *gangs, launcher_node=None):
    """Resize on four nodes of one slot, of which the run holds some, and a node of three slots for its launcher."""
    free = [node(one["name"], free=int(index not in run.nodes)) for index, one in enumerate(FOUR)]
    free.append(node("n5", **{"free": 1, **(launcher_node or {})}))
    held = [*((index, (1,)) for index in run.nodes), (4, (2,))]
    releases = [Release(node=index, request=request, time=run.end) for index, request in held]
    return resize(snapshot(free, gangs, releases=releases), [run], {})


def test_a_fixed_member_keeps_its_node_and_its_room_comes_back_when_the_gang_ends():
    result = beside_launcher(with_launcher(elastic(0, 1, most=5), 4))

    [change] = result.sizes.changes
    assert change.nodes == (0, 1, 2, 3, 4)
    assert (change.size_before, change.size_after) == (3, 6)
    assert result.after.free.sum() == 0
    comes_back = Counter({(one.node, one.request, one.time) for one in result.after.releases})
    assert comes_back == Counter([*((index, (1,), change.end) for index in range(5)), (4, (2,), change.end)])


def test_a_gang_that_waits_for_the_room_of_a_fixed_member_is_planned_for_the_new_end():
    large = gang("large", size=1, request=(2,), created=NOW)

    result = beside_launcher(with_launcher(elastic(0, 1), 4), large)

    [change] = result.sizes.changes
    assert change.end < change.end_before
    assert planned(result) == {"large": change.end}


@pytest.mark.parametrize(
    ("launcher_node", "constraints", "want"),
    [
        pytest.param({}, {}, {"run": 4}, id="open"),
        pytest.param({"start": NOW + 3600}, {}, {}, id="not open yet"),
        pytest.param({"until": NOW + 20_119.0}, {}, {}, id="closes before the gang would end"),
        pytest.param({"until": NOW + 20_120.0}, {}, {"run": 4}, id="closes when the gang would have ended"),
        pytest.param({"free": -1}, {}, {}, id="overcommitted"),
        pytest.param({}, {"node_selector": (("pool", "a"),)}, {}, id="fails its constraints"),
    ],
)
def test_a_gang_keeps_its_size_while_the_node_of_a_fixed_member_does_not_take_it_again(
    launcher_node, constraints, want
):
    run = with_launcher(elastic(0, 1, least=2), 4, **constraints)

    assert sizes(beside_launcher(run, launcher_node=launcher_node)) == want


@pytest.mark.parametrize(
    ("is_work", "pace", "end"),
    [
        pytest.param(False, 2.0, 80_000 / 4, id="that does not work"),
        pytest.param(True, 1.0, 80_000 / 5, id="that works"),
        pytest.param(True, 2.0, 2 * 80_000 / 5, id="that works on a slow node"),
    ],
)
def test_a_gang_ends_as_its_members_and_its_fixed_one_work(is_work, pace, end):
    run = with_launcher(elastic(0, 1), 4, is_work=is_work)
    run = replace(run, end=NOW + (2 * 80_000 / 3 if is_work and pace == 2.0 else 40_000))

    [change] = beside_launcher(run, launcher_node={"slowdown": pace, "free": 0}).sizes.changes

    assert (len(change.nodes), change.end) == (4, NOW + 120 + end)
