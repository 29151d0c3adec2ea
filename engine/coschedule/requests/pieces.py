"""Problem ``pieces``: whole pieces on processors, with the last piece done as early as possible: least turn-around."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.reading import read_integer, read_object
from coschedule.pieces.apportion import apportion
from coschedule.requests.numbers import number_format_of
from coschedule.requests.speeds import read_speeds


def answer_pieces(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``turnaround`` and ``counts``, the pieces of each processor."""
    read_object(request, "", required=("problem", "pieces", "speeds"), optional=("id",))
    numbers = number_format_of(request["pieces"], request["speeds"])
    speeds = read_speeds(request["speeds"], "speeds", numbers)
    found = apportion(read_integer(request["pieces"], "pieces"), speeds)
    return {"turnaround": numbers.write(found.turnaround), "counts": found.counts.tolist()}
