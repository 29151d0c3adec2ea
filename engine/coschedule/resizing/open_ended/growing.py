"""Gangs of unknown end grow into idle nodes that no gang waits for.

Method: groups of gangs with the same seats choose in turn (``turns``). In a group the most urgent gang chooses first,
then the one whose last change is longest ago. A gang takes at most an equal part of the seats, so that all may grow.
Of its sizes it takes the one with the most speed: members that do a part of the work, divided by the slow-down of the
slowest of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.problem.decisions import Plan
from coschedule.queue.problem.size_change import SizeChange
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs import OpenEndedRun, SeatKind, by_pace
from coschedule.resizing.open_ended.idle_nodes import waiting_gangs, wanted_by_none
from coschedule.resizing.seats import idle_seats, without_nominated


def grown(
    snapshot: Snapshot, made: Plan, groups: Sequence[tuple[SeatKind, Sequence[OpenEndedRun]]]
) -> list[SizeChange]:
    """Choose the gangs that grow now, and their nodes, among gangs that may change now, in groups of equal seats.

    ``made`` is a plan in which the gangs of the snapshot wait. Guarantees: none of these could use a node on which a
    gang grows, unless it would not fit on empty nodes either. None is planned for the end of a gang that grows. So that
    plan stays as it is. All nodes on which a gang grows are open until it ends.
    """
    able = [(seat, [run for run in runs if _target(run) > run.size]) for seat, runs in groups]
    able = [(seat, runs) for seat, runs in able if runs]
    if not able:
        return []
    waiting = waiting_gangs(made, snapshot.now)
    is_idle = wanted_by_none(snapshot, [gang for gang in snapshot.gangs if gang.key in waiting])
    free, changes = without_nominated(snapshot), list[SizeChange]()
    for seat, runs in able:
        beside = replace(snapshot, free=free, start=np.where(is_idle, snapshot.start, np.inf), nominated=(), gangs=())
        for change, added in _in_group(beside, seat, [run for run in runs if _is_awaited_by_none(run, is_idle)]):
            changes.append(change)
            np.subtract.at(free, added, seat.request)
    return changes


def _target(run: OpenEndedRun) -> int:
    """Return the largest size that it may change to; a gang that meets its deadline needs no more members."""
    if run.asked is None:
        return run.size if run.meets_its_deadline else run.sizes.maximum
    return run.asked if run.is_due else run.size


def _is_awaited_by_none(run: OpenEndedRun, is_idle: BoolArray) -> bool:
    """Return whether no gang can be planned for its end: that is unknown, or no gang could use its nodes."""
    return run.end == np.inf or bool(is_idle[run.all_nodes].all())


def _in_group(
    snapshot: Snapshot, seat: SeatKind, runs: Sequence[OpenEndedRun]
) -> Iterator[tuple[SizeChange, IntArray]]:
    """List the changes of gangs with equal seats, and the nodes of the members that each adds."""
    seats = list(idle_seats(snapshot, seat, [run.sizes for run in runs]))
    idle = np.array(by_pace(seats, snapshot.slowdown, snapshot.until), dtype=np.int64)
    order = sorted(runs, key=lambda run: (-run.priority, not run.is_due, run.changed, run.key))
    for place, run in enumerate(order):
        staying = np.flatnonzero(snapshot.until[idle] >= run.end_after_change)
        share = len(staying) if run.is_due else -(-len(staying) // (len(order) - place))
        count = _added(snapshot, run, idle[staying[:share]])
        if count:
            added = idle[staying[:count]]
            idle = np.delete(idle, staying[:count])
            yield _change(run, added), added


def _added(snapshot: Snapshot, run: OpenEndedRun, seats: IntArray) -> int:
    """Return how many of these seats, the fastest first, a gang adds to its own; 0 where it does not grow."""
    sizes = run.sizes.between(run.size + 1, min(_target(run), run.size + len(seats)))
    if run.is_due:
        sizes = sizes[sizes == run.asked]
    if not sizes.size:
        return 0
    own, others = run.pace_on(run.nodes, snapshot.slowdown), run.fixed_working
    paces = np.maximum.accumulate(np.maximum(snapshot.slowdown[seats], own))
    gains = (sizes + others) / paces[sizes - run.size - 1] * own / (run.size + others)
    best = int(gains.argmax())
    return int(sizes[best]) - run.size if run.is_due or gains[best] >= run.least_growth else 0


def _change(run: OpenEndedRun, added: IntArray) -> SizeChange:
    return run.change_to([*run.nodes, *added.tolist()], run.end_after_change)._replace(is_open_ended=True)
