"""A cache of the nodes of one table that pass constraints; it lives as long as the table, over many plans."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from weakref import WeakKeyDictionary

from coschedule.model.numbers import BoolArray
from coschedule.queue.constraints.labels import LabelIndex
from coschedule.queue.constraints.node_sets import NodeSet, set_of
from coschedule.queue.constraints.taints import TaintIndex, Taints
from coschedule.queue.constraints.terms import Constraints


class Answers:
    """The columns of a table as sets of nodes, and the nodes that pass each of the constraints checked so far.

    A set takes one bit for each node. The set for some constraints is dropped when nothing refers to these constraints
    any more.
    """

    def __init__(
        self,
        names: Sequence[str],
        labels: Sequence[Mapping[str, str]],
        taints: Sequence[Taints],
        ready: BoolArray,
        unschedulable: BoolArray,
    ) -> None:
        self._names = names
        self._ready = ready
        self._unschedulable = unschedulable
        self.labels = LabelIndex(labels)
        self.taints = TaintIndex(taints)
        self.passing = WeakKeyDictionary[Constraints, NodeSet]()

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The index of each node, by name."""
        return {name: number for number, name in enumerate(self._names)}

    @cached_property
    def ready(self) -> NodeSet:
        """The nodes that are ready."""
        return set_of(self._ready)

    @cached_property
    def unschedulable(self) -> NodeSet:
        """The nodes that are cordoned."""
        return set_of(self._unschedulable)
