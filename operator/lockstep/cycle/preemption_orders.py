"""Preemptions that the newest plan has decided, and the gangs that give way by them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from coschedule import Decision, GangKey, Placement, Preemption, SizeChange
from lockstep.api.preemption import Urgent
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.cycle.planning.decided import LastPlan
from lockstep.cycle.resizing.pod_gang_sizes import PodGangShrink
from lockstep.cycle.resizing.size_changes import Changing
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.pods.budget import BudgetFact
from lockstep.snapshot.holders.disruptions import disrupted_by, disruptions
from lockstep.snapshot.holders.pod_gang_runs import priority_of


class EvictionVictim(NamedTuple):
    """A gang to evict, and what it holds."""

    gang: GangFact
    reservation: Reservation


class GangsGivingWay(NamedTuple):
    """GangJobs to evict and to shrink, Gangs whose owner is suspended, and Gangs whose owner gets fewer pods."""

    evicted: list[EvictionVictim]
    shrinking: list[Changing]
    suspended: list[PodGang]
    with_fewer: list[PodGangShrink]

    def priorities(self, state: State) -> Iterator[tuple[GangKey, int | None]]:
        """Each gang with its priority. A Gang has the priority of its pods."""
        gangs = [*(victim.gang for victim in self.evicted), *(changing.gang for changing in self.shrinking)]
        yield from ((gang.key, state.priorities.of(gang)) for gang in gangs)
        fewer = (state.pod_gangs.objects[shrink.one.gang.key] for shrink in self.with_fewer)
        yield from ((gang.key, priority_of(state, gang)) for gang in (*self.suspended, *fewer))

    def disruptions(self, state: State) -> Iterator[Counter[BudgetFact]]:
        """The members of each gang that count against budgets: all, or those that leave while others run."""
        yield from (disruptions(state, *victim) for victim in self.evicted)
        for one in self.suspended:
            yield disrupted_by(state, one.key, state.pod_gangs.group(one.key).going_pods())
        for shrink in self.with_fewer:
            key, stay = shrink.one.gang.key, shrink.following.size
            pods = state.pod_gangs.group(key).going_pods()
            yield disrupted_by(state, key, (pod for pod in pods if pod.group.rank is None or pod.group.rank >= stay))
        for gang, held, _, _, members, _ in self.shrinking:
            staying = replace(held, members=members.members, gapped=members.gapped)
            yield disruptions(state, gang, held, staying=staying if gang.spec.keeps_members else None)


class PreemptionOrder(NamedTuple):
    """A preemption that the newest plan has decided, and where the gang starts after it."""

    preemption: Preemption
    placement: Placement
    decided: LastPlan

    @property
    def pod_gangs(self) -> frozenset[GangKey]:
        """The victims that are Gangs."""
        return frozenset(filter(is_pod_gang, self.preemption.victims))

    @property
    def pod_gang_shrinks(self) -> frozenset[SizeChange]:
        """The shrinks of Gangs."""
        return frozenset(change for change in self.preemption.shrinks if is_pod_gang(change.gang))

    @property
    def reclaimed(self) -> frozenset[GangKey]:
        """The gangs from which the group of this gang takes nodes back."""
        return frozenset(taken.gang for taken in self.preemption.reclaimed)

    @property
    def other_pod_gangs(self) -> Iterator[GangKey]:
        """The running Gangs that are no victims, and that the plan might have chosen instead."""
        running = (one.key for one in self.decided.snapshot.running)
        return (key for key in running if is_pod_gang(key) and key not in self.pod_gangs)

    def urgent(self, gang: GangFact, priority: int, giver: GangKey) -> Urgent:
        """The gang as the urgent one for ``giver``. With ``by_share``, its group takes nodes back from ``giver``."""
        return Urgent(gang.key, gang.uid, priority, by_share=giver in self.reclaimed)


def orders_of(decided: LastPlan | None) -> list[PreemptionOrder]:
    """The preemptions of the plan whose urgent gang has a placement; empty without a plan."""
    if decided is None or not decided.preemptions:
        return []
    decisions: dict[GangKey, Decision] = {one.gang: one for one in decided.plan.decisions}
    planned = [(preemption, decisions.get(preemption.gang)) for preemption in decided.preemptions]
    return [PreemptionOrder(one, placement, decided) for one, placement in planned if isinstance(placement, Placement)]
