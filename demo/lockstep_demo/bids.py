"""The bids of the demo's nodes, read from the examples. Two bids get times that count from the start of the demo."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import yaml

from lockstep_demo.manifests import BIDS

LATE_NODE, LATE_SECONDS = "n11", 40
LEAVING_NODE, LEAVING_SECONDS = "n12", 30
API_TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A bid for the table: speed relative to the reference node, and the node's own load in percent."""

    node: str
    speed: str
    load_percent: int


def bid_manifests(now: dt.datetime) -> list[dict[str, Any]]:
    """Return the bids of the examples, with two times that count from ``now``.

    ``LATE_NODE`` is available only from ``LATE_SECONDS`` on, and ``LEAVING_NODE`` only until ``LEAVING_SECONDS``.
    """
    manifests = list(yaml.safe_load_all(BIDS.read_text(encoding="utf-8")))
    by_node = {manifest["metadata"]["name"]: manifest["spec"] for manifest in manifests}
    by_node[LATE_NODE]["availableFrom"] = _after(now, LATE_SECONDS)
    by_node[LEAVING_NODE]["availableUntil"] = _after(now, LEAVING_SECONDS)
    return manifests


def offers(manifests: Sequence[Mapping[str, Any]]) -> list[Offer]:
    """Return the offers in these bids, in the same order."""
    return [
        Offer(
            node=manifest["metadata"]["name"],
            speed=manifest["spec"]["capacity"],
            load_percent=_percent(str(manifest["spec"]["dutyCycle"])),
        )
        for manifest in manifests
    ]


def _after(now: dt.datetime, seconds: int) -> str:
    """Return the time ``seconds`` after ``now``, in the API's format.

    The API has whole seconds. The time is rounded up, so that it is never earlier than the demo promises.
    """
    whole_second = now.replace(microsecond=0) + dt.timedelta(seconds=1)
    return (whole_second + dt.timedelta(seconds=seconds)).strftime(API_TIME)


def _percent(quantity: str) -> int:
    if quantity.endswith("m"):
        return int(Decimal(quantity[:-1]) / 10)
    return int(Decimal(quantity) * 100)
