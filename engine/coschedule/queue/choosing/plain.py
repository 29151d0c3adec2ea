"""The choice for a gang of one role, without terms among its members that concern several nodes."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from coschedule.queue.choosing.choice import Choice
from coschedule.queue.choosing.demand import Demand
from coschedule.queue.choosing.limiting_nodes import find_limiting_nodes
from coschedule.queue.problem.gangs import RESOLUTION_SECONDS, PendingGang
from coschedule.queue.search.candidates import Outline, outline_of
from coschedule.queue.search.effort import Effort
from coschedule.queue.search.node_choice import choose_nodes
from coschedule.queue.slots.timeline import Timeline


class Standing(NamedTuple):
    """Whether a gang keeps a run that was chosen before and, if so, the alternative to this run (see ``Placement``)."""

    is_best: bool
    alternative: Outline | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlainChooser:
    """Chooses the best candidate of a demand; see ``Chooser``."""

    demand: Demand

    @property
    def gang(self) -> PendingGang:
        """The gang it chooses for."""
        return self.demand.gang

    @property
    def effort(self) -> Effort:
        """The steps that the choice may take, and the steps that it has taken."""
        return self.demand.effort

    @property
    def gave_up(self) -> bool:
        """False: where a run is possible, one is always found."""
        return False

    @property
    def combinations(self) -> int:
        """The number of steps spent."""
        return self.demand.effort.total

    def choose(self, timeline: Timeline) -> Choice | None:
        """Choose the best candidate, and its nodes."""
        space = self.demand.search_space(timeline)
        best = self.demand.best(space)
        if best is None:
            return None
        start, finish = best.start, best.finish
        nodes = choose_nodes(timeline, space.open_slots, size=best.size, start=start, finish=finish, pace=best.pace)
        limits = find_limiting_nodes(timeline, space.open_slots, nodes, start)
        outline = Outline(best.value, best.size, start, finish)
        return Choice(
            outline=outline,
            seats=(nodes,),
            slowest=limits.slowest,
            latest=limits.latest,
            alternative=outline_of(self.demand.alternative(space, outline)),
        )

    def without_limits(self) -> Self:
        """Return the chooser without limits on how long members may stay on nodes."""
        return replace(self, demand=replace(self.demand, stays=None))

    def alternative(self, timeline: Timeline, chosen: Outline) -> Outline | None:
        """Return the alternative to a run that was chosen before; see ``Placement``."""
        return outline_of(self.demand.alternative(self.demand.search_space(timeline), chosen))

    def standing(self, timeline: Timeline, chosen: Outline) -> Standing:
        """Return whether the gang keeps its earlier run ``chosen``: it does unless a better run starts no later.

        ``timeline`` has no claims of the run ``chosen``.
        """
        space = self.demand.search_space(timeline)
        # The run of the previous plan may be shorter than the same run now, as times are rounded to seconds.
        limit = self.gang.price.value(chosen.start, chosen.finish + RESOLUTION_SECONDS, chosen.size)
        best = outline_of(self.demand.best(space, limit))
        if best is not None and best.start <= chosen.start and _is_another(best, chosen):
            return Standing(is_best=False)
        return Standing(is_best=True, alternative=outline_of(self.demand.alternative(space, chosen)))

    def soonest(self, timeline: Timeline) -> Outline | None:
        """Return the best candidate, whatever the deadline."""
        return outline_of(self.demand.soonest(self.demand.search_space(timeline)))


def _is_another(best: Outline, chosen: Outline) -> bool:
    """Return whether a candidate differs from the run ``chosen`` by the previous plan.

    The finish of that run was rounded to seconds. So a candidate that ends at most one second sooner is the same run.
    """
    if (best.start, best.size) != (chosen.start, chosen.size):
        return True
    return best.finish < chosen.finish - RESOLUTION_SECONDS
