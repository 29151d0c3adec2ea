"""The best run in one of many domains; few domains are searched.

Method: search domains in the order of a bound on the merit of their runs, until the next bound is worse than the best
run found. The best run has a time ``until``: room after it cannot make another run better (``RatedRun``). So if several
domains are alike until then, only one of them is searched. After 1, 3, 7, … searches, all domains that are alike to a
searched one are dropped.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.search.effort import Effort
from coschedule.queue.search.goals import Merit, RatedRun


class Rivals(Protocol):
    """Domains ``d`` in which a gang may run.

    No run in domain d has a merit whose first two numbers are less than ``bounds[d]``. If ``bounds[d, 0]`` is inf,
    domain d has no run. Equal runs are compared by the lowest rank of their domain, ``lowest[d]``.
    """

    @property
    def bounds(self) -> FloatArray:
        """Lower bounds on the first two numbers of the merit of a run in each domain: float[d, 2]."""

    @property
    def lowest(self) -> IntArray:
        """The lowest rank of a node in each domain: int[d]."""

    def run(self, domain: int, until: float) -> RatedRun | None:
        """Find the best run in a domain. Runs that are worse than the best run so far may be left out.

        ``until`` is the time of the best run so far, as in ``RatedRun``; inf if there is none.
        """

    def alike(self, until: float) -> IntArray:
        """Number domains, int[d]: domains with the same room for the gang up to ``until`` get the same number."""


class Best(NamedTuple):
    """The best run, and its domain."""

    run: RatedRun
    domain: int


def best_domain(rivals: Rivals, effort: Effort) -> Best | None:
    """Find the best run of all domains, or any run when the effort is over."""
    bounds = rivals.bounds
    order = np.lexsort((rivals.lowest, bounds[:, 1], bounds[:, 0]))
    search = _DomainSearch(rivals, effort)
    left, at_once = order[bounds[order, 0] < np.inf], 1
    while left.size and not search.is_over:
        search.search(left[:at_once])
        left = search.still_rivals(left[at_once:])
        at_once *= 2
    return search.best


@dataclass(slots=True, eq=False)
class _DomainSearch:
    """The best run of each domain that was searched, and the best of all."""

    rivals: Rivals
    effort: Effort
    found: dict[int, RatedRun | None] = field(default_factory=dict)
    best: Best | None = None

    @property
    def until(self) -> float:
        """Room after this time cannot make another run better than the best run; inf without a run."""
        return np.inf if self.best is None else self.best.run.until

    @property
    def is_over(self) -> bool:
        """Whether the search ends: the effort is over and there is a run, or twice the effort was spent."""
        return self.effort.is_over and (self.best is not None or self.effort.is_exhausted)

    def search(self, domains: IntArray) -> None:
        """Search domains in this order."""
        for domain in domains.tolist():
            if self.is_over:
                break
            if self._may_be_better(domain):
                run = self.rivals.run(domain, self.until)
                self.found[domain] = run
                if run is not None:
                    self._take(Best(run, domain))

    def still_rivals(self, left: IntArray) -> IntArray:
        """Return the domains that may be better, without domains that are alike to a searched one.

        Of several alike domains, only the one with the lowest rank is returned.
        """
        left = left[self._may_be_better(left)]
        if not left.size:
            return left
        alike, lowest = self.rivals.alike(self.until), self.rivals.lowest
        seen = {int(alike[domain]): run for domain, run in self.found.items()}
        others: dict[int, int] = {}
        for domain in left[np.argsort(lowest[left])].tolist():
            others.setdefault(int(alike[domain]), domain)
        for kind in seen.keys() & others.keys():
            run, domain = seen[kind], others.pop(kind)
            if run is not None:
                self._take(Best(run, domain))
        kept = set(others.values())
        return left[[domain in kept for domain in left.tolist()]]

    def _may_be_better(self, domain: int | IntArray) -> BoolArray:
        first, second = self.rivals.bounds[domain].T
        if self.best is None:
            return np.ones_like(first, dtype=np.bool_)
        least, next_to_it = self.best.run.merit[:2]
        better: BoolArray = (first < least) | ((first == least) & (second <= next_to_it))
        return better

    def _take(self, other: Best) -> None:
        if self.best is None or self._rank(other) < self._rank(self.best):
            self.best = other

    def _rank(self, best: Best) -> tuple[Merit, int]:
        return best.run.merit, int(self.rivals.lowest[best.domain])
