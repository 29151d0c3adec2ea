"""What finished runs teach: by how much the times that specs state are multiplied for planning.

A template counts from its third run on, by a quantile of its last fifty: of n runs in the order of their factors the
⌈q·(n + 1)⌉-th, or the last where there is none. So the next run, if it is one like those before, keeps to it with a
probability of q, however few there are. (The rank is that of split conformal prediction, Vovk, Gammerman and Shafer
2005; the nearest rank, ⌈q·n⌉, would be exceeded by two of eleven next runs where ten are known.) Factors are beside
what is planned with: the spec's own times, or the law that the runs have followed. What is in force changes only
between plans.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TypeVar

from lockstep.belief.run_times.learned_law import thousandths_of_law, told_by
from lockstep.belief.run_times.run_memory import RunMemory
from lockstep.facts.gang.gang import GangFact, GangStatus
from lockstep.facts.past_runs import USUAL_QUANTILE, Learned, PastRun, Runs, RunsByTemplate, Template, last_runs

Number = TypeVar("Number", int, float)

LEAST_RUNS = 3
"""A template counts from so many runs on."""


class _KnownLaws:
    """What the runs of one template teach those gangs that want their law, and the others."""

    def __init__(self, runs: Runs, quantile: float) -> None:
        self._runs = runs
        self._quantile = quantile
        self.as_stated = self._learned([run.thousandths for run in runs])

    @property
    def is_judged(self) -> bool:
        """Whether ``by_law`` was asked for already: its law takes milliseconds to find."""
        return "by_law" in vars(self)

    @cached_property
    def by_law(self) -> Learned:
        """With the law where it is better; looked for when it is asked for first."""
        told = told_by(self._runs)
        law = told.judged.better
        thousandths = [run.thousandths for run in told.alike] if law is None else thousandths_of_law(told.alike, law)
        return replace(self._learned(thousandths), judged=told.judged, kinds=told.kinds)

    def _learned(self, thousandths: Sequence[int]) -> Learned:
        return Learned(thousandths=quantile_of_next(thousandths, self._quantile), runs=len(thousandths))


class PastRuns:
    """What the runs that are remembered teach. With ``quantile`` 0 nothing is learnt.

    ``changed`` is called when gangs may be planned with something new.
    """

    def __init__(self, changed: Callable[[], None], quantile: float = USUAL_QUANTILE) -> None:
        self._changed = changed
        self._quantile = quantile
        self._memory = RunMemory(self._note)
        self._unsettled: set[Template] = set()
        self._in_force: dict[Template, _KnownLaws] = {}
        self.changes = 0

    def __len__(self) -> int:
        """How many templates are known."""
        return len(self._memory)

    @property
    def learns(self) -> bool:
        """Whether anything is learnt."""
        return bool(self._quantile)

    @property
    def kept(self) -> int:
        """How many runs are known."""
        return self._memory.kept

    @property
    def judged(self) -> Iterator[Learned]:
        """What is in force of templates whose gangs want the law of their runs, as far as it was looked for."""
        return (known.by_law for known in self._in_force.values() if known.is_judged)

    @property
    def runs(self) -> RunsByTemplate:
        """Everything that is known."""
        return self._memory.runs

    def known_with(self, template: Template, run: PastRun | None) -> Runs:
        """The runs of a template, and one that has ended just now."""
        known = self._memory.of(template)
        return known if run is None or not self._quantile else last_runs((*known, run))

    def learn(self, template: Template, run: PastRun) -> None:
        """A run of the template has ended well."""
        if not self._quantile:
            return
        runs = self.known_with(template, run)
        self._memory.put(template, runs)
        if len(runs) >= LEAST_RUNS:
            self._changed()

    def remember(self, kept: RunsByTemplate) -> None:
        """Take over what an earlier process has kept, but for templates of which more is known here."""
        newer, self._memory = self._memory.runs, RunMemory(self._note)
        for known in (kept, newer):
            for namespace, templates in known.items():
                for digest, runs in templates.items():
                    self._memory.put(Template(namespace, digest), runs)

    def settle(self) -> None:
        """A plan begins: what was learnt so far is in force until the next one."""
        for template in self._unsettled:
            runs = self._memory.of(template)
            if len(runs) >= LEAST_RUNS:
                self._in_force[template] = _KnownLaws(runs, self._quantile)
            else:
                self._in_force.pop(template, None)
        self._unsettled.clear()

    def judging(self, gangs: Iterable[GangFact]) -> Callable[[], None] | None:
        """What finds the laws that these gangs want and that nobody has looked for yet; None where there is none.

        It may run beside everything else: without it, each law is found when its gang is asked about first.
        """
        wanted = {self._known(gang) for gang in gangs if gang.spec is not None and gang.spec.learns}
        unjudged = [known for known in wanted if known is not None and not known.is_judged]
        return partial(_judge_all, unjudged) if unjudged else None

    def in_force(self, gang: GangFact) -> Learned | None:
        """What the gang is planned with; None where its spec's own times count."""
        known = self._known(gang)
        if known is None or gang.spec is None:
            return None
        return known.by_law if gang.spec.learns else known.as_stated

    def _known(self, gang: GangFact) -> _KnownLaws | None:
        if gang.spec is None or not gang.spec.run_template:
            return None
        return self._in_force.get(Template(gang.key.namespace, gang.spec.run_template))

    def _note(self, template: Template) -> None:
        self._unsettled.add(template)
        self.changes += 1


def _judge_all(unjudged: Iterable[_KnownLaws]) -> None:
    for known in unjudged:
        known.by_law  # noqa: B018 - it is kept from then on


def factor_planned_with(status: GangStatus) -> float:
    """By how much the times of the spec were multiplied for the plan that the status has."""
    return float(status.run_time_factor or 1) or 1.0


def quantile_of_next(runs: Collection[Number], quantile: float) -> Number:
    """The least of these that one more run exceeds no more often than in a part of 1 - ``quantile``, from 0 to 1.

    The largest where none is enough for that; ``runs`` has some.
    """
    # Products such as 0.55 · 20 come out a rounding too large.
    rank = math.ceil(round(quantile * (len(runs) + 1), 9))
    return sorted(runs)[min(max(rank, 1), len(runs)) - 1]
