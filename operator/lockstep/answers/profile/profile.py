"""Fits a law to finished runs: how the run time of a gang's template falls with its size."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule import GangKey, NoFit, SerialWork, Work, WorkFit
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.gangjob.finished_runs import parse_runs
from lockstep.api.preemption import gang_name
from lockstep.belief.run_times.learned_law import observe
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.past_runs import THOUSAND, Judged, Kinds, PastRun, Runs

MOST_ROWS = 20
SHORTEST_SERIAL = 1e-3
"""The shortest serial time that a spec may state, in seconds."""


class ProfileRow(NamedTuple):
    """A size, the number of its ``runs``, and its run times in seconds on idle reference nodes.

    ``predicted`` is by the law; in 19 of 20 cases, it is off by at most ``spread``. ``seen`` is the median of the runs;
    None without runs.
    """

    members: int
    runs: int
    predicted: float
    spread: float
    seen: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileAnswer:
    """A law that was fitted to the runs of a gang's template, if there is one.

    The gang ``source`` has the runs in its status. If ``kinds`` of nodes make a difference, run times are for nodes of
    the usual kind. ``least`` and ``most`` are the bounds of the gang's size, which here counts only members that do a
    part of the work. There are ``rows`` only if there is a law. ``stated`` is the work in the gang's spec.
    """

    gang: GangKey
    source: GangKey
    runs: Runs
    judged: Judged
    stated: Work
    kinds: Kinds | None
    least: int
    most: int
    rows: tuple[ProfileRow, ...]

    @property
    def fit(self) -> WorkFit | NoFit:
        """The law, or the reason why there is none."""
        return self.judged.fit

    @property
    def times(self) -> float:
        """The median of the runs' times, as multiples of the times that the spec states."""
        return float(np.median([run.thousandths for run in self.runs])) / THOUSAND

    @property
    def suggested(self) -> SerialWork | None:
        """The stated work, multiplied by ``times``; None if there is a law, or if the spec states a profile."""
        if isinstance(self.fit, WorkFit) or not isinstance(self.stated, SerialWork):
            return None
        stated, times = self.stated, self.times
        return SerialWork(
            serial=max(float(stated.serial) * times, SHORTEST_SERIAL),
            fixed=float(stated.fixed) * times,
            per_member=float(stated.per_member) * times,
            per_log_member=float(stated.per_log_member) * times,
        )


def answer_profile(gangs: Sequence[GangFact], asked: GangKey) -> ProfileAnswer:
    """The profile of a gang, from finished runs. ``gangs`` are all gangs of its namespace. Raises ``AnswerError``."""
    gang, work = _with_work(next((one for one in gangs if one.key == asked), None), asked)
    runs, source = _runs_of(gangs, gang.spec.run_template)
    if source is None:
        raise AnswerError(
            f"No run of the template of GangJob {gang_name(asked)} is known. A run counts if its GangJob exists, has "
            "succeeded in its first attempt, and was predicted to take at least 10 s. With work.learn: true, plans "
            "also use what the operator has learned from deleted GangJobs."
        )
    learned, (least, most) = observe(runs), (gang.spec.least_working, gang.spec.most_working)
    fit = learned.judged.fit
    return ProfileAnswer(
        gang=asked,
        source=source,
        runs=runs,
        judged=learned.judged,
        stated=work,
        kinds=learned.kinds,
        least=least,
        most=most,
        rows=_rows(fit, learned.alike, (least, most)) if isinstance(fit, WorkFit) else (),
    )


def _with_work(gang: GangFact | None, asked: GangKey) -> tuple[AcceptedGang, Work]:
    """The gang, and the work in its spec. Raises ``AnswerError`` if one of them is missing."""
    if gang is None:
        raise AnswerError(f"There is no GangJob {gang_name(asked)}.")
    if not isinstance(gang, AcceptedGang):
        raise AnswerError(f"GangJob {gang_name(asked)} is refused: {gang.refusal.message if gang.refusal else ''}")
    if gang.spec.work is None or not gang.spec.run_template:
        raise AnswerError(
            f"GangJob {gang_name(asked)} states no work, so its runs are not compared: state a guess, such as "
            "work: {serialTime: 10m}, and run it again."
        )
    return gang, gang.spec.work


def _runs_of(gangs: Sequence[GangFact], template: str) -> tuple[Runs, GangKey | None]:
    """The past runs of a template, and the gang whose status has them.

    If several gangs have runs in their statuses, the gang that ended last is used. If no gang of the template has runs,
    the result is () and None.
    """
    known: list[tuple[float, GangKey, Runs]] = []
    for gang in gangs:
        runs = parse_runs(gang.status.past_runs)
        if runs and isinstance(gang, AcceptedGang) and gang.spec.run_template == template:
            known.append((gang.status.finished_at or 0.0, gang.key, runs))
    _, source, runs = max(known, default=(0.0, None, ()))
    return runs, source


def _rows(fit: WorkFit, runs: Runs, ends: tuple[int, int]) -> tuple[ProfileRow, ...]:
    """A row for every size of a run, and for the gang's smallest and largest size; at most 20 rows."""
    members = sorted({*fit.sizes, *ends})
    if len(members) > MOST_ROWS:
        members = [members[round(at)] for at in np.linspace(0, len(members) - 1, MOST_ROWS)]
    every = np.array(members, dtype=np.int64)
    predicted, spreads = fit.seconds(every).tolist(), (2 * fit.standard_errors_at(every)).tolist()
    took = [[idle_seconds(run) for run in runs if run.members == count] for count in members]
    return tuple(
        ProfileRow(count, len(times), seconds, spread, float(np.median(times)) if times else None)
        for count, times, seconds, spread in zip(members, took, predicted, spreads, strict=True)
    )


def idle_seconds(run: PastRun) -> float:
    """The seconds that the run would have taken on idle reference nodes."""
    return run.milliseconds / run.slowdown
