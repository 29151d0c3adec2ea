"""Which nodes suit a gang, as far as they and its templates go: where its members would go if all else were free."""

import hashlib
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from coschedule import Feasibility, GangKey, NodeTable
from lockstep.api.pool import Pool
from lockstep.facts.gang import GangFact
from lockstep.facts.node import NodeFact


def suits(node: NodeFact, pool: Pool, gangs: Callable[[GangKey], GangFact | None]) -> Callable[[GangKey], bool]:
    """Return a test whether a member of some role of a gang could be on the node: many gangs may ask of one node."""
    feasibility = Feasibility(_table([node]))
    is_in_pool = pool.has(node.labels)

    def suits_gang(key: GangKey) -> bool:
        gang = gangs(key)
        return is_in_pool and gang is not None and bool(_passing(feasibility, gang).any())

    return suits_gang


def digest_of_suiting(nodes: Iterable[NodeFact], pool: Pool, gang: GangFact) -> str:
    """A digest of all nodes that suit the gang, and of what they say of themselves: another one where one changes."""
    there = sorted((node for node in nodes if pool.has(node.labels)), key=lambda node: node.name)
    passing = _passing(Feasibility(_table(there)), gang)
    digest = hashlib.sha256()
    for node in (there[index] for index in np.flatnonzero(passing).tolist()):
        digest.update(repr(_said_of_itself(node)).encode())
    return digest.hexdigest()[:16]


def _passing(feasibility: Feasibility, gang: GangFact) -> NDArray[np.bool_]:
    roles = gang.spec.roles if gang.spec is not None else ()
    masks = [feasibility.mask(role.constraints) for role in roles]
    return np.logical_or.reduce(masks) if masks else np.zeros(0, dtype=np.bool_)


def _said_of_itself(node: NodeFact) -> tuple[object, ...]:
    return node.name, sorted(node.labels.items()), node.taints, node.allocatable, node.system


def _table(nodes: list[NodeFact]) -> NodeTable:
    return NodeTable(
        names=tuple(node.name for node in nodes),
        labels=tuple(node.labels for node in nodes),
        taints=tuple(node.taints for node in nodes),
        ready=np.array([node.is_ready for node in nodes], dtype=np.bool_),
        unschedulable=np.array([node.is_unschedulable for node in nodes], dtype=np.bool_),
    )
