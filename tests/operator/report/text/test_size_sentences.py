"""Why a gang changes its size or keeps it, in words."""

import pytest

from coschedule import GangKey, Members, SizeChange
from lockstep.api.preemption import for_urgent_gang
from lockstep.facts.elastic import NextSize
from lockstep.report.text.size_sentences import KEEPS_SIZE, change_ahead, shrink_for
from lockstep.snapshot.holders.resizable import KeepsSize


def test_there_is_a_clause_for_each_reason():
    assert KEEPS_SIZE.keys() == set(KeepsSize)


@pytest.mark.parametrize(
    ("is_open_ended", "want"),
    [
        (False, "shrinks from 9 to 5 members for urgent gang ns/hot, of priority 7: ends 10 min later"),
        (True, "shrinks from 9 to 5 members for urgent gang ns/hot, of priority 7: its end is unknown"),
    ],
)
def test_shrink_for_an_urgent_gang_has_both_sizes_of_the_whole_gang(is_open_ended, want):
    change = SizeChange(GangKey("ns", "g"), 8, (0, 1, 2, 3), 1600.0, 1000.0, is_open_ended=is_open_ended, fixed=1)

    said = shrink_for(change, for_urgent_gang(GangKey("ns", "hot"), 7), restart_time=60.0)

    assert said == f"{want}; the change takes about 1 min"
    assert shrink_for(change) == want.replace(" for urgent gang ns/hot, of priority 7", "")


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

    assert change_ahead(was, following) == f"{want} at 2026-11-27T12:04:30Z, or when it says that it is ready"
