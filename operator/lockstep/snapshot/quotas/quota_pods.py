"""What a ResourceQuota counts of one member's pod: as the API server's admission has it."""

from collections.abc import Mapping

from lockstep.facts.gang.role import RoleSpec

_PODS = ("pods", "count/pods")
_UNPREFIXED = ("cpu", "memory", "ephemeral-storage")
_HUGE_PAGES = "hugepages-"


def taken_by_pod(role: RoleSpec) -> Mapping[str, int]:
    """What quotas may count of one member, by resource as they name it; what is 0 is left out.

    Limits are those of the template: what a LimitRange adds to them only the API server knows.
    """
    requests, limits = dict(role.request), dict(role.limits)
    amounts = {f"requests.{name}": amount for name, amount in requests.items()}
    amounts |= {f"limits.{name}": amount for name, amount in limits.items()}
    amounts |= {name: amount for name, amount in requests.items() if _may_be_unprefixed(name)}
    amounts |= dict.fromkeys(_PODS, 1)
    return {name: amount for name, amount in amounts.items() if amount}


def _may_be_unprefixed(name: str) -> bool:
    return name in _UNPREFIXED or name.startswith(_HUGE_PAGES)
