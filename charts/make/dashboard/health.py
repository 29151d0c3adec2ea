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
from charts.make.dashboard.queries import believed, happened, increase, leaders, rate, series
from grafana_foundation_sdk.models.units import OpsPerSecond, PercentUnit, Seconds


def is_it_healthy() -> list[Panel]:
    """What says more of its health than the numbers in view."""
    return [*_signs_of_life(), *_graphs_of_its_life(), *_trouble()]


def health_in_view() -> list[Panel]:
    """What a person who is woken by an alert reads first."""
    of_cycles, of_gangs = increase("lockstep_cycles_total", 'result="error"'), increase("lockstep_gang_errors_total")
    return [
        number(
            "Leaders",
            "Replicas that lead. Good is 1. With 0 nothing is planned or started; it may be so for a few seconds when "
            "the leader changes. 2 is never right.",
            Query(f"sum ({series('lockstep_leader')})", "leaders"),
            steps=(Step(None, BAD), Step(1, GOOD), Step(2, BAD)),
        ),
        number(
            "Replicas",
            "Replicas that Prometheus scrapes. With 1 no other takes over when it fails; 0 is no data.",
            Query(f"count ({series('lockstep_build_info')})", "replicas"),
            steps=(Step(None, FAIR), Step(2, GOOD)),
        ),
        number(
            "Cycle lag",
            "For how long the leader has been at one plan, or has left changes alone. Plans take milliseconds, with "
            "hundreds of nodes a second or so. Minutes mean that nothing is decided.",
            Query(leaders("lockstep_cycle_lag_seconds"), "lag"),
            unit=Seconds,
            steps=(Step(None, GOOD), Step(10, FAIR), Step(120, BAD)),
        ),
        number(
            "Errors in range",
            "Cycles and gangs that raised an error, in the time shown. Each is a fault of Lockstep: the log has it.",
            Query(f"{of_cycles} + {of_gangs}", "errors"),
            steps=(Step(None, GOOD), Step(0.5, BAD)),
        ),
    ]


def _signs_of_life() -> list[Panel]:
    of_limit = f"max ({series('process_resident_memory_bytes')} / {series('lockstep_memory_limit_bytes')})"
    watch_age = f"max (time() - {series('lockstep_watch_last_event_timestamp_seconds')})"
    return [
        number(
            "Oldest watch",
            "Time since the quietest watch of any replica said something. The API server says something about once a "
            "minute. Above five minutes a replica does not know what has changed.",
            Query(watch_age, "age"),
            unit=Seconds,
            steps=(Step(None, GOOD), Step(150, FAIR), Step(300, BAD)),
            columns=GRAPH_COLUMNS,
        ),
        number(
            "Memory of its limit",
            "What the replica with the most memory has, of what it may have. Beyond its limit the kernel kills it: "
            "raise the limit before that.",
            Query(of_limit, "memory"),
            unit=PercentUnit,
            steps=(Step(None, GOOD), Step(0.75, FAIR), Step(0.9, BAD)),
            columns=GRAPH_COLUMNS,
        ),
        number(
            "Assumed members",
            "Members that count on a node before a watch has shown them there. Above 0 for long, watches are slow, or "
            "attempts hang.",
            Query(believed("lockstep_assumed_pods"), "members"),
            steps=(Step(None, GOOD),),
            columns=GRAPH_COLUMNS,
        ),
    ]


def _graphs_of_its_life() -> list[Panel]:
    return [
        graph(
            "Leader by replica",
            "1 for the replica that leads. Where the line changes often, replicas are killed, or cannot renew the "
            "lease in time.",
            Query(f"max by (instance) ({series('lockstep_leader')})", "{{instance}}"),
            unit="short",
        ),
        graph(
            "Cycles by result",
            "Cycles a second. ok: a plan was made; idle: there was nothing to plan; any error is a fault of Lockstep. "
            "None at all is fine while nothing happens in the cluster.",
            Query(rate("lockstep_cycles_total", by="result"), "{{result}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Watch age by resource",
            "Time since a resource was last heard of, in the replica that has heard least. A line that climbs above "
            "five minutes is a watch that is dead.",
            Query(
                f"max by (resource) (time() - {series('lockstep_watch_last_event_timestamp_seconds')})", "{{resource}}"
            ),
            unit=Seconds,
        ),
    ]


def _trouble() -> list[Panel]:
    return [
        counts(
            "Errors of its own",
            "Errors in the time shown, in cycles, and of single gangs by stage. Each is a fault of Lockstep.",
            Query(happened("lockstep_cycles_total", 'result="error"'), "cycle"),
            Query(happened("lockstep_gang_errors_total", by="stage"), "gang: {{stage}}"),
            columns=NARROW_COLUMNS,
        ),
        counts(
            "Not understood or not taken",
            "Objects that made no sense, and statuses that the API server did not take, in the time shown. The log "
            "names them: a user has to correct them.",
            Query(happened("lockstep_objects_not_understood_total"), "objects"),
            Query(happened("lockstep_statuses_refused_total"), "statuses"),
            columns=NARROW_COLUMNS,
        ),
        counts(
            "Requests refused",
            "Answers 401 (the token does not count) and 403 (a right is missing, or a quota or policy refuses a "
            "member), in the time shown.",
            Query(happened("lockstep_api_requests_total", 'code="401"'), "401"),
            Query(happened("lockstep_api_requests_total", 'code="403"'), "403"),
            columns=NARROW_COLUMNS,
        ),
        graph(
            "Locked out, or without rights",
            "Locked out: replicas that can read and write nothing. No writes: replicas without the right to write. "
            "Rights denied: what is missing; the log names each, and who has to give it back.",
            Query(f"sum ({series('lockstep_credentials_refused')}) > 0", "locked out"),
            Query(f"sum ({series('lockstep_writes_forbidden')}) > 0", "no writes"),
            Query(f"sum ({series('lockstep_rights_denied')}) > 0", "rights denied"),
            unit="short",
            columns=NARROW_COLUMNS,
        ),
    ]
