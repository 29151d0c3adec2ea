"""The plan of a whole queue: each gang gets the best placement that breaks no promise made to another.

More urgent gangs come before all others, and never wait for them. Who is planned first among gangs of one priority, and
what those that wait are promised, says ``Snapshot.promises``; one file each in ``queue.promises``.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from coschedule.queue.decisions import Decision, Plan
from coschedule.queue.gangs import PendingGang
from coschedule.queue.observer import Observer, silent
from coschedule.queue.order import in_order
from coschedule.queue.planner import Planner, Rescue
from coschedule.queue.promises.conservative import plan_conservative
from coschedule.queue.promises.easy import plan_easy
from coschedule.queue.promises.kinds import Promises
from coschedule.queue.promises.nothing import plan_without_promises
from coschedule.queue.promises.planned import Planned
from coschedule.queue.promises.slack import plan_with_slack
from coschedule.queue.snapshot import Snapshot

_PLAN: Mapping[Promises, Callable[[Planner, list[PendingGang]], Planned]] = {
    Promises.SLACK: plan_with_slack,
    Promises.CONSERVATIVE: plan_conservative,
    Promises.EASY: plan_easy,
    Promises.NONE: plan_without_promises,
}


class Counted(NamedTuple):
    """A plan, and how many combinations of members and nodes were looked at where they are counted (``effort``)."""

    plan: Plan
    combinations: int


def plan(snapshot: Snapshot, *, observer: Observer = silent, rescue: Rescue | None = None) -> Plan:
    """Decide where and when every gang of the snapshot runs, most urgent first.

    Guarantees: a plan never takes more than is free at any instant, nor a node outside its window; a gang is placed
    whole or not at all; a decision depends on no gang of lower priority; no gang starts after what it was promised,
    where it can be placed by then on these facts at all and no more urgent gang has come; every gang that fits on these
    facts, now or at a known time, gets a placement; nothing decided later is put on the nodes that a gang holds unless
    it ends before. The same snapshot gives the same plan, whatever the order of its gangs.

    An exception for one gang is a mistake of ours. It is raised, unless ``rescue`` is given: then ``rescue`` hears of
    it, that gang gets no placement, and the others are planned as if it were not there.
    """
    return plan_and_count(snapshot, observer=observer, rescue=rescue).plan


def plan_and_count(snapshot: Snapshot, *, observer: Observer = silent, rescue: Rescue | None = None) -> Counted:
    """Make the plan as ``plan`` does, and tell what it took."""
    planner = Planner(snapshot, observer, rescue)
    decisions: list[Decision] = []
    for gangs in _by_priority(snapshot):
        planner, of_priority = _PLAN[snapshot.promises](planner, gangs)
        decisions += of_priority
    gangs_by_key = {gang.key: gang for gang in snapshot.gangs}
    for decision in decisions:
        observer.decided(gangs_by_key[decision.gang], decision)
    return Counted(Plan(generation=snapshot.generation, decisions=tuple(decisions)), planner.combinations)


def _by_priority(snapshot: Snapshot) -> Iterator[list[PendingGang]]:
    for _, gangs in groupby(in_order(snapshot.gangs), key=lambda gang: gang.priority):
        yield list(gangs)
