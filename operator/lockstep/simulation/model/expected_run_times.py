"""The run times that planners expect: the run times that users state, times a learned factor."""

from collections import deque
from dataclasses import dataclass, field

from lockstep.belief.run_times.past_runs import LEAST_RUNS, quantile_of_next
from lockstep.facts.past_runs import MOST_RUNS


@dataclass(slots=True)
class ExpectedRunTimes:
    """The expected factor between real and stated run times, by template.

    The ratio of a run is its real time divided by its stated time. The factor is the ``quantile`` of the ratios of the
    template's last runs, as in the operator. It is 1 without a quantile, and until there are enough runs. Jobs without
    a known template share one factor.
    """

    quantile: float | None = None
    ratios: dict[int | None, deque[float]] = field(default_factory=dict)
    factors: dict[int | None, float] = field(default_factory=dict)

    def learn(self, template: int | None, ratio: float) -> None:
        """Record the ``ratio`` of a finished run: its real time divided by its stated time."""
        if self.quantile is None:
            return
        known = self.ratios.setdefault(template, deque(maxlen=MOST_RUNS))
        known.append(ratio)
        if len(known) >= LEAST_RUNS:
            self.factors[template] = quantile_of_next(known, self.quantile)

    def factor(self, template: int | None) -> float:
        """The factor for the stated times of runs of the template."""
        return self.factors.get(template, 1.0)
