"""Problem ``auction``: a cluster shared by auctions, event by event."""

from collections.abc import Callable, Mapping
from typing import Any

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number
from coschedule.model.reading import read_exact, read_integer, read_list, read_object, read_string, read_truth
from coschedule.problems.shum.auction import ShareMarket
from coschedule.problems.shum.events import (
    Arrive,
    AuctionRules,
    Depart,
    Event,
    HoldAuction,
    Loaders,
    Move,
    Outcome,
    SetUnitTimes,
)
from coschedule.requests.fields import placed

LARGEST_REPLAY = 1_000_000
"""The limit on the product of arrivals and events: the answer has all present applications after each event."""

MOST_LEVELS = 100
"""The most levels of an application: an auction checks all levels of all possible donors."""

_ATTRIBUTES = {"unitTimes": "unit_times", "alsoKnown": "also_known"}


def answer_auction(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``events``: each has its ``result``, and the ``allocation`` and ``available`` workstations after it.

    All numbers are read as exact rationals; the answer has integers only.
    """
    read_object(request, "", required=("problem", "total", "psi", "events"), optional=("id", "requireGain"))
    market = ShareMarket(_read_rules(request))
    events = read_list(request["events"], "events")
    arrivals = sum(isinstance(item, dict) and item.get("op") == "arrive" for _, item in events)
    if arrivals * len(events) > LARGEST_REPLAY:
        raise InvalidValueError("events", f"must be at most {LARGEST_REPLAY // arrivals} with {arrivals} arrivals")
    return {"events": [_answer_event(market, item, path) for path, item in events]}


def _read_rules(request: Mapping[str, Any]) -> AuctionRules:
    return AuctionRules(
        total=read_integer(request["total"], "total"),
        psi=read_exact(request["psi"], "psi"),
        require_gain=read_truth(request.get("requireGain", True), "requireGain"),
    )


def _answer_event(market: ShareMarket, value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidValueError(path, "must be an object")
    with placed(path, _ATTRIBUTES):
        event = _read_event(value)
        outcome = market.apply(event)
    return {
        "result": _result(event, outcome),
        "allocation": dict(outcome.allocation),
        "available": outcome.available,
    }


def _result(event: Event, outcome: Outcome) -> Any:
    return [_write_move(move) for move in outcome.moves] if isinstance(event, HoldAuction) else outcome.level


def _write_move(move: Move) -> dict[str, Any]:
    donation = move.donation
    return {
        "action": int(move.kind),
        "app": move.name,
        "from": move.from_level,
        "to": move.to_level,
        "donor": None if donation is None else donation.name,
        "donorFrom": None if donation is None else donation.from_level,
        "donorTo": None if donation is None else donation.to_level,
    }


def _read_event(value: Mapping[str, Any]) -> Event:
    """Read an event; refused fields are named relative to the event."""
    if "op" not in value:
        raise InvalidValueError("op", "is required")
    if not isinstance(value["op"], str) or value["op"] not in _READERS:
        raise InvalidValueError("op", f"must be one of {', '.join(_READERS)}")
    return _READERS[value["op"]](value)


def _read_arrive(value: Any) -> Event:
    fields = read_object(value, "", required=("op", "name", "levels", "unitTimes"))
    if len(read_list(fields["levels"], "levels")) > MOST_LEVELS:
        raise InvalidValueError("levels", f"must hold at most {MOST_LEVELS} levels")
    return Arrive(
        name=read_string(fields["name"], "name"),
        levels=_read_integers(fields["levels"], "levels"),
        unit_times=_read_numbers(fields["unitTimes"], "unitTimes"),
    )


def _read_depart(value: Any) -> Event:
    fields = read_object(value, "", required=("op", "name"))
    return Depart(name=read_string(fields["name"], "name"))


def _read_load(value: Any) -> Event:
    fields = read_object(value, "", required=("op", "workstations"))
    return Loaders(workstations=read_integer(fields["workstations"], "workstations"))


def _read_unit_times(value: Any) -> Event:
    fields = read_object(value, "", required=("op", "name", "unitTimes"), optional=("alsoKnown",))
    return SetUnitTimes(
        name=read_string(fields["name"], "name"),
        unit_times=_read_numbers(fields["unitTimes"], "unitTimes"),
        also_known=_read_integers(fields.get("alsoKnown", []), "alsoKnown"),
    )


def _read_auction(value: Any) -> Event:
    fields = read_object(value, "", required=("op",), optional=("order", "exempt"))
    order = fields.get("order")
    return HoldAuction(
        order=() if order is None else _read_names(order, "order"),
        exempt=_read_names(fields.get("exempt", []), "exempt"),
    )


_READERS: Mapping[str, Callable[[Any], Event]] = {
    "arrive": _read_arrive,
    "depart": _read_depart,
    "loaders": _read_load,
    "setUnitTimes": _read_unit_times,
    "auction": _read_auction,
}


def _read_names(value: Any, path: str) -> tuple[str, ...]:
    return tuple(read_string(item, item_path) for item_path, item in read_list(value, path))


def _read_integers(value: Any, path: str) -> tuple[int, ...]:
    return tuple(read_integer(item, item_path) for item_path, item in read_list(value, path))


def _read_numbers(value: Any, path: str) -> tuple[Number, ...]:
    return tuple(read_exact(item, item_path) for item_path, item in read_list(value, path))
