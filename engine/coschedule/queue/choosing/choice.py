"""The choice of a run for one gang. Ranks in it are ranks of nodes (``slots.timeline``), not of members."""

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
    """A run of a gang: its ``outline``, and its ``seats``, which are the chosen nodes of each role.

    ``slowest``, ``latest`` (by rank) and ``alternative`` are as in ``Placement``.
    """

    outline: Outline
    seats: tuple[ChosenNodes, ...]
    slowest: int
    latest: int | None
    alternative: Outline | None

    def ranked(self, ranks: IntArray) -> "Choice":
        """Return the same choice with the rank ``ranks[k]`` in place of the rank ``k``."""
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
    """Chooses a run of one gang, on any timeline."""

    @property
    def gang(self) -> PendingGang:
        """The gang that it chooses for."""

    @property
    def effort(self) -> Effort:
        """The steps that the choice may take, and the steps that it has taken."""

    @property
    def gave_up(self) -> bool:
        """Whether some combinations were not searched: then None need not mean that the gang does not fit."""

    @property
    def combinations(self) -> int:
        """The number of steps spent, about one for each combination of members and nodes."""

    def choose(self, timeline: Timeline) -> Choice | None:
        """Choose the best run of the gang; None where it does not fit, or not in time."""

    def without_limits(self) -> Self:
        """Return the chooser without limits on how long members may stay on nodes."""

    def soonest(self, timeline: Timeline) -> Outline | None:
        """Return the best run of the gang without its deadline."""
