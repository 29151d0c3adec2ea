"""Gangs of unknown end give back room that they grew into, if a gang that waits starts with it.

Method: find the first waiting gang that has enough seats if all running gangs shrink. Let only the first running gangs
shrink, as many as this waiting gang needs. Plan the queue as if they had shrunk as far as they may. The gangs that
start in this plan keep their sizes, but their members move to idle nodes first. The running gangs give only the seats
that are then missing: each shrinks to the largest size that frees these seats. Plan the queue once more beside these
sizes, since a plan decides which gang gets the room. If that does not help, try it without moving members. Then try the
same with all gangs that may shrink.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from coschedule.queue.problem.decisions import Placement, Plan
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.size_change import SizeChange, SizeReason
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.open_ended.givers import (
    SeatCounts,
    Waiter,
    least_members,
    soon,
    spare_members,
    with_equal_parts,
)
from coschedule.resizing.open_ended.idle_nodes import starts_by, waiting_gangs
from coschedule.resizing.open_ended.sharing import Giving, Sharing
from coschedule.resizing.promising import late_gangs
from coschedule.resizing.seats import seats_beside
from coschedule.resizing.turns import in_turn, next_turn
from coschedule.resizing.worlds import after_changes

MOST_WAITING = 250
"""Gangs give room back only to this many waiting gangs. If more wait, only one way is tried."""
MOST_IN_TURN = 50
"""If more gangs wait, the first of the plan are among these gangs, and this number of others, in turn (``turns``)."""

Planned = Callable[[Snapshot], Plan]
"""Makes the plan of a snapshot."""

_Runs = Sequence[OpenEndedRun]
_Waiting = Mapping[GangKey, Waiter]


class GivenBack(NamedTuple):
    """The changes of gangs that shrink, the snapshot ``after`` these changes, and its ``plan``."""

    changes: tuple[SizeChange, ...]
    after: Snapshot
    plan: Plan


class Tried(NamedTuple):
    """The changes that were ``found``, None if no gang shrinks; ``in_vain`` if plans were made and no plan helped.

    Gangs may give room back to other waiting gangs at the time ``again``, inf for never.
    """

    found: GivenBack | None = None
    in_vain: bool = False
    again: float = math.inf


def given_back(snapshot: Snapshot, made: Plan, runs: Sequence[OpenEndedRun], planned: Planned) -> Tried:
    """Choose the gangs that shrink now, among gangs that may change now.

    ``made`` is a plan in which the gangs of the snapshot wait. Guarantees: a gang shrinks only for a waiting gang that
    is at least as urgent. The waiting gang starts in the new plan when the members given up are gone. Without the
    change, it would wait for longer than the change takes. A gang keeps at least the members that it got when it
    started, or an equal part if it is measured. The new plan keeps all promises that ``made`` keeps.
    """
    waiting = _waiters(snapshot, made)
    gaining = [partial(one.gains_from, now=snapshot.now) for one in waiting.values()]
    parts = with_equal_parts(runs, len(waiting))
    spare = [run for run in parts if spare_members(run)]
    able = [run for run in spare if any(gains_from(run) for gains_from in gaining)]
    able.sort(key=lambda run: (run.priority, -spare_members(run), run.key))
    in_vain = False
    for givers in _tries(snapshot, waiting, able):
        found = _tried(snapshot, made, waiting, givers, planned)
        if found is not None:
            return Tried(found)
        in_vain = True
    turns = [*waiting_gangs(made, snapshot.now)] if spare else []
    return Tried(in_vain=in_vain, again=next_turn(turns, snapshot.now, MOST_WAITING))


def shrink_to(run: OpenEndedRun, snapshot: Snapshot, size: int, made_for: GangKey | None = None) -> SizeChange:
    """Return the change in which a gang keeps the first ``size`` of its ``seats_to_keep``."""
    return _change(run, run.seats_to_keep(snapshot.slowdown, snapshot.until)[:size], made_for)


def _waiters(snapshot: Snapshot, made: Plan) -> dict[GangKey, Waiter]:
    """Return gangs that wait, in planning order: all, or the first ones and some of the others."""
    gangs = {gang.key: gang for gang in snapshot.gangs}
    waiting = [Waiter(gangs[key], start) for key, start in waiting_gangs(made, snapshot.now).items()]
    if len(waiting) > MOST_WAITING:
        first, others = waiting[: MOST_WAITING - MOST_IN_TURN], waiting[MOST_WAITING - MOST_IN_TURN :]
        waiting = [*first, *in_turn(others, snapshot.now, MOST_IN_TURN)]
    return {one.gang.key: one for one in waiting}


def _tries(snapshot: Snapshot, waiting: _Waiting, able: _Runs) -> Iterator[_Runs]:
    """Generate gangs to shrink together: the first few that leave enough seats for a waiting gang, then all of them."""
    if not able:
        return
    seats = SeatCounts(snapshot, able)
    first = next((one for one in waiting.values() if seats.are_enough(one, len(able))), None)
    if first is None:
        return
    if len(snapshot.gangs) <= MOST_WAITING:
        few = bisect_left(range(len(able)), 1, key=lambda count: int(seats.are_enough(first, count)))
        if 0 < few < len(able):
            yield able[:few]
    yield able


def _tried(snapshot: Snapshot, made: Plan, waiting: _Waiting, givers: _Runs, planned: Planned) -> GivenBack | None:
    """Return the changes by which these gangs free the seats that waiting gangs need; None if they do not help."""
    by = soon(snapshot.now, givers)
    emptier = after_changes(snapshot, givers, [shrink_to(run, snapshot, least_members(run)) for run in givers])
    first = replace(emptier, gangs=tuple(gang for gang in emptier.gangs if gang.key in waiting))
    starts = [one for one in planned(first).decisions if starts_by(one, by)]
    tried = list[Sequence[SizeChange]]()
    for moves in (True, False):
        changes = _changes(snapshot, waiting, givers, starts, moves=moves)
        if changes and changes not in tried:
            tried.append(changes)
            after = after_changes(snapshot, givers, changes)
            then = planned(after)
            if _helps(waiting, changes, then, by) and late_gangs(then, after) <= late_gangs(made, snapshot):
                return GivenBack(changes, after, then)
        if len(snapshot.gangs) > MOST_WAITING:
            break
    return None


def _changes(
    snapshot: Snapshot, waiting: _Waiting, givers: _Runs, starts: Sequence[Placement], *, moves: bool
) -> tuple[SizeChange, ...]:
    """Return the changes of the gangs that give the seats needed for these starts."""
    sharing = Sharing(snapshot, givers, moves=moves)
    for one in starts:
        sharing.start(waiting[one.gang], one)
    return tuple(_trimmed(snapshot, run, sharing.giving[run.key]) for run in givers if run.key in sharing.giving)


def _helps(waiting: _Waiting, changes: Sequence[SizeChange], then: Plan, by: float) -> bool:
    """Return whether each gang for which others shrink starts sooner in the plan ``then``, and by the time ``by``."""
    starts = {one.gang: one.start for one in then.decisions if starts_by(one, by)}
    return all(one.made_for in starts and starts[one.made_for] < waiting[one.made_for].start for one in changes)


def _trimmed(snapshot: Snapshot, run: OpenEndedRun, giving: Giving) -> SizeChange:
    """Return the change to the largest allowed size that frees the seats of ``giving``, and maybe other seats."""
    own = run.seats_to_keep(snapshot.slowdown, snapshot.until)
    kept = seats_beside(run, own, giving.nodes)
    size = int(run.sizes.between(least_members(run), len(kept))[-1])
    return _change(run, kept[:size], giving.made_for)


def _change(run: OpenEndedRun, kept: Sequence[int], made_for: GangKey | None) -> SizeChange:
    reason = SizeReason.ASKED if made_for is None else SizeReason.WAITING_GANG
    return run.change_to(kept, run.end_after_change)._replace(because=reason, made_for=made_for)
