"""Row: whether it is healthy."""

from charts.make.dashboard.panels import (
    BAD,
    FAIR,
    GOOD,
    GRAPH_COLUMNS,
    NARROW_COLUMNS,
    Panel,
    Query,
    Step,
    counts,
    graph,
    number,
)
from charts.make.dashboard.queries import believed, happened, happened_of, leaders, rate, series
from grafana_foundation_sdk.models.units import OpsPerSecond, PercentUnit, Seconds


def is_it_healthy() -> list[Panel]:
    """What says more of its health than the numbers in view."""
    return [*_signs_of_life(), *_graphs_of_its_life(), *_trouble()]


def health_in_view() -> list[Panel]:
    """What a person who is woken by an alert reads first."""
    errors = happened_of(("lockstep_cycles_total", 'result="error"'), ("lockstep_gang_errors_total",))
    return [
        number(
            "Leaders",
            "Number of replicas that lead. 1 is right. With 0, Lockstep plans and starts nothing; this is normal "
            "for a few seconds when the leader changes. 2 is never right.",
            Query(f"sum ({series('lockstep_leader')})", "leaders"),
            steps=(Step(None, BAD), Step(1, GOOD), Step(2, BAD)),
        ),
        number(
            "Replicas",
            "Number of replicas that Prometheus scrapes. With 1, no replica can take over if this one fails. 0 "
            "means no data.",
            Query(f"count ({series('lockstep_build_info')})", "replicas"),
            steps=(Step(None, FAIR), Step(2, GOOD)),
        ),
        number(
            "Cycle lag",
            "How long the leader has worked on the current plan, or has not handled changes. A plan takes "
            "milliseconds, or about a second with hundreds of nodes. If the lag grows to minutes, Lockstep "
            "decides nothing.",
            Query(leaders("lockstep_cycle_lag_seconds"), "lag"),
            unit=Seconds,
            steps=(Step(None, GOOD), Step(10, FAIR), Step(120, BAD)),
        ),
        number(
            "Errors in range",
            "Number of cycles and gangs that raised an error, in the time shown. Each error is a bug in Lockstep. "
            "The log contains the error.",
            Query(errors, "errors"),
            steps=(Step(None, GOOD), Step(0.5, BAD)),
        ),
    ]


def _signs_of_life() -> list[Panel]:
    of_limit = f"max ({series('process_resident_memory_bytes')} / {series('lockstep_memory_limit_bytes')})"
    watch_age = f"max (time() - {series('lockstep_watch_last_event_timestamp_seconds')})"
    return [
        number(
            "Oldest watch",
            "Longest time since the last event of a watch, over all watches and replicas. The API server sends a "
            "bookmark about once a minute. Above five minutes, a replica does not see changes.",
            Query(watch_age, "age"),
            unit=Seconds,
            steps=(Step(None, GOOD), Step(150, FAIR), Step(300, BAD)),
            columns=GRAPH_COLUMNS,
        ),
        number(
            "Memory, as share of the limit",
            "Memory of the replica with the most memory, as a share of its limit. At the limit, the kernel kills "
            "the replica. Raise the limit in time.",
            Query(of_limit, "memory"),
            unit=PercentUnit,
            steps=(Step(None, GOOD), Step(0.75, FAIR), Step(0.9, BAD)),
            columns=GRAPH_COLUMNS,
        ),
        number(
            "Assumed members",
            "Number of members that Lockstep counts on a node before its watch shows them there. If the number "
            "stays above 0, watches are slow or attempts hang.",
            Query(believed("lockstep_assumed_pods"), "members"),
            steps=(Step(None, GOOD),),
            columns=GRAPH_COLUMNS,
        ),
    ]


def _graphs_of_its_life() -> list[Panel]:
    return [
        graph(
            "Leader by replica",
            "1 for the replica that leads. If the leader changes often, replicas are killed, or cannot renew the "
            "Lease in time.",
            Query(f"max by (instance) ({series('lockstep_leader')})", "{{instance}}"),
            unit="short",
        ),
        graph(
            "Cycles by result",
            "Cycles per second. ok: the cycle made a plan. idle: the cycle had nothing to plan. error: a bug in "
            "Lockstep. No cycles at all are normal while nothing changes in the cluster.",
            Query(rate("lockstep_cycles_total", by="result"), "{{result}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Watch age by resource",
            "Time since the last event of each resource, in the replica where it is longest. If a line rises "
            "above five minutes, this watch is dead.",
            Query(
                f"max by (resource) (time() - {series('lockstep_watch_last_event_timestamp_seconds')})", "{{resource}}"
            ),
            unit=Seconds,
        ),
    ]


def _trouble() -> list[Panel]:
    return [
        counts(
            "Internal errors",
            "Number of errors in cycles, and in single gangs by stage, in the time shown. Each error is a bug in "
            "Lockstep.",
            Query(happened("lockstep_cycles_total", 'result="error"'), "cycle"),
            Query(happened("lockstep_gang_errors_total", by="stage"), "gang: {{stage}}"),
            columns=NARROW_COLUMNS,
        ),
        counts(
            "Unreadable or refused objects",
            "Number of objects that Lockstep could not read, and of statuses that the API server rejected, in the "
            "time shown. The log names each object. Its user has to correct it.",
            Query(happened("lockstep_objects_not_understood_total"), "objects"),
            Query(happened("lockstep_statuses_refused_total"), "statuses"),
            columns=NARROW_COLUMNS,
        ),
        counts(
            "Requests refused",
            "Number of requests that the API server answered with 401 or 403, in the time shown. 401: the token "
            "is not valid. 403: a right is missing, or a quota or policy refuses a member.",
            Query(happened("lockstep_api_requests_total", 'code="401"'), "401"),
            Query(happened("lockstep_api_requests_total", 'code="403"'), "403"),
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Replicas without access or rights",
            "Replicas that miss access or rights. locked out: number of replicas that can neither read nor write. no "
            "writes: number of replicas "
            "without the right to write. rights denied: number of missing rights. The log names each right, and "
            "how to grant it.",
            Query(f"sum ({series('lockstep_credentials_refused')}) > 0", "locked out"),
            Query(f"sum ({series('lockstep_writes_forbidden')}) > 0", "no writes"),
            Query(f"sum ({series('lockstep_rights_denied')}) > 0", "rights denied"),
            unit="short",
            columns=NARROW_COLUMNS,
        ),
    ]
