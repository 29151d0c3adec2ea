"""How plans are made, as far as it matters to an answer: what the operator's own options say."""

from collections.abc import Collection
from dataclasses import dataclass

from coschedule import Promises
from coschedule import Reason as PlanReason
from lockstep.belief.state import State
from lockstep.cycle.planning.holds import HoldPolicy
from lockstep.cycle.planning.sizing import Contention, SizingPolicy
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRules:
    """The rules of a plan; those of the operator that is asked about."""

    sizing: SizingPolicy
    promises: Promises
    holds: HoldPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceInForce:
    """A member-second of a gang costs the others ``seconds``, by that ``policy`` and as things are ``among`` gangs.

    These are None where the price was recorded, and nobody knows of what it was made.
    """

    seconds: float
    policy: SizingPolicy | None = None
    among: Contention | None = None


def contention_now(state: State, waiting: Collection[GangFact], *, nodes: int) -> Contention:
    """Count as the operator does: a gang that fits nowhere waits for nobody's nodes."""
    hopeful = sum(not _was_refused(gang) for gang in waiting)
    return Contention(hopeful, len(state.reservations), nodes)


def price_of(policy: SizingPolicy, gang: GangFact, among: Contention) -> PriceInForce:
    """Find the price for a gang, which may ask for a sizing of its own."""
    policy = policy.asked_for(gang)
    return PriceInForce(seconds=policy.member_price(among), policy=policy, among=among)


def _was_refused(gang: GangFact) -> bool:
    """Whether the operator's last plan had no place for it; its status says what the operator remembers."""
    planned = gang.status.condition(Condition.PLANNED)
    if planned is None or planned.status != "False" or planned.observed_generation != gang.generation:
        return False
    return planned.reason in set(PlanReason) - {PlanReason.BEHIND_IN_QUEUE}
