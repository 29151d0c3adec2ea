"""Compression against exhaustive search."""

import pytest

from coschedule.problems.al_saqabi.compress import Pool, compress_pools
from engine.brute.pieces import fewest_processors, last_done, least_turnaround
from engine.builders import seeded
from engine.problems.al_saqabi.test_compress import random_speeds


@pytest.mark.parametrize("seed", range(4))
def test_pools_equal_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(500):
        pools = [Pool(pieces=rnd.randint(1, 4), speeds=random_speeds(rnd, 3)) for _ in range(rnd.randint(1, 3))]

        found = compress_pools(pools)

        assert found.turnaround == max(least_turnaround(pool.pieces, pool.speeds) for pool in pools)
        for pool, one in zip(pools, found.pools, strict=True):
            assert len(one.processors) == fewest_processors(pool.pieces, pool.speeds, found.turnaround)
            assert one.counts.sum() == pool.pieces
            assert last_done(one.counts.tolist(), pool.speeds) <= found.turnaround
