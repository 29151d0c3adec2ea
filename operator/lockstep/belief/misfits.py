"""Why members would not be put on given nodes: clauses with names and numbers, for a gang's owner."""

from collections.abc import Sequence

import numpy as np

from coschedule.cluster.feasibility import Feasibility
from coschedule.cluster.snapshot import Constraints, NodeTable
from lockstep.belief.node_arrays import NodeArrays

_MOST_NAMES = 6


def failed_check(nodes: NodeArrays, names: list[str], constraints: Constraints) -> str | None:
    """Name the nodes, of these in their order, that fail the first check that any of them fails."""
    passes = Feasibility(_only(nodes.table, [nodes.index[name] for name in names])).mask(constraints)
    failed: dict[str, list[str]] = {}
    for name in [name for name, passing in zip(names, passes.tolist(), strict=True) if not passing]:
        for check in Feasibility(_only(nodes.table, [nodes.index[name]])).failures(constraints):
            failed.setdefault(check, []).append(name)
    for why, failing in failed.items():
        return f"its constraints do not hold on {listed(failing)}: {why}"
    return None


def _only(table: NodeTable, rows: list[int]) -> NodeTable:
    """The table of these nodes, whose rows rise."""
    return NodeTable(
        names=tuple(table.names[row] for row in rows),
        labels=tuple(table.labels[row] for row in rows),
        taints=tuple(table.taints[row] for row in rows),
        ready=table.ready[rows],
        unschedulable=table.unschedulable[rows],
    )


def closed(nodes: NodeArrays, names: list[str], now: float, end: float | None) -> str | None:
    """Name the first node whose window is not open from now until the gang is expected to end."""
    for name in names:
        start, until = float(nodes.start[nodes.index[name]]), float(nodes.until[nodes.index[name]])
        if not start <= now < until:
            return f"{name} is not open to gangs now"
        if end is None and until < np.inf:
            return f"{name} is open for {until - now:.0f} s more only, and the run time is unknown"
        if end is not None and until < end:
            return f"{name} is open for {until - now:.0f} s more only, and the gang ends in {end - now:.0f} s"
    return None


def listed(names: Sequence[str]) -> str:
    """Name some, and count the others."""
    shown = ", ".join(names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"
