"""Reads the counters of the node, sample after sample."""

from collections.abc import Collection
from pathlib import Path

from lockstep.agent.measuring.cgroups import Cgroups
from lockstep.agent.measuring.measured import Usage
from lockstep.agent.measuring.mounts import cgroup_mount
from lockstep.agent.measuring.processors import read_processors
from lockstep.agent.measuring.usage import CounterReading, usage_between

LONGEST_BETWEEN = 300.0
"""If two samples are more seconds apart than this, no usage is computed: its mean would be over too long a time."""
LONGEST_PERIOD = 0.8 * LONGEST_BETWEEN
"""The longest sampling period in seconds, so that a late sample still counts."""


class Sampler:
    """Measures the use of the processors since the last sample.

    ``source`` names the cgroups that are read; it is "" if none can be read.
    """

    def __init__(self, *, root: Path, proc: Path) -> None:
        self.source = ""
        self._root, self._proc = root, proc
        self._cgroups: Cgroups | None = None
        self._before: CounterReading | None = None

    def sample(self, now: float, gang_pods: Collection[str]) -> tuple[float, Usage] | None:
        """Return the seconds since the last sample, and the usage in this time.

        Return None for the first sample, after a pause of more than ``LONGEST_BETWEEN``, and if no counter can be read.
        """
        after = self._read(now, gang_pods)
        if after is None:
            return None
        before, self._before = self._before, after
        if before is None or not 0 < now - before.at <= LONGEST_BETWEEN:
            return None
        return now - before.at, usage_between(before, after)

    def _read(self, now: float, gang_pods: Collection[str]) -> CounterReading | None:
        if self._cgroups is None and (mount := cgroup_mount(self._proc, self._root)) is not None:
            self.source, self._cgroups = mount.source, Cgroups(mount)
        counted = self._cgroups.counted(gang_pods) if self._cgroups is not None else None
        processors = read_processors(self._proc)
        return (
            None
            if counted is None or processors is None
            else CounterReading(at=now, counted=counted, processors=processors)
        )
