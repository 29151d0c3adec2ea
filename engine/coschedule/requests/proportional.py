"""Problem ``proportional``: the best gang when each member works in proportion to its speed."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.divided_work import Overhead
from coschedule.model.reading import read_choice, read_object
from coschedule.problems.atallah.proportional import ProportionalGang, choose_proportional
from coschedule.requests.fields import read_nodes, read_work
from coschedule.requests.goal import OPTIONAL, REQUIRED, number_format_of_gang, read_goal, write_gang


def answer_proportional(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of ``equal``, and ``shares`` in the order of ``members``."""
    read_object(request, "", required=REQUIRED, optional=(*OPTIONAL, "overhead"))
    numbers = number_format_of_gang(request)
    nodes, work = read_nodes(request["nodes"], numbers), read_work(request["work"], numbers)
    overhead = read_choice(Overhead, request.get("overhead", Overhead.PER_MEMBER), "overhead")
    gang = choose_proportional(nodes, work, read_goal(request, numbers, nodes), overhead=overhead)
    shares = {"shares": [numbers.write(share) for share in gang.shares]} if isinstance(gang, ProportionalGang) else {}
    return write_gang(gang, numbers) | shares
