"""The refusals that a plan has given: a gang that asks for the same on the same timeline gets the same refusal.

Each refusal takes several searches, and a thousand gangs of one template may wait. The search runs once for all of
them, as long as nothing is claimed between them.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from coschedule.model.kinds import KindFactor
from coschedule.model.run_times import Work
from coschedule.queue.planner.without_end import WithoutEnd
from coschedule.queue.problem.decisions import Unplaceable
from coschedule.queue.problem.gangs import PendingGang, Role
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.terms import Term
from coschedule.queue.slots.timeline import Timeline


class _AskedFor(NamedTuple):
    """The fields of a ``PendingGang`` that determine its refusal.

    The promise is left out, since a gang is refused only if it fits at no time at all.
    """

    priority: int
    roles: tuple[Role, ...]
    work: Work | None
    deadline: float | None
    member_price: float
    not_before: float
    may_hold: bool
    held: tuple[int, ...]
    terms: tuple[Term, ...]
    interruptible: Interruptible
    checkpoint_interval: float
    factors: tuple[KindFactor, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownRefusals:
    """The refusals of gangs without a node hold, on one ``timeline``, where gangs use nodes ``without_end``.

    There is at most one refusal for each waiting gang.
    """

    timeline: Timeline
    without_end: WithoutEnd
    by_ask: dict[Hashable, Unplaceable] = field(default_factory=dict)

    def are_of(self, timeline: Timeline, without_end: WithoutEnd) -> bool:
        """Return whether the refusals are of this timeline and these facts, so that nothing was claimed since."""
        return self.timeline is timeline and self.without_end is without_end

    def of(self, gang: PendingGang) -> Unplaceable | None:
        """Return the refusal of an earlier gang that asked for the same as this one; None if there was none."""
        # Computing the key of a gang takes a while where there are many roles and resources.
        known = self.by_ask.get(_asked_for(gang)) if self.by_ask else None
        return None if known is None else replace(known, gang=gang.key)

    def remember(self, gang: PendingGang, decided: Unplaceable) -> None:
        """Remember a refusal that follows from a complete search."""
        self.by_ask[_asked_for(gang)] = decided


def _asked_for(gang: PendingGang) -> _AskedFor:
    return _AskedFor(
        priority=gang.priority,
        roles=gang.roles,
        work=gang.work,
        deadline=gang.deadline,
        member_price=gang.member_price,
        not_before=gang.not_before,
        may_hold=gang.may_hold,
        held=gang.held,
        terms=gang.terms,
        interruptible=gang.interruptible,
        checkpoint_interval=gang.checkpoint_interval,
        factors=gang.factors,
    )
