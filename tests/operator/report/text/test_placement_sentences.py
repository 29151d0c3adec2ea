"""Placements in a sentence."""

import math
from dataclasses import replace

import pytest

from coschedule import Alternative, GangKey, Members, Pieces, Placement, Risk, Share
from lockstep.report.text.placement_sentences import chosen

NOW = 1_795_176_000.0  # 2026-11-20T12:00:00Z


def placement(*nodes, start=NOW, gain=None, other=None, price=0.0, deadline=None):
    """Describe a placement; a node is a name, or the fields of an entry of members."""
    entries = tuple(Members(one, 1) if isinstance(one, str) else Members(*one) for one in nodes)
    return Placement(
        gang=GangKey("default", "g"),
        size=sum(entry.count for entry in entries),
        start=start,
        finish=start + 60,
        speedup=gain,
        members=entries,
        slowest=entries[0].node,
        latest=entries[-1].node if start > NOW else None,
        alternative=other,
        member_price=price,
        deadline=deadline,
    )


def other(size, *, start=NOW, finish=NOW + 600, gain=None):
    return Alternative(size=size, start=start, finish=finish, speedup=gain)


EIGHT = [f"n{number:02}" for number in range(3, 11)]


@pytest.mark.parametrize(
    ("decision", "want"),
    [
        pytest.param(placement("n1"), "1 member on n1", id="nothing is known"),
        pytest.param(
            replace(placement("n1", "n2", start=NOW + 40), promised=NOW + 99.2),
            "2 members expected on n1, n2. The start is expected at 2026-11-20T12:00:40Z, when n2 has room. "
            "It is promised for 2026-11-20T12:01:40Z at the latest",
            id="with a promise, rounded up",
        ),
        pytest.param(
            replace(placement("n1", start=NOW + 40), promised=NOW + 40),
            "1 member expected on n1. The start is expected at 2026-11-20T12:00:40Z",
            id="with a promise that is the start",
        ),
        pytest.param(
            placement(("n1", 1, None, "launcher"), *((node, 1, None, "workers") for node in EIGHT), gain=5.9),
            "9 members: 1 launcher on n1, 8 workers on n03…n10. "
            "The gang's speed-up over one idle reference node is 5.9, including the wait",
            id="roles",
        ),
        pytest.param(
            placement("n1", "n2", start=NOW + 40),
            "2 members expected on n1, n2. The start is expected at 2026-11-20T12:00:40Z, when n2 has room",
            id="a later start, and the node it waits for",
        ),
        pytest.param(
            placement(*EIGHT, gain=5.9, other=other(12, start=NOW + 40, gain=6.4)),
            "8 members on n03…n10. The gang's speed-up over one idle reference node is 5.9, including the wait. "
            "With 12 members the gang would wait 40 s and have a speed-up of 6.4",
            id="more members would wait",
        ),
        pytest.param(
            placement("n1", gain=1.0, other=other(2, gain=0.94)),
            "1 member on n1. The gang's speed-up over one idle reference node is 1.0, including the wait. "
            "With 2 members the gang would have a speed-up of 0.94",
            id="more members would be slower",
        ),
        pytest.param(
            placement("n1", gain=1.0, price=0.25, other=other(2, finish=NOW + 40, gain=1.5)),
            "1 member on n1. The gang's speed-up over one idle reference node is 1.0, including the wait. "
            "With 2 members the gang would have a speed-up of 1.5, but would take more from other gangs than it gains: "
            "one second of a member costs other gangs 0.25 s",
            id="more members would cost others too much",
        ),
        pytest.param(
            placement("n1", "n2", gain=2.0, deadline=NOW + 90, other=other(6, finish=NOW + 20, gain=5.4)),
            "2 members on n1, n2. The gang's speed-up over one idle reference node is 2.0, including the wait. "
            "With 6 members the gang would have a speed-up of 5.4, but it gets the fewest members that end by its "
            "deadline, "
            "2026-11-20T12:01:30Z",
            id="more members would be faster, but fewer meet the deadline",
        ),
        pytest.param(
            placement("n1", gain=1.0, deadline=math.inf, other=other(2, finish=NOW + 40, gain=1.5)),
            "1 member on n1. The gang's speed-up over one idle reference node is 1.0, including the wait. "
            "With 2 members the gang would have a speed-up of 1.5, but it gets the fewest members that can run",
            id="more members would be faster, but it gets the fewest",
        ),
        pytest.param(
            placement("n1", "n2", gain=2.0, deadline=NOW + 90, other=other(1, gain=1.0)),
            "2 members on n1, n2. The gang's speed-up over one idle reference node is 2.0, including the wait. "
            "With 1 member the gang would have a speed-up of 1.0",
            id="fewer members would be slower, and miss the deadline",
        ),
        pytest.param(
            placement("n1", start=NOW + 40, other=other(2)),
            "1 member expected on n1. The start is expected at 2026-11-20T12:00:40Z. "
            "With 2 members the gang could start now and end 8 min 20 s later than planned, at 2026-11-20T12:10:00Z",
            id="at once would be later",
        ),
        pytest.param(
            placement("n1", price=0.25, other=other(2, finish=NOW + 40)),
            "1 member on n1. With 2 members the gang would end 20 s sooner than planned, at 2026-11-20T12:00:40Z, but "
            "would take more from other gangs than it gains: one second of a member costs other gangs 0.25 s",
            id="without a speed-up, sooner",
        ),
        pytest.param(
            placement("n1", other=other(2, finish=NOW + 60)),
            "1 member on n1. With 2 members the gang would end at 2026-11-20T12:01:00Z",
            id="without a speed-up, at the same time",
        ),
        pytest.param(
            placement("n1", other=other(3, start=NOW + 40, finish=math.inf)),
            "1 member on n1",
            id="more members would wait, and for what is unknown",
        ),
        pytest.param(
            placement("n1", other=other(3, start=NOW + 0.3)),
            "1 member on n1",
            id="more members would hardly wait",
        ),
        pytest.param(
            placement("n1", other=other(2, finish=math.inf)),
            "1 member on n1",
            id="an unknown end",
        ),
        pytest.param(
            placement(("n1", 2, Share(0.12)), ("n2", 1, Share(0.314)), ("n3", 2, Share(0.2234)), gain=2.5),
            "5 members on n1…n3, 12 % to 31 % of the work each. "
            "The gang's speed-up over one idle reference node is 2.5, including the wait",
            id="shares",
        ),
        pytest.param(placement(("n1", 4, Share(0.25))), "4 members on n1, 25 % of the work each", id="equal shares"),
        pytest.param(
            placement(("n1", 1, Pieces(12)), ("n1", 2, Pieces(11)), ("n2", 1, Pieces(2)), start=NOW + 40),
            "4 members expected on n1, n2, 2 to 12 pieces each. The start is expected at 2026-11-20T12:00:40Z, when "
            "n2 has room",
            id="pieces, and a node that is listed twice",
        ),
        pytest.param(
            placement(("n1", 1, Pieces(3)), ("n2", 2, Pieces(3))),
            "3 members on n1, n2, 3 pieces each",
            id="as many pieces each",
        ),
        pytest.param(
            placement(("n1", 1, Pieces(3), "cpu"), ("n2", 2, Pieces(2), "cpu"), ("n3", 1, Pieces(8), "gpu")),
            "4 members: 3 cpu on n1, n2, 1 gpu on n3, cpu with 2 to 3 pieces each, gpu with 8 pieces each",
            id="pieces of several roles",
        ),
        pytest.param(placement(("n1", 2, Pieces(1))), "2 members on n1, 1 piece each", id="one piece each"),
        pytest.param(placement(("n1", 1, Share(1.0))), "1 member on n1", id="all shares in one hand"),
        pytest.param(placement(("n1", 1, Pieces(9))), "1 member on n1", id="all pieces in one hand"),
    ],
)
def test_sentence(decision, want):
    assert chosen(decision, now=NOW) == want


def test_risk_that_is_taken_has_its_numbers():
    two = replace(placement("n1", "n2"), risk=Risk(probability=0.28, lost_seconds=125.0, node="n2", of_node=0.2))

    assert chosen(two, now=NOW) == (
        "2 members on n1, n2. A node owner comes back before the end with a probability of 28 %, "
        "most likely on n2 (20 %). This costs 2 min 5 s of work on average"
    )


def test_risk_of_one_node_and_an_unknown_run_time():
    one = replace(placement("n1"), risk=Risk(probability=1.0, lost_seconds=math.inf, node="n1", of_node=1.0))

    assert chosen(one, now=NOW) == (
        "1 member on n1. A node owner comes back before the end with a probability of 100 %, "
        "most likely on n1. This costs some work on average"
    )
