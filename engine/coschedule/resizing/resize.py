"""Choose sizes for gangs, and plan the rest of the queue beside them, so that promises hold.

Problem: some gangs run, and their sizes may change. Others wait, and some of these have a promise. Choose the sizes,
and plan the gangs that still wait, so that each gang starts by its promise.

Method: choose the sizes with the greatest worth (``sizes``). A gang whose promise is due must start. Then plan the
queue as if these sizes stayed. If that breaks a promise, plan the queue again as if every elastic gang shrank later
(``beside`` says when). If each of these plans breaks a promise, and a promise was due, choose sizes again: the late
gangs must start too. If that does not help, all gangs shrink. The last choice is that nothing changes. The choice with
the fewest late gangs is taken.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from coschedule.queue.planner.planner import Rescue
from coschedule.queue.problem.decisions import Placement, Plan
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.beside import Resized, plan_once, planned_beside
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.size_plan import SizePlan
from coschedule.resizing.gangs.sized_run import ChangeTerms, SizedRun
from coschedule.resizing.open_ended.giving_back import Planned
from coschedule.resizing.open_ended.open_ended_sizes import open_ended_sizes
from coschedule.resizing.questions import Asked, gangs_apart, questions
from coschedule.resizing.reasons import with_reasons
from coschedule.resizing.shrinking import all_shrunk
from coschedule.resizing.sizes import choose_sizes

_MOST_TRIES = 4
# Each choice costs one to four plans of the queue. If more gangs than this wait, only one choice is tried.
_LONG_QUEUE = 250


def resize(
    snapshot: Snapshot,
    runs: Sequence[SizedRun],
    elastic: Mapping[GangKey, ChangeTerms],
    *,
    rescue: Rescue | None = None,
    may_give: bool = True,
) -> Resized:
    """Choose sizes for gangs that run or wait, and plan the others.

    The snapshot has a release of each run's resources at its end. Runs of unknown end choose last, beside the plan of
    all other gangs (``open_ended``). They give room back only if they ``may_give``, as this costs up to six more plans.
    Waiting gangs may change their size later if they are in ``elastic``.

    Sizes are chosen for one group of gangs with the same seats. It is the first of ``questions`` in which a size
    changes or a gang must start, else the first in which a gang starts. Other runs keep their size until the next plan.
    A waiting gang takes part only if its members are alike and have equal shares of known work. It must also have no
    deadline, no terms and no factors, and no waiting gang may be more urgent. It must be able to start now, by its
    ``not_before``. All other gangs are only planned. Nodes that a waiting gang holds go to other gangs only until the
    node hold begins, unless these gangs are more urgent. ``rescue`` is as in ``plan``.

    Guarantees: no gang that runs is stopped. Changes reduce the objective only if a promise is due, a size is asked of
    a gang, or a gang would miss its deadline. Several choices are tried until no gang starts after its promise. If each
    of them makes a gang late, the one with the fewest late gangs is taken. So promises can be broken, though rarely.
    Other gangs may take no part and have no promise. No choice delays such a gang if it is at least as urgent as one of
    the gangs that grow or start. There are two exceptions: a promise is due, or a gang shrinks as asked.
    """
    known = [run for run in runs if isinstance(run, ElasticRun)]
    best = _of_known_end(snapshot, known, elastic, rescue)
    endless = [run for run in runs if isinstance(run, OpenEndedRun)]
    planned = partial(plan_once, is_loose=bool(known or elastic), rescue=rescue)
    return _with_open_ended(best, endless, planned, may_give=may_give)


def _of_known_end(
    snapshot: Snapshot, runs: Sequence[ElasticRun], elastic: Mapping[GangKey, ChangeTerms], rescue: Rescue | None
) -> Resized:
    if not (runs or elastic):
        return Resized.of(SizePlan(), snapshot, plan_once(snapshot, is_loose=False, rescue=rescue))
    found = questions(snapshot, runs, elastic)
    first = _first_that_changes(found.asked)
    best = _best_of(first, elastic, rescue)
    asked = {run.key for run in runs if run.is_due}
    gives_as_asked = any(one.gang in asked and one.size_after < one.size_before for one in best.sizes.changes)
    if not (first.asked.question.must_start or gives_as_asked):
        best = _delaying_none(best, snapshot, _least_urgent(best.sizes, runs, snapshot), rescue)
    sizes = with_reasons(best.sizes, runs, snapshot, best.plan)
    return best._replace(sizes=sizes, again=min(best.again, found.again))


def _with_open_ended(known: Resized, runs: Sequence[OpenEndedRun], planned: Planned, *, may_give: bool) -> Resized:
    """Add the changes of gangs of unknown end. They grow only if no gang of known end changes its size."""
    if not runs:
        return known
    may_grow = not known.sizes.changes
    found = open_ended_sizes(known.after, known.plan, runs, planned, may_grow=may_grow, may_give=may_give)
    again = min(known.again, found.again)
    if not found.changes:
        return known._replace(again=again, in_vain=found.in_vain)
    sizes = known.sizes._replace(changes=(*known.sizes.changes, *found.changes))
    return Resized.of(sizes, found.after, found.plan)._replace(placed=found.starts, again=again, in_vain=found.in_vain)


def _least_urgent(sizes: SizePlan, runs: Sequence[ElasticRun], snapshot: Snapshot) -> float:
    """Return the least priority of the gangs that grow or start; inf without such a gang."""
    priorities = {run.key: run.priority for run in runs} | {gang.key: gang.priority for gang in snapshot.gangs}
    growing = (change.gang for change in sizes.changes if change.size_after > change.size_before)
    return min((priorities[key] for key in (*growing, *(start.gang for start in sizes.starts))), default=math.inf)


def _delaying_none(best: Resized, snapshot: Snapshot, least: float, rescue: Rescue | None) -> Resized:
    """Return the choice, or no change if it delays a gang that takes no part, has no promise and is urgent enough.

    The gang is urgent enough if its priority is ``least`` or higher.
    Such a gang must start by the promise that it would get without changes. If it would get none, as its run time is
    unknown, it must start when it would start without changes.
    """
    apart = gangs_apart(snapshot, least)
    if not apart:
        return best
    unchanged = Resized.of(SizePlan(), snapshot, plan_once(snapshot, is_loose=True, rescue=rescue))
    before, after = _placed(unchanged.plan), _placed(best.plan)
    for gang in apart:
        start, then = before.get(gang.key), after.get(gang.key)
        if start is not None:
            due = gang.remembering(start.promised or start.start, None)
            if then is None or due.is_late_at(then.start):
                return unchanged
    return best


def _placed(made: Plan) -> dict[GangKey, Placement]:
    return {one.gang: one for one in made.decisions if isinstance(one, Placement)}


class _First(NamedTuple):
    """A group of gangs, and the first choice of their sizes; None where gangs that must start can't start."""

    asked: Asked
    sizes: SizePlan | None


def _best_of(first: _First, elastic: Mapping[GangKey, ChangeTerms], rescue: Rescue | None) -> Resized:
    """Return the first of the tries in which no gang is late, else the last one with the fewest late gangs."""
    tried = list[Resized]()
    for sizes in _tries(first, tried):
        tried.append(planned_beside(first.asked.world, sizes, elastic, rescue))
        if not tried[-1].late:
            return tried[-1]
    return min(reversed(tried), key=lambda one: len(one.late))


def _first_that_changes(asked: Sequence[Asked]) -> _First:
    """Return the first group with a change or a gang that must start, else the first with a start, else the largest."""
    starting = list[_First]()
    for one in asked:
        first = _First(one, choose_sizes(one.question))
        if one.question.must_start or (first.sizes and first.sizes.changes):
            return first
        if first.sizes and first.sizes.starts:
            starting.append(first)
    return starting[0] if starting else _First(max(asked, key=lambda one: one.members), SizePlan())


def _tries(first: _First, tried: Sequence[Resized]) -> Iterator[SizePlan]:
    """Yield choices of sizes to try; in the last choice, nothing changes.

    The caller appends each result to ``tried``. If a promise is due and its gang makes other gangs late, these gangs
    must start too in the next choice. Then running gangs shrink enough for all of them. In a long queue, only one
    choice of sizes is tried.
    """
    (world, question), sizes = first.asked, first.sizes
    is_due = bool(question.must_start) and len(world.snapshot.gangs) <= _LONG_QUEUE
    for left in reversed(range(_MOST_TRIES if is_due else 1)):
        if sizes is None or sizes == SizePlan():
            break
        yield sizes
        question = question._replace(must_start=question.must_start | tried[-1].late)
        sizes = choose_sizes(question) if left else None
    if is_due:
        yield all_shrunk(world.snapshot, world.runs)
    yield SizePlan()
