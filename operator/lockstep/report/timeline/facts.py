"""The facts of the timeline at one moment: copies of tables with immutable entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from coschedule import Decision, GangKey, Members
from lockstep.api.pool import Pool
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.cluster.node import BidFact, NodeFact
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.pod import PodFact
from lockstep.snapshot.holders.endings import expected_end, expected_finish, gone_by
from lockstep.snapshot.holders.leaving import leaving_members

_PAST_SECONDS = 3600.0


class Step(NamedTuple):
    """The ``members`` that a gang has from ``at`` on, until ``end``; None if the end is unknown."""

    at: float
    members: Sequence[Members]
    end: float | None


class Held(NamedTuple):
    """The reservation of a gang with the ``members`` that exist, and its expected end; None if unknown.

    If its members change, ``step`` has the next members. The present members then end by the step, or run on.
    """

    reservation: Reservation
    members: Sequence[Members]
    end: float | None
    step: Step | None = None

    @property
    def finish(self) -> float | None:
        """The end of the gang, after its step if it has one; None if unknown."""
        return self.end if self.step is None else self.step.end


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineFacts:
    """Nodes with their bids, gangs with their reservations, and the decisions of the last plan.

    ``opens`` has the nodes that open at a known time. Times are seconds since the epoch. Gangs that ended before
    ``ended_since`` get no bar.
    """

    nodes: Mapping[str, NodeFact]
    bids: Mapping[str, BidFact]
    opens: Mapping[str, float]
    pool: Pool
    gangs: Mapping[GangKey, GangFact]
    held: Mapping[GangKey, Held]
    decisions: Sequence[Decision]
    ended_since: float = float("inf")

    def waits(self, key: GangKey) -> bool:
        """Whether the gang exists, wants nodes and has none."""
        gang = self.gangs.get(key)
        if gang is None or key in self.held or gang.is_deleting or gang.policies.is_suspended:
            return False
        return gang.status.end is None

    @property
    def next_overrun(self) -> float:
        """The earliest expected end. The facts must be computed again at this time; infinity if there is none."""
        ends = (end for held in self.held.values() for end in (held.end, held.finish))
        return min((end for end in ends if end is not None), default=float("inf"))


def freeze(state: State, decisions: Sequence[Decision], *, planned_at: float, now: float) -> TimelineFacts:
    """Copy the facts. ``decisions`` are the decisions of the last plan, which was made at ``planned_at``."""
    ends = _Ends(state, planned_at, now)
    # While members of the present size exist, the gang is shown where they are.
    following = {one.gang: Held(one, one.members, ends.of_next(one)) for one in state.counts.next_sizes}
    return TimelineFacts(
        nodes=dict(state.nodes),
        bids=dict(state.bids),
        opens={name: opens for name in state.nodes if isfinite(opens := state.owners.opens_at(name))},
        pool=state.pool,
        gangs=dict(state.gangs),
        held={**following, **{key: _held(state, one, ends) for key, one in state.reservations.items()}},
        decisions=decisions,
        ended_since=now - _PAST_SECONDS,
    )


class _Ends(NamedTuple):
    """The ends that the plan made at ``planned_at`` used. An end that has passed by ``now`` is computed again."""

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
