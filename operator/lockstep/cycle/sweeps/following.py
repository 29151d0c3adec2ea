"""Follows sweeps: each changed sweep takes the same steps, beside the cycle, and a few sweeps at once."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import assert_never

from coschedule import GangKey
from lockstep.act.requests.services import Services
from lockstep.act.requests.workers import Workers
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError, exists
from lockstep.api.client.turns import Urgency
from lockstep.api.sweeps.run_gang import run_gang
from lockstep.api.sweeps.sweep import parse_sweep, sweep_status_manifest
from lockstep.belief.common.fair_queue import FairQueue, Rank
from lockstep.cycle.sweeps.deciding import SweepSteps, next_steps
from lockstep.cycle.sweeps.expected_finish import SweepPace, expected_finish, steady
from lockstep.cycle.sweeps.materials import Materials, RunMaterial
from lockstep.cycle.sweeps.progress import SweepProgress
from lockstep.cycle.sweeps.run_phases import RunGang, RunPhase, run_gang_of
from lockstep.cycle.sweeps.run_requests import RunMade, delete_run, make_run
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.facts.runs.sweep_run import run_name
from lockstep.facts.sweeps.run_ends import RunEnd
from lockstep.facts.sweeps.sweep import RunFailure, Sweep, SweepReason, SweepRefusal, SweepStatus
from lockstep.logs.fields import about
from lockstep.report.metrics.sweep_metrics import SweepMetrics
from lockstep.report.sweeps.sweep_events import sweep_events, sweep_subject
from lockstep.report.sweeps.sweep_status import SweepNow, sweep_status
from lockstep.report.text.sentences import as_sentence

STATUS_SECONDS = 5.0
"""The least time in seconds between two statuses of a sweep."""
_SIZE_SECONDS = 30.0
_AFTER_TROUBLE_SECONDS = 1.0
_AFTER_ERROR_SECONDS = 60.0
_ROUNDING_SECONDS = 0.01
_AT_ONCE = 8
_OF_NAMESPACE = 2
_RANK = Rank(0, 0)

log = logging.getLogger(__name__)


class SweepFollower:
    """Follows all sweeps until cancelled. After a restart, the operator finds unwritten changes in the same objects."""

    def __init__(self, services: Services, metrics: SweepMetrics) -> None:
        self._services = services
        self._metrics = metrics
        self._client = services.client
        self._state = services.state
        self._materials = Materials(services)
        self._progress: dict[GangKey, SweepProgress] = {}
        self._due: dict[GangKey, float] = {}
        self._at_work: set[GangKey] = set()
        self._queue = FairQueue()
        self._workers = Workers(self._queue.take, self._follow, at_once=_AT_ONCE, of_namespace=_OF_NAMESPACE)
        self._woken = asyncio.Event()

    async def run(self) -> None:
        """Follow each sweep that has changed, or for which a step is due."""
        self._state.sweeps.follow(self._woken.set)
        try:
            while True:
                self._woken.clear()
                self._take_changed()
                self._workers.wake()
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._seconds_to_next()):
                        await self._woken.wait()
        finally:
            await self._workers.stop()

    def _take_changed(self) -> None:
        now, changed = self._services.monotonic(), self._state.sweeps.changed
        due = {key for key, time in self._due.items() if time <= now}
        for key in (changed | due) - self._at_work:
            changed.discard(key)
            self._due.pop(key, None)
            self._queue.put(key, _RANK)

    def _seconds_to_next(self) -> float | None:
        times = [time for key, time in self._due.items() if key not in self._at_work]
        # A timer may fire a moment before its time.
        return max(0.0, min(times) - self._services.monotonic()) + _ROUNDING_SECONDS if times else None

    def _later(self, key: GangKey, time: float) -> None:
        """Follow the sweep again at that time at the latest."""
        self._due[key] = min(time, self._due.get(key, time))

    async def _follow(self, key: GangKey) -> None:
        sweep = self._state.sweeps.objects.get(key)
        self._at_work.add(key)
        try:
            if sweep is None:
                self._progress.pop(key, None)
            elif not sweep.is_deleting:
                await self._go_on(sweep)
        except ApiUnavailableError as error:
            log.warning("the sweep could not be updated: %s", error, extra=about(key))
            self._later(key, self._services.monotonic() + _AFTER_TROUBLE_SECONDS)
        except Exception:
            self._later(key, self._services.monotonic() + _AFTER_ERROR_SECONDS)
            raise
        finally:
            self._at_work.discard(key)
            # The sweep may have changed meanwhile, or a step may be due.
            self._woken.set()

    async def _go_on(self, sweep: Sweep) -> None:
        """Take the steps of one pass: read what is needed, decide, write the status if it is due, delete, create."""
        progress = await self._begun(sweep)
        if progress is None:
            return
        material = await self._material(sweep, progress)
        if not progress.has_runs:
            await self._report(sweep, progress, progress.stands(running=0, waiting=0))
            self._remind(sweep, progress)
            return
        gangs = self._gangs(sweep)
        progress.notice(gangs, self._services.monotonic())
        may_make = isinstance(material, RunMaterial) and progress.may_make_at <= self._services.monotonic()
        steps = next_steps(progress.view(sweep, gangs, may_make=may_make))
        await self._report(sweep, progress, _as_decided(sweep, progress, steps, gangs, self._services.now()))
        await self._delete(sweep, progress, steps, gangs)
        if isinstance(material, RunMaterial):
            await self._make(sweep, progress, material, steps.make)
        self._remind(sweep, progress)

    async def _begun(self, sweep: Sweep) -> SweepProgress | None:
        """The remembered progress of the sweep. At first it is read from the API server; None if the sweep is gone.

        The watch may not have shown the last status yet, and a run whose end is unknown would be created again.
        """
        known = self._progress.get(sweep.key)
        if known is not None and known.uid == sweep.uid:
            return known
        answer = await self._client.get(paths.sweep(sweep.key))
        if not exists(answer, f"GangSweep {sweep_name(sweep.key)}") or answer.body["metadata"]["uid"] != sweep.uid:
            return None
        fresh = parse_sweep(answer.body)
        # Before a restart, the operator may have sent a creation that is carried out late. So the next status waits,
        # and with it each step that needs a status.
        wait = STATUS_SECONDS if fresh.status.state else 0.0
        progress = SweepProgress(fresh, may_write_at=self._services.monotonic() + wait)
        self._progress[sweep.key] = progress
        return progress

    async def _material(self, sweep: Sweep, progress: SweepProgress) -> RunMaterial | SweepRefusal | None:
        """The material of the next runs; None if the sweep has ended. After a refusal it is read again after pauses."""
        now = self._services.monotonic()
        if progress.end is not None:
            return None
        if progress.refusal is not None and now < progress.may_make_at:
            return progress.refusal
        material = await self._materials.of(sweep, progress.written.parameters_uid)
        if isinstance(material, SweepRefusal):
            progress.refuse(material, now)
            return material
        progress.accept(material.runs, material.parameters_uid)
        if now >= progress.size_until:
            await self._decide_size(sweep, progress, material)
        return material

    async def _decide_size(self, sweep: Sweep, progress: SweepProgress, material: RunMaterial) -> None:
        left = progress.recorded.count(RunEnd.NOT_YET) - len(progress.seen)
        size = await self._materials.size(sweep, material.sample, max(1, left))
        progress.size, progress.size_until = size, self._services.monotonic() + _SIZE_SECONDS
        progress.done_at_best = None if size.seconds is None else self._services.now() + size.seconds

    def _gangs(self, sweep: Sweep) -> dict[int, RunGang]:
        found = ((run, self._state.gangs.get(key)) for run, key in self._state.sweeps.runs_of(sweep).items())
        return {run: run_gang_of(gang) for run, gang in found if gang is not None}

    async def _report(self, sweep: Sweep, progress: SweepProgress, stands: SweepNow) -> None:
        """Write the status, if it would change and the last one is old enough."""
        now = self._services.monotonic()
        if now < progress.may_write_at:
            return
        status = sweep_status(sweep, stands, progress.written, self._services.now())
        if status == progress.written:
            return
        progress.may_write_at = now + STATUS_SECONDS
        body = {"metadata": {"uid": sweep.uid}, "status": sweep_status_manifest(status)}
        answer = await self._client.patch(paths.sweep_status(sweep.key), body, Urgency.REPORT)
        if answer.is_success:
            self._wrote(sweep, progress, status)
            self._later(sweep.key, now)
        elif not answer.is_absence:
            log.warning("the sweep's status can't be written: %s", answer.message, extra=about(sweep.key))

    def _wrote(self, sweep: Sweep, progress: SweepProgress, status: SweepStatus) -> None:
        before = progress.written
        self._metrics.wrote(before, status, progress.wrote(status))
        for event in sweep_events(before, status):
            self._services.writer.post_about(sweep_subject(sweep), event, of=sweep.key)

    async def _delete(
        self, sweep: Sweep, progress: SweepProgress, steps: SweepSteps, gangs: Mapping[int, RunGang]
    ) -> None:
        name, namespace = sweep_name(sweep.key), sweep.key.namespace
        for run, gang in ((run, gangs[run]) for run in steps.delete if progress.may_delete(gangs[run])):
            key, is_fresh = GangKey(namespace, run_name(name, run)), run in steps.fresh
            if gang.phase.end is not RunEnd.NOT_YET and not self._state.predecessors.is_end_known(key):
                self._later(sweep.key, self._services.monotonic() + STATUS_SECONDS)
                continue
            refusal = await delete_run(self._client, key, gang, only_as_seen=is_fresh)
            if refusal:
                log.warning("run %d of the sweep can't be deleted: %s", run, refusal, extra=about(sweep.key))
                self._later(sweep.key, self._services.monotonic() + _AFTER_ERROR_SECONDS)
            elif not is_fresh:
                progress.deleted(gang, self._services.monotonic())

    async def _make(self, sweep: Sweep, progress: SweepProgress, material: RunMaterial, runs: Iterable[int]) -> None:
        """Create these runs, one after the other. A run whose name is taken counts as failed.

        After any other failure, no more runs are created now.
        """
        size = None if progress.size is None else progress.size.size
        for run in runs:
            now = self._services.monotonic()
            gang = run_gang(sweep, run, material.parameters_of(run), size)
            # A template of 1.4 MB takes some 30 ms to decode, and as long to encode for the request.
            await asyncio.sleep(0)
            making = await make_run(self._client, sweep, gang)
            match making.made:
                case RunMade.DONE:
                    progress.came(run, now)
                case RunMade.TAKEN:
                    progress.seen[run] = RunFailure(run, SweepReason.NAME_TAKEN, as_sentence(making.why))
                case RunMade.LEFTOVER | RunMade.REFUSED:
                    progress.hinder(f"Run {run} can't be created, and is tried again: {making.why}.", now)
                    return
                case _:
                    assert_never(making.made)

    def _remind(self, sweep: Sweep, progress: SweepProgress) -> None:
        """Follow the sweep again when a step is due although nothing changes."""
        for time in progress.due_times(self._services.monotonic()):
            self._later(sweep.key, time)


def _as_decided(
    sweep: Sweep, progress: SweepProgress, steps: SweepSteps, gangs: Mapping[int, RunGang], now: float
) -> SweepNow:
    """The state of the sweep after the steps are recorded."""
    phases = [gang.phase for gang in gangs.values()]
    waiting, running = phases.count(RunPhase.WAITING) + phases.count(RunPhase.STUCK), phases.count(RunPhase.RUNNING)
    requeue, before = sweep.requeue, progress.written
    pace = SweepPace(
        ends=steps.ends,
        running=running,
        first=sweep.spec.first,
        started_at=before.started_at or now,
        at_best=progress.done_at_best,
    )
    return replace(
        progress.stands(running=running, waiting=waiting),
        ends=steps.ends,
        failures=steps.failures,
        end=steps.end,
        requeued=requeue.id if requeue is not None and steps.is_request_obeyed else before.requeued,
        expected_finish=steady(before.expected_finish, expected_finish(pace, now), now),
    )
