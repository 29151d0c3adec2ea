"""Why a gang changes its size or keeps it, in words."""

import math

import pytest

from coschedule import GangKey, Members, OwnerReturn, SizeChange, SizeReason, SlowNode
from lockstep.api.preemption import Urgent, for_urgent_gang
from lockstep.facts.elastic import NextSize
from lockstep.report.text.size_sentences import (
    KEEPS_SIZE,
    as_its_users_see,
    change_ahead,
    shrink_for,
    shrink_of_lost,
    size_change,
)
from lockstep.snapshot.holders.resizable import KeepsSize


def test_there_is_a_clause_for_each_reason():
    assert KEEPS_SIZE.keys() == set(KeepsSize)


@pytest.mark.parametrize(
    ("is_open_ended", "want"),
    [
        (False, "shrinks from 9 to 5 members for urgent gang ns/hot, of priority 7: it ends 10 min later"),
        (True, "shrinks from 9 to 5 members for urgent gang ns/hot, of priority 7: its end is unknown"),
    ],
)
def test_shrink_for_an_urgent_gang_has_both_sizes_of_the_whole_gang(is_open_ended, want):
    change = SizeChange(GangKey("ns", "g"), 8, (0, 1, 2, 3), 1600.0, 1000.0, is_open_ended=is_open_ended, fixed=1)

    said = shrink_for(
        change, for_urgent_gang(Urgent(GangKey("ns", "hot"), "uid-1", 7), giver=change.gang), restart_time=60.0
    )

    assert said == f"{want}; the change takes about 1 min"
    assert shrink_for(change) == want.replace(" for urgent gang ns/hot, of priority 7", "")


def test_change_says_what_it_takes_and_what_it_loses():
    change = SizeChange(GangKey("ns", "g"), 2, (0, 1, 2), 1000.0, 2860.0, because=SizeReason.ASKED)

    assert size_change(change, restart_time=1020.0, lost=900.0) == (
        "grows from 2 to 3 members: it ends 31 min sooner; the change takes about 2 min and loses about 15 min of work"
    )


@pytest.mark.parametrize(
    ("was", "size", "want"),
    [
        (4, 9, "will grow from 4 to 9 members"),
        (4, 1, "will shrink from 4 to 1 member"),
        (1, 2, "will grow from 1 to 2 members"),
    ],
)
def test_change_of_which_members_have_notice_has_both_sizes_and_the_time(was, size, want):
    following = NextSize(
        members=(Members("n1", size),),
        decided_at=1_795_780_000.0,
        expected_finish=None,
        why="w",
        begins_at=1_795_781_070.0,
    )

    assert change_ahead(was, following) == f"{want} at 2026-11-27T12:04:30Z, or as soon as it reports that it is ready"


@pytest.mark.parametrize(
    ("reason", "size", "facts", "want"),
    [
        pytest.param(
            SizeReason.ASKED, 6, {}, "grows from 4 to 6 members: its end is unknown; the change takes about 2 min"
        ),
        pytest.param(
            SizeReason.IDLE_NODES,
            6,
            {},
            "grows from 4 to 6 members: nodes are idle and no gang waits for them; its end is unknown; "
            "the change takes about 2 min",
        ),
        pytest.param(
            SizeReason.WAITING_GANG,
            1,
            {"made_for": GangKey("a", "b")},
            "shrinks from 4 to 1 member: a/b waits, and starts on the nodes that become free; its end is unknown; "
            "the change takes about 2 min",
        ),
        pytest.param(
            SizeReason.URGENT_GANG,
            1,
            {"made_for": GangKey("a", "b")},
            "shrinks from 4 to 1 member: a/b is more urgent, and starts on the nodes that become free; its end is "
            "unknown; "
            "the change takes about 2 min",
        ),
        pytest.param(
            SizeReason.MEASURED_SPEEDS,
            6,
            {"speed": 1.4},
            "grows from 4 to 6 members: by the progress that it reported, it is expected to be 1.40 times as fast as "
            "before; its end is unknown; the change takes about 2 min",
        ),
        pytest.param(
            SizeReason.MEASURED_SPEEDS,
            2,
            {"speed": 0.9},
            "shrinks from 4 to 2 members: by the progress that it reported, it is expected to be 0.90 times as fast as "
            "before, and other gangs gain more from the nodes; its end is unknown; the change takes about 2 min",
        ),
        pytest.param(
            SizeReason.MEASURED_SPEEDS,
            2,
            {"speed": 1.25},
            "shrinks from 4 to 2 members: by the progress that it reported, it is expected to be 1.25 times as fast as "
            "before; its end is unknown; the change takes about 2 min",
        ),
    ],
)
def test_change_of_a_gang_of_unknown_end_says_why_with_numbers(reason, size, facts, want):
    nodes = tuple(range(size))
    change = SizeChange(GangKey("a", "run"), 4, nodes, math.inf, math.inf, is_open_ended=True, because=reason, **facts)

    assert size_change(change, restart_time=120.0) == want


@pytest.mark.parametrize(
    ("reason", "sizes", "later", "facts", "want"),
    [
        pytest.param(SizeReason.ASKED, (4, 6), -600, {}, "grows from 4 to 6 members: it ends 10 min sooner"),
        pytest.param(
            SizeReason.OWNER_RETURNS,
            (4, 3),
            600,
            {"leaves": OwnerReturn("n7", 1_795_781_070.0, is_forecast=False)},
            "shrinks from 4 to 3 members: the owner of node n7, which it leaves, returns at 2026-11-27T12:04:30Z; "
            "it ends 10 min later",
        ),
        pytest.param(
            SizeReason.OWNER_RETURNS,
            (4, 5),
            -600,
            {"leaves": OwnerReturn("n7", 1_795_781_070.0, is_forecast=True)},
            "grows from 4 to 5 members: the owner of node n7, which it leaves, is likely to return by "
            "2026-11-27T12:04:30Z; it ends 10 min sooner",
        ),
        pytest.param(
            SizeReason.SLOW_NODE,
            (4, 3),
            -600,
            {"leaves": SlowNode("n3", 2.0, "n1")},
            "shrinks from 4 to 3 members: node n3, which it leaves, is 2.00 times as slow as node n1, its slowest "
            "node after the change; it ends 10 min sooner",
        ),
        pytest.param(
            SizeReason.WAITING_GANG,
            (4, 3),
            600,
            {"made_for": GangKey("a", "b")},
            "shrinks from 4 to 3 members: a/b waits, and starts on the nodes that become free; it ends 10 min later",
        ),
        pytest.param(
            SizeReason.FAIR_SHARE,
            (4, 3),
            600,
            {"made_for": GangKey("a", "b")},
            "shrinks from 4 to 3 members: a/b starts on the nodes that become free, as its group has used less of its "
            "share; it ends 10 min later",
        ),
        pytest.param(
            SizeReason.OTHER_GANGS,
            (4, 3),
            600,
            {},
            "shrinks from 4 to 3 members: other gangs that run gain more from the nodes of 1 member; it ends 10 min "
            "later",
        ),
        pytest.param(
            SizeReason.ROOM_FREE,
            (4, 9),
            -1860,
            {},
            "grows from 4 to 9 members: there is room for 5 more; it ends 31 min sooner",
        ),
        pytest.param(
            SizeReason.EARLIER_PLAN,
            (4, 1),
            -600,
            {},
            "shrinks from 4 to 1 member: by the newest estimates, it is faster with 1 member than with 4; "
            "it ends 10 min sooner",
        ),
        pytest.param(
            SizeReason.EARLIER_PLAN,
            (4, 2),
            600,
            {},
            "shrinks from 4 to 2 members: by the newest estimates, promised starts need the nodes of 2 members; "
            "it ends 10 min later",
        ),
    ],
)
def test_change_of_a_gang_of_known_end_says_why_with_numbers(reason, sizes, later, facts, want):
    was, size = sizes
    change = SizeChange(GangKey("a", "run"), was, tuple(range(size)), 5000.0 + later, 5000.0, because=reason, **facts)

    assert size_change(change, restart_time=120.0) == f"{want}; the change takes about 2 min"


@pytest.mark.parametrize(
    ("ends", "want"),
    [
        ((1000.0, 1600.0), "shrinks from 4 to 3 members: node n3 is gone; it ends 10 min later"),
        ((1000.0, 1000.0), "shrinks from 4 to 3 members: node n3 is gone"),
        ((None, None), "shrinks from 4 to 3 members: node n3 is gone"),
    ],
    ids=["known end", "unknown law", "unknown end"],
)
def test_gang_that_goes_on_without_lost_members_says_why_and_when_it_ends(ends, want):
    assert shrink_of_lost(4, 3, "node n3 is gone", ends=ends) == want


@pytest.mark.parametrize(
    ("of", "want"),
    [("a", "a/b waits, and starts"), ("other", "a gang of another namespace waits, and starts")],
    ids=["own namespace", "another"],
)
def test_users_of_a_gang_read_the_name_of_a_gang_of_their_own_namespace_only(of, want):
    waiting = {"is_open_ended": True, "because": SizeReason.WAITING_GANG, "made_for": GangKey("a", "b")}
    change = SizeChange(GangKey(of, "g"), 4, (0,), math.inf, math.inf, **waiting)

    assert want in size_change(as_its_users_see(change))
