"""Who takes part in a choice of sizes: groups of gangs whose members can take each other's seats."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.sizes import Sizes
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs import ChangeTerms, ElasticRun, RunSeats, WaitingGang
from coschedule.resizing.sizes import SizeQuestion
from coschedule.resizing.worlds import World

MOST_GROUPS = 32
"""So many groups of gangs may change their size in one plan; the free room of all nodes is read for each."""
TURN_SECONDS = 60.0
"""After so long it is the turn of other groups, where there are more."""


class SeatKind(NamedTuple):
    """What a member of a group requires of its node, and takes of each resource of the snapshot."""

    constraints: Constraints
    request: tuple[int, ...]

    def fits(self, gang: PendingGang) -> bool:
        """Return whether a member of the gang finds room where a member of the group was."""
        return all(asked <= taken for asked, taken in zip(gang.roles[0].request, self.request, strict=True))


Group = tuple[SeatKind, Sequence[ElasticRun]]
"""Runs with the same seats."""


class Asked(NamedTuple):
    """The world with the runs of one group, and which sizes to choose for it and for gangs that wait."""

    world: World
    question: SizeQuestion

    @property
    def members(self) -> int:
        """How many members the runs of the group have."""
        return sum(run.size for run in self.world.runs)

    @property
    def turn(self) -> tuple[bool, float]:
        """Its place among the groups, lowest first."""
        return not self.question.must_start, max((run.changed for run in self.world.runs), default=0.0)


class Questions(NamedTuple):
    """The question of each group, at least one; ``again`` is when it is the turn of other groups, inf for never."""

    asked: Sequence[Asked]
    again: float


def questions(snapshot: Snapshot, runs: Sequence[ElasticRun], elastic: Mapping[GangKey, ChangeTerms]) -> Questions:
    """Return the questions: first of groups with gangs that must start, then of those that changed long ago.

    So groups change in turn, and the one with the most members does not keep the others from changing. A run takes no
    part if a node of it would not take its members again.
    """
    waiting = _waiting_by_constraints(snapshot)
    groups = _groups([run for run in runs if _may_stay(snapshot, run)])
    asked = [
        Asked(world, _question(world, seat, waiting.get(seat.constraints, ()), elastic))
        for seat, alike in _in_turn(groups, snapshot.now) or [(_largest_seat(snapshot, waiting), ())]
        for world in (World(snapshot, alike),)
    ]
    again = (snapshot.now // TURN_SECONDS + 1) * TURN_SECONDS if len(groups) > MOST_GROUPS else math.inf
    return Questions(sorted(asked, key=lambda one: one.turn), again)


def _groups(runs: Sequence[ElasticRun]) -> Sequence[Group]:
    """Return the runs with the same seats, those with most members first; of equal ones, those of the first gang."""
    groups: dict[SeatKind, list[ElasticRun]] = {}
    for run in sorted(runs, key=lambda run: run.key):
        groups.setdefault(SeatKind(run.constraints, run.request), []).append(run)
    return sorted(groups.items(), key=lambda group: -sum(run.size for run in group[1]))


def _in_turn(groups: Sequence[Group], now: float) -> list[Group]:
    """Return ``MOST_GROUPS`` of the groups: others after each ``TURN_SECONDS``, so that many groups keep none out."""
    if len(groups) <= MOST_GROUPS:
        return list(groups)
    first = int(now // TURN_SECONDS) * MOST_GROUPS % len(groups)
    return [*groups, *groups][first : first + MOST_GROUPS]


def _largest_seat(snapshot: Snapshot, waiting: Mapping[Constraints, Sequence[PendingGang]]) -> SeatKind:
    """Return a seat for any gang without constraints, for plans in which no gang runs that may change."""
    requests = [gang.roles[0].request for gang in waiting.get(Constraints(), ())]
    return SeatKind(Constraints(), tuple(map(max, zip(*requests, strict=True))) or (0,) * len(snapshot.resources))


def _may_stay(snapshot: Snapshot, run: ElasticRun) -> bool:
    """Return whether each node of the run would take its members again: open, suitable, and not overcommitted."""
    nodes = list(set(run.nodes))
    has_room = (snapshot.free[nodes] >= 0)[:, np.array(run.request) > 0].all()
    return bool(has_room and _is_usable(snapshot, run.constraints)[nodes].all())


def _waiting_by_constraints(snapshot: Snapshot) -> Mapping[Constraints, Sequence[PendingGang]]:
    """Return the most urgent gangs that wait and take part, by their constraints."""
    first = max((gang.priority for gang in snapshot.gangs), default=0)
    found: dict[Constraints, list[PendingGang]] = {}
    for gang in snapshot.gangs:
        if gang.priority == first and _takes_part(gang):
            found.setdefault(gang.roles[0].constraints, []).append(gang)
    return found


def _question(
    world: World, seat: SeatKind, alike: Sequence[PendingGang], elastic: Mapping[GangKey, ChangeTerms]
) -> SizeQuestion:
    """Ask for the sizes of the runs, and of the gangs that wait if their members fit into the seats of these."""
    snapshot, runs = world
    waiting = [gang for gang in alike if seat.fits(gang)]
    sizes = [*(run.sizes for run in runs), *(gang.roles[0].sizes for gang in waiting)]
    seats = RunSeats(snapshot.slowdown, snapshot.until, tuple(_idle_seats(snapshot, seat, sizes)))
    due = frozenset(gang.key for gang in waiting if gang.promised <= snapshot.now)
    return SizeQuestion(snapshot.now, seats, runs, [_waiting(gang, elastic) for gang in waiting], due)


def _takes_part(gang: PendingGang) -> bool:
    [first, *more] = gang.roles
    is_equal = first.load.is_work and not first.load.is_unequal
    is_plain = not more and not gang.terms and not gang.factors and is_equal
    return is_plain and gang.work is not None and gang.deadline is None


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


def _idle_seats(snapshot: Snapshot, seat: SeatKind, sizes: Sequence[Sizes]) -> Iterator[int]:
    """List the idle seats of nodes that are open and pass the constraints, by node.

    ``sizes`` has those of each gang. Nodes that are equally fast and open equally long have as many seats as all gangs
    have members, at most: small requests, or none, make no more.
    """
    if not sizes:
        return
    request, most = np.array(seat.request, dtype=np.int64), max(one.maximum for one in sizes)
    is_taken = request > 0
    room = _without_nominated(snapshot)[:, is_taken] // request[is_taken]
    seats = np.where(_is_usable(snapshot, seat.constraints), room.min(axis=1, initial=most), 0)
    seats = _no_more_than(sum(one.maximum for one in sizes), np.maximum(seats, 0), snapshot)
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
