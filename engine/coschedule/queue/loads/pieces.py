"""Pieces: the work is whole pieces, divided so that the member that ends last ends as early as possible [S 4].

P members use the fastest slots, each with at least one piece. They run as long as the member whose pieces take longest,
plus the overhead of P members. If runs are equal, the run with the fewest members is taken: this is Compression.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.pieces.fastest_nodes import SizeCosts, choose_size
from coschedule.queue.loads import unequal
from coschedule.queue.loads.unequal import BestSize
from coschedule.queue.problem.price import Price
from coschedule.queue.search.candidates import Candidate, SearchSpace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PiecesLoad:
    """``sizes[p]`` members have an overhead of ``overheads[p]`` seconds; ``sizes`` rise, and are at most ``pieces``.

    A piece takes ``seconds_per_piece`` on an idle reference node.
    """

    pieces: int
    seconds_per_piece: float
    sizes: IntArray
    overheads: FloatArray
    price: Price
    steps_a_run: ClassVar[int] = 20_000

    def where(self, kept: BoolArray) -> Self:
        """Return the load with only the sizes for which ``kept``, bool[p], is True."""
        return replace(self, sizes=self.sizes[kept], overheads=self.overheads[kept])

    def without_price(self) -> Self:
        """Return the load with a price of 0."""
        return replace(self, price=Price())

    def runs_at(self, slowdown: float) -> FloatArray:
        """Return the seconds that each size runs when all its members have this slow-down: float[p]."""
        most = -(-self.pieces // self.sizes)
        runs: FloatArray = most * slowdown * self.seconds_per_piece + self.overheads
        return runs

    def best(self, space: SearchSpace, *, among: IntArray, limit: float) -> Candidate | None:
        """Find the best candidate of a value up to ``limit`` that starts at an instant of ``among``, rising."""
        return unequal.best(space, self, among=among, limit=limit)

    def shortest_runs(self, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Return a lower bound on the run time of any size that fits on ``slots[k]`` slots; see ``GangLoad``."""
        return unequal.shortest_runs(self, slowdowns, slots)

    def least_values(self, starts: FloatArray, slowdowns: FloatArray, slots: IntArray) -> FloatArray:
        """Return a lower bound on the value of runs of any size that fits on ``slots[k]`` slots; see ``GangLoad``."""
        return unequal.least_values(self, starts, slowdowns, slots)

    def least_runs(self, first: IntArray, speed: FloatArray) -> FloatArray:
        """Return lower bounds with the least overhead of any size in each range; see ``UnequalLoad``."""
        overheads = np.minimum.reduceat(self.overheads, first)[:, np.newaxis]
        runs: FloatArray = self.pieces / speed * self.seconds_per_piece + overheads
        return runs

    def best_run(self, _start: float, slowdowns: FloatArray, held: IntArray, /) -> BestSize | None:
        """Divide the pieces among the fastest slots; see ``UnequalLoad``."""
        found = choose_size(
            slowdowns,
            np.diff(held, prepend=0),
            pieces=self.pieces,
            seconds_per_piece=self.seconds_per_piece,
            costs=SizeCosts(self.sizes, self.overheads, self.price.weights(self.sizes)),
        )
        return None if found is None else BestSize(found.seconds, found.size)
