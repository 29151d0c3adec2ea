"""What gangs of a plan take until an unknown end, and which gangs these are."""

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
    """``someday[n, r]`` comes back on each node at an unknown time. Gangs of the plan ``hold`` nodes as long."""

    someday: IntArray
    hold: OpenEnded

    def taking(self, owned: Iterable[tuple[GangKey, Claim]], node: IntArray) -> "WithoutEnd":
        """Return what is known after some claims, gang by gang; the node of rank k has the index node[k]."""
        endless = [(gang, claim) for gang, claim in owned if claim.finish == np.inf]
        if not endless:
            return self
        someday, hold = self.someday.copy(), self.hold
        for gang, of_gang in groupby(endless, key=lambda one: one[0]):
            claims = [claim for _, claim in of_gang]
            for claim in claims:
                indices, taken = node[claim.ranks], claim.counts[:, np.newaxis] * claim.request
                someday[indices] = np.minimum(someday[indices], AMOUNT_LIMIT - taken) + taken
            hold = hold.with_gang(gang, node[np.concatenate([claim.ranks for claim in claims])])
        return WithoutEnd(someday=someday, hold=hold)

    def holding(self, gang: GangKey, nodes: IntArray) -> "WithoutEnd":
        """Return what is known when one more gang keeps these nodes, int[i], from others."""
        return replace(self, hold=self.hold.with_gang(gang, nodes))
