"""Row: what users feel."""

from charts.make.dashboard.panels import (
    BAD,
    DOUBTFUL,
    GOOD,
    NARROW_COLUMNS,
    WIDE_COLUMNS,
    Panel,
    Query,
    Step,
    graph,
    number,
    stacked,
)
from charts.make.dashboard.queries import believed, mean, quantile, rate, series
from grafana_foundation_sdk.models.units import OpsPerSecond, Seconds


def what_users_feel() -> list[Panel]:
    """How long gangs wait, and what they are told."""
    return [*_numbers(), *_states(), *_queue(), *_starts()]


def _numbers() -> list[Panel]:
    fine = (Step(None, GOOD),)
    return [
        number(
            "Waiting",
            "Gangs that hold no nodes, neither done nor suspended. Good or bad depends on how much is submitted; a "
            "number that only grows means more is asked for than there is.",
            _gangs("pending"),
            steps=fine,
        ),
        number(
            "Being started",
            "Gangs whose members are being created and bound. It takes seconds: a number that stays means attempts "
            "that hang or are being undone.",
            _gangs("reserved"),
            steps=fine,
        ),
        number(
            "Running", "Gangs all of whose members are bound. 0 while others wait is bad.", _gangs("placed"), steps=fine
        ),
        number(
            "Refused",
            "Gangs whose own spec cannot be obeyed. Their owners have to submit others; a jump often means a new "
            "template that many share.",
            _gangs("refused"),
            steps=(Step(None, GOOD), Step(1, DOUBTFUL)),
        ),
        number(
            "Oldest waiting",
            "Age of the oldest gang that holds no nodes. Hours are fine where starts are promised for tomorrow; "
            "beside free nodes they are not.",
            Query(believed("lockstep_oldest_pending_gang_seconds"), "age"),
            unit=Seconds,
            steps=fine,
        ),
        number(
            "Past its plan",
            "How far the gang that is latest, and not placed yet, is past its first planned start. Above 15 minutes "
            "somebody waits much longer than told.",
            Query(believed("lockstep_start_overdue_seconds"), "late"),
            unit=Seconds,
            steps=(Step(None, GOOD), Step(300, DOUBTFUL), Step(900, BAD)),
        ),
    ]


def _states() -> list[Panel]:
    return [
        stacked(
            graph(
                "Gangs by state",
                "Gangs by how far they are. A growing band of pending gangs means more is asked for than there is, or "
                "that gangs do not fit: see the decisions.",
                Query(believed("lockstep_gangs", by="state"), "{{state}}"),
                unit="short",
                columns=WIDE_COLUMNS,
            )
        ),
        graph(
            "Decisions told to users",
            "What gangs were told, a second. Many of one reason other than Placed and StartsLater tell what is short: "
            "docs/operations says what to do about each.",
            Query(rate("lockstep_decisions_total", by="outcome"), "{{outcome}}"),
            unit=OpsPerSecond,
            columns=WIDE_COLUMNS,
        ),
    ]


def _queue() -> list[Panel]:
    return [
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
        stacked(
            graph(
                "Waiting by namespace",
                "Gangs that hold no nodes, of the 20 namespaces with the most of them. One that fills the graph is a "
                "tenant who asks for far more than there is: a quota on GangJobs is what helps.",
                Query(believed("lockstep_waiting_gangs_by_namespace", by="gang_namespace"), "{{gang_namespace}}"),
                unit="short",
                columns=WIDE_COLUMNS,
            )
        ),
    ]


def _starts() -> list[Panel]:
    wait, delay = "lockstep_gang_wait_seconds", "lockstep_start_delay_seconds"
    skew = "lockstep_start_skew_seconds"
    return [
        graph(
            "Wait until bound",
            "From a gang's creation until all its members were bound, of gangs bound in that moment; 0 where none "
            "was. It rises with the queue; beside free nodes it should be below a second or two.",
            Query(quantile(0.5, wait), "median"),
            Query(quantile(0.95, wait), "95 %"),
            unit=Seconds,
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Start: planned and actual",
            "Mean wait from creation to the first planned start, and until all members ran, of gangs that began to "
            "run; 0 where none did. Actual far above planned: plans do not hold.",
            Query(mean("lockstep_start_wait_planned_seconds"), "planned"),
            Query(mean("lockstep_start_wait_seconds"), "actual"),
            unit=Seconds,
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Delay of starts",
            "By how much gangs ran later than first planned; 0 where none began to run. Seconds are images that are "
            "pulled; minutes are predictions that were wrong.",
            Query(quantile(0.5, delay), "median"),
            Query(quantile(0.95, delay), "95 %"),
            unit=Seconds,
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Start: first to last member",
            "How long after its first member a gang's last one ran, of gangs that began to run; 0 where none did. "
            "Members that are ready wait for the last: minutes are images that some nodes have and others pull.",
            Query(quantile(0.5, skew), "median"),
            Query(quantile(0.95, skew), "95 %"),
            unit=Seconds,
            columns=NARROW_COLUMNS,
        ),
    ]


def _gangs(state: str) -> Query:
    gangs = series("lockstep_gangs", f'state="{state}"')
    return Query(f"max ({gangs})", state)
