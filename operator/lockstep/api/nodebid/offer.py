"""The fields of a NodeBid that a node's agent writes by server-side apply, and the fields that the agent reads.

This module imports little, since the agent must stay small.
"""

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.names import API_VERSION, BID_KIND, BIDS
from lockstep.api.times import rfc3339

FIELD_MANAGER = "lockstep-agent"
# The bounds of crds/make/nodebids.yaml.
_MOST_HOURS = 48
_MOST_DUTY_CYCLE = 1000.0
_LEAST_CAPACITY, _MOST_CAPACITY = 0.001, 1000.0
_LONGEST_MESSAGE = 1024
# A conflict names the fields of another manager in this form: a field of the spec, or one entry of its forecast.
_FIELD = re.compile(r'\.spec\.(?P<name>\w+)(?:\[from="(?P<hour>[^"]*)"\])?')


class ForecastHour(NamedTuple):
    """The forecast of an hour: its start, its duty cycle, and the probability that the node owner returns in it."""

    begins: float
    duty_cycle: float
    owner_returns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOffer:
    """An agent's measurements of its node as fields of a bid. None means unknown."""

    duty_cycle: float | None
    capacity: float | None
    owner_present: bool | None
    forecast: tuple[ForecastHour, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReport:
    """The rest of an agent's report. The node owner is likely to be away from ``away_from`` to ``away_until``."""

    capacity_measured_at: float | None
    processor: str
    away_from: float | None
    away_until: float | None
    since: float | None
    until: float
    source: str
    message: str


class Kept(NamedTuple):
    """A field of the spec that another manager has set. If it is one entry of a list, ``hour`` is the entry's start."""

    name: str
    hour: str = ""


class PlannedOnNode(NamedTuple):
    """The operator's report to the agent.

    It has the UIDs of the members on the node, and the cores that other pods request.
    """

    members: frozenset[str]
    others_cores: float


def bid_path(node: str) -> str:
    """The path of the node's bid in the API."""
    return f"/apis/{API_VERSION}/{BIDS}/{node}"


def offer_manifest(node: str, offer: NodeOffer, *, expires: float, kept: Collection[Kept]) -> Manifest:
    """The bid with that offer, without the fields that other managers have set."""
    spec = {**_offered(offer), "expiresAt": rfc3339(expires)}
    forecast = [hour for hour in _hours(offer.forecast) if Kept("forecast", hour["from"]) not in kept]
    if forecast:
        spec["forecast"] = forecast
    return _bid(node) | {"spec": {name: value for name, value in spec.items() if Kept(name) not in kept}}


def report_manifest(node: str, offer: NodeOffer, report: AgentReport) -> Manifest:
    """The part of the bid's status that the agent writes."""
    measured = {
        **_offered(offer),
        **_time("capacityMeasuredAt", report.capacity_measured_at),
        **({"processor": report.processor} if report.processor else {}),
        **_away(report),
        **_time("since", report.since),
        "until": rfc3339(report.until),
        "source": report.source,
        "message": report.message[:_LONGEST_MESSAGE],
    }
    return _bid(node) | {"status": {"measured": measured}}


def kept_by_others(refusal: Manifest) -> frozenset[Kept]:
    """The fields that the agent must leave out, from the conflicts in the refusal of a server-side apply."""
    causes = (refusal.get("details") or {}).get("causes") or ()
    found = (_FIELD.match(str(cause.get("field", ""))) for cause in causes)
    return frozenset(Kept(one["name"], one["hour"] or "") for one in found if one)


def has_report(bid: Manifest) -> bool:
    """Whether the bid's status has a report of an agent."""
    return bool((bid.get("status") or {}).get("measured"))


def planned_in(bid: Manifest) -> PlannedOnNode | None:
    """The operator's report in the bid's status; None until the operator has written it."""
    planned = (bid.get("status") or {}).get("planned")
    if not planned:
        return None
    return PlannedOnNode(frozenset(planned.get("memberUids") or ()), _cores(planned.get("othersRequest")))


def milli(value: float) -> str:
    """A ratio as a quantity in thousandths, such as ``250m``."""
    return f"{round(value * 1000)}m"


def _cores(quantity: object) -> float:
    """The cores in a quantity of thousandths, in the operator's format."""
    text = str(quantity or "0m").removesuffix("m")
    return int(text) / 1000 if text.isdecimal() else 0.0


def _bid(node: str) -> dict[str, Any]:
    return {"apiVersion": API_VERSION, "kind": BID_KIND, "metadata": {"name": node}}


def _offered(offer: NodeOffer) -> dict[str, Any]:
    return {
        **_ratio("dutyCycle", offer.duty_cycle, 0.0, _MOST_DUTY_CYCLE),
        **_ratio("capacity", offer.capacity, _LEAST_CAPACITY, _MOST_CAPACITY),
        **({} if offer.owner_present is None else {"ownerPresent": offer.owner_present}),
    }


def _away(report: AgentReport) -> dict[str, Any]:
    window = _time("from", report.away_from) | _time("until", report.away_until)
    return {"ownerAway": window} if window else {}


def _hours(forecast: Collection[ForecastHour]) -> Iterator[dict[str, Any]]:
    """The hours as entries of the list, in order of time. No two entries start at the same time."""
    by_beginning = {rfc3339(hour.begins): hour for hour in forecast}
    for beginning, hour in sorted(by_beginning.items())[:_MOST_HOURS]:
        yield {
            "from": beginning,
            **_ratio("dutyCycle", hour.duty_cycle, 0.0, _MOST_DUTY_CYCLE),
            **_ratio("ownerReturns", hour.owner_returns, 0.0, 1.0),
        }


def _ratio(name: str, value: float | None, least: float, most: float) -> dict[str, str]:
    return {} if value is None or math.isnan(value) else {name: milli(min(max(value, least), most))}


def _time(name: str, seconds: float | None) -> dict[str, str]:
    return {} if seconds is None else {name: rfc3339(seconds)}
