"""Nodes and their bids as facts."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from coschedule import Taint
from lockstep.facts.cluster.bid_plan import BidPlan, BidReport
from lockstep.facts.past_runs import KIND_LABEL
from lockstep.facts.pods.pod import Request
from lockstep.facts.reasons import Reason

_MUCH_DUTY_CYCLE = 10.0
# Without the number, since an agent may write another one every second.
_MUCH_DUTY_CYCLE_SAYS = (
    f"The bid is understood. Its dutyCycle is above {_MUCH_DUTY_CYCLE:g}, so a member needs more than "
    f"{1 + _MUCH_DUTY_CYCLE:g} times as long as on the idle node; if a percentage was meant, 25 % are 250m."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFact:
    """One node: what it can hold, and whom it lets in. ``system`` is another text for another kubelet or start."""

    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    allocatable: Request
    is_ready: bool
    is_unschedulable: bool
    system: str = ""


def kind_of_node(node: NodeFact | None) -> str:
    """The kind that its label names; empty where it names none, or where there is no such node any more."""
    return "" if node is None else node.labels.get(KIND_LABEL, "")


class BidCondition(NamedTuple):
    """What a NodeBid's status says of whether it counts: True or False, and why."""

    status: str
    reason: str
    message: str


class OnReturn(StrEnum):
    """What becomes of members when the owner of their node comes back."""

    KEEP = "Keep"
    PACE = "Pace"
    EVICT = "Evict"


MOST_NODES_TOLD = 10
"""Of more nodes nobody counts how many they are: each one more would have all that share a capacity told anew."""


class SharedCapacity(NamedTuple):
    """What was measured on so many nodes of the same hardware; ``MOST_NODES_TOLD`` of them are as many or more."""

    capacity: float
    nodes: int


class ExpectedHour(NamedTuple):
    """From ``begin`` on, the probability that an owner who is away comes back within an hour is ``returns``."""

    begin: float
    returns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BidFact:
    """What a NodeBid offers. ``slowdown`` is e = (1 + duty cycle) / capacity.

    ``duty_cycle`` is the share of local work beside a member. A bid that ``says_capacity`` has one of its own, set by a
    person or measured; another one has the ``shared`` capacity of its hardware, if that is known, else 1.
    What was measured of one that ``is_lapsed`` no longer counts: it was not renewed in time.
    Nobody knows whether the owner is there where ``owner_present`` is None. ``forecast`` is in the order of time.
    A gang is interrupted by ``on_return`` Evict once its owner is back for ``grace_seconds``.

    ``problem`` says why the bid can't be understood; it then has no slots. ``told`` is what its owner was told last.
    ``report`` is there where an agent writes the bid, and ``planned`` is what it was told last. ``owner_back_since`` is
    when the owner came back, as the operator that led then saw it.
    """

    node: str
    resource_version: str
    slowdown: float
    available_from: float | None
    available_until: float | None
    slots: int | None
    expires_at: float | None
    duty_cycle: float = 0.0
    capacity: float = 1.0
    says_capacity: bool = True
    shared: SharedCapacity | None = None
    owner_present: bool | None = None
    forecast: tuple[ExpectedHour, ...] = ()
    on_return: OnReturn = OnReturn.KEEP
    grace_seconds: float = 0.0
    generation: int = 0
    problem: str | None = None
    told: BidCondition | None = None
    report: BidReport | None = None
    planned: BidPlan | None = None
    owner_back_since: float | None = None
    is_lapsed: bool = False

    def answer(self, *, has_node: bool) -> BidCondition | None:
        """What its owner should have been told: nothing, as long as the bid always counted for a node."""
        if self.problem is not None:
            message = f"The bid can't be understood, so its node is not offered to gangs: {self.problem}."
            return BidCondition("False", Reason.INVALID_SPEC, message)
        if not has_node:
            message = (
                f"There is no node {self.node}: the name of a bid is that of its node. It counts once there is one."
            )
            return BidCondition("False", Reason.NODE_NOT_FOUND, message)
        if self.duty_cycle > _MUCH_DUTY_CYCLE:
            return BidCondition("True", Reason.SPEC_UNDERSTOOD, _MUCH_DUTY_CYCLE_SAYS)
        return None if self.told is None else BidCondition("True", Reason.SPEC_UNDERSTOOD, "The bid is understood.")

    def sharing(self, shared: SharedCapacity | None) -> "BidFact":
        """The bid with what is known of its hardware, where it says no capacity itself."""
        if self.says_capacity or shared == self.shared:
            return self
        capacity = 1.0 if shared is None else shared.capacity
        return replace(self, shared=shared, capacity=capacity, slowdown=(1 + self.duty_cycle) / capacity)

    def lapsed(self) -> "BidFact":
        """The bid once it has expired: what it measured for a while is unknown, and what it promises stands."""
        return replace(
            self, duty_cycle=0.0, slowdown=1 / self.capacity, owner_present=None, forecast=(), is_lapsed=True
        )

    @property
    def tells_pace(self) -> bool:
        """Whether it is known how fast members are on the node: the bid is understood, and none of it has lapsed."""
        return self.problem is None and not self.is_lapsed

    def has_expired(self, now: float) -> bool:
        """Whether it was not renewed in time."""
        return self.expires_at is not None and self.expires_at <= now

    def renews(self, before: "BidFact") -> bool:
        """Whether the bid offers what it did before, for as long at least."""
        offered = replace(
            self,
            resource_version=before.resource_version,
            generation=before.generation,
            told=before.told,
            report=before.report,
            planned=before.planned,
            owner_back_since=before.owner_back_since,
            expires_at=before.expires_at,
        )
        ends_before, ends_now = (math.inf if bid.expires_at is None else bid.expires_at for bid in (before, self))
        return offered == before and ends_now >= ends_before
