"""What planners make of what owners say: nothing, or what finished runs teach."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

# What runs teach counts from so many on, and of so many at most; the simulated jobs have one template.
_ENOUGH, _REMEMBERED = 3, 50


@dataclass(slots=True)
class Belief:
    """Jobs are expected to run ``factor`` times as long as their owners say.

    That is the ``quantile``, by the nearest rank, of what the last runs took over what was said. Owners are believed
    without a quantile, and until there were enough runs.
    """

    quantile: float | None = None
    ratios: deque[float] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))

    def learn(self, ratio: float) -> None:
        """Take down how long a finished run took over what its owner had said."""
        self.ratios.append(ratio)

    @property
    def factor(self) -> float:
        """How much longer than said jobs are expected to run."""
        if self.quantile is None or len(self.ratios) < _ENOUGH:
            return 1.0
        return float(np.quantile(self.ratios, self.quantile, method="inverted_cdf"))
