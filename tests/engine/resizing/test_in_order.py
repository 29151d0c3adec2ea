"""Members that leave in order: those on the last nodes leave first, whatever their pace."""

import math
from dataclasses import replace

import pytest

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import ChangeTerms
from coschedule.resizing.open_ended.giving_back import shrink_to
from coschedule.resizing.resize import resize
from coschedule.resizing.seats import seats_beside
from engine.builders import gang, node, running, snapshot


def in_order(*nodes, least=1):
    """Describe a gang of unknown end, whose members leave in the order of these nodes, the last ones first."""
    return OpenEndedRun(
        key=GangKey("default", "run"),
        sizes=Sizes(minimum=1, maximum=8),
        request=(1,),
        nodes=nodes,
        end=math.inf,
        terms=ChangeTerms(restart_time=120.0, min_interval=600.0),
        priority=0,
        least=least,
        keeps=True,
        in_order=True,
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [([], [3, 1, 2, 1]), ([1], [3, 1, 2]), ([2], [3, 1]), ([1, 1], [3]), ([2, 1], [3, 1])],
)
def test_all_members_behind_those_that_are_given_up_leave_too(given, kept):
    run = in_order(3, 1, 2, 1)

    assert seats_beside(run, [3, 1, 2, 1], given) == kept


def test_gang_keeps_slow_members_with_low_indexes():
    run = in_order(1, 0)
    facts = snapshot([node("fast"), node("slow", slowdown=3.0)], [], runs=[running("run", 0, 1)])

    assert shrink_to(run, facts, 1).nodes == (1,)


def test_gang_gives_back_more_than_is_lacking_if_that_is_not_at_its_end():
    waits = gang("waits", constraints=Constraints(node_selector=(("pool", "b"),)))
    nodes = [node("a", free=0), node("b", free=0, labels={"pool": "b"}), node("c", free=0)]

    result = resize(
        replace(snapshot(nodes, [waits], runs=[running("run", 0, 1, 2)]), running=()), [in_order(0, 1, 2)], {}
    )

    assert [one.nodes for one in result.sizes.changes] == [(0,)]
