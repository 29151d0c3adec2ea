"""The part of the work that members report as done."""

import pytest

from builders.facts import gang_fact, member_fact, reservation
from lockstep.belief.gangs.piece_reads import PieceReads
from lockstep.belief.run_times.reported_work import reported_part
from lockstep.facts.gang.gang import GangStatus


def part(*progress, member_changes=0):
    """What members of these ranks report, of a gang whose members have come or gone so often."""
    gang = gang_fact("g", status=GangStatus(attempt=1, member_changes=member_changes))
    pods = [member_fact("g", rank=rank, node="n1", progress=one) for rank, one in enumerate(progress)]
    return reported_part(gang, reservation("g"), pods, PieceReads(lambda _: None))


@pytest.mark.parametrize(
    ("progress", "member_changes", "want"),
    [
        pytest.param(("0.5", "0.25"), 0, "0.25", id="all have done the least of what they report"),
        pytest.param(("0.5", "0.5", "0"), 1, "0.5", id="a newcomer that has done nothing"),
        pytest.param(("0.5", "", ""), 0, "0.5", id="one reports for all"),
        pytest.param(("", ""), 1, "", id="none reports"),
    ],
)
def test_newcomer_takes_nothing_from_what_the_others_report(progress, member_changes, want):
    assert part(*progress, member_changes=member_changes) == want
