"""The status of a NodeBid without its conditions: the agent's report, and the operator's plan for the node.

An agent may write anything that the API server accepts. Invalid values count as unknown.
"""

from typing import Any

from lockstep.api.manifest import Manifest
from lockstep.api.quantities import epoch_seconds, ratio, rfc3339
from lockstep.facts.cluster.bid_plan import BidPlan, BidReport, BidState

_MOST_UIDS = 1000
# The bounds of spec.dutyCycle and spec.capacity. The schema has no bounds for the status.
_MOST_DUTY_CYCLE = 1000.0
_LEAST_CAPACITY, _MOST_CAPACITY = 0.001, 1000.0


def parse_report(manifest: Manifest) -> BidReport | None:
    """The agent's measurements; None if no agent has written any."""
    measured = (manifest.get("status") or {}).get("measured")
    if not measured:
        return None
    hours = (manifest.get("spec") or {}).get("forecast") or ()
    forecast = ((_time(hour.get("from")), _duty_cycle(hour.get("dutyCycle"))) for hour in hours)
    return BidReport(
        duty_cycle=_duty_cycle(measured.get("dutyCycle")),
        forecast=tuple((begins, duty) for begins, duty in forecast if begins is not None and duty is not None),
        written_at=_time(measured.get("until")),
        processor=measured.get("processor", ""),
        capacity=_within(measured.get("capacity"), _LEAST_CAPACITY, _MOST_CAPACITY),
    )


def parse_bid_plan(manifest: Manifest) -> BidPlan | None:
    """The plan that the operator last wrote for the agent; None if it is empty, or if we did not write it."""
    planned = (manifest.get("status") or {}).get("planned")
    if not planned or planned.get("state") not in list(BidState):
        return None
    return BidPlan(
        state=BidState(planned["state"]),
        slowdown=_thousandths(planned.get("slowdown")),
        until=_time(planned.get("until")),
        members=planned.get("members", 0),
        member_uids=frozenset(planned.get("memberUids") or ()),
        others_request=_thousandths(planned.get("othersRequest")),
        message=planned.get("message", ""),
    )


def bid_plan_manifest(plan: BidPlan) -> Manifest:
    """A merge patch of the status with the plan for the node."""
    planned = {
        "state": plan.state,
        "slowdown": f"{plan.slowdown}m",
        "until": None if plan.until is None else rfc3339(plan.until),
        "members": plan.members,
        "memberUids": sorted(plan.member_uids)[:_MOST_UIDS],
        "othersRequest": f"{plan.others_request}m",
        "message": plan.message,
    }
    return {"status": {"planned": planned}}


def parse_owner_back(manifest: Manifest) -> float | None:
    """Since when the node owner is back, by the status; None if no operator has written it."""
    return _time((manifest.get("status") or {}).get("ownerBackSince"))


def owner_back_manifest(since: float | None) -> Manifest:
    """A merge patch of the status: since when the node owner is back. None means that the owner is away."""
    return {"status": {"ownerBackSince": None if since is None else rfc3339(since)}}


def _ratio(quantity: Any) -> float | None:
    try:
        return None if quantity is None else ratio(quantity)
    except ValueError:
        return None


def _duty_cycle(quantity: Any) -> float | None:
    return _within(quantity, 0, _MOST_DUTY_CYCLE)


def _within(quantity: Any, least: float, most: float) -> float | None:
    """The value; None if it is outside of these bounds, since one such value would distort the mean of all nodes."""
    value = _ratio(quantity)
    return value if value is not None and least <= value <= most else None


def _thousandths(quantity: Any) -> int:
    # The exponent of a quantity is bounded, but its float may still be too large.
    value = _ratio(quantity)
    return round(1000 * value) if value is not None and abs(value) < 2**63 else 0


def _time(text: Any) -> float | None:
    try:
        return epoch_seconds(text)
    except ValueError:
        return None
