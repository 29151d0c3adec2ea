"""What planners make of what owners say: nothing, or what finished runs teach."""

from collections import deque
from dataclasses import dataclass, field

from lockstep.belief.past_runs import LEAST_RUNS, nearest_rank
from lockstep.facts.past_runs import MOST_RUNS


@dataclass(slots=True)
class Belief:
    """Jobs are expected to run ``factor`` times as long as their owners say.

    That is the ``quantile``, by the nearest rank, of what the last runs took over what was said. Owners are believed
    without a quantile, and until there were enough runs. The simulated jobs have one template.
    """

    quantile: float | None = None
    ratios: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_RUNS))

    def learn(self, ratio: float) -> None:
        """Take down how long a finished run took over what its owner had said."""
        self.ratios.append(ratio)

    @property
    def factor(self) -> float:
        """How much longer than said jobs are expected to run."""
        if self.quantile is None or len(self.ratios) < LEAST_RUNS:
            return 1.0
        return nearest_rank(self.ratios, self.quantile)
