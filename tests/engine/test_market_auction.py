"""The share auction: tables 5.1 to 5.4 of [C 5.8.2, pages 75-78] action by action, its errata, and each rule."""

from fractions import Fraction

import pytest

from coschedule.errors import InvalidValueError
from coschedule.market.auction import ShareMarket, replay
from coschedule.market.events import Arrive, AuctionRules, Depart, HoldAuction, Load, SetUnitTimes
from coschedule.market.shares import Levels, divide_shares

GRAINS = (1, 3, 9)
"""Workstations of levels 0, 1 and 2 of every application of section 5.8.2."""


def rules(total, psi="1.2", *, require_gain=True):
    return AuctionRules(total=total, psi=Fraction(psi), require_gain=require_gain)


def times(*unit_times):
    return tuple(Fraction(time) for time in unit_times)


def arrive(name, *unit_times, levels=GRAINS):
    return Arrive(name=name, levels=levels, unit_times=times(*unit_times))


def auction(*order, exempt=()):
    return HoldAuction(order=order, exempt=exempt)


def moves(outcome):
    """Write the moves of an auction as tables do: action, who, from which to which level, and the donor's."""
    return [
        (int(move.kind), move.name, move.from_level, move.to_level)
        if move.donation is None
        else (
            *(int(move.kind), move.name, move.from_level, move.to_level),
            *(move.donation.name, move.donation.from_level, move.donation.to_level),
        )
        for move in outcome.moves
    ]


def assert_rows(market_rules, rows):
    """Replay events beside what the table prints: moves, and occupied workstations by column."""
    outcomes = replay(market_rules, [event for event, _, _ in rows])

    for outcome, (event, want_moves, want_workstations) in zip(outcomes, rows, strict=True):
        assert moves(outcome) == want_moves, event
        assert tuple(outcome.allocation.values()) == want_workstations, event


TABLE_5_1 = [
    (arrive("BMM1", 8, "2.914", 1), [], (3,)),
    (auction(), [(1, "BMM1", 1, 2)], (9,)),
    (arrive("BMM2", 8, "3.020", 1), [], (9, 3)),
    (auction(), [(1, "BMM2", 1, 2)], (9, 9)),
    (arrive("PSA1", "2.865", 1, "0.5"), [], (9, 9, 1)),
    (auction(), [(1, "PSA1", 0, 1, "BMM1", 2, 1)], (3, 9, 3)),
    (SetUnitTimes(name="BMM1", unit_times=times(8, "3.010", 1)), [], (3, 9, 3)),
]
"""Twenty workstations; BMM1's BB = 2.914 is measured before its FB = 3.010."""


def test_table_5_1():
    """[C table 5.1, page 76]; the last row with the factor that its note allows."""
    last = (auction(), [(2, "BMM1", 1, 2, "PSA1", 1, 0)], (9, 9, 1))

    assert_rows(rules(20, "1.05"), [*TABLE_5_1, last])


def test_last_row_of_table_5_1_contradicts_the_factor_of_the_experiments():
    """Erratum 8: psi is 1.2 throughout [C 5.8.1, page 74], and 3.010 < 1.2 * 2.865 [C table 5.1, page 76]."""
    nothing = (auction(), [], (3, 9, 3))

    assert_rows(rules(20, "1.2"), [*TABLE_5_1, nothing])


def test_table_5_2():
    """[C table 5.2, page 76]: three arrive together, BMM2 and PSA1 are served before BMM1."""
    assert_rows(
        rules(20),
        [
            (arrive("BMM1", "3.213", 1, "0.4"), [], (3,)),
            (arrive("BMM2", 8, "3.109", 1), [], (3, 3)),
            (arrive("PSA1", 8, "2.172", 1), [], (3, 3, 3)),
            (auction("BMM2", "PSA1"), [(1, "BMM2", 1, 2), (1, "PSA1", 1, 2, "BMM1", 1, 0)], (1, 9, 9)),
            (auction(), [(2, "BMM1", 0, 1, "PSA1", 2, 1)], (3, 9, 3)),
            (auction(), [], (3, 9, 3)),
            (Depart(name="PSA1"), [], (3, 9)),
            (auction(), [(3, "BMM1", 1, 2)], (9, 9)),
        ],
    )


def test_table_5_3():
    """[C table 5.3, page 77]: four applications and twenty-five workstations."""
    assert_rows(
        rules(25),
        [
            (arrive("BMM1", 8, "2.878", 1), [], (3,)),
            (auction(), [(1, "BMM1", 1, 2)], (9,)),
            (arrive("BMM2", 8, "3.205", 1), [], (9, 3)),
            (auction(), [(1, "BMM2", 1, 2)], (9, 9)),
            (arrive("PSA1", 8, "2.146", 1), [], (9, 9, 3)),
            (auction(), [(1, "PSA1", 1, 2, "BMM1", 2, 1)], (3, 9, 9)),
            (SetUnitTimes(name="BMM1", unit_times=times(8, "2.907", 1)), [], (3, 9, 9)),
            (auction(), [(2, "BMM1", 1, 2, "PSA1", 2, 1)], (9, 9, 3)),
            (SetUnitTimes(name="BMM2", unit_times=times(8, "3.187", 1)), [], (9, 9, 3)),
            (arrive("PSA2", 8, "1.323", 1), [], (9, 9, 3, 3)),
            (auction(), [(1, "PSA2", 1, 2, "BMM1", 2, 1)], (3, 9, 3, 9)),
            (auction(), [(2, "BMM1", 1, 2, "PSA2", 2, 1)], (9, 9, 3, 3)),
            (auction(), [], (9, 9, 3, 3)),
        ],
    )


def test_table_5_4():
    """[C table 5.4, page 77]: loaders give workstations back; CSN1 has no unit time to report at the first auction.

    The printed bids 3.171 and 3.301 are not divided by the growth in workstations, which is 3 for both, as (5.8) asks.
    """
    assert_rows(
        rules(12),
        [
            (Load(workstations=10), [], ()),
            (arrive("PSA1", "3.171", 1, "0.5"), [], (1,)),
            (arrive("CSN1", "3.301", 1, "0.5"), [], (1, 1)),
            (Load(workstations=6), [], (1, 1)),
            (auction(exempt=("CSN1",)), [(1, "PSA1", 0, 1)], (3, 1)),
            (auction(), [(1, "CSN1", 0, 1)], (3, 3)),
            (Load(workstations=0), [], (3, 3)),
            (auction(), [(3, "CSN1", 1, 2)], (3, 9)),
        ],
    )


def test_action_1_counts_what_is_needed_besides_where_the_printed_rule_counts_all():
    """Erratum 8: N_avail >= N_c [C figure 5.8, page 73] would leave BMM2 at level 1 at 160 s of table 5.1."""
    *_, before, at_160 = replay(rules(20), [event for event, _, _ in TABLE_5_1[:4]])

    printed = [level for level, workstations in enumerate(GRAINS) if level > 1 and workstations <= before.available]

    assert (before.available, printed) == (8, [])
    assert moves(at_160) == [(1, "BMM2", 1, 2)]


def test_auctions_come_to_rest_where_without_a_gain_they_never_do():
    """Erratum 8: figure 5.8 [C page 73] lets the largest forward bid split even if it is below 1."""
    slower_above = arrive("A", 1, 2, levels=(1, 3))
    events = [slower_above, *[auction()] * 13]

    endless = [moves(outcome) for outcome in replay(rules(3, require_gain=False), events)][1:]
    resting = [moves(outcome) for outcome in replay(rules(3), events)][1:]

    assert endless == [[(1, "A", 0, 1)], *[[(0, "A", 1, 0)], [(2, "A", 0, 1)]] * 6]
    assert resting == [[(1, "A", 0, 1)], [(0, "A", 1, 0)], *[[]] * 11]


def test_smaller_bid_starves_where_the_exact_division_serves_it():
    """Erratum 8: only the largest forward bid is tried [C figure 5.8, page 73]: A needs 6 more, C would need 2."""
    events = [
        Load(workstations=2),
        arrive("A", 3, 1, levels=(3, 9)),
        arrive("C", 2, 1, levels=(1, 3)),
        auction(),
        Load(workstations=0),
        SetUnitTimes(name="A", unit_times=times(3, 1), also_known=(1,)),
        SetUnitTimes(name="C", unit_times=times(2, 1), also_known=(1,)),
        *[auction()] * 5,
    ]

    last = replay(rules(6), events)[-1]
    exact = divide_shares(
        [Levels(workstations=(3, 9), speedups=(1, 3)), Levels(workstations=(1, 3), speedups=(1, 2))], total=6
    )

    assert (last.allocation, last.available) == ({"A": 3, "C": 1}, 2)
    assert exact.levels == (0, 1)


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
    [_, outcome] = replay(rules(total), [Load(workstations=loaded), arrive("A", *[1] * len(levels), levels=levels)])

    assert outcome.level == want_level
    assert outcome.allocation == ({} if want_level is None else {"A": levels[want_level]})


def test_refused_application_may_be_named_and_come_again():
    events = [
        Load(workstations=9),
        arrive("A", 3, 2, 1),
        SetUnitTimes(name="A", unit_times=times(3, 2, 1)),
        auction("A", exempt=("A",)),
        Load(workstations=0),
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
        Load(workstations=8),
        arrive("A", 2, 1, 2),
        Load(workstations=0),
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
        pytest.param(lambda: Load(workstations=-1), "workstations", id="fewer loaders than none"),
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
