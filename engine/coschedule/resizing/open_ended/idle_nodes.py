"""Free resources after the starts of a plan, the gangs that still wait, and the nodes that no such gang could use."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.planner.after_all_ends import emptied
from coschedule.queue.problem.decisions import Decision, Placement, Plan
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.sized_run import SeatKind
from coschedule.resizing.seats import without_nominated


def starts_by(decision: Decision, time: float) -> TypeGuard[Placement]:
    """Return whether the decision is a placement that starts at ``time`` or earlier."""
    return isinstance(decision, Placement) and decision.start <= time


def begun(snapshot: Snapshot, made: Plan) -> Snapshot:
    """Return the snapshot in which the gangs that start now in the plan ``made`` are running; the others wait."""
    starts = {one.gang: one for one in made.decisions if starts_by(one, snapshot.now)}
    if not starts:
        return snapshot
    gangs = {gang.key: gang for gang in snapshot.gangs}
    held = [one for key, placed in starts.items() for one in held_by(snapshot, gangs[key], placed)]
    free, of_unknown_end, endless = snapshot.free.copy(), snapshot.someday.copy(), snapshot.open_ended
    for one in held:
        free[one.node] -= one.request
    for one in (one for one in held if one.time == np.inf):
        of_unknown_end[one.node] += one.request
    for key, placed in starts.items():
        if placed.finish == np.inf:
            endless = endless.with_gang(key, _nodes(snapshot, placed))
    return replace(
        snapshot,
        free=free,
        someday=of_unknown_end,
        releases=(*snapshot.releases, *(one for one in held if one.time < np.inf)),
        gangs=tuple(gang for gang in snapshot.gangs if gang.key not in starts),
        open_ended=endless,
    )


def held_by(snapshot: Snapshot, gang: PendingGang, placed: Placement) -> Iterator[Release]:
    """List the resources that a placed gang takes on its nodes, each with the time of its release, inf if unknown."""
    requests, index = {role.name: role.request for role in gang.roles}, snapshot.nodes.index
    for entry in placed.members:
        taken = tuple(amount * entry.count for amount in requests[entry.role])
        yield Release(node=index[entry.node], request=taken, time=placed.finish)


def waiting_gangs(made: Plan, now: float) -> dict[GangKey, float]:
    """Return the gangs that wait for room, in planning order, each with its start; inf for an unknown start.

    Gangs that start now do not wait. Gangs that would not fit on empty nodes are left out too.
    """
    waiting = (one for one in made.decisions if not starts_by(one, now))
    return {
        one.gang: one.start if isinstance(one, Placement) else np.inf
        for one in waiting
        if isinstance(one, Placement) or one.fits_empty is not False
    }


def free_by(snapshot: Snapshot, time: float) -> IntArray:
    """Return what is free on each node after releases up to ``time``, minus requests of nominated pods: int[n, r]."""
    free = without_nominated(snapshot)
    for one in snapshot.releases:
        if one.time <= time:
            free[one.node] += one.request
    return free


def wanted_by_none(snapshot: Snapshot, gangs: Iterable[PendingGang]) -> BoolArray:
    """Return bool[n]: True for nodes that none of ``gangs`` could use, even after all pods that ever end have ended.

    A gang could use a node if one of its members fits there. So more pods on a node that is True never change the plan
    of these gangs.
    """
    feasibility, room = Feasibility(snapshot.nodes), emptied(snapshot).free - snapshot.lasting
    wanted = np.zeros(len(room), dtype=np.bool_)
    for kind in dict.fromkeys(SeatKind(role.constraints, role.request) for gang in gangs for role in gang.roles):
        wanted |= feasibility.mask(kind.constraints) & (room >= kind.request).all(axis=1)
    return ~wanted


def _nodes(snapshot: Snapshot, placed: Placement) -> IntArray:
    return np.array([snapshot.nodes.index[entry.node] for entry in placed.members], dtype=np.int64)
