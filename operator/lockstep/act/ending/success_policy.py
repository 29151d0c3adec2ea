"""When a gang has succeeded: all its members have, or all members of the role that its success policy names."""

from collections.abc import Mapping

from lockstep.act.requests.progress import Progress
from lockstep.facts.gang.policies import Policies
from lockstep.facts.ranks import has_rank

RoleOf = Mapping[int, str]
"""The role of each rank that a member has; '' in a gang without roles."""


def has_succeeded(policies: Policies, counts: Progress, role_of: RoleOf) -> bool:
    """Whether all members that must succeed have done so."""
    if policies.success_role is None:
        return counts.has_succeeded
    ranks = [rank for rank, role in role_of.items() if role == policies.success_role]
    succeeded = counts.succeeded_ranks
    return bool(ranks) and all(has_rank(succeeded, rank) for rank in ranks)
