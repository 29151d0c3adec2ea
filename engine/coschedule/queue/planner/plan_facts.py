"""What all decisions of one plan share: the snapshot, and what is computed from it once. No decision changes it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from coschedule.model.numbers import BoolArray
from coschedule.queue.choosing.choice import Choice
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.feasible.topology import Topology
from coschedule.queue.keeping.kept_choice import kept_choice
from coschedule.queue.keeping.kept_places import Place, place_of
from coschedule.queue.owners.choosing import loss_of
from coschedule.queue.owners.hazards import Hazards, hazards_of
from coschedule.queue.owners.safer import RISKS, with_safer
from coschedule.queue.planner.after_all_ends import AtLast, emptied
from coschedule.queue.planner.claimed import Claimed
from coschedule.queue.planner.empty_nodes import EmptyNodes
from coschedule.queue.planner.placing import Placing
from coschedule.queue.planner.unplaced import PlanTimelines
from coschedule.queue.planner.windows_and_releases import expected_timeline
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.slots.kept import stretches_for
from coschedule.queue.slots.open_slots import slots_now
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanFacts:
    """The snapshot of a plan, and what follows from the snapshot alone.

    ``at_first`` is the timeline without any waiting gang. ``at_last`` has the resources that are free once everything
    with a known end has ended. ``empty_nodes`` are the nodes with nothing on them. ``hazards`` is None where no node
    owner is expected back.
    """

    snapshot: Snapshot
    feasibility: Feasibility
    topology: Topology
    hazards: Hazards | None
    at_first: Timeline
    at_last: AtLast
    empty_nodes: EmptyNodes
    placing: Placing

    def find_slots(self, gangs: Iterable[PendingGang], timeline: Timeline) -> None:
        """Cache the slots of gangs on a timeline; timelines that are made from it compute changed slots only."""
        for gang in gangs:
            for role in gang.roles:
                request = np.array(role.request, dtype=np.int64)
                stretches_for(timeline, request, self.feasibility.mask(role.constraints))

    def may_fit_now(self, gang: PendingGang, timeline: Timeline) -> bool:
        """Return whether there are slots now for the fewest members of each role, however soon they end."""
        return gang.not_before <= self.snapshot.now and all(
            slots_now(timeline, np.array(role.request, dtype=np.int64), self.feasibility.mask(role.constraints))
            >= role.sizes.least
            for role in gang.roles
        )

    def kept_place(self, gang: PendingGang, timeline: Timeline) -> Place | None:
        """Return the place that a gang keeps from the previous plan, with or without room for it; None if it has none.

        If a node owner may come back during the run, the gang keeps no place and is planned again.
        """
        choice = kept_choice(gang, timeline, self.feasibility, self.topology, self.placing.rank_of)
        return None if choice is None or self._is_at_risk(gang, choice, timeline) else place_of(gang, choice)

    def timelines(self, claimed: Claimed) -> PlanTimelines:
        """Return the timelines of the plan after these claims."""
        return PlanTimelines(
            snapshot=self.snapshot,
            feasibility=self.feasibility,
            topology=self.topology,
            at_first=self.at_first,
            by_now=claimed.timeline,
            at_last=self.at_last,
            without_end=claimed.without_end,
        )

    def _is_at_risk(self, gang: PendingGang, choice: Choice, timeline: Timeline) -> bool:
        return self.hazards is not None and loss_of(choice, gang, timeline, self.hazards).probability > 0


def plan_facts(snapshot: Snapshot, feasibility: Feasibility, masks: Sequence[BoolArray]) -> PlanFacts:
    """Compute the facts of a plan; ``masks``, bool[n], are those of all constraints of its gangs."""
    topology, hazards = Topology(snapshot.nodes), hazards_of(snapshot.forecasts)
    expected = partial(_expected, masks=masks, hazards=hazards, risks=_risks(snapshot))
    at_first = expected(snapshot)
    return PlanFacts(
        snapshot=snapshot,
        feasibility=feasibility,
        topology=topology,
        hazards=hazards,
        at_first=at_first,
        at_last=AtLast(snapshot, masks),
        # The function must not refer to a planner, which refers to these facts. Only the garbage collector frees such a
        # cycle of references, maybe hours later.
        empty_nodes=EmptyNodes(lambda: expected(emptied(snapshot)), feasibility, topology),
        placing=Placing(snapshot, at_first.node, np.argsort(at_first.node), hazards),
    )


def _expected(
    snapshot: Snapshot, *, masks: Sequence[BoolArray], hazards: Hazards | None, risks: Sequence[float]
) -> Timeline:
    """Build the timeline without waiting gangs, with a safer timeline for each of the risks."""
    return with_safer(expected_timeline(snapshot, masks), hazards, risks=risks)


def _risks(snapshot: Snapshot) -> Sequence[float]:
    """Return the risks that some gang of the snapshot may take."""
    some_may = any(gang.interruptible is not Interruptible.NEVER for gang in snapshot.gangs)
    return RISKS if some_may else RISKS[:1]
