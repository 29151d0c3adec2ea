"""What was chosen for one gang, before nodes have names."""

from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.search.candidates import Outline
from coschedule.queue.search.effort import Effort
from coschedule.queue.search.node_choice import ChosenNodes
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choice:
    """A gang that runs as ``outline`` says: members of each role, in their order, on the nodes of ``seats``.

    ``slowest``, ``latest`` (by rank) and ``alternative`` as in ``Placement``.
    """

    outline: Outline
    seats: tuple[ChosenNodes, ...]
    slowest: int
    latest: int | None
    alternative: Outline | None

    def ranked(self, ranks: IntArray) -> "Choice":
        """Return the same choice where the node of rank ``k`` is called ``ranks[k]``."""
        return replace(
            self,
            seats=tuple(_ranked(nodes, ranks) for nodes in self.seats),
            slowest=int(ranks[self.slowest]),
            latest=None if self.latest is None else int(ranks[self.latest]),
        )


def _ranked(nodes: ChosenNodes, ranks: IntArray) -> ChosenNodes:
    called = ranks[nodes.ranks]
    rising = np.argsort(called)
    return ChosenNodes(called[rising], nodes.counts[rising])


class Chooser(Protocol):
    """Chooses for one gang, from any timeline."""

    @property
    def gang(self) -> PendingGang:
        """The gang it chooses for."""

    @property
    def effort(self) -> Effort:
        """What there is for its choice."""

    @property
    def gave_up(self) -> bool:
        """Whether not everything was looked at: then None need not mean that the gang does not fit."""

    @property
    def combinations(self) -> int:
        """How many combinations of members and nodes were looked at, where that may be many."""

    def choose(self, timeline: Timeline) -> Choice | None:
        """Choose the best way to run the gang; None where it does not fit, or not in time."""

    def without_limits(self) -> Self:
        """Choose as if members might stay on any node for ever."""

    def soonest(self, timeline: Timeline) -> Outline | None:
        """Tell how the gang would run without its deadline."""
