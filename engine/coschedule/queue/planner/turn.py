"""The turn of a gang: the facts and timelines with which it was planned."""

from dataclasses import dataclass

from coschedule.model.numbers import BoolArray
from coschedule.queue.choosing.choice import Chooser
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.problem.gangs import PendingGang, Role
from coschedule.queue.problem.refusals import TooManyCombinations, TopologiesCross
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Turn:
    """A gang and the timeline ``by_now``, after the decisions on all gangs in front of it.

    ``at_first`` is the timeline without any waiting gang. ``chooser`` is a refusal if the roles or terms of the gang
    rule out any choice.
    """

    gang: PendingGang
    chooser: Chooser | TopologiesCross | TooManyCombinations
    snapshot: Snapshot
    feasibility: Feasibility
    at_first: Timeline
    by_now: Timeline

    def passes(self, role: Role) -> BoolArray:
        """Return the nodes that pass the constraints of a role of the gang: bool[n]."""
        return self.feasibility.mask(role.constraints)

    @property
    def earliest(self) -> float:
        """The first instant at which the gang may start: now or, if later, ``not_before``."""
        return max(self.snapshot.now, self.gang.not_before)
