"""The plan of a whole queue: each gang in its order gets the best placement that delays nobody in front of it.

A gang may be planned for later when it ends sooner that way. It then claims its nodes from its start to its finish;
gangs behind it may use them before, if they are done by then. So nobody in front is delayed, and nobody behind starves.
"""

from functools import partial

import numpy as np

from coschedule.cluster.choice import Candidate
from coschedule.cluster.dealing import members_of
from coschedule.cluster.decision import Alternative, Decision, Members, Placement, Plan, Reason, Unplaceable
from coschedule.cluster.feasibility import Feasibility
from coschedule.cluster.forecast import foretell
from coschedule.cluster.limits import Limits, limits_of
from coschedule.cluster.order import in_order
from coschedule.cluster.refusal import refuse
from coschedule.cluster.room import Room
from coschedule.cluster.seats import Seats, seat
from coschedule.cluster.snapshot import PendingGang, Snapshot
from coschedule.cluster.timeline import Claim
from coschedule.cluster.wish import Wish, wish_of
from coschedule.trace import Observer, silent

__all__ = ["Alternative", "Decision", "Members", "Placement", "Plan", "Reason", "Unplaceable", "plan"]


def plan(snapshot: Snapshot, *, observer: Observer = silent) -> Plan:
    """Decide where and when every gang of the snapshot runs, most urgent first.

    Guarantees: a plan never takes more than is free at any instant, nor a node outside its window; a gang is placed
    whole or not at all; a decision depends only on the gangs in front; every gang that can ever fit on these facts gets
    a placement. The same snapshot gives the same plan, whatever the order of its gangs.
    """
    gangs = in_order(snapshot.gangs)
    feasibility = Feasibility(snapshot.nodes)
    planner = _Planner(snapshot, feasibility, observer)
    decisions = []
    for gang in gangs:
        decision = planner.decide(gang)
        observer.decided(gang, decision)
        decisions.append(decision)
    return Plan(generation=snapshot.generation, decisions=tuple(decisions))


class _Planner:
    """The state of one plan: what is still free when, after the gangs decided so far."""

    def __init__(self, snapshot: Snapshot, feasibility: Feasibility, observer: Observer) -> None:
        self._snapshot = snapshot
        self._observer = observer
        self._feasibility = feasibility
        masks = {gang.constraints: feasibility.mask(gang.constraints) for gang in snapshot.gangs}
        self._at_first = self._timeline = foretell(snapshot, list(masks.values()))

    def decide(self, gang: PendingGang) -> Decision:
        """Decide on the next gang, and claim what it gets."""
        passes = self._feasibility.mask(gang.constraints)
        wish = wish_of(gang, passes, partial(self._observer.considered, gang))
        outlook = wish.outlook(self._timeline)
        chosen = wish.best(outlook)
        if chosen is None:
            return self._refuse(wish)
        seats = self._seat(outlook.room, chosen)
        limits = limits_of(self._timeline, outlook.room, seats, chosen.start)
        placement = self._placement(wish, chosen, seats, limits, wish.alternative(outlook, chosen))
        self._timeline = self._timeline.claimed(
            Claim(
                ranks=seats.ranks,
                counts=seats.counts,
                request=wish.request,
                start=chosen.start,
                finish=chosen.finish,
            )
        )
        return placement

    def _seat(self, room: Room, chosen: Candidate) -> Seats:
        finish, size, start, pace = chosen
        return seat(self._timeline, room, size=size, start=start, finish=finish, pace=pace)

    def _refuse(self, wish: Wish) -> Unplaceable:
        return refuse(
            wish,
            snapshot=self._snapshot,
            feasibility=self._feasibility,
            at_first=self._at_first,
            by_now=self._timeline,
        )

    def _placement(
        self, wish: Wish, chosen: Candidate, seats: Seats, limits: Limits, other: Candidate | None
    ) -> Placement:
        return Placement(
            gang=wish.gang.key,
            size=chosen.size,
            start=chosen.start,
            finish=chosen.finish,
            speedup=self._speedup(wish, chosen),
            members=self._members(wish, seats),
            slowest=self._name(limits.slowest),
            latest=None if limits.latest is None else self._name(limits.latest),
            alternative=None if other is None else self._alternative(wish, other),
        )

    def _members(self, wish: Wish, seats: Seats) -> tuple[Members, ...]:
        nodes = self._timeline.node[seats.ranks]
        by_name = np.argsort(nodes)
        nodes = nodes[by_name]
        names = tuple(self._snapshot.nodes.names[node] for node in nodes.tolist())
        return members_of(wish.gang, names, seats.counts[by_name], self._snapshot.slowdown[nodes])

    def _name(self, rank: int) -> str:
        return self._snapshot.nodes.names[int(self._timeline.node[rank])]

    def _alternative(self, wish: Wish, candidate: Candidate) -> Alternative:
        return Alternative(
            size=candidate.size,
            start=candidate.start,
            finish=candidate.finish,
            speedup=self._speedup(wish, candidate),
        )

    def _speedup(self, wish: Wish, candidate: Candidate) -> float | None:
        if wish.serial is None:
            return None
        return wish.serial / (candidate.finish - self._snapshot.now)
