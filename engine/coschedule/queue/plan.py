"""The plan of a whole queue: each gang gets the best placement that breaks no promise to another gang.

Gangs of higher priority are planned before all others, and never wait for them. ``Snapshot.promises`` is the kind of
promises to waiting gangs, which also determines the order within one priority. The folder ``queue/promises`` has a file
for each kind. Groups with fair shares take turns within one priority (``queue/shares``).
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from coschedule.queue.planner.observer import Observer, silent
from coschedule.queue.planner.planner import Planner, Rescue
from coschedule.queue.problem.decisions import Decision, Plan
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.order import by_priority
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.promises.conservative import plan_conservative
from coschedule.queue.promises.easy import plan_easy
from coschedule.queue.promises.nothing import plan_without_promises
from coschedule.queue.promises.planned import Planned
from coschedule.queue.promises.slack import plan_with_slack

_PLAN: Mapping[Promises, Callable[[Planner, list[PendingGang]], Planned]] = {
    Promises.SLACK: plan_with_slack,
    Promises.CONSERVATIVE: plan_conservative,
    Promises.EASY: plan_easy,
    Promises.NONE: plan_without_promises,
}


class Counted(NamedTuple):
    """A plan and the number of steps that it took.

    The first steps of each choice are free (``search.effort``); ``beyond`` counts the other steps.
    """

    plan: Plan
    steps: int
    beyond: int


def plan(snapshot: Snapshot, *, observer: Observer = silent, rescue: Rescue | None = None) -> Plan:
    """Decide where and when each gang of the snapshot runs, most urgent first.

    Guarantees:

    - A plan never takes more than is free at any instant, nor a node outside its window.
    - A gang is placed whole or not at all.
    - A decision depends on no gang of lower priority.
    - No promise is broken if all places of the previous plan are still possible beside the gangs of higher priority.
    - Each gang that fits on these facts, now or at a known time, gets a placement, within the limits of the search.
    - Gangs that are decided later use the nodes of a node hold only if they end by the start of the node hold.
    - The same snapshot gives the same plan, whatever the order of its gangs.

    An exception for one gang is a bug of the planner. It is raised, unless ``rescue`` is given. Then ``rescue`` gets
    the exception, the gang gets no placement, and the other gangs are planned without it.
    """
    return plan_and_count(snapshot, observer=observer, rescue=rescue).plan


def plan_and_count(snapshot: Snapshot, *, observer: Observer = silent, rescue: Rescue | None = None) -> Counted:
    """Make the plan as ``plan`` does, and count its steps."""
    planner = Planner(snapshot, observer, rescue)
    decisions: list[Decision] = []
    refused = planner.refused
    for gangs in by_priority(snapshot.gangs):
        planner.welcome(gangs)
        planner, of_priority = _PLAN[snapshot.promises](planner, [gang for gang in gangs if gang.key not in refused])
        planner.charge(gangs, of_priority)
        decisions += [*of_priority, *(refused[gang.key] for gang in gangs if gang.key in refused)]
    gangs_by_key = {gang.key: gang for gang in snapshot.gangs}
    for decision in decisions:
        observer.decided(gangs_by_key[decision.gang], decision)
    made = Plan(generation=snapshot.generation, decisions=tuple(decisions))
    return Counted(made, planner.account.spent, planner.account.beyond)
