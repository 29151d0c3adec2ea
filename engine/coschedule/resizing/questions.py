"""The gangs that take part in a choice of sizes: groups of gangs whose members can take each other's seats."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from coschedule.model.run_times import SerialWork
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.owners.safer import first_risks
from coschedule.queue.problem.decisions import Decision, Hold, Placement
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.shares.dealing import planning_order
from coschedule.resizing.beside import LONG_QUEUE
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import RunSeats, SizePlan, WaitingGang
from coschedule.resizing.gangs.sized_run import ChangeTerms, SeatKind
from coschedule.resizing.seats import begins_of_holds, closes_to_new, idle_seats, may_stay
from coschedule.resizing.short_gangs import room_to_leave, seats_left, with_room_beside
from coschedule.resizing.sizes import SizeQuestion, others_have_their_turn
from coschedule.resizing.turns import MOST_GROUPS, grouped, in_turn, next_turn
from coschedule.resizing.worlds import World, counted_from
from coschedule.resizing.worth import SharedWork


class Asked(NamedTuple):
    """The snapshot with the runs of one group, and the question of which sizes these runs and waiting gangs get.

    The members of these gangs need seats of the kind ``seat``.
    """

    world: World
    seat: SeatKind
    question: SizeQuestion

    @property
    def members(self) -> int:
        """The number of members of all runs of the group."""
        return sum(run.size for run in self.world.runs)

    def seats_left(self, sizes: SizePlan) -> tuple[Release, ...]:
        """Return the seats that longer gangs leave idle if the sizes change like this (``short_gangs``)."""
        question = self.question
        count = 0 if question.must_start else question.room.idle
        return seats_left(self.seat, question.seats, self.world.runs, sizes, count=count, now=question.now)

    @property
    def turn(self) -> tuple[bool, float]:
        """The rank of the group, the lowest first: whether no gang must start, then the time of its last change."""
        return not self.question.must_start, max((run.changed for run in self.world.runs), default=0.0)


class Questions(NamedTuple):
    """The questions of at least one group. ``world`` has the runs of all groups, also of groups without a question.

    ``again`` is when it is the turn of other groups, or of other gangs of a group, inf for never.
    """

    asked: Sequence[Asked]
    world: World
    again: float


def questions(snapshot: Snapshot, runs: Sequence[ElasticRun], elastic: Mapping[GangKey, ChangeTerms]) -> Questions:
    """Return the question of each group: first the groups with gangs that must start, then by the last change.

    The group whose last change is longest ago comes first. So groups change in turn, and the group with the most
    members does not keep other groups from changing. A run takes no part if one of its nodes is no longer suitable for
    its members.
    """
    waiting = _waiting_by_constraints(snapshot)
    able = [run for run in runs if may_stay(snapshot, run)]
    groups = grouped(able)
    asked = [
        Asked(world, seat, _question(world, seat, waiting.get(seat.constraints, ()), elastic))
        for seat, alike in in_turn(groups, snapshot.now, MOST_GROUPS) or [(_largest_seat(snapshot, waiting), ())]
        for world in (World(snapshot, alike),)
    ]
    turns = (others_have_their_turn(one.question) for one in asked)
    again = min([next_turn(groups, snapshot.now, MOST_GROUPS), *turns])
    return Questions(sorted(asked, key=lambda one: one.turn), World(snapshot, able), again)


def _largest_seat(snapshot: Snapshot, waiting: Mapping[Constraints, Sequence[PendingGang]]) -> SeatKind:
    """Return a seat in which each waiting gang without constraints fits; used if no running gang may change."""
    requests = [gang.roles[0].request for gang in waiting.get(Constraints(), ())]
    return SeatKind(Constraints(), tuple(map(max, zip(*requests, strict=True))) or (0,) * len(snapshot.resources))


def beside_places(question: SizeQuestion, snapshot: Snapshot, decisions: Iterable[Decision]) -> SizeQuestion:
    """Return the question in which other gangs must leave the nodes of each decision by the start of the decision.

    A node hold counts like a placement.
    """
    seats, index = question.seats, snapshot.nodes.index
    closes = np.full(len(seats.until), np.inf) if seats.holds is None else seats.holds.copy()
    for one in decisions:
        place = one if isinstance(one, Placement) else one.hold
        if place is not None:
            names = place.nodes if isinstance(place, Hold) else [entry.node for entry in place.members]
            nodes = [index[name] for name in names]
            closes[nodes] = np.minimum(closes[nodes], place.start)
    idle = tuple(node for node in seats.idle if closes[node] > snapshot.now)
    return question._replace(seats=seats._replace(idle=idle, holds=closes))


def _waiting_by_constraints(snapshot: Snapshot) -> Mapping[Constraints, Sequence[PendingGang]]:
    """Return the gangs that wait and take part, by their constraints."""
    found: dict[Constraints, list[PendingGang]] = {}
    for gang in _in_front(snapshot):
        if _takes_part(gang, snapshot.now):
            found.setdefault(gang.roles[0].constraints, []).append(gang)
    return found


def _in_front(snapshot: Snapshot) -> list[PendingGang]:
    """List the gangs of the highest priority that come before any gang of another group, or whose promise is due.

    Gangs are in planning order, and groups are those of ``snapshot.shares``. All other gangs are only planned.
    """
    ordered, group_of = planning_order(snapshot), snapshot.shares.group_of
    urgent = [gang for gang in ordered if gang.priority == ordered[0].priority]
    next_turns = {one.key for one in takewhile(lambda one: group_of(one.key) == group_of(urgent[0].key), urgent)}
    return [gang for gang in urgent if gang.key in next_turns or gang.promised <= snapshot.now]


def _question(
    world: World, seat: SeatKind, alike: Sequence[PendingGang], elastic: Mapping[GangKey, ChangeTerms]
) -> SizeQuestion:
    """Return the question for the sizes of the runs, and of waiting gangs whose members fit into the runs' seats."""
    snapshot, runs = world
    waiting = [gang for gang in alike if seat.fits(gang)]
    gangs: list[ElasticRun | PendingGang] = [*runs, *waiting]
    sizes = with_room_beside([*(run.sizes for run in runs), *(gang.roles[0].sizes for gang in waiting)])
    closes = closes_to_new(snapshot, interruptible=any(_may_be_interrupted(gang) for gang in gangs))
    soonest = _soonest(world, waiting)
    open_long = np.where(closes >= soonest, snapshot.start, np.inf)
    idle = list(idle_seats(replace(snapshot, start=open_long, until=closes), seat, sizes))
    able = {gang.key for gang in waiting if gang.held and _may_start(gang, len(idle), runs)}
    holds = begins_of_holds(snapshot, [gang for gang in _holders(snapshot, runs, waiting) if gang.key not in able])
    idle = [node for node in idle if holds[node] >= soonest]
    risks = first_risks(snapshot.forecasts, snapshot.now, nodes=len(closes))
    seats = RunSeats(snapshot.slowdown, snapshot.until, tuple(idle), risks, holds)
    due = frozenset(gang.key for gang in _due(snapshot, waiting, len(idle) + _given_up_at_most(runs)))
    room = room_to_leave(snapshot, waiting, runs, idle)
    return SizeQuestion(snapshot.now, seats, runs, [_waiting(gang, elastic) for gang in waiting], due, room)


def _may_be_interrupted(gang: ElasticRun | PendingGang) -> bool:
    return gang.interruptible is not Interruptible.NEVER


def _holders(snapshot: Snapshot, runs: Sequence[ElasticRun], waiting: Sequence[PendingGang]) -> list[PendingGang]:
    """List the waiting gangs that hold nodes, and are at least as urgent as a gang that may grow or start."""
    gaining = [*(run.priority for run in runs if run.size < run.sizes.maximum), *(gang.priority for gang in waiting)]
    least = min(gaining, default=math.inf)
    return [gang for gang in snapshot.gangs if gang.held and gang.priority >= least]


def _may_start(gang: PendingGang, idle: int, runs: Sequence[ElasticRun]) -> bool:
    """Return whether a gang may get enough seats now: ``idle`` ones, and those that runs can give up."""
    return gang.roles[0].sizes.least <= idle + _given_up_at_most(runs)


def _given_up_at_most(runs: Sequence[ElasticRun]) -> int:
    """Return how many seats these runs can give up."""
    return sum(run.size - run.fewest_members for run in runs)


def _due(snapshot: Snapshot, waiting: Sequence[PendingGang], seats: int) -> Iterator[PendingGang]:
    """List the gangs whose promise is due.

    In a long queue, only one choice of sizes is tried. So a gang is left out there if these seats are not enough for it
    and for those before it. Otherwise no gang could start.
    """
    is_long = len(snapshot.gangs) > LONG_QUEUE
    for gang in waiting:
        least = gang.roles[0].sizes.least
        if gang.promised <= snapshot.now and (least <= seats or not is_long):
            seats -= least
            yield gang


def _soonest(world: World, waiting: Sequence[PendingGang]) -> float:
    """Return a time before which no run that changes now, and no gang that starts now, can end; inf without gangs."""
    snapshot, runs = world
    fastest = float(snapshot.slowdown.min(initial=math.inf))
    ends = [
        snapshot.now + run.terms.restart_time + run.left * float(run.shared.times(run.sizes.maximum).min()) * fastest
        for run in runs
    ]
    works = [(gang.work, gang.roles[0].sizes.maximum) for gang in waiting]
    ends += [snapshot.now + float(work.float_times(most).min()) * fastest for work, most in works if work is not None]
    return min(ends, default=math.inf)


def _takes_part(gang: PendingGang, now: float) -> bool:
    [first, *more] = gang.roles
    is_equal = first.load.is_work and not first.load.is_unequal
    is_plain = not more and not gang.terms and not gang.factors and is_equal
    return is_plain and gang.deadline is None and gang.not_before <= now and _has_a_time(gang)


def _has_a_time(gang: PendingGang) -> bool:
    """Return whether any size of a gang has a known run time; a quota may leave only sizes without a known one."""
    if gang.work is None:
        return False
    shared, sizes = SharedWork(gang.work), gang.roles[0].sizes
    return isinstance(gang.work, SerialWork) or shared.time(shared.least(sizes)) < math.inf


def _waiting(gang: PendingGang, elastic: Mapping[GangKey, ChangeTerms]) -> WaitingGang:
    assert gang.work is not None, "a gang takes part only if its work is known"
    return WaitingGang(
        key=gang.key,
        created=counted_from(gang),
        sizes=gang.roles[0].sizes,
        work=gang.work,
        elastic=gang.key in elastic,
        member_price=gang.member_price,
        may_be_interrupted=_may_be_interrupted(gang),
    )
