"""Without promises: gangs that fit now start, in the order of the queue, and large gangs may wait for ever.

No gang keeps nodes free for itself.
"""

from collections.abc import Sequence
from dataclasses import replace

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Decision, Placement, Unplaceable
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.promises.planned import Planned


def plan_without_promises(planner: Planner, gangs: Sequence[PendingGang]) -> Planned:
    """Plan gangs of one priority, given in the order of the queue."""
    decisions: list[Decision] = []
    turns = planner.charged.turns(gangs)
    for gang in turns:
        trial = planner.fork()
        decision = trial.decide(gang)
        if isinstance(decision, Placement) and decision.start <= planner.now:
            planner = trial
        decisions.append(_without_hold(decision))
        turns.charge_for(gang, decision)
    return Planned(planner, decisions)


def _without_hold(decision: Decision) -> Decision:
    """Return the decision without a node hold, since gangs behind it may start on these nodes anyway."""
    return replace(decision, hold=None) if isinstance(decision, Unplaceable) else decision
