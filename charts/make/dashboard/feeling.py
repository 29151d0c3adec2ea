"""Row: what users feel."""

from charts.make.dashboard.panels import (
    BAD,
    FAIR,
    GOOD,
    NARROW_COLUMNS,
    WIDE_COLUMNS,
    Panel,
    Query,
    Step,
    counts,
    graph,
    number,
    stacked,
)
from charts.make.dashboard.queries import believed, happened, held, mean, quantile, series
from grafana_foundation_sdk.models.units import Seconds


def what_users_feel() -> list[Panel]:
    """How many gangs there are, why they wait, and how they start."""
    return [*_numbers(), *_reasons(), *_starts()]


def waits_in_view() -> list[Panel]:
    """The two numbers by which users judge: how long the oldest gang waits, and how late the latest one is."""
    return [
        number(
            "Oldest waiting",
            "Age of the oldest waiting gang. Hours are normal in a long queue. If nodes are free, find out why "
            "the gang waits.",
            Query(believed("lockstep_oldest_pending_gang_seconds"), "age"),
            unit=Seconds,
            steps=(Step(None, GOOD),),
        ),
        number(
            "Past its plan",
            "Largest time by which a waiting gang is past its first planned start. Above 15 minutes, the gang "
            "waits much longer than its first plan said.",
            Query(believed("lockstep_start_overdue_seconds"), "late"),
            unit=Seconds,
            steps=(Step(None, GOOD), Step(300, FAIR), Step(900, BAD)),
        ),
    ]


def gangs_in_view() -> list[Panel]:
    """How many gangs there are, and how long they waited."""
    wait = "lockstep_gang_wait_seconds"
    return [
        stacked(
            graph(
                "Gangs by state",
                "Number of gangs in each state. If the number of pending gangs grows, users request more than the "
                "cluster has, or gangs do not fit. The panel Decisions by outcome shows the reasons.",
                Query(believed("lockstep_gangs", by="state"), "{{state}}"),
                unit="short",
            )
        ),
        graph(
            "Wait until bound",
            "Time from a gang's creation until all its members were bound. It rises with the queue. If nodes are "
            "free, it should be below two seconds.",
            Query(quantile(0.5, wait), "median"),
            Query(quantile(0.95, wait), "95 %"),
            unit=Seconds,
        ),
    ]


def waiting_by_namespace() -> Panel:
    """Whose gangs wait."""
    return stacked(
        graph(
            "Waiting by namespace",
            "Number of waiting gangs, in the 20 namespaces with the most of them. If one namespace fills the "
            "graph, limit its GangJobs with a quota.",
            Query(held("lockstep_waiting_gangs_by_namespace", by="gang_namespace"), "{{gang_namespace}}"),
            unit="short",
        )
    )


def _numbers() -> list[Panel]:
    fine = (Step(None, GOOD),)
    return [
        number(
            "Waiting",
            "Number of gangs that wait for nodes. If the number grows for days, users request more than the "
            "cluster has.",
            _gangs("pending"),
            columns=NARROW_COLUMNS,
            steps=fine,
        ),
        number(
            "Being started",
            "Number of gangs whose members are being created and bound. This takes seconds. If the number stays "
            "above 0, attempts hang or are being torn down.",
            _gangs("reserved"),
            columns=NARROW_COLUMNS,
            steps=fine,
        ),
        number(
            "Running",
            "Number of gangs whose members are all bound. If it is 0 while gangs wait, find out why they wait.",
            _gangs("placed"),
            columns=NARROW_COLUMNS,
            steps=fine,
        ),
        number(
            "Refused",
            "Number of gangs whose spec Lockstep refuses. Their users have to submit corrected gangs. If the "
            "number jumps, many new gangs often have the same wrong template.",
            _gangs("refused"),
            columns=NARROW_COLUMNS,
            steps=(Step(None, GOOD), Step(1, FAIR)),
        ),
    ]


def _reasons() -> list[Panel]:
    return [
        counts(
            "Decisions by outcome",
            "Number of decisions about gangs by reason, in the time shown. Placed and StartsLater are normal. For "
            "other reasons, docs/operations/what-gangs-say.md says what to do.",
            Query(happened("lockstep_decisions_total", by="outcome"), "{{outcome}}"),
            columns=WIDE_COLUMNS,
        ),
        stacked(
            graph(
                "Waiting by priority",
                "Number of waiting gangs, in the 20 priorities with the most of them. If only low priorities "
                "grow, urgent gangs use all nodes. Check whether these gangs need their priority.",
                Query(held("lockstep_waiting_gangs_by_priority", by="priority"), "{{priority}}"),
                unit="short",
                columns=WIDE_COLUMNS,
            )
        ),
    ]


def _starts() -> list[Panel]:
    delay, skew = "lockstep_start_delay_seconds", "lockstep_start_skew_seconds"
    return [
        graph(
            "Start: planned and actual",
            "Mean times of gangs that began to run. planned: mean time from a gang's creation to its first planned "
            "start. actual: mean time until all "
            "its members ran. If actual is far above planned, plans are wrong.",
            Query(mean("lockstep_start_wait_planned_seconds"), "planned"),
            Query(mean("lockstep_start_wait_seconds"), "actual"),
            unit=Seconds,
        ),
        graph(
            "Delay of starts",
            "Time by which gangs ran later than first planned. Delays of seconds come from image pulls. Delays of "
            "minutes come from wrong predictions.",
            Query(quantile(0.5, delay), "median"),
            Query(quantile(0.95, delay), "95 %"),
            unit=Seconds,
        ),
        graph(
            "Start: first to last member",
            "Time between the start of a gang's first member and the start of its last member. Ready members wait "
            "for the last one. Delays of minutes often come from images that only some nodes have to pull.",
            Query(quantile(0.5, skew), "median"),
            Query(quantile(0.95, skew), "95 %"),
            unit=Seconds,
        ),
    ]


def _gangs(state: str) -> Query:
    gangs = series("lockstep_gangs", f'state="{state}"')
    return Query(f"max ({gangs})", state)
