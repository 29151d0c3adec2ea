"""How long changes of size take, learned from other gangs of the same template.

A gang that has changed its size is expected to take as long as the last time. Before its first change, the median of
the newest changes of other gangs counts. Statuses have these changes, so a new process knows them too. Changes that end
all members say nothing about changes in which the members run on, so each mode is learned by itself.
"""

from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

from coschedule import ChangeTerms, GangKey
from lockstep.belief.run_times.run_memory import RunMemory
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.past_runs import Template

MOST_CHANGES = 9
"""How many changes are kept for one template; each is the last change of another gang."""


class _TimedChange(NamedTuple):
    """The last change of a gang. Changes are compared by the time at which they began."""

    began_at: float
    gang_uid: str
    seconds: int


class ChangeTimes:
    """The newest changes of the gangs in the cache, by template."""

    def __init__(self) -> None:
        self._memory = RunMemory[_TimedChange](lambda _: None)

    def gang_applied(self, before: GangFact | None, gang: GangFact) -> None:
        """Learn from the status of a gang, which was known as ``before``."""
        template, change = _template(gang), _timed_change(gang)
        if before is not None and _template(before) != template:
            self.gang_removed(before)
        if template is not None and change is not None:
            others = [one for one in self._memory.of(template) if one.gang_uid != gang.uid]
            self._keep(template, sorted([*others, change])[-MOST_CHANGES:])

    def gang_removed(self, gang: GangFact) -> None:
        """Forget the change of a gang that is gone."""
        template = _template(gang)
        if template is not None:
            self._keep(template, [one for one in self._memory.of(template) if one.gang_uid != gang.uid])

    def seconds(self, gang: GangFact) -> float | None:
        """The median of the last changes of gangs of the same template, in seconds; None if there were none."""
        template = _template(gang)
        known = () if template is None else self._memory.of(template)
        return float(median(one.seconds for one in known)) if known else None

    def terms(self, gang: GangFact) -> ChangeTerms | None:
        """The terms of the gang's next change by its spec; None if the spec does not allow changes."""
        elastic = _elastic(gang)
        return None if elastic is None else self.terms_by(elastic, gang)

    def terms_by(self, elastic: ElasticSpec, gang: GangFact) -> ChangeTerms:
        """The terms of the gang's next change, if it may change its size as ``elastic`` says."""
        status = gang.status
        return elastic.terms(status.last_change, status.failed_joins, learned=self.seconds(gang))

    def terms_of_waiting(self, gangs: Iterable[AcceptedGang]) -> dict[GangKey, ChangeTerms]:
        """The terms by gang, for these gangs; gangs without work, or whose size stays the same, are left out."""
        terms = ((gang.key, self.terms(gang)) for gang in gangs if gang.spec.work is not None)
        return {key: one for key, one in terms if one is not None}

    def _keep(self, template: Template, changes: list[_TimedChange]) -> None:
        if tuple(changes) == self._memory.of(template):
            return
        if changes:
            self._memory.put(template, tuple(changes))
        else:
            self._memory.drop(template)


def _elastic(gang: GangFact) -> ElasticSpec | None:
    return None if gang.spec is None else gang.spec.elastic


def _template(gang: GangFact) -> Template | None:
    """Identifies gangs whose changes take about equally long; None if the gang keeps its size or has no template."""
    elastic = _elastic(gang)
    if gang.spec is None or elastic is None or not gang.spec.run_template:
        return None
    return Template(gang.key.namespace, f"{gang.spec.run_template} {elastic.mode}")


def _timed_change(gang: GangFact) -> _TimedChange | None:
    last = gang.status.last_change
    return None if last is None or last.seconds is None else _TimedChange(last.began_at, gang.uid, last.seconds)
