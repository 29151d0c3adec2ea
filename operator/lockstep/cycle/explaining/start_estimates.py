"""Estimates for gangs with a later start: the start, the gang or node that they wait for, and why the plan changed."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from coschedule import Decision, GangKey, Members, Placement
from lockstep.belief.state import State
from lockstep.cycle.explaining.giving import giving_gangs
from lockstep.cycle.planning.decided import LastPlan
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_room, seen_from
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS, NodeKind, PlanChange, StartEstimate, is_same_time
from lockstep.facts.reasons import Condition
from lockstep.report.text.sentences import room_held, room_opens
from lockstep.snapshot.holders.endings import expected_end

_MOST_KINDS = 16
# A reason in a status that is not in this set was written by another version of the operator. It is neither repeated
# nor counted.
_REASONS = frozenset(PlanChange)
# Creation times are in whole seconds, rounded down.
_CREATED_SECONDS = 1.0


class _Use(NamedTuple):
    """A gang with its members, and the time until which it is expected to use their nodes."""

    end: float
    gang: GangKey
    members: tuple[Members, ...]


class StartEstimates:
    """The start estimates of one plan."""

    def __init__(self, state: State, decided: LastPlan) -> None:
        self._state = state
        self._now = decided.snapshot.now
        self._nodes = decided.snapshot.nodes.index
        self._snapshot = decided.snapshot
        later = [one for one in decided.plan.decisions if isinstance(one, Placement) and not decided.is_due(one)]
        self.narrowing = decided.narrowing
        self._starts = sorted(one.start for one in later if not is_room(one.gang))
        self._later = later
        self._giving = giving_gangs(state, decided)
        self._is_overrun = any(
            one.expected_finish is not None and one.expected_finish < self._now for one in state.reservations.values()
        )

    def of(self, gang: GangFact, placement: Placement) -> StartEstimate:
        """The gang's start estimate, for ``status.plan``."""
        promised, forecasts = placement.promised, self._state.forecasts
        likely, late = forecasts.forecast(
            gang.uid, since=self._planned_since(gang), now=self._now, planned=placement.start, promised=promised
        )
        estimate = replace(self._planned(gang, placement), likely_start=likely, late_start=late)
        before = gang.status.plan
        if before is None or before.changed_because not in _REASONS or not estimate.promises_the_same_as(before):
            return estimate
        return replace(estimate, changed_at=before.changed_at, changed_because=before.changed_because)

    def _planned(self, gang: GangFact, placement: Placement) -> StartEstimate:
        """The estimate if the gang starts as planned."""
        return StartEstimate(
            likely_start=placement.start,
            late_start=None,
            promised_start=placement.promised,
            expected_finish=placement.finish if placement.finish < math.inf else None,
            size=placement.size,
            kinds=self._kinds(placement.members),
            position=1 + bisect_left(self._starts, placement.start),
            waits_for=self._waits_for(placement),
            changed_at=self._now,
            changed_because=self.why_changed(gang, placement),
        )

    def of_ahead(self, gang: GangFact, placement: Placement) -> StartEstimate:
        """The estimate for a gang that waits for others.

        The gang's condition names these others. The estimate uses no forecast, and forecasts do not learn from it.
        """
        before = gang.status.plan
        is_first = before is None or before.changed_because not in _REASONS
        why = PlanChange.FIRST_PLANNED if is_first else PlanChange.QUEUE_CHANGED
        return replace(self._planned(gang, placement), waits_for="", changed_because=why)

    def givers(self, decision: Decision) -> list[GangKey]:
        """The gangs that change their size and give up seats for which this gang waits."""
        if not isinstance(decision, Placement):
            return []
        return sorted(giving.gang for giving in self._giving if giving.is_awaited_by(decision))

    def awaits_an_end(self, placement: Placement) -> bool:
        """Whether the gang is planned to start when a gang that holds nodes ends.

        It then starts when that gang really ends.
        """
        return placement.start in self._ends and all(
            self._opens(entry.node) < placement.start for entry in placement.members
        )

    def _planned_since(self, gang: GangFact) -> float:
        """The time since which the gang has always had a planned start; now if it has none."""
        planned = gang.status.condition(Condition.PLANNED)
        return (
            min(planned.last_transition, self._now) if planned is not None and planned.status == "True" else self._now
        )

    @cached_property
    def _ends(self) -> frozenset[float]:
        """The expected ends of gangs that hold nodes, as in the plan."""
        idle = frozenset(self._snapshot.left_idle)
        return frozenset(release.time for release in self._snapshot.releases if release not in idle)

    @cached_property
    def _uses(self) -> list[_Use]:
        """Expected uses of nodes, sorted by their ends. They are computed on demand: most plans change no estimate."""
        held = [(expected_end(self._state, one, self._now), one) for one in self._state.reservations.values()]
        uses = [_Use(end, one.gang, one.members) for end, one in held if end is not None]
        return sorted([*uses, *(_Use(one.finish, one.gang, one.members) for one in self._later)], key=_by_end)

    def _kinds(self, members: Iterable[Members]) -> tuple[NodeKind, ...]:
        """The number of members by speed of node: the fastest first, at most 16 kinds."""
        speeds: Counter[str] = Counter()
        for entry in members:
            speeds[self._speed(entry.node)] += entry.count
        fastest_first = sorted(speeds.items(), key=lambda kind: -float(kind[0]))
        return tuple(NodeKind(*kind) for kind in fastest_first[:_MOST_KINDS])

    def _speed(self, node: str) -> str:
        return f"{1 / float(self._snapshot.slowdown[self._nodes[node]]):.2g}"

    def _waits_for(self, placement: Placement) -> str:
        """A clause about what the gang waits for; '' if it waits for nothing.

        It names a gang that gives up seats, else the gang whose end frees the last room, else the node that opens last.
        Gangs that give up seats come first, because they are not expected to end before the start.
        """
        giving = next((one for one in self._giving if one.is_awaited_by(placement)), None)
        if giving is not None:
            held = [entry for entry in placement.members if entry.node in giving.nodes]
            return room_held(self._kinds(held), seen_from(placement.gang.namespace, giving.gang), placement.start)
        nodes = {entry.node for entry in placement.members}
        last = next((use for use in self._ending_by(placement) if any(it.node in nodes for it in use.members)), None)
        if last is not None:
            theirs = {entry.node for entry in last.members}
            held = [entry for entry in placement.members if entry.node in theirs]
            return room_held(self._kinds(held), seen_from(placement.gang.namespace, last.gang), last.end)
        latest = max((entry.node for entry in placement.members), key=self._opens)
        return room_opens(latest, self._opens(latest)) if self._opens(latest) > self._now else ""

    def _opens(self, node: str) -> float:
        return float(self._snapshot.start[self._nodes[node]])

    def _ending_by(self, placement: Placement) -> Iterator[_Use]:
        """Uses by other gangs that end by the start, the latest end first.

        The first one is usually on a needed node.
        """
        soon_enough = bisect_right(self._uses, placement.start + SAME_TIME_SECONDS, key=attrgetter("end"))
        for number in range(soon_enough - 1, -1, -1):
            use = self._uses[number]
            if use.end <= self._now:
                return
            if use.gang != placement.gang:
                yield use

    def why_changed(self, gang: GangFact, decision: Decision) -> PlanChange:
        """The first reason that applies for a change of the gang's plan, or for a withdrawn start."""
        before = gang.status.plan
        if before is None:
            return PlanChange.FIRST_PLANNED
        planned = gang.status.condition(Condition.PLANNED)
        reported = gang.status.start
        start = decision.start if isinstance(decision, Placement) else math.inf
        is_later = reported is not None and start > reported + SAME_TIME_SECONDS
        has_passed = before.likely_start + SAME_TIME_SECONDS <= self._now
        nodes = gang.status.members
        holds: Mapping[PlanChange, Callable[[], bool]] = {
            PlanChange.GANG_CHANGED: lambda: planned is not None and planned.observed_generation != gang.generation,
            PlanChange.NODES_LOST: lambda: not all(self._is_there(entry.node) for entry in nodes),
            PlanChange.NODES_CHANGED: lambda: self._kinds(nodes) != before.kinds,
            PlanChange.OVERRUN: lambda: is_later and self._is_overrun,
            PlanChange.MORE_URGENT: lambda: is_later and self._more_urgent_since(before.changed_at, gang),
            PlanChange.LIKELY_START_PASSED: lambda: has_passed and is_same_time(reported, start),
        }
        return next((reason for reason, is_so in holds.items() if is_so()), PlanChange.QUEUE_CHANGED)

    def _is_there(self, node: str) -> bool:
        index, nodes = self._nodes.get(node), self._snapshot.nodes
        return index is not None and bool(nodes.ready[index] and not nodes.unschedulable[index])

    def _more_urgent_since(self, time: float, gang: GangFact) -> bool:
        own = self._state.priorities.of(gang) or 0
        return any(one.priority > own and one.created > time - _CREATED_SECONDS for one in self._snapshot.gangs)


def _by_end(use: _Use) -> tuple[float, GangKey]:
    return use.end, use.gang
