"""Expansion against exhaustive search."""

from fractions import Fraction

import pytest

from coschedule.problems.al_saqabi.expand import ExpandObjective, expand
from coschedule.problems.al_saqabi.offer_refusals import NoRoom
from engine.brute.pieces import pattern_size, pattern_turnaround, patterns
from engine.builders import seeded
from engine.problems.al_saqabi.test_expand import check


def random_map(rnd):
    free = [[name for name in "abcd" if rnd.random() < 0.6] for _ in range(rnd.randint(1, 4))]
    kinds = [Fraction(rnd.randint(1, 5), rnd.choice([1, 2])) for _ in range(2)]
    return free, {name: rnd.choice(kinds) for name in "abcd"}, rnd.randint(1, 5)


@pytest.mark.parametrize("seed", range(10))
def test_pattern_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(200):
        free, speeds, pieces = random_map(rnd)
        every = list(patterns(free))

        fastest = expand(free, speeds, pieces)
        largest = expand(free, speeds, pieces, objective=ExpandObjective.SIZE)

        if not every:
            assert isinstance(fastest, NoRoom)
            assert isinstance(largest, NoRoom)
            continue
        assert fastest.turnaround == min(pattern_turnaround(one, free, speeds, pieces) for one in every)
        assert largest.size == max(pattern_size(one, speeds) for one in every)
        for found in (fastest, largest):
            check(found, free, speeds, pieces)
