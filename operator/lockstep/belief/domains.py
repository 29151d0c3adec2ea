"""Nodes by the values of their labels: each value of a label makes one domain."""

from collections.abc import Iterable, Mapping

from lockstep.facts.node import NodeFact

Names = frozenset[str]


class Domains:
    """The domains of all nodes. Of each label that somebody asks for they are worked out once, until nodes change."""

    def __init__(self, nodes: Mapping[str, NodeFact]) -> None:
        self._nodes = nodes
        self._by_key: dict[str, Mapping[str, Names]] = {}

    def forget(self) -> None:
        """Nodes have changed."""
        self._by_key.clear()

    def by_value(self, key: str) -> Mapping[str, Names]:
        """The nodes of each domain of that label."""
        if key not in self._by_key:
            names: dict[str, list[str]] = {}
            for name, node in self._nodes.items():
                value = node.labels.get(key)
                if value is not None:
                    names.setdefault(value, []).append(name)
            self._by_key[key] = {value: frozenset(those) for value, those in names.items()}
        return self._by_key[key]

    def near(self, key: str, nodes: Iterable[str]) -> Names:
        """All nodes of the domains in which these are; one without that label is in none."""
        known = (self._nodes[node].labels.get(key) for node in nodes if node in self._nodes)
        by_value = self.by_value(key)
        return frozenset().union(*(by_value[value] for value in set(known) if value is not None))

    def without(self, names: Names) -> Names:
        """All other nodes."""
        return frozenset(self._nodes.keys() - names)
