"""A gang succeeds when all its members have succeeded, or all members of the role that its success policy names."""

from lockstep.act.requests.progress import Progress
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.policies import Policies
from lockstep.facts.ranks import has_rank


def has_succeeded(policies: Policies, counts: Progress, present: Reservation) -> bool:
    """Whether all members that must succeed have succeeded."""
    if policies.success_role is None:
        return counts.has_succeeded
    ranks = [rank for rank, role in present.roles().items() if role == policies.success_role]
    succeeded = counts.succeeded_ranks
    return bool(ranks) and all(has_rank(succeeded, rank) for rank in ranks)
