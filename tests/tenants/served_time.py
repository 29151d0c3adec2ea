"""Time that passes for some processes: what other processes take of the machine is left out."""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import clock_gettime, monotonic
from typing import NamedTuple

_PROC = Path("/proc")
# Linux makes the clock of a process's CPU time of its number in this way.
_CPU_CLOCK = 2


class Measured(NamedTuple):
    """The time and the CPU time of the processes, in seconds, and whether any of them had something to do."""

    now: float
    spent: float
    is_busy: bool


class ServedTime:
    """A clock that stands still while the processes have something to do, and no core to do it on.

    It shows at most the time that passed. On a machine that does nothing else, it shows about that: each moment, a
    process runs, or none has anything to do. It has to be read often.
    """

    def __init__(self, measure: Callable[[], Measured]) -> None:
        self._measure = measure
        self._last = measure()
        self._seconds = 0.0

    def seconds(self) -> float:
        """The seconds since the clock was made."""
        before, last = self._last, self._measure()
        passed, spent = last.now - before.now, last.spent - before.spent
        self._seconds += min(passed, spent if last.is_busy else spent + passed)
        self._last = last
        return self._seconds


def measure_processes(processes: Sequence[int]) -> Measured:
    """Measure processes by their numbers."""
    return Measured(monotonic(), sum(map(_spent, processes)), any(map(_is_busy, processes)))


def _spent(process: int) -> float:
    return clock_gettime((~process << 3) | _CPU_CLOCK)


def _is_busy(process: int) -> bool:
    """Whether a thread of it has a core, or waits for one."""
    states = (_state(thread / "stat") for thread in (_PROC / str(process) / "task").iterdir())
    return any(state == "R" for state in states)


def _state(stat: Path) -> str:
    """The state of a thread; empty if it has ended meanwhile."""
    try:
        return stat.read_text(encoding="ascii", errors="replace").rpartition(") ")[2][:1]
    except (FileNotFoundError, ProcessLookupError):
        return ""
