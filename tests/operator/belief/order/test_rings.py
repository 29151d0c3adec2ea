"""Rings of gangs that wait for each other, beside a slower way to find them."""

import random

import pytest

from coschedule import GangKey
from lockstep.belief.order.rings import finding_rings

GANGS = 10_000


def key(number):
    return GangKey("default", f"g{number}")


def searched(awaited):
    """The rings, and in how many steps they were found."""
    search, steps = finding_rings(awaited), 0
    while True:
        try:
            next(search)
            steps += 1
        except StopIteration as end:
            return end.value, steps


def reaches_itself(awaited, gang):
    """Whether a gang waits for itself by way of others."""
    seen, left = set(), [*awaited[gang]]
    while left:
        one = left.pop()
        if one == gang:
            return True
        if one not in seen:
            seen.add(one)
            left += awaited.get(one, ())
    return False


@pytest.mark.parametrize("seed", range(200))
def test_each_ring_that_is_found_is_one_and_any_ring_leads_to_a_find(seed):
    chance = random.Random(seed)  # noqa: S311 - a seed, so that a failure can be repeated
    numbers = range(chance.randrange(1, 9))
    awaited = {key(one): [key(chance.randrange(10)) for _ in range(chance.randrange(1, 4))] for one in numbers}
    rings, _ = searched(awaited)

    for gang, place in rings.items():
        assert place.path[0] == gang
        following = [*place.ring[1:], place.ring[0]]
        assert all(other in awaited[one] for one, other in zip(place.ring, following, strict=True))
    assert bool(rings) == any(reaches_itself(awaited, gang) for gang in awaited)


@pytest.mark.parametrize("is_closed", [False, True])
def test_longest_chain_is_searched_in_many_short_steps(is_closed):
    awaited = {key(one): [key((one + 1) % GANGS)] for one in range(GANGS if is_closed else GANGS - 1)}
    rings, steps = searched(awaited)

    assert len(rings) == (GANGS if is_closed else 0)
    assert steps >= GANGS // 1000
