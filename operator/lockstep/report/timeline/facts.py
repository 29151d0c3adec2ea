"""The facts of the timeline at one moment: copies of tables with immutable entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import NamedTuple

from coschedule import Decision, GangKey, Members, Placement
from lockstep.api.pool import Pool
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.cluster.node import BidFact, NodeFact
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import PodFact, Request
from lockstep.snapshot.holders.endings import expected_end, expected_finish, gone_by
from lockstep.snapshot.holders.leaving import leaving_members
from lockstep.snapshot.holders.pod_gang_releases import pod_gang_end

_PAST_SECONDS = 3600.0


class Step(NamedTuple):
    """The ``members`` that a gang has from ``at`` on, until ``end``; None if the end is unknown."""

    at: float
    members: Sequence[Members]
    end: float | None


class Held(NamedTuple):
    """The reservation of a gang with the ``members`` that exist, and its expected end; None if unknown.

    If its members are about to change, ``step`` has the members after the change. A present member ends by the time of
    the step, or goes on after it.
    """

    reservation: Reservation
    members: Sequence[Members]
    end: float | None
    step: Step | None = None

    @property
    def finish(self) -> float | None:
        """The end of the gang, after its step if it has one; None if unknown."""
        return self.end if self.step is None else self.step.end


class PodsOnNodes(NamedTuple):
    """The pods of a Gang without a reservation: their number by node and request, and their expected end, if known.

    ``joining`` has the pods that join them by the plan.
    """

    start: float
    taken: Mapping[tuple[str, Request], int]
    end: float | None
    joining: Placement | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineFacts:
    """Nodes with their bids, gangs with their reservations or running pods, and the decisions of the last plan.

    ``opens`` has the nodes that open at a known time. Times are seconds since the epoch. Gangs that ended before
    ``ended_since`` get no bar.
    """

    nodes: Mapping[str, NodeFact]
    bids: Mapping[str, BidFact]
    opens: Mapping[str, float]
    pool: Pool
    gangs: Mapping[GangKey, GangFact]
    held: Mapping[GangKey, Held]
    running: Mapping[GangKey, PodsOnNodes]
    decisions: Sequence[Decision]
    ended_since: float = float("inf")

    def waits(self, key: GangKey) -> bool:
        """Whether the gang exists, wants nodes and has none."""
        gang = self.gangs.get(key)
        if gang is None or key in self.held or key in self.running or gang.is_deleting or gang.policies.is_suspended:
            return False
        if isinstance(gang, AcceptedGang) and gang.spec.lacks_pods:
            return False
        return gang.status.end is None

    @property
    def next_overrun(self) -> float:
        """The earliest expected end, at which the facts must be computed again; infinity if no end is expected."""
        of_held = (end for held in self.held.values() for end in (held.end, held.finish))
        ends = chain(of_held, (pods.end for pods in self.running.values()))
        return min((end for end in ends if end is not None), default=float("inf"))


def freeze(state: State, decisions: Sequence[Decision], *, planned_at: float, now: float) -> TimelineFacts:
    """Copy the facts. ``decisions`` are the decisions of the last plan, which was made at ``planned_at``."""
    ends = _Ends(state, planned_at, now)
    # While members of the present size exist, the gang is shown where they are.
    following = {one.gang: Held(one, one.members, ends.of_next(one)) for one in state.counts.next_sizes}
    planned = {one.gang: one for one in decisions if isinstance(one, Placement)}
    pod_gangs = [gang for key, gang in state.pod_gangs.objects.items() if key not in state.reservations]
    return TimelineFacts(
        nodes=dict(state.nodes),
        bids=dict(state.bids),
        opens={name: opens for name in state.nodes if isfinite(opens := state.owners.opens_at(name))},
        pool=state.pool,
        gangs=dict(state.gangs),
        held={**following, **{key: _held(state, one, ends) for key, one in state.reservations.items()}},
        running={
            gang.key: _pods_on_nodes(state, gang, planned.get(gang.key), ends)
            for gang in pod_gangs
            if state.pod_gangs.group(gang.key).going
        },
        decisions=decisions,
        ended_since=now - _PAST_SECONDS,
    )


class _Ends(NamedTuple):
    """Computes expected ends as they were in the plan that was made at ``planned_at``.

    If an end has passed by ``now``, it is computed again from ``now``.
    """

    state: State
    planned_at: float
    now: float

    def of(self, reservation: Reservation) -> float | None:
        """The expected time at which a gang releases its reservation; None if unknown."""
        end = expected_end(self.state, reservation, self.planned_at)
        return end if end is None or end > self.now else expected_end(self.state, reservation, self.now)

    def of_next(self, following: Reservation) -> float | None:
        """The expected end of a gang at its next size; None if unknown."""
        end = expected_finish(following, self.planned_at)
        return end if end is None or end > self.now else expected_finish(following, self.now)

    def of_pods(self, status: GangStatus) -> float | None:
        """The expected end of the pods of a Gang; None if unknown."""
        end = pod_gang_end(status, self.planned_at)
        return end if end is None or end > self.now else pod_gang_end(status, self.now)

    def of_leaving(self, gang: GangFact, pods: Sequence[PodFact]) -> float:
        """The time at which the last of these members has left the gang."""
        end = max(gone_by(pod, gang, self.planned_at) for pod in pods)
        return end if end > self.now else max(gone_by(pod, gang, self.now) for pod in pods)


def _held(state: State, one: Reservation, ends: _Ends) -> Held:
    gang, following, end = state.gangs.get(one.gang), state.counts.next_sizes.of(one.gang), ends.of(one)
    if following is not None and end is not None:
        return Held(one, one.members, end, Step(end, following.members, ends.of_next(following)))
    if not isinstance(gang, AcceptedGang) or not gang.spec.keeps_members:
        return Held(one, one.members, end)
    joining, leaving = gang.status.joining_size, leaving_members(state, one)
    if one.joining and joining is not None:
        return Held(one, one.without_newcomers.members, end, Step(joining.decided_at, one.members, end))
    if not leaving:
        return Held(one, one.members, end)
    there = (*one.members, *(Members(pod.node, 1) for pod in leaving))
    return Held(one, there, end, Step(ends.of_leaving(gang, leaving), one.members, end))


def _pods_on_nodes(state: State, gang: PodGang, planned: Placement | None, ends: _Ends) -> PodsOnNodes:
    status, seen = gang.status, state.gangs.get(gang.key)
    waits = isinstance(seen, AcceptedGang) and not seen.spec.awaits_pods
    return PodsOnNodes(
        start=gang.created if status.start is None else status.start,
        taken=dict(state.pod_gangs.group(gang.key).held.taken),
        end=ends.of_pods(status),
        joining=planned if waits else None,
    )
