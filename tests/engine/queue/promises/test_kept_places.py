"""Places that are kept all at once, beside keeping them one by one."""

from dataclasses import replace

import pytest

from coschedule.queue.planner.observer import silent
from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.gangs import Kept, Seat
from coschedule.queue.promises.keeping_places import keep, placement_of
from engine.builders import NOW, gang, node, release, seeded, snapshot
from engine.queue.soundness import assert_never_too_much

NODES = 5


def random_facts(rnd):
    """Describe gangs that keep places at random, so that there is room for some of them only."""
    nodes = [
        node(
            f"n{number}",
            free=(rnd.choice([-1, 0, 1, 2, 3]), rnd.choice([-2, 4])),
            until=rnd.choice([float("inf"), float("inf"), NOW + 40]),
            ready=rnd.random() < 0.9,
        )
        for number in range(NODES)
    ]
    releases = [release(rnd.randrange(NODES), NOW + rnd.randint(1, 40), 1, 1) for _ in range(6)]
    gangs = [random_gang(rnd, number) for number in range(8)]
    return snapshot(nodes, gangs, releases=releases, resources=("cpu", "memory"))


def random_gang(rnd, number):
    """Describe a gang that keeps a place somewhere, some time."""
    start = NOW + rnd.choice([-5, 0, 5, 10, 20, 30])
    chosen = sorted(rnd.sample(range(NODES), rnd.randint(1, 3)))
    seats = tuple(Seat(index, rnd.randint(1, 2)) for index in chosen)
    one = gang(
        f"g{number}",
        size=sum(seat.members for seat in seats),
        times=[20] * 6,
        request=(1, rnd.choice([0, 0, 1])),
        created=float(number),
    )
    return replace(one, kept=Kept(start=start, finish=start + rnd.choice([5, 20]), seats=(seats,)))


@pytest.mark.parametrize("seed", range(60))
def test_what_is_kept_together_fits_and_no_gang_is_left_out_in_vain(seed):
    facts = random_facts(seeded(seed))
    planner = Planner(facts, silent, None)
    keeping = keep(planner, sorted(facts.gangs, key=lambda one: one.kept.start), apart=())
    kept = {key: placement_of(place, keeping.whole) for key, place in keeping.places.items()}
    gangs = {one.key: one for one in facts.gangs}

    assert_never_too_much(facts, kept.values(), gangs)
    for one in facts.gangs:
        if one.key in kept:
            assert kept[one.key].start == max(NOW, one.kept.start)
            assert [(entry.node, entry.count) for entry in kept[one.key].members] == [
                (f"n{seat.node}", seat.members) for seat in one.kept.seats[0]
            ]
        else:
            assert keep(keeping.whole, [one], apart=()).places == {}


@pytest.mark.parametrize("seed", range(30))
def test_places_that_are_taken_again_leave_the_same(seed):
    """A plan that takes over what another has kept decides the next gang alike."""
    facts = random_facts(seeded(seed))
    first = Planner(facts, silent, None)
    gangs = sorted(facts.gangs, key=lambda one: one.kept.start)
    together = keep(first, gangs, apart=())
    apart = keep(first, gangs, apart={one.key for one in gangs[::2]})
    first.take(list(together.places.values()))
    next_one = gang("next", size=1, times=[10], request=(1, 0))

    decided = first.decide(next_one)
    assert together.whole.decide(next_one) == together.beside.decide(next_one) == decided
    assert apart.places.keys() == together.places.keys()
    assert apart.whole.decide(next_one) == decided


def test_place_of_a_gang_that_starts_now_says_what_else_there_was():
    one = gang("a", size=1, most=2, serial=40)
    one = replace(one, kept=Kept(start=NOW, finish=NOW + 20, seats=((Seat(0, 1), Seat(1, 1)),)))
    planner = Planner(snapshot([node("n0"), node("n1")], [one]), silent, None)
    keeping = keep(planner, [one], apart=())
    [place] = keeping.places.values()

    placement = placement_of(place, keeping.whole)
    assert placement.alternative.size == 1
