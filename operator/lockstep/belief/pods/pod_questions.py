"""Queries for pods by labels and namespaces, answered from the pods with the query's rarest label."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coschedule import Requirement
from lockstep.api.label_demands import LabelDemand, LabelDemands
from lockstep.api.label_selectors import words_in
from lockstep.belief.pods.pod_index import NO_PODS, PodIndex, PodSet, Rows
from lockstep.facts.pods.pod import LabelSelector

# Up to this number of pods, one check per pod is faster than array operations over all pods.
_FEW = 200
# At most this number of required labels are compared to find the rarest: a gang's terms may require thousands.
_MOST_COMPARED = 100
# For a requirement with more values than this, changes are noticed by the key of the label, not by each value.
_MOST_VALUES = 16

_NO_ROWS: Rows = np.zeros(0, dtype=np.intp)


class WantedPods(NamedTuple):
    """The pods that match a selector in some namespaces.

    ``selector``: None matches no pod. ``namespaces``: None stands for all namespaces.
    """

    selector: LabelSelector | None
    namespaces: frozenset[str] | None

    def is_about(self, namespace: str) -> bool:
        """Whether a pod of that namespace may match."""
        return self.namespaces is None or namespace in self.namespaces


Question = tuple[WantedPods, ...]
"""A query for the pods that match all of these."""


def words_of(question: Question) -> int:
    """The number of keys, values and namespaces in a query."""
    return sum(words_in(one.selector) + len(one.namespaces or ()) for one in question)


class PodDemand:
    """The conditions that a query sets for pods. They are computed at the first use, since most answers are kept."""

    def __init__(self, question: Question) -> None:
        self.question = question

    @cached_property
    def labels(self) -> LabelDemands:
        """The conditions for labels, from all selectors of the query."""
        return LabelDemands(one for wanted in self.question for one in wanted.selector or ())

    @cached_property
    def namespaces(self) -> frozenset[str] | None:
        """The namespaces that all parts of the query allow; None for all namespaces."""
        chosen = [one.namespaces for one in self.question if one.namespaces is not None]
        return frozenset.intersection(*chosen) if chosen else None

    @cached_property
    def is_for_none(self) -> bool:
        """Whether no pod matches, whatever its labels."""
        return any(wanted.selector is None for wanted in self.question)

    def takes(self, labels: Mapping[str, str], namespace: str) -> bool:
        """Whether a pod with these labels in that namespace matches."""
        if self.is_for_none or not (self.namespaces is None or namespace in self.namespaces):
            return False
        return self.labels.pass_with(labels)


class PodQuestion:
    """A query on the pods of an index."""

    def __init__(self, index: PodIndex, demand: PodDemand) -> None:
        self._index = index
        self._demand = demand

    @property
    def stamp(self) -> tuple[int, ...]:
        """Equal stamps mean that the same pods match.

        All matching pods have the first required label. The stamp changes with the pods that have this label. If the
        query requires no label, the stamp changes with all pods.
        """
        requirements = (one for wanted in self._demand.question for one in wanted.selector or ())
        one = next(filter(_is_of_a_label, requirements), None)
        if one is None:
            return (self._index.changes,)
        if one.operator == "In" and len(one.values) <= _MOST_VALUES:
            values = self._index.by_value(one.key)
            return tuple(values.get(value, NO_PODS).changed_at for value in one.values)
        return (self._index.having(one.key).changed_at,)

    def rows(self) -> Rows:
        """The rows of the matching pods."""
        known = self._index.known(self._demand.labels.of.keys())
        if not len(self._index.nodes) or self._demand.is_for_none or self._demand.labels.need_other_than(known):
            return _NO_ROWS
        asked = {key: self._demand.labels.of[key] for key in known}
        required = (self._having(key, demand) for key, demand in asked.items() if demand.is_required)
        rarest = min(islice(required, _MOST_COMPARED), key=_how_many, default=None)
        if rarest is not None and _how_many(rarest) <= _FEW:
            return self._one_by_one(rarest)
        return self._all_at_once(asked)

    def _one_by_one(self, sets: Iterable[PodSet]) -> Rows:
        rows = (row for those in sets for row in those.rows.tolist())
        return np.array([row for row in rows if self._is_meant(row)], dtype=np.intp)

    def _is_meant(self, row: int) -> bool:
        pod = self._index.pod(row)
        return self._demand.takes(dict(pod.labels), pod.key.namespace)

    def _all_at_once(self, asked: Mapping[str, LabelDemand]) -> Rows:
        meant = self._index.there.copy()
        for key, demand in asked.items():
            if demand.is_required:
                meant &= self._only(self._having(key, demand))
            for those in self._excluded(key, demand):
                meant[those.rows] = False
        if self._demand.namespaces is not None:
            allowed = np.zeros(len(self._index.namespaces), dtype=np.bool_)
            allowed[self._index.namespaces.of(self._demand.namespaces)] = True
            meant &= allowed[self._index.namespace]
        return np.flatnonzero(meant)

    def _only(self, sets: Iterable[PodSet]) -> NDArray[np.bool_]:
        only = np.zeros(len(self._index.there), dtype=np.bool_)
        for those in sets:
            only[those.rows] = True
        return only

    def _having(self, key: str, demand: LabelDemand) -> list[PodSet]:
        """The pods that have a label, with a value that the demand allows."""
        if demand.among is None:
            return [self._index.having(key)]
        values = self._index.by_value(key)
        return [values[value] for value in demand.among if value in values]

    def _excluded(self, key: str, demand: LabelDemand) -> Iterator[PodSet]:
        """The pods that have a forbidden label, or a forbidden value of the label."""
        if demand.is_forbidden:
            yield self._index.having(key)
        elif demand.outside:
            values = self._index.by_value(key)
            yield from (values[value] for value in demand.outside if value in values)


def _is_of_a_label(one: Requirement) -> bool:
    """Whether only pods with the label may pass."""
    return one.operator in ("In", "Exists")


def _how_many(sets: Iterable[PodSet]) -> int:
    return sum(map(len, sets))
