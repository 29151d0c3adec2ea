"""On which nodes pods of which labels are: what required affinity and anti-affinity of a gang's own ask for.

Nothing is kept before somebody asks. Then pods are grouped by the labels that are asked for, and by no others: there
are few groups, though many pods have a label that is theirs alone. Which groups are meant is worked out once for each
question; later only groups that are new are looked at.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from lockstep.api.label_selectors import selects
from lockstep.belief.pod_index import PodIndex, count_one_less
from lockstep.facts.pod import LabelSelector, PodFact

_MOST_VIEWS = 64
_MOST_ANSWERS = 1_000


class Wanted(NamedTuple):
    """Pods whose labels match, in these namespaces; None stands for all."""

    selector: LabelSelector | None
    namespaces: frozenset[str] | None

    def has(self, labels: Mapping[str, str], namespace: str) -> bool:
        """Whether such a pod is one of them."""
        return (self.namespaces is None or namespace in self.namespaces) and selects(self.selector, labels)


Question = tuple[Wanted, ...]
"""Pods that are wanted in each of these ways."""


class Whereabouts:
    """The pods that are on a node, and on which. ``there`` lists all of them, for the first who asks."""

    def __init__(self, there: Callable[[], Iterable[PodFact]]) -> None:
        self._there = there
        self._index: PodIndex | None = None
        self._views: dict[tuple[str, ...], _View] = {}

    @property
    def are_asked_for(self) -> bool:
        """Whether anybody has asked, so that it matters which labels a pod has."""
        return self._index is not None

    def enter(self, pod: PodFact) -> None:
        """One more pod is on its node."""
        if self._index is not None:
            self._index.enter(pod)
        for view in self._views.values():
            view.enter(pod)

    def leave(self, pod: PodFact) -> None:
        """One pod less."""
        if self._index is not None:
            self._index.leave(pod)
        for view in self._views.values():
            view.leave(pod)

    def nodes_of(self, question: Question, own: Iterable[PodFact]) -> set[str]:
        """The nodes with pods that are wanted in all of these ways, besides one's ``own``."""
        keys = tuple(sorted({one.key for wanted in question for one in wanted.selector or ()}))
        view = self._views.pop(keys, None)
        if view is None:
            view = self._view(keys)
        # What was asked for last goes last.
        self._views[keys] = view
        if len(self._views) > _MOST_VIEWS:
            del self._views[next(iter(self._views))]
        return view.nodes_of(question, own)

    def _view(self, keys: tuple[str, ...]) -> "_View":
        if self._index is None:
            self._index = PodIndex(self._there())
        view = _View(keys, self._index.nodes())
        for pod in self._index.having_any(keys):
            view.tell_apart(pod)
        return view


class _Group(NamedTuple):
    """Pods that are alike to those who look at a few labels only."""

    namespace: str
    values: tuple[str | None, ...]


class _View:
    """The pods as those see them who ask for these labels; at first so many of each namespace on each node."""

    def __init__(self, keys: tuple[str, ...], nodes: Mapping[str, Counter[str]]) -> None:
        self._keys = keys
        self._without_any = tuple(None for _ in keys)
        self._groups = {_Group(namespace, self._without_any): Counter(counts) for namespace, counts in nodes.items()}
        self._answers: dict[Question, dict[_Group, Counter[str]]] = {}

    def enter(self, pod: PodFact) -> None:
        group = self._group_of(pod)
        if group not in self._groups:
            nodes = self._groups[group] = Counter()
            for question, answer in self._answers.items():
                if self._is_meant(group, question):
                    answer[group] = nodes
        self._groups[group][pod.node] += 1

    def tell_apart(self, pod: PodFact) -> None:
        """It has one of these labels: until now it was taken to have none."""
        self._leave(_Group(pod.key.namespace, self._without_any), pod.node)
        self.enter(pod)

    def leave(self, pod: PodFact) -> None:
        self._leave(self._group_of(pod), pod.node)

    def _leave(self, group: _Group, node: str) -> None:
        nodes = self._groups[group]
        count_one_less(nodes, node)
        if not nodes:
            del self._groups[group]
            for answer in self._answers.values():
                answer.pop(group, None)

    def nodes_of(self, question: Question, own: Iterable[PodFact]) -> set[str]:
        without = Counter((self._group_of(pod), pod.node) for pod in own)
        nodes: set[str] = set()
        for group, counts in self._answer(question).items():
            if without:
                nodes.update(node for node, count in counts.items() if count > without[group, node])
            else:
                nodes.update(counts)
        return nodes

    def _answer(self, question: Question) -> dict[_Group, Counter[str]]:
        if question not in self._answers:
            if len(self._answers) >= _MOST_ANSWERS:
                self._answers.clear()
            self._answers[question] = {
                group: nodes for group, nodes in self._groups.items() if self._is_meant(group, question)
            }
        return self._answers[question]

    def _group_of(self, pod: PodFact) -> _Group:
        labels = dict(pod.labels)
        return _Group(pod.key.namespace, tuple([labels.get(key) for key in self._keys]))

    def _is_meant(self, group: _Group, question: Question) -> bool:
        labels = {key: value for key, value in zip(self._keys, group.values, strict=True) if value is not None}
        return all(wanted.has(labels, group.namespace) for wanted in question)
