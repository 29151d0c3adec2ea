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
from charts.make.dashboard.queries import believed, happened, mean, quantile, series
from grafana_foundation_sdk.models.units import Seconds


def what_users_feel() -> list[Panel]:
    """How many gangs there are, why they wait, and how they start."""
    return [*_numbers(), *_reasons(), *_starts()]


def waits_in_view() -> list[Panel]:
    """The two numbers by which users judge: how long the oldest gang waits, and how late the latest one is."""
    return [
        number(
            "Oldest waiting",
            "Age of the oldest gang that holds no nodes. Hours are fine where starts are promised for tomorrow; "
            "beside free nodes they are not.",
            Query(believed("lockstep_oldest_pending_gang_seconds"), "age"),
            unit=Seconds,
            steps=(Step(None, GOOD),),
        ),
        number(
            "Past its plan",
            "How far the gang that is latest, and not placed yet, is past its first planned start. Above 15 minutes "
            "a gang waits much longer than the first plan said.",
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
                "Gangs by how far they are. A growing band of pending gangs means more is asked for than there is, or "
                "that gangs do not fit: see the decisions.",
                Query(believed("lockstep_gangs", by="state"), "{{state}}"),
                unit="short",
            )
        ),
        graph(
            "Wait until bound",
            "From a gang's creation until all its members were bound, of gangs bound in that moment. It rises with the "
            "queue; beside free nodes it should be below a second or two.",
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
            "Gangs that hold no nodes, of the 20 namespaces with the most of them. One that fills the graph is a "
            "tenant who asks for far more than there is: a quota on GangJobs is what helps.",
            Query(believed("lockstep_waiting_gangs_by_namespace", by="gang_namespace"), "{{gang_namespace}}"),
            unit="short",
        )
    )


def _numbers() -> list[Panel]:
    fine = (Step(None, GOOD),)
    return [
        number(
            "Waiting",
            "Gangs that hold no nodes, neither done nor suspended. Good or bad depends on how much is submitted; a "
            "number that only grows means more is asked for than there is.",
            _gangs("pending"),
            columns=NARROW_COLUMNS,
            steps=fine,
        ),
        number(
            "Being started",
            "Gangs whose members are being created and bound. It takes seconds: a number that stays means attempts "
            "that hang or are being undone.",
            _gangs("reserved"),
            columns=NARROW_COLUMNS,
            steps=fine,
        ),
        number(
            "Running",
            "Gangs all of whose members are bound. 0 while others wait is bad.",
            _gangs("placed"),
            columns=NARROW_COLUMNS,
            steps=fine,
        ),
        number(
            "Refused",
            "Gangs whose own spec cannot be obeyed. Their owners have to submit others; a jump often means a new "
            "template that many share.",
            _gangs("refused"),
            columns=NARROW_COLUMNS,
            steps=(Step(None, GOOD), Step(1, FAIR)),
        ),
    ]


def _reasons() -> list[Panel]:
    return [
        counts(
            "Decisions by outcome",
            "What was decided of gangs, in the time shown. Many of one reason other than Placed and StartsLater say "
            "what is short: docs/operations says what to do about each.",
            Query(happened("lockstep_decisions_total", by="outcome"), "{{outcome}}"),
            columns=WIDE_COLUMNS,
        ),
        stacked(
            graph(
                "Waiting by priority",
                "Gangs that hold no nodes, of the 20 priorities with the most of them. Where low ones only grow, more "
                "urgent gangs take all there is: ask who needs their priority.",
                Query(believed("lockstep_waiting_gangs_by_priority", by="priority"), "{{priority}}"),
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
            "Mean wait from creation to the first planned start, and until all members ran, of gangs that began to "
            "run. Actual far above planned: plans do not hold.",
            Query(mean("lockstep_start_wait_planned_seconds"), "planned"),
            Query(mean("lockstep_start_wait_seconds"), "actual"),
            unit=Seconds,
        ),
        graph(
            "Delay of starts",
            "By how much gangs ran later than first planned. Seconds are images that are "
            "pulled; minutes are predictions that were wrong.",
            Query(quantile(0.5, delay), "median"),
            Query(quantile(0.95, delay), "95 %"),
            unit=Seconds,
        ),
        graph(
            "Start: first to last member",
            "How long after its first member a gang's last one ran, of gangs that began to run. "
            "Members that are ready wait for the last: minutes are images that some nodes have and others pull.",
            Query(quantile(0.5, skew), "median"),
            Query(quantile(0.95, skew), "95 %"),
            unit=Seconds,
        ),
    ]


def _gangs(state: str) -> Query:
    gangs = series("lockstep_gangs", f'state="{state}"')
    return Query(f"max ({gangs})", state)
