"""Row: how it works."""

from charts.make.dashboard.panels import WIDE_COLUMNS, Panel, Query, counts, graph
from charts.make.dashboard.queries import believed, happened, leaders, quantile, rate, series
from charts.make.dashboard.resizing import changes_of_size
from grafana_foundation_sdk.models.units import NoUnit, OpsPerSecond, Seconds, Short

_SUSPENDED = 'state="suspended"'
_BINDINGS = ('verb="POST"', 'resource="pods/binding"')


def how_it_works() -> list[Panel]:
    """Stages, attempts, the API server's part, what preemption and changes of size cost, sweeps, and pace."""
    return [*_cycles(), *_ends(), *_writes(), *_requests(), *_preemptions(), *changes_of_size(), *_sweeps(), *_paces()]


def _cycles() -> list[Panel]:
    return [
        graph(
            "Time of stages, 95 %",
            "Time that a cycle spends in each stage. If a plan takes more than a second, gangs wait as long. "
            "Fewer nodes or gangs, or a faster machine, make plans faster.",
            Query(quantile(0.95, "lockstep_cycle_duration_seconds", by="stage"), "{{stage}}"),
            unit=Seconds,
        ),
        graph(
            "Cycle lag",
            "How long the leader has worked on the current plan, or has not handled changes, at each scrape. "
            "Spikes of seconds are long plans. A line that only rises is a plan that does not end.",
            Query(leaders("lockstep_cycle_lag_seconds"), "lag"),
            unit=Seconds,
        ),
        counts(
            "Attempts torn down by reason",
            "Number of attempts that Lockstep tore down, by reason, in the time shown. Single ones are normal. If one "
            "reason repeats, remove its cause. pods kept: gangs whose pods had to leave, but stayed.",
            Query(happened("lockstep_attempts_undone_total", by="reason"), "{{reason}}"),
            Query(happened("lockstep_gangs_given_up_total", by="result"), "pods {{result}}"),
        ),
    ]


def _ends() -> list[Panel]:
    return [
        counts(
            "Failures of members by answer",
            "Number of failures of members by the action of the gang's failure policy, in the time shown. "
            "FailGang ends the gang. If RestartGang or Ignore is frequent, read the logs of the failing programs.",
            Query(happened("lockstep_gang_failures_total", by="action"), "{{action}}"),
        ),
        counts(
            "Gangs ended by reason",
            "Number of gangs that ended, by reason, in the time shown. If many ended for other reasons than "
            "Succeeded, work is lost: programs fail, or time limits are too short.",
            Query(happened("lockstep_gangs_ended_total", by="reason"), "{{reason}}"),
        ),
        graph(
            "Suspended gangs",
            "Number of gangs that their users have suspended. If the number only grows, users may have forgotten "
            "some of them.",
            Query(f"max ({series('lockstep_gangs', _SUSPENDED)})", "suspended"),
            unit=NoUnit,
        ),
    ]


def _writes() -> list[Panel]:
    return [
        counts(
            "Bindings by result",
            "Number of bindings of members, in the time shown. refused: another scheduler bound the pod first, or "
            "the pod changed. error: the API server did not answer.",
            Query(happened("lockstep_binds_total", by="result"), "{{result}}"),
        ),
        counts(
            "Conflicts and refused writes",
            "Refused writes. conflict: number of reservations that the API server refused since the gang had "
            "changed, in the time "
            "shown. A few are harmless. Other lines: number of statuses that the API server refused, by kind of "
            "write. A gang with a refused status does not proceed.",
            Query(happened("lockstep_reservation_conflicts_total"), "conflict"),
            Query(happened("lockstep_statuses_refused_total", by="write"), "{{write}}"),
        ),
        graph(
            "Time of a binding",
            "Time until the API server answered a Binding. Milliseconds are normal. If it takes tenths of a "
            "second, the API server or etcd is slow, and all gangs start later.",
            Query(quantile(0.5, "lockstep_api_request_duration_seconds", *_BINDINGS), "median"),
            Query(quantile(0.99, "lockstep_api_request_duration_seconds", *_BINDINGS), "99 %"),
            unit=Seconds,
        ),
    ]


def _requests() -> list[Panel]:
    return [
        graph(
            "Requests by resource",
            "Requests of all replicas to the API server per second, including watches. If the number is high "
            "while no gang starts or ends, Lockstep repeats some request again and again.",
            Query(rate("lockstep_api_requests_total", by="resource"), "{{resource}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Requests by answer",
            "Requests of all replicas per second by HTTP code. 409 is a conflict. 429 and 5xx come from an "
            "overloaded API server, and Lockstep repeats these requests. For 401 and 403, see the panel Requests "
            "refused.",
            Query(f"{rate('lockstep_api_requests_total', by='code')} > 0", "{{code}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Time of requests, 95 %",
            "Time until the API server answered, by verb. If it takes a second or more, the API server or the "
            "network slows Lockstep down.",
            Query(quantile(0.95, "lockstep_api_request_duration_seconds", by="verb"), "{{verb}}"),
            unit=Seconds,
        ),
    ]


def _preemptions() -> list[Panel]:
    return [
        counts(
            "Gangs preempted",
            "Number of gangs that Lockstep evicted for more urgent gangs, in the time shown. If the number stays "
            "high, many short gangs have a high priority.",
            Query(happened("lockstep_gangs_preempted_total"), "preempted"),
            columns=WIDE_COLUMNS,
        ),
        counts(
            "Work lost by preemption",
            "Run time of members that preemption made useless, in the time shown. One hour of eight members "
            "counts as eight hours. A preempted gang begins again, so its program should save checkpoints.",
            Query(happened("lockstep_preempted_member_seconds_total"), "members' time"),
            unit=Seconds,
            columns=WIDE_COLUMNS,
        ),
    ]


def _sweeps() -> list[Panel]:
    return [
        graph(
            "Sweeps by state",
            "Number of GangSweeps in each state. refused: the summary of the GangSweep names the wrong field or "
            "line. failed: the GangSweep stays until its user deletes it.",
            Query(believed("lockstep_sweeps", by="state"), "{{state}}"),
            unit=NoUnit,
        ),
        counts(
            "Runs of sweeps ended",
            "Number of runs of GangSweeps that ended, by outcome, in the time shown. If many failed, read the "
            "first ten failures in the status of their GangSweep.",
            Query(happened("lockstep_sweep_runs_ended_total", by="outcome"), "{{outcome}}"),
        ),
        counts(
            "Sizes of runs changed",
            "How often the next runs of a sweep got another common size, in the time shown. If changes are "
            "frequent, nodes come and go, or run times are not well known.",
            Query(happened("lockstep_sweep_size_changes_total"), "changed"),
        ),
    ]


def _paces() -> list[Panel]:
    return [
        graph(
            "Paced members",
            "Number of members with reduced CPU, since their gang has a slower member or their node's owner is "
            "present. If it is 0 while gangs have pace Local, their nodes have no bids or are equally fast. "
            "status.pace says which.",
            Query(believed("lockstep_paced_members"), "members"),
            unit=NoUnit,
        ),
        graph(
            "Cores given back",
            "Cores that paced members no longer request, so that other pods can use them. If the number jumps up "
            "and down, bids change too often, and agents should measure over a longer time.",
            Query(believed("lockstep_paced_cpu_cores"), "cores"),
            unit=Short,
        ),
        counts(
            "Resizes by result",
            "Number of members whose CPU Lockstep changed, in the time shown. refused: a quota, a policy or a "
            "missing right forbade the change. withdrawn: the node had no room for more CPU. These members keep "
            "too little CPU for minutes.",
            Query(happened("lockstep_resizes_total", by="result"), "{{result}}"),
        ),
    ]
