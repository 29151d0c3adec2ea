"""The nodes of a simulation: each takes one member. Speeds may differ, and nodes may have owners."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lockstep.simulation.presence.office_hours import Hours
from lockstep.simulation.presence.owners import Presence

_KIND = re.compile(r"([1-9][0-9]{0,5})(?:x([0-9]+(?:\.[0-9]+)?))?")

_SLOWEST, _FASTEST = 0.001, 1000.0


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedNodes:
    """The slow-downs of the nodes, the fastest first, and when owners use their nodes.

    Owners have ``hours`` that policies know, or a ``presence`` that no policy knows in advance. One simulation uses up
    a ``presence``.
    """

    slowdowns: NDArray[np.float64]
    hours: Hours
    presence: Presence | None = None


class NodesError(ValueError):
    """The text does not describe nodes."""


def slowdowns_of(text: str) -> NDArray[np.float64]:
    """Read ``128`` or ``64x1,32x1.5,32x2``, numbers of nodes and their speeds; return slow-downs, the fastest first."""
    slowdowns: list[float] = []
    for kind in text.split(","):
        found = _KIND.fullmatch(kind.strip())
        speed = float(found[2] or 1) if found else 0.0
        if found is None or not speed:
            raise NodesError(
                f"{kind.strip()!r} is neither a number of nodes such as 128 nor one with a speed such as 64x1.5"
            )
        if not _SLOWEST <= speed <= _FASTEST:
            raise NodesError(f"{kind.strip()!r}: speeds are from {_SLOWEST:g} to {_FASTEST:g}")
        slowdowns += [1 / speed] * int(found[1])
    return np.sort(np.array(slowdowns))
