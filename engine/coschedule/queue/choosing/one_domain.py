"""The choice for a gang whose members must all be in one domain: each domain is searched as a cluster of its own.

Few domains are searched (``best_domain``). If choices are equal, the domain of the node with the lowest rank wins.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.choosing.best_domain import best_domain
from coschedule.queue.choosing.by_roles import RolesChooser
from coschedule.queue.choosing.choice import Choice
from coschedule.queue.choosing.plain import PlainChooser
from coschedule.queue.choosing.plain_rivals import PlainRivals
from coschedule.queue.choosing.roles_rivals import RolesRivals
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.search.candidates import Outline
from coschedule.queue.search.effort import Effort
from coschedule.queue.search.goals import RunGoal, goal_of, soonest_goal_of
from coschedule.queue.slots.domains import domains_of
from coschedule.queue.slots.timeline import Timeline


class _BestDomain(NamedTuple):
    """The best run, and the ranks of the nodes of its domain."""

    outline: Outline
    ranks: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneDomainChooser:
    """Chooses like ``inner``, in the best domain; node n is in ``domain[n]``, -1 for none. See ``Chooser``."""

    inner: PlainChooser | RolesChooser
    domain: IntArray

    @property
    def gang(self) -> PendingGang:
        """The gang it chooses for."""
        return self.inner.gang

    @property
    def effort(self) -> Effort:
        """The steps that the choice may take, in all domains, and the steps that it has taken."""
        return self.inner.effort

    @property
    def gave_up(self) -> bool:
        """Whether some combinations were not searched."""
        return self.inner.gave_up or self.inner.effort.is_exhausted

    @property
    def combinations(self) -> int:
        """The number of steps spent, in all domains."""
        return self.inner.combinations

    def choose(self, timeline: Timeline) -> Choice | None:
        """Choose the best run, and its nodes."""
        best = self._best(timeline, goal_of(self.gang))
        if best is None:
            return None
        choice = self.inner.choose(timeline.of_ranks(best.ranks))
        return None if choice is None else choice.ranked(best.ranks)

    def without_limits(self) -> Self:
        """Return the chooser without limits on how long members may stay on nodes."""
        return replace(self, inner=self.inner.without_limits())

    def soonest(self, timeline: Timeline) -> Outline | None:
        """Return the best run in any domain, whatever the deadline."""
        best = self._best(timeline, soonest_goal_of(self.gang))
        return None if best is None else best.outline

    def domains(self, timeline: Timeline) -> list[IntArray]:
        """List the ranks of the nodes of each domain."""
        domains = domains_of(timeline, self.domain)
        return [domains.ranks(domain) for domain in np.argsort(domains.lowest).tolist()]

    def _best(self, timeline: Timeline, goal: RunGoal) -> _BestDomain | None:
        rivals = self._rivals(timeline, goal)
        best = None if rivals is None else best_domain(rivals, self.inner.effort)
        if rivals is None or best is None:
            return None
        return _BestDomain(best.run.outline, rivals.domains.ranks(best.domain))

    def _rivals(self, timeline: Timeline, goal: RunGoal) -> PlainRivals | RolesRivals | None:
        if isinstance(self.inner, PlainChooser):
            return PlainRivals.of(self.inner.demand, timeline, self.domain, goal)
        return RolesRivals.of(self.inner, timeline, self.domain, goal)
