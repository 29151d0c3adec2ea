"""Part of the row how it works: changes of the size of gangs that run."""

from charts.make.dashboard.panels import WIDE_COLUMNS, Panel, Query, counts, graph
from charts.make.dashboard.queries import happened, quantile
from grafana_foundation_sdk.models.units import NoUnit, Seconds


def changes_of_size() -> list[Panel]:
    """How often sizes change and why, what changes cost, what they gain, and how many are dropped."""
    return [*_made(), *_cost(), _gain(), _dropped()]


def _made() -> list[Panel]:
    return [
        counts(
            "Changes of size",
            "Number of size changes of running elastic gangs by direction, in the time shown. If changes are "
            "frequent, nodes come and go, or several sizes are about equally good.",
            Query(happened("lockstep_size_changes_total", by="direction"), "{{direction}}"),
            columns=WIDE_COLUMNS,
        ),
        counts(
            "Reasons for changes of size",
            "Number of size changes of GangJobs by reason, in the time shown. MembersLeft: members were lost, or had "
            "to leave their nodes. If this is frequent, find out which nodes come and go.",
            Query(happened("lockstep_size_changes_decided_total", by="reason"), "{{reason}}"),
            columns=WIDE_COLUMNS,
        ),
    ]


def _cost() -> list[Panel]:
    return [
        graph(
            "Time of a change of size",
            "Time until all members of the new size ran. If it is above the restartTime of gangs, plans change sizes "
            "too often. Images come slowly, or members take long to end.",
            Query(quantile(0.5, "lockstep_size_change_seconds"), "median"),
            Query(quantile(0.9, "lockstep_size_change_seconds"), "90 %"),
            unit=Seconds,
            columns=WIDE_COLUMNS,
        ),
        counts(
            "Work not done during changes of size",
            "Duration of changes in mode Restart, multiplied by the members, in the time shown. If it is much of the "
            "run time of gangs, users should state a longer minInterval.",
            Query(happened("lockstep_size_change_member_seconds_total"), "member-seconds"),
            unit=Seconds,
            columns=WIDE_COLUMNS,
        ),
    ]


def _gain() -> Panel:
    return graph(
        "End after a change of size ÷ expected",
        "Time from the last change of a gang to its end, divided by the time that was expected then. Well above 1, "
        "changes gain less than Lockstep expects.",
        Query(quantile(0.5, "lockstep_size_change_end_ratio"), "median"),
        Query(quantile(0.9, "lockstep_size_change_end_ratio"), "90 %"),
        unit=NoUnit,
        columns=WIDE_COLUMNS,
    )


def _dropped() -> Panel:
    return counts(
        "Changes of size dropped",
        "Number of size changes that Lockstep dropped since a node or its free resources had gone, in the "
        "time shown. Each costs work. Find out which nodes come and go.",
        Query(happened("lockstep_size_changes_dropped_total"), "dropped"),
        columns=WIDE_COLUMNS,
    )
