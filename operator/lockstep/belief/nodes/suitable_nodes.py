"""Finds the nodes whose own properties suit a gang's templates, whether or not they are free."""

import hashlib
from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from coschedule import Feasibility, NodeTable
from lockstep.api.pool import Pool
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.gang import AcceptedGang, GangFact


class Suiting:
    """Finds which of these nodes are in the pool and suit a gang. Nothing is computed before the first query."""

    def __init__(self, nodes: Iterable[NodeFact], pool: Pool) -> None:
        self._nodes = nodes
        self._pool = pool

    def any_suits(self, gang: GangFact) -> bool:
        """Whether one of the nodes suits a role of the gang."""
        return bool(self._passing(gang).any())

    def names(self, gang: GangFact) -> frozenset[str]:
        """The names of the nodes that suit a role of the gang."""
        return frozenset(node.name for node in self._suiting(gang))

    def digest(self, gang: GangFact) -> str:
        """A digest of the names, labels, taints, allocatable amounts and systems of the suitable nodes."""
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
        roles = gang.spec.roles if isinstance(gang, AcceptedGang) else ()
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
