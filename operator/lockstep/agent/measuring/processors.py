"""Reads the kernel's values for all processors: /proc/stat, /proc/pressure/cpu and /proc/cpuinfo (proc(5))."""

from dataclasses import dataclass
from pathlib import Path

from lockstep.agent.measuring.small_files import as_count, read_text

TICKS_A_SECOND = 100
"""USER_HZ, the unit of /proc/stat. It is the same on every architecture on which Kubernetes runs."""
STEAL = 8
"""The column of steal time: the time that the hypervisor gave to other machines."""

_ARM_NUMBERS = ("CPU implementer", "CPU variant", "CPU part")
_LONGEST_MODEL = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Processors:
    """The number of online processors, and two counters in seconds since boot.

    ``steal`` is the steal time of all processors together. ``waited`` is the time in which a process waited for a
    processor; None if the kernel does not report it.
    """

    cores: int
    steal: float
    waited: float | None


def read_processors(proc: Path) -> Processors | None:
    """Read the processors now; None if /proc/stat can't be read."""
    lines = (line.split() for line in (read_text(proc / "stat") or "").splitlines() if line.startswith("cpu"))
    rows = {words[0]: words for words in lines}
    everything = rows.pop("cpu", None)
    if everything is None or not rows:
        return None
    ticks = as_count(everything[STEAL]) if len(everything) > STEAL else None
    return Processors(cores=len(rows), steal=(ticks or 0) / TICKS_A_SECOND, waited=_waited(proc))


def _waited(proc: Path) -> float | None:
    """Return ``some total=`` of the pressure stall information, in seconds; None if the kernel does not have it."""
    for line in (read_text(proc / "pressure" / "cpu") or "").splitlines():
        if line.startswith("some "):
            microseconds = as_count(line.rpartition("total=")[2])
            return None if microseconds is None else microseconds / 1e6
    return None


def processor_model(proc: Path) -> str:
    """Return the name of the processor's model, or the numbers that ARM has instead; "" if the kernel has neither."""
    words = (line.partition(":") for line in reversed((read_text(proc / "cpuinfo") or "").splitlines()))
    first = {name.strip(): value.strip() for name, _, value in words}
    numbers = " ".join(f"{name} {first[name]}" for name in _ARM_NUMBERS if name in first)
    return (first.get("model name") or numbers)[:_LONGEST_MODEL]
