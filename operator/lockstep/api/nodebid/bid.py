"""Parses NodeBids, and formats the condition in their status."""

import math
from collections.abc import Iterable

from lockstep.api.manifest import Manifest
from lockstep.api.nodebid.bid_status import parse_bid_plan, parse_owner_back, parse_report
from lockstep.api.quantities import epoch_seconds, ratio, rfc3339
from lockstep.facts.cluster.node import BidCondition, BidFact, ExpectedHour, OnReturn
from lockstep.facts.reasons import Condition

_GRACE_SECONDS = 60


def parse_bid(manifest: Manifest) -> BidFact:
    """Parse a node's bid. Absent fields have the values of an idle reference node that is always free."""
    metadata, spec = manifest["metadata"], manifest.get("spec") or {}
    duty_cycle, capacity = ratio(spec.get("dutyCycle", 0)), ratio(spec.get("capacity", 1))
    return BidFact(
        node=metadata["name"],
        resource_version=metadata["resourceVersion"],
        slowdown=_slowdown(duty_cycle, capacity),
        duty_cycle=duty_cycle,
        capacity=capacity,
        says_capacity="capacity" in spec,
        available_from=epoch_seconds(spec.get("availableFrom")),
        available_until=epoch_seconds(spec.get("availableUntil")),
        slots=spec.get("slots"),
        expires_at=epoch_seconds(spec.get("expiresAt")),
        owner_present=spec.get("ownerPresent"),
        forecast=_forecast(spec.get("forecast") or ()),
        on_return=OnReturn(spec.get("onReturn", OnReturn.KEEP)),
        grace_seconds=float(spec.get("gracePeriodSeconds", _GRACE_SECONDS)),
        generation=metadata.get("generation", 0),
        reported=bid_condition(manifest),
        report=parse_report(manifest),
        planned=parse_bid_plan(manifest),
        owner_back_since=parse_owner_back(manifest),
    )


def bid_condition(manifest: Manifest) -> BidCondition | None:
    """The condition Accepted in the bid's status; None if it has none."""
    conditions = (manifest.get("status") or {}).get("conditions") or ()
    accepted = (one for one in conditions if one.get("type") == Condition.ACCEPTED)
    return next((BidCondition(*(one.get(key, "") for key in BidCondition._fields)) for one in accepted), None)


def _slowdown(duty_cycle: float, capacity: float) -> float:
    if not (duty_cycle >= 0 and capacity > 0 and 0 < (1 + duty_cycle) / capacity < math.inf):
        raise ValueError(
            f"dutyCycle must not be negative, and is {duty_cycle:g}; capacity must be above 0, and is {capacity:g}"
        )
    return (1 + duty_cycle) / capacity


def _forecast(hours: Iterable[Manifest]) -> tuple[ExpectedHour, ...]:
    """The hours in order of time. If several entries have the same time, the highest probability counts."""
    by_begin: dict[float, float] = {}
    for hour in hours:
        begin, returns = epoch_seconds(hour["from"]), ratio(hour.get("ownerReturns", 0))
        assert begin is not None, "the API server asks for it"
        if not 0 <= returns <= 1:
            raise ValueError(f"ownerReturns must be a probability from 0 to 1, not {returns:g}")
        by_begin[begin] = max(returns, by_begin.get(begin, 0.0))
    return tuple(ExpectedHour(*hour) for hour in sorted(by_begin.items()))


def bid_condition_manifest(bid: BidFact, condition: BidCondition, *, now: float) -> dict[str, object]:
    """Format the condition that says whether the bid counts."""
    return {
        "type": Condition.ACCEPTED,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
        "observedGeneration": bid.generation,
        "lastTransitionTime": rfc3339(now),
    }
