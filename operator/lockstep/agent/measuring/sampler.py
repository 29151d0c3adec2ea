"""Reads the counters of the node, sample after sample."""

from collections.abc import Collection
from pathlib import Path

from lockstep.agent.measuring.cgroups import Cgroups
from lockstep.agent.measuring.measured import Usage
from lockstep.agent.measuring.mounts import cgroup_mount
from lockstep.agent.measuring.processors import read_processors
from lockstep.agent.measuring.usage import Look, usage_between

LONGEST_BETWEEN = 300.0
"""Seconds between two looks, above which nothing is told of the time in between: that is no five-minute mean."""
LONGEST_PERIOD = 0.8 * LONGEST_BETWEEN
"""The longest period at which to look: a look that comes late still counts."""


class Sampler:
    """Tells who used the processors since the sample before. ``source`` says what is read, "" while nothing can be."""

    def __init__(self, *, root: Path, proc: Path) -> None:
        self.source = ""
        self._root, self._proc = root, proc
        self._cgroups: Cgroups | None = None
        self._before: Look | None = None

    def sample(self, now: float, gang_pods: Collection[str]) -> tuple[float, Usage] | None:
        """Return seconds and the usage in them; None at first, after a long while, and where nothing can be read."""
        after = self._look(now, gang_pods)
        if after is None:
            return None
        before, self._before = self._before, after
        if before is None or not 0 < now - before.at <= LONGEST_BETWEEN:
            return None
        return now - before.at, usage_between(before, after)

    def _look(self, now: float, gang_pods: Collection[str]) -> Look | None:
        if self._cgroups is None and (mount := cgroup_mount(self._proc, self._root)) is not None:
            self.source, self._cgroups = mount.source, Cgroups(mount)
        counted = self._cgroups.counted(gang_pods) if self._cgroups is not None else None
        processors = read_processors(self._proc)
        return None if counted is None or processors is None else Look(at=now, counted=counted, processors=processors)
