"""Sentences about how much of its share a group has used."""

from collections.abc import Mapping, Sequence

from lockstep.belief.shares.sharing import GroupSharing
from lockstep.facts.fair_share import NamedGroup

_MOST_IN_SUMMARY = 8
_MANY = 10
# In seconds of all nodes. If all groups together have used less than this, nothing can be said.
_NOTHING = 1e-3


def times_share(groups: Sequence[NamedGroup], used: Mapping[str, float]) -> dict[str, float]:
    """For each group, its part of all use, divided by its part of all weights; {} if nothing was used.

    The weights of groups that have used nothing count too. So 1 means that a group has used exactly its share.
    """
    total, weights = sum(used.values()), sum(group.weight for group in groups)
    if total < _NOTHING:
        return {}
    return {group.name: used[group.name] / total * weights / group.weight for group in groups}


def use_of_share(times: float | None) -> str:
    """A clause about the use of a group, to follow its name. ``times`` is None if no group has used anything."""
    if times is None:
        return "has used nothing, like all other groups"
    formatted = f"{times:.0f}" if times >= _MANY else f"{times:.1f}"
    return f"has used {formatted} times its share lately"


def use_of_group_of(sharing: GroupSharing, namespace: str, now: float) -> str:
    """A clause about the use of a namespace's group; '' if no groups share the nodes."""
    if not sharing.named:
        return ""
    return f"its group {sharing.group_of(namespace)} {_use_of(sharing, namespace, now)}"


def use_of_own_group(sharing: GroupSharing, namespace: str, now: float) -> str:
    """A sentence about the use of a namespace's group, without the name of the group; '' if there are no groups."""
    return f"Its group {_use_of(sharing, namespace, now)}." if sharing.named else ""


def _use_of(sharing: GroupSharing, namespace: str, now: float) -> str:
    return use_of_share(times_share(sharing.named, sharing.used(now)).get(sharing.group_of(namespace)))


def summary_of(groups: Sequence[NamedGroup], times: Mapping[str, float]) -> str:
    """A line about the groups whose use is largest as a multiple of their shares."""
    if not times:
        return "No group has used anything yet."
    most = sorted(groups, key=lambda group: -times[group.name])
    shown = ", ".join(f"{group.name} {times[group.name]:.1f}" for group in most[:_MOST_IN_SUMMARY])
    rest = f", and {len(most) - _MOST_IN_SUMMARY} more" if len(most) > _MOST_IN_SUMMARY else ""
    return f"Recent use, as multiples of the shares: {shown}{rest}."
