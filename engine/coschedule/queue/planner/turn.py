"""What there was for a gang when it was its turn."""

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
    """A gang and what was free ``by_now``, when all before it in the plan had been decided.

    ``at_first`` is what is free without anybody that waits. There is no chooser, but a refusal, where nothing can be
    chosen at all.
    """

    gang: PendingGang
    chooser: Chooser | TopologiesCross | TooManyCombinations
    snapshot: Snapshot
    feasibility: Feasibility
    at_first: Timeline
    by_now: Timeline

    def passes(self, role: Role) -> BoolArray:
        """Tell which nodes pass the constraints of one of its roles: bool[n]."""
        return self.feasibility.mask(role.constraints)

    @property
    def earliest(self) -> float:
        """The first instant at which the gang may start: now, as a rule."""
        return max(self.snapshot.now, self.gang.not_before)
