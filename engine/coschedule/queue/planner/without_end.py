"""The resources that gangs of a plan use until an unknown end, and the keys of these gangs."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.open_ended import OpenEnded
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT
from coschedule.queue.slots.claims import Claim


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WithoutEnd:
    """Node n gets ``of_unknown_end[n, r]`` back at an unknown time.

    ``hold`` has the gangs of the plan that are of unknown end, or that hold nodes.
    """

    of_unknown_end: IntArray
    hold: OpenEnded

    def taking(self, owned: Iterable[tuple[GangKey, Claim]], node: IntArray) -> "WithoutEnd":
        """Return these facts after more claims; the node of rank k has the index node[k].

        ``owned`` must list all claims of a gang one after the other.
        """
        endless = [(gang, claim) for gang, claim in owned if claim.finish == np.inf]
        if not endless:
            return self
        freed, hold = self.of_unknown_end.copy(), self.hold
        for gang, of_gang in groupby(endless, key=lambda one: one[0]):
            claims = [claim for _, claim in of_gang]
            for claim in claims:
                indices, taken = node[claim.ranks], claim.counts[:, np.newaxis] * claim.request
                freed[indices] = np.minimum(freed[indices], AMOUNT_LIMIT - taken) + taken
            hold = hold.with_gang(gang, node[np.concatenate([claim.ranks for claim in claims])])
        return WithoutEnd(of_unknown_end=freed, hold=hold)

    def holding(self, gang: GangKey, nodes: IntArray) -> "WithoutEnd":
        """Return these facts with one more gang that holds these nodes, int[i]."""
        return replace(self, hold=self.hold.with_gang(gang, nodes))
