"""The promises that waiting jobs get of their starts, and whether these are kept."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from lockstep.simulation.model.jobs import Job

# Sums of the same times in another order may differ by this many seconds.
_ROUNDING = 1e-3


class StartPromise(NamedTuple):
    """A waiting job is likely to start at ``likely``, and will have started by ``promised``.

    Nine of ten jobs start by ``late``; nan without such an estimate.
    """

    job: Job
    likely: float
    promised: float
    late: float = math.nan


@dataclass(slots=True)
class PromiseHistory:
    """A job's first promise, the earliest and the last promised start, and how often a promise moved later.

    ``has_met_owner``: since the first promise, an owner who came back has interrupted a job.
    """

    likely: float
    promised: float
    earliest: float
    last: float
    moved_later: int = 0
    late: float = math.nan
    has_met_owner: bool = False

    def is_kept_by(self, start: float) -> bool:
        """Whether a job that starts at ``start`` keeps every promise."""
        return start <= self.earliest + _ROUNDING

    def is_likely_by(self, start: float) -> bool:
        """Whether a job that starts at ``start`` starts by the first ``likely`` start."""
        return start <= self.likely + _ROUNDING

    def is_late_by(self, start: float) -> bool:
        """Whether a job that starts at ``start`` starts by the first ``late`` start; False if that is nan."""
        return start <= self.late + _ROUNDING

    def record(self, promised: float) -> None:
        """Record one more promise."""
        self.moved_later += promised > self.last + _ROUNDING
        self.earliest = min(self.earliest, promised)
        self.last = promised


@dataclass(slots=True)
class PromiseHistories:
    """All promises so far, by the number of the job."""

    by_job: dict[int, PromiseHistory] = field(default_factory=dict)

    def owner_returned(self, waiting: Iterable[int]) -> None:
        """Record that an owner came back and interrupted a job while the ``waiting`` jobs waited."""
        for number in waiting:
            if number in self.by_job:
                self.by_job[number].has_met_owner = True

    def record(self, promises: Iterable[StartPromise]) -> None:
        """Record the promises of one decision."""
        for job, likely, promised, late in promises:
            history = self.by_job.get(job.number)
            if history is None:
                self.by_job[job.number] = PromiseHistory(likely, promised, promised, promised, late=late)
            else:
                history.record(promised)
