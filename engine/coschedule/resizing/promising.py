"""The promises to gangs that wait beside gangs whose sizes may change."""

import math
from dataclasses import replace

from coschedule.queue.problem.decisions import Decision, Placement, Plan
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.snapshot import Snapshot

ELASTIC_SLACK = 1.0
"""The slack of a new promise after the planned start, as a part of the run time.

In simulations of whole queues, less slack made many changes impossible, and more slack gained almost nothing.
"""


def loosened(made: Plan, snapshot: Snapshot) -> Plan:
    """Return the plan with the slack ``ELASTIC_SLACK`` in its new promises, if the snapshot's promises have slack.

    The planned starts depend on sizes that will change again. So these promises have more slack than others. Earlier
    promises stay as they are.
    """
    if snapshot.promises is not Promises.SLACK:
        return made
    gangs = {gang.key: gang for gang in snapshot.gangs}
    return replace(made, decisions=tuple(_loosened(one, gangs[one.gang], snapshot.now) for one in made.decisions))


def late_gangs(made: Plan, snapshot: Snapshot) -> frozenset[GangKey]:
    """Return the gangs that the plan does not start by their promise.

    A gang that starts now is not late, even if its promise has passed, since no plan can start it earlier.
    """
    promised = {gang.key: max(gang.promised, snapshot.now) for gang in snapshot.gangs if gang.promised < math.inf}
    return frozenset(
        one.gang
        for one in made.decisions
        if one.gang in promised and not (isinstance(one, Placement) and one.start <= promised[one.gang])
    )


def _loosened(decision: Decision, gang: PendingGang, now: float) -> Decision:
    earlier = {None, gang.promised, gang.starts_after_victims(now)}
    if not isinstance(decision, Placement) or decision.promised in earlier:
        return decision
    return replace(decision, promised=decision.start + ELASTIC_SLACK * (decision.finish - decision.start))
