"""Gangs of unknown end grow into idle nodes that no gang waits for.

Method: groups of gangs with the same seats choose in turn (``turns``). In a group the most urgent gang chooses first.
Among equally urgent gangs, gangs of which a size is asked come first, then the gang whose last change is longest ago. A
gang of which no size is asked takes at most an equal part of the seats, so that all may grow. It takes its size with
the highest speed. The speed is the number of members that do a part of the work, divided by the slow-down of the
slowest member. If the speed of any gang was measured, nodes are divided by speeds instead (``dividing``).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.problem.decisions import Plan
from coschedule.queue.problem.size_change import SizeChange, SizeReason
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import SeatKind, by_pace
from coschedule.resizing.open_ended.dividing import divided, takes_part
from coschedule.resizing.open_ended.idle_nodes import waiting_gangs, wanted_by_none
from coschedule.resizing.seats import closes_to_new, idle_seats, without_nominated


def grown(
    snapshot: Snapshot, made: Plan, groups: Sequence[tuple[SeatKind, Sequence[OpenEndedRun]]]
) -> list[SizeChange]:
    """Choose the gangs that change now, and their nodes, among gangs that may change now, in groups of equal seats.

    ``made`` is a plan in which the gangs of the snapshot wait. Guarantees: no waiting gang could use a node on which a
    gang grows, unless the waiting gang would not fit on empty nodes either. No waiting gang is planned to start at the
    end of a gang that grows. So the plan ``made`` stays valid. All nodes on which a gang grows are open until it ends.
    No owner is expected there before, unless the gang may be interrupted.
    """
    able = [(seat, [run for run in runs if run.largest > run.size or run.is_measured]) for seat, runs in groups]
    able = [(seat, runs) for seat, runs in able if runs]
    if not able:
        return []
    waiting = waiting_gangs(made, snapshot.now)
    is_idle = wanted_by_none(snapshot, [gang for gang in snapshot.gangs if gang.key in waiting])
    free, changes = without_nominated(snapshot), list[SizeChange]()
    for seat, runs in able:
        for choose, some in _in_order(runs):
            start = np.where(is_idle, snapshot.start, np.inf)
            beside = replace(snapshot, free=free, start=start, nominated=(), gangs=())
            for change, added in choose(beside, seat, some, is_idle):
                changes.append(change)
                np.subtract.at(free, added, seat.request)
    return changes


_Choose = Callable[[Snapshot, SeatKind, Sequence[OpenEndedRun], BoolArray], Iterable[tuple[SizeChange, IntArray]]]
"""Lists the changes of gangs with equal seats, and the nodes of the members that each change adds."""


def _in_order(runs: Sequence[OpenEndedRun]) -> list[tuple[_Choose, Sequence[OpenEndedRun]]]:
    """Return gangs in the order in which they choose, each group with its function.

    If any speed is measured, gangs of which a size is asked choose first. Then nodes are divided by speeds. Other gangs
    choose last.
    """
    measured = takes_part(runs)
    if not measured:
        return [(_shared_out, runs)]
    others = [run for run in runs if not run.is_due and run not in measured]
    return [(_shared_out, [run for run in runs if run.is_due]), (divided, measured), (_shared_out, others)]


def _is_awaited_by_none(run: OpenEndedRun, is_idle: BoolArray) -> bool:
    """Return whether no gang waits for the end of this run: its end is unknown, or no gang could use its nodes."""
    return run.end == np.inf or bool(is_idle[run.all_nodes].all())


def _shared_out(
    snapshot: Snapshot, seat: SeatKind, runs: Sequence[OpenEndedRun], is_idle: BoolArray
) -> Iterator[tuple[SizeChange, IntArray]]:
    """List the changes of gangs that grow, and the nodes that each adds: at most an equal part, or as many as asked."""
    able = [run for run in runs if _is_awaited_by_none(run, is_idle)]
    until = closes_to_new(snapshot, interruptible=any(run.may_be_interrupted for run in able))
    seats = list(idle_seats(replace(snapshot, until=until), seat, [run.sizes for run in able]))
    idle = np.array(by_pace(seats, snapshot.slowdown, until), dtype=np.int64)
    order = sorted(able, key=lambda run: (-run.priority, not run.is_due, run.changed, run.key))
    for place, run in enumerate(order):
        closes = closes_to_new(snapshot, interruptible=run.may_be_interrupted)
        staying = np.flatnonzero(closes[idle] >= run.end_after_change)
        share = len(staying) if run.is_due else -(-len(staying) // (len(order) - place))
        count = _added(snapshot, run, idle[staying[:share]])
        if count:
            added = idle[staying[:count]]
            idle = np.delete(idle, staying[:count])
            yield _change(run, added), added


def _added(snapshot: Snapshot, run: OpenEndedRun, seats: IntArray) -> int:
    """Return how many of these seats, the fastest first, a gang adds to its own; 0 where it does not grow."""
    sizes = run.sizes.between(run.size + 1, min(run.largest, run.size + len(seats)))
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
    reason = SizeReason.ASKED if run.is_due else SizeReason.IDLE_NODES
    return run.change_to([*run.nodes, *added.tolist()], run.end_after_change)._replace(because=reason)
