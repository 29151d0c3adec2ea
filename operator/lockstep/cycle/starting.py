"""Starts the gangs that a plan starts now, if the cache still agrees."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager

from coschedule import GangKey, Placement
from lockstep.act.attempts import Attempts
from lockstep.act.requests.services import Services
from lockstep.belief.holding.reservation import Reservation
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.planning.decision_log import log_decision
from lockstep.cycle.planning.planning import Planning
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.snapshot.attempt_start import start_of
from lockstep.snapshot.quotas.quota_bounds import QuotaBounds


class Starting:
    """Begins attempts. ``guarded`` limits an error in the work for one gang to this gang."""

    def __init__(
        self,
        services: Services,
        attempts: Attempts,
        planning: Planning,
        *,
        guarded: Callable[[GangKey], AbstractContextManager[None]],
    ) -> None:
        self._state = services.state
        self._cutter = services.cutter
        self._writer = services.writer
        self._now = services.now
        self._attempts = attempts
        self._planning = planning
        self._guarded = guarded

    def starting_due(self, decided: LastPlan) -> Generator[None, None, None]:
        """Start each gang that is due, in steps."""
        for placement in decided.plan.decisions:
            if isinstance(placement, Placement) and decided.is_due(placement):
                now = self._now()
                with self._guarded(placement.gang):
                    log_decision(placement, now)
                    self._start(placement, decided, now)
                yield

    def _start(self, placement: Placement, decided: LastPlan, now: float) -> None:
        gang = self._state.gangs.get(placement.gang)
        if not isinstance(gang, AcceptedGang) or not self._planning.standing.still_asks(gang, decided):
            return
        if self._writer.make_way(gang.key):
            self._reserve(gang, placement, decided, now)

    def _reserve(self, gang: AcceptedGang, placement: Placement, decided: LastPlan, now: float) -> None:
        start = start_of(self._state, gang, placement, now, narrowed=decided.narrowing(placement))
        has_changed = self._state.changes.generation != decided.snapshot.generation
        if (has_changed or decided.changes) and self._is_outdated(gang, start.reservation, now):
            # If the cache has changed since the snapshot, for example by gangs that this plan has started, a new plan
            # is made at once. Otherwise the gang waits for seats that other gangs give up by changes of size. A plan
            # follows when these seats are free.
            if has_changed:
                self._state.changes.plan()
            return
        self._state.assumptions.hold(start.reservation)
        self._attempts.begin(gang, start)

    def _is_outdated(self, gang: AcceptedGang, reservation: Reservation, now: float) -> bool:
        is_allowed = QuotaBounds(self._state).allow(gang, reservation.members)
        return not is_allowed or self._cutter.conflict(gang, reservation, now) is not None
