"""Decisions in a sentence."""

import math
from dataclasses import replace

import pytest

from coschedule import Alternative, GangKey, Members, Pieces, Placement, Risk, Share
from lockstep.report.text.sentences import (
    all_members,
    chosen,
    duration,
    n_members,
    n_pieces,
    node_ranges,
    percentage,
    price,
    speedup,
    waits_for_seats,
)

NOW = 1_795_176_000.0  # 2026-11-20T12:00:00Z


def placement(*nodes, start=NOW, gain=None, other=None, price=0.0):
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
    )


def other(size, *, start=NOW, finish=NOW + 600, gain=None):
    return Alternative(size=size, start=start, finish=finish, speedup=gain)


EIGHT = [f"n{number:02}" for number in range(3, 11)]


def test_a_single_member_is_not_all_of_them():
    words = {"one": "is bound", "more": "are bound"}

    assert [all_members(count, **words) for count in (1, 8)] == [
        "The only member is bound.",
        "All 8 members are bound.",
    ]


@pytest.mark.parametrize(
    ("decision", "want"),
    [
        pytest.param(placement("n1"), "1 member on n1", id="nothing is known"),
        pytest.param(
            replace(placement("n1", "n2", start=NOW + 40), promised=NOW + 99.2),
            "2 members expected on n1, n2, starting at 2026-11-20T12:00:40Z when n2 has room, "
            "at 2026-11-20T12:01:40Z at the latest",
            id="with a promise, rounded up",
        ),
        pytest.param(
            replace(placement("n1", start=NOW + 40), promised=NOW + 40),
            "1 member expected on n1, starting at 2026-11-20T12:00:40Z",
            id="with a promise that is the start",
        ),
        pytest.param(
            placement(("n1", 1, None, "launcher"), *((node, 1, None, "workers") for node in EIGHT), gain=5.9),
            "9 members: 1 launcher on n1, 8 workers on n03…n10, 5.9 times as fast as one node, waiting included",
            id="roles",
        ),
        pytest.param(
            placement("n1", "n2", start=NOW + 40),
            "2 members expected on n1, n2, starting at 2026-11-20T12:00:40Z when n2 has room",
            id="a later start, and the node it waits for",
        ),
        pytest.param(
            placement(*EIGHT, gain=5.9, other=other(12, start=NOW + 40, gain=6.4)),
            "8 members on n03…n10, 5.9 times as fast as one node, waiting included; "
            "12 members would have waited 40 s to reach 6.4",
            id="more members would have waited",
        ),
        pytest.param(
            placement("n1", gain=1.0, other=other(2, gain=0.94)),
            "1 member on n1, 1.0 times as fast as one node, waiting included; 2 members would reach 0.94",
            id="more members would be slower",
        ),
        pytest.param(
            placement("n1", gain=1.0, price=0.25, other=other(2, finish=NOW + 40, gain=1.5)),
            "1 member on n1, 1.0 times as fast as one node, waiting included; "
            "2 members would reach 1.5, but take more from other gangs than it "
            "gains: a member-second counts 0.25 s",
            id="more members would cost others too much",
        ),
        pytest.param(
            placement("n1", start=NOW + 40, other=other(2)),
            "1 member expected on n1, starting at 2026-11-20T12:00:40Z; "
            "2 members at once would end at 2026-11-20T12:10:00Z",
            id="at once would be later",
        ),
        pytest.param(
            placement("n1", other=other(3, start=NOW + 40, finish=math.inf)),
            "1 member on n1",
            id="more members would have waited, and nobody knows for what",
        ),
        pytest.param(
            placement("n1", other=other(3, start=NOW + 0.3)),
            "1 member on n1",
            id="more members would hardly have waited",
        ),
        pytest.param(
            placement("n1", other=other(2, finish=math.inf)),
            "1 member on n1",
            id="an unknown end",
        ),
        pytest.param(
            placement(("n1", 2, Share(0.12)), ("n2", 1, Share(0.314)), ("n3", 2, Share(0.2234)), gain=2.5),
            "5 members on n1…n3, shares from 12 % to 31 %, 2.5 times as fast as one node, waiting included",
            id="shares",
        ),
        pytest.param(placement(("n1", 4, Share(0.25))), "4 members on n1, shares of 25 % each", id="equal shares"),
        pytest.param(
            placement(("n1", 1, Pieces(12)), ("n1", 2, Pieces(11)), ("n2", 1, Pieces(2)), start=NOW + 40),
            "4 members expected on n1, n2, 2 to 12 pieces each, starting at 2026-11-20T12:00:40Z when n2 has room",
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


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        (0, "less than 1 s"),
        (0.4, "less than 1 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (60, "1 min"),
        (90, "1 min 30 s"),
        (3599.4, "59 min 59 s"),
        (3600, "1 h"),
        (5400, "1 h 30 min"),
        (90000, "25 h"),
    ],
)
def test_duration(seconds, want):
    assert duration(seconds) == want


@pytest.mark.parametrize(
    ("value", "want"), [(0.5, "0.50"), (0.994, "0.99"), (1.0, "1.0"), (5.94, "5.9"), (12.34, "12.3"), (123.4, "123")]
)
def test_speedup(value, want):
    assert speedup(value) == want


@pytest.mark.parametrize(
    ("share", "want"), [(1.0, "100 %"), (0.256, "26 %"), (0.0996, "10 %"), (0.0312, "3.1 %"), (0.00012, "0.012 %")]
)
def test_percentage(share, want):
    assert percentage(share) == want


@pytest.mark.parametrize(("count", "want"), [(1, "1 piece"), (12, "12 pieces")])
def test_pieces(count, want):
    assert n_pieces(count) == want


@pytest.mark.parametrize(("count", "want"), [(0, "0 members"), (1, "1 member"), (2, "2 members")])
def test_members(count, want):
    assert n_members(count) == want


@pytest.mark.parametrize(
    ("names", "want"),
    [
        pytest.param([], "", id="none"),
        pytest.param(["a"], "a", id="one"),
        pytest.param(["n1", "n2"], "n1, n2", id="two stand alone"),
        pytest.param(["n1", "n2", "n3"], "n1…n3", id="three are a run"),
        pytest.param(["n3", "n1", "n2"], "n1…n3", id="in any order"),
        pytest.param(["n1", "n2", "n4"], "n1, n2, n4", id="a hole"),
        pytest.param(["n1", "n2", "n3", "n5"], "n1…n3, n5", id="a run and one"),
        pytest.param(["n08", "n09", "n10"], "n08…n10", id="leading zeros"),
        pytest.param(["n8", "n9", "n10", "n11", "n12"], "n10…n12, n8, n9", id="a digit more is no run"),
        pytest.param(["a1", "b2", "c3"], "a1, b2, c3", id="other stems"),
        pytest.param(["n1.zone", "n2.zone", "n3.zone"], "n1.zone, n2.zone, n3.zone", id="numbers that are not last"),
        pytest.param([f"n{n}" for n in range(1, 21, 2)], "n1, n11, n13, n15, n17, n19, 4 more", id="too many"),
    ],
)
def test_node_ranges(names, want):
    assert node_ranges(names) == want


@pytest.mark.parametrize(
    ("value", "want"),
    [(31.25, "31.25"), (1.0, "1.00"), (0.3125, "0.31"), (0.0008, "0.00080"), (1e-9, "0.000001"), (4e8, "400000000.00")],
)
def test_price_is_a_decimal_number(value, want):
    assert price(value) == want


def test_risk_that_is_taken_has_its_numbers():
    two = replace(placement("n1", "n2"), risk=Risk(probability=0.28, lost_seconds=125.0, node="n2", of_node=0.2))

    assert chosen(two, now=NOW) == (
        "2 members on n1, n2, with a probability of 28 % that an owner comes back meanwhile (of n2 most likely, 20 %), "
        "which costs 2 min 5 s of work on average"
    )


def test_risk_of_one_node_and_an_unknown_run_time():
    one = replace(placement("n1"), risk=Risk(probability=1.0, lost_seconds=math.inf, node="n1", of_node=1.0))

    assert chosen(one, now=NOW) == (
        "1 member on n1, with a probability of 100 % that an owner comes back meanwhile (of n1 most likely), which "
        "costs some work on average"
    )


@pytest.mark.parametrize(
    ("names", "want"),
    [
        (["a"], "It waits until gang default/a has given up its seats there."),
        (["a", "b"], "It waits until gangs default/a, default/b have given up their seats there."),
    ],
)
def test_gangs_that_give_up_seats_are_named(names, want):
    assert waits_for_seats([GangKey("default", name) for name in names]) == want
