"""Nodes and their bids as facts."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from coschedule import Taint
from lockstep.facts.bid_plan import BidPlan, BidReport
from lockstep.facts.pod import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFact:
    """One node: what it can hold, and whom it lets in."""

    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    allocatable: Request
    is_ready: bool
    is_unschedulable: bool


class BidCondition(NamedTuple):
    """What a NodeBid's status says of whether it counts: True or False, and why."""

    status: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BidFact:
    """What a NodeBid offers. ``slowdown`` is e = (1 + duty cycle) / capacity.

    ``duty_cycle`` is the share of local work beside a member.

    ``problem`` says why the bid can't be understood; it then has no slots. ``told`` is what its owner was told last.
    ``report`` is there where an agent writes the bid, and ``planned`` is what it was told last.
    """

    node: str
    resource_version: str
    slowdown: float
    available_from: float | None
    available_until: float | None
    slots: int | None
    expires_at: float | None
    duty_cycle: float = 0.0
    generation: int = 0
    problem: str | None = None
    told: BidCondition | None = None
    report: BidReport | None = None
    planned: BidPlan | None = None

    @property
    def answer(self) -> BidCondition | None:
        """What its owner should have been told: nothing, as long as the bid was always understood."""
        if self.problem is not None:
            message = f"The bid can't be understood, so its node is not offered to gangs: {self.problem}."
            return BidCondition("False", message)
        return None if self.told is None else BidCondition("True", "The bid is understood.")

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
            expires_at=before.expires_at,
        )
        ends_before, ends_now = (math.inf if bid.expires_at is None else bid.expires_at for bid in (before, self))
        return offered == before and ends_now >= ends_before
