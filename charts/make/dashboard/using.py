"""Row: who uses what."""

from charts.make.dashboard.panels import GRAPH_COLUMNS, WIDE_COLUMNS, Panel, Query, counts, graph, stacked
from charts.make.dashboard.queries import believed, happened, held, leaders
from grafana_foundation_sdk.models.units import BytesIEC, NoUnit


def use_in_view() -> list[Panel]:
    """What gangs of each namespace hold of what is dearest."""
    return [
        _held("Cores by namespace", "Cores", "lockstep_namespace_cores", "short"),
        _held("GPUs by namespace", "GPUs", "lockstep_namespace_gpus", "short"),
    ]


def who_uses_what() -> list[Panel]:
    """What else gangs of each namespace hold, their shares, and whether records of it reach the recorder."""
    return [
        _held("Memory by namespace", "Memory", "lockstep_namespace_memory_bytes", BytesIEC, columns=WIDE_COLUMNS),
        graph(
            "Use of shares",
            "Use of each group of the FairShare, divided by its share. If a group stays far above 1 while others "
            "wait, its gangs have a higher priority or run long.",
            Query(believed("lockstep_share_used_ratio", by="group"), "{{group}}"),
            Query(believed("lockstep_share_groups"), "groups"),
            unit=NoUnit,
            columns=WIDE_COLUMNS,
        ),
        graph(
            "Records that wait",
            "Number of records of gangs that wait for the recorder. If the number only grows, the recorder takes "
            "none. Its log says why.",
            Query(leaders("lockstep_records_waiting"), "waiting"),
            unit="short",
            columns=WIDE_COLUMNS,
        ),
        counts(
            "Records lost",
            "Number of records of gangs that were lost in the time shown, since too many waited. Lost records "
            "can't be restored. The recorder's log says why it took none.",
            Query(happened("lockstep_records_dropped_total"), "lost"),
            columns=WIDE_COLUMNS,
        ),
    ]


def _held(title: str, what: str, metric: str, unit: str, *, columns: int = GRAPH_COLUMNS) -> Panel:
    return stacked(
        graph(
            title,
            f"{what} that members of gangs request, in the 50 namespaces that request the most. If one namespace "
            "fills the graph while others wait, it needs a quota. lockstep history shows the sums over time.",
            Query(held(metric, by="gang_namespace"), "{{gang_namespace}}"),
            unit=unit,
            columns=columns,
        )
    )
