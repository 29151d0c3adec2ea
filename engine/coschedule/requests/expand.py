"""Problem ``expand``: the free part of an allocation map that is best for a job."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number
from coschedule.model.reading import join, read_choice, read_integer, read_list, read_object, read_string
from coschedule.problems.al_saqabi.expand import ExpandObjective, expand
from coschedule.problems.al_saqabi.offer_refusals import NoRoom
from coschedule.requests.numbers import NumberFormat, number_format_of
from coschedule.requests.refusal_answers import write_refusal

_REQUIRED = ("problem", "freeBySlice", "speeds", "pieces")


def answer_expand(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pattern, ``slices`` x ``processors``, and how the job would use it; or that nothing is free."""
    read_object(request, "", required=_REQUIRED, optional=("id", "objective"))
    numbers = number_format_of(request["speeds"], request["pieces"])
    speeds = _read_named_speeds(request["speeds"], numbers)
    free = [_read_names(item, path, speeds) for path, item in read_list(request["freeBySlice"], "freeBySlice")]
    objective = read_choice(ExpandObjective, request.get("objective", ExpandObjective.TURNAROUND), "objective")
    found = expand(free, speeds, read_integer(request["pieces"], "pieces"), objective=objective)
    if isinstance(found, NoRoom):
        return write_refusal(found)
    return {
        "slices": list(found.slices),
        "processors": list(found.processors),
        "counts": dict(found.counts),
        "turnaround": numbers.write(found.turnaround),
        "size": numbers.write(found.size),
        "exact": found.exact,
    }


def _read_named_speeds(value: Any, numbers: NumberFormat) -> dict[str, Number]:
    if not isinstance(value, dict):
        raise InvalidValueError("speeds", "must be an object")
    return {name: numbers.read(item, join("speeds", name)) for name, item in value.items()}


def _read_names(value: Any, path: str, speeds: Mapping[str, Number]) -> set[str]:
    names: set[str] = set()
    for item_path, item in read_list(value, path):
        name = read_string(item, item_path)
        if name not in speeds:
            raise InvalidValueError(item_path, f"names {name}, which has no speed")
        if name in names:
            raise InvalidValueError(item_path, f"names {name} again")
        names.add(name)
    return names
