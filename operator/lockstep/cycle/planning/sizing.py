"""How large gangs are made: the price of a gang's member-second for others (``coschedule.queue.problem.price``).

Q gangs wait, R gangs hold nodes, and there are N nodes. All waiting runs of one sweep count as one gang. A
member-second of one gang delays each of the others by its share of the nodes: it costs
``factor * (Q - 1 + R) / N`` seconds. The factor was found by simulating whole queues; results are nearly the same for
factors from 2 to 8.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from coschedule import GangKey
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.sizing import Sizing


class Contention(NamedTuple):
    """The numbers of waiting gangs, of gangs that hold nodes, and of nodes."""

    waiting: int
    running: int
    nodes: int


def number_waiting(gangs: Iterable[GangFact]) -> int:
    """The number of waiting gangs. A sweep counts once, however many of its runs wait."""
    return len({gang.key if gang.run is None else gang.run.sweep for gang in gangs})


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingPolicy:
    """How large gangs are made. ``factor``, at least 0, is used for balanced sizing only."""

    sizing: Sizing = Sizing.BALANCED
    factor: float = 4.0

    @property
    def wants_fewest(self) -> bool:
        """Whether gangs get the fewest members that can run."""
        return self.sizing is Sizing.FEWEST

    def asked_for(self, gang: GangFact) -> Self:
        """The policy for one gang. Its spec may ask for its own sizing."""
        asked = gang.spec.sizing if isinstance(gang, AcceptedGang) else None
        return self if asked is None else replace(self, sizing=asked)

    def of_runs(self, known: Mapping[GangKey, GangFact], keys: Iterable[GangKey]) -> Mapping[GangKey, Sizing]:
        """The sizing of each gang of ``keys`` that runs. Gangs that are gone are left out."""
        return {key: self.asked_for(known[key]).sizing for key in keys if key in known}

    def member_price(self, among: Contention) -> float:
        """The cost of a member-second for others, in seconds."""
        if self.sizing is not Sizing.BALANCED or not among.nodes:
            return 0.0
        return self.factor * max(0, among.waiting - 1 + among.running) / among.nodes
