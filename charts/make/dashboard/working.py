"""Row: how it works."""

from charts.make.dashboard.panels import WIDE_COLUMNS, Panel, Query, graph
from charts.make.dashboard.queries import believed, leaders, quantile, rate, series
from grafana_foundation_sdk.models.units import NoUnit, OpsPerSecond, Seconds, Short

_SUSPENDED = 'state="suspended"'
_BINDINGS = ('verb="POST"', 'resource="pods/binding"')


def how_it_works() -> list[Panel]:
    """Stages, attempts, the API server's part, what preemption and changes of size cost, sweeps, and pace."""
    return [*_cycles(), *_ends(), *_writes(), *_requests(), *_preemptions(), *_size_changes(), *_sweeps(), *_paces()]


def _cycles() -> list[Panel]:
    return [
        graph(
            "Time of stages, 95 %",
            "Time that a cycle spends in each stage; 0 where there was none. A plan of more than a second makes gangs "
            "wait as long: fewer nodes or gangs, or a faster machine.",
            Query(quantile(0.95, "lockstep_cycle_duration_seconds", by="stage"), "{{stage}}"),
            unit=Seconds,
        ),
        graph(
            "Cycle lag",
            "For how long the leader was at one plan, or left news alone, whenever it was scraped. Spikes of seconds "
            "are long plans; a slope is a plan that does not end.",
            Query(leaders("lockstep_cycle_lag_seconds"), "lag"),
            unit=Seconds,
        ),
        graph(
            "Attempts undone by reason",
            "Attempts taken back, a second. Single ones are the cluster's life; one reason again and again has a "
            "cause that somebody has to remove. pods kept: a part of the pods of a Job or another owner runs on.",
            Query(rate("lockstep_attempts_undone_total", by="reason"), "{{reason}}"),
            Query(rate("lockstep_gangs_given_up_total", by="result"), "pods {{result}}"),
            unit=OpsPerSecond,
        ),
    ]


def _ends() -> list[Panel]:
    return [
        graph(
            "Failures of members by answer",
            "Failures that gangs' failure policies answered, a second. FailGang ends the gang; many RestartGang or "
            "Ignore are programs that never get on: their own logs say why.",
            Query(rate("lockstep_gang_failures_total", by="action"), "{{action}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Gangs ended by reason",
            "Gangs that are over, a second. Many others than Succeeded mean that work is lost: failing programs, or "
            "limits that are too tight.",
            Query(rate("lockstep_gangs_ended_total", by="reason"), "{{reason}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Suspended gangs",
            "Gangs whose owners want them to hold nothing. A number that only grows may be forgotten work.",
            Query(f"max ({series('lockstep_gangs', _SUSPENDED)})", "suspended"),
            unit=NoUnit,
        ),
    ]


def _writes() -> list[Panel]:
    return [
        graph(
            "Bindings by result",
            "Members bound, a second. refused: another scheduler was quicker, or the pod changed; error: the API "
            "server did not answer.",
            Query(rate("lockstep_binds_total", by="result"), "{{result}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Conflicts and refused writes",
            "Reservations refused since a gang had changed, and statuses not taken by what they were to say. A few "
            "conflicts are harmless; refused statuses keep a gang where it is.",
            Query(rate("lockstep_reservation_conflicts_total"), "conflict"),
            Query(rate("lockstep_statuses_refused_total", by="write"), "{{write}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Time of a binding",
            "Time until the API server answered a Binding; 0 where there was none. It takes milliseconds; tenths of a "
            "second mean that the API server or etcd is slow, and every gang starts later.",
            Query(quantile(0.5, "lockstep_api_request_duration_seconds", *_BINDINGS), "median"),
            Query(quantile(0.99, "lockstep_api_request_duration_seconds", *_BINDINGS), "99 %"),
            unit=Seconds,
        ),
    ]


def _requests() -> list[Panel]:
    return [
        graph(
            "Requests by resource",
            "Requests to the API server a second, of all replicas, watches too. Many without gangs that move mean "
            "that something is tried again and again.",
            Query(rate("lockstep_api_requests_total", by="resource"), "{{resource}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Requests by answer",
            "The same by HTTP code. 409 are conflicts; 429 and 5xx an API server that is overloaded, and are tried "
            "again; 401 and 403 see above.",
            Query(rate("lockstep_api_requests_total", by="code"), "{{code}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Time of requests, 95 %",
            "Time until the API server answered, by verb; 0 where nothing was asked. A second or more: it is the "
            "brake, or the network to it is.",
            Query(quantile(0.95, "lockstep_api_request_duration_seconds", by="verb"), "{{verb}}"),
            unit=Seconds,
        ),
    ]


def _preemptions() -> list[Panel]:
    return [
        graph(
            "Gangs preempted",
            "Gangs evicted for more urgent ones, a second. If it does not end, gangs of high priority are many and "
            "short: their place is dear.",
            Query(rate("lockstep_gangs_preempted_total"), "preempted"),
            unit=OpsPerSecond,
            columns=WIDE_COLUMNS,
        ),
        graph(
            "Work lost by preemption",
            "How many members' time is lost: 2 means that as much is thrown away as two members do. A gang that is "
            "preempted begins its work anew; let it save where it is.",
            Query(rate("lockstep_preempted_member_seconds_total"), "members"),
            unit=Short,
            columns=WIDE_COLUMNS,
        ),
    ]


def _size_changes() -> list[Panel]:
    return [
        graph(
            "Changes of size",
            "Gangs with elastic that change their size while they run, a second, by direction.",
            Query(rate("lockstep_size_changes_total", by="direction"), "{{direction}}"),
            unit=OpsPerSecond,
            columns=WIDE_COLUMNS,
        ),
        graph(
            "Changes of size dropped",
            "Changes after which a node or its room had gone, so that the gang was planned again, a second. Each costs "
            "work: look for nodes that come and go.",
            Query(rate("lockstep_size_changes_dropped_total"), "dropped"),
            unit=OpsPerSecond,
            columns=WIDE_COLUMNS,
        ),
    ]


def _sweeps() -> list[Panel]:
    return [
        graph(
            "Sweeps by state",
            "GangSweeps by how far they are. refused: their summary names the field or the line that is wrong. failed "
            "ones stay until their users delete them.",
            Query(believed("lockstep_sweeps", by="state"), "{{state}}"),
            unit=NoUnit,
        ),
        graph(
            "Runs of sweeps ended",
            "Runs of GangSweeps that were counted, a second, by outcome. Many that failed: the first ten failures of "
            "each sweep say why.",
            Query(rate("lockstep_sweep_runs_ended_total", by="outcome"), "{{outcome}}"),
            unit=OpsPerSecond,
        ),
        graph(
            "Sizes of runs changed",
            "How often the next runs of a sweep got another common size, a second. A curve that stays up is nodes that "
            "come and go, or run times that are not known well.",
            Query(rate("lockstep_sweep_size_changes_total"), "changed"),
            unit=OpsPerSecond,
        ),
    ]


def _paces() -> list[Panel]:
    return [
        graph(
            "Paced members",
            "Members that have less CPU, for the slowest of their gang or for owners. 0 beside gangs with pace Local: "
            "their nodes have no bids, or are equally fast; status.pace says which.",
            Query(believed("lockstep_paced_members"), "members"),
            unit=NoUnit,
        ),
        graph(
            "Cores given back",
            "What paced members request less, which is room for others. A curve that jumps up and down is bids that "
            "flap: let them be measured over a longer time.",
            Query(believed("lockstep_paced_cpu_cores"), "cores"),
            unit=Short,
        ),
        graph(
            "Resizes by result",
            "Members that were given another amount of CPU, a second. refused: a quota, a policy or missing rights; "
            "withdrawn: their nodes had no room to give it back. Such members wait for minutes with too little.",
            Query(rate("lockstep_resizes_total", by="result"), "{{result}}"),
            unit=OpsPerSecond,
        ),
    ]
