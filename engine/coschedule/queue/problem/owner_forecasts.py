"""When owners are expected back on their nodes: the facts, as a snapshot carries them."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from coschedule.model.numbers import FloatArray


class Interruptible(StrEnum):
    """Whether a gang may be where an owner is expected back while it runs."""

    NEVER = "Never"
    """It runs only where and while no return is forecast."""
    CHECKPOINTED = "Checkpointed"
    """What it has done since its last checkpoint would be lost."""
    FREELY = "Freely"
    """What it has done since its start would be lost."""


def _none() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forecasts:
    """How likely the owner of each node comes back in each hour; without hours nothing is forecast.

    Axes: node ``n``, hour ``h``. Hour ``h`` lasts from ``edges[h]`` to ``edges[h + 1]``, absolute seconds that rise; it
    may be longer or shorter than an hour. ``returns[n, h]`` is the probability, from 0 to 1, that an owner who is away
    when it begins comes back before it ends. Within an hour no instant is likelier than another, as long as the owner
    is away. Before the first hour nobody comes back. After the last one its hazard goes on: nobody has looked as far,
    so nothing says that it is safe there. A node without a forecast has probabilities of 0.

    Arrays are copied and read-only; ValueError when a shape or a value is wrong.
    """

    edges: FloatArray
    returns: FloatArray

    def __post_init__(self) -> None:
        edges, returns = np.array(self.edges, dtype=np.float64), np.array(self.returns, dtype=np.float64)
        hours = max(0, len(edges) - 1)
        if edges.ndim != 1 or len(edges) == 1:
            raise ValueError("edges must be the begins of hours, and the end of the last")
        if not hours:
            returns = returns.reshape(len(returns), 0)
        if returns.ndim != 2 or returns.shape[1] != hours:
            raise ValueError(f"returns must have one column for each of {hours} hours")
        if not (np.isfinite(edges).all() and (np.diff(edges) > 0).all()):
            raise ValueError("edges must be finite and rise")
        if not ((returns >= 0) & (returns <= 1)).all():
            raise ValueError("probabilities must be from 0 to 1")
        for name, values in (("edges", edges), ("returns", returns)):
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @property
    def hours(self) -> int:
        """How many hours are forecast."""
        return max(0, len(self.edges) - 1)


def no_forecasts() -> Forecasts:
    """Return what is known where nobody has looked ahead."""
    return Forecasts(edges=_none(), returns=np.zeros((0, 0)))
