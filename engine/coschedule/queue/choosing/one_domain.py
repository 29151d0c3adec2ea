"""The choice for a gang whose members are all in one domain: each domain is a cluster of its own.

Method: domains in the order of a bound on the value, as if the fastest of their nodes were free now, until the next
bound is worse than the best choice found. Equal choices go to the domain whose node has the lowest rank.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.pieces.fastest_nodes import divide_pieces
from coschedule.queue.candidates import Outline
from coschedule.queue.choosing.choice import Choice, Chooser
from coschedule.queue.gangs import PendingGang
from coschedule.queue.slots.timeline import Timeline


class _Best(NamedTuple):
    """A run on the nodes of these ranks; the lesser ``merit`` is the better one."""

    merit: tuple[float, ...]
    outline: Outline
    ranks: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneDomainChooser:
    """Chooses as ``inner`` does, in the best of the domains of nodes, domain[n]; nodes in none have -1.

    ``cheapest`` is the least run time on idle reference nodes, each weighed as its size is (``Price.weights``); 0 where
    it is unknown. See ``Chooser``.
    """

    inner: Chooser
    domain: IntArray
    cheapest: float

    @property
    def gang(self) -> PendingGang:
        """The gang it chooses for."""
        return self.inner.gang

    @property
    def gave_up(self) -> bool:
        """Whether not everything was looked at."""
        return self.inner.gave_up

    @property
    def combinations(self) -> int:
        """How many combinations were looked at, in all domains."""
        return self.inner.combinations

    def choose(self, timeline: Timeline) -> Choice | None:
        """Choose the best run, and its nodes."""
        best = self._best(timeline, np.inf)
        if best is None:
            return None
        choice = self.inner.choose(within(timeline, best.ranks))
        return None if choice is None else choice.ranked(best.ranks)

    def without_limits(self) -> Self:
        """Choose as if members might stay on any node for ever."""
        return replace(self, inner=self.inner.without_limits())

    def outline(self, timeline: Timeline, limit: float) -> Outline | None:
        """Tell of the best run."""
        best = self._best(timeline, limit)
        return None if best is None else best.outline

    def soonest(self, timeline: Timeline) -> Outline | None:
        """Tell of the soonest of all domains' runs."""
        best: Outline | None = None
        for bound, ranks in self.by_bound(timeline):
            if best is not None and bound > best.value:
                break
            outline = self.inner.soonest(within(timeline, ranks))
            if outline is not None and (best is None or outline < best):
                best = outline
        return best

    def by_bound(self, timeline: Timeline) -> Iterator[tuple[float, IntArray]]:
        """List the nodes of each domain by rank, with a bound from below on the value of runs there."""
        domain = self.domain[timeline.node]
        order = np.argsort(domain, kind="stable")
        _, first = np.unique(domain[order], return_index=True)
        groups = [ranks for ranks in np.split(order, first[1:]) if domain[ranks[0]] >= 0] if len(order) else []
        # Nodes of lower rank are faster, so domains by their first nodes are in the order of their bounds.
        largest = sum(role.largest for role in self.gang.roles)
        for ranks in sorted(groups, key=lambda ranks: int(ranks[0])):
            cost = self.cheapest * _slowdown(timeline, ranks[0])
            yield self.gang.price.least_value(timeline.now, cost, largest), ranks

    def _best(self, timeline: Timeline, limit: float) -> "_Best | None":
        """Find the best of all domains' runs of a value up to ``limit``."""
        best: _Best | None = None
        for bound, ranks in self.by_bound(timeline):
            if bound > limit:
                break
            found = self._best_of(within(timeline, ranks), ranks, limit)
            if found is not None and (best is None or found.merit < best.merit):
                best = found
                limit = found.outline.value if self.gang.deadline is None else limit
        return best

    def _best_of(self, domain: Timeline, ranks: IntArray, limit: float) -> "_Best | None":
        if self.gang.work is None:
            choice = self.inner.choose(domain)
            return (
                None if choice is None else _Best(_merit_of_unknown(self.gang, choice, domain), choice.outline, ranks)
            )
        outline = self.inner.outline(domain, limit)
        if outline is None:
            return None
        fewest = (outline.size, outline.finish, outline.start)
        return _Best(outline if self.gang.deadline is None else fewest, outline, ranks)


def _merit_of_unknown(gang: PendingGang, choice: Choice, timeline: Timeline) -> tuple[float, ...]:
    """Prefer the earliest start, then most members; of pieces the earliest end, then the fewest members."""
    for role, nodes in zip(gang.roles, choice.seats, strict=True):
        if role.pieces is not None:
            paces = timeline.pace[timeline.class_of[nodes.ranks]]
            slowdowns = np.repeat(timeline.slowdowns[paces], nodes.counts)
            longest = float((divide_pieces(slowdowns, role.pieces) * slowdowns).max())
            return (choice.outline.start, longest, choice.outline.size)
    return (choice.outline.start, -choice.outline.size)


def within(timeline: Timeline, ranks: IntArray) -> Timeline:
    """Return the timeline of the nodes of these ranks, which rise."""
    kept = np.zeros(len(timeline.node), dtype=np.bool_)
    kept[ranks] = True
    return timeline.only(kept)


def _slowdown(timeline: Timeline, rank: int) -> float:
    return float(timeline.slowdowns[timeline.pace[timeline.class_of[rank]]])
