"""The law that the runs of a template have followed, beside what its spec states."""

from dataclasses import dataclass

import numpy as np

from coschedule import FinishedRuns, NoFit, WorkFit, error_of_multiple, fit_work
from lockstep.facts.past_runs import THOUSAND, Runs

_LEAST_GAIN = 0.9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """What the runs of a template tell of its run time, and by how much what is stated misses them: as an error."""

    fit: WorkFit | NoFit
    stated_error: float

    @property
    def better(self) -> WorkFit | None:
        """The law, where it foretells a run better than what is stated, multiplied by what the other runs took.

        Its error has to be less by a tenth, so that chance does not change every day what is planned with.
        """
        if isinstance(self.fit, NoFit) or self.fit.error >= _LEAST_GAIN * self.stated_error:
            return None
        return self.fit


def judge(runs: Runs) -> Judged:
    """Compare what was stated for these runs with the law that they tell."""
    factors, sizes, slowdowns, milliseconds = np.array(runs, dtype=np.int64).reshape(-1, 4).T
    known = FinishedRuns(sizes=sizes, slowdowns=slowdowns / THOUSAND, seconds=milliseconds / THOUSAND)
    stated = known.idle_seconds * THOUSAND / factors
    return Judged(fit=fit_work(known), stated_error=error_of_multiple(known, stated))
