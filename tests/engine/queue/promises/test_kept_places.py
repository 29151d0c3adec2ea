"""Places that are kept all at once, beside keeping them one by one."""

from dataclasses import replace

import pytest

from coschedule.queue.planner.observer import silent
from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.gangs import Kept, Seat
from coschedule.queue.promises.keeping_places import keep, placement_of
from engine.builders import NOW, gang, node, seeded, snapshot
from engine.queue.promises.random_places import random_facts
from engine.queue.soundness import assert_never_too_much


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
