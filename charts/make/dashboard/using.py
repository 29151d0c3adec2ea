"""Row: who uses what."""

from charts.make.dashboard.panels import GRAPH_COLUMNS, WIDE_COLUMNS, Panel, Query, counts, graph, stacked
from charts.make.dashboard.queries import believed, happened, leaders
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
            "What groups of the FairShare have used, divided by their shares. A group that stays far above 1 while "
            "others wait has a higher priority, or long gangs.",
            Query(believed("lockstep_share_used_ratio", by="group"), "{{group}}"),
            Query(believed("lockstep_share_groups"), "groups"),
            unit=NoUnit,
            columns=WIDE_COLUMNS,
        ),
        graph(
            "Records that wait",
            "Records of gangs that wait for the recorder. A number that only grows means that no recorder takes them: "
            "see its log.",
            Query(leaders("lockstep_records_waiting"), "waiting"),
            unit="short",
            columns=WIDE_COLUMNS,
        ),
        counts(
            "Records lost",
            "Records of gangs that were lost in the time shown, since too many waited. They never come back: see why "
            "the recorder takes none.",
            Query(happened("lockstep_records_dropped_total"), "lost"),
            columns=WIDE_COLUMNS,
        ),
    ]


def _held(title: str, what: str, metric: str, unit: str, *, columns: int = GRAPH_COLUMNS) -> Panel:
    return stacked(
        graph(
            title,
            f"{what} that members of gangs request, of the 50 namespaces that hold the most. One that fills the graph "
            "while others wait needs a quota; lockstep history has the hours.",
            Query(believed(metric, by="gang_namespace"), "{{gang_namespace}}"),
            unit=unit,
            columns=columns,
        )
    )
