"""Learned run times: factors by which stated times are multiplied for planning.

A template counts from its third run on, by a quantile of the factors of its last fifty runs. Of n runs in order of
their factors, this is the ⌈q·(n + 1)⌉-th, or the last if there are fewer. So the next run, if it is like the earlier
ones, stays within the quantile with probability q, however few runs there are. The rank is that of split conformal
prediction (Vovk, Gammerman and Shafer 2005). The nearest rank, ⌈q·n⌉, would be too low: with ten runs and q = 0.9, two
of eleven next runs would exceed it.

Factors are relative to the times of the spec, or of the law that the runs follow. The factors in force change only
between plans.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TypeVar

from lockstep.belief.run_times.learned_law import observe, thousandths_of_law
from lockstep.belief.run_times.run_memory import RunMemory
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import USUAL_QUANTILE, Learned, PastRun, Runs, RunsByTemplate, Template, last_runs

Number = TypeVar("Number", int, float)

LEAST_RUNS = 3
"""The number of runs from which on a template counts."""


class _KnownLaws:
    """The learned times of one template: for gangs that use its law, and for gangs that do not."""

    def __init__(self, runs: Runs, quantile: float) -> None:
        self._runs = runs
        self._quantile = quantile
        self.as_stated = self._learned([run.thousandths for run in runs])

    @property
    def is_judged(self) -> bool:
        """Whether ``by_law`` is already computed. The computation takes milliseconds."""
        return "by_law" in vars(self)

    @cached_property
    def by_law(self) -> Learned:
        """The learned times for gangs that use the law if it predicts better; computed at the first access."""
        observed = observe(self._runs)
        law = observed.judged.better
        thousandths = (
            [run.thousandths for run in observed.alike] if law is None else thousandths_of_law(observed.alike, law)
        )
        return replace(self._learned(thousandths), judged=observed.judged, kinds=observed.kinds)

    def _learned(self, thousandths: Sequence[int]) -> Learned:
        return Learned(thousandths=quantile_of_next(thousandths, self._quantile), runs=len(thousandths))


class PastRuns:
    """The remembered runs, and the times learned from them. With ``quantile`` 0, nothing is learned.

    ``changed`` is called when gangs may be planned with other run times.
    """

    def __init__(self, changed: Callable[[], None], quantile: float = USUAL_QUANTILE) -> None:
        self._changed = changed
        self._quantile = quantile
        self._memory = RunMemory[PastRun](self._runs_changed)
        self._pending: set[Template] = set()
        self._in_force: dict[Template, _KnownLaws] = {}
        self.changes = 0

    def __len__(self) -> int:
        """The number of known templates."""
        return len(self._memory)

    @property
    def learns(self) -> bool:
        """Whether run times are learned."""
        return bool(self._quantile)

    @property
    def run_count(self) -> int:
        """The number of known runs."""
        return self._memory.run_count

    @property
    def judged(self) -> Iterator[Learned]:
        """The learned run times in force whose law is already computed."""
        return (known.by_law for known in self._in_force.values() if known.is_judged)

    @property
    def runs(self) -> RunsByTemplate:
        """All known runs."""
        return self._memory.runs

    def known_with(self, template: Template, run: PastRun | None) -> Runs:
        """The runs of a template, together with ``run``, which has just ended."""
        known = self._memory.of(template)
        return known if run is None or not self._quantile else last_runs((*known, run))

    def learn(self, template: Template, run: PastRun) -> None:
        """Record a run of the template that succeeded."""
        if not self._quantile:
            return
        runs = self.known_with(template, run)
        self._memory.put(template, runs)
        if len(runs) >= LEAST_RUNS:
            self._changed()

    def remember(self, kept: RunsByTemplate) -> None:
        """Load the runs that an earlier process kept, except for templates that this process already knows."""
        newer, self._memory = self._memory.runs, RunMemory[PastRun](self._runs_changed)
        for known in (kept, newer):
            for namespace, templates in known.items():
                for digest, runs in templates.items():
                    self._memory.put(Template(namespace, digest), runs)

    def put_in_force(self) -> None:
        """Use the times that were learned so far until the next call. Each plan begins with this call."""
        for template in self._pending:
            runs = self._memory.of(template)
            if len(runs) >= LEAST_RUNS:
                self._in_force[template] = _KnownLaws(runs, self._quantile)
            else:
                self._in_force.pop(template, None)
        self._pending.clear()

    def judging(self, gangs: Iterable[GangFact]) -> Callable[[], None] | None:
        """A function that computes the missing laws of these gangs; None if none is missing.

        The function may run in another thread. Without it, each law is computed at the first query for its gang.
        """
        wanted = {self._known(gang) for gang in gangs if isinstance(gang, AcceptedGang) and gang.spec.learns}
        unjudged = [known for known in wanted if known is not None and not known.is_judged]
        return partial(_judge_all, unjudged) if unjudged else None

    def in_force(self, gang: GangFact) -> Learned | None:
        """The learned times with which the gang is planned; None if the times of its spec count."""
        known = self._known(gang)
        if known is None or not isinstance(gang, AcceptedGang):
            return None
        return known.by_law if gang.spec.learns else known.as_stated

    def _known(self, gang: GangFact) -> _KnownLaws | None:
        if not isinstance(gang, AcceptedGang) or not gang.spec.run_template:
            return None
        return self._in_force.get(Template(gang.key.namespace, gang.spec.run_template))

    def _runs_changed(self, template: Template) -> None:
        self._pending.add(template)
        self.changes += 1


def _judge_all(unjudged: Iterable[_KnownLaws]) -> None:
    for known in unjudged:
        known.by_law  # noqa: B018 - it is kept from then on


def factor_planned_with(status: GangStatus) -> float:
    """The factor by which the plan in the status has multiplied the times of the spec; 1 if the status has none."""
    return float(status.run_time_factor or 1) or 1.0


def quantile_of_next(runs: Collection[Number], quantile: float) -> Number:
    """The least of these numbers that the next run exceeds with a probability of at most 1 - ``quantile`` (0 to 1).

    If no number satisfies this, the largest one. ``runs`` must not be empty.
    """
    # Products such as 0.55 · 20 have a rounding error upwards.
    rank = math.ceil(round(quantile * (len(runs) + 1), 9))
    return sorted(runs)[min(max(rank, 1), len(runs)) - 1]
