"""Shrinks that members have notice of, and that no gang needs any more.

The gang for which the seats were meant is gone, or a plan has placed it elsewhere.
"""

import math
from collections.abc import Callable, Iterable, Sequence

from coschedule import Decision, GangKey, Placement, Reason, SizeChange
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS
from lockstep.snapshot.holders.endings import expected_finish
from lockstep.snapshot.holders.seats_given_up import Giving, changing_gangs


class UnwantedShrinks:
    """Finds gangs whose shrink no plan has used for ``settling`` seconds.

    Shrinks are watched from their decision on, and only if they are made for waiting gangs. If a shrink lets a running
    gang grow, or was decided before a restart, no plan shows which gang gains. So such a shrink is carried out.
    """

    def __init__(self, state: State, monotonic: Callable[[], float], *, settling: float) -> None:
        self._state = state
        self._monotonic = monotonic
        self._settling = settling
        # For each gang, the monotonic time since which no plan has used its shrink; infinity if the last plan uses it.
        self._since: dict[GangKey, float] = {}

    @property
    def gangs(self) -> frozenset[GangKey]:
        """The gangs that need not shrink any more."""
        due = self._monotonic() - self._settling
        return frozenset(gang for gang, since in self._since.items() if since <= due)

    def watch(self, change: SizeChange, changes: Iterable[SizeChange]) -> None:
        """Watch a change of size that is decided and not carried out yet, if only waiting gangs gain from it.

        ``changes`` are all changes of the same plan.
        """
        grows = any(one.size_after > one.size_before for one in changes)
        is_for_others = change.made_for is not None if change.is_open_ended else change.end > change.end_before
        is_ahead = change.gang in self._state.counts.next_sizes
        if is_ahead and is_for_others and not grows and not self._is_asked(change.gang):
            self._since[change.gang] = math.inf

    def judge(self, decisions: Sequence[Decision], of_day: float) -> float:
        """Record whether a plan with these decisions uses the shrinks. The plan was made at the time of day ``of_day``.

        Returns the seconds until a shrink is due to be judged again; infinity if each is used.
        """
        now, ahead = self._monotonic(), {one.gang: one for one in changing_gangs(self._state, of_day)}
        self._since = {gang: since for gang, since in self._since.items() if gang in ahead}
        for gang, since in self._since.items():
            self._since[gang] = math.inf if self._is_used(ahead[gang], decisions, of_day) else min(since, now)
        return min((since + self._settling - now for since in self._since.values()), default=math.inf)

    def _is_asked(self, gang: GangKey) -> bool:
        known = self._state.gangs.get(gang)
        elastic = known.spec.elastic if isinstance(known, AcceptedGang) else None
        return elastic is not None and elastic.size is not None

    def _is_used(self, giving: Giving, decisions: Iterable[Decision], of_day: float) -> bool:
        """Whether the gang's user asks for the shrink, or a gang may start on these seats sooner than without it.

        This gang may also be too far back in the queue for a place in the plan.
        """
        end = expected_finish(self._state.reservations[giving.gang], of_day)
        sooner_than = math.inf if end is None else end
        return self._is_asked(giving.gang) or any(_may_use(one, giving, sooner_than) for one in decisions)


def _may_use(decision: Decision, giving: Giving, sooner_than: float) -> bool:
    if not isinstance(decision, Placement):
        return decision.reason == Reason.BEHIND_IN_QUEUE
    return giving.gone_by - SAME_TIME_SECONDS <= decision.start < sooner_than and giving.has_seats_of(decision)
