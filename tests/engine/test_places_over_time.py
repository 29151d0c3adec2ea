"""Places over time, counted by the planner's vectors and by looking at every piece."""

from itertools import pairwise

import numpy as np
import pytest

from coschedule.queue.loads.unknown_run_time import earliest_start
from coschedule.queue.slots.counts import tally_of
from coschedule.queue.slots.losses import losses_of
from coschedule.queue.slots.open_slots import Room
from engine.builders import seeded

NOW = 100.0


def random_rows(rnd):
    """Draw classes: pace, width, and pieces (begin, places), no two in a row alike."""
    rows = []
    for _ in range(rnd.randint(1, 6)):
        begins = [NOW, *sorted(rnd.sample([NOW + step for step in range(1, 20)], rnd.randint(0, 8)))]
        places = [rnd.randint(0, 3)]
        for _ in begins[1:]:
            places.append(rnd.choice([count for count in range(4) if count != places[-1]]))
        rows.append((rnd.randrange(3), rnd.randint(1, 3), list(zip(begins, places, strict=True))))
    return rows


def room_of(rows):
    paces = sorted({pace for pace, _, _ in rows})
    pieces = [
        (owner, begin, count, pieces[index + 1][0] if index + 1 < len(pieces) else np.inf)
        for owner, (_, _, pieces) in enumerate(rows)
        for index, (begin, count) in enumerate(pieces)
    ]
    gains = {later[0] for _, _, row in rows for early, later in pairwise(row) if later[1] > early[1]}
    return Room(
        number=np.arange(len(rows)),
        pace=np.array([paces.index(pace) for pace, _, _ in rows]),
        width=np.array([width for _, width, _ in rows]),
        slowdowns=np.array([1.0 + pace for pace in paces]),
        owner=np.array([owner for owner, _, _, _ in pieces]),
        begin=np.array([begin for _, begin, _, _ in pieces]),
        end=np.array([end for _, _, _, end in pieces]),
        places=np.array([count for _, _, count, _ in pieces]),
        instants=np.array(sorted({NOW, *gains})),
    )


def kept(room, pace, start, finish):
    """Count the places no slower than ``pace`` that are there from start to finish, class by class."""
    total = 0
    for number in range(len(room.number)):
        during = (room.owner == number) & (room.begin < finish) & (room.end > start)
        if room.pace[number] <= pace:
            total += int(room.places[during].min() * room.width[number])
    return total


@pytest.mark.parametrize("seed", range(40))
def test_places_and_losses_count_what_lasts(seed):
    room = room_of(random_rows(seeded(seed)))
    tally, losses = tally_of(room), losses_of(room)
    paces, indices = np.meshgrid(np.arange(len(room.slowdowns)), np.arange(len(room.instants)), indexing="ij")
    starts = room.instants[indices.ravel()]
    # Finishes on and between the instants at which anything can change.
    finishes = starts[:, np.newaxis] + np.arange(0.5, 22, 0.5)

    there = tally.places(np.arange(len(room.instants)))[paces.ravel(), indices.ravel()]
    lasting = there[:, np.newaxis] - losses.lost(starts, paces.ravel(), finishes)

    want = [
        [kept(room, pace, start, finish) for finish in row]
        for pace, start, row in zip(paces.ravel(), starts, finishes, strict=True)
    ]
    assert lasting.tolist() == want


@pytest.mark.parametrize("seed", range(40))
def test_places_can_be_counted_at_some_instants_only(seed):
    rnd = seeded(seed)
    room = room_of(random_rows(rnd))
    tally = tally_of(room)
    some = np.array(sorted(rnd.sample(range(len(room.instants)), rnd.randint(1, len(room.instants)))))

    assert (tally.places(some) == tally.places(np.arange(len(room.instants)))[:, some]).all()


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("ranges", [1, 2])
def test_bound_on_what_outlasts_a_run_is_never_too_low_nor_above_what_is_there(seed, ranges):
    rnd = seeded(seed)
    room = room_of(random_rows(rnd))
    paces = len(room.slowdowns)
    ranges, shortest = min(ranges, paces), rnd.choice([0.0, 0.5, 1.0, 3.0])

    bound = tally_of(room).outlasting(shortest, ranges=ranges)

    for index, start in enumerate(room.instants):
        for range_ in range(ranges):
            slowest = max(pace for pace in range(paces) if pace * ranges // paces <= range_)
            assert kept(room, slowest, start, start + max(shortest, 1e-9)) <= bound[range_, index]
            assert bound[range_, index] <= kept(room, slowest, start, start + 1e-9)


def test_bound_leaves_out_places_that_do_not_outlast_a_run():
    room = room_of([(0, 1, [(NOW, 2), (NOW + 4, 0), (NOW + 6, 1)])])

    assert tally_of(room).outlasting(4.0, ranges=1).tolist() == [[2, 1]]
    assert tally_of(room).outlasting(4.5, ranges=1).tolist() == [[0, 1]]


@pytest.mark.parametrize("seed", range(40))
def test_earliest_start_finds_places_that_stay_for_ever(seed):
    rnd = seeded(seed)
    room = room_of(random_rows(rnd))
    minimum = rnd.randint(1, 6)
    slowest = len(room.slowdowns) - 1

    found = earliest_start(room, minimum=minimum, maximum=9, among=np.arange(len(room.instants)))

    staying = {start: kept(room, slowest, start, np.inf) for start in room.instants.tolist()}
    enough = [start for start, count in staying.items() if count >= minimum]
    assert (found is None) == (not enough)
    if found is not None:
        assert (found.start, found.size) == (enough[0], min(9, staying[enough[0]]))
