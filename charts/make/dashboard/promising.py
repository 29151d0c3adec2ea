"""Row: whether it keeps its word."""

from charts.make.dashboard.panels import WIDE_COLUMNS, Panel, Query, counts, graph
from charts.make.dashboard.queries import happened, leaders, quantile
from grafana_foundation_sdk.models.units import NoUnit, Seconds


def does_it_keep_its_word() -> list[Panel]:
    """What gangs that wait were promised of their start and finish, and what came of it."""
    return [*_promises(), *_finishes(), *_likely_starts()]


def _promises() -> list[Panel]:
    return [
        counts(
            "Promises kept and broken",
            "Number of gangs that started by their promised start, and of promises that Lockstep moved or "
            "withdrew, by reason, in the time shown. Overrun: gangs ran longer than stated. MoreUrgent: gangs of "
            "higher priority came. Other reasons are rare.",
            Query(happened("lockstep_promises_kept_total"), "kept"),
            Query(happened("lockstep_promises_broken_total", by="reason"), "{{reason}}"),
        ),
        graph(
            "Wait: expected ÷ real",
            "Expected wait divided by real wait, median of gangs that started after a wait. If promised is above 3, "
            "promises are far too late. If likely is far from 1, run times are not as stated.",
            Query(quantile(0.5, "lockstep_promised_wait_ratio"), "promised"),
            Query(quantile(0.5, "lockstep_likely_wait_ratio"), "likely"),
            unit=NoUnit,
        ),
        graph(
            "Start: expected and real",
            "Gangs that started after a wait. error: time between the last estimated start and the real start "
            "of gangs that waited. spare: "
            "time between the real start and the promised start. If the error is large, run times are not as "
            "stated.",
            Query(quantile(0.5, "lockstep_start_likely_error_seconds"), "error, median"),
            Query(quantile(0.9, "lockstep_start_likely_error_seconds"), "error, 90 %"),
            Query(quantile(0.5, "lockstep_start_promise_spare_seconds"), "spare, median"),
            unit=Seconds,
        ),
    ]


def _finishes() -> list[Panel]:
    error, ratio = "lockstep_finish_error_seconds", "lockstep_finish_ratio"
    return [
        graph(
            "Finish: expected and real",
            "Median time between a gang's last expected finish and its real finish, by the main cause. Plan: the "
            "gang got another start or size. RunTime: its run time was not as stated. Attempts: Lockstep created "
            "its members again.",
            Query(quantile(0.5, error, by="reason"), "{{reason}}"),
            unit=Seconds,
            columns=WIDE_COLUMNS,
        ),
        graph(
            "Turnaround: real ÷ expected",
            "Time from creation to finish, divided by the expected time: median of gangs that succeeded, by the "
            "main cause of the difference. Below 1, gangs end sooner than expected. Above 1, gangs end later than "
            "expected.",
            Query(quantile(0.5, ratio, by="reason"), "{{reason}}"),
            unit=NoUnit,
            columns=WIDE_COLUMNS,
        ),
    ]


def _likely_starts() -> list[Panel]:
    return [
        counts(
            "New plans by reason",
            "Number of changes in the plans of waiting gangs, by reason, in the time shown. FirstPlanned counts "
            "new gangs. QueueChanged is frequent in a busy queue. NodesLost and NodesChanged come from changes of "
            "nodes.",
            Query(happened("lockstep_plan_changes_total", by="reason"), "{{reason}}"),
        ),
        graph(
            "Gangs planned exactly",
            "Number of gangs that the last plan placed one by one, 1,000 at most. Gangs behind them in the queue "
            "get only an estimate.",
            Query(leaders("lockstep_planned_gangs"), "gangs"),
            unit="short",
        ),
        graph(
            "Event loop blocked",
            "Time for which a single step blocks the event loop of the process. Above a second, probes, watches "
            "and the Lease may time out.",
            Query(quantile(0.99, "lockstep_event_loop_held_seconds"), "99 %"),
            Query(quantile(0.5, "lockstep_event_loop_held_seconds"), "median"),
            unit=Seconds,
        ),
    ]
