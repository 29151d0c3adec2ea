"""What a gang wants, as problems of one group spell it, and how such a group is answered."""

from collections.abc import Mapping, Sequence
from typing import Any

from coschedule.model.errors import InvalidValueError
from coschedule.model.goal import Goal, Objective
from coschedule.model.reading import read_choice, read_integer, read_object
from coschedule.problems.atallah.gang import Group, NoGroup
from coschedule.problems.node import Node
from coschedule.requests.fields import placed, read_limit
from coschedule.requests.numbers import Spelling, spelling_of

LARGEST_SIZE = 100_000
"""No gang may grow larger on fewer nodes: run times of all sizes are computed, as fractions too."""

REQUIRED = ("problem", "nodes", "work", "size")
OPTIONAL = ("id", "deadline", "objective", "price")


def spelling_of_group(request: Mapping[str, Any]) -> Spelling:
    """Look at all the numbers of a request for a group."""
    return spelling_of(*(request.get(part) for part in ("nodes", "work", "size", "deadline", "price")))


def read_goal(request: Mapping[str, Any], numbers: Spelling, nodes: Sequence[Node]) -> Goal:
    """Read sizes, deadline, objective and price of a gang that is to run on ``nodes``."""
    goal = _read_goal(request, numbers)
    largest = max(LARGEST_SIZE, len(nodes))
    if min(goal.maximum, sum(node.places for node in nodes)) > largest:
        raise InvalidValueError("size.max", f"must be at most {largest}, since the nodes hold more members")
    return goal


def _read_goal(request: Mapping[str, Any], numbers: Spelling) -> Goal:
    size = read_object(request["size"], "size", required=("min", "max"))
    with placed("", {"size.min": "minimum", "size.max": "maximum"}):
        return Goal(
            minimum=read_integer(size["min"], "size.min"),
            maximum=read_integer(size["max"], "size.max"),
            deadline=read_limit(request.get("deadline"), "deadline", numbers),
            objective=read_choice(Objective, request.get("objective", Objective.FINISH), "objective"),
            price=numbers.read(request.get("price", 0), "price"),
        )


def write_group(group: Group | NoGroup, numbers: Spelling) -> dict[str, Any]:
    """Answer ``feasible``, ``finish``, ``size``, ``members``, ``start`` and ``speedup``, or why there is no group."""
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
