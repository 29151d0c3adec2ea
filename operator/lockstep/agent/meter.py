"""The measuring part of the agent."""

from collections.abc import Collection
from pathlib import Path

from lockstep.agent.history.forecast import forecast, window
from lockstep.agent.history.history import HourOfLoad
from lockstep.agent.history.hours import clock_hour, start_of_day
from lockstep.agent.history.memory import HistoryStore
from lockstep.agent.measuring.capacity import is_idle, measured_on
from lockstep.agent.measuring.clock_steps import ClockSteps
from lockstep.agent.measuring.duty_cycle import duty_cycle_of, lost_share
from lockstep.agent.measuring.measured import Measured, Usage
from lockstep.agent.measuring.presence import ENOUGH_SECONDS, owner_is_there
from lockstep.agent.measuring.processors import processor_model
from lockstep.agent.measuring.sampler import Sampler
from lockstep.agent.measuring.window import FIVE_MINUTES, FiveMinutes, Lasted


class Meter:
    """Measures the node on which it runs. No content of a file makes it raise; a value that it can't read is None.

    ``proc`` is the host's /proc, which every container has. Other files of the host are below ``root``:
    ``sys/fs/cgroup``, and ``run/systemd`` and ``dev`` for the presence of the node owner. The history is kept in the
    file ``history``, whose folder must exist. It is written at most once in five minutes. ``likely`` is the least
    probability at which the owner is expected. Hours and weekends are those of the time zone of the process.
    """

    def __init__(
        self, history: Path, *, root: Path = Path("/"), proc: Path = Path("/proc"), likely: float = 0.5
    ) -> None:
        self._root, self._likely = root, likely
        model = processor_model(proc)
        self._processor = measured_on(model) if model else ""
        self._memory = HistoryStore(history, measured_on(model))
        self._sampler = Sampler(root=root, proc=proc)
        self._five_minutes = FiveMinutes()
        self._clocks: ClockSteps | None = None
        self._recorded_at = 0.0
        self._requested = 0.0

    def sample(
        self, now: float, wall: float, gang_pods: Collection[str], *, own_wall: float, others_requested: float = 0.0
    ) -> None:
        """Take one sample. Call this once in each sampling period, by default every ten seconds.

        Times are in seconds: ``now`` is monotonic, ``wall`` is since the epoch. ``own_wall`` is the time by the node's
        own clock, even if it is wrong, because times of the node's files are by that clock. ``gang_pods`` are the UIDs
        of the members of gangs on this node. ``others_requested`` are the cores that all other pods on the node have
        requested. The planner counts these cores as taken already, so their use slows no member down.

        Five times a day, while the node is idle, a sample takes 50 ms more processor time to measure the capacity.
        """
        clocks = self._follow_the_clocks(now, wall)
        self._requested = others_requested
        sampled = self._sampler.sample(now, gang_pods)
        self._five_minutes.move_to(now)
        if sampled is not None:
            self._take_in(*sampled, clocks, own_wall)

    def measured(self, wall: float) -> Measured:
        """The measurements as of the last sample; ``wall`` is the time now."""
        usage = self._five_minutes.usage()
        learnt, now = self._memory.learnt, self._newest(usage)
        ahead = forecast(learnt.history, wall, now) if now is not None else ()
        present, since = learnt.owner if learnt.owner is not None and usage is not None else (None, None)
        free = window(ahead, wall, owner_present=bool(present), likely=self._likely)
        return Measured(
            duty_cycle=duty_cycle_of(now.lost) if now is not None else None,
            duty_cycle_is_lower_bound=self._five_minutes.was_full(),
            capacity=learnt.capacity.relative(),
            capacity_measured_at=learnt.capacity.measured_at(),
            processor=self._processor,
            owner_present=present,
            owner_since=since,
            available_from=free.start,
            available_until=free.end,
            forecast=ahead,
            since=self._oldest(wall),
            source=self._sampler.source,
            usage=usage,
        )

    def take_messages(self) -> tuple[str, ...]:
        """Sentences for the log since the last call: why the history was dropped or could not be written."""
        return self._memory.take_messages()

    def _follow_the_clocks(self, now: float, wall: float) -> ClockSteps:
        if self._clocks is None:
            self._clocks, self._recorded_at = ClockSteps(now, wall), now
            self._memory.recall(clock_hour(wall).day)
        elif step := self._clocks.move_to(now, wall):
            self._memory.clock_was_set(step)
        return self._clocks

    def _take_in(self, seconds: float, usage: Usage, clocks: ClockSteps, own_wall: float) -> None:
        lately = self._five_minutes.usage() if self._five_minutes.seconds() >= ENOUGH_SECONDS else None
        observed = owner_is_there(self._root, own_wall, lately)
        owner = self._memory.owner_was() if observed is None else observed
        self._memory.owner_is(present=owner, wall=clocks.wall)
        self._five_minutes.add(Lasted(seconds, usage, owner))
        self._measure_capacity(usage, clocks.wall)
        if clocks.now - self._recorded_at >= FIVE_MINUTES:
            self._record(clocks)

    def _measure_capacity(self, usage: Usage, wall: float) -> None:
        capacity = self._memory.learnt.capacity
        if is_idle(usage) and capacity.is_due(wall):
            capacity.run(wall)

    def _record(self, clocks: ClockSteps) -> None:
        self._recorded_at = clocks.now
        five = self._newest(self._five_minutes.usage())
        if five is not None:
            self._memory.record(clock_hour(clocks.wall), five)

    def _newest(self, usage: Usage | None) -> HourOfLoad | None:
        """Return the newest five-minute means; None if nothing is measured, or if nothing is left for gangs."""
        lost = lost_share(usage, self._requested) if usage is not None else None
        return None if lost is None else HourOfLoad(lost, self._five_minutes.owner_share())

    def _oldest(self, wall: float) -> float:
        days = (day for day, _ in self._memory.learnt.history.before(clock_hour(wall).day))
        began = self._clocks.began if self._clocks is not None else wall
        return next((start_of_day(day) for day in days), began)
