"""Measures the speed of the node's processors with a short benchmark at idle times, by processor time.

The rate is work per second of processor time. On a node with three times as much work as processors, repeated
measurements of the rate differ by 1.4 to 2.5 % at most. On an idle node they should differ less. Rates by wall time
would differ much more. The best of five runs counts as the result of a day. The capacity is the median of the last
seven results.

The work is a fixed loop over integers in the interpreter. It is as steady as compiled loops and has no dependencies.
Special instructions of some processors do not distort it. It does not measure memory bandwidth or vector units. The
rate depends on the version of Python, which all agents of a release share. It is measured again after a change of this
version or of the processor.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from lockstep.agent.measuring.duty_cycle import GANG_SEEN
from lockstep.agent.measuring.measured import Usage
from lockstep.api.nodebid.speeds import within_speeds

REFERENCE = 6_600_000.0
"""Rounds per second on the reference node: one AMD EPYC core of a cloud, with Python 3.11. Its capacity is 1."""
ROUNDS = 330_000
"""Rounds of one run: 50 ms on the reference node."""
RUNS = 5
KEPT_BESTS = 7
DAY = 86_400.0


@dataclass(slots=True)
class MeasuredCapacity:
    """The measured capacity: the median of the best rates of the last days.

    ``bests`` has these best rates as (epoch seconds, rounds per second). ``runs`` has the rates of the runs after the
    newest best rate. After five runs, the best of them is added to ``bests``.
    """

    bests: list[tuple[float, float]] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)

    def relative(self) -> float | None:
        """Return the median of the best rates, relative to the reference node; None before the first best rate."""
        return median(rate for _, rate in self.bests) / REFERENCE if self.bests else None

    def measured_at(self) -> float | None:
        """Return when the newest best rate was measured; None before the first."""
        return self.bests[-1][0] if self.bests else None

    def is_due(self, wall: float) -> bool:
        """Whether to measure again: there is no best rate, or the newest one is at least a day old.

        A best rate that is at least a day in the future is from before the clock was set back. It is measured again,
        too.
        """
        return not self.bests or abs(wall - self.bests[-1][0]) >= DAY

    def run(self, wall: float, clock: Callable[[], float] = time.thread_time) -> None:
        """Make one of the five runs of a day; ``clock`` is the processor time of this thread, in seconds."""
        self.runs.append(_rounds_a_second(clock))
        if len(self.runs) == RUNS:
            self.bests = [*self.bests, (wall, max(self.runs))][-KEPT_BESTS:]
            self.runs = []


def is_idle(usage: Usage) -> bool:
    """Whether a run disturbs no other work: half of the processors are free, and members use hardly any."""
    return usage.cores_gang < GANG_SEEN and usage.free >= usage.cores_total / 2


def measured_on(processor_model: str) -> str:
    """Return the processor and Python version on which rates depend. Rates are compared only if both are equal."""
    return f"{processor_model}, Python {sys.version_info.major}.{sys.version_info.minor}"


def _rounds_a_second(clock: Callable[[], float]) -> float:
    start = clock()
    _work(ROUNDS)
    rounds_a_second = ROUNDS / max(clock() - start, 1e-6)
    return within_speeds(rounds_a_second / REFERENCE) * REFERENCE


def _work(rounds: int) -> int:
    """Compute 32-bit xorshift numbers; each round needs the result of the previous one."""
    value = 2_463_534_242
    for _ in range(rounds):
        value ^= value << 13 & 0xFFFFFFFF
        value ^= value >> 17
        value ^= value << 5 & 0xFFFFFFFF
    return value
