"""Pieces on gangs against exhaustive search."""

import pytest

from coschedule.problems.al_saqabi.offer_refusals import NoRoom
from engine.brute.pieces import best_gang, gang_outcome
from engine.builders import as_node, random_job, random_offer, seeded
from engine.problems.al_saqabi.test_gang_pieces import place


@pytest.mark.parametrize("seed", range(10))
def test_choice_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(200):
        offers, job = [random_offer(rnd) for _ in range(rnd.choice([1, 2, 3, 3, 4]))], random_job(rnd)

        found = place([as_node(offer) for offer in offers], *job)

        best = best_gang(offers, job)
        if best is None:
            assert isinstance(found, NoRoom), (offers, job)
            continue
        assert gang_outcome(offers, job, found.counts.tolist()) == best, (offers, job, found)
        assert (found.finish, found.size, found.start) == best, (offers, job, found)
