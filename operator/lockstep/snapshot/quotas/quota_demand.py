"""The amounts that members of a gang take of the resources that ResourceQuotas count.

The amounts have the quotas' names of resources, and are the same for every quota. So callers read from a quota only the
resources that the gang takes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from lockstep.belief.state import State
from lockstep.facts.cluster.quota import QuotaFact
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.role import RoleSpec
from lockstep.snapshot.quotas.quota_claims import taken_by_claims
from lockstep.snapshot.quotas.quota_pods import taken_by_pod
from lockstep.snapshot.quotas.quota_scopes import CountedPod, is_counted

_NOTHING: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberDemand:
    """The amounts for one member of a role: for its pod, and for its pod with the claims created with it."""

    role: str
    pod: CountedPod
    of_pod: Mapping[str, int]
    of_all: Mapping[str, int]

    def counted(self, quota: QuotaFact, priority_class: str) -> Mapping[str, int]:
        """The amounts that the quota counts for the member.

        A quota with scopes counts no claims, and only pods in these scopes.
        """
        if not quota.scopes:
            return self.of_all
        return self.of_pod if is_counted(self.pod, quota.scopes, priority_class) else _NOTHING


def demand_of_members(state: State, gang: GangFact) -> tuple[MemberDemand, ...]:
    """The demand of one member of each role, in the order of the roles; kept until the spec or its claims change."""
    roles = gang.spec.roles if gang.spec else ()
    stamp = state.claims.stamp(gang.key.namespace) if any(role.claims for role in roles) else None
    return state.remembered.of(
        gang, stamp, demand_of_members, lambda: tuple(_demand(state, gang, role) for role in roles)
    )


def _demand(state: State, gang: GangFact, role: RoleSpec) -> MemberDemand:
    of_pod = taken_by_pod(role)
    return MemberDemand(
        role=role.name,
        pod=CountedPod(
            is_best_effort=not {"cpu", "memory"} & dict(role.request).keys(),
            is_terminating=role.template.active_deadline_seconds is not None,
        ),
        of_pod=of_pod,
        of_all={**of_pod, **taken_by_claims(gang, role, state.claims)},
    )
