"""How plans are made, as far as it matters to an answer: what the operator's own options say."""

from collections.abc import Collection
from dataclasses import dataclass

from coschedule import Promises
from coschedule import Reason as PlanReason
from lockstep.belief.state import State
from lockstep.cycle.holds import HoldPolicy
from lockstep.cycle.sizing import SizingPolicy
from lockstep.facts.gang import GangFact
from lockstep.facts.reasons import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRules:
    """The rules of a plan; those of the operator that is asked about."""

    sizing: SizingPolicy
    promises: Promises
    holds: HoldPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceInForce:
    """A member-second costs the others ``seconds``, since so many gangs wait for ``nodes`` and hold them.

    Without ``rules`` it is one that was recorded, and nobody knows of what it was made.
    """

    seconds: float
    waiting: int
    running: int
    nodes: int
    rules: SizingPolicy | None = None


def price_now(policy: SizingPolicy, state: State, waiting: Collection[GangFact], *, nodes: int) -> PriceInForce:
    """Find the price as the operator does: a gang that fits nowhere waits for nobody's nodes."""
    hopeful = sum(not _was_refused(gang) for gang in waiting)
    running = len(state.reservations)
    seconds = policy.member_price(waiting=hopeful, running=running, nodes=nodes)
    return PriceInForce(seconds=seconds, waiting=hopeful, running=running, nodes=nodes, rules=policy)


def _was_refused(gang: GangFact) -> bool:
    """Whether the operator's last plan had no place for it; its status says what the operator remembers."""
    planned = gang.status.condition(Condition.PLANNED)
    if planned is None or planned.status != "False" or planned.observed_generation != gang.generation:
        return False
    return planned.reason in set(PlanReason) - {PlanReason.BEHIND_IN_QUEUE}
