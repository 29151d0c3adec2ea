"""Sizes of gangs of unknown end: they grow into idle nodes that no gang waits for, and give these nodes back.

Their work is unknown, so two sizes cannot be compared by run time. At first a gang keeps the size that it got when it
started. It may have more members while no gang waits for the nodes. If its speed was measured, its sizes are compared
by speed.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from coschedule.queue.problem.decisions import Placement, Plan
from coschedule.queue.problem.size_change import SizeChange
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import SeatKind
from coschedule.resizing.open_ended.dividing import others_have_their_turn
from coschedule.resizing.open_ended.giving_back import GivenBack, Planned, Tried, given_back, shrink_to
from coschedule.resizing.open_ended.growing import grown
from coschedule.resizing.open_ended.idle_nodes import begun, starts_by
from coschedule.resizing.seats import may_stay
from coschedule.resizing.turns import MOST_GROUPS, grouped, in_turn, next_turn
from coschedule.resizing.worlds import after_changes


class OpenEndedSizes(NamedTuple):
    """The gangs of unknown end that change their size, and the starts of the plan, which stay as they are.

    ``after`` is the snapshot after these changes and starts. ``plan`` is the plan of the gangs in ``after``. Other
    gangs have their turn at the time ``again``. ``in_vain`` means: plans were made to give room back, and no plan
    helped.
    """

    changes: tuple[SizeChange, ...]
    starts: tuple[Placement, ...]
    after: Snapshot
    plan: Plan
    again: float
    in_vain: bool = False


def open_ended_sizes(
    snapshot: Snapshot, made: Plan, runs: Sequence[OpenEndedRun], planned: Planned, *, may_grow: bool, may_give: bool
) -> OpenEndedSizes:
    """Choose sizes for gangs of unknown end beside a plan of the snapshot.

    If gangs give room back, no gang grows in the same plan. Gangs give room back only if they ``may_give``. Guarantees:
    the starts of the plan stay. The snapshot ``after`` has a release of each gang's resources at the gang's end, or
    counts these resources as freed at an unknown time. The same snapshot gives the same sizes.
    """
    groups = grouped([run for run in runs if _may_change(snapshot, run)])
    turn = in_turn(groups, snapshot.now, MOST_GROUPS)
    starts = tuple(one for one in made.decisions if starts_by(one, snapshot.now))
    after, able = begun(snapshot, made), [run for _, alike in turn for run in alike]
    waiting = replace(made, decisions=tuple(one for one in made.decisions if not starts_by(one, snapshot.now)))
    found, tried = _as_asked(after, able, planned), Tried()
    if found is None and may_give:
        tried = given_back(after, waiting, able, planned)
        found = tried.found
    if found is None:
        changes = tuple(grown(after, waiting, turn)) if may_grow else ()
        found = GivenBack(changes, after_changes(after, able, changes), waiting)
    again = min(_again(groups, turn, snapshot.now), tried.again)
    return OpenEndedSizes(found.changes, starts, found.after, found.plan, again, tried.in_vain)


def _again(groups: Sequence[object], turn: Iterable[tuple[SeatKind, Sequence[OpenEndedRun]]], now: float) -> float:
    """Return when it is the turn of other groups, or of other gangs of these groups; inf for never."""
    return min(next_turn(groups, now, MOST_GROUPS), *(others_have_their_turn(runs, now) for _, runs in turn), math.inf)


def _may_change(snapshot: Snapshot, run: OpenEndedRun) -> bool:
    """Return whether the run's last change is long enough ago, and its nodes are suitable and open until it ends."""
    is_time = run.may_change_at <= snapshot.now
    return is_time and may_stay(snapshot, run) and bool(snapshot.until[run.all_nodes].min() >= run.end_after_change)


def _as_asked(snapshot: Snapshot, runs: Sequence[OpenEndedRun], planned: Planned) -> GivenBack | None:
    """Return the changes of gangs that shrink to the size that is asked of them; None if no gang does."""
    due = [run for run in runs if run.is_due and run.asked is not None and run.asked < run.size]
    changes = tuple(shrink_to(run, snapshot, run.asked) for run in due if run.asked is not None)
    if not changes:
        return None
    after = after_changes(snapshot, due, changes)
    return GivenBack(changes, after, planned(after))
