"""Repeats a finished plan up to one gang."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from coschedule.queue.planner.observer import silent
from coschedule.queue.planner.planner import Planner
from coschedule.queue.planner.turn import Turn
from coschedule.queue.problem.decisions import Decision, Placement, Plan
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.snapshot import Snapshot


def turn_of(snapshot: Snapshot, made: Plan, gang: GangKey) -> Turn:
    """Return the turn of a gang, with the timelines for it, in the plan that ``plan`` has made of the snapshot.

    If the plan has broken the promise of the gang, the turn has no promise. Raises KeyError where the plan has no such
    gang.
    """
    gangs = {one.key: one for one in snapshot.gangs}
    planner = Planner(snapshot, silent, None)
    for decision in before(snapshot, made, gang):
        planner.follow(gangs[decision.gang], decision)
    return planner.turn(_as_planned(gangs[gang], decision_of(made, gang)))


def decision_of(made: Plan, gang: GangKey) -> Decision:
    """Return the decision on a gang; raises KeyError where there is none."""
    return {decision.gang: decision for decision in made.decisions}[gang]


def before(snapshot: Snapshot, made: Plan, gang: GangKey) -> Iterator[Decision]:
    """List the decisions that were made before the one on ``gang``, and that keep nodes from this gang."""
    gangs = {one.key: one for one in snapshot.gangs}
    first_to_wait: dict[int, GangKey] = {}
    for decision in made.decisions:
        if decision.gang == gang:
            return
        waits = isinstance(decision, Placement) and decision.start > snapshot.now
        if waits:
            first_to_wait.setdefault(gangs[decision.gang].priority, decision.gang)
        if _stands(decision, snapshot.promises, waits=waits, is_first=decision.gang in first_to_wait.values()):
            yield decision


def _stands(decision: Decision, promises: Promises, *, waits: bool, is_first: bool) -> bool:
    """Return whether a decision keeps its nodes from gangs behind it; that depends on the kind of promises."""
    match promises:
        case Promises.EASY:
            return is_first or not waits
        case Promises.NONE:
            return isinstance(decision, Placement) and not waits
        case Promises.SLACK | Promises.CONSERVATIVE:
            return True
        case _:
            assert_never(promises)


def _as_planned(gang: PendingGang, decision: Decision) -> PendingGang:
    is_kept = isinstance(decision, Placement) and decision.start <= gang.promised
    return gang if is_kept else replace(gang, promised=math.inf)
