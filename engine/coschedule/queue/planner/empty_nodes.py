"""Whether a gang would fit on empty nodes. If so, it waits until other gangs or pods end, and not for more nodes."""

from collections.abc import Callable
from functools import cached_property

from coschedule.queue.choosing.chooser import chooser_of
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.feasible.topology import Topology
from coschedule.queue.owners.choosing import seen_by
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.refusals import Reason, Refusal, TooManyCombinations, TopologiesCross
from coschedule.queue.search.effort import Effort
from coschedule.queue.slots.timeline import Timeline


class EmptyNodes:
    """The nodes of one plan with nothing on them. Their timeline is built when it is needed for the first time."""

    def __init__(self, build: Callable[[], Timeline], feasibility: Feasibility, topology: Topology) -> None:
        self._build = build
        self._feasibility = feasibility
        self._topology = topology

    @cached_property
    def _timeline(self) -> Timeline:
        return self._build()

    def fit(self, gang: PendingGang, refusal: Refusal, effort: Effort) -> bool | None:
        """Return whether a refused gang would fit on empty nodes, by its deadline and in the windows of the nodes.

        Its constraints stay as they are, even where they refer to pods that are on the nodes now. Returns None if the
        search gave up early.
        """
        if refusal.reason is Reason.HELD_BY_GANGS_IN_FRONT and gang.deadline is None:
            # It would fit on the nodes as they are, without the gangs in front.
            return True
        chooser = chooser_of(gang, self._feasibility, self._topology, lambda _: None, effort)
        if isinstance(chooser, TopologiesCross | TooManyCombinations):
            return False
        outline = chooser.soonest(seen_by(gang, self._timeline))
        if outline is None:
            return None if chooser.gave_up else False
        # A deadline binds no gang whose run time is unknown.
        return gang.deadline is None or gang.work is None or outline.finish <= gang.deadline
