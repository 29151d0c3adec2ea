"""Row: how it works."""

from charts.make.dashboard.panels import WIDE_COLUMNS, Panel, Query, counts, graph
from charts.make.dashboard.queries import believed, happened, leaders, quantile, rate, series
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
            "Time that a cycle spends in each stage. A plan of more than a second makes gangs "
            "wait as long: fewer nodes or gangs, or a faster machine.",
            Query(quantile(0.95, "lockstep_cycle_duration_seconds", by="stage"), "{{stage}}"),
            unit=Seconds,
        ),
        graph(
            "Cycle lag",
            "For how long the leader was at one plan, or left changes alone, whenever it was scraped. Spikes of "
            "seconds are long plans; a slope is a plan that does not end.",
            Query(leaders("lockstep_cycle_lag_seconds"), "lag"),
            unit=Seconds,
        ),
        counts(
            "Attempts undone by reason",
            "Attempts taken back, in the time shown. Single ones are the cluster's life; one reason again and again "
            "has a cause that a person has to remove. pods kept: a part of the pods of a Job or another owner runs on.",
            Query(happened("lockstep_attempts_undone_total", by="reason"), "{{reason}}"),
            Query(happened("lockstep_gangs_given_up_total", by="result"), "pods {{result}}"),
        ),
    ]


def _ends() -> list[Panel]:
    return [
        counts(
            "Failures of members by answer",
            "Failures that gangs' failure policies answered, in the time shown. FailGang ends the gang; many "
            "RestartGang or Ignore are programs that never get on: their own logs say why.",
            Query(happened("lockstep_gang_failures_total", by="action"), "{{action}}"),
        ),
        counts(
            "Gangs ended by reason",
            "Gangs that ended in the time shown. Many others than Succeeded mean that work is lost: failing programs, "
            "or limits that are too tight.",
            Query(happened("lockstep_gangs_ended_total", by="reason"), "{{reason}}"),
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
        counts(
            "Bindings by result",
            "Members bound in the time shown. refused: another scheduler was quicker, or the pod changed; error: the "
            "API server did not answer.",
            Query(happened("lockstep_binds_total", by="result"), "{{result}}"),
        ),
        counts(
            "Conflicts and refused writes",
            "Reservations refused since a gang had changed, and statuses not taken by what they were to say, in the "
            "time shown. A few conflicts are harmless; refused statuses keep a gang where it is.",
            Query(happened("lockstep_reservation_conflicts_total"), "conflict"),
            Query(happened("lockstep_statuses_refused_total", by="write"), "{{write}}"),
        ),
        graph(
            "Time of a binding",
            "Time until the API server answered a Binding. It takes milliseconds; tenths of a "
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
            "Time until the API server answered, by verb. A second or more: it is the brake, or the network to it is.",
            Query(quantile(0.95, "lockstep_api_request_duration_seconds", by="verb"), "{{verb}}"),
            unit=Seconds,
        ),
    ]


def _preemptions() -> list[Panel]:
    return [
        counts(
            "Gangs preempted",
            "Gangs evicted for more urgent ones, in the time shown. If it does not end, gangs of high priority are "
            "many and short: their place is dear.",
            Query(happened("lockstep_gangs_preempted_total"), "preempted"),
            columns=WIDE_COLUMNS,
        ),
        counts(
            "Work lost by preemption",
            "The time that members had run for nothing, in the time shown: an hour of eight members is eight hours. A "
            "gang that is preempted begins its work anew; let it save where it is.",
            Query(happened("lockstep_preempted_member_seconds_total"), "members' time"),
            unit=Seconds,
            columns=WIDE_COLUMNS,
        ),
    ]


def _size_changes() -> list[Panel]:
    return [
        counts(
            "Changes of size",
            "Gangs with elastic that changed their size while they ran, in the time shown, by direction. "
            "Very many: nodes come and go, or sizes pay about the same.",
            Query(happened("lockstep_size_changes_total", by="direction"), "{{direction}}"),
            columns=WIDE_COLUMNS,
        ),
        counts(
            "Changes of size dropped",
            "Changes after which a node or its room had gone, so that the gang was planned again, in the time shown. "
            "Each costs work: find out which nodes come and go.",
            Query(happened("lockstep_size_changes_dropped_total"), "dropped"),
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
        counts(
            "Runs of sweeps ended",
            "Runs of GangSweeps that were counted in the time shown, by outcome. Many that failed: the first ten "
            "failures of each sweep say why.",
            Query(happened("lockstep_sweep_runs_ended_total", by="outcome"), "{{outcome}}"),
        ),
        counts(
            "Sizes of runs changed",
            "How often the next runs of a sweep got another common size, in the time shown. Very many: nodes that "
            "come and go, or run times that are not known well.",
            Query(happened("lockstep_sweep_size_changes_total"), "changed"),
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
        counts(
            "Resizes by result",
            "Members that were given another amount of CPU, in the time shown. refused: a quota, a policy or missing "
            "rights; withdrawn: their nodes had no room to give it back. Such members wait for minutes with too "
            "little.",
            Query(happened("lockstep_resizes_total", by="result"), "{{result}}"),
        ),
    ]
