"""Slots over time, counted by the planner's vectors and by looking at every span."""

from itertools import pairwise

import numpy as np
import pytest

from coschedule.queue.loads.unknown_run_time import earliest_start
from coschedule.queue.slots.counts import count_outlasting
from coschedule.queue.slots.from_start import slots_from
from coschedule.queue.slots.open_slots import limited
from coschedule.queue.slots.stretches import find_stretches
from engine.builders import seeded

NOW = 100.0
FINISHES = np.arange(0.5, 22, 0.5)
"""Seconds after a start: on and between the instants at which anything can change."""


def random_rows(rnd):
    """Draw classes: pace, width, and spans (begin, slots), no two in a row alike."""
    rows = [(rnd.randrange(3), 1, [(NOW, 1)])]
    for _ in range(rnd.randint(1, 6)):
        begins = [NOW, *sorted(rnd.sample([NOW + step for step in range(1, 20)], rnd.randint(0, 8)))]
        slots = [rnd.randint(0, 3)]
        for _ in begins[1:]:
            slots.append(rnd.choice([count for count in range(4) if count != slots[-1]]))
        rows.append((rnd.randrange(3), rnd.randint(1, 3), list(zip(begins, slots, strict=True))))
    return rows


def open_slots_of(rows, *, most=9, first=NOW):
    spans = [(owner, begin, count) for owner, (_, _, row) in enumerate(rows) for begin, count in row]
    owner, begin, count = (np.array(column) for column in zip(*spans, strict=True))
    times, begin = np.unique(begin, return_inverse=True)
    return limited(
        find_stretches(owner, begin, count, times=times, classes=len(rows)),
        slowdowns=np.array([1.0, 2.0, 3.0]),
        pace=np.array([pace for pace, _, _ in rows]),
        width=np.array([width for _, width, _ in rows]),
        most=most,
        first=first,
    )


def lasting(rows, slowest, start, finish, most=9):
    """Count the slots no slower than ``slowest`` that are there from start to finish, class by class."""
    total = 0
    for pace, width, row in rows:
        ends = [*(begin for begin, _ in row[1:]), np.inf]
        during = [
            count for (begin, count), end in zip(row, ends, strict=True) if begin < finish and end > start and count
        ]
        whole = all(count for (begin, count), end in zip(row, ends, strict=True) if begin < finish and end > start)
        if 1.0 + pace <= slowest and whole:
            total += min(most, *during) * width
    return total


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("most", [1, 2, 9])
def test_slots_from_a_start_less_what_is_lost_are_those_that_last(seed, most):
    rows = random_rows(seeded(seed))
    open_slots = open_slots_of(rows, most=most)
    paces = np.arange(len(open_slots.slowdowns))
    for start in [*open_slots.instants.tolist(), NOW + 3.25]:
        slots = slots_from(open_slots, start)
        finishes = np.tile(start + FINISHES, (len(paces), 1))

        there = slots.held[:, np.newaxis] - slots.lost(paces, finishes)

        want = [
            [lasting(rows, slowest, start, start + more, most) for more in FINISHES] for slowest in open_slots.slowdowns
        ]
        assert there.tolist() == want
        assert [(slots.held - slots.lost_by(start + more)).tolist() for more in FINISHES] == there.T.tolist()


@pytest.mark.parametrize("seed", range(40))
def test_what_is_lost_soon_is_what_is_lost_at_each_pace_before_its_own_finish(seed):
    rnd = seeded(seed)
    open_slots = open_slots_of(random_rows(rnd))
    start = rnd.choice(open_slots.instants.tolist())
    slots, finishes = slots_from(open_slots, start), start + open_slots.slowdowns * rnd.choice([0.5, 2, 4])

    soon = slots.lost_soon(finishes)

    assert soon.tolist() == [slots.lost_by(finish)[pace] for pace, finish in enumerate(finishes)]


@pytest.mark.parametrize("seed", range(40))
def test_gang_need_start_only_when_slots_come(seed):
    rnd = seeded(seed)
    rows, most, first = random_rows(rnd), rnd.randint(1, 3), NOW + rnd.choice([0, 4.5, 30])

    instants = open_slots_of(rows, most=most, first=first).instants

    gains = {
        later[0]
        for _, _, row in rows
        for early, later in pairwise(row)
        if min(later[1], most) > min(early[1], most) and later[0] > first
    }
    assert instants.tolist() == sorted({first, *gains})


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("most", [1, 9])
def test_slots_that_outlast_a_run_are_counted_at_every_instant(seed, most):
    rnd = seeded(seed)
    rows = random_rows(rnd)
    open_slots = open_slots_of(rows, most=most)
    slowdowns = open_slots.slowdowns
    paces = len(slowdowns)
    ranges = rnd.randint(1, paces) if paces else 1
    shortest = np.sort(np.array([rnd.choice([0.5, 1.0, 3.0, 7.5, np.inf]) for _ in range(ranges)]))

    among = np.flatnonzero([rnd.random() < 0.8 for _ in open_slots.instants])

    counted = count_outlasting(open_slots, shortest, among=among)

    for index, start in enumerate(open_slots.instants[among]):
        for range_ in range(ranges):
            slowest = max((slowdowns[pace] for pace in range(paces) if pace * ranges // paces <= range_), default=0)
            assert counted[range_, index] == lasting(rows, slowest, start, start + shortest[range_], most)


def test_slots_that_come_again_are_not_there_meanwhile():
    open_slots = open_slots_of([(0, 1, [(NOW, 2), (NOW + 4, 0), (NOW + 6, 1)])])

    assert count_outlasting(open_slots, np.array([4.0]), among=np.arange(2)).tolist() == [[2, 1]]
    assert count_outlasting(open_slots, np.array([4.5]), among=np.arange(2)).tolist() == [[0, 1]]


@pytest.mark.parametrize("seed", range(40))
def test_earliest_start_finds_slots_that_stay_for_ever(seed):
    rnd = seeded(seed)
    rows, minimum = random_rows(rnd), rnd.randint(1, 6)
    open_slots = open_slots_of(rows)

    found = earliest_start(open_slots, sizes=np.arange(minimum, 10), among=np.arange(len(open_slots.instants)))

    staying = {start: lasting(rows, np.inf, start, np.inf) for start in open_slots.instants.tolist()}
    enough = [start for start, count in staying.items() if count >= minimum]
    assert (found is None) == (not enough)
    if found is not None:
        assert (found.start, found.size) == (enough[0], min(9, staying[enough[0]]))
