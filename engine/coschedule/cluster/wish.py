"""What one gang wants, and the best it can get in a given room."""

import math
from dataclasses import dataclass

import numpy as np

from coschedule.cluster.choice import Candidate, Outlook, earliest_finish, fewest_members, outlook_of
from coschedule.cluster.room import room_for
from coschedule.cluster.snapshot import PendingGang
from coschedule.cluster.timeline import Timeline
from coschedule.cluster.unknown import earliest_start
from coschedule.groups.goal import Goal, SizeTable, size_table
from coschedule.numbers import BoolArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wish:
    """A gang with what is fixed about it: what a member requests, int[r], where it may run, bool[n], its sizes.

    ``table`` is None when the run time is unknown.
    """

    gang: PendingGang
    request: IntArray
    passes: BoolArray
    table: SizeTable | None

    @property
    def serial(self) -> float | None:
        """T(1), None when it is not known."""
        serial = math.inf if self.gang.work is None else float(self.gang.work.float_times(1)[0])
        return serial if serial < math.inf else None

    @property
    def needed(self) -> int:
        """The least size that may run; the minimum when no size of the range has a time."""
        return int(self.table.sizes[0]) if self.table and self.table.sizes.size else self.gang.minimum

    def outlook(self, timeline: Timeline) -> Outlook:
        """Find the places on a timeline."""
        return outlook_of(room_for(timeline, self.request, passes=self.passes, most=self.gang.maximum))

    def best(self, outlook: Outlook) -> Candidate | None:
        """Choose by the gang's own objective: the least finish, or the fewest members that meet its deadline.

        A gang whose run time is unknown starts as early as it can; a deadline cannot bind it.
        """
        if self.table is None or self.gang.deadline is None:
            return self.soonest(outlook)
        return fewest_members(outlook, self.table, among=outlook.instants, deadline=self.gang.deadline)

    def soonest(self, outlook: Outlook) -> Candidate | None:
        """Choose the least finish, whatever the deadline; the earliest start when the run time is unknown."""
        if self.table is None:
            return self._earliest_start(outlook, self.gang.minimum, outlook.instants)
        return earliest_finish(outlook, self.table, among=outlook.instants, limit=math.inf)

    def alternative(self, outlook: Outlook, chosen: Candidate) -> Candidate | None:
        """Choose the candidate that says most about ``chosen``; see ``Placement``."""
        now, later = outlook.instants[:1], outlook.instants[1:]
        starts_now = chosen.start == outlook.room.instants[0]
        if self.table is None:
            return self._earliest_start(outlook, chosen.size + 1, later) if starts_now else None
        if not starts_now:
            return earliest_finish(outlook, self.table, among=now, limit=math.inf)
        larger = self.table.where(self.table.sizes > chosen.size)
        other = self.table.where(self.table.sizes != chosen.size)
        return earliest_finish(outlook, larger, among=later, limit=math.inf) or earliest_finish(
            outlook, other, among=outlook.instants, limit=math.inf
        )

    def _earliest_start(self, outlook: Outlook, minimum: int, among: IntArray) -> Candidate | None:
        return earliest_start(outlook.room, minimum=minimum, maximum=self.gang.maximum, among=among)


def wish_of(gang: PendingGang, passes: BoolArray) -> Wish:
    """Prepare the choice for a gang."""
    goal = Goal(minimum=gang.minimum, maximum=gang.maximum)
    table = None if gang.work is None else size_table(gang.work, goal, places=gang.maximum, exact=False)
    return Wish(gang=gang, request=np.array(gang.request, dtype=np.int64), passes=passes, table=table)
