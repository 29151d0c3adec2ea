"""On which nodes pods of which labels are: required affinity and anti-affinity of a gang's own, towards others.

Nothing is kept before somebody asks for the first time. Pods that are alike are one group, and which groups are meant
is worked out once for each question: later only groups that are new are looked at.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from lockstep.belief.pod_terms import matches
from lockstep.facts.pod import Labels, LabelSelector, PodFact

_MOST_REMEMBERED = 1_000


class Wanted(NamedTuple):
    """Pods whose labels match, in these namespaces; None stands for all."""

    selector: LabelSelector | None
    namespaces: frozenset[str] | None

    def has(self, labels: Mapping[str, str], namespace: str) -> bool:
        """Whether such a pod is one of them."""
        return (self.namespaces is None or namespace in self.namespaces) and matches(self.selector, labels)


Question = tuple[Wanted, ...]
"""Pods that are wanted in each of these ways."""


class Group(NamedTuple):
    """Pods that are alike."""

    namespace: str
    labels: Labels

    def answers(self, question: Question) -> bool:
        """Whether they are wanted in all of these ways."""
        labels = dict(self.labels)
        return all(wanted.has(labels, self.namespace) for wanted in question)


class Whereabouts:
    """The groups that are on a node, and on which. ``there`` lists all pods that are, for the first who asks."""

    def __init__(self, there: Callable[[], Iterable[PodFact]]) -> None:
        self._there = there
        self._groups: dict[Group, Counter[str]] | None = None
        self._answers: dict[Question, dict[Group, Counter[str]]] = {}

    @property
    def are_asked_for(self) -> bool:
        """Whether anybody has asked, so that it matters which labels a pod has."""
        return self._groups is not None

    def enter(self, pod: PodFact) -> None:
        """One more pod is on its node."""
        if self._groups is None:
            return
        group = group_of(pod)
        if group not in self._groups:
            nodes = self._groups[group] = Counter()
            for question, answer in self._answers.items():
                if group.answers(question):
                    answer[group] = nodes
        self._groups[group][pod.node] += 1

    def leave(self, pod: PodFact) -> None:
        """One pod less."""
        if self._groups is None:
            return
        group = group_of(pod)
        nodes = self._groups[group]
        nodes[pod.node] -= 1
        if not nodes[pod.node]:
            del nodes[pod.node]
        if not nodes:
            del self._groups[group]
            for answer in self._answers.values():
                answer.pop(group, None)

    def nodes_of(self, question: Question, own: Iterable[PodFact]) -> set[str]:
        """The nodes with pods that are wanted in all of these ways, besides one's ``own``."""
        without = Counter((group_of(pod), pod.node) for pod in own)
        nodes: set[str] = set()
        for group, counts in self._answer(question).items():
            if without:
                nodes.update(node for node, count in counts.items() if count > without[group, node])
            else:
                nodes.update(counts)
        return nodes

    def _answer(self, question: Question) -> dict[Group, Counter[str]]:
        if self._groups is None:
            self._groups = {}
            for pod in self._there():
                self.enter(pod)
        if question not in self._answers:
            if len(self._answers) >= _MOST_REMEMBERED:
                self._answers.clear()
            self._answers[question] = {group: nodes for group, nodes in self._groups.items() if group.answers(question)}
        return self._answers[question]


def group_of(pod: PodFact) -> Group:
    """The group of a pod."""
    return Group(pod.key.namespace, pod.labels)
