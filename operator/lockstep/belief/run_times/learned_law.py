"""The law that the run times of a template follow, and the effect of kinds of nodes on these times."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from coschedule import FinishedRuns, WorkFit, error_of_multiple, fit_kinds, fit_work, number_kinds
from lockstep.facts.past_runs import THOUSAND, Judged, Kinds, PastRun, Runs, thousandths_of


class Observed(NamedTuple):
    """The results of runs: the effect of ``kinds`` of nodes, the runs as if all nodes were ``alike``, and their law.

    ``judged`` compares that law with the stated times. ``alike`` has the unchanged runs if kinds do not improve the
    prediction.
    """

    judged: Judged
    alike: Runs
    kinds: Kinds | None


def observe(runs: Runs) -> Observed:
    """Find the law of the runs of a template, and the effect of kinds of nodes."""
    judged = judge(runs)
    kinds = kinds_of(runs, judged)
    if kinds is None or not kinds.factors:
        return Observed(judged, runs, kinds)
    alike = as_if_alike(runs, kinds.factors)
    return Observed(judge(alike), alike, kinds)


def judge(runs: Runs) -> Judged:
    """Compare the stated run times of these runs with the law that fits them."""
    known = _finished(runs)
    factors = np.array([run.thousandths for run in runs], dtype=np.int64)
    stated = known.idle_seconds * THOUSAND / factors
    return Judged(fit=fit_work(known), stated_error=error_of_multiple(known, stated))


def thousandths_of_law(runs: Runs, law: WorkFit) -> list[int]:
    """The time of each run of known size, in thousandths of the law's time."""
    known = _finished(tuple(run for run in runs if run.members))
    return [thousandths_of(factor) for factor in (known.idle_seconds / law.seconds(known.sizes)).tolist()]


def kinds_of(runs: Runs, judged: Judged) -> Kinds | None:
    """Compare runs by kind of node, relative to the law or the stated time; None if too little is known."""
    known = tuple(run for run in runs if run.members)
    law = judged.better
    thousandths = [run.thousandths for run in known] if law is None else thousandths_of_law(known, law)
    kinds, numbers = number_kinds([run.kind for run in known])
    fit = fit_kinds(np.array(thousandths, dtype=np.float64), kinds)
    names = list(numbers)
    return None if fit is None else Kinds(names=tuple(names[kind] for kind in fit.kinds.tolist()), fit=fit)


def as_if_alike(runs: Runs, factors: Mapping[str, float]) -> Runs:
    """The runs as if all nodes were of the usual kind."""
    return tuple(_as_if_usual(run, factors[run.kind]) if run.kind in factors else run for run in runs)


def _as_if_usual(run: PastRun, times: float) -> PastRun:
    """The run as if its nodes were of the usual kind, and the effect of the kind were a part of their slow-down.

    The slow-down is multiplied by the kind's factor, ``times``. The run's time relative to the stated time is divided
    by this factor.
    """
    slowdown, thousandths = run.slowdown / THOUSAND * times, run.thousandths / THOUSAND / times
    return run._replace(slowdown=thousandths_of(slowdown), thousandths=thousandths_of(thousandths))


def _finished(runs: Runs) -> FinishedRuns:
    numbers = [(run.members, run.slowdown, run.milliseconds) for run in runs]
    sizes, slowdowns, milliseconds = np.array(numbers, dtype=np.int64).reshape(-1, 3).T
    return FinishedRuns(sizes=sizes, slowdowns=slowdowns / THOUSAND, seconds=milliseconds / THOUSAND)
