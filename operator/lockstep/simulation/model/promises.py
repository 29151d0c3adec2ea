"""What jobs that wait are told of their starts, and what becomes of it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from lockstep.simulation.model.jobs import Job

# Sums of the same times in another order differ by less, in seconds.
_ROUNDING = 1e-3


class StartPromise(NamedTuple):
    """A job that waits is told when it is likely to start, and that it will have started at ``promised``.

    Nine of ten start by ``late``, nan where nobody says so.
    """

    job: Job
    likely: float
    promised: float
    late: float = math.nan


@dataclass(slots=True)
class Word:
    """What a job was told first, the earliest start that it was ever promised, and how often it was moved later."""

    likely: float
    promised: float
    earliest: float
    last: float
    moved_later: int = 0
    late: float = math.nan

    def is_kept_by(self, start: float) -> bool:
        """Whether that start is as early as every promise."""
        return start <= self.earliest + _ROUNDING

    def is_likely_by(self, start: float) -> bool:
        """Whether that start is as early as what was first called likely."""
        return start <= self.likely + _ROUNDING

    def is_late_by(self, start: float) -> bool:
        """Whether that start is as early as what nine of ten were first said to meet."""
        return start <= self.late + _ROUNDING

    def hear(self, promised: float) -> None:
        """Take down one more promise."""
        self.moved_later += promised > self.last + _ROUNDING
        self.earliest = min(self.earliest, promised)
        self.last = promised


@dataclass(slots=True)
class Words:
    """What was told so far, by the number of the job."""

    by_job: dict[int, Word] = field(default_factory=dict)

    def hear(self, told: Iterable[StartPromise]) -> None:
        """Take down what jobs are told now."""
        for job, likely, promised, late in told:
            word = self.by_job.get(job.number)
            if word is None:
                self.by_job[job.number] = Word(likely, promised, promised, promised, late=late)
            else:
                word.hear(promised)
