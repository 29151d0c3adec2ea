"""How the run time of a gang's template falls with its size, as finished runs have it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule import GangKey, NoFit, SerialWork, Work, WorkFit
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.gangjob.finished_runs import parse_runs
from lockstep.api.preemption import gang_name
from lockstep.belief.run_times.learned_law import observe
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.past_runs import THOUSAND, Judged, Kinds, PastRun, Runs

MOST_ROWS = 20
SHORTEST_SERIAL = 1e-3
"""The least that a spec may state, in seconds."""


class ProfileRow(NamedTuple):
    """One size: how many runs had it, and the seconds on idle reference nodes that the law has and that these took.

    ``spread`` is by how much ``foretold`` may be off, 19 times of 20; ``seen`` is a median, None where there are none.
    """

    members: int
    runs: int
    foretold: float
    spread: float
    seen: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileAnswer:
    """What the runs of a gang's template tell, as the status of ``told_by`` has them.

    What they tell of run times is as on nodes of the usual kind, where ``kinds`` make a difference.
    The gang may have ``least`` to ``most`` members that do a part of the work. There are rows where there is a law.
    ``stated`` is the work of its spec.
    """

    gang: GangKey
    told_by: GangKey
    runs: Runs
    judged: Judged
    stated: Work
    kinds: Kinds | None
    least: int
    most: int
    rows: tuple[ProfileRow, ...]

    @property
    def fit(self) -> WorkFit | NoFit:
        """The law, or what is missing for one."""
        return self.judged.fit

    @property
    def times(self) -> float:
        """How many times as long as stated the runs took, in the median."""
        return float(np.median([run.thousandths for run in self.runs])) / THOUSAND

    @property
    def suggested(self) -> SerialWork | None:
        """What is stated, as long as the runs took; None where a law says more, or times of a profile are stated."""
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
    """What finished runs tell of the gang that is asked about; ``gangs`` are all of its namespace."""
    gang = next((one for one in gangs if one.key == asked), None)
    if gang is None:
        raise AnswerError(f"There is no GangJob {gang_name(asked)}.")
    if gang.spec is None:
        raise AnswerError(f"GangJob {gang_name(asked)} is refused: {gang.refusal.message if gang.refusal else ''}")
    if gang.spec.work is None or not gang.spec.run_template:
        raise AnswerError(
            f"GangJob {gang_name(asked)} states no work, so its runs are not compared: state a guess, such as "
            "work: {serialTime: 10m}, and run it again."
        )
    runs, teller = _runs_of(gangs, gang.spec.run_template)
    if teller is None:
        raise AnswerError(
            f"No run of the template of GangJob {gang_name(asked)} is known: no GangJob of it is there that has "
            "succeeded in its first attempt, and was predicted to take 10 s at least. Finished runs that were deleted "
            "are not counted; what the operator has learned of them is used with work.learn: true."
        )
    told, (least, most) = observe(runs), (gang.spec.least_working, gang.spec.most_working)
    fit = told.judged.fit
    return ProfileAnswer(
        gang=asked,
        told_by=teller,
        runs=runs,
        judged=told.judged,
        stated=gang.spec.work,
        kinds=told.kinds,
        least=least,
        most=most,
        rows=_rows(fit, told.alike, (least, most)) if isinstance(fit, WorkFit) else (),
    )


def _runs_of(gangs: Sequence[GangFact], template: str) -> tuple[Runs, GangKey | None]:
    """The runs that the last gang of the template to end knew of, and who that is."""
    known: list[tuple[float, GangKey, Runs]] = []
    for gang in gangs:
        runs = parse_runs(gang.status.past_runs)
        if runs and gang.spec is not None and gang.spec.run_template == template:
            known.append((gang.status.finished_at or 0.0, gang.key, runs))
    _, teller, runs = max(known, default=(0.0, None, ()))
    return runs, teller


def _rows(fit: WorkFit, runs: Runs, ends: tuple[int, int]) -> tuple[ProfileRow, ...]:
    """Every size that was run with, and both ends of what the gang may have; of many, some."""
    members = sorted({*fit.sizes, *ends})
    if len(members) > MOST_ROWS:
        members = [members[round(at)] for at in np.linspace(0, len(members) - 1, MOST_ROWS)]
    every = np.array(members, dtype=np.int64)
    foretold, spreads = fit.seconds(every).tolist(), (2 * fit.standard_errors_at(every)).tolist()
    took = [[idle_seconds(run) for run in runs if run.members == count] for count in members]
    return tuple(
        ProfileRow(count, len(times), seconds, spread, float(np.median(times)) if times else None)
        for count, times, seconds, spread in zip(members, took, foretold, spreads, strict=True)
    )


def idle_seconds(run: PastRun) -> float:
    """What the run would have taken on idle reference nodes."""
    return run.milliseconds / run.slowdown
