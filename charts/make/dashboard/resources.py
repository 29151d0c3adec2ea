"""Row: resources."""

from charts.make.dashboard.panels import Panel, Query, graph
from charts.make.dashboard.queries import series
from grafana_foundation_sdk.models.units import BytesIEC, Short


def resources() -> list[Panel]:
    """What the operator itself takes."""
    cpu = f"sum by (instance) (rate({series('process_cpu_seconds_total')}[$__rate_interval]))"
    return [
        graph(
            "CPU",
            "Cores that each replica uses. The leader plans on one core. If it uses a full core for minutes, "
            "plans are late.",
            Query(cpu, "{{instance}}"),
            unit=Short,
        ),
        graph(
            "Memory",
            "Resident memory of each replica. It grows with the number of nodes, pods and gangs. If it grows "
            "without them, the kernel finally kills the replica at its limit.",
            Query(f"max by (instance) ({series('process_resident_memory_bytes')})", "{{instance}}"),
            Query(f"min ({series('lockstep_memory_limit_bytes')})", "limit"),
            unit=BytesIEC,
        ),
        graph(
            "Open files",
            "Number of open connections and files of each replica, about 100 to 200. If the number only rises, "
            "the replica does not close its connections.",
            Query(f"max by (instance) ({series('process_open_fds')})", "{{instance}}"),
            unit=Short,
        ),
    ]
