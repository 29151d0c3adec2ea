"""The amounts that a ResourceQuota counts for one member's pod, by the rules of the API server's admission."""

from collections.abc import Mapping

from lockstep.facts.gang.role import RoleSpec

_PODS = ("pods", "count/pods")
_UNPREFIXED = ("cpu", "memory", "ephemeral-storage")
_HUGE_PAGES = "hugepages-"


def taken_by_pod(role: RoleSpec) -> Mapping[str, int]:
    """The amounts that quotas may count for one member's pod, by the quotas' names of resources, without zero amounts.

    Limits are those of the template: only the API server knows what a LimitRange adds to them.
    """
    requests, limits = dict(role.request), dict(role.limits)
    amounts = {f"requests.{name}": amount for name, amount in requests.items()}
    amounts |= {f"limits.{name}": amount for name, amount in limits.items()}
    amounts |= {name: amount for name, amount in requests.items() if _may_be_unprefixed(name)}
    amounts |= dict.fromkeys(_PODS, 1)
    return {name: amount for name, amount in amounts.items() if amount}


def _may_be_unprefixed(name: str) -> bool:
    return name in _UNPREFIXED or name.startswith(_HUGE_PAGES)
