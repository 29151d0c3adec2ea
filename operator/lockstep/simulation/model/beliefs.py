"""What planners make of what owners say: nothing, or what finished runs teach."""

from collections import deque
from dataclasses import dataclass, field

from lockstep.belief.run_times.past_runs import LEAST_RUNS, quantile_of_next
from lockstep.facts.past_runs import MOST_RUNS


@dataclass(slots=True)
class Belief:
    """Jobs of a template are expected to run so many times as long as their owners say.

    That is the ``quantile`` of what its last runs took over what was said, as the operator takes it. Owners are
    believed without a quantile, and until there were enough runs. Jobs of which no template is known have one together.
    """

    quantile: float | None = None
    ratios: dict[int | None, deque[float]] = field(default_factory=dict)
    factors: dict[int | None, float] = field(default_factory=dict)

    def learn(self, template: int | None, ratio: float) -> None:
        """Take down how long a finished run took over what its owner had said."""
        if self.quantile is None:
            return
        known = self.ratios.setdefault(template, deque(maxlen=MOST_RUNS))
        known.append(ratio)
        if len(known) >= LEAST_RUNS:
            self.factors[template] = quantile_of_next(known, self.quantile)

    def factor(self, template: int | None) -> float:
        """How much longer than said runs of the template are expected to take."""
        return self.factors.get(template, 1.0)
