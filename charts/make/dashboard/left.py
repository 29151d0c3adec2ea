"""Row: what is left of the nodes."""

from charts.make.dashboard.panels import GRAPH_COLUMNS, WIDE_COLUMNS, Panel, Query, graph, stacked
from charts.make.dashboard.queries import leaders, taken
from grafana_foundation_sdk.models.units import BytesIEC, PercentUnit


def utilisation() -> Panel:
    """What part of the nodes is in use."""
    return graph(
        "Use of the pool",
        "Share of the pool's nodes that run members of gangs, and share of its cores, GPUs and memory that "
        "members request. If the shares are far below 100 % while gangs wait, find out why the gangs wait.",
        Query(taken("lockstep_nodes"), "nodes"),
        Query(taken("lockstep_cores"), "cores"),
        Query(taken("lockstep_gpus"), "GPUs"),
        Query(taken("lockstep_memory_bytes"), "memory"),
        unit=PercentUnit,
    ).max(1)


def what_is_left() -> list[Panel]:
    """Nodes, slots, cores, GPUs and memory by who has them."""
    return [
        _by_state(
            "Nodes by state",
            "Nodes of the pool. in_use: number of nodes with members. promised: a gang will start there, or keeps "
            "the nodes free. "
            "closed: cordoned, not ready or not offered now. If nodes are free while gangs wait, find out why the "
            "gangs wait.",
            "lockstep_nodes",
        ),
        _by_state(
            "Slots by state",
            "Places for members. in_use: number of members on nodes. promised: number of members with a promised "
            "later start. free: "
            "number of free places on nodes whose bids limit the number of members. If no place is free while the "
            "queue grows, offer more nodes, or more slots in the bids.",
            "lockstep_slots",
        ),
        _by_state(
            "Cores by state",
            "Cores of the pool's nodes: requested by members, promised to gangs, requested by other pods, and "
            "left on open and on closed nodes. If other pods use much while gangs wait, keep these pods off the "
            "pool.",
            "lockstep_cores",
        ),
        _by_state(
            "GPUs by state",
            "GPUs of the pool's nodes, by the same states as cores. If GPUs are free while gangs wait for GPUs, "
            "their nodes lack cores or memory, or too few free GPUs are on one node.",
            "lockstep_gpus",
            columns=WIDE_COLUMNS,
        ),
        _by_state(
            "Memory by state",
            "Memory of the pool's nodes, by the same states as cores. If cores are free but no memory is, members "
            "request more memory per core than the nodes have.",
            "lockstep_memory_bytes",
            unit=BytesIEC,
            columns=WIDE_COLUMNS,
        ),
    ]


def _by_state(title: str, description: str, metric: str, *, unit: str = "short", columns: int = GRAPH_COLUMNS) -> Panel:
    query = Query(leaders(metric, by="state"), "{{state}}")
    return stacked(graph(title, description, query, unit=unit, columns=columns))
