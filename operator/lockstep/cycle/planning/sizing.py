"""How large gangs are made: what a member-second of one costs the others (``coschedule.queue.problem.price``).

With Q gangs that wait, R that hold nodes and N nodes, a member-second of a gang keeps each of the others waiting for
its part of the nodes: it costs ``factor * (Q - 1 + R) / N`` seconds. The factor was found by simulating whole queues;
what it gives is nearly the same from 2 to 8.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from lockstep.facts.gang.gang import GangFact
from lockstep.facts.sizing import Sizing


class Contention(NamedTuple):
    """So many gangs wait, so many hold nodes, and so many nodes there are."""

    waiting: int
    running: int
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingPolicy:
    """How large gangs are made; ``factor``, at least 0, counts where it is balanced."""

    sizing: Sizing = Sizing.BALANCED
    factor: float = 4.0

    @property
    def wants_fewest(self) -> bool:
        """Whether gangs get the fewest members that can run."""
        return self.sizing is Sizing.FEWEST

    def asked_for(self, gang: GangFact) -> Self:
        """The same for a gang, which may ask for a sizing of its own."""
        asked = None if gang.spec is None else gang.spec.sizing
        return self if asked is None else replace(self, sizing=asked)

    def member_price(self, among: Contention) -> float:
        """Return what a member-second costs others, in seconds."""
        if self.sizing is not Sizing.BALANCED or not among.nodes:
            return 0.0
        return self.factor * max(0, among.waiting - 1 + among.running) / among.nodes
