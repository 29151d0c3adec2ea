"""The cycle: follow → snapshot → plan → act → report, one at a time, woken by news.

Nothing here awaits between the first look at belief and the last decision; what takes time (requests) runs beside the
cycle, on capacity that belief already counts as taken.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from coschedule.cluster.decision import Placement, Plan
from coschedule.cluster.plan import plan
from coschedule.cluster.snapshot import GangKey, Snapshot
from lockstep.act.attempt import Ending, Outcome, Tools
from lockstep.attempts import Attempts
from lockstep.explain import Explainer
from lockstep.facts import GangFact
from lockstep.follow import Follower
from lockstep.names import Condition
from lockstep.report.conditions import reserved
from lockstep.report.events import bind_interrupted
from lockstep.report.metrics import Metrics
from lockstep.report.reporter import Reporter
from lockstep.report.status import Written
from lockstep.snapshots import SnapshotCutter
from lockstep.state import Reservation, State, reserved_in_status

# News comes in bursts (a gang's pods, one by one): one cycle for each burst.
_SHORTEST_PAUSE_SECONDS = 0.02
# A long queue takes long to plan, and nothing else runs meanwhile: twice that time then belongs to the others.
_PAUSE_SHARE = 2.0
_PAUSE_AFTER_ERROR_SECONDS = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What the last cycle that planned saw and decided."""

    snapshot: Snapshot
    plan: Plan


class Cycle:
    """Decides, again and again. ``now`` is the time of day in seconds; ``woken`` is set by whoever has news."""

    def __init__(
        self, tools: Tools, metrics: Metrics, *, instance: str, woken: asyncio.Event, now: Callable[[], float]
    ) -> None:
        self._state: State = tools.state
        self._metrics = metrics
        self._woken = woken
        self._now = now
        self._cutter = SnapshotCutter(self._state)
        self._reporter = Reporter(tools.client, self._state, instance=instance, now=now, done=self._written)
        self._attempts = Attempts(tools, ended=self._attempt_ended)
        self._follower = Follower(tools, self._attempts, self._reporter, metrics)
        self._explainer = Explainer(self._state, self._reporter, metrics)
        self._plan_at = float("inf")
        self._deferred: set[GangKey] = set()
        self.decided: Decided | None = None

    async def run(self) -> None:
        """Run cycles until cancelled."""
        pause = _SHORTEST_PAUSE_SECONDS
        while True:
            await asyncio.sleep(pause)
            await self._until_due()
            pause = self._run_guarded()

    async def stop(self) -> None:
        """Leave everything as it stands; the next process goes on from it."""
        await self._attempts.stop()
        await self._reporter.stop()

    def _run_guarded(self) -> float:
        """Run one cycle; returns how long to pause after it."""
        began = perf_counter()
        try:
            self._run_once()
        except Exception:
            # The one place for it: whatever a cycle stumbles over, the next one starts from facts again.
            log.exception("a cycle failed")
            self._metrics.cycles.labels("error").inc()
            self._state.needs_plan = True
            return _PAUSE_AFTER_ERROR_SECONDS
        return max(_SHORTEST_PAUSE_SECONDS, _PAUSE_SHARE * (perf_counter() - began))

    def _run_once(self) -> None:
        now = self._now()
        # 1. Follow the gangs that hold nodes, and those that are gone.
        self._state.expire_bids(now)
        for gone in self._follower.follow(self._state.take_changed_gangs(), now):
            self._explainer.forget(gone)
        if not self._state.needs_plan and now < self._plan_at:
            self._metrics.cycles.labels("idle").inc()
            return
        # 2. Plan all gangs that wait, on frozen facts.
        self._state.needs_plan = False
        self._plan_at = self._attempts.next_retry(now)
        decided = self._decide(now)
        if decided is not None:
            self.decided = decided
            # 3. Start what is due, 4. tell the others why they wait.
            self._carry_out(decided.plan, now)
        self._plan_at = min(self._plan_at, self._state.next_bid_end() or float("inf"))
        self._metrics.cycles.labels("ok").inc()

    def _decide(self, now: float) -> Decided | None:
        waiting = [gang for gang in self._state.gangs.values() if self._waits(gang, now)]
        if not waiting:
            return None
        with self._timed("snapshot"):
            snapshot = self._cutter.cut(now, waiting)
        self._metrics.snapshot_nodes.set(len(snapshot.nodes.names))
        with self._timed("plan"):
            return Decided(snapshot=snapshot, plan=plan(snapshot))

    def _waits(self, gang: GangFact, now: float) -> bool:
        return (
            gang.spec is not None
            and not gang.is_deleting
            and gang.key not in self._state.reservations
            and reserved_in_status(gang) is None
            and not gang.status.is_true(Condition.COMPLETE)
            and not self._attempts.is_under_way(gang.key)
            and self._attempts.retry_at(gang.key) <= now
            and self._state.priority_of(gang) is not None
            and self._state.claims.refusal(gang) is None
        )

    def _carry_out(self, made: Plan, now: float) -> None:
        with self._timed("act"):
            for decision in made.decisions:
                if isinstance(decision, Placement) and decision.start <= now:
                    self._start(decision, now)
        with self._timed("report"):
            for decision in made.decisions:
                gang = self._state.gangs[decision.gang]
                if isinstance(decision, Placement) and decision.start <= now:
                    continue
                if isinstance(decision, Placement):
                    self._plan_at = min(self._plan_at, decision.start)
                self._plan_at = min(self._plan_at, self._explainer.explain(gang, decision, now))

    def _start(self, placement: Placement, now: float) -> None:
        gang = self._state.gangs[placement.gang]
        if self._reporter.is_writing(gang.key) and not self._reporter.withdraw(gang.key):
            # The reservation would conflict with that write. The plan has kept the gang's place; the write's end plans
            # again.
            self._deferred.add(gang.key)
            return
        assert gang.spec is not None, "a refused gang is not planned"
        attempt = gang.status.attempt + 1
        status = reserved(gang, placement, attempt=attempt, now=now)
        reservation = Reservation(
            gang=gang.key,
            gang_uid=gang.uid,
            attempt=attempt,
            # As the status spells them: the next process has nothing else to go on from.
            members=status.members,
            request=gang.spec.request,
            start=now,
            expected_finish=None if placement.finish == float("inf") else placement.finish,
        )
        self._state.hold(reservation)
        self._attempts.begin(gang, reservation, status)

    def _attempt_ended(self, gang: GangFact, outcome: Outcome) -> None:
        if outcome.ending is Ending.PLACED:
            self._state.changed_gangs.add(gang.key)
        else:
            self._give_back(gang)
        if outcome.ending is Ending.NOT_RESERVED:
            self._metrics.conflicts.inc()
        if outcome.failure is not None:
            self._metrics.undone.labels(outcome.failure.reason).inc()
            self._reporter.tell(gang, bind_interrupted(outcome.failure))
        self._woken.set()

    def _give_back(self, gang: GangFact) -> None:
        """Stop holding what the attempt held, unless the status says that it is reserved all the same."""
        self._state.forget(gang.key)
        known = self._state.gangs.get(gang.key)
        if known is not None:
            self._state.hold_what_is_reserved(known)
            self._state.changed_gangs.add(gang.key)

    def _written(self, gang: GangKey, written: Written) -> None:
        """A status was written, or was not: then what it was to say is worked out again."""
        self._state.changed_gangs.add(gang)
        self._state.needs_plan |= gang in self._deferred or written is not Written.DONE
        self._deferred.discard(gang)
        self._woken.set()

    async def _until_due(self) -> None:
        seconds = self._plan_at - self._now()
        if seconds > 0:
            timeout = None if seconds == float("inf") else seconds
            try:
                await asyncio.wait_for(self._woken.wait(), timeout=timeout)
            except TimeoutError:
                return
        self._woken.clear()

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = perf_counter()
        yield
        self._metrics.cycle_duration.labels(stage).observe(perf_counter() - started)
