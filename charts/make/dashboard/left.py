"""Row: what is left of the nodes."""

from charts.make.dashboard.panels import GRAPH_COLUMNS, WIDE_COLUMNS, Panel, Query, graph, stacked
from charts.make.dashboard.queries import leaders, taken
from grafana_foundation_sdk.models.units import BytesIEC, PercentUnit


def utilisation() -> Panel:
    """What part of the nodes is in use."""
    return graph(
        "Use of the pool",
        "What part of the pool's nodes has members of gangs, and what part of cores, GPUs and memory they request. Far "
        "below 100 % beside gangs that wait: see why those wait.",
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
            "In use: they have members. Promised: a gang starts there later, or holds them. Closed: cordoned, not "
            "ready or not offered now. Free nodes beside waiting gangs: find out why those wait.",
            "lockstep_nodes",
        ),
        _by_state(
            "Slots by state",
            "Members on nodes, members promised for later, and room for more on nodes whose bids limit members. "
            "No free slots beside a growing queue: offer more nodes, or more slots.",
            "lockstep_slots",
        ),
        _by_state(
            "Cores by state",
            "Cores of the pool's nodes that members request, that are promised, that other pods request, and what "
            "is left on open and on closed nodes. Much of others beside waiting gangs: the pool is not theirs.",
            "lockstep_cores",
        ),
        _by_state(
            "GPUs by state",
            "GPUs of the pool's nodes, in the same way. Free ones beside gangs that wait for GPUs: their nodes lack "
            "cores or memory, or too few are on one node.",
            "lockstep_gpus",
            columns=WIDE_COLUMNS,
        ),
        _by_state(
            "Memory by state",
            "Memory of the pool's nodes, in the same way. None free beside free cores: members ask for more memory "
            "than nodes have for each core.",
            "lockstep_memory_bytes",
            unit=BytesIEC,
            columns=WIDE_COLUMNS,
        ),
    ]


def _by_state(title: str, description: str, metric: str, *, unit: str = "short", columns: int = GRAPH_COLUMNS) -> Panel:
    query = Query(leaders(metric, by="state"), "{{state}}")
    return stacked(graph(title, description, query, unit=unit, columns=columns))
