"""Problem ``equal``: the best group when every member gets the same share of the work."""

from collections.abc import Mapping
from typing import Any

from coschedule.errors import InvalidValueError
from coschedule.groups.equal import NoGroup, choose_equal
from coschedule.groups.goal import Goal, Objective
from coschedule.reading import read_integer, read_object
from coschedule.requests.fields import LARGEST_SIZE, placed, read_limit, read_nodes, read_work
from coschedule.requests.numbers import Spelling, spelling_of

_REQUIRED = ("problem", "nodes", "work", "size")
_OPTIONAL = ("id", "deadline", "objective", "price")


def answer_equal(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer ``feasible``, ``finish``, ``size``, ``members``, ``start`` and ``speedup``, or why there is no group."""
    read_object(request, "", required=_REQUIRED, optional=_OPTIONAL)
    numbers = spelling_of(*(request.get(part) for part in ("nodes", "work", "size", "deadline", "price")))
    nodes, work = read_nodes(request["nodes"], numbers), read_work(request["work"], numbers)
    group = choose_equal(nodes, work, _read_goal(request, numbers))
    if isinstance(group, NoGroup):
        return {"feasible": False, "reason": group.reason, "message": group.message}
    return {
        "feasible": True,
        "finish": numbers.write(group.finish),
        "size": group.size,
        "members": list(group.members),
        "start": numbers.write(group.start),
        "speedup": None if group.speedup is None else numbers.write(group.speedup),
    }


def _read_goal(request: Mapping[str, Any], numbers: Spelling) -> Goal:
    size = read_object(request["size"], "size", required=("min", "max"))
    with placed("", {"size.min": "minimum", "size.max": "maximum"}):
        return Goal(
            minimum=read_integer(size["min"], "size.min", largest=LARGEST_SIZE),
            maximum=read_integer(size["max"], "size.max", largest=LARGEST_SIZE),
            deadline=read_limit(request.get("deadline"), "deadline", numbers),
            objective=_read_objective(request.get("objective", Objective.FINISH)),
            price=numbers.read(request.get("price", 0), "price"),
        )


def _read_objective(value: Any) -> Objective:
    if value not in list(Objective):
        raise InvalidValueError("objective", f"must be one of {', '.join(Objective)}")
    return Objective(value)
