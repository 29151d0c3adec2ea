"""The rules of plans that answers need, made from the operator's options."""

from collections.abc import Collection
from dataclasses import dataclass

from coschedule import Promises
from coschedule import Reason as PlanReason
from lockstep.belief.state import State
from lockstep.cycle.planning.holds import HoldPolicy
from lockstep.cycle.planning.sizing import Contention, SizingPolicy, number_waiting
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.reasons import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRules:
    """The rules by which the operator makes a plan."""

    sizing: SizingPolicy
    promises: Promises
    holds: HoldPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceInForce:
    """The price of a member: how many seconds one second of a member costs other gangs, by ``policy`` and contention.

    ``policy`` and ``among``, the contention, are None for a recorded price, whose origin is unknown.
    """

    seconds: float
    policy: SizingPolicy | None = None
    among: Contention | None = None


def contention_now(state: State, waiting: Collection[AcceptedGang], *, nodes: int) -> Contention:
    """Count the contention as the operator does.

    Refused gangs do not count, because they wait for no node. Room that is kept for later pods of Gangs does not count
    either.
    """
    hopeful = (gang for gang in waiting if not (gang.spec.is_room or _was_refused(gang)))
    return Contention(number_waiting(hopeful), len(state.reservations), nodes)


def price_of(policy: SizingPolicy, gang: GangFact, among: Contention) -> PriceInForce:
    """The price of a member of a gang, which may ask for a sizing of its own."""
    policy = policy.asked_for(gang)
    return PriceInForce(seconds=policy.member_price(among), policy=policy, among=among)


def _was_refused(gang: GangFact) -> bool:
    """Whether the gang's status says that the operator's last plan refused the gang."""
    planned = gang.status.condition(Condition.PLANNED)
    if planned is None or planned.status != "False" or planned.observed_generation != gang.generation:
        return False
    return planned.reason in set(PlanReason) - {PlanReason.BEHIND_IN_QUEUE}
