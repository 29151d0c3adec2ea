"""Topology domains: nodes grouped by the value of a label."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from lockstep.facts.cluster.node import NodeFact

Names = frozenset[str]

_NONE: Mapping[str, Names] = {}


class Domains:
    """The domains of all nodes, computed once for each requested label, and anew after nodes change.

    ``changes`` counts these changes. A label that no node has costs nothing.
    """

    def __init__(self, nodes: Mapping[str, NodeFact]) -> None:
        self._nodes = nodes
        self._keys = Counter(key for node in nodes.values() for key in node.labels)
        self._by_key: dict[str, Mapping[str, Names]] = {}
        self._without: dict[str, Names] = {}
        self._all: Names | None = None
        self.changes = 0

    def nodes_changed(self, before: NodeFact | None, after: NodeFact | None) -> None:
        """Forget the computed domains, since a node is new or gone, or its labels have changed."""
        self.changes += 1
        self._by_key.clear()
        self._without.clear()
        self._all = None
        self._keys.update(() if after is None else after.labels.keys())
        self._keys.subtract(() if before is None else before.labels.keys())
        for key in () if before is None else before.labels:
            if not self._keys[key]:
                del self._keys[key]

    @property
    def all(self) -> Names:
        """All nodes."""
        if self._all is None:
            self._all = frozenset(self._nodes)
        return self._all

    def by_value(self, key: str) -> Mapping[str, Names]:
        """The nodes of each domain of that label, by its value."""
        if key not in self._keys:
            return _NONE
        if key not in self._by_key:
            names: dict[str, list[str]] = {}
            for name, node in self._nodes.items():
                value = node.labels.get(key)
                if value is not None:
                    names.setdefault(value, []).append(name)
            self._by_key[key] = {value: frozenset(those) for value, those in names.items()}
        return self._by_key[key]

    def without_label(self, key: str) -> Names:
        """The nodes without that label."""
        if key not in self._keys:
            return self.all
        if key not in self._without:
            self._without[key] = self.all.difference(*self.by_value(key).values())
        return self._without[key]

    def near(self, key: str, nodes: Iterable[str]) -> Names:
        """All nodes in the domains of these nodes; a node without the label is in no domain."""
        by_value = self.by_value(key)
        if not by_value:
            return frozenset()
        known = (self._nodes[node].labels.get(key) for node in nodes if node in self._nodes)
        return frozenset().union(*(by_value[value] for value in set(known) if value is not None))

    def without(self, names: Collection[str]) -> Names:
        """All nodes except these."""
        return self.all.difference(names)
