"""Pieces that are dealt beforehand beside pieces that are dealt while they run, on nodes whose speeds are off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lockstep.simulation.averages import average, ratio
from lockstep.simulation.sweeps.dealing import DealtWork, MemberLoss

_WIDTHS = (18, 18, 16, 18)


class DealingEnds(NamedTuple):
    """Ends in s, by both ways to deal; ``ideal`` is as if pieces could be cut and all speeds were known."""

    beforehand: float
    while_running: float
    ideal: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DealingComparison:
    """So many ``pieces``, each of ``piece_time`` s on a node of speed 1, on nodes of these ``speeds`` by their bids.

    If one member ``is_lost``, that is a random one, at a random time before the ideal end.
    """

    pieces: int
    piece_time: float
    speeds: Sequence[float]
    is_lost: bool

    def ends(self, off: float, seed: int) -> DealingEnds:
        """Measure with real speeds that are ``off`` around those of bids, log-normally."""
        random = np.random.default_rng(seed)
        stated = np.array(self.speeds) / self.piece_time
        real = stated * random.lognormal(0.0, off, len(stated))
        ideal = self.pieces / float(real.sum())
        loss = MemberLoss(int(random.integers(len(stated))), float(random.uniform(0, ideal))) if self.is_lost else None
        work = DealtWork(pieces=self.pieces, stated=stated.tolist(), real=real.tolist(), loss=loss)
        return DealingEnds(work.beforehand(), work.while_running(), ideal)

    def table(self, offs: Sequence[float], seeds: Sequence[int]) -> Iterator[str]:
        """Format a line for each error of the speeds: means over the seeds with their 95 % intervals."""
        heads = ("beforehand", "while running", "ratio", "over the ideal")
        yield f"{'speeds off by':<14}" + "".join(f"{head:>{width}}" for head, width in zip(heads, _WIDTHS, strict=True))
        for off in offs:
            ends = [self.ends(off, seed) for seed in seeds]
            cells = zip(_cells(ends), _WIDTHS, strict=True)
            yield f"{f'{off:.0%}':<14}" + "".join(f"{cell:>{width}}" for cell, width in cells)


def _cells(ends: Sequence[DealingEnds]) -> Iterator[str]:
    running = [one.while_running for one in ends]
    yield average([one.beforehand for one in ends]).formatted(0, unit=" s")
    yield average(running).formatted(0, unit=" s")
    yield ratio([one.beforehand for one in ends], running).formatted(2)
    yield ratio(running, [one.ideal for one in ends]).formatted(2)
