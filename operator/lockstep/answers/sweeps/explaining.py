"""Answers ``explain sweep/NAME``: the size of the runs, how many may run at a time, and what delays the sweep."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.sweeps.run_gang import sample_gang
from lockstep.belief.state import State
from lockstep.cycle.sweeps.common_sizes import RunSize, choose_size, size_question
from lockstep.cycle.sweeps.materials import accepted_template
from lockstep.cycle.sweeps.run_phases import RunPhase, run_gang_of
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Condition
from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds
from lockstep.facts.sweeps.sweep import Sweep, SweepRefusal
from lockstep.report.text.awaiting_sentences import waits_for_others

_MOST_NAMED = 5
_NOT_YET = "It has not been planned yet."


class HeldUp(NamedTuple):
    """A sentence that says why a sweep, or its run number ``run``, does not go on."""

    why: str
    run: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepAnswer:
    """The state of a sweep, of which ``left`` runs have not ended.

    ``size`` is the size of the next runs, chosen now; None if no further run can be made.
    """

    sweep: Sweep
    size: RunSize | None
    left: int
    held_up: tuple[HeldUp, ...]


def answer_sweep(state: State, sweep: Sweep) -> SweepAnswer:
    """The answer about a sweep; ``state`` has its GangJobs."""
    ends = RunEnds.unpacked(sweep.status.run_ends, sweep.status.runs or 0)
    left = ends.count(RunEnd.NOT_YET) if sweep.status.runs else sweep.spec.runs or 0
    if sweep.status.end is not None:
        return SweepAnswer(sweep=sweep, size=None, left=left, held_up=())
    gang = accepted_template(sweep, parse_gang(sample_gang(sweep), None, state.pool, state.gate_image))
    size = None
    if not isinstance(gang, SweepRefusal) and left > 0:
        size = choose_size(size_question(state, sweep.spec, gang, left))
    return SweepAnswer(sweep=sweep, size=size, left=left, held_up=tuple(_held_up(state, sweep)))


def _held_up(state: State, sweep: Sweep) -> Iterator[HeldUp]:
    if sweep.spec.is_suspended:
        yield HeldUp("It is suspended: no run is created, and runs that wait are deleted.")
    if not sweep.status.state:
        yield HeldUp("The operator has not started this sweep: does it run with --sweeps?")
    runs = sorted(_runs(state, sweep), key=lambda run: run[0])
    stuck = [run for run in runs if run[1] is RunPhase.STUCK]
    next_to_start = [run for run in runs if run[1].may_start and run not in stuck][:1]
    for number, _, gang in (*stuck[:_MOST_NAMED], *next_to_start):
        yield HeldUp(_why(state, gang), number)
    unnamed = len(stuck) - _MOST_NAMED
    if unnamed > 0:
        yield HeldUp(f"{unnamed} other runs are refused, suspended or fit nowhere.")


def _runs(state: State, sweep: Sweep) -> Iterator[tuple[int, RunPhase, GangFact]]:
    for gang in state.gangs.values():
        run = gang.run
        if run is not None and (run.sweep, run.sweep_uid) == (sweep.key, sweep.uid) and not gang.is_deleting:
            yield run.number, run_gang_of(gang).phase, gang


def _why(state: State, gang: GangFact) -> str:
    refusal = state.refusal_of(gang)
    if refusal is not None:
        return refusal.message
    if gang.unmet:
        return waits_for_others(gang.unmet, gang.status.recorded)
    # A gang that was resumed keeps the condition Suspended, with the status False.
    is_suspended = gang.status.is_true(Condition.SUSPENDED)
    condition = gang.status.condition(Condition.SUSPENDED if is_suspended else Condition.PLANNED)
    return condition.message if condition is not None and condition.message else _NOT_YET
