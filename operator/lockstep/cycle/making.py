"""One plan, made on frozen facts: in a thread beside the event loop."""

import logging
from typing import NamedTuple

from coschedule import Plan, Preempting, Preemption, Snapshot, plan, preempt
from lockstep.belief.snapshots import Rescue
from lockstep.cycle.memory import Memory

log = logging.getLogger(__name__)


class Made(NamedTuple):
    """What was planned, and on what."""

    snapshot: Snapshot
    plan: Plan
    preemptions: tuple[Preemption, ...]


def make_plan(facts: Snapshot, memory: Memory, rescue: Rescue) -> Made:
    """Make the plan, and choose who gives way in it."""
    snapshot = memory.remembered_by(facts)
    made, preemptions = with_evictions(snapshot, plan(snapshot, rescue=rescue), rescue)
    memory.note(snapshot, made)
    return Made(snapshot, made, preemptions)


def with_evictions(snapshot: Snapshot, made: Plan, rescue: Rescue) -> Preempting:
    """Choose who gives way in a plan; where nobody can tell, nobody does."""
    try:
        return preempt(snapshot, made, rescue=rescue)
    except Exception:
        log.exception("whom to evict for more urgent gangs can't be told")
        return Preempting(made, ())
