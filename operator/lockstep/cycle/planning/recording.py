"""Records the decisions of a plan, and adds ranks and pools to them.

A plan only counts members by node, and may divide roles into parts. Here, ranks are assigned to nodes by their volumes.
"""

import logging
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from coschedule import Decision, GangKey, OfRole, Plan, Unplaceable
from lockstep.belief.state import State
from lockstep.belief.volumes.kept_volumes import kept_places
from lockstep.cycle.clockwork.turns import in_turns
from lockstep.cycle.planning.estimates import estimates
from lockstep.cycle.planning.holds import Holds
from lockstep.cycle.planning.plan_thread import Runner
from lockstep.cycle.planning.quarantine import Quarantine
from lockstep.cycle.planning.rotation import Rotation
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.keys import gang_of_room
from lockstep.logs.fields import about
from lockstep.report.text.operator_refusals import VolumesElsewhere, in_pool
from lockstep.snapshot.volumes.rank_order import ordered_by_rank
from lockstep.snapshot.volumes.role_parts import whole_role, without_parts

log = logging.getLogger(__name__)


class DecisionRecords:
    """Records decisions for the next plans and for reports; a gang that raises is quarantined."""

    def __init__(
        self,
        state: State,
        rotation: Rotation,
        holds: Holds,
        quarantine: Quarantine,
        *,
        monotonic: Callable[[], float],
        run: Runner,
    ) -> None:
        self._state = state
        self._rotation = rotation
        self._holds = holds
        self._quarantine = quarantine
        self._monotonic = monotonic
        self._run = run

    async def record(
        self, made: Plan, planned: Mapping[GangKey, AcceptedGang], front: Collection[GangKey], now: float
    ) -> list[Decision]:
        """Record the decisions about these gangs. Returns the decisions that apply, with mentions of pools and holds.

        A later start applies only to gangs in ``front``, which are in every plan.
        """
        recorded = await in_turns(self._recording(made, planned, now))
        return [one for one in recorded if one.gang in front or isinstance(one, Unplaceable) or one.start <= now]

    async def estimate_others(
        self, waiting: Sequence[AcceptedGang], left: Sequence[AcceptedGang], in_front: Sequence[Decision], now: float
    ) -> list[Decision]:
        """The decisions about gangs in ``left``: they are quarantined, or behind the gangs of ``in_front``.

        A gang that was refused has none: it keeps its refusal until its turn comes again.
        """
        quarantined = [self._quarantine.decision(gang.key) for gang in left if self._quarantine.contains(gang)]
        rest = [gang for gang in left if not (self._quarantine.contains(gang) or self._rotation.was_refused(gang))]
        if not rest:
            return [*quarantined]
        behind = await self._run(partial(estimates, waiting, rest, in_front, now, self._state.past_runs.in_force))
        return [*behind, *quarantined]

    def _recording(
        self, made: Plan, planned: Mapping[GangKey, AcceptedGang], now: float
    ) -> Generator[None, None, list[Decision]]:
        recorded: list[Decision] = []
        for one in made.decisions:
            yield
            gang, decision = planned[one.gang], with_pool(self._state, one)
            try:
                recorded.append(self._recorded(gang, decision, now))
            except Exception as error:
                log.exception("the gang's part of the snapshot can't be computed", extra=about(gang.key))
                self._quarantine.put(gang, error)
        return recorded

    def _recorded(self, gang: AcceptedGang, decision: Decision, now: float) -> Decision:
        if gang.spec.is_room and gang_of_room(gang.key) in self._state.gangs:
            self._rotation.record(gang, decision)
        if gang.key not in self._state.gangs:
            # The gang was deleted while the plan was made. A record of it would never be dropped.
            return decision
        decision = in_rank_order(self._state, gang, decision)
        self._rotation.record(gang, decision)
        return self._holds.record(gang, decision, self._monotonic(), of_day=now)


def with_pool(state: State, decision: Decision) -> Decision:
    """The decision. A refusal mentions the pool if the operator uses only some nodes."""
    if isinstance(decision, Unplaceable) and state.pool.selector:
        return replace(decision, refusal=in_pool(decision.refusal))
    return decision


def in_rank_order(state: State, gang: GangFact, decision: Decision) -> Decision:
    """The decision with members in rank order and roles undivided; unchanged for gangs without claim templates.

    A placement becomes a refusal if its nodes can't be given to ranks because of existing volumes.
    """
    if not isinstance(gang, AcceptedGang) or not any(role.claim_templates for role in gang.spec.roles):
        return decision
    if isinstance(decision, Unplaceable):
        return _of_whole_role(decision)
    members = ordered_by_rank(without_parts(decision.members), kept_places(state.claims, gang))
    if members is None:
        return Unplaceable(gang=gang.key, refusal=VolumesElsewhere(size=decision.size))
    return replace(decision, members=members)


def _of_whole_role(decision: Unplaceable) -> Unplaceable:
    """The refusal with the name of the role as in the spec."""
    refusal = decision.refusal
    if not isinstance(refusal, OfRole):
        return decision
    role = whole_role(refusal.role)
    return replace(decision, refusal=replace(refusal, role=role) if role else refusal.refusal)
