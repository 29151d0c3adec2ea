"""Problem ``equal``: the best group when every member gets the same share of the work."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.reading import read_object
from coschedule.problems.atallah.equal import choose_equal
from coschedule.requests.fields import read_nodes, read_work
from coschedule.requests.goal import OPTIONAL, REQUIRED, read_goal, spelling_of_group, write_group


def answer_equal(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer ``feasible``, ``finish``, ``size``, ``members``, ``start`` and ``speedup``, or why there is no group."""
    read_object(request, "", required=REQUIRED, optional=OPTIONAL)
    numbers = spelling_of_group(request)
    nodes, work = read_nodes(request["nodes"], numbers), read_work(request["work"], numbers)
    return write_group(choose_equal(nodes, work, read_goal(request, numbers, nodes)), numbers)
