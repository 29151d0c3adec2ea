"""Choose sizes for gangs, and plan the rest of the queue beside them, so that promises hold.

Problem: some gangs run, and their sizes may change. Others wait, and some of these have a promise. Choose the sizes,
and plan the gangs that still wait, so that each gang starts by its promise.

Method: choose the sizes with the greatest worth (``sizes``). A gang whose promise is due must start. Then plan the
queue as if these sizes stayed. If that breaks a promise, plan it again as if every elastic gang shrank later. That is
when the first promise is due, or when the first broken one is. If that breaks a promise too, and a promise was due,
choose sizes again: the late gangs must start too. If that does not help, all gangs shrink. The last choice is that
nothing changes. Of all choices, the one with the fewest late gangs is taken.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.plan import plan
from coschedule.queue.planner.planner import Rescue
from coschedule.queue.problem.decisions import Placement, Plan
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.sizes import Sizes
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs import ChangeTerms, ElasticRun, RunSeats, SizePlan, WaitingGang
from coschedule.resizing.promising import loosened
from coschedule.resizing.shrinking import all_shrunk
from coschedule.resizing.sizes import SizeQuestion, choose_sizes
from coschedule.resizing.worlds import World, resized, shrunk

_MOST_TRIES = 4
# Each choice costs a plan of the queue, up to three. If more gangs wait, only one choice is tried.
_LONG_QUEUE = 250


class Resized(NamedTuple):
    """The chosen ``sizes`` and starts, the snapshot ``after`` these, and the ``plan`` of all other gangs on it.

    Sizes must be chosen again at ``again`` at the latest. That is the first promise, or planned start without one,
    after now; inf where there is none.
    """

    sizes: SizePlan
    after: Snapshot
    plan: Plan
    again: float


def resize(
    snapshot: Snapshot,
    runs: Sequence[ElasticRun],
    elastic: Mapping[GangKey, ChangeTerms],
    *,
    rescue: Rescue | None = None,
) -> Resized:
    """Choose sizes for gangs that run or wait, and plan the others.

    The snapshot's releases contain what ``runs`` hold, at their ends. Gangs that wait may change their size later if
    they are in ``elastic``. Sizes are chosen only for gangs with the same constraints: those that most members of the
    runs have. Other runs keep their size. So does a run with a node that would not take its members again. A waiting
    gang takes part only if its members are alike and have equal shares of known work. It must also have no deadline, no
    terms and no factors, and no gang that waits is more urgent. All others are only planned. ``rescue`` is as in
    ``plan``.

    Guarantees: no gang that runs is stopped. Changes reduce the objective only where a promise is due. Several choices
    are tried until no gang starts after its promise. If each of them makes a gang late, the one with the fewest late
    gangs is taken. So promises can be broken, though rarely.
    """
    if not (runs or elastic):
        return _made(SizePlan(), snapshot, plan(snapshot, rescue=rescue))
    world = World(snapshot, _alike([run for run in runs if _may_stay(snapshot, run)]))
    tried: list[Resized] = []
    for sizes in _tries(world, elastic, tried):
        tried.append(_planned(world, sizes, elastic, rescue))
        if not _late(tried[-1]):
            return tried[-1]
    return min(reversed(tried), key=lambda one: len(_late(one)))


def _tries(world: World, elastic: Mapping[GangKey, ChangeTerms], tried: Sequence[Resized]) -> Iterator[SizePlan]:
    """Generate choices of sizes to try; the last one is that nothing changes.

    The caller appends each result to ``tried``. If a promise is due and its gang makes others late, they must start
    with it in the next choice. Then gangs shrink enough for all of them. In a long queue only one choice is tried.
    """
    question = _question(world, elastic)
    is_due = bool(question.must_start) and len(world.snapshot.gangs) <= _LONG_QUEUE
    for _ in range(_MOST_TRIES if is_due else 1):
        sizes = choose_sizes(question)
        if sizes is None or sizes == SizePlan():
            break
        yield sizes
        question = question._replace(must_start=question.must_start | _late(tried[-1]))
    if is_due:
        yield all_shrunk(world.snapshot, world.runs)
    yield SizePlan()


def _may_stay(snapshot: Snapshot, run: ElasticRun) -> bool:
    """Return whether each node of the run would take its members again: open, suitable, and not overcommitted."""
    nodes = list(set(run.nodes))
    has_room = (snapshot.free[nodes] >= 0)[:, np.array(run.request) > 0].all()
    return bool(has_room and _is_usable(snapshot, run.constraints)[nodes].all())


def _alike(runs: Sequence[ElasticRun]) -> Sequence[ElasticRun]:
    """Return the runs with the constraints that most members have; of equal numbers, those of the first gang."""
    members: dict[Constraints, int] = {}
    for run in sorted(runs, key=lambda run: run.key):
        members[run.constraints] = members.get(run.constraints, 0) + run.size
    most = max(members, key=members.__getitem__, default=None)
    return [run for run in runs if run.constraints == most]


def _planned(world: World, sizes: SizePlan, elastic: Mapping[GangKey, ChangeTerms], rescue: Rescue | None) -> Resized:
    """Plan the queue beside these sizes, as if they stayed.

    If a gang is then late, also plan it as if all shrank: at the first promise, then at that of the first late gang.
    Of these plans, the one with the fewest late gangs is taken.
    """
    after = resized(world, sizes, elastic)
    best = _beside(sizes, after.snapshot, rescue)
    for due in _shrink_times(best) if after.runs else ():
        best = min(best, _beside(sizes, shrunk(after, due), rescue), key=lambda one: len(_late(one)))
        if not _late(best):
            break
    return best


def _shrink_times(one: Resized) -> list[float]:
    """List when all elastic gangs might shrink so that no gang is late, in rising order; empty where none is late."""
    promised, late = {gang.key: gang.promised for gang in one.after.gangs}, _late(one)
    return sorted({min(promised.values()), min(promised[key] for key in late)}) if late else []


def _beside(sizes: SizePlan, after: Snapshot, rescue: Rescue | None) -> Resized:
    return _made(sizes, after, loosened(plan(after, rescue=rescue), after))


def _made(sizes: SizePlan, after: Snapshot, made: Plan) -> Resized:
    later = (one.promised or one.start for one in made.decisions if isinstance(one, Placement))
    return Resized(sizes, after, made, min((time for time in later if time > after.now), default=math.inf))


def _late(one: Resized) -> frozenset[GangKey]:
    """Return the gangs with a promise that have no start by it in the plan."""
    promised = {gang.key: gang.promised for gang in one.after.gangs if gang.promised < np.inf}
    return frozenset(
        made.gang
        for made in one.plan.decisions
        if made.gang in promised and not (isinstance(made, Placement) and made.start <= promised[made.gang])
    )


def _question(world: World, elastic: Mapping[GangKey, ChangeTerms]) -> SizeQuestion:
    snapshot, runs = world
    constraints = runs[0].constraints if runs else Constraints()
    first = max((gang.priority for gang in snapshot.gangs), default=0)
    waiting = [gang for gang in snapshot.gangs if gang.priority == first and _takes_part(gang, constraints)]
    asked = [(run.request, run.sizes) for run in runs]
    asked += [(role.request, role.sizes) for gang in waiting for role in gang.roles]
    seats = RunSeats(snapshot.slowdown, snapshot.until, tuple(_idle_seats(snapshot, constraints, asked)))
    due = frozenset(gang.key for gang in waiting if gang.promised <= snapshot.now)
    return SizeQuestion(snapshot.now, seats, runs, [_waiting(gang, elastic) for gang in waiting], due)


def _takes_part(gang: PendingGang, constraints: Constraints) -> bool:
    [first, *more] = gang.roles
    is_equal = first.load.is_work and not first.load.is_unequal
    is_plain = not more and not gang.terms and not gang.factors and is_equal
    return is_plain and first.constraints == constraints and gang.work is not None and gang.deadline is None


def _waiting(gang: PendingGang, elastic: Mapping[GangKey, ChangeTerms]) -> WaitingGang:
    assert gang.work is not None, "a gang takes part only if its work is known"
    return WaitingGang(
        key=gang.key,
        created=gang.created,
        sizes=gang.roles[0].sizes,
        work=gang.work,
        elastic=gang.key in elastic,
        member_price=gang.member_price,
    )


def _idle_seats(
    snapshot: Snapshot, constraints: Constraints, asked: Sequence[tuple[tuple[int, ...], Sizes]]
) -> Iterator[int]:
    """List the idle seats of nodes that are open and pass the constraints; each has room for a member of any gang.

    ``asked`` has the request of a member and the sizes of each gang. Nodes that are equally fast and open equally long
    have as many seats as all gangs have members, at most: small requests, or none, make no more.
    """
    if not asked:
        return
    largest = np.array([request for request, _ in asked], dtype=np.int64).max(axis=0)
    most = max(sizes.maximum for _, sizes in asked)
    is_taken = largest > 0
    room = _without_nominated(snapshot)[:, is_taken] // largest[is_taken]
    seats = np.where(_is_usable(snapshot, constraints), room.min(axis=1, initial=most), 0)
    seats = _no_more_than(sum(sizes.maximum for _, sizes in asked), np.maximum(seats, 0), snapshot)
    for node in np.flatnonzero(seats > 0).tolist():
        yield from [node] * int(seats[node])


def _no_more_than(enough: int, seats: IntArray, snapshot: Snapshot) -> IntArray:
    """Return the seats of each node without those beyond ``enough`` on nodes that are alike.

    Nodes are alike if they are equally fast and open equally long. Their seats are interchangeable, so the first keep
    theirs.
    """
    alike = np.unique(np.stack([snapshot.slowdown, snapshot.until]), axis=1, return_inverse=True)[1].ravel()
    order = np.argsort(alike, kind="stable")
    before = np.cumsum(seats[order]) - seats[order]
    _, first = np.unique(alike[order], return_index=True)
    kept = np.empty_like(seats)
    kept[order] = np.clip(enough - (before - before[first][alike[order]]), 0, seats[order])
    return kept


def _without_nominated(snapshot: Snapshot) -> IntArray:
    """Return what is free on each node beside what pods of others are about to take: int[n, r]."""
    free = snapshot.free.copy()
    for pod in snapshot.nominated:
        free[pod.node] -= pod.request
    return free


def _is_usable(snapshot: Snapshot, constraints: Constraints) -> BoolArray:
    """Return whether each node is open now, and members may stay on it for any time: bool[n]."""
    return (snapshot.start <= snapshot.now) & _passing(snapshot, constraints)


def _passing(snapshot: Snapshot, constraints: Constraints) -> BoolArray:
    """Return whether members may stay on each node for any time: bool[n]."""
    feasibility = Feasibility(snapshot.nodes)
    stays = feasibility.stays(constraints)
    mask = feasibility.mask(constraints)
    return mask if stays is None else mask & (stays == np.inf)
