"""The share auction against its rules written down a second time, and what must hold for any sequence of events."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.problems.shum.auction import ShareMarket, replay
from coschedule.problems.shum.events import Arrive, AuctionRules, Depart, HoldAuction, Loaders, SetUnitTimes
from engine.brute.auction import Cluster
from engine.builders import seeded

NAMES = "ABCDE"
POSITIVE = sorted({Fraction(part, whole) for whole in (1, 2, 3) for part in range(1, 9 * whole + 1)})


def random_times(rnd, count):
    if rnd.random() < 0.4:
        return tuple(Fraction(rnd.choice([1, 2, 3]), rnd.choice([1, 2])) for _ in range(count))
    return tuple(sorted((Fraction(rnd.randint(1, 12), rnd.choice([1, 2, 3])) for _ in range(count)), reverse=True))


def random_event(rnd, here):
    """Draw an event that makes sense when ``here`` maps who has arrived to its number of levels."""
    away = [name for name in NAMES if name not in here]
    kind = rnd.random()
    if away and (kind < 0.25 or not here):
        levels = tuple(sorted(rnd.sample([1, 2, 3, 5, 9], rnd.randint(1, 3))))
        return Arrive(name=rnd.choice(away), levels=levels, unit_times=random_times(rnd, len(levels)))
    if kind < 0.31:
        return Depart(name=rnd.choice(list(here)))
    if kind < 0.37:
        return Loaders(workstations=rnd.randint(0, 8))
    if kind < 0.45:
        name = rnd.choice(list(here))
        known = tuple(level for level in range(here[name]) if rnd.random() < 0.3)
        return SetUnitTimes(name=name, unit_times=random_times(rnd, here[name]), also_known=known)
    order = tuple(rnd.sample(list(here), rnd.choice([0, 0, len(here)])))
    return HoldAuction(order=order, exempt=tuple(name for name in here if rnd.random() < 0.1))


def apply_by_rules(cluster, event):
    """Let an event happen in the second writing; give its level or its moves."""
    match event:
        case Arrive():
            return cluster.arrive(event.name, event.levels, event.unit_times)
        case Depart():
            cluster.depart(event.name)
        case Loaders():
            cluster.loaded = event.workstations
        case SetUnitTimes():
            cluster.times[event.name] = event.unit_times
            for level in event.also_known:
                cluster.measured[event.name][level] = event.unit_times[level]
        case HoldAuction():
            return cluster.auction(event.order, event.exempt)
    return None


def written(move):
    donation = move.donation
    given = (None,) * 3 if donation is None else (donation.name, donation.from_level, donation.to_level)
    return (int(move.kind), move.name, move.from_level, move.to_level, *given)


@pytest.mark.parametrize("seed", range(5))
def test_auctions_follow_the_rules(seed):
    rnd, kinds = seeded(seed), set()
    for _ in range(440):
        total, psi = rnd.randint(3, 25), Fraction(rnd.choice([1, "1.05", "1.2", 2]))
        require_gain = rnd.random() < 0.7
        market = ShareMarket(AuctionRules(total=total, psi=psi, require_gain=require_gain))
        cluster = Cluster(total, psi, require_gain=require_gain)
        here, events = {}, []
        for _ in range(14):
            event = random_event(rnd, here)
            events.append(event)

            outcome, want = market.apply(event), apply_by_rules(cluster, event)

            got = [written(move) for move in outcome.moves] if isinstance(event, HoldAuction) else outcome.level
            assert got == want, events
            assert (outcome.allocation, outcome.available) == (cluster.allocation(), cluster.free()), events
            kinds |= {(move.kind, move.donation is None) for move in outcome.moves}
            here = {name: len(cluster.levels[name]) for name in outcome.allocation}
    assert len(kinds) == 6, "every action occurs, the first two with and without a donor"


@st.composite
def scenarios(draw):
    """Draw a number of workstations and applications that arrive in a cluster that may be loaded for a while."""
    positive = st.sampled_from(POSITIVE)
    applications = []
    for name in NAMES[: draw(st.integers(1, 5))]:
        levels = tuple(sorted(draw(st.sets(st.integers(1, 9), min_size=1, max_size=4))))
        unit_times = tuple(draw(st.lists(positive, min_size=len(levels), max_size=len(levels))))
        applications.append(Arrive(name=name, levels=levels, unit_times=unit_times))
    return draw(st.integers(1, 25)), applications


def held_auctions(total, applications, *, psi=Fraction(6, 5), count=40):
    events = []
    for application in applications:
        events += [application, HoldAuction()]
    return replay(AuctionRules(total=total, psi=psi), [*events, *[HoldAuction()] * count])


@given(scenarios())
def test_no_workstation_is_held_twice_and_none_appears(scenario):
    total, applications = scenario

    for outcome in held_auctions(total, applications, count=9):
        assert outcome.available >= 0
        assert sum(outcome.allocation.values()) + outcome.available == total


@given(scenarios())
def test_each_application_moves_at_most_once_an_auction(scenario):
    total, applications = scenario

    for outcome in held_auctions(total, applications, count=9):
        moved = [move.name for move in outcome.moves]
        moved += [move.donation.name for move in outcome.moves if move.donation is not None]
        assert len(moved) == len(set(moved))


@given(scenarios(), st.sampled_from([1, Fraction(6, 5), 3]))
def test_auctions_come_to_rest_and_stay_there(scenario, psi):
    outcomes = held_auctions(*scenario, psi=psi, count=150)

    assert all(outcome.moves == () for outcome in outcomes[-5:])


@given(scenarios(), st.sampled_from(POSITIVE))
def test_unit_of_an_applications_times_changes_nothing(scenario, unit):
    total, [first, *rest] = scenario
    scaled = replace(first, unit_times=tuple(unit * time for time in first.unit_times))

    assert held_auctions(total, [first, *rest], count=9) == held_auctions(total, [scaled, *rest], count=9)


@given(scenarios())
def test_floats_are_compared_as_the_rationals_they_are(scenario):
    total, applications = scenario
    in_floats = [replace(one, unit_times=tuple(float(time) for time in one.unit_times)) for one in applications]
    as_rationals = [replace(one, unit_times=tuple(Fraction(time) for time in one.unit_times)) for one in in_floats]

    assert held_auctions(total, in_floats, count=9) == held_auctions(total, as_rationals, count=9)
