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
            "Cores that each replica uses. The leader plans in one; a full core for minutes means that plans are late.",
            Query(cpu, "{{instance}}"),
            unit=Short,
        ),
        graph(
            "Memory",
            "Resident memory of each replica. It follows the number of nodes, pods and gangs; growth without them "
            "ends in a kill by the kubelet.",
            Query(f"max by (instance) ({series('process_resident_memory_bytes')})", "{{instance}}"),
            Query(f"min ({series('lockstep_memory_limit_bytes')})", "limit"),
            unit=BytesIEC,
        ),
        graph(
            "Open files",
            "Connections and files of each replica: a hundred or two. A slope is connections that are never closed.",
            Query(f"max by (instance) ({series('process_open_fds')})", "{{instance}}"),
            unit=Short,
        ),
    ]
