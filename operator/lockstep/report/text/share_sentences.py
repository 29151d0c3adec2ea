"""How much of its share a group has used, in words."""

from collections.abc import Mapping, Sequence

from lockstep.belief.shares.sharing import GroupSharing
from lockstep.facts.fair_share import NamedGroup

_MOST_IN_SUMMARY = 8
_MANY = 10
# Below this use of all groups, in seconds of all nodes, nothing can be said.
_NOTHING = 1e-3


def times_share(groups: Sequence[NamedGroup], used: Mapping[str, float]) -> dict[str, float]:
    """What each group has used of all that was used, divided by its part of all weights; {} if nothing was used.

    Groups that have used nothing count with their weights, so that 1 means the share that a group has if all want it.
    """
    total, weights = sum(used.values()), sum(group.weight for group in groups)
    if total < _NOTHING:
        return {}
    return {group.name: used[group.name] / total * weights / group.weight for group in groups}


def use_of_share(times: float | None) -> str:
    """The use of a group, as a clause after its name."""
    if times is None:
        return "has used nothing, like all other groups"
    formatted = f"{times:.0f}" if times >= _MANY else f"{times:.1f}"
    return f"has used {formatted} times its share this week"


def use_of_group_of(sharing: GroupSharing, namespace: str, now: float) -> str:
    """A clause on the use of a namespace's group; '' where no groups share the nodes."""
    if not sharing.named:
        return ""
    return f"its group {sharing.group_of(namespace)} {_use_of(sharing, namespace, now)}"


def use_of_own_group(sharing: GroupSharing, namespace: str, now: float) -> str:
    """The same as a sentence for users of the namespace, without the name of the group; '' where there are none."""
    return f"Its group {_use_of(sharing, namespace, now)}." if sharing.named else ""


def _use_of(sharing: GroupSharing, namespace: str, now: float) -> str:
    return use_of_share(times_share(sharing.named, sharing.used(now)).get(sharing.group_of(namespace)))


def summary_of(groups: Sequence[NamedGroup], times: Mapping[str, float]) -> str:
    """The groups that have used most of their shares, in one line."""
    if not times:
        return "No group has used anything yet."
    most = sorted(groups, key=lambda group: -times[group.name])
    shown = ", ".join(f"{group.name} {times[group.name]:.1f}" for group in most[:_MOST_IN_SUMMARY])
    rest = f", and {len(most) - _MOST_IN_SUMMARY} more" if len(most) > _MOST_IN_SUMMARY else ""
    return f"Use this week, as multiples of the shares: {shown}{rest}."
