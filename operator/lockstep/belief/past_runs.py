"""What finished runs teach: by how much the times that specs state are multiplied for planning.

A template counts from its third run on, by a quantile of its last fifty. It is the nearest-rank one: of n runs in the
order of their factors the ⌈q·n⌉-th, so that of few runs the longest counts. What is in force changes only between
plans.
"""

import math
from collections.abc import Callable, Collection
from typing import TypeVar

from lockstep.facts.gang import GangFact, GangStatus
from lockstep.facts.past_runs import (
    MOST_RUNS,
    MOST_TEMPLATES,
    USUAL_QUANTILE,
    Learned,
    Runs,
    RunsByTemplate,
    Template,
    thousandths_of,
)

Number = TypeVar("Number", int, float)

LEAST_RUNS = 3
"""A template counts from so many runs on."""


class PastRuns:
    """The last runs of at most ``MOST_TEMPLATES`` templates. With ``quantile`` 0 nothing is learnt.

    ``changed`` is called when gangs may be planned with something new.
    The namespace that has most gives up the one that it has learnt of least recently: none can take the room of others.
    """

    def __init__(self, changed: Callable[[], None], quantile: float = USUAL_QUANTILE) -> None:
        self._changed = changed
        self._quantile = quantile
        self._runs: dict[str, dict[str, Runs]] = {}
        self._count = 0
        self._unsettled: set[Template] = set()
        self._in_force: dict[Template, Learned] = {}
        self.changes = 0

    def __len__(self) -> int:
        """How many templates are known."""
        return self._count

    @property
    def runs(self) -> RunsByTemplate:
        """Everything that is known."""
        return self._runs

    def learn(self, template: Template, factor: float) -> None:
        """A run of the template took ``factor`` times as long as its spec states."""
        if not self._quantile:
            return
        before = self._runs.get(template.namespace, {}).get(template.digest, ())
        runs = (*before, thousandths_of(factor))[-MOST_RUNS:]
        self._put(template, runs)
        if len(runs) >= LEAST_RUNS:
            self._changed()

    def remember(self, kept: RunsByTemplate) -> None:
        """Take over what an earlier process has kept, but for templates of which more is known here."""
        newer, self._runs, self._count = self._runs, {}, 0
        for known in (kept, newer):
            for namespace, templates in known.items():
                for digest, runs in templates.items():
                    self._put(Template(namespace, digest), runs)

    def settle(self) -> None:
        """A plan begins: what was learnt so far is in force until the next one."""
        for template in self._unsettled:
            runs = self._runs.get(template.namespace, {}).get(template.digest, ())
            if len(runs) >= LEAST_RUNS:
                self._in_force[template] = Learned(thousandths=nearest_rank(runs, self._quantile), runs=len(runs))
            else:
                self._in_force.pop(template, None)
        self._unsettled.clear()

    def in_force(self, gang: GangFact) -> Learned | None:
        """What the gang is planned with; None where its spec's own times count."""
        if gang.spec is None or not gang.spec.run_template:
            return None
        return self._in_force.get(Template(gang.key.namespace, gang.spec.run_template))

    def _put(self, template: Template, runs: Runs) -> None:
        """Enter the template as the one learnt of last."""
        templates = self._runs.pop(template.namespace, {})
        self._count += template.digest not in templates
        templates.pop(template.digest, None)
        templates[template.digest] = runs
        self._runs[template.namespace] = templates
        self._note(template)
        if self._count > MOST_TEMPLATES:
            self._drop_one()

    def _drop_one(self) -> None:
        crowded = max(self._runs, key=lambda namespace: len(self._runs[namespace]))
        oldest = next(iter(self._runs[crowded]))
        del self._runs[crowded][oldest]
        if not self._runs[crowded]:
            del self._runs[crowded]
        self._count -= 1
        self._note(Template(crowded, oldest))

    def _note(self, template: Template) -> None:
        self._unsettled.add(template)
        self.changes += 1


def factor_planned_with(status: GangStatus) -> float:
    """By how much the times of the spec were multiplied for the plan that the status has."""
    return float(status.run_time_factor or 1) or 1.0


def nearest_rank(runs: Collection[Number], quantile: float) -> Number:
    """The least of these of which a part of ``quantile``, from 0 to 1, is no greater; ``runs`` has some."""
    # Products such as 0.55 · 20 come out a rounding too large.
    rank = math.ceil(round(quantile * len(runs), 9))
    return sorted(runs)[max(rank, 1) - 1]
