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
            "Gangs that started by their promised start, and promises that were moved or withdrawn, by why, in the "
            "time shown. Overrun: run times are stated too short. MoreUrgent: priorities at work. The others are rare.",
            Query(happened("lockstep_promises_kept_total"), "kept"),
            Query(happened("lockstep_promises_broken_total", by="reason"), "{{reason}}"),
        ),
        graph(
            "Wait: expected ÷ real",
            "Medians over gangs that waited and started. Promised above 3: a promise says little. "
            "Likely far from 1: run times are not what their owners say.",
            Query(quantile(0.5, "lockstep_promised_wait_ratio"), "promised"),
            Query(quantile(0.5, "lockstep_likely_wait_ratio"), "likely"),
            unit=NoUnit,
        ),
        graph(
            "Start: expected and real",
            "Time between the last likely start and the real one, and time that was left of the promise: medians and 9 "
            "of 10, of gangs that waited. Far off: run times are not what their owners say.",
            Query(quantile(0.5, "lockstep_start_likely_error_seconds"), "off likely, median"),
            Query(quantile(0.9, "lockstep_start_likely_error_seconds"), "off likely, 90 %"),
            Query(quantile(0.5, "lockstep_start_promise_spare_seconds"), "spare, median"),
            unit=Seconds,
        ),
    ]


def _finishes() -> list[Panel]:
    error, ratio = "lockstep_finish_error_seconds", "lockstep_finish_ratio"
    return [
        graph(
            "Finish: expected and real",
            "Time between the last expected finish of a gang and the real one: medians, by what moved it most. Plan: "
            "another start or size than expected. RunTime: run times are not as stated. Attempts: gangs were made "
            "anew.",
            Query(quantile(0.5, error, by="reason"), "{{reason}}"),
            unit=Seconds,
            columns=WIDE_COLUMNS,
        ),
        graph(
            "Turnaround: real ÷ expected",
            "Medians of gangs that succeeded, by what moved their finish most. Below 1 gangs end sooner than "
            "expected; well above 1 they are promised too much.",
            Query(quantile(0.5, ratio, by="reason"), "{{reason}}"),
            unit=NoUnit,
            columns=WIDE_COLUMNS,
        ),
    ]


def _likely_starts() -> list[Panel]:
    return [
        counts(
            "New plans by reason",
            "Plans of waiting gangs that changed, in the time shown. FirstPlanned follows submissions. Many of "
            "QueueChanged are normal in a busy queue; NodesLost and NodesChanged come from the cluster.",
            Query(happened("lockstep_plan_changes_total", by="reason"), "{{reason}}"),
        ),
        graph(
            "Gangs planned exactly",
            "Gangs that the last plan placed one by one. It stops at 1,000; gangs behind these get an estimate.",
            Query(leaders("lockstep_planned_gangs"), "gangs"),
            unit="short",
        ),
        graph(
            "Event loop held",
            "For how long at a time something kept the process from everything else: 99 of 100 and the median. Above "
            "a second probes, watches and the lease suffer.",
            Query(quantile(0.99, "lockstep_event_loop_held_seconds"), "99 %"),
            Query(quantile(0.5, "lockstep_event_loop_held_seconds"), "median"),
            unit=Seconds,
        ),
    ]
