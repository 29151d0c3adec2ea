"""Why a gang changes its size or keeps it, in words."""

import pytest

from coschedule import Members
from lockstep.facts.elastic import NextSize
from lockstep.report.text.size_sentences import KEEPS_SIZE, change_ahead
from lockstep.snapshot.holders.resizable import KeepsSize


def test_there_is_a_clause_for_each_reason():
    assert KEEPS_SIZE.keys() == set(KeepsSize)


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
