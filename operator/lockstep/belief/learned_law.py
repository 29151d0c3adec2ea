"""The law that the runs of a template have followed, beside what its spec states."""

import numpy as np

from coschedule import FinishedRuns, WorkFit, error_of_multiple, fit_work
from lockstep.facts.past_runs import THOUSAND, Judged, Runs, thousandths_of


def judge(runs: Runs) -> Judged:
    """Compare what was stated for these runs with the law that they tell."""
    known = _finished(runs)
    factors = np.array([run.thousandths for run in runs], dtype=np.int64)
    stated = known.idle_seconds * THOUSAND / factors
    return Judged(fit=fit_work(known), stated_error=error_of_multiple(known, stated))


def thousandths_of_law(runs: Runs, law: WorkFit) -> list[int]:
    """Of each run whose size is known, how many thousandths of the law's time it took."""
    known = _finished(tuple(run for run in runs if run.members))
    return [thousandths_of(factor) for factor in (known.idle_seconds / law.seconds(known.sizes)).tolist()]


def _finished(runs: Runs) -> FinishedRuns:
    _, sizes, slowdowns, milliseconds = np.array(runs, dtype=np.int64).reshape(-1, 4).T
    return FinishedRuns(sizes=sizes, slowdowns=slowdowns / THOUSAND, seconds=milliseconds / THOUSAND)
