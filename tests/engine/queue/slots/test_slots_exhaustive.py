"""Slots over time, counted by the planner's vectors and by looking at every span."""

from itertools import pairwise

import numpy as np
import pytest

from coschedule.queue.loads.unknown_run_time import earliest_start
from coschedule.queue.slots.counts import count_slots
from coschedule.queue.slots.losses import find_losses
from coschedule.queue.slots.open_slots import OpenSlots
from engine.builders import seeded

NOW = 100.0


def random_rows(rnd):
    """Draw classes: pace, width, and spans (begin, slots), no two in a row alike."""
    rows = []
    for _ in range(rnd.randint(1, 6)):
        begins = [NOW, *sorted(rnd.sample([NOW + step for step in range(1, 20)], rnd.randint(0, 8)))]
        slots = [rnd.randint(0, 3)]
        for _ in begins[1:]:
            slots.append(rnd.choice([count for count in range(4) if count != slots[-1]]))
        rows.append((rnd.randrange(3), rnd.randint(1, 3), list(zip(begins, slots, strict=True))))
    return rows


def open_slots_of(rows):
    paces = sorted({pace for pace, _, _ in rows})
    spans = [
        (owner, begin, count, row[index + 1][0] if index + 1 < len(row) else np.inf)
        for owner, (_, _, row) in enumerate(rows)
        for index, (begin, count) in enumerate(row)
    ]
    gains = {later[0] for _, _, row in rows for early, later in pairwise(row) if later[1] > early[1]}
    return OpenSlots(
        number=np.arange(len(rows)),
        pace=np.array([paces.index(pace) for pace, _, _ in rows]),
        width=np.array([width for _, width, _ in rows]),
        slowdowns=np.array([1.0 + pace for pace in paces]),
        owner=np.array([owner for owner, _, _, _ in spans]),
        begin=np.array([begin for _, begin, _, _ in spans]),
        end=np.array([end for _, _, _, end in spans]),
        per_node=np.array([count for _, _, count, _ in spans]),
        instants=np.array(sorted({NOW, *gains})),
    )


def kept(open_slots, pace, start, finish):
    """Count the slots no slower than ``pace`` that are there from start to finish, class by class."""
    total = 0
    for number in range(len(open_slots.number)):
        during = (open_slots.owner == number) & (open_slots.begin < finish) & (open_slots.end > start)
        if open_slots.pace[number] <= pace:
            total += int(open_slots.per_node[during].min() * open_slots.width[number])
    return total


@pytest.mark.parametrize("seed", range(40))
def test_slots_and_losses_count_what_lasts(seed):
    open_slots = open_slots_of(random_rows(seeded(seed)))
    counts, losses = count_slots(open_slots), find_losses(open_slots)
    paces, indices = np.meshgrid(
        np.arange(len(open_slots.slowdowns)), np.arange(len(open_slots.instants)), indexing="ij"
    )
    starts = open_slots.instants[indices.ravel()]
    # Finishes on and between the instants at which anything can change.
    finishes = starts[:, np.newaxis] + np.arange(0.5, 22, 0.5)

    there = counts.at(np.arange(len(open_slots.instants)))[paces.ravel(), indices.ravel()]
    lasting = there[:, np.newaxis] - losses.lost(starts, paces.ravel(), finishes)

    want = [
        [kept(open_slots, pace, start, finish) for finish in row]
        for pace, start, row in zip(paces.ravel(), starts, finishes, strict=True)
    ]
    assert lasting.tolist() == want


@pytest.mark.parametrize("seed", range(40))
def test_slots_can_be_counted_at_some_instants_only(seed):
    rnd = seeded(seed)
    open_slots = open_slots_of(random_rows(rnd))
    counts = count_slots(open_slots)
    some = np.array(sorted(rnd.sample(range(len(open_slots.instants)), rnd.randint(1, len(open_slots.instants)))))

    assert (counts.at(some) == counts.at(np.arange(len(open_slots.instants)))[:, some]).all()


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("ranges", [1, 2])
def test_bound_on_what_outlasts_a_run_is_never_too_low_nor_above_what_is_there(seed, ranges):
    rnd = seeded(seed)
    open_slots = open_slots_of(random_rows(rnd))
    paces = len(open_slots.slowdowns)
    ranges, shortest = min(ranges, paces), rnd.choice([0.0, 0.5, 1.0, 3.0])

    bound = count_slots(open_slots).outlasting(shortest, ranges=ranges)

    for index, start in enumerate(open_slots.instants):
        for range_ in range(ranges):
            slowest = max(pace for pace in range(paces) if pace * ranges // paces <= range_)
            assert kept(open_slots, slowest, start, start + max(shortest, 1e-9)) <= bound[range_, index]
            assert bound[range_, index] <= kept(open_slots, slowest, start, start + 1e-9)


def test_bound_leaves_out_slots_that_do_not_outlast_a_run():
    open_slots = open_slots_of([(0, 1, [(NOW, 2), (NOW + 4, 0), (NOW + 6, 1)])])

    assert count_slots(open_slots).outlasting(4.0, ranges=1).tolist() == [[2, 1]]
    assert count_slots(open_slots).outlasting(4.5, ranges=1).tolist() == [[0, 1]]


@pytest.mark.parametrize("seed", range(40))
def test_earliest_start_finds_slots_that_stay_for_ever(seed):
    rnd = seeded(seed)
    open_slots = open_slots_of(random_rows(rnd))
    minimum = rnd.randint(1, 6)
    slowest = len(open_slots.slowdowns) - 1

    found = earliest_start(open_slots, sizes=np.arange(minimum, 10), among=np.arange(len(open_slots.instants)))

    staying = {start: kept(open_slots, slowest, start, np.inf) for start in open_slots.instants.tolist()}
    enough = [start for start, count in staying.items() if count >= minimum]
    assert (found is None) == (not enough)
    if found is not None:
        assert (found.start, found.size) == (enough[0], min(9, staying[enough[0]]))
