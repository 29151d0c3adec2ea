"""Metrics of the nodes: the number of nodes in each state, and how much of their resources is used."""

from prometheus_client import CollectorRegistry, Gauge

from lockstep.report.metrics.capacity import CapacityByState, CapacityKind

NODE_STATES = ("in_use", "promised", "free", "closed")
SLOT_STATES = ("in_use", "promised", "free")
AMOUNT_STATES = ("in_use", "promised", "others", "free", "closed")
_THOUSAND = 1000


class CapacityMetrics:
    """Gauges of nodes, slots and amounts by state."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._declare_counts(registry)
        self._declare_amounts(registry)

    def _declare_counts(self, registry: CollectorRegistry) -> None:
        self.nodes = Gauge(
            "lockstep_nodes",
            "Nodes by state: in_use has members; promised will get members, or a gang keeps it free; closed "
            "takes no new members.",
            ["state"],
            registry=registry,
        )
        self.slots = Gauge(
            "lockstep_slots",
            "Members on nodes, members with a promised later start, and free places on open nodes whose bids "
            "limit the number of members.",
            ["state"],
            registry=registry,
        )
        for state in NODE_STATES:
            self.nodes.labels(state)
        for state in SLOT_STATES:
            self.slots.labels(state)

    def _declare_amounts(self, registry: CollectorRegistry) -> None:
        whose = "used by members, promised to gangs, used by other pods, left on open nodes, or left on closed nodes."
        self.cores = Gauge("lockstep_cores", f"Cores of the pool's nodes: {whose}", ["state"], registry=registry)
        self.gpus = Gauge("lockstep_gpus", f"GPUs of the pool's nodes: {whose}", ["state"], registry=registry)
        self.memory = Gauge(
            "lockstep_memory_bytes", f"Memory of the pool's nodes: {whose}", ["state"], registry=registry
        )
        for gauge in (self.cores, self.gpus, self.memory):
            for state in AMOUNT_STATES:
                gauge.labels(state)

    def show(self, counted: CapacityByState) -> None:
        """Set all gauges to these counts."""
        for name in NODE_STATES:
            self.nodes.labels(name).set(counted.nodes[name])
        for name in AMOUNT_STATES:
            self.cores.labels(name).set(counted.amounts[CapacityKind.MILLICORES][name] / _THOUSAND)
            self.gpus.labels(name).set(counted.amounts[CapacityKind.GPUS][name])
            self.memory.labels(name).set(counted.amounts[CapacityKind.MEMORY][name])
        for name in SLOT_STATES:
            self.slots.labels(name).set(counted.slots[name])
