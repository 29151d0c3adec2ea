"""The state of a sweep that is remembered between two of its statuses."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, assert_never

from lockstep.api.client.pauses import pause_after
from lockstep.cycle.sweeps.deciding import SweepView
from lockstep.cycle.sweeps.run_phases import RunGang
from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds
from lockstep.facts.sweeps.sweep import RunFailure, Sweep, SweepEnd, SweepRefusal, SweepStatus
from lockstep.report.sweeps.sweep_status import SweepNow

if TYPE_CHECKING:
    from lockstep.cycle.sweeps.common_sizes import RunSize

# In seconds. If the watch does not show a creation or a deletion in this time, it is requested again. Both requests can
# be repeated.
_COMING_SECONDS = 60.0


class SweepProgress:
    """The progress of a sweep that this process follows. ``written`` is the last status that it wrote or read.

    ``seen`` has ends that ``written`` does not have. ``coming`` has runs whose GangJob was created, with the time until
    which the operator waits for it. ``refusal`` says why no run can be created, and ``trouble`` why the last creation
    failed. The size is valid until ``size_until``. With it all runs end at the time of day ``done_at_best`` at the
    earliest.
    """

    def __init__(self, sweep: Sweep, *, may_write_at: float) -> None:
        self.uid = sweep.uid
        self.written = sweep.status
        self.recorded = RunEnds.unpacked(sweep.status.run_ends, sweep.status.runs or 0)
        self.seen: dict[int, RunFailure | None] = {}
        self.coming: dict[int, float] = {}
        self._deleted: dict[str, float] = {}
        self.may_write_at = may_write_at
        self.may_make_at = 0.0
        self.refusal: SweepRefusal | None = None
        self.trouble = ""
        self.size: RunSize | None = None
        self.size_until = 0.0
        self.done_at_best: float | None = None
        self._failed_tries = 0
        self._parameters_uid = sweep.status.parameters_uid
        self._is_begun = False

    @property
    def has_runs(self) -> bool:
        """Whether the number of runs is known. It is known after the parameters were read."""
        return len(self.recorded) > 0

    def wrote(self, status: SweepStatus) -> list[RunEnd]:
        """Record that this status is written. Returns the ends that are recorded for the first time."""
        self.written = status
        self.recorded = RunEnds.unpacked(status.run_ends, len(self.recorded))
        counted = [self.recorded.of(run) for run in self.seen]
        self.seen = {run: end for run, end in self.seen.items() if self.recorded.of(run) is RunEnd.NOT_YET}
        return [end for end in counted if end is not RunEnd.NOT_YET]

    def accept(self, runs: int, parameters_uid: str) -> None:
        """Record that the runs can be created, their number, and their parameters."""
        # Any client may have written another number into the status.
        if len(self.recorded) != runs:
            self.recorded = RunEnds.unpacked(self.written.run_ends, runs)
            self.seen = {run: end for run, end in self.seen.items() if run < runs}
        self.refusal, self._parameters_uid = None, parameters_uid

    def refuse(self, refusal: SweepRefusal, now: float) -> None:
        """Record that no run can be created. This is checked again after a pause."""
        self.refusal = refusal
        self._pause(now)

    def hinder(self, trouble: str, now: float) -> None:
        """Record that a run can't be created at the moment. It is tried again after a pause."""
        self.trouble = trouble
        self._pause(now)

    def _pause(self, now: float) -> None:
        self.may_make_at = now + pause_after(self._failed_tries)
        self._failed_tries += 1

    def due_times(self, now: float) -> Iterator[float]:
        """The times at which a step is due although nothing changes."""
        yield from (time for time in (self.may_write_at, self.may_make_at) if time > now)
        yield from self.coming.values()
        yield from self._deleted.values()

    def stands(self, *, running: int, waiting: int) -> SweepNow:
        """The state of the sweep, according to its last status and what was read since then."""
        size = self.size
        return SweepNow(
            ends=self.recorded,
            failures=self.written.failures,
            end=self.end,
            running=running,
            waiting=waiting,
            size=self.written.size if size is None else size.members,
            size_reason=self.written.size_reason if size is None else size.reason,
            refusal=self.refusal,
            trouble=self.trouble,
            requeued=self.written.requeued,
            parameters_uid=self._parameters_uid,
            is_begun=self._is_begun,
        )

    @property
    def end(self) -> SweepEnd | None:
        """The end of the sweep according to its last status."""
        return self.written.end

    def notice(self, gangs: Mapping[int, RunGang], now: float) -> None:
        """Remember new ends, and forget creations and deletions that the watch has shown.

        An end counts even if the GangJob is being deleted.
        """
        for run, gang in gangs.items():
            if run < len(self.recorded) and run not in self.seen and self.recorded.of(run) is RunEnd.NOT_YET:
                self._notice_end(run, gang)
        self.coming = {run: until for run, until in self.coming.items() if run not in gangs and until > now}
        there = {gang.uid for gang in gangs.values()}
        self._deleted = {uid: until for uid, until in self._deleted.items() if uid in there and until > now}

    def _notice_end(self, run: int, gang: RunGang) -> None:
        match gang.phase.end:
            case RunEnd.SUCCEEDED:
                self.seen[run] = None
            case RunEnd.FAILED:
                self.seen[run] = RunFailure(run, gang.reason, gang.message)
            case RunEnd.NOT_YET:
                pass
            case _:
                assert_never(gang.phase.end)

    def may_delete(self, gang: RunGang) -> bool:
        """Whether the GangJob may be deleted.

        It may not if a deletion was accepted a moment ago, and the watch has not shown it yet.
        """
        return gang.uid not in self._deleted

    def deleted(self, gang: RunGang, now: float) -> None:
        """Record that the GangJob was deleted. The watch will show that it is gone."""
        self._deleted[gang.uid] = now + _COMING_SECONDS

    def came(self, run: int, now: float) -> None:
        """Record that the GangJob of a run exists. The watch will show it."""
        self.coming[run] = now + _COMING_SECONDS
        self.trouble, self._failed_tries, self._is_begun = "", 0, True

    def view(self, sweep: Sweep, gangs: Mapping[int, RunGang], *, may_make: bool) -> SweepView:
        """The state from which the next steps follow."""
        requeue = sweep.requeue
        return SweepView(
            spec=sweep.spec,
            recorded=self.recorded,
            failures=self.written.failures,
            seen=self.seen,
            gangs={run: gang for run, gang in gangs.items() if run < len(self.recorded)},
            coming=self.coming.keys(),
            near=1 if self.size is None else self.size.near(sweep.spec.template),
            end=self.end,
            requeue=None if requeue is None or requeue.id == self.written.requeued else requeue,
            may_make=may_make,
        )
