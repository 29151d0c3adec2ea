"""Plan the queue beside chosen sizes, so that few gangs start after their promise.

Method: plan the queue as if the chosen sizes stayed. If gangs are late, make up to three more plans, as if every
elastic gang shrank later. In one plan, they shrink at the first promise. In the others, they shrink at the first
promise that the first plan breaks, or at the first ``kept`` start of a late gang. The plan with the fewest late gangs
is taken.

The place of a gang is its ``kept`` placement, which is from the previous plan. A gang loses its place if this placement
is no longer possible, and is then planned anew. The previous plan often assumed that gangs shrink. On a snapshot in
which these gangs do not shrink, most waiting gangs lose their places. In a long queue, such a plan takes long, and some
gangs are late in it. So in a long queue, a snapshot on which many places are lost is left out, if another snapshot is
planned. In a still longer queue (``LONG_QUEUE``), gangs shrink at the first promise only.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from coschedule.queue.plan import plan
from coschedule.queue.planner.planner import Rescue
from coschedule.queue.problem.decisions import Placement, Plan
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.promises.lost_places import part_lost
from coschedule.resizing.gangs.size_plan import SizePlan
from coschedule.resizing.gangs.sized_run import ChangeTerms
from coschedule.resizing.promising import late_gangs, loosened
from coschedule.resizing.short_gangs import without_seats
from coschedule.resizing.worlds import World, resized, with_all_shrunk

LONG_QUEUE = 250
"""If more gangs than this wait, each plan takes long. So one choice of sizes is tried, with at most two plans."""
# If more gangs than this wait, the places that are lost on a snapshot are counted before the queue is planned on it.
_CHECKED_QUEUE = 100
# If a larger part of the places is lost on a snapshot of such a queue, the snapshot is left out.
_MOST_LOST = 0.2


class Resized(NamedTuple):
    """The chosen ``sizes`` and starts, the snapshot ``after`` these, and the ``plan`` of all other gangs on it.

    Sizes must be chosen again at ``again`` at the latest, inf for never. This is the first of these times after now: a
    promise, a planned start of a gang without a promise, or the time at which a run may change its size. A gang that
    starts at its ``not_before`` does not count, since the caller knows that time. If gangs of unknown end change their
    sizes, ``placed`` has the starts of the plan that was made before these changes; these starts also stay. ``in_vain``
    means: plans were made so that gangs of unknown end give room back, and no plan helped.
    """

    sizes: SizePlan
    after: Snapshot
    plan: Plan
    again: float
    placed: tuple[Placement, ...] = ()
    in_vain: bool = False

    @classmethod
    def of(cls, sizes: SizePlan, after: Snapshot, made: Plan) -> "Resized":
        """Return these choices with the time at which sizes must be chosen again."""
        earliest = {gang.key: gang.not_before for gang in after.gangs}
        placed = (one for one in made.decisions if isinstance(one, Placement))
        later = (one.promised or one.start for one in placed if one.promised or one.start > earliest[one.gang])
        return cls(sizes, after, made, min((time for time in later if time > after.now), default=math.inf))

    @property
    def late(self) -> frozenset[GangKey]:
        """The gangs that start after their promise."""
        return late_gangs(self.plan, self.after)


def planned_beside(
    world: World,
    sizes: SizePlan,
    elastic: Mapping[GangKey, ChangeTerms],
    rescue: Rescue | None,
    left: tuple[Release, ...] = (),
) -> Resized:
    """Plan the queue beside these sizes; return the plan with the fewest late gangs.

    Gangs that start and are ``elastic`` may change their size later. The seats ``left`` to short gangs count as taken
    (``short_gangs``), unless a gang is late then, or the queue is long.
    """
    whole = resized(world, sizes, elastic)
    tried = list[Resized]()
    for seats in (left, ()) if left and len(whole.snapshot.gangs) <= LONG_QUEUE else ((),):
        these, after = list[Resized](), whole._replace(snapshot=without_seats(whole.snapshot, seats))
        for snapshot in _snapshots(after, these):
            these.append(Resized.of(sizes, snapshot, plan_once(snapshot, is_loose=True, rescue=rescue)))
            if not these[-1].late:
                return these[-1]
        tried += these
    return min(tried, key=lambda one: len(one.late))


def plan_once(snapshot: Snapshot, *, is_loose: bool, rescue: Rescue | None) -> Plan:
    """Plan the queue. If ``is_loose``, new promises have more slack, since gangs of known end will change again."""
    made = plan(snapshot, rescue=rescue)
    return loosened(made, snapshot) if is_loose else made


def _snapshots(after: World, tried: Sequence[Resized]) -> Iterator[Snapshot]:
    """Yield the snapshots to plan on; the caller appends each plan to ``tried``, and stops if no gang is late."""
    snapshot, runs = after
    promised = {gang.key: gang.promised for gang in snapshot.gangs}
    first = min(promised.values(), default=math.inf)
    may_shrink, is_checked = bool(runs) and first < math.inf, len(promised) > _CHECKED_QUEUE
    if not (may_shrink and is_checked and part_lost(snapshot) > _MOST_LOST):
        yield snapshot
    if may_shrink:
        yield with_all_shrunk(after, first)
    if may_shrink and len(promised) <= LONG_QUEUE:
        for due in sorted(_later_times(snapshot, tried) - {first}):
            later = with_all_shrunk(after, due)
            if not (is_checked and part_lost(later) > _MOST_LOST):
                yield later


def _later_times(snapshot: Snapshot, tried: Sequence[Resized]) -> set[float]:
    """Return the times, except the first promise, at which gangs might shrink for gangs that are late in plans so far.

    One is the first promise that the first plan breaks. The other is the first ``kept`` start of a gang that is late in
    the last plan. The previous plan, which chose this start, may have assumed that gangs shrink then.
    """
    late_first, late_last = tried[0].late, tried[-1].late
    broken = min(gang.promised for gang in snapshot.gangs if gang.key in late_first)
    late = (gang.kept for gang in snapshot.gangs if gang.key in late_last)
    return {broken, min((kept.start for kept in late if kept is not None), default=broken)}
