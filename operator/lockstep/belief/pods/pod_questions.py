"""Queries for pods by labels and namespaces, answered from the pods with the query's rarest label."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coschedule import Requirement
from lockstep.api.label_selectors import selects, tests_of, words_in
from lockstep.belief.pods.pod_index import NO_PODS, PodIndex, PodSet, Rows
from lockstep.facts.pods.pod import LabelSelector

# Up to so many pods, checking them one by one is faster than checking all at once.
_FEW = 200
# Of so many requirements, the one that the fewest pods pass is searched for: a gang's terms may have thousands.
_MOST_COMPARED = 100
# For more values, only the key is checked for changes.
_MOST_VALUES = 16

_NO_ROWS: Rows = np.zeros(0, dtype=np.intp)


class WantedPods(NamedTuple):
    """Pods whose labels match, in these namespaces; None stands for all namespaces."""

    selector: LabelSelector | None
    namespaces: frozenset[str] | None

    def is_about(self, namespace: str) -> bool:
        """Whether a pod of that namespace may match."""
        return self.namespaces is None or namespace in self.namespaces

    def has(self, labels: Mapping[str, str], namespace: str) -> bool:
        """Whether a pod with these labels in that namespace matches."""
        return self.is_about(namespace) and selects(self.selector, labels)


Question = tuple[WantedPods, ...]
"""Pods that match each of these."""


def words_of(question: Question) -> int:
    """The number of keys, values and namespaces in a query."""
    return sum(words_in(one.selector) + len(one.namespaces or ()) for one in question)


class PodQuestion:
    """A query on the pods of an index."""

    def __init__(self, index: PodIndex, question: Question) -> None:
        self._index = index
        self._question = question
        self._requirements = [one for wanted in question for one in wanted.selector or ()]
        # Requirements that only pods with the label can pass.
        self._positive = [one for one in self._requirements if not _passes_without(one)]

    @property
    def stamp(self) -> tuple[int, ...]:
        """Equal stamps mean that the same pods match.

        All matching pods pass the first positive requirement, and the stamp shows whether the pods that pass it
        changed.
        """
        if not self._positive:
            return (self._index.changes,)
        one = self._positive[0]
        if one.operator == "In" and len(one.values) <= _MOST_VALUES:
            values = self._index.by_value(one.key)
            return tuple(values.get(value, NO_PODS).changed_at for value in one.values)
        return (self._index.having(one.key).changed_at,)

    def rows(self) -> Rows:
        """The rows of the matching pods."""
        if not len(self._index.nodes) or any(wanted.selector is None for wanted in self._question):
            return _NO_ROWS
        first = islice(self._positive, _MOST_COMPARED)
        rarest = min((self._passing(one) for one in first), key=_how_many, default=None)
        if rarest is not None and not _how_many(rarest):
            return _NO_ROWS
        if rarest is not None and _how_many(rarest) <= _FEW:
            return self._one_by_one(rarest)
        return self._all_at_once()

    def _one_by_one(self, sets: Iterable[PodSet]) -> Rows:
        tests = [(wanted.namespaces, tests_of(wanted.selector or ())) for wanted in self._question]
        found = []
        for row in (row for those in sets for row in those.rows.tolist()):
            pod = self._index.pod(row)
            labels, namespace = dict(pod.labels), pod.key.namespace
            if all(
                (names is None or namespace in names) and all(test(labels.get(key)) for key, test in of_wanted)
                for names, of_wanted in tests
            ):
                found.append(row)
        return np.array(found, dtype=np.intp)

    def _all_at_once(self) -> Rows:
        meant = self._index.there.copy()
        for one in self._requirements:
            if _passes_without(one):
                for those in self._failing(one):
                    meant[those.rows] = False
            else:
                meant &= self._only(self._passing(one))
        for wanted in self._question:
            if wanted.namespaces is not None:
                allowed = np.zeros(len(self._index.namespaces), dtype=np.bool_)
                allowed[self._index.namespaces.of(wanted.namespaces)] = True
                meant &= allowed[self._index.namespace]
        return np.flatnonzero(meant)

    def _only(self, sets: Iterable[PodSet]) -> NDArray[np.bool_]:
        only = np.zeros(len(self._index.there), dtype=np.bool_)
        for those in sets:
            only[those.rows] = True
        return only

    def _passing(self, one: Requirement) -> Sequence[PodSet]:
        """The pods that pass a requirement which pods without the label fail."""
        if one.operator == "Exists" and not one.values:
            return (self._index.having(one.key),)
        values = self._index.by_value(one.key)
        if one.operator == "In":
            return [values[value] for value in dict.fromkeys(one.values) if value in values]
        [(_, test)] = tests_of((one,))
        return [those for value, those in values.items() if test(value)]

    def _failing(self, one: Requirement) -> Iterator[PodSet]:
        """The pods that fail a requirement which pods without the label pass."""
        if one.operator == "DoesNotExist":
            yield self._index.having(one.key)
            return
        values = self._index.by_value(one.key)
        yield from (values[value] for value in one.values if value in values)


def _passes_without(one: Requirement) -> bool:
    """Whether a pod without the label passes."""
    return (one.operator == "NotIn" and bool(one.values)) or (one.operator == "DoesNotExist" and not one.values)


def _how_many(sets: Sequence[PodSet]) -> int:
    return sum(map(len, sets))
