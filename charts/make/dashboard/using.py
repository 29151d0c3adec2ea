"""Row: who uses what."""

from charts.make.dashboard.panels import WIDE_COLUMNS, Panel, Query, graph, stacked
from charts.make.dashboard.queries import believed, leaders, rate
from grafana_foundation_sdk.models.units import BytesIEC, NoUnit


def who_uses_what() -> list[Panel]:
    """What gangs of each namespace hold, and whether records of it reach the recorder."""
    return [
        _held("Cores by namespace", "Cores", "lockstep_namespace_cores", "short"),
        _held("GPUs by namespace", "GPUs", "lockstep_namespace_gpus", "short"),
        _held("Memory by namespace", "Memory", "lockstep_namespace_memory_bytes", BytesIEC),
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
            "Records",
            "Records that wait for the recorder, and those that were lost, a second. A number that only grows means "
            "that no recorder takes them: see its log. Lost ones never come back.",
            Query(leaders("lockstep_records_waiting"), "waiting"),
            Query(rate("lockstep_records_dropped_total"), "lost, a second"),
            unit="short",
            columns=WIDE_COLUMNS,
        ),
    ]


def _held(title: str, what: str, metric: str, unit: str) -> Panel:
    return stacked(
        graph(
            title,
            f"{what} that members of gangs request, of the 50 namespaces that hold the most. One that fills the graph "
            "while others wait needs a quota; lockstep history has the hours.",
            Query(believed(metric, by="gang_namespace"), "{{gang_namespace}}"),
            unit=unit,
        )
    )
