"""The refusal of a gang without a placement, and the node hold it gets until it has one."""

from dataclasses import dataclass
from typing import assert_never

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.choosing.choice import Chooser
from coschedule.queue.choosing.own_speeds import own_snapshot, shared_ranks
from coschedule.queue.choosing.plain import PlainChooser
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.feasible.topology import Topology
from coschedule.queue.owners.choosing import seen_by
from coschedule.queue.planner.after_all_ends import AtLast
from coschedule.queue.planner.explain import Stages, refuse
from coschedule.queue.planner.explain_together import Case, refuse_together
from coschedule.queue.planner.holds import Held, nodes_to_hold
from coschedule.queue.planner.without_end import WithoutEnd
from coschedule.queue.problem.refusals import Reason, Refusal
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.slots.claims import Claim
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanTimelines:
    """The timelines of a plan: ``at_first`` without any waiting gang, and ``by_now`` after the decisions so far.

    ``at_last`` has the resources that are free once everything with a known end has ended. ``without_end`` has the
    resources that gangs use until an unknown end.
    """

    snapshot: Snapshot
    feasibility: Feasibility
    topology: Topology
    at_first: Timeline
    by_now: Timeline
    at_last: AtLast
    without_end: WithoutEnd


def refusal_on(timelines: PlanTimelines, chooser: Chooser) -> Refusal:
    """Return why the chooser's gang has no placement."""
    snapshot, feasibility = own_snapshot(chooser.gang, timelines.snapshot), timelines.feasibility
    stages = Stages(
        seen_by(chooser.gang, timelines.at_first), seen_by(chooser.gang, timelines.by_now), timelines.at_last
    )
    if isinstance(chooser, PlainChooser):
        return refuse(
            chooser.demand,
            snapshot=snapshot,
            feasibility=feasibility,
            stages=stages,
            in_front=timelines.without_end.hold,
        )
    case = Case(
        chooser=chooser,
        snapshot=snapshot,
        feasibility=feasibility,
        topology=timelines.topology,
        stages=stages,
        in_front=timelines.without_end.hold,
    )
    return refuse_together(case)


def held_on(timelines: PlanTimelines, chooser: Chooser, refusal: Refusal) -> Held | None:
    """Choose the node hold of a refused gang.

    Returns None if the gang may not hold nodes, if no nodes would be enough, or if it would still miss its deadline.
    """
    if not isinstance(chooser, PlainChooser) or not _may_change(refusal) or not chooser.gang.may_hold:
        return None
    demand, own = chooser.demand, seen_by(chooser.gang, timelines.by_now)
    held = nodes_to_hold(own, demand, timelines.without_end.of_unknown_end)
    if held is None:
        return None
    held = held._replace(ranks=np.sort(shared_ranks(own, timelines.by_now)[held.ranks]))
    if demand.gang.deadline is None or demand.load is None:
        return held
    shortest = float(demand.load.runs_at(float(own.slowdowns[0])).min())
    return held if held.start + shortest <= demand.gang.deadline else None


def _may_change(refusal: Refusal) -> bool:
    """Return whether the gang may fit once gangs of unknown end have ended."""
    reason = Reason(refusal.reason)
    match reason:
        case Reason.NOT_ENOUGH_ROOM | Reason.WINDOW_TOO_SHORT | Reason.HELD_BY_GANGS_IN_FRONT:
            return True
        case Reason.NO_NODE_FITS | Reason.NO_TIME_FOR_SIZE | Reason.DEADLINE_CANNOT_BE_MET:
            return False
        case Reason.HELD_BY_LASTING_PODS | Reason.NO_DOMAIN_FITS | Reason.NO_ROOM_TOGETHER:
            return False
        case Reason.TOPOLOGIES_CROSS | Reason.TOO_MANY_COMBINATIONS | Reason.CONSTRAINTS_TOO_LONG:
            return False
        case Reason.PLANNING_FAILED:
            return False
        case Reason.HOLDS_NODES | Reason.BEHIND_IN_QUEUE:
            # The engine makes no refusal with one of these reasons.
            return False
        case _:
            assert_never(reason)


def closing(ranks: IntArray, start: float, *, resources: int) -> Claim:
    """Return a claim without resources that closes these nodes from ``start`` on."""
    return Claim(
        ranks=ranks,
        counts=np.ones_like(ranks),
        request=np.zeros(resources, dtype=np.int64),
        start=start,
        finish=np.inf,
        closes=True,
    )
