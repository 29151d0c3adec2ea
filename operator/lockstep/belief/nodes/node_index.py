"""Nodes by their labels, for queries over thousands of nodes from thousands of volumes."""

from collections.abc import Iterable, Mapping
from functools import reduce

from coschedule import NodeTerm, Requirement, label_test
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.pods.pod import LabelSelector

Names = frozenset[str]

_NAME = "metadata.name"
_NOWHERE: Names = frozenset()


class NodeIndex:
    """The nodes of one ``generation`` by the values of their labels. Each distinct query is computed once."""

    def __init__(self, nodes: Mapping[str, NodeFact], generation: int = 0) -> None:
        self.all: Names = frozenset(nodes)
        self.generation = generation
        self._nodes = nodes
        self._by_value: dict[str, dict[str | None, Names]] = {}
        self._answers: dict[Requirement, Names] = {}
        self._reached: dict[tuple[tuple[NodeTerm, ...], ...], Names] = {}

    def selected(self, selector: LabelSelector | None) -> Names:
        """The nodes that match all requirements of a selector; no nodes if there is no selector."""
        return _NOWHERE if selector is None else self._all_of(map(self._by_label, selector))

    def matching(self, terms: Iterable[NodeTerm]) -> Names:
        """The nodes that match one of these terms; a term without a requirement matches none."""
        return _NOWHERE.union(*(self._term(term) for term in terms))

    def reaching(self, affinities: tuple[tuple[NodeTerm, ...], ...]) -> Names:
        """The nodes that match each of these affinities; the same set object for volumes with equal affinities."""
        if affinities not in self._reached:
            self._reached[affinities] = self._all_of(map(self.matching, affinities))
        return self._reached[affinities]

    def _all_of(self, answers: Iterable[Names]) -> Names:
        return reduce(frozenset.intersection, answers, self.all)

    def _term(self, term: NodeTerm) -> Names:
        if not term.labels and not term.fields:
            return _NOWHERE
        return self._all_of((*map(self._by_label, term.labels), *map(self._by_field, term.fields)))

    def _by_label(self, requirement: Requirement) -> Names:
        if requirement not in self._answers:
            by_value = self._values(requirement.key)
            if requirement.operator == "In":
                chosen = [by_value.get(value, _NOWHERE) for value in requirement.values]
            else:
                test = label_test(requirement)
                chosen = [names for value, names in by_value.items() if test(value)]
            self._answers[requirement] = _NOWHERE.union(*chosen)
        return self._answers[requirement]

    def _by_field(self, requirement: Requirement) -> Names:
        """The nodes that match a requirement of a field.

        The only field is ``metadata.name``. Requirements of other fields, or with several values, match no node.
        """
        if requirement.key != _NAME or len(requirement.values) != 1:
            return _NOWHERE
        named = self.all & set(requirement.values)
        return {"In": named, "NotIn": self.all - named}.get(requirement.operator, _NOWHERE)

    def _values(self, key: str) -> dict[str | None, Names]:
        if key not in self._by_value:
            names: dict[str | None, set[str]] = {}
            for name, node in self._nodes.items():
                names.setdefault(node.labels.get(key), set()).add(name)
            self._by_value[key] = {value: frozenset(those) for value, those in names.items()}
        return self._by_value[key]
