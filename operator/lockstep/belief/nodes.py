"""The nodes, by name, and what is worked out of all of them together, once after each change."""

from collections.abc import Callable

from lockstep.belief.domains import Domains
from lockstep.belief.node_index import NodeIndex
from lockstep.facts.node import NodeFact


class Nodes(dict[str, NodeFact]):
    """What is known of each node; changed by :meth:`apply` and :meth:`remove` only.

    ``changed`` is called after each change. Before it ``applied`` is told the name of a node that is new or other than
    before, ``removed`` that of one that is gone. ``generation`` counts the changes.
    """

    def __init__(
        self, changed: Callable[[], None], *, applied: Callable[[str], None], removed: Callable[[str], None]
    ) -> None:
        super().__init__()
        self._changed = changed
        self._applied = applied
        self._removed = removed
        self.generation = 0
        self.domains = Domains(self)
        self._index = NodeIndex({})
        self._indexed = 0

    def apply(self, fact: NodeFact) -> None:
        """A node is there, or has changed. Heartbeats, which change no fact, are no change."""
        if self.get(fact.name) != fact:
            self[fact.name] = fact
            self._applied(fact.name)
            self.note_change()

    def remove(self, name: str) -> None:
        """A node is gone."""
        if self.pop(name, None) is not None:
            self._removed(name)
            self.note_change()

    def note_change(self) -> None:
        """Something else has changed that is counted with a node."""
        self.generation += 1
        self.domains.forget()
        self._changed()

    def index(self) -> NodeIndex:
        """All nodes by their labels; another one after each change."""
        if self._indexed != self.generation:
            self._index = NodeIndex(dict(self))
            self._indexed = self.generation
        return self._index
