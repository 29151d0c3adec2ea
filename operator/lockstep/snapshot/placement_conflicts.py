"""Placement conflicts: values that say why members would not be placed on given nodes. ``report`` formats them."""

from dataclasses import dataclass

import numpy as np

from coschedule import Constraints, Feasibility, NodeTable
from lockstep.snapshot.affinity.broken_terms import TermBroken
from lockstep.snapshot.nodes.node_arrays import NodeArrays


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesGone:
    """These nodes do not exist."""

    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesNotInPool:
    """These nodes are not in the operator's pool."""

    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksFail:
    """These nodes fail the ``check`` of the members' constraints."""

    nodes: tuple[str, ...]
    check: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowClosed:
    """The node is not open from now until the expected end of the gang.

    The node is open for ``open_seconds`` more, 0 if it is not open now. The gang ends in ``needed_seconds``, None if
    its run time is unknown.
    """

    node: str
    open_seconds: float
    needed_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLittleRoom:
    """The node has room for only ``fit`` of the ``wanted`` members: too little of that resource is free."""

    node: str
    fit: int
    wanted: int
    resource: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StaysTooShort:
    """A taint of the node evicts members after ``stays_seconds``, the time for which they tolerate it.

    The gang ends in ``needed_seconds``, None if its run time is unknown.
    """

    node: str
    stays_seconds: float
    needed_seconds: float | None


PlacementConflict = NodesGone | NodesNotInPool | ChecksFail | StaysTooShort | TermBroken | WindowClosed | TooLittleRoom


def failed_check(nodes: NodeArrays, names: list[str], constraints: Constraints) -> ChecksFail | None:
    """The nodes that fail the first failed check, in the order of the nodes; None if all pass."""
    passes = Feasibility(_only(nodes.table, [nodes.index[name] for name in names])).mask(constraints)
    failed: dict[str, list[str]] = {}
    for name in [name for name, passing in zip(names, passes.tolist(), strict=True) if not passing]:
        for check in Feasibility(_only(nodes.table, [nodes.index[name]])).failures(constraints):
            failed.setdefault(check, []).append(name)
    return next((ChecksFail(nodes=tuple(failing), check=check) for check, failing in failed.items()), None)


def evicting(
    nodes: NodeArrays, names: list[str], constraints: Constraints, now: float, end: float | None
) -> StaysTooShort | None:
    """The first node where a taint evicts members before the gang is expected to end; None if there is none."""
    stays = Feasibility(_only(nodes.table, [nodes.index[name] for name in names])).stays(constraints)
    needed = None if end is None else end - now
    for name, seconds in zip(names, [] if stays is None else stays.tolist(), strict=stays is not None):
        if seconds < (np.inf if needed is None else needed):
            return StaysTooShort(node=name, stays_seconds=seconds, needed_seconds=needed)
    return None


def _only(table: NodeTable, rows: list[int]) -> NodeTable:
    """The rows of these nodes in the table; ``rows`` must be in rising order."""
    return NodeTable(
        names=tuple(table.names[row] for row in rows),
        labels=tuple(table.labels[row] for row in rows),
        taints=tuple(table.taints[row] for row in rows),
        ready=table.ready[rows],
        unschedulable=table.unschedulable[rows],
    )


def closed(nodes: NodeArrays, names: list[str], now: float, end: float | None) -> WindowClosed | None:
    """The first node that is not open from now until the expected end of the gang; None if there is none."""
    needed = None if end is None else end - now
    for name in names:
        start, until = float(nodes.start[nodes.index[name]]), float(nodes.until[nodes.index[name]])
        if not start <= now < until:
            return WindowClosed(node=name, open_seconds=0.0, needed_seconds=needed)
        if until < (np.inf if end is None else end):
            return WindowClosed(node=name, open_seconds=until - now, needed_seconds=needed)
    return None
