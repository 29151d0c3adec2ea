"""Problem ``equal``: the best gang when all members get the same share of the work."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.reading import read_object
from coschedule.problems.atallah.equal import choose_equal
from coschedule.requests.fields import read_nodes, read_work
from coschedule.requests.goal import OPTIONAL, REQUIRED, number_format_of_gang, read_goal, write_gang


def answer_equal(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``feasible``, ``finish``, ``size``, ``members``, ``start`` and ``speedup``, or why there is no gang."""
    read_object(request, "", required=REQUIRED, optional=OPTIONAL)
    numbers = number_format_of_gang(request)
    nodes, work = read_nodes(request["nodes"], numbers), read_work(request["work"], numbers)
    return write_gang(choose_equal(nodes, work, read_goal(request, numbers, nodes)), numbers)
