"""Plans with a supposed GangSweep: computes the size of its runs, and rough times of its start and end."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from coschedule import GangKey
from lockstep.answers.plan.planned import AnsweredPlan, start_times
from lockstep.answers.plan.rules import PlanRules
from lockstep.answers.supposing.predecessors import record_predecessors
from lockstep.answers.supposing.supposed_gangs import as_created
from lockstep.answers.supposing.supposed_sweeps import SupposedSweep
from lockstep.answers.sweeps.explained_text import side_by_side
from lockstep.answers.sweeps.planned_sweep import planned_sweep
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.sweeps.run_gang import run_gang, sample_gang
from lockstep.api.sweeps.sweep import parse_sweep
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.state import State
from lockstep.cycle.sweeps.common_sizes import RunSize, choose_size, size_question
from lockstep.cycle.sweeps.materials import accepted_template
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.sweeps.sweep import Sweep, SweepRefusal
from lockstep.tenants.others import Ahead, ahead_of
from lockstep.tenants.supposing.coarse_plan import Delayed, UnplannedError, coarse_times, delays, plan_asked
from lockstep.tenants.supposing.questions import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class CoarseSweep:
    """A sweep with the number of its ``runs``. The plan has the first ``planned`` runs.

    ``why`` and ``bounded_by`` are sentences about the size of its runs, and about how many run at the same time. The
    first run starts within ``starts`` minutes, and all runs end within ``ends`` minutes. Both are None if the time is
    unknown, or never comes.
    """

    namespace: str
    name: str
    runs: int
    members: int | None
    side_by_side: int
    why: str
    bounded_by: str
    planned: int
    starting_now: int
    starts: int | None
    ends: int | None
    ahead: Ahead
    delays: tuple[Delayed, ...]


def plan_with_sweep(
    state: State, rules: PlanRules, before: AnsweredPlan, question: Question, now: float
) -> CoarseSweep:
    """Plan with the first runs of the sweep and all other gangs. Afterwards the cache is as before.

    Raises ``UnplannedError``, or ``AnswerError`` if a bug keeps runs from being planned.
    """
    supposed = _supposed(state, question, now)
    waiting, after = _planned(state, rules, supposed, now)
    planned = planned_sweep(supposed, start_times(after.preempting.plan.decisions), now)
    starts, ends = coarse_times(planned.start, planned.finish, now)
    return CoarseSweep(
        namespace=question.namespace,
        name=question.name,
        runs=supposed.runs,
        members=supposed.size.members,
        side_by_side=supposed.size.groups,
        why=supposed.size.reason,
        bounded_by=side_by_side(supposed.size, supposed.sweep.spec, supposed.runs),
        planned=len(waiting),
        starting_now=planned.starting_now,
        starts=starts,
        ends=ends,
        ahead=ahead_of(after.made.decisions, waiting[0]),
        delays=tuple(delays(before, after, question.namespace, supposed.first)),
    )


def _planned(
    state: State, rules: PlanRules, supposed: SupposedSweep, now: float
) -> tuple[Sequence[GangKey], AnsweredPlan]:
    """The first runs of the sweep that would wait, and a plan with them."""
    with _applied(state, [_run(state, supposed, number, now) for number in range(len(supposed.first))]):
        waiting = [key for key in supposed.first if state.phase_of(state.gangs[key]).is_planned]
        if not waiting:
            raise UnplannedError("The runs of this GangSweep wait for other gangs, or are suspended: there is no plan.")
        return waiting, plan_asked(state, rules, now, waiting)


def _supposed(state: State, question: Question, now: float) -> SupposedSweep:
    """The sweep as the operator would read it now, with the size of its runs. Raises ``UnplannedError``.

    The spec in the question must have the number of runs in place of parameters.
    """
    try:
        sweep, gang = _read(state, question, now)
        runs = sweep.spec.runs
        if not runs:
            raise UnplannedError(
                "spec.gangSweepSpec has no runs. Write the number of runs there, in place of parametersFrom."
            )
        size = choose_size(size_question(state, sweep.spec, gang, runs))
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise UnplannedError(f"This GangSweep is invalid: {describe(error)}.") from error
    near = min(runs, size.near(sweep.spec.template))
    first = tuple(GangKey(question.namespace, f"{question.name}-{number}") for number in range(near))
    there = next((key for key in first if key in state.gangs), None)
    if there is not None:
        raise UnplannedError(f"GangJob {there} exists already, and a run would have the same name.")
    return SupposedSweep(sweep=sweep, runs=runs, size=size, first=first)


def _read(state: State, question: Question, now: float) -> tuple[Sweep, AcceptedGang]:
    metadata = {"namespace": question.namespace, "name": question.name, **as_created(now)}
    sweep = parse_sweep({"metadata": metadata, "spec": question.spec})
    gang = accepted_template(sweep, parse_gang(sample_gang(sweep), None, state.pool, state.gate_image))
    if isinstance(gang, SweepRefusal):
        raise UnplannedError(f"This GangSweep would be refused: {gang.message}")
    return sweep, gang


def _run(state: State, supposed: SupposedSweep, number: int, now: float) -> GangFact:
    size: RunSize = supposed.size
    made = run_gang(supposed.sweep, number, (), size.size)
    # Each run has its own UID: the cache keeps some facts by UID, so the removal of a run changes no other gang.
    metadata = {**made["metadata"], **as_created(now), "uid": f"supposed-{number}"}
    return parse_gang({**made, "metadata": metadata}, None, state.pool, state.gate_image)


@contextmanager
def _applied(state: State, gangs: Sequence[GangFact]) -> Iterator[None]:
    """Keep these gangs in the cache while the block runs."""
    try:
        for gang in gangs:
            state.apply_gang(gang)
            record_predecessors(state, gang.key)
        yield
    finally:
        for gang in gangs:
            state.remove_gang(gang.key, gang.uid)
