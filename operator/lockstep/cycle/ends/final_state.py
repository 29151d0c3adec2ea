"""Whether a gang or its attempt has ended, although its status may not say so yet."""

from lockstep.act.ending.success_policy import has_succeeded
from lockstep.act.requests.progress import progress_of
from lockstep.belief.gangs.piece_reads import has_no_dealer_any_more
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.cycle.ends.active_deadline import is_exceeded
from lockstep.cycle.ends.failure_policy import answer
from lockstep.facts.gang.gang import GangFact


def is_over(state: State, gang: GangFact, reservation: Reservation, now: float) -> bool:
    """Whether the gang has succeeded, its policies end or restart it, or the dealer of its pieces has ended."""
    counts, present = progress_of(state, gang, reservation), reservation.without_newcomers
    policies, restarts = gang.policies, gang.status.restarts
    return (
        is_exceeded(gang, now)
        or has_succeeded(policies, counts, present)
        or has_no_dealer_any_more(gang, counts.succeeded_ranks)
        or answer(policies.failure, counts, present, restarts=restarts) is not None
    )
