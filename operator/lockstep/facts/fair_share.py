"""The FairShare of a cluster: groups of namespaces, their weights, and their use of nodes."""

from dataclasses import dataclass, field
from typing import NamedTuple

OTHERS = "others"
"""The group of all namespaces that no group names."""


class NamedGroup(NamedTuple):
    """Namespaces that have one share together, in proportion to ``weight``."""

    name: str
    weight: int
    namespaces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedUse:
    """The decayed use of each named group up to the time ``at``, in seconds of the whole cluster."""

    at: float
    by_group: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FairShare:
    """The FairShare as it was written. ``counted`` is from its status; None if nothing was counted yet.

    If it ``reclaims``, gangs are evicted for groups that hold less than their share.
    """

    uid: str
    resource_version: str
    groups: tuple[NamedGroup, ...]
    counted: CountedUse | None = None
    reclaims: bool = False
