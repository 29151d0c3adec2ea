"""Row: whether it is healthy."""

from charts.make.dashboard.panels import BAD, DOUBTFUL, GOOD, Panel, Query, Step, graph, number
from charts.make.dashboard.queries import believed, increase, leaders, rate, series
from grafana_foundation_sdk.models.units import OpsPerSecond, Seconds


def is_it_healthy() -> list[Panel]:
    """Whoever is woken looks here first."""
    return [*_who_leads(), *_what_is_wrong(), *_graphs_of_its_life(), *_graphs_of_trouble()]


def _who_leads() -> list[Panel]:
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
            "Replicas that Prometheus scrapes. With 1 nobody takes over when it fails; 0 is no data.",
            Query(f"count ({series('lockstep_build_info')})", "replicas"),
            steps=(Step(None, DOUBTFUL), Step(2, GOOD)),
        ),
        number(
            "Cycle lag",
            "For how long the leader has been at one plan, or has left news alone. Plans take milliseconds, with "
            "hundreds of nodes a second or so. Minutes mean that nothing is decided.",
            Query(leaders("lockstep_cycle_lag_seconds"), "lag"),
            unit=Seconds,
            steps=(Step(None, GOOD), Step(10, DOUBTFUL), Step(120, BAD)),
        ),
    ]


def _what_is_wrong() -> list[Panel]:
    watch_age = f"max (time() - {series('lockstep_watch_last_event_timestamp_seconds')})"
    of_cycles, of_gangs = increase("lockstep_cycles_total", 'result="error"'), increase("lockstep_gang_errors_total")
    return [
        number(
            "Oldest watch",
            "Time since the quietest watch of any replica said something. The API server says something about once a "
            "minute. Above five minutes a replica does not know what has changed.",
            Query(watch_age, "age"),
            unit=Seconds,
            steps=(Step(None, GOOD), Step(150, DOUBTFUL), Step(300, BAD)),
        ),
        number(
            "Errors in range",
            "Cycles and gangs that raised an error, in the time shown. Each is a fault of Lockstep: the log has it.",
            Query(f"{of_cycles} + {of_gangs}", "errors"),
            steps=(Step(None, GOOD), Step(0.5, BAD)),
        ),
        number(
            "Assumed members",
            "Members that count on a node before a watch has shown them there. Above 0 for long, watches are slow, or "
            "attempts hang.",
            Query(believed("lockstep_assumed_pods"), "members"),
            steps=(Step(None, GOOD),),
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


def _graphs_of_trouble() -> list[Panel]:
    return [
        graph(
            "Errors of its own",
            "Errors a second in cycles, and of single gangs by stage. Anything above 0 is a fault of Lockstep.",
            Query(rate("lockstep_cycles_total", 'result="error"'), "cycle"),
            Query(rate("lockstep_gang_errors_total", by="stage"), "gang: {{stage}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Not understood or not taken",
            "Objects that made no sense, and statuses that the API server did not take. Above 0, look into the log: "
            "somebody else has to correct something.",
            Query(rate("lockstep_objects_not_understood_total"), "objects not understood"),
            Query(rate("lockstep_statuses_refused_total"), "statuses not taken"),
            unit=OpsPerSecond,
        ),
        graph(
            "Token and rights refused",
            "Answers 401 (the token does not count) and 403 (a right is missing, or a quota or policy refuses a "
            "member). Locked out: replicas that can read and write nothing. No writes: replicas without the right to "
            "write. Rights denied: what is missing; the log names each, and who has to give it back.",
            Query(f"sum({series('lockstep_credentials_refused')})", "locked out"),
            Query(f"sum({series('lockstep_writes_forbidden')})", "no writes"),
            Query(f"sum({series('lockstep_rights_denied')})", "rights denied"),
            Query(rate("lockstep_api_requests_total", 'code="401"'), "401"),
            Query(rate("lockstep_api_requests_total", 'code="403"'), "403"),
            unit=OpsPerSecond,
        ),
    ]
