"""Room for short gangs: seats that longer gangs leave idle.

A gang changes its size only after its ``min_interval``, and not near its end. So if longer gangs hold all seats, a gang
of a minute that comes next may wait for much longer than it runs. Therefore gangs that run longer than
``SHORT_SECONDS`` do not grow or start on the last seats: one of ``SEATS_FOR_ONE`` stays idle.

In simulations of whole queues, this halves the mean slow-down, and the mean turnaround grows by 1 to 3 %. More room
costs more than it gains. Room that only growing gangs leave, and not gangs that start, gains nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.sizes import Sizes
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import RunSeats, SizePlan
from coschedule.resizing.gangs.sized_run import SeatKind, by_pace
from coschedule.resizing.options import Sized
from coschedule.resizing.seats import seats_without

SHORT_SECONDS = 900.0
SEATS_FOR_ONE = 32


class ShortRoom(NamedTuple):
    """Longer gangs leave ``idle`` seats to short gangs, so all longer gangs together have at most ``most`` seats."""

    idle: int = 0
    most: int = 0


def with_room_beside(sizes: Sequence[Sizes]) -> list[Sizes]:
    """Return the sizes of all gangs, and the sizes of an imaginary gang that uses the room for short gangs.

    ``idle_seats`` limits its list by these sizes. So if there are enough idle seats, the list has seats for the largest
    sizes of all gangs and for this room.
    """
    if not sizes:
        return []
    most = sum(one.maximum for one in sizes)
    return [*sizes, Sizes(minimum=1, maximum=most // (SEATS_FOR_ONE - 1) + 1)]


def room_to_leave(
    snapshot: Snapshot, waiting: Sequence[PendingGang], runs: Sequence[ElasticRun], idle: Sequence[int]
) -> ShortRoom:
    """Return the room that longer gangs leave; ``idle`` are the seats without a member.

    Longer gangs leave no room if some waiting gang takes no part in the choice of sizes. That gang could use these
    seats. But only the plan of the queue chooses its nodes, and the plan counts these seats as taken (``seats_left``).
    Longer gangs also leave no room if a running gang is less urgent than a waiting one. Otherwise the running gang
    would be evicted while there are idle seats.
    """
    most_urgent = max((gang.priority for gang in waiting), default=0)
    may_evict = bool(waiting) and any(gang.priority < most_urgent for gang in snapshot.running)
    if len(waiting) < len(snapshot.gangs) or may_evict:
        return ShortRoom()
    seats = len(idle) + sum(run.size for run in runs)
    return ShortRoom(seats // SEATS_FOR_ONE, seats - seats // SEATS_FOR_ONE)


def leaves_room(sized: Sized, room: ShortRoom) -> bool:
    """Return whether a gang leaves room for short gangs.

    A run whose size may change has much work left. So it leaves room, unless a size is asked of it or it has a
    deadline. A waiting gang leaves room if it runs longer than ``SHORT_SECONDS`` at each of its sizes. But if even its
    least size needs this room, the gang leaves none, since it could never start otherwise.
    """
    gang = sized.gang
    if isinstance(gang, ElasticRun):
        return gang.asked is None and gang.deadline is None
    return float(sized.worth.times.min()) > SHORT_SECONDS and gang.sizes.least <= room.most


def seats_left(
    seat: SeatKind, seats: RunSeats, runs: Sequence[ElasticRun], sizes: SizePlan, *, count: int, now: float
) -> tuple[Release, ...]:
    """Return the last ``count`` seats that are idle after a choice, each as a release after ``SHORT_SECONDS``.

    The plan of the queue counts these seats as taken until then, so that it does not start a longer gang there.
    """
    if not count:
        return ()
    after = {change.gang: change.nodes for change in sizes.changes}
    taken = [node for nodes in (*after.values(), *(start.nodes for start in sizes.starts)) for node in nodes]
    given_up = [node for run in runs if run.key in after for node in run.nodes]
    left = by_pace(seats_without([*seats.idle, *given_up], taken), seats.slowdown, seats.until)
    return tuple(Release(node=node, request=seat.request, time=now + SHORT_SECONDS) for node in left[-count:])


def without_seats(snapshot: Snapshot, left: tuple[Release, ...]) -> Snapshot:
    """Return the snapshot in which these seats count as taken."""
    if not left:
        return snapshot
    free = snapshot.free.copy()
    np.subtract.at(free, [one.node for one in left], [one.request for one in left])
    return replace(snapshot, free=free, releases=(*snapshot.releases, *left), left_idle=left)
