"""Numbers, names and small clauses of sentences."""

import pytest

from coschedule import GangKey
from lockstep.report.text.sentences import (
    all_members,
    duration,
    n_members,
    n_pieces,
    node_ranges,
    percentage,
    price,
    speedup,
    waits_for_seats,
)


def test_a_single_member_is_not_all_of_them():
    words = {"one": "is bound", "more": "are bound"}

    assert [all_members(count, **words) for count in (1, 8)] == [
        "The only member is bound.",
        "All 8 members are bound.",
    ]


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
    ("share", "want"),
    [
        (1.0, "100 %"),
        (0.256, "26 %"),
        (0.0996, "10 %"),
        (0.0312, "3.1 %"),
        (0.00012, "0.012 %"),
        (0.000012, "0.0012 %"),
        (1e-7, "less than 0.001 %"),
        (0.0, "0 %"),
    ],
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


@pytest.mark.parametrize(
    ("names", "want"),
    [
        (["a"], "It waits until gang default/a has given up its places there."),
        (["a", "b"], "It waits until gangs default/a, default/b have given up their places there."),
    ],
)
def test_gangs_that_give_up_seats_are_named(names, want):
    assert waits_for_seats([GangKey("default", name) for name in names]) == want
