"""Problem ``shares``: workstations divided exactly among applications whose speed-ups are known."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.reading import join, read_integer, read_list, read_object
from coschedule.problems.shum.shares import Levels, NoShares, divide_shares
from coschedule.requests.fields import placed
from coschedule.requests.numbers import NumberFormat, number_format_of
from coschedule.requests.refusal_answers import write_refusal


def answer_shares(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``levels`` and ``value``, or why no shares fit."""
    read_object(request, "", required=("problem", "total", "apps"), optional=("id",))
    total = read_integer(request["total"], "total")
    numbers = number_format_of(request["apps"])
    applications = [_read_application(item, path, numbers) for path, item in read_list(request["apps"], "apps")]
    shares = divide_shares(applications, total=total)
    if isinstance(shares, NoShares):
        return write_refusal(shares)
    return {"levels": list(shares.levels), "value": shares.value}


def _read_application(value: Any, path: str, numbers: NumberFormat) -> Levels:
    fields = read_object(value, path, required=("levels", "speedups"))
    levels = read_list(fields["levels"], join(path, "levels"))
    workstations = tuple(read_integer(item, item_path) for item_path, item in levels)
    listed = read_list(fields["speedups"], join(path, "speedups"))
    speedups = tuple(numbers.read(item, item_path) for item_path, item in listed)
    with placed(path, {"levels": "workstations"}):
        return Levels(workstations=workstations, speedups=speedups)
