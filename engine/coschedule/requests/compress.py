"""Problem ``compress``: the fewest processors that finish within a turn-around."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.reading import read_integer, read_object
from coschedule.problems.al_saqabi.compress import compress
from coschedule.problems.al_saqabi.offer_refusals import NoRoom
from coschedule.requests.numbers import number_format_of
from coschedule.requests.refusal_answers import write_refusal
from coschedule.requests.speeds import read_speeds


def answer_compress(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``processors``, the indices in use, and ``counts``, the pieces of each processor; or why none suffice."""
    read_object(request, "", required=("problem", "pieces", "speeds", "turnaround"), optional=("id",))
    numbers = number_format_of(*(request[part] for part in ("pieces", "speeds", "turnaround")))
    speeds = read_speeds(request["speeds"], "speeds", numbers)
    turnaround = numbers.read(request["turnaround"], "turnaround")
    found = compress(read_integer(request["pieces"], "pieces"), speeds, turnaround)
    if isinstance(found, NoRoom):
        return write_refusal(found)
    return {"processors": found.processors.tolist(), "counts": found.counts.tolist()}
