"""The share auction rule by rule [C 5.7.3, page 73], and the events that make no sense."""

import pytest

from coschedule.model.errors import InvalidValueError
from coschedule.problems.shum.auction import ShareMarket, replay
from coschedule.problems.shum.events import Depart, Loaders, SetUnitTimes
from engine.builders import GRAINS, arrive, auction, moves, rules, times


@pytest.mark.parametrize(
    ("total", "loaded", "levels", "want_level"),
    [
        pytest.param(9, 0, GRAINS, 1, id="the top is not given, even if it is free"),
        pytest.param(2, 0, GRAINS, 0, id="a lower one when that is all there is"),
        pytest.param(9, 9, GRAINS, None, id="refused"),
        pytest.param(9, 12, GRAINS, None, id="refused when others keep all busy and more"),
        pytest.param(4, 0, (4,), 0, id="one level alone is given"),
        pytest.param(3, 0, (4,), None, id="one level that is too large"),
    ],
)
def test_arrival(total, loaded, levels, want_level):
    """Rule 1."""
    [_, outcome] = replay(rules(total), [Loaders(workstations=loaded), arrive("A", *[1] * len(levels), levels=levels)])

    assert outcome.level == want_level
    assert outcome.allocation == ({} if want_level is None else {"A": levels[want_level]})


def test_refused_application_may_be_named_and_come_again():
    events = [
        Loaders(workstations=9),
        arrive("A", 3, 2, 1),
        SetUnitTimes(name="A", unit_times=times(3, 2, 1)),
        auction("A", exempt=("A",)),
        Loaders(workstations=0),
        arrive("A", 3, 2, 1),
        Depart(name="A"),
        arrive("A", 3, 2, 1),
    ]

    assert [outcome.level for outcome in replay(rules(9), events)] == [None] * 5 + [1, None, 1]


def test_unit_time_that_does_not_fall_merges_back_and_sits_out():
    """Rule 3: equal is not less, and the others use what it frees."""
    events = [arrive("A", 5, 5, 5), auction(), arrive("B", 9, 3, 1), auction(), auction()]

    outcomes = replay(rules(12), events)

    assert [moves(outcome) for outcome in outcomes[1::2]] == [[(1, "A", 1, 2)], [(0, "A", 2, 1), (1, "B", 1, 2)]]
    assert moves(outcomes[-1]) == []


def test_newcomer_takes_the_highest_level_that_is_free():
    """Rule 4: two levels at once, and back by two when it gained nothing."""
    events = [
        Loaders(workstations=8),
        arrive("A", 2, 1, 2),
        Loaders(workstations=0),
        auction(),
        auction(),
    ]

    assert [moves(outcome) for outcome in replay(rules(9), events)][3:] == [[(1, "A", 0, 2)], [(0, "A", 2, 0)]]


@pytest.mark.parametrize(
    ("donors", "want_donor"),
    [
        pytest.param([(4, 2, 1), (5, 3, 1)], "D0", id="the least backward bid"),
        pytest.param([(5, 3, 1), (4, 2, 1)], "D1", id="wherever it stands"),
        pytest.param([(4, 2, 1), (4, 2, 1)], "D0", id="equal bids: by order"),
    ],
)
def test_donor_of_a_newcomer_loses_least(donors, want_donor):
    """Rule 4."""
    events = [arrive(f"D{index}", *unit_times) for index, unit_times in enumerate(donors)]
    events += [auction(), auction(), arrive("N", 2, 1, levels=(1, 3)), auction()]

    last = replay(rules(19), events)[-1]

    assert moves(last) == [(1, "N", 0, 1, want_donor, 2, 1)]


def test_donor_goes_down_by_the_fewest_levels_that_free_enough():
    """Rule 4: nine more are needed, six are not enough."""
    events = [
        arrive("D", 8, 2, 1),
        SetUnitTimes(name="D", unit_times=times(8, 2, 1), also_known=(0,)),
        auction(),
        arrive("N", 3, 1, levels=(1, 9)),
        auction(),
    ]

    outcomes = replay(rules(10), events)

    assert moves(outcomes[2]) == [(1, "D", 1, 2)]
    assert moves(outcomes[4]) == [(1, "N", 0, 1, "D", 2, 0)]
    assert outcomes[4].available == 0


def test_potential_bid_ranks_donors_whose_loss_is_unknown():
    """Rule 4: both donors would go to level 0, which neither has visited; E used more workstations less well."""
    donors = [arrive("D", 9, 4, 1, levels=(1, 8, 9)), arrive("E", 9, 2, 1, levels=(1, 8, 9))]
    events = [*donors, auction(), auction(), arrive("N", 3, 1, levels=(1, 9)), auction()]

    last = replay(rules(19), events)[-1]

    assert moves(last) == [(1, "N", 0, 1, "E", 2, 0)]


def test_forward_bid_needs_more_than_psi_times_the_loss():
    """Rule 5: 3 is not more than 3/2 * 2; decided exactly."""
    events = [
        arrive("A", 9, 3, 1),
        auction(),
        arrive("B", 9, 2, 1),
        auction(),
        auction(),
    ]

    even = replay(rules(12, "1.5"), events)
    above = replay(rules(12, "1.4999999999999999"), events)

    assert moves(even[3]) == moves(above[3]) == [(1, "B", 1, 2, "A", 2, 1)]
    assert moves(even[4]) == []
    assert moves(above[4]) == [(2, "A", 1, 2, "B", 2, 1)]


def test_events_that_make_no_sense_change_nothing():
    market = ShareMarket(rules(9))
    market.apply(arrive("A", 3, 2, 1))

    for event, want_field in [
        (arrive("A", 3, 2, 1), "name"),
        (Depart(name="B"), "name"),
        (SetUnitTimes(name="B", unit_times=times(1)), "name"),
        (SetUnitTimes(name="A", unit_times=times(1)), "unit_times"),
        (auction("A", "B"), "order[1]"),
        (auction(exempt=("B",)), "exempt[0]"),
    ]:
        with pytest.raises(InvalidValueError) as refusal:
            market.apply(event)
        assert refusal.value.field == want_field

    assert moves(market.apply(auction())) == [(1, "A", 1, 2)]


@pytest.mark.parametrize(
    ("build", "want_field"),
    [
        pytest.param(lambda: arrive("A", levels=()), "levels", id="no levels"),
        pytest.param(lambda: arrive("A", 1, 1, levels=(0, 1)), "levels[0]", id="a level of nothing"),
        pytest.param(lambda: arrive("A", 1, 1, levels=(2, 2)), "levels[1]", id="a level that is no more"),
        pytest.param(lambda: arrive("A", 1), "unit_times", id="unit times are missing"),
        pytest.param(lambda: arrive("A", 1, 0, 1), "unit_times[1]", id="no unit time"),
        pytest.param(lambda: Loaders(workstations=-1), "workstations", id="fewer loaders than none"),
        pytest.param(lambda: SetUnitTimes(name="A", unit_times=(1, -1)), "unit_times[1]", id="negative unit time"),
        pytest.param(
            lambda: SetUnitTimes(name="A", unit_times=(1,), also_known=(0, 1)), "also_known[1]", id="unknown level"
        ),
        pytest.param(lambda: auction("A", "B", "A"), "order[2]", id="twice in the order"),
        pytest.param(lambda: rules(-1), "total", id="fewer workstations than none"),
        pytest.param(lambda: rules(1, "0"), "psi", id="no factor"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_field(build, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        build()

    assert refusal.value.field == want_field
