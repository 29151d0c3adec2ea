"""Which members a ResourceQuota counts, and what it counts of each: as the API server's admission has it."""

from collections.abc import Callable, Mapping

from lockstep.belief.priorities import Priorities
from lockstep.facts.gang import GangFact
from lockstep.facts.quota import QuotaFact, Scope
from lockstep.facts.role import RoleSpec

_PODS = ("pods", "count/pods")
_UNPREFIXED = ("cpu", "memory", "ephemeral-storage")
_REQUESTS, _LIMITS, _HUGE_PAGES = "requests.", "limits.", "hugepages-"


def counted(quota: QuotaFact, gang: GangFact, role: RoleSpec, priorities: Priorities) -> Mapping[str, int]:
    """What the quota counts of one member, by resource as the quota names it; what it does not count is left out.

    Limits are those of the template: what a LimitRange adds to them only the API server knows.
    """
    if not all(_holds(scope, gang, role, priorities) for scope in quota.scopes):
        return {}
    requests = dict(role.request)
    limits = dict(role.limits)
    amounts = {resource: _amount(resource, requests, limits) for resource, _, _ in quota.amounts}
    return {resource: amount for resource, amount in amounts.items() if amount}


def _amount(resource: str, requests: Mapping[str, int], limits: Mapping[str, int]) -> int:
    if resource in _PODS:
        return 1
    if resource.startswith(_LIMITS):
        return limits.get(resource.removeprefix(_LIMITS), 0)
    if resource.startswith(_REQUESTS):
        return requests.get(resource.removeprefix(_REQUESTS), 0)
    return requests.get(resource, 0) if resource in _UNPREFIXED or resource.startswith(_HUGE_PAGES) else 0


def _holds(scope: Scope, gang: GangFact, role: RoleSpec, priorities: Priorities) -> bool:
    """Whether a member is of that scope; of a scope that is not known here none is, and the API server decides."""
    if scope.name == "PriorityClass":
        return _OPERATORS.get(scope.operator, _never)(priorities.name_of(gang), scope.values)
    is_best_effort = not {"cpu", "memory"} & dict(role.request).keys()
    is_terminating = role.template.active_deadline_seconds is not None
    return {
        "BestEffort": is_best_effort,
        "NotBestEffort": not is_best_effort,
        "Terminating": is_terminating,
        "NotTerminating": not is_terminating,
    }.get(scope.name, False)


def _never(_: str, __: tuple[str, ...]) -> bool:
    return False


_OPERATORS: Mapping[str, Callable[[str, tuple[str, ...]], bool]] = {
    "In": lambda name, values: bool(name) and name in values,
    "NotIn": lambda name, values: name not in values,
    "Exists": lambda name, _: bool(name),
    "DoesNotExist": lambda name, _: not name,
}
