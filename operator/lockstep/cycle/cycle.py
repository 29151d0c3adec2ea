"""The cycle: follow → snapshot → plan → act → report. Changes in the cache start it. One cycle runs at a time.

Slow work runs beside the cycle. Requests use capacity that the cache already counts as taken, and a plan uses frozen
facts. The cache may change while a plan is made. So each placement is compared with it before it is carried out.
"""

import asyncio
import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from time import perf_counter

from coschedule import GangKey
from lockstep.act.admission.dry_runs import DryRuns
from lockstep.act.attempts import Attempts
from lockstep.act.requests.services import Services
from lockstep.cycle.attempt_ends import AttemptEnds
from lockstep.cycle.clockwork.plan_time import PlanTime
from lockstep.cycle.clockwork.turns import in_turns
from lockstep.cycle.clockwork.wake_event import WakeEvent
from lockstep.cycle.evictions import Evictions, WaysToYield
from lockstep.cycle.explaining.attempt_events import AttemptEvents
from lockstep.cycle.explaining.explain import Explainer
from lockstep.cycle.explaining.reporting import Reporting
from lockstep.cycle.follow import Follower
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.planning.planning import Planning, PlanOptions
from lockstep.cycle.podgang.giving_way import PodGangEvictions
from lockstep.cycle.resizing.member_changes import MemberChanges
from lockstep.cycle.resizing.notices import Notices
from lockstep.cycle.resizing.pod_gang_sizes import PodGangSizes
from lockstep.cycle.resizing.resizing import Resizing
from lockstep.cycle.resizing.size_changes import SizeChanges
from lockstep.cycle.starting import Starting
from lockstep.logs.fields import about
from lockstep.report.metrics.metrics import Metrics
from lockstep.snapshot.holders.endings import next_plan_for_ends
from lockstep.snapshot.holders.next_claim import next_claim
from lockstep.snapshot.holders.running import lowest_held_priority

# Changes come in bursts, such as the pods of one gang: one cycle handles each burst.
_SHORTEST_PAUSE_SECONDS = 0.02
# The pause after a plan, as a share of the plan's time: planning a long queue slows down all other work.
_PAUSE_SHARE = 1.0
_PAUSE_AFTER_ERROR_SECONDS = 1.0
_STAND_BY_SECONDS = 1.0
_DEFAULT_PLANS = PlanOptions()

log = logging.getLogger(__name__)


class Cycle:
    """Runs cycles. Setting ``woken`` requests the next one."""

    def __init__(
        self,
        services: Services,
        metrics: Metrics,
        *,
        woken: WakeEvent,
        plans: PlanOptions = _DEFAULT_PLANS,
    ) -> None:
        self._services = services
        self._state = services.state
        self._metrics = metrics
        self._woken = woken
        self._now = services.now
        self._plan_time = PlanTime(services.monotonic)
        self._planner: asyncio.Task[None] | None = None
        self._planning_since = 0.0
        self.decided: LastPlan | None = None
        # Each part may use the parts before it.
        self._add_attempts()
        self._planning = Planning(services, self._attempts, self._dry_runs, metrics, plans)
        self._starting = Starting(services, self._attempts, self._planning, guarded=self._guarded)
        self._add_changes_of_running_gangs()
        self._explainer = Explainer(services.writer, metrics)
        self._reporting = Reporting(
            services, self._explainer, self._planning, self._dry_runs, self._plan_time, guarded=self._guarded
        )

    def _add_attempts(self) -> None:
        """Create the part that runs attempts, and the part that checks members by dry runs before attempts."""
        services = self._services
        events = AttemptEvents(services.state, services.writer, self._metrics, now=services.now)
        ends = AttemptEnds(services.state, events, self._woken)
        self._attempts = Attempts(
            services,
            ended=ends.follow,
            due=ends.retry_due,
            takes_long=events.undoing_lasts,
            reported=events.undoing,
        )
        self._dry_runs = DryRuns(services, changed=events.admission)

    def _add_changes_of_running_gangs(self) -> None:
        """Create the parts that change sizes, follow gangs and evict gangs. The follower uses the changes of size."""
        services, attempts, metrics = self._services, self._attempts, self._metrics
        pod_gangs = PodGangSizes(services, attempts, metrics)
        resizing = Resizing(Notices(services, metrics), MemberChanges(services, metrics), pod_gangs)
        self._size_changes = sizes = SizeChanges(services, attempts, resizing, metrics, guarded=self._guarded)
        self._follower = Follower(
            services, attempts, self._dry_runs, metrics, resizing=resizing, change_size=sizes.go_on
        )
        ways = WaysToYield(attempts, sizes, PodGangEvictions(services, metrics), pod_gangs)
        self._evictions = Evictions(services, self._planning, self._dry_runs, ways, guarded=self._guarded)

    async def run(self) -> None:
        """Run cycles until cancelled."""
        self._woken.renew()
        pause = _SHORTEST_PAUSE_SECONDS
        while True:
            await asyncio.sleep(pause)
            await self._until_due()
            pause = await self._run_guarded()

    async def stand_by(self) -> None:
        """Record since when nodes are unreachable, until cancelled. No object stores these times."""
        while True:
            self._services.lost_nodes.update()
            await asyncio.sleep(_STAND_BY_SECONDS)

    async def stop(self) -> None:
        """Stop all work and change nothing in the cluster; the next process continues from there."""
        if self._planner is not None:
            self._planner.cancel()
        await self._evictions.stop()
        await self._dry_runs.stop()
        await self._attempts.stop()
        await self._follower.stop()
        self._services.writer.stop()

    @property
    def lag(self) -> float:
        """The seconds since the current plan began, or since the first change that no cycle has read.

        The larger of the two values; 0 if there is neither such a plan nor such a change.
        """
        planning = 0.0 if self._planner is None else self._services.monotonic() - self._planning_since
        return max(planning, self._woken.seconds)

    async def _run_guarded(self) -> float:
        """Run one cycle; returns how long to pause after it."""
        try:
            await self._run_once()
        except Exception:
            # The next cycle starts from facts again.
            log.exception("a cycle failed")
            self._failed()
            self._woken.set()
            return _PAUSE_AFTER_ERROR_SECONDS
        return _SHORTEST_PAUSE_SECONDS

    def _failed(self) -> None:
        self._metrics.cycles.labels("error").inc()
        self._state.changes.plan()

    async def _run_once(self) -> None:
        """Follow the gangs whose facts changed, and begin a plan if one is due and none is being made."""
        now = self._now()
        # 1. Update facts that depend on time alone.
        self._state.advance_to(now)
        self._plan_time.plan_by(self._state.bids.next_shared_update(), now)
        # 2. Follow each gang that has changed, deleted ones too; there may be thousands.
        await in_turns(self._following(now))
        # 3. Begin a plan, which is made and carried out beside later cycles.
        if self._planner is not None or not self._is_plan_due():
            self._metrics.cycles.labels("idle").inc()
            return
        has_changed = self._state.changes.begin_plan()
        self._plan_time.begin_plan()
        self._planning_since = self._services.monotonic()
        self._planner = asyncio.create_task(self._plan_guarded(now, has_changed=has_changed))

    def _is_plan_due(self) -> bool:
        return self._state.changes.is_plan_due or self._plan_time.seconds <= 0

    def _following(self, now: float) -> Generator[None, None, None]:
        yield from self._state.queued.following_due()
        yield from self._state.pod_gang_facts.following_due()
        changed = self._state.changes.gangs
        for gone in (yield from self._follower.reconcile_changed(now)):
            self._explainer.forget(gone)
            self._dry_runs.forget(gone)
            self._planning.forget(gone)
        yield from self._reporting.reporting_unreported(changed, now)

    async def _plan_guarded(self, now: float, *, has_changed: bool) -> None:
        """Make one plan and carry it out. Then pause for as long as that took."""
        began = perf_counter()
        try:
            await self._plan(now, has_changed=has_changed)
            self._metrics.cycles.labels("ok").inc()
        except Exception:
            log.exception("a plan failed")
            self._failed()
            await asyncio.sleep(_PAUSE_AFTER_ERROR_SECONDS)
        seconds = perf_counter() - began
        if seconds > _SHORTEST_PAUSE_SECONDS:
            await asyncio.sleep(_PAUSE_SHARE * seconds)
        self._planner = None
        self._woken.set()

    async def _plan(self, now: float, *, has_changed: bool) -> None:
        """Snapshot → plan → act → report."""
        # 1. Draw a snapshot of the cache, and plan all waiting gangs on this snapshot, in a thread.
        self._dry_runs.set_lowest_held(lowest_held_priority(self._state))
        asked_about = self._evictions.asked_about
        decided = await self._planning.plan(now, has_changed=has_changed, asked_about=asked_about)
        self._plan_time.plan_by(self._next_plan(now), now)
        if decided is None:
            self._evictions.take_orders(None)
            return
        self.decided = decided
        self._plan_time.plan_by(next_claim(decided.snapshot.shares, decided.asked, now), now)
        self._reporting.begin(decided)
        # 2. Start what is due.
        await in_turns(self._starting.starting_due(decided), self._seconds_of("act"))
        # 3. Evict for gangs that admission still accepts.
        self._evictions.take_orders(decided)
        # 4. Change sizes.
        now = self._now()
        self._plan_time.plan_by(now + self._size_changes.begin(decided), now)
        # 5. Report to the other gangs why they wait, and give sizes to owners that wait for a size.
        await self._report_others(decided)
        self._follower.give_sizes(decided.ahead, self._now())
        # 6. Plan again when gangs that hold nodes are expected to end, including those that were just started.
        now = self._now()
        self._plan_time.plan_by(await in_turns(next_plan_for_ends(self._state, now)), now)

    async def _report_others(self, decided: LastPlan) -> None:
        others = self._reporting.reporting_others(decided, besides=self._evictions.asked_about)
        await in_turns(others, self._seconds_of("report"))
        await in_turns(self._reporting.reporting_ahead(decided))

    def _next_plan(self, now: float) -> float:
        """When a plan is due although nothing changes.

        The starts that the last plan has decided are left out: ``Reporting`` requests plans for them.
        """
        return min(
            self._attempts.next_retry(now),
            now + self._planning.seconds_to_next_plan(),
            self._state.bids.next_end() or float("inf"),
            self._state.failed_nodes.next_end(),
            self._state.rejections.next_end(),
            self._state.pod_gangs.yielding.next_end(),
            self._state.owners.next_due(now),
        )

    @contextmanager
    def _guarded(self, gang: GangKey) -> Iterator[None]:
        """Log an error in work for one gang, and quarantine the gang. The work for other gangs goes on."""
        try:
            yield
        except Exception as error:
            known = self._state.gangs.get(gang)
            if known is None:
                raise
            log.exception("the gang could not be started, or its status could not be written", extra=about(gang))
            self._planning.quarantine(known, error)

    async def _until_due(self) -> None:
        seconds = min(self._plan_time.seconds, self._follower.seconds_to_next_retry())
        if seconds > 0:
            # Not wait_for: in Python 3.11 it loses a cancellation that comes together with the event.
            with suppress(TimeoutError):
                async with asyncio.timeout(None if seconds == float("inf") else seconds):
                    await self._woken.wait()
        self._woken.clear()

    def _seconds_of(self, stage: str) -> Callable[[float], None]:
        return self._metrics.cycle_duration.labels(stage).observe
