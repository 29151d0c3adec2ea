"""Problem ``pace``: the power that each member always has, and the share of each node that provides it."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.reading import read_list, read_object
from coschedule.problems.du.pace import NoPace, keep_pace
from coschedule.requests.numbers import number_format_of
from coschedule.requests.refusal_answers import write_refusal


def answer_pace(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``power``, ``pace`` and ``shares``, or which node leaves no time."""
    read_object(request, "", required=("problem", "weights", "free"), optional=("id",))
    numbers = number_format_of(request["weights"], request["free"])
    weights = [numbers.read(item, path) for path, item in read_list(request["weights"], "weights")]
    free = [numbers.read(item, path) for path, item in read_list(request["free"], "free")]
    kept = keep_pace(weights, free)
    if isinstance(kept, NoPace):
        return write_refusal(kept)
    return {
        "power": numbers.write(kept.power),
        "pace": [numbers.write(pace) for pace in kept.paces],
        "shares": [numbers.write(share) for share in kept.shares],
    }
