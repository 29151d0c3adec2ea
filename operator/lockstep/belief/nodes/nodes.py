"""The nodes by name, with their domains and their index of labels, which are computed once after each change."""

from collections import Counter
from collections.abc import Callable

from lockstep.belief.nodes.domains import Domains
from lockstep.belief.nodes.node_index import NodeIndex
from lockstep.facts.cluster.node import NodeFact, kind_of_node


class KnownNodes(dict[str, NodeFact]):
    """The newest fact of each node; changed only by :meth:`apply` and :meth:`remove`.

    ``changed`` is called after each change. Before that, ``applied`` is called with the name of a new or changed node,
    or ``removed`` with the name of a node that is gone. ``generation`` counts all changes, including those of bids.
    ``labels_generation`` counts only new nodes, removed nodes and changed labels, which are rarer.
    """

    def __init__(
        self, changed: Callable[[], None], *, applied: Callable[[str], None], removed: Callable[[str], None]
    ) -> None:
        super().__init__()
        self._changed = changed
        self._applied = applied
        self._removed = removed
        self.generation = 0
        self.labels_generation = 0
        self.domains = Domains(self)
        self._index = NodeIndex({})
        # The number of nodes that have each resource.
        self._offering: Counter[str] = Counter()

    def apply(self, fact: NodeFact) -> None:
        """Add or update a node. A heartbeat changes no fact, so it is no change."""
        before = self.get(fact.name)
        if before != fact:
            self[fact.name] = fact
            self._count_resources(before, -1)
            self._count_resources(fact, +1)
            if before is None or before.labels != fact.labels:
                self._record_labels(before, fact)
            self._applied(fact.name)
            self.record_change()

    def remove(self, name: str) -> None:
        """Remove a node."""
        before = self.pop(name, None)
        if before is not None:
            self._count_resources(before, -1)
            self._record_labels(before, None)
            self._removed(name)
            self.record_change()

    def record_change(self) -> None:
        """Count another change that belongs to nodes."""
        self.generation += 1
        self._changed()

    def kind_of(self, name: str) -> str:
        """The kind of the node of that name; empty if it has none, or if there is no such node."""
        return kind_of_node(self.get(name))

    def is_offered(self, resource: str) -> bool:
        """Whether any node has that resource in its allocatable amounts."""
        return resource in self._offering

    def index(self) -> NodeIndex:
        """All nodes by their labels; a new index after each change of labels."""
        if self._index.generation != self.labels_generation:
            self._index = NodeIndex(dict(self), self.labels_generation)
        return self._index

    def _count_resources(self, node: NodeFact | None, more: int) -> None:
        for resource, _ in node.allocatable if node is not None else ():
            self._offering[resource] += more
            if not self._offering[resource]:
                del self._offering[resource]

    def _record_labels(self, before: NodeFact | None, after: NodeFact | None) -> None:
        self.labels_generation += 1
        self.domains.nodes_changed(before, after)
