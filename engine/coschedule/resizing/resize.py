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
from coschedule.queue.problem.decisions import Decision, Placement, Plan, Unplaceable
from coschedule.queue.problem.gangs import RESOLUTION_SECONDS, GangKey, PendingGang
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.beside import LONG_QUEUE, Resized, plan_once, planned_beside
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.size_plan import SizePlan
from coschedule.resizing.gangs.sized_run import ChangeTerms, SizedRun
from coschedule.resizing.open_ended.giving_back import Planned
from coschedule.resizing.open_ended.open_ended_sizes import open_ended_sizes
from coschedule.resizing.options import best_at_price
from coschedule.resizing.questions import Asked, beside_places, questions
from coschedule.resizing.reasons import with_reasons
from coschedule.resizing.shrinking import all_shrunk
from coschedule.resizing.sizes import SizeQuestion, choose_sizes
from coschedule.resizing.worlds import World

_MOST_TRIES = 4


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
    deadline, no ``terms`` about domains and no ``factors`` for kinds of nodes, and its
    ``not_before`` must have passed. No waiting gang may be more urgent. All other gangs are only planned. Nodes that a
    waiting gang holds go to other gangs only until the node hold begins, unless these gangs are more urgent. ``rescue``
    is as in ``plan``.

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
    resized = _with_open_ended(best, endless, planned, may_give=may_give)
    later = (run.may_change_at for run in runs if run.may_change_at > snapshot.now)
    return resized._replace(again=min([resized.again, *later]))


def _of_known_end(
    snapshot: Snapshot, runs: Sequence[ElasticRun], elastic: Mapping[GangKey, ChangeTerms], rescue: Rescue | None
) -> Resized:
    if not (runs or elastic):
        return Resized.of(SizePlan(), snapshot, plan_once(snapshot, is_loose=False, rescue=rescue))
    found = questions(snapshot, runs, elastic)
    first = _first_that_changes(found.asked)
    best = _best_of(first, found.world, elastic, rescue)
    if best.late and not first.asked.question.must_start:
        best = _with_due_gangs(best, found.world, elastic, rescue)
    asked = {run.key for run in runs if run.is_due}
    gives_as_asked = any(one.gang in asked and one.size_after < one.size_before for one in best.sizes.changes)
    if not (first.asked.question.must_start or gives_as_asked):
        best = _delaying_none(best, first.asked.question, found.world, elastic, rescue)
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


def _least_urgent(sizes: SizePlan, world: World) -> float:
    """Return the least priority of the gangs that grow or start; inf without such a gang."""
    gangs: list[ElasticRun | PendingGang] = [*world.runs, *world.snapshot.gangs]
    priorities = {gang.key: gang.priority for gang in gangs}
    growing = (change.gang for change in sizes.changes if change.size_after > change.size_before)
    return min((priorities[key] for key in (*growing, *(start.gang for start in sizes.starts))), default=math.inf)


def _with_due_gangs(
    best: Resized, world: World, elastic: Mapping[GangKey, ChangeTerms], rescue: Rescue | None
) -> Resized:
    """Return the choice, or the choice in which all gangs shrink.

    All gangs shrink if a promise of a late gang is due, and fewer gangs are then late. This helps gangs that take no
    part, which no choice of sizes starts. An earlier plan may have promised a start to such a gang, on the assumption
    that running gangs shrink when this promise is due. In a long queue, this is not tried.
    """
    snapshot = world.snapshot
    due = {gang.key for gang in snapshot.gangs if max(gang.promised, gang.not_before) <= snapshot.now}
    if best.late.isdisjoint(due) or len(snapshot.gangs) > LONG_QUEUE:
        return best
    sizes = all_shrunk(snapshot, world.runs)
    if not sizes.changes:
        return best
    shrunk = planned_beside(world, sizes, elastic, rescue)
    return shrunk if len(shrunk.late) < len(best.late) else best


def _delaying_none(
    best: Resized, question: SizeQuestion, world: World, elastic: Mapping[GangKey, ChangeTerms], rescue: Rescue | None
) -> Resized:
    """Return the choice, or another one if it delays a gang that takes no part, has no promise and is urgent enough.

    The gang is urgent enough if a gang that grows or starts is not more urgent. The other choice leaves such gangs the
    nodes that they get without changes. If it delays one too, nothing changes.
    """
    if not _apart(best, question, world):
        return best
    unchanged = planned_beside(world, SizePlan(), elastic, rescue)
    if not _delays(best, question, world, unchanged):
        return best
    if len(world.snapshot.gangs) > LONG_QUEUE:
        return unchanged
    before = _decisions(unchanged.plan)
    places = (before[gang.key] for gang in _apart(best, question, world) if gang.key in before)
    sizes = choose_sizes(beside_places(question, world.snapshot, places))
    if sizes is None or sizes == SizePlan():
        return unchanged
    other = planned_beside(world, sizes, elastic, rescue)
    return other if other.late <= unchanged.late and not _delays(other, question, world, unchanged) else unchanged


def _apart(made: Resized, question: SizeQuestion, world: World) -> list[PendingGang]:
    """List the gangs that a choice must not delay.

    Each of these gangs has no promise and is urgent enough. In addition, the gang takes no part, or lacks idle seats
    for the size that it would keep, or holds nodes for the first time.
    """
    least = _least_urgent(made.sizes, world)
    holding = {one.gang for one in made.plan.decisions if isinstance(one, Unplaceable) and one.hold is not None}
    idle, started = len(question.seats.idle), {start.gang for start in made.sizes.starts}
    taking_part = {one.key for one in question.waiting if one.elastic or best_at_price(one) <= idle} | started
    return [
        gang
        for gang in world.snapshot.gangs
        if gang.priority >= least
        and gang.promised == math.inf
        and (gang.key not in taking_part or (gang.key in holding and not gang.held))
    ]


def _delays(made: Resized, question: SizeQuestion, world: World, unchanged: Resized) -> bool:
    """Return whether a choice delays a gang that it must not delay, compared with the plan without changes.

    The gang must start by the promise that it gets without changes. If it gets none, as its run time is unknown, it
    must start when it would start without changes. Its node hold must not begin later either.
    """
    before, after = _decisions(unchanged.plan), _decisions(made.plan)
    return any(_is_delayed(gang, before.get(gang.key), after.get(gang.key)) for gang in _apart(made, question, world))


def _is_delayed(gang: PendingGang, before: Decision | None, after: Decision | None) -> bool:
    if isinstance(before, Placement):
        due = gang.remembering(before.promised or before.start, None)
        return not isinstance(after, Placement) or due.is_late_at(after.start)
    if before is None or before.hold is None or isinstance(after, Placement):
        return False
    return after is None or after.hold is None or after.hold.start >= before.hold.start + RESOLUTION_SECONDS


def _decisions(made: Plan) -> dict[GangKey, Decision]:
    return {one.gang: one for one in made.decisions}


class _First(NamedTuple):
    """A group of gangs, and the first choice of their sizes; None where gangs that must start can't start."""

    asked: Asked
    sizes: SizePlan | None


def _best_of(first: _First, world: World, elastic: Mapping[GangKey, ChangeTerms], rescue: Rescue | None) -> Resized:
    """Return the first of the tries in which no gang is late, else the last one with the fewest late gangs.

    The world has the runs of all groups, since any of them may shrink later for a promise.
    """
    tried = list[Resized]()
    for sizes in _tries(first, tried):
        tried.append(planned_beside(world, sizes, elastic, rescue, first.asked.seats_left(sizes)))
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
    (world, _, question), sizes = first.asked, first.sizes
    is_due = bool(question.must_start) and len(world.snapshot.gangs) <= LONG_QUEUE
    for left in reversed(range(_MOST_TRIES if is_due else 1)):
        if sizes is None or sizes == SizePlan():
            break
        yield sizes
        question = question._replace(must_start=question.must_start | tried[-1].late)
        sizes = choose_sizes(question) if left else None
    if is_due:
        yield all_shrunk(world.snapshot, world.runs)
    yield SizePlan()
