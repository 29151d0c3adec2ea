"""Which nodes suit a gang, as far as they and its templates go: where its members would go if all else were free."""

import hashlib
from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from coschedule import Feasibility, NodeTable
from lockstep.api.pool import Pool
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.gang import GangFact


class Suiting:
    """Some nodes of the pool, of which many gangs may ask which of them suit. Costs nothing before the first asks."""

    def __init__(self, nodes: Iterable[NodeFact], pool: Pool) -> None:
        self._nodes = nodes
        self._pool = pool

    def any_suits(self, gang: GangFact) -> bool:
        """Whether a member of some role could be on one of them."""
        return bool(self._passing(gang).any())

    def names(self, gang: GangFact) -> frozenset[str]:
        """Those on which a member of some role could be."""
        return frozenset(node.name for node in self._suiting(gang))

    def digest(self, gang: GangFact) -> str:
        """A digest of all that suit the gang, and of what they say of themselves: another one where one changes."""
        digest = hashlib.sha256()
        for node in self._suiting(gang):
            said = node.name, sorted(node.labels.items()), node.taints, node.allocatable, node.system
            digest.update(repr(said).encode())
        return digest.hexdigest()[:16]

    @cached_property
    def _there(self) -> list[NodeFact]:
        return sorted((node for node in self._nodes if self._pool.has(node.labels)), key=lambda node: node.name)

    @cached_property
    def _feasibility(self) -> Feasibility:
        return Feasibility(_table(self._there))

    def _suiting(self, gang: GangFact) -> list[NodeFact]:
        return [self._there[index] for index in np.flatnonzero(self._passing(gang)).tolist()]

    def _passing(self, gang: GangFact) -> NDArray[np.bool_]:
        roles = gang.spec.roles if gang.spec is not None else ()
        masks = [self._feasibility.mask(role.constraints) for role in roles]
        return np.logical_or.reduce(masks) if masks else np.zeros(0, dtype=np.bool_)


def _table(nodes: list[NodeFact]) -> NodeTable:
    return NodeTable(
        names=tuple(node.name for node in nodes),
        labels=tuple(node.labels for node in nodes),
        taints=tuple(node.taints for node in nodes),
        ready=np.array([node.is_ready for node in nodes], dtype=np.bool_),
        unschedulable=np.array([node.is_unschedulable for node in nodes], dtype=np.bool_),
    )
