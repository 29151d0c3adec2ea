"""The goal of a gang in requests for one gang, and the answer with the chosen gang."""

from collections.abc import Mapping, Sequence
from typing import Any

from coschedule.model.errors import InvalidValueError
from coschedule.model.goal import Goal, Objective
from coschedule.model.reading import read_choice, read_integer, read_object
from coschedule.problems.atallah.gang import ChosenGang, NoGang
from coschedule.problems.node import Node
from coschedule.requests.fields import placed, read_limit
from coschedule.requests.numbers import NumberFormat, number_format_of
from coschedule.requests.refusal_answers import write_refusal

LARGEST_SIZE = 100_000
"""The most members that a gang may get, unless the request has more nodes: run times of all sizes are computed."""

REQUIRED = ("problem", "nodes", "work", "size")
OPTIONAL = ("id", "deadline", "objective", "price")


def number_format_of_gang(request: Mapping[str, Any]) -> NumberFormat:
    """Return the number format of a request for a gang."""
    return number_format_of(*(request.get(part) for part in ("nodes", "work", "size", "deadline", "price")))


def read_goal(request: Mapping[str, Any], numbers: NumberFormat, nodes: Sequence[Node]) -> Goal:
    """Read sizes, deadline, objective and price of a gang on ``nodes``."""
    goal = _read_goal(request, numbers)
    largest = max(LARGEST_SIZE, len(nodes))
    if min(goal.maximum, sum(node.most_members for node in nodes)) > largest:
        raise InvalidValueError("size.max", f"must be at most {largest} on nodes that hold more members")
    return goal


def _read_goal(request: Mapping[str, Any], numbers: NumberFormat) -> Goal:
    size = read_object(request["size"], "size", required=("min", "max"))
    with placed("", {"size.min": "minimum", "size.max": "maximum"}):
        return Goal(
            minimum=read_integer(size["min"], "size.min"),
            maximum=read_integer(size["max"], "size.max"),
            deadline=read_limit(request.get("deadline"), "deadline", numbers),
            objective=read_choice(Objective, request.get("objective", Objective.FINISH), "objective"),
            price=numbers.read(request.get("price", 0), "price"),
        )


def write_gang(gang: ChosenGang | NoGang, numbers: NumberFormat) -> dict[str, Any]:
    """Return ``feasible``, ``finish``, ``size``, ``members``, ``start`` and ``speedup``, or why there is no gang."""
    if not isinstance(gang, ChosenGang):
        return write_refusal(gang)
    return {
        "feasible": True,
        "finish": numbers.write(gang.finish),
        "size": gang.size,
        "members": list(gang.members),
        "start": numbers.write(gang.start),
        "speedup": None if gang.speedup is None else numbers.write(gang.speedup),
    }
