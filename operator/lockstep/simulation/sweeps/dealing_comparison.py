"""Compares pieces dealt beforehand with pieces dealt while members run, if the real speeds differ from the bids."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lockstep.simulation.averages import average, ratio
from lockstep.simulation.sweeps.dealing import DealtWork, MemberLoss

_WIDTHS = (18, 18, 16, 18)


class DealingEnds(NamedTuple):
    """The end in s for both ways to deal; ``ideal`` is the end if pieces could be cut and all speeds were known."""

    beforehand: float
    while_running: float
    ideal: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DealingComparison:
    """A number of ``pieces``, each of ``piece_time`` s on a node of speed 1; bids state the ``speeds`` of the nodes.

    If ``is_lost``, a random member is lost at a random time before the ideal end.
    """

    pieces: int
    piece_time: float
    speeds: Sequence[float]
    is_lost: bool

    def ends(self, off: float, seed: int) -> DealingEnds:
        """Return the ends if real speeds are log-normal around the speeds in bids, with the deviation ``off``."""
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
