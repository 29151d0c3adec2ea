"""Problem ``heterogeneity``: how much the power of nodes differs."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.reading import read_list, read_object
from coschedule.problems.du.pace import measure_network
from coschedule.requests.numbers import number_format_of


def answer_heterogeneity(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``members``, ``power`` and ``heterogeneity``."""
    read_object(request, "", required=("problem", "weights"), optional=("id",))
    numbers = number_format_of(request["weights"])
    network = measure_network([numbers.read(item, path) for path, item in read_list(request["weights"], "weights")])
    return {
        "members": network.members,
        "power": numbers.write(network.power),
        "heterogeneity": numbers.write(network.heterogeneity),
    }
