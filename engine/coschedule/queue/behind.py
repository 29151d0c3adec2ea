"""Plans gangs that wait until other gangs of a plan start or end. They take no nodes from the gangs of the plan."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from coschedule.queue.planner.observer import silent
from coschedule.queue.planner.planner import Planner, Rescue
from coschedule.queue.problem.decisions import Placement, Plan, Unplaceable
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.order import by_priority
from coschedule.queue.problem.snapshot import Snapshot


class Behind(NamedTuple):
    """A gang that starts once all gangs in ``ends`` have ended and all gangs in ``starts`` have started.

    These gangs are in the plan, or wait behind it themselves.
    """

    gang: PendingGang
    ends: tuple[GangKey, ...] = ()
    starts: tuple[GangKey, ...] = ()

    def not_before(self, placed: Mapping[GangKey, Placement]) -> float | None:
        """Return the earliest start of the gang; None while it is unknown when one of these gangs starts or ends."""
        if not all(key in placed for key in (*self.ends, *self.starts)):
            return None
        finishes = (placed[key].finish for key in self.ends)
        earliest = max([self.gang.not_before, *finishes, *(placed[key].start for key in self.starts)])
        return earliest if earliest < math.inf else None


def plan_behind(
    snapshot: Snapshot, made: Plan, behind: Sequence[Behind], *, rescue: Rescue | None = None
) -> tuple[Placement, ...]:
    """Place gangs behind the plan ``made`` of the snapshot: each starts after the gangs that it waits for.

    A gang gets no placement if it waits for a gang without a placement, or for the end of a gang of unknown end. No
    placement has a promise. Gangs are planned in the order given, but never before the gangs that they wait for.
    """
    planner = Planner(replace(snapshot, gangs=(*snapshot.gangs, *(one.gang for one in behind))), silent, rescue)
    _follow(planner, snapshot, made)
    planner.welcome(one.gang for one in behind)
    placed = {one.gang: one for one in made.decisions if isinstance(one, Placement)}
    return tuple(_placing(planner, [one for one in behind if one.gang.key not in planner.refused], placed))


def _follow(planner: Planner, snapshot: Snapshot, made: Plan) -> None:
    decided = {decision.gang: decision for decision in made.decisions}
    for gangs in by_priority(snapshot.gangs):
        found = [(gang, decided[gang.key]) for gang in gangs if gang.key in decided]
        planner.follow_all([(gang, one) for gang, one in found if isinstance(one, Placement)])
        for gang, one in found:
            if isinstance(one, Unplaceable):
                planner.follow(gang, one)


def _placing(planner: Planner, behind: Sequence[Behind], placed: dict[GangKey, Placement]) -> Iterator[Placement]:
    left = list(behind)
    while left:
        able = [(one, earliest) for one in left if (earliest := one.not_before(placed)) is not None]
        if not able:
            return
        for one, earliest in able:
            decision = planner.decide(replace(one.gang, not_before=earliest))
            if isinstance(decision, Placement):
                placed[one.gang.key] = decision
                yield decision
        done = {one.gang.key for one, _ in able}
        left = [one for one in left if one.gang.key not in done]
