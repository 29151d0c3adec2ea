"""Forecasts of when node owners come back to their nodes, as a snapshot carries them."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from coschedule.model.numbers import FloatArray


class Interruptible(StrEnum):
    """Whether a gang may run on a node whose owner may come back meanwhile."""

    NEVER = "Never"
    """The gang runs only on nodes, and in hours, for which no return is forecast."""
    CHECKPOINTED = "Checkpointed"
    """A return costs the work since the last checkpoint of the gang."""
    FREELY = "Freely"
    """A return costs the work since the start of the gang."""


def _none() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forecasts:
    """The probability that the owner of each node comes back in each hour; without hours, no return is forecast.

    Axes: node ``n``, hour ``h``. Hour ``h`` lasts from ``edges[h]`` to ``edges[h + 1]``, absolute seconds that rise; it
    may be longer or shorter than an hour. ``returns[n, h]`` is from 0 to 1: the probability that an owner who is away
    at the start of the hour comes back before its end. The hazard is constant within an hour. No owner comes back
    before the first hour. The hazard of the last hour also holds after it, since later hours are not known to be safe.
    A node without a forecast has probabilities of 0.

    Arrays are copied and read-only; ValueError when a shape or a value is wrong.
    """

    edges: FloatArray
    returns: FloatArray

    def __post_init__(self) -> None:
        edges, returns = np.array(self.edges, dtype=np.float64), np.array(self.returns, dtype=np.float64)
        hours = max(0, len(edges) - 1)
        if edges.ndim != 1 or len(edges) == 1:
            raise ValueError("edges must be the starts of all hours, and the end of the last hour")
        if not hours:
            returns = returns.reshape(len(returns), 0)
        if returns.ndim != 2 or returns.shape[1] != hours:
            raise ValueError(f"returns must have one column for each of {hours} hours")
        if not (np.isfinite(edges).all() and (np.diff(edges) > 0).all()):
            raise ValueError("edges must be finite and in ascending order")
        if not ((returns >= 0) & (returns <= 1)).all():
            raise ValueError("probabilities must be from 0 to 1")
        for name, values in (("edges", edges), ("returns", returns)):
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @property
    def hours(self) -> int:
        """The number of hours with a forecast."""
        return max(0, len(self.edges) - 1)


def no_forecasts() -> Forecasts:
    """Return forecasts without any hours."""
    return Forecasts(edges=_none(), returns=np.zeros((0, 0)))
