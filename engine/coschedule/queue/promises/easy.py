"""EASY backfilling (D. A. Lifka, 1995): only the first gang that has to wait keeps others from its nodes.

The other waiting gangs get a planned start too, but any gang that fits earlier may delay them. The gang with the
promise stays the first, also if a gang comes that is older or has an earlier turn.
"""

from collections.abc import Sequence
from dataclasses import replace

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Decision, Placement
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.promises.planned import Planned, with_promise


def plan_easy(planner: Planner, gangs: Sequence[PendingGang]) -> Planned:
    """Plan gangs of one priority, given in the order of the queue."""
    decisions: list[Decision] = []
    is_first = True
    turns = planner.charged.turns_after_promises(gangs)
    for gang in turns:
        trial = planner.fork()
        decision = trial.decide(replace(gang, promised=gang.promised if is_first else float("inf")))
        waits = isinstance(decision, Placement) and decision.start > planner.now
        if is_first or not waits:
            planner = trial
        decisions.append(with_promise(decision, gang, slack=0.0) if waits and is_first else decision)
        is_first = is_first and not waits
        turns.charge_for(gang, decision)
    return Planned(planner, decisions)
