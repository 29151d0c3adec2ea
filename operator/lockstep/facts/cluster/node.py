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
# The message does not quote the duty cycle, since an agent may write another one every second.
_MUCH_DUTY_CYCLE_SAYS = (
    f"The bid is understood. Its dutyCycle is above {_MUCH_DUTY_CYCLE:g}, so a member takes more than "
    f"{1 + _MUCH_DUTY_CYCLE:g} times as long as on the idle node. If you meant a percentage, write 250m for 25 %."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFact:
    """One node. ``system`` is a text that changes with its kubelet and with every boot."""

    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    allocatable: Request
    is_ready: bool
    is_unschedulable: bool
    system: str = ""


def kind_of_node(node: NodeFact | None) -> str:
    """The kind in the node's label; empty if it has none, or if the node no longer exists."""
    return "" if node is None else node.labels.get(KIND_LABEL, "")


class BidCondition(NamedTuple):
    """The condition of a NodeBid: whether the bid counts (``status`` is True or False), and why."""

    status: str
    reason: str
    message: str


class OnReturn(StrEnum):
    """What happens to members when their node's owner comes back."""

    KEEP = "Keep"
    PACE = "Pace"
    EVICT = "Evict"


MOST_NODES_COUNTED = 10
"""Counts of nodes stop here.

Otherwise, each further node would change the status of all bids that share the capacity.
"""


class SharedCapacity(NamedTuple):
    """The capacity measured on ``nodes`` nodes of the same hardware.

    ``MOST_NODES_COUNTED`` stands for this many nodes or more.
    """

    capacity: float
    nodes: int


class ExpectedHour(NamedTuple):
    """From ``begin`` on, an absent node owner comes back within an hour with the probability ``returns``."""

    begin: float
    returns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BidFact:
    """The offer of a NodeBid. ``slowdown`` is (1 + duty cycle) / capacity.

    ``duty_cycle`` says how busy other work keeps the node: at 0.25, a member takes 1.25 times as long. With
    ``says_capacity``, the bid has its own capacity, set by a person or measured. Otherwise it has the ``shared``
    capacity of its hardware, or 1 if that is unknown. With ``is_lapsed``, the bid was not renewed in time, and its
    measured values no longer count. ``owner_present`` is None if unknown. ``forecast`` is sorted by time. With
    ``on_return`` Evict, gangs are interrupted once the node owner has been back for ``grace_seconds``.

    ``problem`` says why the bid can't be understood; such a bid has no slots. ``reported`` is the condition in its
    status. ``report`` is given if an agent writes the bid, and ``planned`` is the part of its status for the agent.
    ``owner_back_since`` is the time at which the node owner came back, as the leader at that time observed it.
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
    reported: BidCondition | None = None
    report: BidReport | None = None
    planned: BidPlan | None = None
    owner_back_since: float | None = None
    is_lapsed: bool = False

    def wanted_condition(self, *, has_node: bool) -> BidCondition | None:
        """The condition that the bid's status should have.

        None if the bid counts, needs no warning, and its status never had a condition.
        """
        if self.problem is not None:
            message = f"The bid can't be understood, so its node is not offered to gangs: {self.problem}."
            return BidCondition("False", Reason.INVALID_SPEC, message)
        if not has_node:
            message = (
                f"There is no node {self.node}. A bid has the name of its node, and counts as soon as that node exists."
            )
            return BidCondition("False", Reason.NODE_NOT_FOUND, message)
        if self.duty_cycle > _MUCH_DUTY_CYCLE:
            return BidCondition("True", Reason.SPEC_UNDERSTOOD, _MUCH_DUTY_CYCLE_SAYS)
        return None if self.reported is None else BidCondition("True", Reason.SPEC_UNDERSTOOD, "The bid is understood.")

    def sharing(self, shared: SharedCapacity | None) -> "BidFact":
        """The bid with the ``shared`` capacity of its hardware, unless it has a capacity of its own."""
        if self.says_capacity or shared == self.shared:
            return self
        capacity = 1.0 if shared is None else shared.capacity
        return replace(self, shared=shared, capacity=capacity, slowdown=(1 + self.duty_cycle) / capacity)

    def lapsed(self) -> "BidFact":
        """The expired bid: its measured values are unknown, and its times, slots and capacity stay."""
        return replace(
            self, duty_cycle=0.0, slowdown=1 / self.capacity, owner_present=None, forecast=(), is_lapsed=True
        )

    @property
    def has_pace(self) -> bool:
        """Whether the speed of members on the node is known: the bid is understood and has not lapsed."""
        return self.problem is None and not self.is_lapsed

    def has_expired(self, now: float) -> bool:
        """Whether the bid was not renewed in time."""
        return self.expires_at is not None and self.expires_at <= now

    def renews(self, before: "BidFact") -> bool:
        """Whether the bid offers the same as ``before``, for at least as long."""
        offered = replace(
            self,
            resource_version=before.resource_version,
            generation=before.generation,
            reported=before.reported,
            report=before.report,
            planned=before.planned,
            owner_back_since=before.owner_back_since,
            expires_at=before.expires_at,
        )
        ends_before, ends_now = (math.inf if bid.expires_at is None else bid.expires_at for bid in (before, self))
        return offered == before and ends_now >= ends_before
